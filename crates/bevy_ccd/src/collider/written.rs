//! Colliders in files: scenes and saved games say what a collider is made from, and building it again gives the same to the bit.

use std::sync::Arc;

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Rotation, Vector, is_finite};
use nalgebra::Quaternion;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Collider;
use super::form::Form;

/// What is written: the names and lengths of [`ColliderConstructor`](super::ColliderConstructor), in `f64`.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Collider")]
enum Written {
    Sphere { radius: f64 },
    Cuboid { x_length: f64, y_length: f64, z_length: f64 },
    Capsule { radius: f64, height: f64 },
    Cylinder { radius: f64, height: f64 },
    Cone { radius: f64, height: f64 },
    HalfSpace { outward_normal: [f64; 3] },
    ConvexHull { points: Vec<[f64; 3]> },
    Trimesh { vertices: Vec<[f64; 3]>, indices: Vec<[u32; 3]> },
    Compound(Vec<WrittenPart>),
}

/// A part of a compound: translation, rotation as x, y, z, w, and what is there.
#[derive(Serialize, Deserialize)]
struct WrittenPart([f64; 3], [f64; 4], Collider);

/// How far the length of a rotation that is read may be from one.
const UNIT: f64 = 1e-6;

impl Serialize for Collider {
    /// All but a collider that is made from a shape of the core ([`Collider::from`]), which is refused.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = Written::of(&self.0.form).ok_or_else(|| {
            S::Error::custom(
                "a collider that is made from a shape of the core has no words in a file: name it by a constructor",
            )
        })?;
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Collider {
    /// Refused are sizes, points and triangles that make no collider, with the reason.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::checked(Written::deserialize(deserializer)?.form().map_err(D::Error::custom)?).map_err(D::Error::custom)
    }
}

impl Written {
    /// `None` for a shape of the core.
    fn of(form: &Form) -> Option<Self> {
        let points = |points: &[Point]| points.iter().map(|point| point.coords.into()).collect();
        Some(match form {
            Form::Ball { radius } => Self::Sphere { radius: *radius },
            Form::Box { half_extents } => {
                let [x_length, y_length, z_length] = half_extents.map(|half| 2.0 * half);
                Self::Cuboid { x_length, y_length, z_length }
            }
            Form::Capsule { radius, half_height } => Self::Capsule { radius: *radius, height: 2.0 * half_height },
            Form::Cylinder { radius, half_height } => Self::Cylinder { radius: *radius, height: 2.0 * half_height },
            Form::Cone { radius, half_height } => Self::Cone { radius: *radius, height: 2.0 * half_height },
            Form::HalfSpace { normal } => Self::HalfSpace { outward_normal: (*normal).into() },
            Form::Hull { points: of_hull } => Self::ConvexHull { points: points(of_hull) },
            Form::Mesh { mesh } => {
                Self::Trimesh { vertices: points(mesh.vertices()), indices: mesh.triangles().to_vec() }
            }
            Form::Compound { parts } => Self::Compound(parts.iter().map(WrittenPart::of).collect()),
            Form::Shape(_) => return None,
        })
    }

    fn form(self) -> Result<Form, String> {
        let points = |points: Vec<[f64; 3]>| points.into_iter().map(Point::from).collect();
        Ok(match self {
            Self::Sphere { radius } => Form::Ball { radius },
            Self::Cuboid { x_length, y_length, z_length } => {
                Form::Box { half_extents: [x_length, y_length, z_length].map(|length| 0.5 * length) }
            }
            Self::Capsule { radius, height } => Form::Capsule { radius, half_height: 0.5 * height },
            Self::Cylinder { radius, height } => Form::Cylinder { radius, half_height: 0.5 * height },
            Self::Cone { radius, height } => Form::Cone { radius, half_height: 0.5 * height },
            Self::HalfSpace { outward_normal } => Form::HalfSpace { normal: outward_normal.into() },
            Self::ConvexHull { points: of_hull } => Form::Hull { points: points(of_hull) },
            Self::Trimesh { vertices, indices } => {
                let mesh = TriMesh::try_new(points(vertices), indices).map_err(|error| error.to_string())?;
                Form::Mesh { mesh: Arc::new(mesh) }
            }
            Self::Compound(parts) => {
                let parts = parts.into_iter().enumerate().map(|(number, part)| {
                    part.placed().ok_or_else(|| format!("part {number} of the compound stands nowhere"))
                });
                Form::Compound { parts: parts.collect::<Result<_, _>>()? }
            }
        })
    }
}

