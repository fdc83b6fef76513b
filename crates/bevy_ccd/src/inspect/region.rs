//! Voronoi regions: the places to which a feature of a solid is the nearest.

use ccd_core::bounds::IndexedMesh;
use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use ccd_core::math::{Point, Pose, Vector};
use ccd_core::shape::Shape;

use super::pair::polyhedron_of;

/// The Voronoi region of a feature, as far as the feature alone says: on a solid that is not convex, other parts of it may be nearer.
#[derive(Clone, Debug, PartialEq)]
pub enum FeatureRegion {
    /// Over a face: its outline, and the direction in which the region goes on for ever.
    Face {
        /// Counter-clockwise from outside.
        outline: Vec<Point>,
        /// Unit, outward.
        normal: Vector,
    },
    /// Beside an edge: a wedge between the normals of its two faces.
    Edge {
        /// Its ends.
        ends: [Point; 2],
        /// The unit normals of its faces; of a border both are the one that it has.
        normals: [Vector; 2],
    },
    /// Around a vertex: a cone over the normals of its faces.
    Vertex {
        /// Where it is.
        at: Point,
        /// The unit normals of its faces, around it.
        normals: Vec<Vector>,
    },
}

impl FeatureRegion {
    /// The same in the frame in which the solid's frame stands at `pose`.
    pub fn placed(self, pose: &Pose) -> Self {
        let turn = |v: Vector| pose.rotation * v;
        match self {
            Self::Face { outline, normal } => {
                Self::Face { outline: outline.iter().map(|p| pose * p).collect(), normal: turn(normal) }
            }
            Self::Edge { ends, normals } => Self::Edge { ends: ends.map(|p| pose * p), normals: normals.map(turn) },
            Self::Vertex { at, normals } => {
                Self::Vertex { at: pose * at, normals: normals.into_iter().map(turn).collect() }
            }
        }
    }

    /// The feature's own corners.
    pub fn corners(&self) -> Vec<Point> {
        match self {
            Self::Face { outline, .. } => outline.clone(),
            Self::Edge { ends, .. } => ends.to_vec(),
            Self::Vertex { at, .. } => vec![*at],
        }
    }
}

/// The region of a feature of a shape, in the shape's frame: of boxes, hulls and meshes. Curved solids have no features with
/// regions of their own, and a compound's are its parts'.
pub fn region_of(shape: &Shape, feature: Feature) -> Option<FeatureRegion> {
    match shape {
        Shape::Box(cuboid) => {
            let hull = polyhedron_of(shape)?;
            // A box names its features its own way: the hull's that has the same corners is meant.
            let named = |corners: &[u32]| {
                use ccd_core::geometry::solid::SupportMap;
                cuboid.feature_of(corners) == feature
            };
            let own = (0..hull.vertices().len() as u32)
                .find(|v| named(&[*v]))
                .map(Feature::Vertex)
                .or_else(|| hull.edges().iter().position(|e| named(&e.vertices)).map(|e| Feature::Edge(e as u32)))
                .or_else(|| {
                    (0..hull.face_count()).find(|f| named(hull.face_vertices(*f))).map(|f| Feature::Face(f as u32))
                })?;
            of_polyhedron(&hull, own)
        }
        Shape::Convex(hull) => of_polyhedron(hull, feature),
        Shape::Mesh(mesh) => of_mesh(mesh, feature),
        _ => None,
    }
}

fn of_polyhedron(hull: &ConvexPolyhedron, feature: Feature) -> Option<FeatureRegion> {
    let place = |v: u32| hull.vertices().get(v as usize).copied();
    Some(match feature {
        Feature::Face(f) => {
            let normal = hull.planes().get(f as usize)?.normal;
            let outline = hull.face_vertices(f as usize).iter().filter_map(|v| place(*v)).collect();
            FeatureRegion::Face { outline, normal }
        }
        Feature::Edge(e) => {
            let edge = hull.edges().get(e as usize)?;
            let normals = edge.faces.map(|f| hull.planes()[f as usize].normal);
            FeatureRegion::Edge { ends: [place(edge.vertices[0])?, place(edge.vertices[1])?], normals }
        }
        Feature::Vertex(v) => {
            let at = place(v)?;
            let faces = (0..hull.face_count()).filter(|f| hull.face_vertices(*f).contains(&v));
            let normals = around(faces.map(|f| hull.planes()[f].normal).collect());
            FeatureRegion::Vertex { at, normals }
        }
    })
}

fn of_mesh(mesh: &IndexedMesh, feature: Feature) -> Option<FeatureRegion> {
    let (triangles, normals) = (mesh.mesh().triangles(), mesh.face_normals());
    Some(match feature {
        Feature::Face(f) => {
            let normal = *normals.get(f as usize)?;
            FeatureRegion::Face { outline: mesh.triangle(f).to_vec(), normal }
        }
        Feature::Edge(e) => {
            let faces = mesh.topology().faces_of_edge(e as usize);
            let first = *normals.get(*faces.first()? as usize)?;
            let second = faces.get(1).and_then(|f| normals.get(*f as usize)).copied().unwrap_or(first);
            FeatureRegion::Edge { ends: mesh.edge(e), normals: [first, second] }
        }
        Feature::Vertex(v) => {
            let at = *mesh.mesh().vertices().get(v as usize)?;
            let faces = triangles.iter().zip(normals).filter(|(t, _)| t.contains(&v));
            FeatureRegion::Vertex { at, normals: around(faces.map(|(_, n)| *n).collect()) }
        }
    })
}

/// Directions in the order in which they stand around their mean.
fn around(mut directions: Vec<Vector>) -> Vec<Vector> {
    let mean: Vector = directions.iter().sum();
    let Some(axis) = mean.try_normalize(1e-9) else { return directions };
    let (right, up) = ccd_core::math::orthonormal_basis(&axis);
    directions.sort_by(|a, b| {
        let angle = |v: &Vector| v.dot(&up).atan2(v.dot(&right));
        angle(a).total_cmp(&angle(b))
    });
    directions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_regions_of_all_three_kinds() {
        let shape = Shape::cuboid([1.0, 2.0, 3.0]).expect("a box");
        let mut seen = [0; 3];
        for index in 0..12 {
            for (kind, feature) in
                [Feature::Vertex(index), Feature::Edge(index), Feature::Face(index)].iter().enumerate()
            {
                match region_of(&shape, *feature) {
                    Some(FeatureRegion::Vertex { normals, .. }) => {
                        assert_eq!((kind, normals.len()), (0, 3));
                        seen[0] += 1;
                    }
                    Some(FeatureRegion::Edge { ends, normals }) => {
                        assert_eq!(kind, 1);
                        let along = ends[1] - ends[0];
                        assert!(normals.iter().all(|n| n.dot(&along).abs() < 1e-12));
                        seen[1] += 1;
                    }
                    Some(FeatureRegion::Face { outline, normal }) => {
                        assert_eq!((kind, outline.len()), (2, 4));
                        let middle: Vector = outline.iter().map(|p| p.coords).sum();
                        assert!(middle.dot(&normal) > 0.0, "outward");
                        seen[2] += 1;
                    }
                    None => {}
                }
            }
        }
        assert_eq!(seen, [8, 12, 6]);
    }

    #[test]
    fn a_sphere_has_no_region() {
        assert_eq!(region_of(&Shape::ball(1.0).expect("a ball"), Feature::Face(0)), None);
    }
}
