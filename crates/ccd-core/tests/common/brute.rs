//! The oracle's distance: slow, plain, and sharing no code with what it checks.
//!
//! Every solid is a list of convex pieces with a support function of their own; the distance of two pieces is the least
//! norm in their difference, found by Wolfe's way: keep a few support points, solve every subset of them. Rings and drilled
//! blocks are cut into arcs and wedges, halved where the nearest points may be until what the chords leave out is below
//! rounding.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::f64::consts::TAU;

use ccd_core::math::{Point, Pose, Vector};

/// A piece in its solid's frame: convex, or of parts that are.
#[derive(Clone, Debug)]
pub enum Piece {
    /// The hull of points, with a rounding radius.
    Points(Vec<Point>, f64),
    /// Around y: radius, half height.
    Cylinder(f64, f64),
    /// Around y, apex up: radius, half height.
    Cone(f64, f64),
    /// Around y: radii along x, y, z, exponents along and across the axis, below two.
    Superquadric([f64; 3], [f64; 2]),
    /// What two balls share: their radius, and how far along x their centres are from the origin.
    Lens(f64, f64),
    /// A tube around a circle around y: the radii of both.
    Ring(f64, f64),
    /// A box with a hole along y: half extents, and the hole's radius.
    Drilled([f64; 3], f64),
}

/// A solid as the oracle sees it.
#[derive(Clone, Debug)]
pub enum Brute {
    Pieces(Vec<Piece>),
    /// Unit normal; solid below the plane through the origin.
    HalfSpace(Vector),
}

impl Piece {
    fn support(&self, d: &Vector) -> Point {
        let rim = |y: f64, r: f64| {
            let flat = (d.x * d.x + d.z * d.z).sqrt();
            if flat > 0.0 { Point::new(r * d.x / flat, y, r * d.z / flat) } else { Point::new(r, y, 0.0) }
        };
        match self {
            Self::Points(points, _) => {
                let mut best = points[0];
                for p in points {
                    if d.dot(&p.coords) > d.dot(&best.coords) {
                        best = *p;
                    }
                }
                best
            }
            Self::Cylinder(r, h) => rim(h.copysign(d.y), *r),
            Self::Cone(r, h) => {
                let (base, apex) = (rim(-h, *r), Point::new(0.0, *h, 0.0));
                if d.dot(&base.coords) > d.dot(&apex.coords) { base } else { apex }
            }
            Self::Superquadric(radii, exponents) => superquadric_support(radii, exponents, d),
            Self::Lens(r, off) => {
                let unit = d.normalize();
                if r * unit.x.abs() >= *off {
                    Point::from(unit * *r - Vector::x() * off.copysign(unit.x))
                } else {
                    let (across, rim) = (unit.y.hypot(unit.z), (r * r - off * off).sqrt());
                    Point::new(0.0, rim * unit.y / across, rim * unit.z / across)
                }
            }
            Self::Ring(major, minor) => {
                let unit = d.normalize();
                rim(0.0, *major) + unit * *minor
            }
            Self::Drilled([x, y, z], _) => Point::new(x.copysign(d.x), y.copysign(d.y), z.copysign(d.z)),
        }
    }

    fn radius(&self) -> f64 {
        match self {
            Self::Points(_, r) => *r,
            _ => 0.0,
        }
    }

    /// A ball around the piece: centre and radius.
    fn ball(&self) -> (Point, f64) {
        match self {
            Self::Points(points, r) => {
                let sum: Vector = points.iter().map(|p| p.coords).sum();
                let centre = Point::from(sum / points.len() as f64);
                (centre, r + points.iter().map(|p| (p - centre).norm()).fold(0.0, f64::max))
            }
            _ => (Point::origin(), self.reach()),
        }
    }

    /// A point of it.
    pub fn some_point(&self) -> Point {
        match *self {
            Self::Points(ref points, _) => points[0],
            Self::Cylinder(..) | Self::Cone(..) | Self::Superquadric(..) | Self::Lens(..) => Point::origin(),
            Self::Ring(major, _) => Point::new(major, 0.0, 0.0),
            Self::Drilled([x, ..], _) => Point::new(x, 0.0, 0.0),
        }
    }

