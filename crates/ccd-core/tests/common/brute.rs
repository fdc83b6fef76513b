//! The oracle's distance: slow, plain, and sharing no code with what it checks.
//!
//! Every solid is a list of convex pieces with a support function of their own; the distance of two pieces is the least
//! norm in their difference, found by Wolfe's way: keep a few support points, solve every subset of them.

use ccd_core::math::{Point, Pose, Vector};

/// A convex piece, in its solid's frame, with a rounding radius.
#[derive(Clone, Debug)]
pub enum Piece {
    Points(Vec<Point>, f64),
    /// Around y: radius, half height.
    Cylinder(f64, f64),
    /// Around y, apex up: radius, half height.
    Cone(f64, f64),
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
        }
    }

    fn radius(&self) -> f64 {
        match self {
            Self::Points(_, r) => *r,
            Self::Cylinder(..) | Self::Cone(..) => 0.0,
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
            Self::Cylinder(r, h) | Self::Cone(r, h) => (Point::origin(), r.hypot(*h)),
        }
    }
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
    match (a, b) {
        (Brute::Pieces(p), Brute::Pieces(q)) => pieces_gap(p, pose_a, q, pose_b),
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

fn pieces_gap(a: &[Piece], pose_a: &Pose, b: &[Piece], pose_b: &Pose) -> Gap {
    // Everything relative to A, so that far places keep their digits.
    let b_in_a = pose_a.inv_mul(pose_b);
    let mut best = Gap { distance: f64::INFINITY, direction: Vector::x() };
    let balls_b: Vec<(Point, f64)> = b.iter().map(|q| q.ball()).map(|(c, r)| (b_in_a * c, r)).collect();
    let mut order: Vec<(f64, usize, usize)> = Vec::new();
    for (i, p) in a.iter().enumerate() {
        let (c, r) = p.ball();
        for (j, (d, s)) in balls_b.iter().enumerate() {
            order.push(((d - c).norm() - r - s, i, j));
        }
    }
    if order.len() > 1 {
        order.sort_by(|x, y| x.0.total_cmp(&y.0));
    }
    for (bound, i, j) in order {
        if bound >= best.distance {
            break;
        }
        let found = convex_gap(&a[i], &b[j], &b_in_a);
        if found.distance < best.distance {
            best = found;
        }
        if best.distance == 0.0 {
            break;
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
