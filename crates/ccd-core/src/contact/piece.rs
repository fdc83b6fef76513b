//! The geometry behind a feature's number.

use crate::bounds::IndexedMesh;
use crate::geometry::feature::Feature;
use crate::geometry::polyhedron::ConvexPolyhedron;
use crate::geometry::primitive::Cuboid;
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;

/// A feature's place, without its rounding.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Vertex(Point),
    Edge([Point; 2]),
    Face(PlaneFace),
}

/// A face in a plane.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlaneFace {
    /// A place of the plane.
    pub(super) origin: Point,
    /// Unit, outward.
    pub(super) normal: Vector,
    pub(super) rim: Rim,
}

/// What bounds a face.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rim {
    /// Nothing.
    None,
    /// The corners, counter-clockwise from outside.
    Polygon(Vec<Point>),
    /// A circle around the origin, metres.
    Circle(Real),
}

/// A piece with the rounding radius around it, in the shape's frame.
pub(super) struct Rounded {
    pub(super) piece: Piece,
    pub(super) radius: Real,
}

impl Rounded {
    fn sharp(piece: Piece) -> Self {
        Self { piece, radius: 0.0 }
    }

    /// The piece where `pose` places its shape.
    pub(super) fn placed(self, pose: &Pose) -> Piece {
        match self.piece {
            Piece::Vertex(p) => Piece::Vertex(pose * p),
            Piece::Edge(ends) => Piece::Edge(ends.map(|p| pose * p)),
            Piece::Face(face) => Piece::Face(PlaneFace {
                origin: pose * face.origin,
                normal: pose * face.normal,
                rim: match face.rim {
                    Rim::Polygon(corners) => Rim::Polygon(corners.iter().map(|p| pose * p).collect()),
                    rim => rim,
                },
            }),
        }
    }
}

impl PlaneFace {
    /// Rule 2: the nearest point of the plane to `p`; `None` where it lies beside the face.
    pub(super) fn foot(&self, p: &Point) -> Option<Point> {
        let foot = p - self.normal * (p - self.origin).dot(&self.normal);
        let inside = match &self.rim {
            Rim::None => true,
            Rim::Circle(radius) => (foot - self.origin).norm() <= radius * (1.0 + 1e-9),
            Rim::Polygon(corners) => (0..corners.len()).all(|i| {
                let (start, end) = (corners[i], corners[(i + 1) % corners.len()]);
                let along = end - start;
                self.normal.cross(&along).dot(&(foot - start)) >= -1e-9 * along.norm_squared()
            }),
        };
        inside.then_some(foot)
    }
}

/// The geometry of a shape's feature as contacts name it of searches that take meshes for their hulls but for dents up to `dent`
/// metres; `None` for curved ones and numbers that the shape does not have.
pub(super) fn piece(shape: &Shape, feature: Feature, dent: Real) -> Option<Rounded> {
    if let Some(compound) = shape.as_compound() {
        let (number, feature) = compound.part_of_feature(feature);
        let part = compound.parts().get(number as usize)?;
        let rounded = piece(&part.shape, feature, dent)?;
        return Some(Rounded { radius: rounded.radius, piece: rounded.placed(&part.pose) });
    }
    match shape {
        Shape::HalfSpace(half_space) => {
            let face = PlaneFace { origin: Point::origin(), normal: half_space.normal(), rim: Rim::None };
            matches!(feature, Feature::Face(0)).then(|| Rounded::sharp(Piece::Face(face)))
        }
        Shape::Ball(ball) => Some(Rounded { piece: Piece::Vertex(Point::origin()), radius: ball.radius() }),
        Shape::Capsule(capsule) => {
            let ends = capsule.ends();
            let piece = match feature {
                Feature::Vertex(k) => Piece::Vertex(*ends.get(k as usize)?),
                _ => Piece::Edge(ends),
            };
            Some(Rounded { piece, radius: capsule.radius() })
        }
        Shape::Box(cuboid) => box_piece(cuboid, feature).map(Rounded::sharp),
        Shape::Convex(hull) => hull_piece(hull, feature).map(Rounded::sharp),
        Shape::Mesh(mesh) => mesh_piece(mesh, feature, dent).map(Rounded::sharp),
        Shape::Cylinder(cylinder) => match feature {
            Feature::Face(0) => Some(Rounded::sharp(disc(-cylinder.half_height(), -1.0, cylinder.radius()))),
            Feature::Face(1) => Some(Rounded::sharp(disc(cylinder.half_height(), 1.0, cylinder.radius()))),
            _ => None,
        },
        Shape::Cone(cone) => match feature {
            Feature::Vertex(0) => Some(Rounded::sharp(Piece::Vertex(Point::new(0.0, cone.half_height(), 0.0)))),
            Feature::Face(0) => Some(Rounded::sharp(disc(-cone.half_height(), -1.0, cone.radius()))),
            _ => None,
        },
        _ => None,
    }
}

