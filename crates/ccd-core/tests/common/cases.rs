//! Random rigid queries: every kind of solid, every manner of meeting.

use std::fmt;

use ccd_core::geometry::field::Operation;
use ccd_core::geometry::parametric::PatchSurface;
use ccd_core::math::{Matrix, Point, Pose, Real, Rotation, Vector, orthonormal_basis};
use ccd_core::motion::RigidMotion;
use ccd_core::shape::Shape;

use super::brute::{Brute, Gap, Piece, gap, point_gap, rough_gap};
use super::fields::as_one_field;
use super::models::{self, Triangles, bent_sheet, box_triangles, corner, l_prism};
use super::patches::{pillow, triangles_of};
use super::random::Random;

/// The kinds of solid that the suite pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Box,
    Ball,
    Capsule,
    Cylinder,
    Cone,
    HalfSpace,
    Hull,
    /// A box as twelve triangles: convex, though it is a mesh.
    BoxMesh,
    /// A box as twelve triangles whose corners are rounded: some faces are dented by that.
    DentedMesh,
    ClosedMesh,
    Soup,
    Compound,
    Patches,
    Torus,
    Ellipsoid,
    Superquadric,
    RoundedBox,
    /// Of two balls.
    Intersection,
    /// A dumb-bell.
    Union,
    /// A drilled block.
    Difference,
    /// Half of a closed surface of patches.
    CutPatches,
    /// A grid of distances of the closed mesh, which it holds.
    Grid,
}

impl Kind {
    pub const ALL: [Self; 22] = [
        Self::Box,
        Self::Ball,
        Self::Capsule,
        Self::Cylinder,
        Self::Cone,
        Self::HalfSpace,
        Self::Hull,
        Self::BoxMesh,
        Self::DentedMesh,
        Self::ClosedMesh,
        Self::Soup,
        Self::Compound,
        Self::Patches,
        Self::Torus,
        Self::Ellipsoid,
        Self::Superquadric,
        Self::RoundedBox,
        Self::Intersection,
        Self::Union,
        Self::Difference,
        Self::CutPatches,
        Self::Grid,
    ];

    /// Given by a function of space.
    pub fn is_field(self) -> bool {
        matches!(
            self,
            Self::Torus
                | Self::Ellipsoid
                | Self::Superquadric
                | Self::RoundedBox
                | Self::Intersection
                | Self::Union
                | Self::Difference
                | Self::CutPatches
        )
    }

    /// Found by a search over cells of space, alone or against anything.
    pub fn needs_cells(self) -> bool {
        self.is_field() && !matches!(self, Self::Ellipsoid | Self::Superquadric | Self::RoundedBox)
    }

    /// The oracle has to refine it, or has to follow it on long ways within the grid's error.
    pub fn is_costly(self) -> bool {
        matches!(self, Self::Torus | Self::Difference | Self::CutPatches | Self::Grid)
    }

    pub fn is_polyhedral(self) -> bool {
        matches!(self, Self::Box | Self::Hull | Self::BoxMesh | Self::DentedMesh | Self::ClosedMesh | Self::Soup)
    }

    /// Known to feature methods by a tessellation only.
    pub fn is_round(self) -> bool {
        matches!(self, Self::Cylinder | Self::Cone | Self::Patches)
    }

    pub fn is_convex(self) -> bool {
        !matches!(
            self,
            Self::DentedMesh
                | Self::ClosedMesh
                | Self::Soup
                | Self::Compound
                | Self::Patches
                | Self::Torus
                | Self::Union
                | Self::Difference
                | Self::CutPatches
                | Self::Grid
        )
    }
}

/// How the two solids are to meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Anything.
    Free,
    /// Two edges across each other; where the solids have none, as free.
    EdgeOnEdge,
    /// Past each other at a few tolerances, or into each other by as much.
    Grazing,
    /// Within half a tolerance of each other at the start.
    Touching,
    /// Many turns within the step.
    Spinning,
    /// Up to ten thousand radians within the step.
    Whirling,
}

