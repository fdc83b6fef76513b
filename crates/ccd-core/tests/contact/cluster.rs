//! Clusters of contacts, and the ways to reduce them.

use std::path::Path;

use ccd_core::contact::{
    ClusterChoice, ContactCache, ContactPoint, ContactSearch, ReductionMethod, Tracked, choose, find_clusters,
    find_contacts_by, keep_once, track,
};
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::geometry::feature::{Feature, FeaturePair};
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use ccd_core::io::case::{Case, build_world};
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};
use proptest::prelude::*;

const EPSILON: Real = 1e-3;

/// Figure 7 of Vaněček's paper: a tip with four edges, in face 3 of a box to a depth of ε, 2ε from the edge between the
/// faces 1 and 3, come in at a large incline. The solids, the tip's pose, and the six contacts.
fn figure_7(lifted: Real) -> (Shape, Shape, Pose, Vec<(FeaturePair, Tracked)>) {
    let incline = Rotation::from_axis_angle(&Vector::z_axis(), 0.45);
    let sides = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)];
    let mut points = vec![Point::origin()];
    points.extend(sides.map(|(y, z)| incline * Point::new(1.0, 0.1 * y, 0.1 * z)));
    let tip = ConvexPolyhedron::from_points(&points).unwrap();
    let apex = tip.vertices().iter().position(|p| p.coords.norm() == 0.0).unwrap();
    let pose = Pose::translation(0.5 - 2.0 * EPSILON, 0.5 - EPSILON + lifted, 0.0);
    let solid = Shape::cuboid([0.5; 3]).unwrap();
    // Along z, with positive x and y.
    let rim = Feature::Edge(11);
    let vertex = Feature::Vertex(apex as u32);
    let mut pairs = vec![FeaturePair { a: vertex, b: Feature::Face(3) }];
    pairs.extend(tip.vertex_edges(apex).iter().map(|&e| FeaturePair { a: Feature::Edge(e), b: rim }));
    pairs.push(FeaturePair { a: vertex, b: rim });
    let tip = Shape::Convex(tip.into());
    let contacts = pairs.into_iter().map(|features| {
        let guess = ContactPoint {
            point_a: Point::origin(),
            point_b: Point::origin(),
            // From the tip into the solid, or out to its rim.
            normal: if features == (FeaturePair { a: vertex, b: rim }) { Vector::x() } else { -Vector::y() },
            separation: 0.0,
            features,
        };
        (features, track(&guess, (&tip, &pose), (&solid, &Pose::identity()), 2.5 * EPSILON))
    });
    let contacts = contacts.collect();
    (tip, solid, pose, contacts)
}

fn active(contacts: &[(FeaturePair, Tracked)]) -> Vec<ContactPoint> {
    contacts.iter().filter_map(|(_, t)| if let Tracked::Active(c) = t { Some(*c) } else { None }).collect()
}

#[test]
fn the_six_contacts_of_figure_7_are_one_cluster_and_each_way_reduces_it_to_its_own() {
    let (_, _, _, tracked) = figure_7(0.0);
    let points = active(&tracked);
    assert_eq!(points.len(), 6, "{tracked:?}");
    assert!((points[0].separation + EPSILON).abs() < 1e-12, "the tip is ε deep");
    let clusters = find_clusters(&points, EPSILON);
    assert_eq!(clusters.len(), 1);
    assert_eq!(clusters[0].members, [0, 1, 2, 3, 4, 5]);
    // The paper's choice: vertex and face.
    assert_eq!(clusters[0].kept, 0);
    assert_eq!(choose(&points, &clusters[0], ClusterChoice::Priority), Some(0));
    let plane = clusters[0].tangent_plane(&points).unwrap();
    assert!((plane.normal + Vector::y()).norm() < 1e-12, "into the solid, through its face");
    // The main features: the tip touches the rim.
    assert_eq!(choose(&points, &clusters[0], ClusterChoice::MainFeature), Some(5));
    // By the motion: the one that is left when the tip is drawn up again, found by drawing it up.
    let last = (1..10_000)
        .map(|k| active(&figure_7(1e-2 * EPSILON * f64::from(k)).3))
        .map(|points| points.into_iter().filter(|c| c.separation <= EPSILON).map(|c| c.features).collect::<Vec<_>>())
        .take_while(|left| !left.is_empty())
        .last()
        .unwrap();
    let falling = |_: &Point| Vector::y();
    let choice = ClusterChoice::Motion { tolerance: EPSILON, relative_velocity: &falling };
    let chosen = choose(&points, &clusters[0], choice).unwrap();
    assert!(last.contains(&points[chosen].features), "{:?} is not among {last:?}", points[chosen].features);
    let still = |_: &Point| Vector::zeros();
    let choice = ClusterChoice::Motion { tolerance: EPSILON, relative_velocity: &still };
    assert_eq!(choose(&points, &clusters[0], choice), Some(0));
}

#[test]
fn contacts_found_from_either_solid_are_kept_once() {
    let points = active(&figure_7(0.0).3);
    let again = points.iter().map(|c| ContactPoint {
        point_a: c.point_a + Vector::new(1e-9, 0.0, -1e-9),
        separation: c.separation - 1e-10,
        ..*c
    });
    let mut twice: Vec<ContactPoint> = points.iter().copied().chain(again).collect();
    // The same features far away are another contact.
    twice.push(ContactPoint { point_a: Point::new(9.0, 0.0, 0.0), point_b: Point::new(9.0, 0.0, 0.0), ..points[0] });
    keep_once(&mut twice, EPSILON);
    assert_eq!(twice.len(), 7);
    assert!(twice.iter().zip(&points).all(|(t, p)| t.features == p.features && t.separation < p.separation));
}

