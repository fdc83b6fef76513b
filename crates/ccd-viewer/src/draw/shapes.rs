//! Triangles to draw for a shape of the core.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy_ccd::convert::{from_point, from_pose, from_vector};
use ccd_core::geometry::field::Field;
use ccd_core::math::{Point, Vector};
use ccd_core::shape::Shape;

/// Facets of a surface that bend by less than this (radians) are shaded as one smooth surface.
const CREASE: f64 = 0.6;

/// How far the triangles of a curved solid may lie from it, as a share of its size.
pub const CURVE_ERROR: f64 = 2e-3;

/// The triangles of `shape` in its own frame; `None` for an unbounded one, which no triangles cover.
pub fn mesh_of(shape: &Shape) -> Option<Mesh> {
    Some(match shape {
        Shape::HalfSpace(_) => return None,
        Shape::Ball(ball) => {
            Sphere::new(ball.radius() as f32).mesh().ico(6).unwrap_or_else(|_| Sphere::default().into())
        }
        Shape::Capsule(capsule) => Capsule3d::new(capsule.radius() as f32, 2.0 * capsule.half_height() as f32).into(),
        Shape::Cylinder(cylinder) => {
            Cylinder::new(cylinder.radius() as f32, 2.0 * cylinder.half_height() as f32).mesh().resolution(64).into()
        }
        Shape::Cone(cone) => {
            Cone::new(cone.radius() as f32, 2.0 * cone.half_height() as f32).mesh().resolution(64).into()
        }
        Shape::Compound(compound) => {
            let mut parts = compound.parts().iter().filter_map(|part| {
                let mut mesh = mesh_of(&part.shape)?.transformed_by(Transform::from_isometry(from_pose(&part.pose)));
                // Only what every part has can be joined.
                mesh.remove_attribute(Mesh::ATTRIBUTE_UV_0);
                Some(mesh)
            });
            let mut whole = parts.next()?;
            for part in parts {
                // All are triangle lists of positions and normals: nothing is left to differ.
                if let Err(error) = whole.merge(&part) {
                    warn!("a part of a compound is not drawn: {error}");
                }
            }
            whole
        }
        Shape::Mesh(mesh) => shaded(mesh.mesh().vertices(), mesh.mesh().triangles()),
        Shape::Box(_) | Shape::Convex(_) | Shape::Patches(_) | Shape::Field(_) | Shape::Custom(_) => {
            let solid = shape.as_solid();
            let radius = solid.bounding_sphere().radius;
            if !radius.is_finite() {
                return None;
            }
            let mut features = solid.features(radius * CURVE_ERROR);
            if let Shape::Field(field) = shape {
                settle(field.as_field(), &mut features.vertices, &features.faces, radius * FURTHEST_OFF);
            }
            shaded(&features.vertices, &features.faces)
        }
    })
}

/// The meshes of the scene at hand, one for each shape, however many bodies have it.
#[derive(Resource, Default)]
pub struct Meshes(Vec<(Shape, Option<Handle<Mesh>>)>);

impl Meshes {
    /// The mesh of a shape, as [`mesh_of`] makes it.
    pub fn get(&mut self, shape: &Shape, assets: &mut Assets<Mesh>) -> Option<Handle<Mesh>> {
        if let Some((_, known)) = self.0.iter().find(|(known, _)| known.is_same(shape)) {
            return known.clone();
        }
        let mesh = mesh_of(shape).map(|mesh| assets.add(mesh));
        self.0.push((shape.clone(), mesh.clone()));
        mesh
    }
}

/// How far a corner of a triangulated field may be brought onto the surface, as a share of its size.
const FURTHEST_OFF: f64 = 0.16;

/// What is no further from the surface than this share of that is on it.
const ON_SURFACE: f64 = 1e-6;

/// Brings corners onto the surface of a field, along the mean normal of their triangles: where a surface bends sharply, one
/// corner for each cell lies off it.
fn settle(field: &dyn Field, vertices: &mut [Point], triangles: &[[u32; 3]], reach: f64) {
    let mut normals = vec![Vector::zeros(); vertices.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| vertices.get(i as usize).copied().unwrap_or_default());
        for &corner in triangle {
            if let Some(normal) = normals.get_mut(corner as usize) {
                *normal += (b - a).cross(&(c - a));
            }
        }
    }
    for (vertex, normal) in vertices.iter_mut().zip(normals) {
        let Some(way) = normal.try_normalize(0.0) else { continue };
        // What is there already may be the tip of something thin, of which there is nothing further on.
        if field.distance(vertex).abs() <= ON_SURFACE * reach {
            continue;
        }
        let contains = |along: f64| field.contains(&(*vertex + way * along));
        let from_inside = contains(0.0);
        let towards = if from_inside { 1.0 } else { -1.0 };
        // The first wall on the way, by growing steps; where there is none the corner stays where it is.
        let far = (0..8).rev().map(|halvings| towards * reach / f64::from(1 << halvings));
        let Some(beyond) = far.into_iter().find(|along| contains(*along) != from_inside) else { continue };
        let (mut inside, mut outside) = if from_inside { (0.0, beyond) } else { (beyond, 0.0) };
        for _ in 0..30 {
            let middle = 0.5 * (inside + outside);
            if contains(middle) { inside = middle } else { outside = middle }
        }
        *vertex += way * inside;
    }
}

