//! The part of a convex polyhedron that looks along a direction.
//!
//! Models stored in single precision have faces that are flat to the eye and bent by rounding: a hull makes several faces
//! of them. Faces that share a plane up to the snap distance are one patch here, and vertices that are nearly as low
//! as the patch are looked at too, so that a body does not stand on half of its base.

use super::buffer::Buffer;
use super::patch::Patch;
use crate::geometry::feature::Feature;
use crate::geometry::polyhedron::ConvexPolyhedron;
use crate::math::{Real, Vector, orthonormal_basis};

/// The face towards the unit `direction`, with all that lies in its plane up to `snap` metres, and the vertices up to
/// `reach` metres behind it as extras. In the solid's frame.
pub(super) fn hull_patch(hull: &ConvexPolyhedron, direction: &Vector, snap: Real, reach: Real) -> Patch {
    let face = hull.face_towards(direction);
    let mut patch = Patch::empty();
    patch.normal = hull.planes()[face].normal;
    patch.face = Feature::Face(face as u32);
    let (corners, edges) = (hull.face_vertices(face), hull.face_edges(face));
    let depth = |v: u32| hull.planes()[face].offset - patch.normal.dot(&hull.vertices()[v as usize].coords);

    // Everything at most `reach` behind the plane hangs together by edges, because the solid is convex.
    let mut near = Buffer::<(u32, Real), 16>::new((0, 0.0));
    let mut is_near = Buffer::<u64, 8>::new(0);
    (0..hull.vertices().len().div_ceil(64)).for_each(|_| is_near.push(0));
    let is_near = is_near.as_mut_slice();
    let mut mark = |v: u32| {
        let (word, bit) = (&mut is_near[v as usize / 64], 1 << (v % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    };
    for &v in corners {
        mark(v);
        near.push((v, 0.0));
    }
    let mut next = 0;
    while next < near.len() {
        for &w in hull.neighbours(near[next].0 as usize) {
            if mark(w) {
                let depth = depth(w);
                if depth <= reach {
                    near.push((w, depth));
                }
            }
        }
        next += 1;
    }
    let behind = &near[corners.len()..];
    if behind.iter().any(|&(_, depth)| depth <= snap) {
        let flat: Vec<u32> = near.iter().filter(|&&(_, depth)| depth <= snap).map(|&(v, _)| v).collect();
        push_outline(hull, &flat, edges[0], &mut patch);
        let is_corner = |v: u32| patch.vertex_features.contains(&Feature::Vertex(v));
        let beside = behind.iter().filter(|&&(v, _)| !is_corner(v));
        patch.extras = beside.map(|&(v, _)| (hull.vertices()[v as usize], Feature::Vertex(v))).collect();
    } else {
        for (&v, &e) in corners.iter().zip(edges) {
            patch.push(hull.vertices()[v as usize], Feature::Vertex(v), Feature::Edge(e));
        }
        patch.extras = behind.iter().map(|&(v, _)| (hull.vertices()[v as usize], Feature::Vertex(v))).collect();
    }
    patch
}

/// Appends the convex outline of vertices in one plane; sides that are no edges of the hull get the number `unnamed`.
fn push_outline(hull: &ConvexPolyhedron, flat: &[u32], unnamed: u32, patch: &mut Patch) {
    let (t, s) = orthonormal_basis(&patch.normal);
    let mut seen: Vec<(Real, Real, u32)> = flat
        .iter()
        .map(|&v| {
            let p = hull.vertices()[v as usize].coords;
            (t.dot(&p), s.dot(&p), v)
        })
        .collect();
    seen.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1)));
    let turns_left = |p: &(Real, Real, u32), q: &(Real, Real, u32), r: &(Real, Real, u32)| {
        (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0) > 0.0
    };
    let mut outline: Vec<(Real, Real, u32)> = Vec::with_capacity(seen.len() + 1);
    for pass in 0..2 {
        let floor = outline.len();
        for p in &seen {
            while outline.len() >= floor + 2 && !turns_left(&outline[outline.len() - 2], &outline[outline.len() - 1], p)
            {
                outline.pop();
            }
            outline.push(*p);
        }
        outline.pop();
        if pass == 0 {
            seen.reverse();
        }
    }
    for (k, &(_, _, v)) in outline.iter().enumerate() {
        let edge = hull.edge_between(v, outline[(k + 1) % outline.len()].2).unwrap_or(unnamed);
        patch.push(hull.vertices()[v as usize], Feature::Vertex(v), Feature::Edge(edge));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Point;

    #[test]
    fn a_base_bent_by_rounding_is_one_patch_and_a_blunt_tip_is_an_extra() {
        let mut points: Vec<Point> =
            (0..8).map(|i| Point::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
        points[5].z += 1e-8;
        let bent = ConvexPolyhedron::from_points(&points).unwrap();
        assert_eq!(bent.face_count(), 7, "the bend makes two faces of the upper one");
        let patch = hull_patch(&bent, &Vector::z(), 1e-6, 1e-3);
        assert_eq!((patch.vertices.len(), patch.extras.len()), (4, 0));
        points[5].z += 1e-4;
        let tipped = ConvexPolyhedron::from_points(&points).unwrap();
        let patch = hull_patch(&tipped, &Vector::z(), 1e-6, 1e-3);
        assert_eq!((patch.vertices.len(), patch.extras.len()), (3, 1));
    }
}
