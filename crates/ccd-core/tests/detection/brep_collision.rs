//! Collision of two solids by their B-rep indices.

use std::sync::Arc;

use ccd_core::bounds::IndexedMesh;
use ccd_core::bounds::brep_index::{BrepIndex, BrepIndexOptions};
use ccd_core::detection::closest::closest;
use ccd_core::detection::interference::{IndexRelation, IndexedStep, Side, collide_by_index, estimate_collision_time};
use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Pose, Vector};
use ccd_core::shape::Shape;

use crate::common::random::Random;
use crate::common::solids;

const EPSILON: f64 = 1e-6;

fn index(mesh: TriMesh) -> BrepIndex {
    BrepIndex::build(Arc::new(IndexedMesh::new(mesh).unwrap()), &BrepIndexOptions::with_tolerance(EPSILON)).unwrap()
}

fn cube() -> BrepIndex {
    index(solids::plate(&["#"], 1.0))
}

fn relation(a: &BrepIndex, b: &BrepIndex, pose_b: &Pose) -> IndexRelation {
    let found = collide_by_index(a, &Pose::identity(), b, pose_b);
    let swapped = collide_by_index(b, pose_b, a, &Pose::identity());
    assert_eq!(found.relation, swapped.relation, "the order does not matter");
    assert_eq!(found.contacts.len(), swapped.contacts.len());
    for contact in &found.contacts {
        assert!((contact.point_a - contact.point_b).norm() <= 3.0 * EPSILON, "{contact:?}");
    }
    found.relation
}

#[test]
fn cubes_are_separate_touching_or_penetrating_as_they_are_placed() {
    let (a, b) = (cube(), cube());
    let at = |x: f64, y: f64, z: f64| relation(&a, &b, &Pose::translation(x, y, z));
    assert_eq!(at(1.0 + 3e-6, 0.0, 0.0), IndexRelation::Separate);
    assert_eq!(at(5.0, 5.0, 5.0), IndexRelation::Separate);
    assert_eq!(at(1.0, 0.3, 0.2), IndexRelation::Touching, "face to face");
    assert_eq!(at(1.0, 1.0, 0.2), IndexRelation::Touching, "along an edge");
    assert_eq!(at(1.0, 1.0, 1.0), IndexRelation::Touching, "corner to corner");
    assert_eq!(at(1.0 - 5e-7, 0.3, 0.2), IndexRelation::Touching, "deep by less than ε");
    assert_eq!(at(1.0 - 5e-6, 0.3, 0.2), IndexRelation::Penetrating);
    assert_eq!(at(0.5, 0.5, 0.5), IndexRelation::Penetrating);
    let small = index(solids::plate(&["#"], 1.0).scaled(Vector::repeat(0.25)).unwrap());
    assert_eq!(relation(&a, &small, &Pose::translation(0.3, 0.3, 0.3)), IndexRelation::Penetrating, "wholly inside");
}

#[test]
fn solids_that_fit_flush_penetrate_though_no_corner_or_edge_is_inside() {
    let (a, b) = (cube(), cube());
    for pose in [Pose::identity(), Pose::translation(0.5, 0.0, 0.0), Pose::translation(0.0, 0.0, -0.25)] {
        assert_eq!(relation(&a, &b, &pose), IndexRelation::Penetrating, "{pose}");
    }
}

#[test]
fn contacts_name_the_features_of_both_sides_once() {
    let (a, b) = (cube(), cube());
    // A corner of B on a face of A: the other three corners are away.
    let tilted = Pose::new(Vector::new(0.5, 0.5, 1.0), Vector::new(0.5, -0.4, 0.0));
    let lowest = b.mesh().mesh().vertices().iter().map(|p| (tilted * p).z).fold(f64::INFINITY, f64::min);
    let tilted = Pose::translation(0.0, 0.0, 1.0 - lowest) * tilted;
    let found = collide_by_index(&a, &Pose::identity(), &b, &tilted);
    assert_eq!((found.relation, found.contacts.len()), (IndexRelation::Touching, 1), "{found:?}");
    let features = found.contacts[0].features;
    assert!(matches!((features.a, features.b), (Feature::Face(_), Feature::Vertex(_))), "{features:?}");

    // Edge across edge.
    let quarter = std::f64::consts::FRAC_PI_4;
    let half_diagonal = 0.5_f64.sqrt();
    let one = Pose::new(Vector::zeros(), Vector::x() * quarter);
    let top = a.mesh().mesh().vertices().iter().map(|p| (one * p).z).fold(f64::NEG_INFINITY, f64::max);
    let ridge = one * Pose::translation(-0.5, 0.0, 0.0);
    let other = Pose::new(Vector::zeros(), Vector::y() * quarter);
    let bottom = b.mesh().mesh().vertices().iter().map(|p| (other * p).z).fold(f64::INFINITY, f64::min);
    let valley = Pose::translation(-half_diagonal, -0.5, top - bottom) * other;
    let found = collide_by_index(&a, &ridge, &b, &valley);
    assert_eq!(found.relation, IndexRelation::Touching, "{found:?}");
    let pairs: Vec<_> = found.contacts.iter().map(|c| (c.features.a, c.features.b)).collect();
    assert!(matches!(pairs[..], [(Feature::Edge(_), Feature::Edge(_))]), "{pairs:?}");

    // Face on face, turned by 45°: an octagon of edge crossings.
    let turned = Pose::translation(0.5, 0.5, 1.0)
        * Pose::new(Vector::zeros(), Vector::z() * quarter)
        * Pose::translation(-0.5, -0.5, 0.0);
    let found = collide_by_index(&a, &Pose::identity(), &b, &turned);
    let crossings =
        found.contacts.iter().filter(|c| matches!((c.features.a, c.features.b), (Feature::Edge(_), Feature::Edge(_))));
    assert_eq!((found.relation, crossings.count()), (IndexRelation::Touching, 8), "{found:?}");
}

