//! The papers' example against an independent reference: the free flight of each bullet, sampled finely, with triangles
//! clipped by the bullet's faces. Nothing of the library's detection takes part in it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot build its scene has failed")]

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::io::case::{Case, CaseBody, build_world};
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_scenes::cases::{Bullets, Scene};

/// Between samples, metres: the bullet is 5 cm long and has a volume, so that no sheet passes between two of them.
const SAMPLE: Real = 0.002;
/// The part of the way around the sheet that is sampled, metres along the direction of fire.
const AROUND: Real = 1.0;

fn pose_at(body: &CaseBody, t: Real, gravity: Vector) -> Pose {
    let r = body.rotation;
    let start = Rotation::from_quaternion(nalgebra::Quaternion::new(r[3], r[0], r[1], r[2]));
    let turn = Rotation::from_scaled_axis(Vector::from(body.angular_velocity) * t);
    let at = Vector::from(body.position) + Vector::from(body.linear_velocity) * t + gravity * (0.5 * t * t);
    Pose::from_parts(at.into(), turn * start)
}

/// Whether the triangle has a point on the inner side of every face of the convex mesh: it is cut down face by face.
fn reaches_into(triangle: [Point; 3], faces: &[(Vector, Real)]) -> bool {
    let mut polygon = triangle.to_vec();
    for (normal, offset) in faces {
        let height = |p: &Point| p.coords.dot(normal) - offset;
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for (i, p) in polygon.iter().enumerate() {
            let q = &polygon[(i + 1) % polygon.len()];
            let (hp, hq) = (height(p), height(q));
            if hp <= 0.0 {
                kept.push(*p);
            }
            if hp * hq < 0.0 {
                kept.push(p + (q - p) * (hp / (hp - hq)));
            }
        }
        polygon = kept;
        if polygon.is_empty() {
            return false;
        }
    }
    true
}

/// Whether the bullet, in free flight, ever cuts the sheet.
fn meets(bullet: &TriMesh, body: &CaseBody, sheet: &[[Point; 3]], gravity: Vector) -> bool {
    let faces: Vec<(Vector, Real)> = (0..bullet.triangles().len())
        .map(|f| (bullet.face_normal(f), bullet.face_normal(f).dot(&bullet.triangle(f)[0].coords)))
        .collect();
    let reach = bullet.vertices().iter().map(|p| p.coords.norm()).fold(0.0, Real::max);
    let speed = Vector::from(body.linear_velocity).norm();
    let (from, to) = ((-body.position[0] - AROUND) / speed, (-body.position[0] + AROUND) / speed);
    let samples = ((to - from) * speed / SAMPLE).ceil() as u32;
    (0..=samples).any(|i| {
        let pose = pose_at(body, from + (to - from) * Real::from(i) / Real::from(samples), gravity);
        let centre = Point::from(pose.translation.vector);
        sheet.iter().any(|triangle| {
            let near = (0..3).all(|k| {
                let low = triangle.iter().map(|p| p[k]).fold(Real::INFINITY, Real::min);
                let high = triangle.iter().map(|p| p[k]).fold(Real::NEG_INFINITY, Real::max);
                centre[k] >= low - reach && centre[k] <= high + reach
            });
            near && reaches_into(triangle.map(|p| pose.inverse_transform_point(&p)), &faces)
        })
    })
}

fn check(name: &str) {
    let files = Bullets::default().build().unwrap();
    let folder = std::env::temp_dir().join(format!("ccd-bullets-reference-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    files.save(&folder).unwrap();
    let case: &Case = &files.cases.iter().find(|(file, _)| file == &format!("{name}.json")).unwrap().1;
    let model = |start: &str| &files.models.iter().find(|(file, _)| file.starts_with(start)).unwrap().1;
    let (bullet, sheet) = (model("bullet"), model("warped-plane"));
    let at = pose_at(&case.bodies[0], 0.0, Vector::zeros());
    let triangles: Vec<[Point; 3]> = (0..sheet.triangles().len()).map(|f| sheet.triangle(f).map(|p| at * p)).collect();
    let gravity = Vector::from(case.world.gravity);

    let (mut world, ids) = build_world(case, &folder).unwrap();
    for _ in 0..case.world.steps {
        let report = world.step(case.world.dt).unwrap();
        assert_eq!(report.time_lost, 0.0);
    }
    let (mut stopped, mut through) = (0, 0);
    for (body, id) in case.bodies.iter().zip(&ids).skip(1) {
        let behind = world.body(*id).unwrap().pose().translation.x > AROUND;
        let hit = meets(bullet, body, &triangles, gravity);
        assert_eq!(
            behind,
            !hit,
            "{name}: {}: the reference says it {}",
            body.name,
            if hit { "hits" } else { "passes" }
        );
        if behind { through += 1 } else { stopped += 1 }
    }
    assert!(stopped > 0 && through > 0 && stopped + through == 100, "{stopped} stopped, {through} through");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn every_bullet_does_what_its_sampled_flight_says_in_one_step_of_a_tenth_of_a_second() {
    check("bullets-dt100ms");
}

#[test]
fn every_bullet_does_what_its_sampled_flight_says_with_a_rifles_spin_at_sixty_hertz() {
    check("bullets-dt16ms-rifled");
}
