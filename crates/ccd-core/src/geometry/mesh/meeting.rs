//! Whether triangles meet, decided exactly.
//!
//! **Problem.** Two surfaces that touch — flush faces, an edge in a plane, a common corner — are decided by the last bit of
//! a product; decided twice, from either side, the answers must not contradict each other.
//! **Idea.** Every decision is a sign of an orientation determinant of the given coordinates, which `robust` finds exactly;
//! coplanar cases are the same question in a plane, by leaving out a coordinate, which rounds nothing.
//! **Guarantee.** The answers are those of exact arithmetic on the coordinates as they are, so they do not depend on the
//! order of the arguments, of the corners, or on the winding.
//! **Limits.** Coordinates whose products of three underflow (differences below 1e-100 m) are beyond exactness.
//! **Source.** Shewchuk (1997) for the signs; edges against faces both ways as in the slides on rigid collision.

use robust::{Coord, orient2d, orient3d};

use super::triangle::coord;
use crate::math::{Point, Real, Vector};

/// How two closed sets meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meeting {
    /// They have no point in common.
    Apart,
    /// They have a point in common, but neither passes through the other: whatever is moved by the least may part them.
    Touching,
    /// An edge's inside passes through a face's inside, from one side to the other.
    Crossing,
}

fn orientation(a: &Point, b: &Point, c: &Point, d: &Point) -> Real {
    orient3d(coord(*a), coord(*b), coord(*c), coord(*d))
}

/// The orientation of three points seen along coordinate axis `along`.
fn flat_orientation(along: usize, a: &Point, b: &Point, c: &Point) -> Real {
    let flat = |p: &Point| Coord { x: p[(along + 1) % 3], y: p[(along + 2) % 3] };
    orient2d(flat(a), flat(b), flat(c))
}

/// How the closed segment from `p` to `q` and the closed triangle meet; [`Meeting::Crossing`] when the inside of one
/// passes through the inside of the other.
pub fn segment_meets_triangle(p: &Point, q: &Point, triangle: &[Point; 3]) -> Meeting {
    let [a, b, c] = triangle;
    let (above_p, above_q) = (orientation(a, b, c, p), orientation(a, b, c, q));
    if above_p > 0.0 && above_q > 0.0 || above_p < 0.0 && above_q < 0.0 {
        return Meeting::Apart;
    }
    if above_p == 0.0 && above_q == 0.0 {
        let touch = (0..3).any(|k| segments_meet(p, q, &triangle[k], &triangle[(k + 1) % 3]))
            || point_is_in_coplanar_triangle(p, triangle);
        return if touch { Meeting::Touching } else { Meeting::Apart };
    }
    // The line is not in the plane, so at most two of its sides are zero.
    let sides = [orientation(p, q, a, b), orientation(p, q, b, c), orientation(p, q, c, a)];
    let (left, right) = (sides.iter().all(|s| *s >= 0.0), sides.iter().all(|s| *s <= 0.0));
    if !(left || right) {
        Meeting::Apart
    } else if above_p != 0.0 && above_q != 0.0 && sides.iter().all(|s| *s != 0.0) {
        Meeting::Crossing
    } else {
        Meeting::Touching
    }
}

/// How two closed triangles meet: the most that any edge of either does with the other.
pub fn triangles_meet(t: &[Point; 3], u: &[Point; 3]) -> Meeting {
    if lies_on_one_side(t, u) || lies_on_one_side(u, t) {
        return Meeting::Apart;
    }
    let mut most = Meeting::Apart;
    for (edges_of, face) in [(t, u), (u, t)] {
        for k in 0..3 {
            most = most.max(segment_meets_triangle(&edges_of[k], &edges_of[(k + 1) % 3], face));
            if most == Meeting::Crossing {
                return most;
            }
        }
    }
    most
}