/// A solid, as the library and as the oracle know it.
#[derive(Clone, Debug)]
pub struct Body {
    pub kind: Kind,
    pub shape: Shape,
    pub brute: Brute,
    /// Of a closed mesh or surface of patches, whose pieces are triangles, what is inside.
    inside: Option<Brute>,
    /// No point is further from the frame's origin; for a half-space zero.
    pub reach: Real,
    /// How far the oracle's solid may be from the library's, metres.
    pub error: Real,
    /// How far the library's solid may reach beyond the oracle's, which it holds, metres.
    pub beyond: Real,
    pub motion: RigidMotion,
}

/// One query.
#[derive(Clone, Debug)]
pub struct Case {
    pub seed: u64,
    pub manner: Manner,
    pub a: Body,
    pub b: Body,
    pub duration: Real,
    pub tolerance: Real,
}

impl Body {
    /// The true gap to another one, both placed.
    pub fn gap(&self, pose: &Pose, other: &Self, other_pose: &Pose) -> Gap {
        let gap = gap(&self.brute, pose, &other.brute, other_pose);
        let swallows = |(outer, pose): (&Self, &Pose), (inner, of_inner): (&Self, &Pose)| {
            let (Some(inside), Brute::Pieces(pieces)) = (&outer.inside, &inner.brute) else { return false };
            // Where the surfaces are apart, one point tells for all of a piece.
            pieces.iter().any(|piece| point_gap(&(of_inner * piece.some_point()), inside, pose) == 0.0)
        };
        let (one, two) = ((self, pose), (other, other_pose));
        if swallows(one, two) || swallows(two, one) { Gap { distance: 0.0, ..gap } } else { gap }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {:#018x} {:?} {:?}/{:?}", self.seed, self.manner, self.a.kind, self.b.kind)
    }
}

impl Case {
    /// Whether it was made for an edge of one to meet an edge of the other.
    pub fn is_edge_on_edge(&self) -> bool {
        self.manner == Manner::EdgeOnEdge && self.a.kind != Kind::HalfSpace && self.b.kind != Kind::HalfSpace
    }

    /// A distance of the two at a time that is theirs or less, by up to a tenth.
    pub fn least_gap_at(&self, time: Real) -> Real {
        const ROUGH: Real = 0.1;
        let (pose_a, pose_b) = (self.a.motion.pose_at(time), self.b.motion.pose_at(time));
        rough_gap(&self.a.brute, &pose_a, &self.b.brute, &pose_b, ROUGH).distance
    }

    /// The true gap at a time.
    pub fn gap_at(&self, t: Real) -> Gap {
        self.a.gap(&self.a.motion.pose_at(t), &self.b, &self.b.motion.pose_at(t))
    }

    /// No two points of the solids approach each other faster, m/s.
    pub fn speed_bound(&self) -> Real {
        let lever =
            |body: &Body| body.motion.angular_velocity.norm() * (body.reach + body.motion.local_centre.coords.norm());
        // A half-space does not turn in these cases.
        (self.a.motion.linear_velocity - self.b.motion.linear_velocity).norm() + lever(&self.a) + lever(&self.b)
    }

