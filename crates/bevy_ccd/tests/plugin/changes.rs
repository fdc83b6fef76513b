//! What a game changes while the world runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::*;
use bevy_ccd::ccd_core::geometry::feature::FeatureSet;
use bevy_ccd::ccd_core::geometry::solid::{Segment, SegmentHit, Solid, SupportMap};
use bevy_ccd::ccd_core::shape::Shape;
use bevy_ccd::ccd_core::volume::{Aabb, Obb, Sphere as CoreSphere};

#[test]
fn a_despawned_support_lets_its_load_fall() {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let ball = app.world_mut().spawn(ball(0.51)).id();
    run(&mut app, 40);
    assert!(place(&app, ball).y > 0.49);
    app.world_mut().despawn(floor);
    run(&mut app, 64);
    assert!(place(&app, ball).y < -1.0);
    assert_eq!(app.world().resource::<CcdWorld>().core().bodies().count(), 1);
}

#[test]
fn a_body_added_while_the_world_runs_takes_part_at_once() {
    let mut app = app();
    app.world_mut().spawn(floor());
    run(&mut app, 10);
    let late = app.world_mut().spawn(ball(1.0)).id();
    run(&mut app, 1);
    assert!(velocity(&app, late).y < 0.0);
    run(&mut app, 100);
    assert!((place(&app, late).y - 0.5).abs() < 2e-3);
}

#[test]
fn a_written_transform_teleports_and_the_body_goes_on_from_there() {
    let mut app = app();
    let ball = app.world_mut().spawn(ball(10.0)).id();
    run(&mut app, 32);
    let speed = velocity(&app, ball).y;
    app.world_mut().get_mut::<Transform>(ball).expect("a transform").translation = Vec3::new(3.0, 50.0, 0.0);
    run(&mut app, 1);
    let there = place(&app, ball);
    assert_eq!(there.x, 3.0);
    assert!((there.y - (50.0 + speed / RATE as f32)).abs() < 0.01, "{there}");
    assert!(velocity(&app, ball).y < speed, "it keeps its velocity");
}

#[test]
fn a_written_velocity_is_taken_over() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let ball = app.world_mut().spawn(ball(0.0)).id();
    run(&mut app, 4);
    app.world_mut().get_mut::<LinearVelocity>(ball).expect("a velocity").0 = Vec3::X * 3.0;
    app.world_mut().get_mut::<AngularVelocity>(ball).expect("a velocity").0 = Vec3::Z;
    run(&mut app, 64);
    assert!((place(&app, ball).x - 3.0).abs() < 1e-3);
    assert!((core_body(&app, ball).angular_velocity().z - 1.0).abs() < 1e-9);
}

#[test]
fn what_sleeps_wakes_when_a_component_is_written_and_when_its_support_goes() {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let load = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.0, 0.51, 0.0));
    let load = app.world_mut().spawn(load).id();
    run(&mut app, 192);
    assert!(core_body(&app, load).is_asleep());
    app.world_mut().get_mut::<LinearVelocity>(load).expect("a velocity").0 = Vec3::Y * 2.0;
    run(&mut app, 5);
    assert!(!core_body(&app, load).is_asleep() && place(&app, load).y > 0.55);
    run(&mut app, 192);
    assert!(core_body(&app, load).is_asleep());
    app.world_mut().despawn(floor);
    run(&mut app, 10);
    assert!(place(&app, load).y < 0.48);
}

#[test]
fn without_sleeping_nothing_sleeps() {
    let mut app = app();
    app.world_mut().resource_mut::<CcdSettings>().sleeping = false;
    app.world_mut().spawn(floor());
    let load = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.0, 0.51, 0.0));
    let load = app.world_mut().spawn(load).id();
    run(&mut app, 192);
    assert!(!core_body(&app, load).is_asleep());
}

#[test]
fn who_has_sleeping_disabled_does_not_sleep_until_it_is_taken_away() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let load = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.0, 0.51, 0.0));
    let load = app.world_mut().spawn((load, SleepingDisabled)).id();
    run(&mut app, 192);
    assert!(!core_body(&app, load).is_asleep());
    app.world_mut().entity_mut(load).remove::<SleepingDisabled>();
    run(&mut app, 64);
    assert!(core_body(&app, load).is_asleep());
    app.world_mut().entity_mut(load).insert(SleepingDisabled);
    run(&mut app, 1);
    assert!(!core_body(&app, load).is_asleep());
}

#[test]
fn a_body_may_change_its_kind() {
    let mut app = app();
    let ball = app.world_mut().spawn((ball(10.0), LinearVelocity::new(1.0, 0.0, 0.0))).id();
    app.world_mut().entity_mut(ball).insert(RigidBody::Static);
    run(&mut app, 32);
    assert_eq!(place(&app, ball), Vec3::Y * 10.0);
    app.world_mut().entity_mut(ball).insert(RigidBody::Dynamic);
    run(&mut app, 32);
    assert!(place(&app, ball).y < 10.0);
    assert!(place(&app, ball).x > 0.1, "a static body has not forgotten its velocity: {}", place(&app, ball));
}