/// Whether two triangles of one mesh meet elsewhere than in the vertices and the edge that they share by number.
///
/// `t` and `u` are vertex numbers, `corners_t` and `corners_u` their places.
pub fn neighbours_cross(t: [u32; 3], corners_t: &[Point; 3], u: [u32; 3], corners_u: &[Point; 3]) -> bool {
    let shared: Vec<(usize, usize)> =
        (0..3).flat_map(|i| (0..3).map(move |j| (i, j))).filter(|&(i, j)| t[i] == u[j]).collect();
    match shared[..] {
        [] => triangles_meet(corners_t, corners_u) != Meeting::Apart,
        // Whatever they have in common beyond the vertex reaches the far side of one of them.
        [(i, j)] => {
            let far = |corners: &[Point; 3], k: usize| (corners[(k + 1) % 3], corners[(k + 2) % 3]);
            let (p, q) = far(corners_t, i);
            let (r, s) = far(corners_u, j);
            if are_on_two_sides(&corners_t[i], [&p, &q], [&r, &s]) {
                return false;
            }
            segment_meets_triangle(&p, &q, corners_u) != Meeting::Apart
                || segment_meets_triangle(&r, &s, corners_t) != Meeting::Apart
        }
        // Two planes meet in the common edge alone, unless they are one plane and the triangles lie on one side of it.
        [(i, j), (k, l)] => {
            let (from, to) = (&corners_t[i], &corners_t[k]);
            let (p, q) = (&corners_t[3 - i - k], &corners_u[3 - j - l]);
            orientation(from, to, p, q) == 0.0
                && (0..3).any(|along| {
                    let (side_p, side_q) = (flat_orientation(along, from, to, p), flat_orientation(along, from, to, q));
                    side_p > 0.0 && side_q > 0.0 || side_p < 0.0 && side_q < 0.0
                })
        }
        _ => true,
    }
}

/// Whether a plane through `corner` is certain to have two pairs of points on either side of it: the one upright to the difference of their
/// directions, where its heights are beyond their rounding. Of the triangles of a fan, which lie in one plane, that tells most apart at little cost.
fn are_on_two_sides(corner: &Point, [p, q]: [&Point; 2], [r, s]: [&Point; 2]) -> bool {
    let ways = [p, q, r, s].map(|end| end - corner);
    let [a, b, c, d] = ways.map(|way| way / way.norm());
    let normal = a + b - c - d;
    // A difference of coordinates is wrong by half a unit in its last place, three products and two sums by half a unit each.
    let is_above = |way: &Vector| {
        let terms = normal.component_mul(way);
        terms.sum() > 8.0 * Real::EPSILON * terms.abs().sum() && terms.abs().sum() > Real::MIN_POSITIVE / Real::EPSILON
    };
    is_above(&ways[0]) && is_above(&ways[1]) && is_above(&-ways[2]) && is_above(&-ways[3])
}

/// Whether two triangles lie in one plane, with areas that overlap; and if so, whether their windings agree.
pub fn coplanar_overlap(t: &[Point; 3], u: &[Point; 3]) -> Option<bool> {
    if u.iter().any(|p| orientation(&t[0], &t[1], &t[2], p) != 0.0) {
        return None;
    }
    let along = (0..3).find(|&k| flat_orientation(k, &t[0], &t[1], &t[2]) != 0.0)?;
    let winding = |v: &[Point; 3]| flat_orientation(along, &v[0], &v[1], &v[2]);
    let (turn_t, turn_u) = (winding(t), winding(u));
    if turn_u == 0.0 {
        return None;
    }
    // Convex areas in a plane are disjoint inside exactly when a side of one has the other on its outside.
    let parted_by_a_side = |of: &[Point; 3], turn: Real, other: &[Point; 3]| {
        (0..3).any(|k| {
            other.iter().all(|p| {
                let side = flat_orientation(along, &of[k], &of[(k + 1) % 3], p);
                if turn > 0.0 { side <= 0.0 } else { side >= 0.0 }
            })
        })
    };
    let parted = parted_by_a_side(t, turn_t, u) || parted_by_a_side(u, turn_u, t);
    (!parted).then_some((turn_t > 0.0) == (turn_u > 0.0))
}