    /// The query that a seed stands for.
    pub fn new(seed: u64, kind_a: Kind, kind_b: Kind) -> Self {
        let mut random = Random(seed);
        let r = &mut random;
        let manner = match r.below(20) {
            0..=6 => Manner::Free,
            7..=10 => Manner::EdgeOnEdge,
            11..=14 => Manner::Grazing,
            15..=16 => Manner::Touching,
            17..=18 => Manner::Spinning,
            _ => Manner::Whirling,
        };
        let size = r.magnitude(1e-3, 1e3);
        // Feature methods tessellate cylinders and cones to the tolerance: long grazes at a finer one are more work than
        // the default budget allows.
        let finest = if kind_a.is_round() || kind_b.is_round() { 2e-5 } else { 1e-6 };
        let tolerance = size * r.magnitude(finest, 1e-3);
        let (size_a, size_b) = (size * r.magnitude(0.3, 1.0), size * r.magnitude(0.3, 1.0));
        let mut a = body(r, kind_a, size_a);
        let mut b = body(r, kind_b, size_b);
        // The oracle must be able to tell what the library is held to.
        let tolerance = tolerance.max(8.0 * (a.error + b.error));
        let duration = r.magnitude(1e-3, 1.0);
        // The spin, rad/s, and how many radians it makes of the step.
        let angle = match manner {
            Manner::Spinning => r.magnitude(5.0, 300.0),
            Manner::Whirling => r.magnitude(300.0, 1e4),
            _ => r.magnitude(1e-3, 5.0),
        };
        for body in [&mut a, &mut b] {
            let spin = (angle / duration * r.magnitude(0.03, 1.0)).min(1e4);
            if r.chance(0.85) && body.kind != Kind::HalfSpace {
                body.motion.angular_velocity = r.direction() * spin;
            }
            body.motion.start.rotation = r.rotation();
            if r.chance(0.3) && body.kind != Kind::HalfSpace {
                body.motion.local_centre = Point::from(r.direction() * body.reach * r.unit());
            }
        }
        // A starts off B along some direction and flies roughly towards it.
        let towards = if kind_b == Kind::HalfSpace || kind_a == Kind::HalfSpace {
            half_space_normal(&a, &b)
        } else {
            -r.direction()
        };
        let apart = (a.reach + b.reach) * r.between(0.6, 2.5);
        let aside = r.direction() * (0.4 * (a.reach + b.reach) * r.unit());
        a.motion.start.translation.vector = aside - towards * apart;
        let travel = apart * r.magnitude(0.05, 4.0);
        a.motion.linear_velocity = towards * (travel / duration) + r.direction() * (0.3 * travel / duration * r.unit());
        if manner == Manner::EdgeOnEdge && kind_a != Kind::HalfSpace && kind_b != Kind::HalfSpace {
            edge_on_edge(r, &mut a, &mut b, travel / duration);
        }
        let mut case = Self { seed, manner, a, b, duration, tolerance };
        match manner {
            Manner::Grazing => {
                let offset = case.tolerance * r.between(-2.0, 3.0);
                case.graze(offset);
            }
            Manner::Touching => {
                let first = case.gap_at(0.0);
                let offset = case.tolerance * r.between(0.0, 0.5);
                if first.distance > 0.0 {
                    case.a.motion.start.translation.vector += first.direction * (first.distance - offset);
                }
            }
            Manner::Free | Manner::EdgeOnEdge | Manner::Spinning | Manner::Whirling => {}
        }
        case.fly_together(r);
        case
    }

    /// Shifts A so that the least distance over the step is about `offset`.
    fn graze(&mut self, offset: Real) {
        for _ in 0..3 {
            let mut nearest = (Real::INFINITY, 0.0);
            for i in 0..=64 {
                let t = self.duration * Real::from(i) / 64.0;
                let d = self.gap_at(t).distance;
                if d < nearest.0 {
                    nearest = (d, t);
                }
            }
            let (mut low, mut high) =
                ((nearest.1 - self.duration / 64.0).max(0.0), (nearest.1 + self.duration / 64.0).min(self.duration));
            for _ in 0..40 {
                let (x, y) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if self.gap_at(x).distance <= self.gap_at(y).distance {
                    high = y;
                } else {
                    low = x;
                }
            }
            let at = self.gap_at(0.5 * (low + high));
            if at.distance > 0.0 {
                self.a.motion.start.translation.vector += at.direction * (at.distance - offset);
                return;
            }
            // They overlap on the way: back off and look again.
            let back = self.a.motion.linear_velocity.try_normalize(0.0).unwrap_or_else(Vector::x);
            let side = back.cross(&Vector::new(0.3, 0.8, -0.5)).try_normalize(0.0).unwrap_or_else(Vector::y);
            self.a.motion.start.translation.vector += side * (0.8 * (self.a.reach + self.b.reach));
        }
    }