#[test]
fn a_body_may_change_its_collider_and_scale() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let body = app.world_mut().spawn(ball(0.6)).id();
    run(&mut app, 60);
    app.world_mut().entity_mut(body).insert(Collider::sphere(0.25));
    run(&mut app, 100);
    assert!((place(&app, body).y - 0.25).abs() < 2e-3, "{}", place(&app, body));
    app.world_mut().get_mut::<Transform>(body).expect("a transform").translation.y = 3.0;
    app.world_mut().get_mut::<Transform>(body).expect("a transform").scale = Vec3::splat(4.0);
    run(&mut app, 200);
    assert!((place(&app, body).y - 1.0).abs() < 2e-3, "{}", place(&app, body));
}

#[test]
fn a_body_may_change_its_mass_and_surface() {
    let mut app = app();
    let body = app.world_mut().spawn((ball(0.0), Mass(2.0))).id();
    run(&mut app, 2);
    assert!((core_body(&app, body).mass_properties().mass - 2.0).abs() < 1e-9);
    app.world_mut().entity_mut(body).insert((Mass(5.0), Restitution::new(0.5), Friction::new(0.25)));
    run(&mut app, 2);
    assert!((core_body(&app, body).mass_properties().mass - 5.0).abs() < 1e-9);
    assert_eq!(core_body(&app, body).material.restitution, 0.5);
    app.world_mut().entity_mut(body).remove::<(Mass, Restitution)>().insert(ColliderDensity(1.0));
    run(&mut app, 2);
    let volume = 4.0 / 3.0 * std::f64::consts::PI * 0.125;
    assert!((core_body(&app, body).mass_properties().mass - volume).abs() < 1e-9);
    assert_eq!(core_body(&app, body).material.restitution, 0.0);
}

#[test]
fn what_rolls_is_slowed_by_its_own_rolling_resistance_or_by_that_of_the_settings() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let rolling = |z: f32| {
        let velocities = (LinearVelocity::new(1.0, 0.0, 0.0), AngularVelocity::new(0.0, 0.0, -2.0));
        (RigidBody::Dynamic, Collider::sphere(0.5), Transform::from_xyz(0.0, 0.5001, z), velocities)
    };
    let [free, slowed] = [-2.0, 2.0].map(|z| app.world_mut().spawn(rolling(z)).id());
    app.world_mut().entity_mut(slowed).insert(RollingResistance(0.01));
    let speed = |app: &App, body: Entity| core_body(app, body).linear_velocity().norm();
    run(&mut app, 2);
    let before = speed(&app, slowed);
    run(&mut app, 60);
    assert!((speed(&app, free) - 1.0).abs() < 1e-3, "{}", speed(&app, free));
    // 5/7 of g times the arm by the radius, for 60 of 64 parts of a second.
    let (lost, right) = (before - speed(&app, slowed), 5.0 / 7.0 * 9.81 * 0.01 / 0.5 * 60.0 / 64.0);
    assert!((lost / right - 1.0).abs() < 0.02, "{lost} and not {right} m/s");
    let ids = [free, slowed].map(|body| app.world().get::<CcdBody>(body).expect("a body").id());
    app.world_mut().entity_mut(slowed).remove::<RollingResistance>();
    app.world_mut().resource_mut::<CcdSettings>().default_rolling_resistance = 0.25;
    run(&mut app, 120);
    for (body, id) in [free, slowed].into_iter().zip(ids) {
        assert_eq!(core_body(&app, body).material.rolling_resistance, 0.25);
        assert_eq!(app.world().get::<CcdBody>(body).expect("a body").id(), id, "the body is kept");
        assert_eq!(speed(&app, body), 0.0);
    }
}

#[test]
fn centre_and_inertia_may_be_given() {
    let mut app = app();
    let body = app
        .world_mut()
        .spawn((
            ball(0.0),
            Mass(2.0),
            CenterOfMass(Vec3::new(0.0, -0.25, 0.0)),
            AngularInertia::new(Vec3::new(1.0, 1.5, 2.0)),
        ))
        .id();
    run(&mut app, 1);
    let mass = core_body(&app, body).mass_properties();
    assert_eq!(mass.com.y, -0.25);
    assert!((mass.inertia[(2, 2)] - 2.0).abs() < 1e-9 && (mass.mass - 2.0).abs() < 1e-9);
}