/// Triangles with normals that are smooth over gentle bends and sharp over creases.
fn shaded(vertices: &[Point], triangles: &[[u32; 3]]) -> Mesh {
    let corners = |triangle: &[u32; 3]| triangle.map(|i| vertices.get(i as usize).copied().unwrap_or_default());
    // Not normalised: large faces count for more in the average.
    let areas: Vec<Vector> = triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = corners(triangle);
            (b - a).cross(&(c - a))
        })
        .collect();
    let mut faces_of = vec![Vec::new(); vertices.len()];
    for (face, triangle) in triangles.iter().enumerate() {
        for &corner in triangle {
            if let Some(faces) = faces_of.get_mut(corner as usize) {
                faces.push(face);
            }
        }
    }
    let mut positions = Vec::with_capacity(3 * triangles.len());
    let mut normals = Vec::with_capacity(3 * triangles.len());
    for (face, triangle) in triangles.iter().enumerate() {
        let own = areas[face].try_normalize(0.0).unwrap_or_else(Vector::y);
        for (&corner, position) in triangle.iter().zip(corners(triangle)) {
            let near = faces_of.get(corner as usize).into_iter().flatten();
            let smooth: Vector =
                near.map(|&other| areas[other]).filter(|other| other.dot(&own) > CREASE.cos() * other.norm()).sum();
            positions.push(from_point(&position));
            normals.push(from_vector(&smooth.try_normalize(0.0).unwrap_or(own)));
        }
    }
    let count = positions.len() as u32;
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_indices(Indices::U32((0..count).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normals(mesh: &Mesh) -> Vec<[f32; 3]> {
        mesh.attribute(Mesh::ATTRIBUTE_NORMAL).and_then(|a| a.as_float3()).unwrap().to_vec()
    }

    #[test]
    fn a_box_keeps_its_creases() {
        let mesh = mesh_of(&Shape::cuboid([1.0, 2.0, 3.0]).unwrap()).unwrap();
        assert_eq!(normals(&mesh).len(), 36);
        for normal in normals(&mesh) {
            let along = normal.iter().filter(|c| c.abs() > 0.999).count();
            assert_eq!(along, 1, "{normal:?} is no axis");
        }
    }

    #[test]
    fn gentle_bends_are_smooth_and_normals_are_unit() {
        // A roof of two faces that bend by 0.4 rad over the y axis.
        let rise = 0.2f64.tan();
        let vertices = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, -rise], [-1.0, 0.0, -rise]].map(Point::from);
        let mesh = shaded(&vertices, &[[0, 2, 1], [0, 1, 3]]);
        let normals = normals(&mesh);
        assert!(normals.iter().all(|n| (Vec3::from(*n).length() - 1.0).abs() < 1e-5));
        assert!(normals[0][0].abs() < 1e-6, "the ridge is shared: {:?}", normals[0]);
        assert!(normals[1][0].abs() > 0.1, "the eaves are not");
    }

    #[test]
    fn bodies_of_one_shape_have_one_mesh_and_others_their_own() {
        let (mut meshes, mut assets) = (Meshes::default(), Assets::<Mesh>::default());
        let cube = |side: f64| Shape::cuboid([side; 3]).unwrap();
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Point::from);
        let hull = || Shape::convex_hull(&corners).unwrap();
        let shared = hull();
        let mut get = |shape: &Shape| meshes.get(shape, &mut assets).unwrap();
        assert_eq!(get(&cube(1.0)), get(&cube(1.0)));
        assert_ne!(get(&cube(1.0)), get(&cube(2.0)));
        assert_eq!(get(&shared), get(&shared.clone()));
        assert_ne!(get(&shared), get(&hull()));
        assert_eq!(assets.len(), 4);
    }

    #[test]
    fn an_unbounded_shape_has_no_triangles() {
        assert!(mesh_of(&Shape::half_space(Vector::y()).unwrap()).is_none());
    }
}
