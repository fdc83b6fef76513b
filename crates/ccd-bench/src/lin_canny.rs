//! The algorithm of Lin and Canny (1991), the third contestant of V-Clip's paper: for comparison only.
//!
//! A walk from feature to neighbouring feature like V-Clip's, but each step computes the closest points of the two features and
//! asks whether each lies in the other feature's Voronoi region. It needs a tolerance, has no answer for overlaps of its own
//! (here: the face of greatest signed distance, as V-Clip), and may go in a circle: walks are cut off and counted.

use ccd_core::detection::closest::gjk::RelativePose;
use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use ccd_core::math::Vector;

/// Points this far outside a region count as inside, metres: for bodies of about a metre.
const TOLERANCE: f64 = 1e-10;
/// An edge whose heights over a face differ by less than this part of its length is parallel to it.
const PARALLEL: f64 = 1e-9;
/// A walk of more steps has gone in a circle.
const LONGEST: u32 = 1000;

/// A plane of a Voronoi region, inside where the height is positive, and the feature beyond it.
struct Wall {
    normal: Vector,
    offset: f64,
    beyond: Feature,
}

/// A polyhedron with the Voronoi region of each feature.
pub struct Regions<'h> {
    hull: &'h ConvexPolyhedron,
    vertices: Vec<Vec<Wall>>,
    edges: Vec<Vec<Wall>>,
    faces: Vec<Vec<Wall>>,
}

/// Where the last walk ended.
#[derive(Clone, Copy)]
pub struct Pair {
    a: Feature,
    b: Feature,
}

impl Default for Pair {
    fn default() -> Self {
        Self { a: Feature::Vertex(0), b: Feature::Vertex(0) }
    }
}

/// What a walk found.
pub struct Found {
    /// Metres; zero where the bodies overlap.
    pub distance: f64,
    pub steps: u32,
    /// It was cut off.
    pub circled: bool,
}

impl<'h> Regions<'h> {
    pub fn of(hull: &'h ConvexPolyhedron) -> Self {
        let place = |v: u32| hull.vertices()[v as usize].coords;
        let wall =
            |normal: Vector, through: Vector, beyond: Feature| Wall { normal, offset: normal.dot(&through), beyond };
        let mut vertices: Vec<Vec<Wall>> = hull.vertices().iter().map(|_| Vec::new()).collect();
        let mut edges = Vec::with_capacity(hull.edges().len());
        let mut faces: Vec<Vec<Wall>> = (0..hull.face_count()).map(|_| Vec::new()).collect();
        for (e, edge) in hull.edges().iter().enumerate() {
            let [tail, head] = edge.vertices.map(place);
            let along = (head - tail).normalize();
            let name = Feature::Edge(e as u32);
            vertices[edge.vertices[0] as usize].push(wall(-along, tail, name));
            vertices[edge.vertices[1] as usize].push(wall(along, head, name));
            let mut walls = vec![
                wall(along, tail, Feature::Vertex(edge.vertices[0])),
                wall(-along, head, Feature::Vertex(edge.vertices[1])),
            ];
            // In its first face the edge runs counter-clockwise: the inside of the face is on its left.
            for (face, along) in edge.faces.into_iter().zip([along, -along]) {
                let inward = hull.planes()[face as usize].normal.cross(&along);
                walls.push(wall(-inward, tail, Feature::Face(face)));
                faces[face as usize].push(wall(inward, tail, name));
            }
            edges.push(walls);
        }
        Self { hull, vertices, edges, faces }
    }

    fn walls(&self, feature: Feature) -> &[Wall] {
        match feature {
            Feature::Vertex(v) => &self.vertices[v as usize],
            Feature::Edge(e) => &self.edges[e as usize],
            Feature::Face(f) => &self.faces[f as usize],
        }
    }

    /// The feature beyond the wall that the point is furthest outside of.
    fn neighbour_towards(&self, feature: Feature, p: &Vector) -> Option<Feature> {
        let mut worst = (-TOLERANCE, None);
        for wall in self.walls(feature) {
            let height = wall.normal.dot(p) - wall.offset;
            if height < worst.0 {
                worst = (height, Some(wall.beyond));
            }
        }
        worst.1
    }

