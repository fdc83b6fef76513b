//! From a triangulated hull to polygonal faces: coplanar triangles become one face, and vertices inside a face or an edge
//! go.

use super::hull::area_vector;
use crate::math::{Point, Real, Vector};

/// Triangles whose corners are within this of a plane, in multiples of the extent, belong to it: above the rounding of
/// coordinates that were computed (a rotated box), far below any contact tolerance.
const COPLANAR: Real = 1e-11;

/// A polygonal face.
pub(super) struct Polygon {
    /// Numbers of the given points, counter-clockwise from outside.
    pub rim: Vec<u32>,
    /// Unit, outward: of the largest of its triangles, whose plane all points of the hull are below or in.
    pub normal: Vector,
}

/// The polygonal faces of a hull.
///
/// On a convex surface the triangles within a slab under a supporting plane form a disc, so each face has one rim. Where
/// rounding breaks that (faces as thin as the tolerance), the triangles themselves are the faces.
pub(super) fn polygons(points: &[Point], triangles: &[[u32; 3]], extent: Real) -> Vec<Polygon> {
    merged(points, triangles, COPLANAR * extent).unwrap_or_else(|| {
        let normal = |t: &[u32; 3]| area_vector(points, *t).try_normalize(0.0).unwrap_or_else(Vector::y);
        triangles.iter().map(|t| Polygon { rim: t.to_vec(), normal: normal(t) }).collect()
    })
}

/// The directed sides of all triangles in order, so that the face on the other side is found by search.
struct Sides(Vec<([u32; 2], u32)>);

impl Sides {
    fn of(triangles: &[[u32; 3]]) -> Self {
        let mut sides: Vec<_> = triangles
            .iter()
            .enumerate()
            .flat_map(|(face, t)| (0..3).map(move |k| ([t[k], t[(k + 1) % 3]], face as u32)))
            .collect();
        sides.sort_unstable();
        Self(sides)
    }

    fn face_across(&self, from: u32, to: u32) -> Option<usize> {
        let at = self.0.binary_search_by_key(&[to, from], |(side, _)| *side).ok()?;
        Some(self.0[at].1 as usize)
    }
}

fn merged(points: &[Point], triangles: &[[u32; 3]], tolerance: Real) -> Option<Vec<Polygon>> {
    let sides = Sides::of(triangles);
    let area: Vec<Vector> = triangles.iter().map(|t| area_vector(points, *t)).collect();
    // Large triangles first: their planes are the best known.
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&i, &j| area[j].norm_squared().total_cmp(&area[i].norm_squared()).then(i.cmp(&j)));

    const NONE: usize = usize::MAX;
    let mut group = vec![NONE; triangles.len()];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut faces: Vec<Polygon> = Vec::new();
    for seed in order {
        if group[seed] != NONE {
            continue;
        }
        let id = faces.len();
        let normal = area[seed].try_normalize(0.0)?;
        let origin = points[triangles[seed][0] as usize];
        let in_plane = |v: u32| (points[v as usize] - origin).dot(&normal).abs() <= tolerance;
        group[seed] = id;
        let mut members = vec![seed];
        let mut next = 0;
        while next < members.len() {
            let t = triangles[members[next]];
            next += 1;
            for k in 0..3 {
                let across = sides.face_across(t[k], t[(k + 1) % 3])?;
                // A sliver's own normal is noise; only one that clearly faces elsewhere is kept apart.
                let faces_away = area[across].dot(&normal) < -0.5 * area[across].norm();
                if group[across] == NONE && !faces_away && triangles[across].iter().all(|&v| in_plane(v)) {
                    group[across] = id;
                    members.push(across);
                }
            }
        }
        faces.push(Polygon { rim: Vec::new(), normal });
        groups.push(members);
    }
    for (face, members) in faces.iter_mut().zip(&groups) {
        face.rim = rim(triangles, members, &group, &sides)?;
    }
    drop_straight_vertices(&mut faces, points.len())?;
    Some(faces)
}

/// The one closed rim of a group of triangles; `None` when there are more.
fn rim(triangles: &[[u32; 3]], members: &[usize], group: &[usize], sides: &Sides) -> Option<Vec<u32>> {
    let id = group[members[0]];
    let mut steps: Vec<[u32; 2]> = Vec::new();
    for &face in members {
        let t = triangles[face];
        for k in 0..3 {
            let (from, to) = (t[k], t[(k + 1) % 3]);
            if group[sides.face_across(from, to)?] != id {
                steps.push([from, to]);
            }
        }
    }
    steps.sort_unstable();
    if steps.windows(2).any(|pair| pair[0][0] == pair[1][0]) {
        return None;
    }
    let first = steps.first()?[0];
    let mut rim = vec![first];
    loop {
        let at = steps.binary_search_by_key(rim.last()?, |step| step[0]).ok()?;
        if steps[at][1] == first {
            break;
        }
        rim.push(steps[at][1]);
        if rim.len() > steps.len() {
            return None;
        }
    }
    (rim.len() == steps.len()).then_some(rim)
}

/// Takes out the vertices where only two faces meet; `None` when a face would vanish, or Euler's formula fails.
fn drop_straight_vertices(faces: &mut [Polygon], count: usize) -> Option<()> {
    let mut faces_at = vec![0_u32; count];
    for &v in faces.iter().flat_map(|f| &f.rim) {
        faces_at[v as usize] += 1;
    }
    for face in faces.iter_mut() {
        face.rim.retain(|&v| faces_at[v as usize] >= 3);
        if face.rim.len() < 3 {
            return None;
        }
    }
    let vertices = faces_at.iter().filter(|&&n| n >= 3).count();
    let edges = faces.iter().map(|f| f.rim.len()).sum::<usize>() / 2;
    (vertices + faces.len() == edges + 2).then_some(())
}