    /// No point is further from the frame's origin.
    pub fn reach(&self) -> f64 {
        match self {
            Self::Points(points, radius) => radius + points.iter().map(|p| p.coords.norm()).fold(0.0, f64::max),
            Self::Cylinder(r, h) | Self::Cone(r, h) => r.hypot(*h),
            Self::Superquadric(sides, _) | Self::Drilled(sides, _) => Vector::from(*sides).norm(),
            Self::Lens(r, off) => (r * r - off * off).sqrt(),
            Self::Ring(major, minor) => major + minor,
        }
    }

    /// The piece as parts that are convex, but for what halving them makes as small as one likes.
    fn parts(&self) -> Vec<Part<'_>> {
        const FIRST: u32 = 8;
        let turn = |i: u32| TAU * f64::from(i) / f64::from(FIRST);
        match self {
            Self::Ring(major, minor) => {
                (0..FIRST).map(|i| Part::Arc { major: *major, minor: *minor, from: turn(i), to: turn(i + 1) }).collect()
            }
            Self::Drilled(half, radius) => (0..FIRST)
                .map(|i| Part::Wedge { half: *half, radius: *radius, from: turn(i), to: turn(i + 1) })
                .collect(),
            _ => vec![Part::Whole(self)],
        }
    }
}

/// The point of {‖(‖(x/a, z/c)‖, y/b)‖ ≤ 1} furthest along a direction: Hölder's inequality, twice.
fn superquadric_support([a, b, c]: &[f64; 3], [along, across]: &[f64; 2], d: &Vector) -> Point {
    let (u, v, w) = ((a * d.x).abs(), (b * d.y).abs(), (c * d.z).abs());
    // The largest sum of products with (s, t) of norm one, p = 2/e, and where it is: the dual power is 2/(2 − e).
    let best = |u: f64, v: f64, e: f64| {
        let most = u.max(v);
        if most == 0.0 {
            return (0.0, 0.0, 0.0);
        }
        let dual = 2.0 / (2.0 - e);
        let norm = most * ((u / most).powf(dual) + (v / most).powf(dual)).powf(1.0 / dual);
        (norm, (u / norm).powf(dual - 1.0), (v / norm).powf(dual - 1.0))
    };
    let (flat, x, z) = best(u, w, *across);
    let (_, out, y) = best(flat, v, *along);
    Point::new((a * out * x).copysign(d.x), (b * y).copysign(d.y), (c * out * z).copysign(d.z))
}

/// A part of a piece.
#[derive(Clone, Copy)]
enum Part<'p> {
    Whole(&'p Piece),
    /// Of a ring, between two angles.
    Arc {
        major: f64,
        minor: f64,
        from: f64,
        to: f64,
    },
    /// Of a drilled block, between two angles.
    Wedge {
        half: [f64; 3],
        radius: f64,
        from: f64,
        to: f64,
    },
}

impl<'p> Part<'p> {
    /// The convex solid that stands for the part, and how far the part may be off it.
    fn hull(&self) -> (Cow<'p, Piece>, f64) {
        match *self {
            Self::Whole(piece) => (Cow::Borrowed(piece), 0.0),
            Self::Arc { major, minor, from, to } => {
                let at = |t: f64| Point::new(major * t.cos(), 0.0, major * t.sin());
                (Cow::Owned(Piece::Points(vec![at(from), at(to)], minor)), sagitta(major, to - from))
            }
            Self::Wedge { half: [x, y, z], radius, from, to } => {
                let mut outline = Vec::new();
                for t in [from, to] {
                    let (s, c) = t.sin_cos();
                    outline.push((radius * c, radius * s));
                    let reach = (x / c.abs()).min(z / s.abs());
                    outline.push((reach * c, reach * s));
                }
                for (u, v) in [(x, z), (-x, z), (-x, -z), (x, -z)] {
                    let t = v.atan2(u).rem_euclid(TAU);
                    if from < t && t < to {
                        outline.push((u, v));
                    }
                }
                let points = outline.iter().flat_map(|(u, v)| [Point::new(*u, -y, *v), Point::new(*u, y, *v)]);
                (Cow::Owned(Piece::Points(points.collect(), 0.0)), sagitta(radius, to - from))
            }
        }
    }