#[test]
fn a_surface_change_keeps_the_body_and_its_contacts() {
    let mut app = app();
    let floor = app.world_mut().spawn((floor(), CollisionEventsEnabled)).id();
    let ball = app.world_mut().spawn(ball(0.51)).id();
    run(&mut app, 60);
    take::<CollisionStart>(&mut app);
    let id = app.world().get::<CcdBody>(ball).expect("a body").id();
    app.world_mut().entity_mut(ball).insert(Friction::new(0.9));
    run(&mut app, 10);
    assert_eq!(app.world().get::<CcdBody>(ball).expect("a body").id(), id);
    assert!(take::<CollisionStart>(&mut app).is_empty() && take::<CollisionEnd>(&mut app).is_empty());
    assert!(app.world().resource::<CcdWorld>().are_touching(floor, ball));
}

#[test]
fn a_rebuilt_body_that_still_touches_is_not_told_to_have_parted() {
    let mut app = app();
    app.world_mut().spawn((floor(), CollisionEventsEnabled));
    let ball = app.world_mut().spawn(ball(0.51)).id();
    run(&mut app, 60);
    assert_eq!(take::<CollisionStart>(&mut app).len(), 1);
    app.world_mut().entity_mut(ball).insert(Mass(7.0));
    run(&mut app, 20);
    assert!(take::<CollisionStart>(&mut app).is_empty());
    assert!(take::<CollisionEnd>(&mut app).is_empty());
}

#[test]
fn a_removed_collider_takes_the_body_out_and_a_new_one_puts_it_back() {
    let mut app = app();
    let ball = app.world_mut().spawn(ball(10.0)).id();
    run(&mut app, 4);
    app.world_mut().entity_mut(ball).remove::<Collider>();
    run(&mut app, 2);
    assert!(app.world().get::<CcdBody>(ball).is_none());
    let left = place(&app, ball);
    run(&mut app, 10);
    assert_eq!(place(&app, ball), left);
    app.world_mut().entity_mut(ball).insert(Collider::sphere(0.2));
    run(&mut app, 10);
    assert!(place(&app, ball).y < left.y);
}

#[test]
fn a_despawn_between_the_phases_loses_no_step() {
    let mut app = app_with(|app| {
        // A game's own system that runs in the middle of a step.
        app.add_systems(
            FixedPostUpdate,
            (|mut commands: Commands, doomed: Query<Entity, With<Name>>| {
                for entity in &doomed {
                    commands.entity(entity).despawn();
                }
            })
            .after(CcdSystems::BroadPhase)
            .before(CcdSystems::NarrowPhase),
        );
    });
    let ball = app.world_mut().spawn(ball(10.0)).id();
    app.world_mut().spawn((
        RigidBody::Dynamic,
        Collider::sphere(0.5),
        Name::new("doomed"),
        Transform::from_xyz(5.0, 0.0, 0.0),
    ));
    let steps = app.world().resource::<CcdClock>().steps();
    run(&mut app, 3);
    assert_eq!(app.world().resource::<CcdClock>().steps(), steps + 3);
    assert!(place(&app, ball).y < 10.0);
    assert_eq!(app.world().resource::<CcdWorld>().core().bodies().count(), 1);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn settings_reach_the_world_while_it_runs() {
    let mut app = app();
    let ball = app.world_mut().spawn(ball(0.0)).id();
    run(&mut app, 2);
    app.insert_resource(Gravity(Vec3::X));
    app.world_mut().resource_mut::<CcdSettings>().tolerance = 1e-5;
    app.world_mut().resource_mut::<CcdSettings>().default_restitution = 0.75;
    run(&mut app, 2);
    let world = app.world().resource::<CcdWorld>();
    assert_eq!(world.core().settings().tolerance, 1e-5);
    assert_eq!(world.core().settings().gravity.x, 1.0);
    assert_eq!(core_body(&app, ball).material.restitution, 0.75);
}

#[test]
fn a_resting_box_that_grows_stands_on_its_larger_side() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let body = app
        .world_mut()
        .spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.0, 0.51, 0.0)))
        .id();
    run(&mut app, 60);
    app.world_mut().get_mut::<Transform>(body).expect("a transform").scale = Vec3::splat(3.0);
    run(&mut app, 90);
    assert!((place(&app, body).y - 1.5).abs() < 5e-3, "{}", place(&app, body));
    assert!(velocity(&app, body).length() < 0.05, "{}", velocity(&app, body));
}