impl WrittenPart {
    fn of((pose, collider): &(Pose, Collider)) -> Self {
        Self(pose.translation.vector.into(), pose.rotation.coords.into(), collider.clone())
    }

    /// `None` for numbers that are no place.
    fn placed(self) -> Option<(Pose, Collider)> {
        let Self(translation, [x, y, z, w], collider) = self;
        let (translation, rotation) = (Vector::from(translation), Quaternion::new(w, x, y, z));
        let is_place = is_finite(&translation) && (rotation.norm() - 1.0).abs() < UNIT;
        // Not normalised, so that it is the same to the bit.
        is_place.then(|| (Pose::from_parts(translation.into(), Rotation::new_unchecked(rotation)), collider))
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use super::*;

    fn read_back(collider: &Collider) -> Collider {
        let text = serde_json::to_string(collider).expect("it has words");
        serde_json::from_str(&text).expect("it is what was written")
    }

    #[test]
    fn what_is_written_is_read_back_to_the_bit() {
        let third = 1.0 / 3.0_f64;
        let hull = Collider::convex_hull([[0.0, 0.0, 0.0], [third, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 1e-3]]);
        let vertices = [[0.0, 0.0, 0.0], [third, 0.0, 0.0], [0.0, 0.1, 0.0]];
        let turned = Quat::from_rotation_y(0.3);
        let colliders = [
            Collider::sphere(third),
            Collider::cuboid(third, 0.1, 7.0),
            Collider::capsule(third, 0.7),
            Collider::cylinder(third, 0.7),
            Collider::cone(third, 0.7),
            Collider::half_space(Vec3::new(1.0, 2.0, 3.0)),
            hull.expect("a hull"),
            Collider::trimesh(vertices, vec![[0, 1, 2]]).expect("a mesh"),
        ];
        let place = |collider: &Collider| (Vec3::new(0.1, -third as f32, 2.0), turned, collider.clone());
        let bounded = colliders.iter().filter(|collider| !matches!(collider.0.form, Form::HalfSpace { .. }));
        let compound = Collider::compound(bounded.map(place)).expect("a compound");
        for collider in colliders.iter().chain([&compound]) {
            let back = read_back(collider);
            assert_eq!(format!("{:?}", back.0.form), format!("{:?}", collider.0.form));
        }
    }

    #[test]
    fn what_makes_no_collider_is_refused_with_the_reason() {
        for (text, why) in [
            (r#"{"Sphere":{"radius":-1.0}}"#, "radius"),
            (r#"{"Trimesh":{"vertices":[[0,0,0]],"indices":[[0,1,2]]}}"#, "1"),
            (r#"{"ConvexHull":{"points":[[0,0,0]]}}"#, "point"),
            (r#"{"Compound":[[[0,0,0],[0,0,0,2],{"Sphere":{"radius":1.0}}]]}"#, "part 0"),
            (r#"{"Blob":{}}"#, "Blob"),
        ] {
            let refused = serde_json::from_str::<Collider>(text).expect_err(text).to_string();
            assert!(refused.contains(why), "{refused}");
        }
        let torus = ccd_core::shape::Shape::torus(1.0, 0.25).expect("a torus");
        let refused = serde_json::to_string(&Collider::from(torus)).expect_err("a shape of the core").to_string();
        assert!(refused.contains("shape of the core"), "{refused}");
    }
}