    /// A convex solid that the part certainly holds, if any is known.
    fn core(&self) -> Option<Cow<'p, Piece>> {
        Some(match *self {
            // The chord is in the ring's plane, nearer to the axis: the capsule around it is not all of the tube, so it is thinned;
            // the chord of a long arc leaves the tube.
            Self::Arc { major, minor, from, to } => {
                let at = |t: f64| Point::new(major * t.cos(), 0.0, major * t.sin());
                let thin = minor - sagitta(major, to - from);
                if thin < 0.0 {
                    return None;
                }
                Cow::Owned(Piece::Points(vec![at(from), at(to)], thin))
            }
            // What is beyond the tangent in the middle of the arc.
            Self::Wedge { radius, from, to, .. } => {
                let (hull, _) = self.hull();
                let mut points = match hull.into_owned() {
                    Piece::Points(points, _) => points,
                    other => return Some(Cow::Owned(other)),
                };
                let out = 1.0 / (0.5 * (to - from)).cos();
                for p in points.iter_mut().filter(|p| p.x.hypot(p.z) < radius * (1.0 + 1e-12)) {
                    (p.x, p.z) = (p.x * out, p.z * out);
                }
                Cow::Owned(Piece::Points(points, 0.0))
            }
            Self::Whole(piece) => Cow::Borrowed(piece),
        })
    }

    fn halves(&self) -> [Self; 2] {
        match *self {
            Self::Whole(_) => [*self, *self],
            Self::Arc { major, minor, from, to } => {
                let middle = 0.5 * (from + to);
                [Self::Arc { major, minor, from, to: middle }, Self::Arc { major, minor, from: middle, to }]
            }
            Self::Wedge { half, radius, from, to } => {
                let middle = 0.5 * (from + to);
                [Self::Wedge { half, radius, from, to: middle }, Self::Wedge { half, radius, from: middle, to }]
            }
        }
    }
}

/// How far an arc leaves its chord.
fn sagitta(radius: f64, angle: f64) -> f64 {
    2.0 * radius * (0.25 * angle).sin().powi(2)
}

/// What the oracle finds between two placed solids.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// Zero where they overlap.
    pub distance: f64,
    /// From A to B where they are apart.
    pub direction: Vector,
}

/// The distance of two placed solids. At most one of them a half-space.
pub fn gap(a: &Brute, pose_a: &Pose, b: &Brute, pose_b: &Pose) -> Gap {
    rough_gap(a, pose_a, b, pose_b, 0.0)
}

/// [`gap`], or a distance that is less by up to the share `rough` of it.
pub fn rough_gap(a: &Brute, pose_a: &Pose, b: &Brute, pose_b: &Pose, rough: f64) -> Gap {
    match (a, b) {
        (Brute::Pieces(p), Brute::Pieces(q)) => pieces_gap(p, pose_a, q, pose_b, rough),
        (Brute::Pieces(p), Brute::HalfSpace(n)) => plane_gap(p, pose_a, &(pose_b.rotation * n), pose_b),
        (Brute::HalfSpace(n), Brute::Pieces(q)) => {
            let gap = plane_gap(q, pose_b, &(pose_a.rotation * n), pose_a);
            Gap { direction: -gap.direction, ..gap }
        }
        (Brute::HalfSpace(_), Brute::HalfSpace(_)) => panic!("two half-spaces have no distance"),
    }
}

/// The distance of a point from a placed solid; round pieces by formula, the others as pairs.
pub fn point_gap(point: &Point, solid: &Brute, pose: &Pose) -> f64 {
    let Brute::Pieces(pieces) = solid else {
        let alone = Brute::Pieces(vec![Piece::Points(vec![Point::origin()], 0.0)]);
        return gap(&alone, &Pose::translation(point.x, point.y, point.z), solid, pose).distance;
    };
    let local = pose.inverse_transform_point(point);
    let (across, y) = (local.x.hypot(local.z), local.y);
    let of = |piece: &Piece| match piece {
        Piece::Points(..) => {
            let alone = Piece::Points(vec![Point::origin()], 0.0);
            convex_gap(&alone, piece, &Pose::translation(-local.x, -local.y, -local.z)).distance
        }
        Piece::Cylinder(r, h) => (across - r).max(0.0).hypot((y.abs() - h).max(0.0)),
        Piece::Cone(r, h) => {
            // In the half-plane through the axis the cone is a triangle: its slanted side from (r, -h) to (0, h).
            let side = nalgebra::Vector2::new(-r, 2.0 * h);
            let offset = nalgebra::Vector2::new(across - r, y + h);
            let outside = offset.x * side.y - offset.y * side.x;
            if y >= -h && outside <= 0.0 {
                return 0.0;
            }
            let s = (offset.dot(&side) / side.norm_squared()).clamp(0.0, 1.0);
            let to_side = (offset - side * s).norm();
            let to_base = (across - r).max(0.0).hypot(y + h);
            if outside > 0.0 && y >= -h { to_side } else { to_side.min(to_base) }
        }
        Piece::Ring(major, minor) => ((across - major).hypot(y) - minor).max(0.0),
        Piece::Superquadric(..) | Piece::Lens(..) | Piece::Drilled(..) => {
            let alone = [Piece::Points(vec![local], 0.0)];
            pieces_gap(&alone, &Pose::identity(), std::slice::from_ref(piece), &Pose::identity(), 0.0).distance
        }
    };
    pieces.iter().map(of).fold(f64::INFINITY, f64::min)
}