    /// Adds a place and a velocity that both share, as far out as the tolerance can still be told.
    fn fly_together(&mut self, r: &mut Random) {
        if r.chance(0.3) {
            let furthest = (self.tolerance / Real::EPSILON * 1e-5).min(1e6);
            let shift = r.direction() * r.magnitude(furthest.min(1.0) * 1e-3, furthest);
            self.a.motion.start.translation.vector += shift;
            self.b.motion.start.translation.vector += shift;
            let velocity = r.direction() * (r.unit() * 10.0 * self.a.reach.max(self.b.reach) / self.duration);
            if self.a.kind != Kind::HalfSpace && self.b.kind != Kind::HalfSpace {
                self.a.motion.linear_velocity += velocity;
                self.b.motion.linear_velocity += velocity;
            }
        }
    }
}

/// The direction in which A has to fly to meet B, one of which is a half-space.
fn half_space_normal(a: &Body, b: &Body) -> Vector {
    match (&a.brute, &b.brute) {
        (_, Brute::HalfSpace(n)) => -(b.motion.start.rotation * n),
        (Brute::HalfSpace(n), _) => a.motion.start.rotation * n,
        _ => Vector::x(),
    }
}

/// Turns A so that an edge of it along x looks down, and B below so that an edge along z looks up, and lets A fall.
fn edge_on_edge(r: &mut Random, a: &mut Body, b: &mut Body, speed: Real) {
    for (body, along, towards) in [(&mut *a, Vector::x(), -Vector::y()), (&mut *b, Vector::z(), Vector::y())] {
        let (edge, outward) = edge_of(body.kind, r);
        let from = Matrix::from_columns(&[edge, outward, edge.cross(&outward)]);
        let to = Matrix::from_columns(&[along, towards, along.cross(&towards)]);
        let small = Rotation::from_scaled_axis(r.direction() * (0.2 * r.unit()));
        body.motion.start.rotation = small * Rotation::from_matrix(&(to * from.transpose()));
        body.motion.angular_velocity *= 0.05;
        body.motion.local_centre = Point::origin();
    }
    let aside = Vector::new(r.between(-0.3, 0.3) * b.reach, 0.0, r.between(-0.3, 0.3) * a.reach);
    a.motion.start.translation.vector = aside + Vector::y() * (1.2 * (a.reach + b.reach));
    a.motion.linear_velocity = -Vector::y() * speed;
}

/// The unit direction of an edge (or of the rim, or the side) of a kind of solid, and a unit direction outwards across it.
fn edge_of(kind: Kind, r: &mut Random) -> (Vector, Vector) {
    let side = |r: &mut Random| if r.chance(0.5) { 1.0 } else { -1.0 };
    let (edge, outward) = match kind {
        Kind::Box | Kind::BoxMesh => (Vector::x(), Vector::new(0.0, side(r), side(r))),
        Kind::ClosedMesh => (Vector::z(), Vector::new(-1.0, -1.0, 0.0)),
        Kind::Soup => (Vector::z(), Vector::new(side(r), 0.0, 0.0)),
        Kind::Cylinder => (Vector::z(), Vector::new(side(r), side(r), 0.0)),
        Kind::Cone => (Vector::z(), Vector::new(1.0, -1.0, 0.0)),
        Kind::Capsule => (Vector::y(), Vector::x()),
        _ => {
            let edge = r.direction();
            (edge, edge.cross(&r.direction()))
        }
    };
    (edge, outward.try_normalize(1e-6).unwrap_or_else(|| orthonormal_basis(&edge).0))
}

/// A solid of about `size`, at rest in the origin: sometimes long and thin, sometimes flat.
pub fn body(r: &mut Random, kind: Kind, size: Real) -> Body {
    let thin = r.magnitude(0.01, 1.0);
    let mut extents = match r.below(3) {
        0 => [size, size * r.between(0.3, 1.0), size * r.between(0.3, 1.0)],
        1 => [size * thin, size, size * thin],
        _ => [size, size * thin, size],
    };
    let shift = r.below(3);
    extents.rotate_left(if kind == Kind::Box { shift } else { 0 });
    let [x, y, z] = extents;
    let (mut error, mut beyond, mut is_closed) = (0.0, 0.0, false);
    let mut inner = Point::origin();
    let (radius, half_height) = (x, y);
    let (shape, brute) = match kind {
        Kind::Box => {
            let corners = (0..8).map(|i| corner(i, &extents)).collect();
            (Shape::cuboid(extents).expect("sizes"), Brute::Pieces(vec![Piece::Points(corners, 0.0)]))
        }
        Kind::BoxMesh => {
            let (corners, triangles) = box_triangles(extents);
            let shape = models::mesh((corners.clone(), triangles));
            (shape, Brute::Pieces(vec![Piece::Points(corners, 0.0)]))
        }
        Kind::DentedMesh => {
            let (corners, triangles) = box_triangles(extents);
            let turned = r.rotation();
            let digits = 10.0_f64.powi(6 - size.log10().ceil() as i32);
            let rounded = |p: &Point| (turned * p).coords.map(|x| (x * digits).round() / digits).into();
            mesh((corners.iter().map(rounded).collect(), triangles))
        }
        Kind::Ball => {
            (Shape::ball(size).expect("sizes"), Brute::Pieces(vec![Piece::Points(vec![Point::origin()], size)]))
        }
        Kind::Capsule => {
            let ends = vec![Point::new(0.0, -half_height, 0.0), Point::new(0.0, half_height, 0.0)];
            (Shape::capsule(radius, half_height).expect("sizes"), Brute::Pieces(vec![Piece::Points(ends, radius)]))
        }
        Kind::Cylinder => (
            Shape::cylinder(radius, half_height).expect("sizes"),
            Brute::Pieces(vec![Piece::Cylinder(radius, half_height)]),
        ),
        Kind::Cone => {
            (Shape::cone(radius, half_height).expect("sizes"), Brute::Pieces(vec![Piece::Cone(radius, half_height)]))
        }
        Kind::HalfSpace => {
            let n = r.direction();
            (Shape::half_space(n).expect("a normal"), Brute::HalfSpace(n.normalize()))
        }
        Kind::Hull => {
            let count = 5 + r.below(28);
            let points: Vec<Point> = (0..count)
                .map(|_| {
                    let d = r.direction();
                    Point::new(d.x * x, d.y * y, d.z * z)
                })
                .collect();
            (Shape::convex_hull(&points).expect("points in space"), Brute::Pieces(vec![Piece::Points(points, 0.0)]))
        }
        Kind::ClosedMesh => mesh(l_prism(x, y, z)),
        Kind::Soup => mesh(soup(r, [x, y, z])),
        Kind::Compound => compound(r, [x, y, z]),
        Kind::Patches => {
            // Closed or open, of faces that are nearly flat, so that few triangles tell what they are.
            let whole = pillow([x, y, z], r.magnitude(1e-3, 0.05));
            let count = if r.chance(0.5) { 6 } else { 1 + r.below(5) };
            is_closed = count == 6;
            let surface = PatchSurface::new(whole.patches()[..count].to_vec()).expect("patches");
            let (triangles, off) = triangles_of(&surface, 3);
            error = off;
            let pieces = triangles.into_iter().map(|t| Piece::Points(t.to_vec(), 0.0)).collect();
            (Shape::patches(surface), Brute::Pieces(pieces))
        }
        Kind::Torus => {
            let (major, minor) = (0.7 * size, size * r.magnitude(0.02, 0.3));
            (Shape::torus(major, minor).expect("sizes"), Brute::Pieces(vec![Piece::Ring(major, minor)]))
        }
        Kind::Ellipsoid => {
            (Shape::ellipsoid(extents).expect("sizes"), Brute::Pieces(vec![Piece::Superquadric(extents, [1.0, 1.0])]))
        }
        Kind::Superquadric => {
            let exponents = [r.between(0.3, 1.8), r.between(0.3, 1.8)];
            (
                Shape::superquadric(extents, exponents).expect("sizes"),
                Brute::Pieces(vec![Piece::Superquadric(extents, exponents)]),
            )
        }
        Kind::RoundedBox => {
            let radius = size * r.magnitude(0.01, 0.3);
            let corners = (0..8).map(|i| corner(i, &extents)).collect();
            (Shape::rounded_box(extents, radius).expect("sizes"), Brute::Pieces(vec![Piece::Points(corners, radius)]))
        }
        Kind::Intersection => {
            let (radius, off) = (size, size * r.between(0.1, 0.9));
            let ball = |x: Real| (Shape::ball(radius).expect("sizes"), Pose::translation(x, 0.0, 0.0));
            let shape = Shape::csg(Operation::Intersection, &[ball(-off), ball(off)]).expect("balls that meet");
            (shape, Brute::Pieces(vec![Piece::Lens(radius, off)]))
        }
        Kind::Union => {
            let (radius, bar, off) = (0.3 * size, size * r.magnitude(0.01, 0.2), 0.6 * size);
            let ball = |y: Real| (Shape::ball(radius).expect("sizes"), Pose::translation(0.0, y, 0.0));
            let bar_shape = (Shape::cylinder(bar, off).expect("sizes"), Pose::identity());
            let shape = Shape::csg(Operation::Union, &[ball(-off), ball(off), bar_shape]).expect("parts");
            let shape = if x < y { shape } else { as_one_field(&shape) };
            let ball = |y: Real| Piece::Points(vec![Point::new(0.0, y, 0.0)], radius);
            (shape, Brute::Pieces(vec![ball(-off), ball(off), Piece::Cylinder(bar, off)]))
        }
        Kind::Difference => {
            let radius = x.min(z) * r.between(0.2, 0.9);
            let block = (Shape::cuboid(extents).expect("sizes"), Pose::identity());
            let drill = (Shape::cylinder(radius, 2.0 * y).expect("sizes"), Pose::identity());
            let shape = Shape::csg(Operation::Difference, &[block, drill]).expect("a block");
            (shape, Brute::Pieces(vec![Piece::Drilled(extents, radius)]))
        }
        Kind::CutPatches => {
            let surface = pillow(extents, r.magnitude(1e-3, 0.05));
            let (triangles, off) = triangles_of(&surface, 3);
            error = off;
            let normal = r.direction().normalize();
            let whole = (Shape::patches(surface), Pose::identity());
            let (operation, kept) =
                if r.chance(0.5) { (Operation::Intersection, normal) } else { (Operation::Difference, -normal) };
            let plane = (Shape::half_space(kept).expect("a normal"), Pose::identity());
            inner = Point::from(normal * (-0.3 * x.min(y).min(z)));
            (Shape::csg(operation, &[whole, plane]).expect("a closed surface"), half_of(&triangles, &normal))
        }
        Kind::Grid => {
            let (source, brute) = mesh(l_prism(x, y, z));
            let shape = Shape::distance_grid(&source, size * r.between(0.08, 0.2)).expect("a closed mesh");
            if let Shape::Mesh(made) = &shape {
                beyond = made.grid().expect("a grid").error();
            }
            (shape, brute)
        }
    };
    let reach = match &brute {
        Brute::HalfSpace(_) => 0.0,
        Brute::Pieces(pieces) => pieces.iter().map(Piece::reach).fold(0.0, Real::max),
    };
    let motion = RigidMotion::at_rest(Pose::identity());
    // They are seen whole from such a place.
    let inside = match kind {
        Kind::DentedMesh => Some(filled(&brute, Point::origin())),
        Kind::CutPatches => Some(filled(&brute, inner)),
        Kind::Patches if is_closed => Some(filled(&brute, Point::origin())),
        Kind::ClosedMesh => Some(filled(&brute, Point::new(-0.65 * x, -0.65 * y, 0.0))),
        _ => None,
    };
    Body { kind, shape, brute, inside, reach: reach + error + beyond, error, beyond, motion }
}

/// What triangles around the origin bound below a plane through it: what is left of each, and what each leaves of the plane.
fn half_of(triangles: &[[Point; 3]], normal: &Vector) -> Brute {
    let mut pieces = Vec::new();
    for corners in triangles {
        let height = corners.map(|p| normal.dot(&p.coords));
        let mut left: Vec<Point> = (0..3).filter(|&k| height[k] <= 0.0).map(|k| corners[k]).collect();
        let crossings = (0..3).map(|k| (k, (k + 1) % 3)).filter(|&(i, j)| (height[i] <= 0.0) != (height[j] <= 0.0));
        let cut: Vec<Point> = crossings
            .map(|(i, j)| corners[i] + (corners[j] - corners[i]) * (height[i] / (height[i] - height[j])))
            .collect();
        left.extend(&cut);
        if !left.is_empty() {
            pieces.push(Piece::Points(left, 0.0));
        }
        if !cut.is_empty() {
            pieces.push(Piece::Points(cut.into_iter().chain([Point::origin()]).collect(), 0.0));
        }
    }
    Brute::Pieces(pieces)
}

/// What is between a place and triangles around it.
fn filled(triangles: &Brute, place: Point) -> Brute {
    let Brute::Pieces(pieces) = triangles else { panic!("triangles are pieces") };
    let tetrahedron = |piece: &Piece| match piece {
        Piece::Points(corners, _) => Piece::Points(corners.iter().copied().chain([place]).collect(), 0.0),
        other => panic!("{other:?} is no triangle"),
    };
    Brute::Pieces(pieces.iter().map(tetrahedron).collect())
}

fn mesh((vertices, triangles): Triangles) -> (Shape, Brute) {
    let pieces = triangles.iter().map(|t| Piece::Points(t.map(|v| vertices[v as usize]).to_vec(), 0.0)).collect();
    (models::mesh((vertices, triangles)), Brute::Pieces(pieces))
}

/// Two to six convex parts, turned, near and in each other.
fn compound(r: &mut Random, extents: [Real; 3]) -> (Shape, Brute) {
    let size = extents.into_iter().fold(0.0, Real::max);
    let (mut parts, mut pieces) = (Vec::new(), Vec::new());
    for _ in 0..2 + r.below(5) {
        let kind = [Kind::Box, Kind::Ball, Kind::Capsule, Kind::Hull][r.below(4)];
        let own_size = size * r.between(0.1, 0.5);
        let part = body(r, kind, own_size);
        let place = Vector::from(extents).component_mul(&r.direction());
        let pose = Pose::from_parts(place.into(), r.rotation());
        let Brute::Pieces(own) = part.brute else { panic!("parts are bounded") };
        for piece in own {
            let Piece::Points(points, radius) = piece else { panic!("parts are made of points") };
            pieces.push(Piece::Points(points.iter().map(|p| pose * p).collect(), radius));
        }
        parts.push((pose, part.shape));
    }
    (Shape::compound(parts).expect("bounded parts"), Brute::Pieces(pieces))
}

/// A bent sheet with a fin through it: open, two-sided, not manifold.
fn soup(r: &mut Random, [x, y, z]: [Real; 3]) -> Triangles {
    let (mut vertices, mut triangles) = bent_sheet(|| r.between(-1.0, 1.0), [x, y, z]);
    let fin = vertices.len() as u32;
    vertices.push(Point::new(0.9 * x, 0.8 * y, 0.1 * z));
    triangles.push([0, 4, fin]);
    (vertices, triangles)
}