/// Whether all corners of `u` lie strictly on one side of the plane of `t`.
fn lies_on_one_side(t: &[Point; 3], u: &[Point; 3]) -> bool {
    let first = orientation(&t[0], &t[1], &t[2], &u[0]);
    first != 0.0 && {
        let same = |p: &Point| {
            let side = orientation(&t[0], &t[1], &t[2], p);
            if first > 0.0 { side > 0.0 } else { side < 0.0 }
        };
        same(&u[1]) && same(&u[2])
    }
}

/// Whether two closed segments have a point in common.
fn segments_meet(p: &Point, q: &Point, a: &Point, b: &Point) -> bool {
    if orientation(p, q, a, b) != 0.0 {
        return false;
    }
    // All four are in one plane; seen along an axis that does not lie in it, nothing is lost.
    for along in 0..3 {
        let side = |x: &Point, y: &Point, z: &Point| flat_orientation(along, x, y, z);
        let (pqa, pqb, abp, abq) = (side(p, q, a), side(p, q, b), side(a, b, p), side(a, b, q));
        if [pqa, pqb, abp, abq] != [0.0; 4] {
            let straddles = |one: Real, other: Real| !(one > 0.0 && other > 0.0 || one < 0.0 && other < 0.0);
            return straddles(pqa, pqb) && straddles(abp, abq);
        }
    }
    // All on one line: they overlap when they do so along every axis.
    (0..3).all(|k| p[k].min(q[k]) <= a[k].max(b[k]) && a[k].min(b[k]) <= p[k].max(q[k]))
}