/// How far the solid reaches along a direction of the world, relative to `origin`.
pub fn extent(solid: &Brute, pose: &Pose, direction: &Vector, origin: &Point) -> f64 {
    match solid {
        Brute::Pieces(pieces) => pieces
            .iter()
            .map(|p| {
                let local = pose.rotation.inverse() * direction;
                (pose * p.support(&local) - origin).dot(direction) + p.radius() * direction.norm()
            })
            .fold(f64::NEG_INFINITY, f64::max),
        Brute::HalfSpace(_) => f64::INFINITY,
    }
}

fn plane_gap(pieces: &[Piece], pose: &Pose, n: &Vector, plane: &Pose) -> Gap {
    let local = pose.rotation.inverse() * -n;
    let origin = plane.translation.vector;
    let height = pieces
        .iter()
        .map(|p| (pose * p.support(&local) - Point::from(origin)).dot(n) - p.radius())
        .fold(f64::INFINITY, f64::min);
    Gap { distance: height.max(0.0), direction: -n }
}

/// Two parts that may be as near as `lower`, by their places in the lists of parts.
struct Candidate {
    lower: f64,
    /// What their hulls leave out, at most.
    slack: f64,
    parts: [usize; 2],
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    /// The nearest first; of equals the smallest parts.
    fn cmp(&self, other: &Self) -> Ordering {
        other.lower.total_cmp(&self.lower).then(other.slack.total_cmp(&self.slack))
    }
}

fn pieces_gap(a: &[Piece], pose_a: &Pose, b: &[Piece], pose_b: &Pose, rough: f64) -> Gap {
    // Everything relative to A, so that far places keep their digits.
    let b_in_a = pose_a.inv_mul(pose_b);
    let mut best = Gap { distance: f64::INFINITY, direction: Vector::x() };
    let mut parts: [Vec<Part<'_>>; 2] = [a, b].map(|all| all.iter().flat_map(Piece::parts).collect());
    let ball = |part: &Part<'_>| {
        let (hull, slack) = part.hull();
        let (centre, radius) = hull.ball();
        (centre, radius + slack, slack)
    };
    let balls_b: Vec<_> = parts[1].iter().map(ball).map(|(c, r, slack)| (b_in_a * c, r, slack)).collect();
    let mut queue = BinaryHeap::with_capacity(parts[0].len() * parts[1].len());
    let mut size: f64 = 0.0;
    for (i, p) in parts[0].iter().enumerate() {
        let (c, r, slack_a) = ball(p);
        for (j, (d, s, slack_b)) in balls_b.iter().enumerate() {
            size = size.max(r + s);
            queue.push(Candidate { lower: (d - c).norm() - r - s, slack: slack_a + slack_b, parts: [i, j] });
        }
    }
    let fine = 1e-9 * size;
    while let Some(Candidate { lower, parts: [i, j], .. }) = queue.pop() {
        if lower >= best.distance * (1.0 - rough) {
            // Nothing is nearer than this.
            best.distance = best.distance.min(lower);
            break;
        }
        let ((hull_a, slack_a), (hull_b, slack_b)) = (parts[0][i].hull(), parts[1][j].hull());
        let (found, slack) = (convex_gap(&hull_a, &hull_b, &b_in_a), slack_a + slack_b);
        let is_whole = slack <= fine;
        let upper = found.distance + if is_whole { 0.0 } else { slack };
        if found.distance == 0.0
            && !is_whole
            && let (Some(core_a), Some(core_b)) = (parts[0][i].core(), parts[1][j].core())
            && convex_gap(&core_a, &core_b, &b_in_a).distance == 0.0
        {
            best.distance = 0.0;
            break;
        }
        if upper < best.distance {
            best = Gap { distance: upper, ..found };
        }
        if best.distance == 0.0 {
            break;
        }
        if !is_whole && found.distance - slack < best.distance {
            let side = usize::from(slack_b > slack_a);
            let halves = parts[side][[i, j][side]].halves();
            let kept = if side == 0 { slack_b } else { slack_a };
            for half in halves {
                parts[side].push(half);
                let mut pair = [i, j];
                pair[side] = parts[side].len() - 1;
                // An arc of half the angle leaves its chord by a quarter.
                let slack = kept + 0.25 * (slack - kept);
                queue.push(Candidate { lower: lower.max(found.distance - slack_a - slack_b), slack, parts: pair });
            }
        }
    }
    best.direction = pose_a.rotation * best.direction;
    best
}