#[test]
fn random_placements_agree_with_the_distance_of_the_meshes() {
    let meshes = [solids::plate(&["##", "#."], 0.5), solids::torus(6), solids::sphere(6)];
    let indices: Vec<BrepIndex> = meshes.iter().cloned().map(index).collect();
    let shapes: Vec<Shape> = meshes.iter().map(|m| Shape::mesh(m.clone()).unwrap()).collect();
    let mut random = Random(3);
    let mut seen = [0; 2];
    for i in 0..200 {
        let (j, k) = (random.below(3), random.below(3));
        let mut pose = || {
            let place = random.direction() * random.between(0.0, 1.2);
            Pose::from_parts(place.into(), random.rotation())
        };
        let (pose_a, pose_b) = (pose(), pose());
        let relation = collide_by_index(&indices[j], &pose_a, &indices[k], &pose_b).relation;
        let distance = closest(&shapes[j], &pose_a, &shapes[k], &pose_b).unwrap().distance;
        if distance.abs() < 10.0 * EPSILON {
            continue;
        }
        let expected = if distance > 0.0 { IndexRelation::Separate } else { IndexRelation::Penetrating };
        seen[usize::from(distance > 0.0)] += 1;
        assert_eq!(relation, expected, "{i}: {j} at {pose_a}, {k} at {pose_b}: {distance}");
    }
    assert!(seen.iter().all(|&n| n > 30), "both happen: {seen:?}");
}

#[test]
fn the_estimate_is_the_time_at_which_the_solid_was_entered() {
    let (a, b) = (cube(), cube());
    let still = IndexedStep { index: &a, before: Pose::identity(), after: Pose::identity() };
    // Its lowest point goes from 0.25 above the cube's top to 0.5 below it.
    for turn in [Vector::zeros(), Vector::new(0.3, 0.0, 0.0), Vector::new(0.3, 0.5, 0.1)] {
        let turned = Pose::new(Vector::zeros(), turn);
        let corners = b.mesh().mesh().vertices().iter().map(|p| turned * p);
        let lowest = corners.min_by(|p, q| p.z.total_cmp(&q.z)).unwrap();
        let place = |z: f64| Pose::translation(0.5 - lowest.x, 0.45 - lowest.y, z - lowest.z) * turned;
        let falling = IndexedStep { index: &b, before: place(1.25), after: place(0.5) };
        let estimate = estimate_collision_time(&still, &falling).unwrap();
        // The paper's formula would say 2/3: the share inside, not the share before (E16).
        assert!((estimate.fraction - 1.0 / 3.0).abs() < 1e-4, "{turn:?}: {estimate:?}");
        let swapped = estimate_collision_time(&falling, &still).unwrap();
        assert!(
            (swapped.fraction - 1.0 / 3.0).abs() < 1e-4 && estimate.side != swapped.side || turn == Vector::zeros()
        );
    }
    assert_eq!(
        estimate_collision_time(
            &still,
            &IndexedStep {
                index: &b,
                before: Pose::translation(0.0, 0.0, 3.0),
                after: Pose::translation(0.0, 0.0, 2.0)
            }
        ),
        None
    );
    // Through a thin wall and half into a second one: the first entry counts, not the whole length inside.
    let walls = index(solids::plate(&["#.#"], 1.0));
    let still = IndexedStep { index: &walls, before: Pose::identity(), after: Pose::identity() };
    let needle = index(solids::plate(&["#"], 1.0).scaled(Vector::repeat(0.01)).unwrap());
    let flying = IndexedStep {
        index: &needle,
        before: Pose::translation(-1.01, 0.4, 0.4),
        after: Pose::translation(2.49, 0.4, 0.4),
    };
    let estimate = estimate_collision_time(&still, &flying).unwrap();
    assert!((estimate.fraction - 1.0 / 3.5).abs() < 1e-4 && estimate.side == Side::B, "{estimate:?}");
}
