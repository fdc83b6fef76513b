//! The faces of a convex polyhedron in a tree by their normals, so that those which a place is high over are found without asking all.
//!
//! **Idea.** Of a node with the mean normal n about a place c, no normal is further than s from n: at c + x no plane of it is passed by more than
//! n·x + s‖x‖ and what the one passed by the most at c is passed by. Faces with like normals lie together on a convex surface.

use super::ConvexPolyhedron;
use crate::math::{Point, Real, Vector};

/// The most faces of a leaf.
const LEAF: usize = 4;
/// No tree is as deep: halves of halves of what 32 bits number.
const DEEPEST: usize = 40;
/// Room for the rounding of a bound, as a share of the numbers that it is made of.
const ROUNDING: Real = 1e-14;

/// The tree: each node before its parts.
#[derive(Clone, Debug)]
pub(super) struct FaceTree {
    nodes: Vec<Node>,
    /// The faces, leaf by leaf.
    faces: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Node {
    centre: Point,
    /// The mean of the normals.
    normal: Vector,
    /// How far any normal is from it.
    spread: Real,
    /// The most that the centre is over the plane of any face, metres.
    rise: Real,
    /// Where its faces begin and end.
    range: [u32; 2],
    /// The second of its parts; the first is the next node. Zero for a leaf.
    second: u32,
}

impl Node {
    /// No face of the node has the place higher over it than this, metres.
    #[inline]
    fn most(&self, place: &Point) -> Real {
        let off = place - self.centre;
        let (along, reach) = (self.normal.dot(&off), self.spread * off.norm());
        let size = off.amax() + self.rise.abs() + reach + self.centre.coords.amax();
        along + reach + self.rise + ROUNDING * size
    }
}

impl FaceTree {
    pub(super) fn of(solid: &ConvexPolyhedron) -> Self {
        let middle = |face: usize| {
            let corners = solid.face_vertices(face);
            corners.iter().map(|v| solid.vertices[*v as usize].coords).sum::<Vector>() / corners.len().max(1) as Real
        };
        let middles: Vec<Vector> = (0..solid.planes.len()).map(middle).collect();
        let mut tree = Self { nodes: Vec::new(), faces: (0..middles.len() as u32).collect() };
        if !middles.is_empty() {
            tree.add(solid, &middles, 0, middles.len());
        }
        tree
    }

    /// Adds the node of the faces from place `start` to `end`, and its parts.
    fn add(&mut self, solid: &ConvexPolyhedron, middles: &[Vector], start: usize, end: usize) {
        let faces = &mut self.faces[start..end];
        let share = 1.0 / faces.len() as Real;
        let planes = || faces.iter().map(|f| &solid.planes[*f as usize]);
        let centre = Point::from(faces.iter().map(|f| middles[*f as usize]).sum::<Vector>() * share);
        let normal = planes().map(|p| p.normal).sum::<Vector>() * share;
        let node = Node {
            centre,
            normal,
            spread: planes().map(|p| (p.normal - normal).norm()).fold(0.0, Real::max),
            rise: planes().map(|p| p.normal.dot(&centre.coords) - p.offset).fold(Real::NEG_INFINITY, Real::max),
            range: [start as u32, end as u32],
            second: 0,
        };
        if faces.len() <= LEAF {
            self.nodes.push(node);
            return;
        }
        let low = planes().fold(Vector::repeat(Real::INFINITY), |low, p| low.inf(&p.normal));
        let high = planes().fold(Vector::repeat(Real::NEG_INFINITY), |high, p| high.sup(&p.normal));
        let axis = (high - low).imax();
        let along = |f: &u32| solid.planes[*f as usize].normal[axis];
        let half = faces.len() / 2;
        faces.select_nth_unstable_by(half, |f, g| along(f).total_cmp(&along(g)).then(f.cmp(g)));
        let place = self.nodes.len();
        self.nodes.push(node);
        self.add(solid, middles, start, start + half);
        self.nodes[place].second = self.nodes.len() as u32;
        self.add(solid, middles, start + half, end);
    }
}

impl ConvexPolyhedron {
    /// Shows faces to `show`, the likeliest first: every face over whose plane the place is more than `above` metres (below it the height is
    /// negative), with that height, and some others. What `show` answers is `above` from then on.
    ///
    /// Cost: logarithmic in the number of faces for each that is shown.
    pub(crate) fn for_each_face_below(
        &self,
        place: &Point,
        mut above: Real,
        mut show: impl FnMut(usize, Real) -> Real,
    ) {
        let tree = self.face_tree();
        let Some(root) = tree.nodes.first() else { return };
        let mut waiting = [(0_u32, 0.0); DEEPEST];
        waiting[0] = (0, root.most(place));
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (number, most) = waiting[count];
            if most <= above {
                continue;
            }
            let node = &tree.nodes[number as usize];
            if node.second == 0 {
                for &face in &tree.faces[node.range[0] as usize..node.range[1] as usize] {
                    let plane = &self.planes[face as usize];
                    above = show(face as usize, plane.normal.dot(&place.coords) - plane.offset);
                }
                continue;
            }
            let [one, other] = [number + 1, node.second].map(|k| (k, tree.nodes[k as usize].most(place)));
            let (less, more) = if one.1 > other.1 { (other, one) } else { (one, other) };
            (waiting[count], waiting[count + 1]) = (less, more);
            count += 2;
        }
    }