#[test]
fn a_scene_that_is_cleared_and_filled_again_leaves_nothing_behind() {
    let mut app = app();
    for _ in 0..3 {
        let root = app.world_mut().spawn(Transform::default()).id();
        for height in [0.51, 1.52, 2.53] {
            app.world_mut().spawn((ball(height), CollisionEventsEnabled, ChildOf(root)));
        }
        app.world_mut().spawn((floor(), ChildOf(root)));
        run(&mut app, 30);
        assert_eq!(app.world().resource::<CcdWorld>().core().bodies().count(), 4);
        app.world_mut().despawn(root);
        run(&mut app, 2);
        let world = app.world().resource::<CcdWorld>();
        assert_eq!((world.core().bodies().count(), world.core().contacts().count()), (0, 0));
        assert_eq!(world.touching().count(), 0);
        let (started, ended) = (take::<CollisionStart>(&mut app), take::<CollisionEnd>(&mut app));
        assert_eq!(started.len(), ended.len(), "what began to touch has ceased to");
        assert!(take::<CcdProblem>(&mut app).is_empty());
    }
}

#[test]
fn a_body_that_gets_a_parent_and_loses_it_stays_where_it_is() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let parent = app.world_mut().spawn(Transform::from_xyz(5.0, 0.0, 0.0).with_scale(Vec3::splat(1.0))).id();
    let body = app.world_mut().spawn(ball(1.0)).id();
    run(&mut app, 3);
    app.world_mut().entity_mut(body).insert(ChildOf(parent));
    run(&mut app, 3);
    let seen = app.world().get::<GlobalTransform>(body).expect("propagated").translation();
    let exact = bevy_ccd::convert::from_vector(&core_body(&app, body).pose().translation.vector);
    assert!((seen - exact).length() < 1e-5, "drawn at {seen}, in the world at {exact}");
    app.world_mut().entity_mut(body).remove::<ChildOf>();
    run(&mut app, 3);
    let seen = app.world().get::<GlobalTransform>(body).expect("propagated").translation();
    let exact = bevy_ccd::convert::from_vector(&core_body(&app, body).pose().translation.vector);
    assert!((seen - exact).length() < 1e-5, "drawn at {seen}, in the world at {exact}");
}

#[test]
fn a_ghost_that_becomes_solid_in_the_floor_comes_out_of_it() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let ghost = app.world_mut().spawn((ball(0.51), CollisionLayers::NONE)).id();
    run(&mut app, 16);
    assert!(place(&app, ghost).y < 0.3, "it falls through");
    app.world_mut().entity_mut(ghost).remove::<CollisionLayers>();
    run(&mut app, 1);
    assert!(place(&app, ghost).y > 0.49);
    let told = take::<CcdProblem>(&mut app);
    assert!(matches!(told.as_slice(), [CcdProblem { cause: CcdProblemCause::Overlap { .. }, .. }]), "{told:?}");
    run(&mut app, 64);
    assert!((place(&app, ghost).y - 0.5).abs() < 2e-3 && velocity(&app, ghost).length() < 0.01);
}

/// A ball that counts how often it is asked something.
#[derive(Debug)]
struct Asked(Shape, Arc<AtomicUsize>);

impl Asked {
    fn ball(&self) -> &dyn Solid {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.as_solid()
    }
}

impl Solid for Asked {
    fn kind(&self) -> &'static str {
        "asked ball"
    }

    fn local_aabb(&self) -> Aabb {
        self.ball().local_aabb()
    }

    fn bounding_sphere(&self) -> CoreSphere {
        self.ball().bounding_sphere()
    }

    fn features(&self, max_error: f64) -> FeatureSet {
        self.ball().features(max_error)
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        self.ball().overlaps_obb(obb)
    }

    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit> {
        self.ball().cast_segment(segment)
    }

    fn support_map(&self) -> Option<&dyn SupportMap> {
        self.ball().support_map()
    }
}

#[test]
fn a_surface_or_a_force_that_is_written_asks_nothing_of_the_shape_however_large_it_is() {
    let mut app = still_app();
    let asked = Arc::new(AtomicUsize::new(0));
    let shape = Shape::Custom(Arc::new(Asked(Shape::ball(0.5).expect("a ball"), asked.clone())));
    let body = (RigidBody::Kinematic, Collider::from(shape), ConstantForce::default(), Friction::new(0.1));
    let body = app.world_mut().spawn((body, SurfaceVelocity::default())).id();
    run(&mut app, 2);
    app.world_mut().resource_mut::<CcdClock>().paused = true;
    run(&mut app, 1);
    let before = asked.load(Ordering::Relaxed);
    assert!(before > 0);
    for k in 1..10_u8 {
        let mut entity = app.world_mut().entity_mut(body);
        entity.get_mut::<ConstantForce>().expect("a force").0 = Vec3::X * f32::from(k);
        entity.get_mut::<Friction>().expect("a friction").coefficient = k.into();
        entity.get_mut::<SurfaceVelocity>().expect("a velocity").0 = Vec3::Z * f32::from(k);
        run(&mut app, 1);
        let now = core_body(&app, body);
        assert_eq!((now.force.x, now.material.friction, now.surface_velocity.z), (k.into(), k.into(), k.into()));
    }
    assert_eq!(asked.load(Ordering::Relaxed), before);
}
