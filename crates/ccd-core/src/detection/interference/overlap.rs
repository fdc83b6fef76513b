//! Whether solids share volume although no edge passes through a face.

use super::mesh_mesh::{EdgeFaceMeeting, Placed, Side, rounding};
use crate::geometry::mesh::meeting::coplanar_overlap;
use crate::geometry::mesh::triangle::{closest_point, coord};
use crate::math::{Point, Real};
use robust::orient3d;

/// The side that lies wholly inside the other, for surfaces that do not meet: all of a shell is where one vertex of it is. Where
/// some shells are inside and some are not, the side still counts: it shares volume.
pub(super) fn inner_side(a: &Placed, b: &Placed) -> Option<Side> {
    if has_shell_inside(a, b) {
        Some(Side::A)
    } else if has_shell_inside(b, a) {
        Some(Side::B)
    } else {
        None
    }
}

fn has_shell_inside(shells_of: &Placed, solid: &Placed) -> bool {
    let topology = shells_of.mesh.topology();
    let within = |face: u32| {
        let corner = shells_of.vertex(shells_of.mesh.mesh().triangles()[face as usize][0]);
        is_strictly_inside(&corner, solid, rounding(shells_of, solid))
    };
    if !solid.mesh.is_closed() {
        false
    } else if topology.shell_count() == 1 {
        within(0)
    } else {
        topology.shells().into_iter().any(within)
    }
}

/// Whether `point` (world) is inside the solid, further than `margin` from its surface.
fn is_strictly_inside(point: &Point, solid: &Placed, margin: Real) -> bool {
    let local = solid.pose.inverse_transform_point(point);
    solid.mesh.contains(&local) && solid.mesh.closest_point(&local, margin).is_none()
}

/// Whether two meshes whose surfaces touch in these pairs of faces, without an edge that passes through a face, share volume.
///
/// If solids do, then either two faces in one plane cover each other with their windings agreeing, or a part of an edge of
/// one, between two places where it touches the other, lies inside the other, or a whole shell does: the boundary of
/// what a face has inside the other solid is made of such parts, and where it is made of the other's faces alone, one of the
/// other's edges enters there, which is a part of the same kind. Or two faces pass through each other between two points of
/// both their borders, where no edge enters anything: wedges on a common edge do.
pub(super) fn touching_solids_share_volume(
    a: &Placed,
    b: &Placed,
    pairs: &[(u32, u32)],
    meetings: &[EdgeFaceMeeting],
) -> bool {
    if !a.mesh.is_closed() && !b.mesh.is_closed() {
        return false;
    }
    let both_solid = a.mesh.is_closed() && b.mesh.is_closed();
    if both_solid && pairs.iter().any(|&(i, j)| coplanar_overlap(&a.face(i), &b.face(j)) == Some(true)) {
        return true;
    }
    // Flush faces have their edges' middles on the surface but for rounding: what is nearer than this is on it.
    let margin = 16.0 * rounding(a, b);
    if pairs.iter().any(|&(i, j)| pass_through(&a.face(i), &b.face(j), margin)) {
        return true;
    }
    meetings.chunk_by(|one, other| one.edge_of == other.edge_of && one.edge == other.edge).any(|touches| {
        let (own, other) = if touches[0].edge_of == Side::A { (a, b) } else { (b, a) };
        other.mesh.is_closed() && {
            let ends = own.edge(touches[0].edge);
            let mut cuts = vec![0.0, 1.0];
            cuts.extend(touches.iter().flat_map(|touch| fractions(&ends, &other.face(touch.face))));
            cuts.sort_by(Real::total_cmp);
            cuts.windows(2).any(|part| {
                let middle = 0.5 * (part[0] + part[1]);
                part[0] < part[1] && is_strictly_inside(&(ends[0] + (ends[1] - ends[0]) * middle), other, margin)
            })
        }
    }) || has_shell_inside(a, b)
        || has_shell_inside(b, a)
}

/// Whether two triangles have corners further than `margin` to both sides of each other's plane, and a longer segment in common.
fn pass_through(a: &[Point; 3], b: &[Point; 3], margin: Real) -> bool {
    let normal = |t: &[Point; 3]| (t[1] - t[0]).cross(&(t[2] - t[0]));
    let heights = |of: &[Point; 3], over: &[Point; 3]| {
        let [p, q, r] = over.map(coord);
        of.map(|c| orient3d(p, q, r, coord(c)) / normal(over).norm())
    };
    let is_divided = |h: &[Real; 3]| h.iter().any(|h| *h > margin) && h.iter().any(|h| *h < -margin);
    let (heights_a, heights_b) = (heights(a, b), heights(b, a));
    if !is_divided(&heights_a) || !is_divided(&heights_b) {
        return false;
    }
    let Some(line) = normal(a).cross(&normal(b)).try_normalize(Real::MIN_POSITIVE) else {
        return false;
    };
    // What each has on the line in which the planes meet.
    let span = |t: &[Point; 3], h: &[Real; 3]| {
        let crossings = (0..3).filter_map(|k| {
            let (n, from, to) = ((k + 1) % 3, h[k], h[(k + 1) % 3]);
            let is_crossed = from == 0.0 || (from > 0.0) != (to > 0.0) && to != 0.0;
            is_crossed.then(|| line.dot(&(t[k] + (t[n] - t[k]) * (from / (from - to)) - a[0])))
        });
        crossings.fold((Real::INFINITY, Real::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    };
    let (span_a, span_b) = (span(a, &heights_a), span(b, &heights_b));
    span_a.1.min(span_b.1) - span_a.0.max(span_b.0) > margin
}

/// The place on a segment, among those where it can begin or cease to touch a triangle that it touches, nearest to the triangle.
pub(super) fn common_point(ends: &[Point; 2], corners: &[Point; 3]) -> Point {
    let mut best = (Real::INFINITY, ends[0]);
    for t in fractions(ends, corners).into_iter().chain([0.0, 1.0]) {
        let point = ends[0] + (ends[1] - ends[0]) * t;
        let distance = (closest_point(corners, &point).0 - point).norm_squared();
        if distance < best.0 {
            best = (distance, point);
        }
    }
    best.1
}

/// The fractions in [0, 1] of a segment at which it can begin or cease to touch a triangle that it touches; at least one.
fn fractions(ends: &[Point; 2], corners: &[Point; 3]) -> Vec<Real> {
    let direction = ends[1] - ends[0];
    let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
    let (above, below) = (normal.dot(&(ends[0] - corners[0])), normal.dot(&(ends[1] - corners[0])));
    let within = |t: Real| if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
    let through = within(above / (above - below));
    // Nearly in the plane: where its line passes the corners and crosses the lines of the sides.
    let size = normal.norm() * (direction.norm() + (ends[0] - corners[0]).norm());
    if (above - below).abs() > 1e-9 * size {
        return vec![through];
    }
    let mut found = vec![];
    let length = direction.norm_squared();
    for k in 0..3 {
        let (from, to) = (&corners[k], &corners[(k + 1) % 3]);
        let across = normal.cross(&(to - from));
        found.push(within(across.dot(&(from - ends[0])) / across.dot(&direction)));
        found.push(within(direction.dot(&(from - ends[0])) / length));
    }
    found
}