    /// The face over whose plane a place is the highest, with that height, metres; negative inside.
    pub(crate) fn highest_face(&self, place: &Point) -> (usize, Real) {
        let mut highest = (0, Real::NEG_INFINITY);
        self.for_each_face_below(place, Real::NEG_INFINITY, |face, height| {
            if height > highest.1 {
                highest = (face, height);
            }
            highest.1
        });
        highest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_tree_of_faces_shows_those_that_a_look_at_all_shows(
            points in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 4..300),
            round in any::<bool>(), place in prop::array::uniform3(-2.0..2.0_f64), above in -0.5..0.5_f64,
        ) {
            let on_ball = |p: [f64; 3]| Vector::from(p).try_normalize(1e-3).unwrap_or_else(Vector::x).into();
            let points: Vec<Point> = points.into_iter().map(|p| if round { on_ball(p) } else { p.into() }).collect();
            let Ok(solid) = ConvexPolyhedron::from_points(&points) else { return Err(TestCaseError::reject("flat")) };
            let place = Point::from(place);
            let heights: Vec<Real> = solid.planes.iter().map(|p| p.normal.dot(&place.coords) - p.offset).collect();
            let mut shown = Vec::new();
            solid.for_each_face_below(&place, above, |face, height| {
                shown.push((face, height));
                above
            });
            shown.retain(|(_, height)| *height > above);
            shown.sort_by_key(|(face, _)| *face);
            let all: Vec<(usize, Real)> = heights.iter().copied().enumerate().filter(|(_, h)| *h > above).collect();
            prop_assert_eq!(shown, all);
            let highest = heights.iter().copied().fold(Real::NEG_INFINITY, Real::max);
            let (face, height) = solid.highest_face(&place);
            prop_assert!(height == highest && heights[face] == highest);
        }
    }

    #[test]
    fn few_faces_of_a_ball_of_many_are_asked_for_the_highest() {
        let turn = |k: u32| 2.4 * f64::from(k);
        let point = |k: u32| {
            let y = 1.0 - 2.0 * (f64::from(k) + 0.5) / 2000.0;
            Point::new((1.0 - y * y).sqrt() * turn(k).cos(), y, (1.0 - y * y).sqrt() * turn(k).sin())
        };
        let ball = ConvexPolyhedron::from_points(&(0..2000).map(point).collect::<Vec<_>>()).unwrap();
        let mut asked = 0;
        for k in 0..100 {
            let (place, mut highest) = (point(20 * k) * 1.05, Real::NEG_INFINITY);
            ball.for_each_face_below(&place, highest, |_, height| {
                asked += 1;
                highest = highest.max(height);
                highest
            });
        }
        assert!(asked < 100 * 60, "{asked}");
    }
}