/// Two convex pieces, the second placed in the frame of the first.
fn convex_gap(a: &Piece, b: &Piece, b_in_a: &Pose) -> Gap {
    let back = b_in_a.rotation.inverse();
    // A point of B - A.
    let support = |d: &Vector| (b_in_a * b.support(&(back * d))) - a.support(&-d);
    let radii = a.radius() + b.radius();
    let mut simplex: Vec<Vector> = vec![support(&Vector::new(0.3, -0.5, 0.7))];
    let mut v = simplex[0];
    let scale = v.norm();
    for _ in 0..500 {
        let norm = v.norm();
        // The difference holds the origin, as far as numbers tell.
        if norm <= 1e-14 * scale {
            return Gap { distance: 0.0, direction: Vector::x() };
        }
        let w = support(&-v);
        // v·w/‖v‖ bounds the distance from below.
        if norm - v.dot(&w) / norm <= 1e-12 * norm + 1e-15 * scale || simplex.contains(&w) {
            break;
        }
        simplex.push(w);
        let (nearest, kept) = nearest_of(&simplex);
        simplex = kept;
        if nearest.norm() >= norm {
            break;
        }
        v = nearest;
        if simplex.len() == 4 {
            return Gap { distance: 0.0, direction: Vector::x() };
        }
    }
    let norm = v.norm();
    Gap { distance: (norm - radii).max(0.0), direction: v / norm }
}

/// The point nearest to the origin of the hull of up to four points, and the points that span it: every subset solved.
fn nearest_of(points: &[Vector]) -> (Vector, Vec<Vector>) {
    let mut best = (points[0], 1_u32);
    for subset in 1_u32..1 << points.len() {
        let mut chosen = [Vector::zeros(); 4];
        let mut count = 0;
        for (i, p) in points.iter().enumerate() {
            if subset >> i & 1 == 1 {
                chosen[count] = *p;
                count += 1;
            }
        }
        if let Some(v) = affine_nearest(&chosen[..count])
            && (v.norm() < best.0.norm() || count == 4)
        {
            best = (v, subset);
        }
    }
    (best.0, (0..points.len()).filter(|i| best.1 >> i & 1 == 1).map(|i| points[i]).collect())
}

/// The nearest point of the points' affine hull, where it is a positive mean of all of them.
fn affine_nearest(points: &[Vector]) -> Option<Vector> {
    let base = points[0];
    let edge = |i: usize| points[i] - base;
    let weights: [f64; 3] = match points.len() {
        1 => return Some(base),
        2 => {
            let u = edge(1);
            [-u.dot(&base) / u.norm_squared(), 0.0, 0.0]
        }
        3 => {
            let (u, v) = (edge(1), edge(2));
            let n = u.cross(&v);
            let squared = n.norm_squared();
            let foot = n * (n.dot(&base) / squared) - base;
            [foot.cross(&v).dot(&n) / squared, u.cross(&foot).dot(&n) / squared, 0.0]
        }
        _ => {
            let (u, v, w) = (edge(1), edge(2), edge(3));
            let volume = u.cross(&v).dot(&w);
            [-base.cross(&v).dot(&w) / volume, -u.cross(&base).dot(&w) / volume, -u.cross(&v).dot(&base) / volume]
        }
    };
    let used = &weights[..points.len() - 1];
    let sum: f64 = used.iter().sum();
    if used.iter().any(|w| *w <= 0.0 || !w.is_finite()) || sum >= 1.0 {
        return None;
    }
    Some(points[1..].iter().zip(used).fold(base, |v, (p, w)| v + (p - base) * *w))
}