/// Whether `p`, a point of the triangle's plane, lies in the closed triangle; `false` for a triangle on one line.
fn point_is_in_coplanar_triangle(p: &Point, [a, b, c]: &[Point; 3]) -> bool {
    let Some(along) = (0..3).find(|&k| flat_orientation(k, a, b, c) != 0.0) else { return false };
    let sides = [flat_orientation(along, a, b, p), flat_orientation(along, b, c, p), flat_orientation(along, c, a, p)];
    sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn triangle(points: [[i32; 3]; 3]) -> [Point; 3] {
        points.map(|p| Point::from(p.map(Real::from)))
    }

    /// Triangles of a small lattice, so that touching and coplanar ones abound; not on one line.
    fn lattice_triangle() -> impl Strategy<Value = [Point; 3]> {
        prop::array::uniform3(prop::array::uniform3(-2..=2_i32))
            .prop_map(triangle)
            .prop_filter("no area", |[a, b, c]| (b - a).cross(&(c - a)).norm() > 0.0)
    }

    /// The separating axes of two triangles in exact integer arithmetic: whether the closed triangles share a point.
    fn meet_by_separating_axes(t: &[Point; 3], u: &[Point; 3]) -> bool {
        let edges = |v: &[Point; 3]| [v[1] - v[0], v[2] - v[1], v[0] - v[2]];
        let (et, eu) = (edges(t), edges(u));
        let (nt, nu) = (et[0].cross(&et[1]), eu[0].cross(&eu[1]));
        let mut axes = vec![nt, nu];
        axes.extend(et.iter().flat_map(|e| eu.iter().map(move |f| e.cross(f))));
        axes.extend(et.iter().map(|e| e.cross(&nt)));
        axes.extend(eu.iter().map(|e| e.cross(&nu)));
        // Small integers: every product is exact.
        axes.iter().all(|axis| {
            let span = |v: &[Point; 3]| {
                let d = v.map(|p| axis.dot(&p.coords));
                (d[0].min(d[1]).min(d[2]), d[0].max(d[1]).max(d[2]))
            };
            let ((tl, th), (ul, uh)) = (span(t), span(u));
            tl <= uh && ul <= th
        })
    }

    proptest! {
        #[test]
        fn lattice_triangles_meet_exactly_when_no_axis_parts_them(t in lattice_triangle(), u in lattice_triangle()) {
            prop_assert_eq!(triangles_meet(&t, &u) != Meeting::Apart, meet_by_separating_axes(&t, &u));
        }

        #[test]
        fn the_answer_does_not_depend_on_side_corner_or_winding(
            t in lattice_triangle(), u in lattice_triangle(), turn in 0..3_usize,
        ) {
            let met = triangles_meet(&t, &u);
            prop_assert_eq!(triangles_meet(&u, &t), met);
            let turned = [u[turn], u[(turn + 1) % 3], u[(turn + 2) % 3]];
            prop_assert_eq!(triangles_meet(&t, &turned), met);
            prop_assert_eq!(triangles_meet(&[t[0], t[2], t[1]], &u), met);
            let overlap = coplanar_overlap(&t, &u);
            prop_assert_eq!(coplanar_overlap(&u, &t), overlap);
            prop_assert_eq!(coplanar_overlap(&turned, &[t[0], t[2], t[1]]), overlap.map(|same| !same));
            prop_assert!(overlap.is_none() || met == Meeting::Touching);
        }

        #[test]
        fn what_a_plane_through_a_shared_corner_parts_meets_in_that_corner_alone(
            t in lattice_triangle(), p in prop::array::uniform3(-2..=2_i32), q in prop::array::uniform3(-2..=2_i32),
        ) {
            let [p, q] = [p, q].map(|p| Point::from(p.map(Real::from)));
            if are_on_two_sides(&t[0], [&t[1], &t[2]], [&p, &q]) {
                prop_assert_eq!(segment_meets_triangle(&p, &q, &t), Meeting::Apart);
                prop_assert_eq!(segment_meets_triangle(&t[1], &t[2], &[t[0], p, q]), Meeting::Apart);
            }
        }
    }

    #[test]
    fn all_triangles_of_a_fan_but_neighbours_are_parted_by_a_plane() {
        let corner = |k: u32| {
            let (sin, cos) = (Real::from(k) * std::f64::consts::TAU / 200.0).sin_cos();
            Point::new(cos, 0.3 * cos + 0.7 * sin, sin)
        };
        for i in 1..199 {
            for k in i + 2..199 {
                let ends = |k: u32| [corner(k), corner(k + 1)];
                let ([p, q], [r, s]) = (ends(i), ends(k));
                assert!(are_on_two_sides(&corner(0), [&p, &q], [&r, &s]), "{i} {k}");
            }
        }
    }

    #[test]
    fn crossing_touching_and_apart_are_told_by_one_rounding_step() {
        let t = triangle([[0, 0, 0], [4, 0, 0], [0, 4, 0]]);
        let needle = |tip: Real| [Point::new(1.0, 1.0, tip), Point::new(1.0, 1.0, 3.0), Point::new(2.0, 1.0, 3.0)];
        assert_eq!(triangles_meet(&t, &needle(-Real::EPSILON)), Meeting::Crossing);
        assert_eq!(triangles_meet(&t, &needle(0.0)), Meeting::Touching);
        assert_eq!(triangles_meet(&t, &needle(Real::EPSILON)), Meeting::Apart);
    }

    #[test]
    fn neighbours_cross_only_beyond_what_they_share() {
        let p = [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, -2, 0], [1, 1, 0], [2, 2, 1], [2, 2, -1]]
            .map(|p: [i32; 3]| Point::from(p.map(Real::from)));
        let cross = |t: [u32; 3], u: [u32; 3]| {
            let places = |v: [u32; 3]| v.map(|i| p[i as usize]);
            let found = neighbours_cross(t, &places(t), u, &places(u));
            assert_eq!(neighbours_cross(u, &places(u), t, &places(t)), found);
            found
        };
        assert!(!cross([0, 1, 2], [1, 0, 3]), "two halves of a flat square");
        assert!(cross([0, 1, 2], [1, 0, 4]), "folded over onto itself");
        assert!(cross([0, 1, 2], [2, 1, 0]), "a sheet and its back");
        assert!(!cross([0, 1, 2], [0, 3, 5]), "one corner in common");
        assert!(cross([0, 1, 2], [0, 5, 6]), "through each other from a common corner");
    }
}