    fn height(&self, face: u32, p: &Vector) -> f64 {
        let plane = &self.hull.planes()[face as usize];
        plane.normal.dot(p) - plane.offset
    }

    fn ends(&self, edge: u32) -> [Vector; 2] {
        self.hull.edges()[edge as usize].vertices.map(|v| self.hull.vertices()[v as usize].coords)
    }
}

/// Two bodies in a placement; side 0 is A.
struct Query<'q> {
    sides: [&'q Regions<'q>; 2],
    placement: &'q RelativePose,
}

enum Step {
    To(Feature, Feature),
    Apart(f64),
    Overlap,
}

impl Query<'_> {
    /// A place of `side` in the other side's frame.
    fn across(&self, side: usize, p: &Vector) -> Vector {
        let (r, t) = (&self.placement.rotation, &self.placement.translation);
        if side == 1 { r * p + t } else { r.tr_mul(&(p - t)) }
    }

    fn place(&self, side: usize, vertex: u32) -> Vector {
        self.sides[side].hull.vertices()[vertex as usize].coords
    }

    /// A step from a feature of `side` and one of the other, of which the first has no more dimensions.
    fn step(&self, side: usize, own: Feature, other: Feature) -> Step {
        let (mine, theirs) = (self.sides[side], self.sides[1 - side]);
        // The closest points: of ours in our frame, of theirs in theirs.
        let (p, q) = match (own, other) {
            (Feature::Vertex(v), Feature::Vertex(w)) => (self.place(side, v), self.place(1 - side, w)),
            (Feature::Vertex(v), Feature::Edge(e)) => {
                let p = self.place(side, v);
                let (seen, [tail, head]) = (self.across(side, &p), theirs.ends(e));
                let along = head - tail;
                let at = ((seen - tail).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
                (p, tail + along * at)
            }
            (Feature::Vertex(v), Feature::Face(f)) => {
                let p = self.place(side, v);
                let seen = self.across(side, &p);
                if let Some(beyond) = theirs.neighbour_towards(other, &seen) {
                    return Step::To(own, beyond);
                }
                let height = theirs.height(f, &seen);
                if height < 0.0 {
                    let faces = 0..theirs.hull.face_count() as u32;
                    let best = faces.map(|g| (theirs.height(g, &seen), g)).max_by(|x, y| x.0.total_cmp(&y.0));
                    return match best {
                        Some((highest, g)) if highest > TOLERANCE => Step::To(own, Feature::Face(g)),
                        _ => Step::Overlap,
                    };
                }
                (p, seen - theirs.hull.planes()[f as usize].normal * height)
            }
            (Feature::Edge(e), Feature::Edge(g)) => {
                let ([tail, head], ends) = (mine.ends(e), theirs.ends(g).map(|x| self.across(1 - side, &x)));
                let (u, v, w) = (head - tail, ends[1] - ends[0], tail - ends[0]);
                let (s, t) = nearest_on_segments(&u, &v, &w);
                let q = theirs.ends(g);
                (tail + u * s, q[0] + (q[1] - q[0]) * t)
            }
            (Feature::Edge(e), Feature::Face(f)) => return self.edge_face(side, e, f),
            // Two faces: their closest sides say what comes next.
            (Feature::Face(f), _) => {
                let edge = mine.faces[f as usize].first().map_or(Feature::Edge(0), |wall| wall.beyond);
                return Step::To(edge, other);
            }
            _ => return Step::To(other, own),
        };
        let seen_q = self.across(1 - side, &q);
        if let Some(beyond) = mine.neighbour_towards(own, &seen_q) {
            return Step::To(beyond, other);
        }
        if let Some(beyond) = theirs.neighbour_towards(other, &self.across(side, &p)) {
            return Step::To(own, beyond);
        }
        Step::Apart((seen_q - p).norm())
    }

    fn edge_face(&self, side: usize, e: u32, f: u32) -> Step {
        let (mine, theirs) = (self.sides[side], self.sides[1 - side]);
        let (own, other) = (Feature::Edge(e), Feature::Face(f));
        let ends = mine.ends(e).map(|p| self.across(side, &p));
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for wall in theirs.walls(other) {
            let (tail, head) = (wall.normal.dot(&ends[0]) - wall.offset, wall.normal.dot(&ends[1]) - wall.offset);
            match (tail < 0.0, head < 0.0) {
                (true, true) => (low, high) = (1.0, 0.0),
                (true, false) => low = low.max(tail / (tail - head)),
                (false, true) => high = high.min(tail / (tail - head)),
                (false, false) => {}
            }
        }
        let nearest_side = || {
            let mut best = (f64::INFINITY, other);
            for wall in theirs.walls(other) {
                let Feature::Edge(g) = wall.beyond else { continue };
                let rim = theirs.ends(g);
                let (u, v, w) = (ends[1] - ends[0], rim[1] - rim[0], ends[0] - rim[0]);
                let (s, t) = nearest_on_segments(&u, &v, &w);
                let distance = (w + u * s - v * t).norm();
                if distance < best.0 {
                    best = (distance, wall.beyond);
                }
            }
            Step::To(own, best.1)
        };
        if low > high {
            return nearest_side();
        }
        let heights = ends.map(|p| theirs.height(f, &p));
        let climb = heights[1] - heights[0];
        let at = |s: f64| heights[0] + s * climb;
        if at(low) * at(high) <= 0.0 {
            return Step::Overlap;
        }
        if climb.abs() <= PARALLEL * (ends[1] - ends[0]).norm() {
            let middle = ends[0] + (ends[1] - ends[0]) * (0.5 * (low + high));
            let foot = middle - theirs.hull.planes()[f as usize].normal * theirs.height(f, &middle);
            return match mine.neighbour_towards(own, &self.across(1 - side, &foot)) {
                Some(Feature::Face(_)) | None if heights[0] > 0.0 => Step::Apart(heights[0]),
                Some(beyond) => Step::To(beyond, other),
                None => Step::To(Feature::Vertex(mine.hull.edges()[e as usize].vertices[0]), other),
            };
        }
        let (end, inside) = if (climb > 0.0) == (at(low) > 0.0) { (0, low == 0.0) } else { (1, high == 1.0) };
        if inside {
            Step::To(Feature::Vertex(mine.hull.edges()[e as usize].vertices[end]), other)
        } else {
            nearest_side()
        }
    }
}