/// A face that is round, at a height along y, with its outside up (1) or down (-1).
fn disc(height: Real, up: Real, radius: Real) -> Piece {
    let origin = Point::new(0.0, height, 0.0);
    Piece::Face(PlaneFace { origin, normal: Vector::y() * up, rim: Rim::Circle(radius) })
}

fn hull_piece(hull: &ConvexPolyhedron, feature: Feature) -> Option<Piece> {
    let place = |v: u32| hull.vertices().get(v as usize).copied();
    match feature {
        Feature::Vertex(v) => Some(Piece::Vertex(place(v)?)),
        Feature::Edge(e) => {
            let [v, w] = hull.edges().get(e as usize)?.vertices;
            Some(Piece::Edge([place(v)?, place(w)?]))
        }
        Feature::Face(f) => {
            let normal = hull.planes().get(f as usize)?.normal;
            polygon(normal, hull.face_corners(f as usize))
        }
    }
}

/// Of edges and triangles that lie in the hull of a mesh, the whole edge and face of that.
fn mesh_piece(mesh: &IndexedMesh, feature: Feature, dent: Real) -> Option<Piece> {
    let place = |v: u32| mesh.mesh().vertices().get(v as usize).copied();
    match feature {
        Feature::Vertex(v) => Some(Piece::Vertex(place(v)?)),
        Feature::Edge(e) => {
            let whole = mesh.as_polyhedron(dent).and_then(|found| {
                let ends = found.divided_edge(e)?.vertices;
                Some(ends.map(|v| found.polyhedron().vertices()[v as usize]))
            });
            let part = || {
                let &[v, w] = mesh.topology().edges().get(e as usize)?;
                Some([place(v)?, place(w)?])
            };
            Some(Piece::Edge(whole.or_else(part)?))
        }
        Feature::Face(f) => {
            let normal = *mesh.face_normals().get(f as usize)?;
            let whole = mesh.as_polyhedron(dent).and_then(|found| {
                let (face, hull) = (found.face_of(f)?, found.polyhedron());
                polygon(hull.planes()[face].normal, hull.face_corners(face))
            });
            whole.or_else(|| polygon(normal, mesh.triangle(f).to_vec()))
        }
    }
}

fn polygon(normal: Vector, corners: Vec<Point>) -> Option<Piece> {
    Some(Piece::Face(PlaneFace { origin: *corners.first()?, normal, rim: Rim::Polygon(corners) }))
}

fn box_piece(cuboid: &Cuboid, feature: Feature) -> Option<Piece> {
    match feature {
        Feature::Vertex(v @ 0..8) => Some(Piece::Vertex(cuboid.vertex(v))),
        Feature::Edge(e @ 0..12) => Some(Piece::Edge(Cuboid::edge_vertices(e).map(|v| cuboid.vertex(v)))),
        Feature::Face(f @ 0..6) => {
            let mut normal = Vector::zeros();
            normal[f as usize / 2] = if f % 2 == 1 { 1.0 } else { -1.0 };
            polygon(normal, Cuboid::face_vertices(f).map(|v| cuboid.vertex(v)).to_vec())
        }
        _ => None,
    }
}