fn search(reduction: ReductionMethod) -> ContactSearch {
    ContactSearch { margin: 1e-3, tolerance: 1e-4, reduction }
}

fn found(reduction: ReductionMethod) -> Vec<ContactPoint> {
    let cube = Shape::cuboid([0.5; 3]).unwrap();
    let above = Pose::translation(0.2, 1.0005, 0.3);
    let mut out = Vec::new();
    find_contacts_by(
        (&cube, &Pose::identity()),
        (&cube, &above),
        &search(reduction),
        &mut ContactCache::default(),
        &mut out,
    );
    out
}

#[test]
fn each_reduction_gives_what_its_name_says() {
    assert_eq!(found(ReductionMethod::Manifold).len(), 4);
    assert_eq!(found(ReductionMethod::Cluster).len(), 4);
    assert!(found(ReductionMethod::None).len() >= 4);
    // The average is where, it may be, nothing touches (E14): here in the middle of the common face.
    let average = found(ReductionMethod::Average);
    assert_eq!(average.len(), 1);
    assert!((average[0].midpoint() - Point::new(0.1, 0.50025, 0.15)).norm() < 1e-9, "{average:?}");
    assert!((average[0].normal - Vector::y()).norm() < 1e-12 && (average[0].separation - 5e-4).abs() < 1e-12);
}

#[test]
fn a_world_keeps_bodies_apart_whatever_the_reduction() {
    for reduction in
        [ReductionMethod::Manifold, ReductionMethod::Cluster, ReductionMethod::Average, ReductionMethod::None]
    {
        let mut world = World::new(WorldSettings { reduction, ..WorldSettings::default() }).unwrap();
        let ground = BodyDefinition::new(BodyKind::Static, Shape::cuboid([2.0, 0.5, 2.0]).unwrap(), Pose::identity());
        world.add_body(ground).unwrap();
        let tilted = Pose::from_parts([0.0, 1.2, 0.0].into(), Rotation::from_scaled_axis(Vector::new(0.3, 0.1, 0.2)));
        let cube = Shape::cuboid([0.3, 0.2, 0.4]).unwrap();
        let id = world.add_body(BodyDefinition::new(BodyKind::Dynamic, cube, tilted)).unwrap();
        for _ in 0..90 {
            let report = world.step(1.0 / 60.0).unwrap();
            assert!(report.min_separation.is_none_or(|s| s > 0.0), "{reduction:?}: {:?}", report.min_separation);
        }
        assert!(world.body(id).unwrap().pose().translation.y > 0.69, "{reduction:?}");
        let (_, contacts) = world.contacts().next().unwrap();
        let clusters = contacts.clusters(world.settings().tolerance);
        assert_eq!(clusters.iter().map(|c| c.members.len()).sum::<usize>(), contacts.points.len());
        if reduction == ReductionMethod::Average {
            assert_eq!(contacts.points.len(), 1);
        }
    }
}

#[test]
fn a_case_names_its_reduction() {
    for (name, reduction) in [
        ("manifold", ReductionMethod::Manifold),
        ("cluster", ReductionMethod::Cluster),
        ("average", ReductionMethod::Average),
        ("none", ReductionMethod::None),
    ] {
        let text = format!(
            r#"{{"format": "ccd-case/1", "name": "x", "world": {{"dt": 0.01, "steps": 1, "reduction": "{name}"}}, "bodies": []}}"#
        );
        let case = Case::parse(&text, Path::new("x.json")).unwrap();
        let (world, _) = build_world(&case, ".").unwrap();
        assert_eq!(world.settings().reduction, reduction);
    }
}

fn cloud() -> impl Strategy<Value = Vec<ContactPoint>> {
    let contact = (prop::array::uniform3(0.0..0.02_f64), 0..3_u32, 0..3_u32, 0..9_u32, -1e-3..1e-3_f64);
    prop::collection::vec(contact, 1..60).prop_map(|seeds| {
        let feature = |kind: u32, n: u32| match kind {
            0 => Feature::Vertex(n),
            1 => Feature::Edge(n),
            _ => Feature::Face(n),
        };
        let point = |(place, a, b, n, separation): ([Real; 3], u32, u32, u32, Real)| ContactPoint {
            point_a: place.into(),
            point_b: place.into(),
            normal: Vector::y(),
            separation,
            features: FeaturePair { a: feature(a, n), b: feature(b, n + 1) },
        };
        seeds.into_iter().map(point).collect()
    })
}

proptest! {
    #[test]
    fn clusters_hold_every_point_once_are_narrow_and_know_no_order(points in cloud(), shift in 0..60_usize) {
        let clusters = find_clusters(&points, EPSILON);
        let mut seen: Vec<usize> = clusters.iter().flat_map(|c| c.members.clone()).collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..points.len()).collect::<Vec<_>>());
        for c in &clusters {
            prop_assert!(c.members.contains(&c.kept));
            prop_assert_eq!(choose(&points, c, ClusterChoice::Priority), Some(c.kept));
            for &i in &c.members {
                for &j in &c.members {
                    prop_assert!((points[i].midpoint() - points[j].midpoint()).norm() < 4.0 * EPSILON);
                }
            }
        }
        let mut turned = points.clone();
        turned.rotate_left(shift % points.len());
        let places = |points: &[ContactPoint], clusters: &[ccd_core::contact::Cluster]| {
            clusters.iter().map(|c| (points[c.kept].midpoint(), c.members.len())).collect::<Vec<_>>()
        };
        prop_assert_eq!(places(&points, &clusters), places(&turned, &find_clusters(&turned, EPSILON)));
    }
}