/// Where two segments of directions `u` and `v` are closest; `w` leads from the second's tail to the first's.
fn nearest_on_segments(u: &Vector, v: &Vector, w: &Vector) -> (f64, f64) {
    let (uu, uv, vv, uw, vw) = (u.norm_squared(), u.dot(v), v.norm_squared(), u.dot(w), v.dot(w));
    let square = uu * vv - uv * uv;
    let mut s = if square > 1e-14 * uu * vv { ((uv * vw - vv * uw) / square).clamp(0.0, 1.0) } else { 0.5 };
    let mut t = (uv * s + vw) / vv;
    if !(0.0..=1.0).contains(&t) {
        t = t.clamp(0.0, 1.0);
        s = ((uv * t - uw) / uu).clamp(0.0, 1.0);
    }
    (s, t)
}

/// The distance of two polyhedra, from the features where the last walk ended.
pub fn distance(a: &Regions<'_>, b: &Regions<'_>, placement: &RelativePose, pair: &mut Pair) -> Found {
    let query = Query { sides: [a, b], placement };
    let dimension = |f: Feature| match f {
        Feature::Vertex(_) => 0,
        Feature::Edge(_) => 1,
        Feature::Face(_) => 2,
    };
    for steps in 1..=LONGEST {
        let swapped = dimension(pair.b) < dimension(pair.a);
        let step = if swapped { query.step(1, pair.b, pair.a) } else { query.step(0, pair.a, pair.b) };
        match step {
            Step::To(own, other) => *pair = if swapped { Pair { a: other, b: own } } else { Pair { a: own, b: other } },
            Step::Apart(distance) => return Found { distance, steps, circled: false },
            Step::Overlap => return Found { distance: 0.0, steps, circled: false },
        }
    }
    Found { distance: 0.0, steps: LONGEST, circled: true }
}
