//! What rests is not looked at in every step, and whatever is done to it is noticed all the same.

use crate::common::*;
use bevy::ecs::entity_disabling::Disabled;

/// A disabling component of the game's own.
#[derive(Component, Clone)]
struct OutOfSight;

/// A box that sleeps on a floor, with a collider on an arm and a picture below it, in a level.
struct Scene {
    app: App,
    level: Entity,
    load: Entity,
    arm: Entity,
    /// Below the arm.
    part: Entity,
    picture: Entity,
}

fn scene() -> Scene {
    let mut app = app_with(|app| {
        app.world_mut().register_disabling_component::<OutOfSight>();
    });
    let world = app.world_mut();
    let level = world.spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
    world.spawn((floor(), ChildOf(level)));
    let load = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.0, 0.51, 0.0));
    let load = world.spawn((load, ChildOf(level))).id();
    let arm = world.spawn((Transform::from_xyz(0.0, 0.7, 0.0), ChildOf(load))).id();
    let part = (Collider::cuboid(0.4, 0.4, 0.4), Transform::default(), ChildOf(arm));
    let part = world.spawn(part).id();
    let picture = world.spawn((Transform::from_xyz(0.1, 0.0, 0.0), ChildOf(load))).id();
    run(&mut app, 192);
    assert!(core_body(&app, load).is_asleep());
    Scene { app, level, load, arm, part, picture }
}

impl Scene {
    /// What the core has made of the load, besides its place and motion.
    fn made(&self) -> String {
        let body = core_body(&self.app, self.load);
        let mass = body.mass_properties();
        let surface = (body.material, body.part_materials(), body.surface_velocity, body.gravity_scale);
        let forces = (body.force, body.torque, body.linear_damping, body.angular_damping);
        let meets = (body.layers, body.one_way, body.sensor, body.can_sleep, body.locked_axes());
        format!("{:?} {:?} {mass:?} {surface:?} {forces:?} {meets:?}", body.kind(), body.shape().part_count())
    }

    fn name(&self) -> impl PartialEq + std::fmt::Debug + use<> {
        self.app.world().get::<CcdBody>(self.load).map(CcdBody::id)
    }

    /// Has everything looked at, which must tell nothing that was not known.
    fn assert_known(&mut self, what: &str) {
        let (made, name) = (self.made(), self.name());
        self.app.world_mut().resource_mut::<CcdSettings>().set_changed();
        self.app.update();
        assert_eq!((self.made(), self.name()), (made, name), "{what}");
    }
}

/// Gives an entity a component, writes it, and takes it away, each of which makes of the load something else.
fn assert_noticed<C: Component + Clone>(of: fn(&Scene) -> Entity, [component, other]: [C; 2]) {
    let what = std::any::type_name::<C>();
    let mut scene = scene();
    let (entity, before) = (of(&scene), scene.made());
    assert!(scene.app.world().get::<C>(entity).is_none(), "{what}");
    scene.app.world_mut().entity_mut(entity).insert(component);
    scene.app.update();
    let given = scene.made();
    assert_ne!(given, before, "{what} is given");
    scene.assert_known(what);
    scene.app.world_mut().entity_mut(entity).insert(other);
    scene.app.update();
    assert_ne!(scene.made(), given, "{what} is written");
    scene.assert_known(what);
    scene.app.world_mut().entity_mut(entity).remove::<C>();
    scene.app.update();
    assert_eq!(scene.made(), before, "{what} is taken");
}

fn load(scene: &Scene) -> Entity {
    scene.load
}

fn part(scene: &Scene) -> Entity {
    scene.part
}

fn picture(scene: &Scene) -> Entity {
    scene.picture
}

#[test]
fn every_component_of_a_sleeping_body_is_noticed_when_it_comes_changes_and_goes() {
    assert_noticed(load, [Mass(3.0), Mass(4.0)]);
    assert_noticed(load, [ColliderDensity(3.0), ColliderDensity(4.0)]);
    assert_noticed(load, [CenterOfMass(Vec3::X * 0.1), CenterOfMass(Vec3::X * 0.2)]);
    let inertia = |moment| AngularInertia { principal: Vec3::splat(moment), local_frame: Quat::IDENTITY };
    assert_noticed(load, [inertia(1.0), inertia(2.0)]);
    assert_noticed(load, [Restitution::new(0.1), Restitution::new(0.2)]);
    assert_noticed(load, [Friction::new(0.1), Friction::new(0.2)]);
    assert_noticed(load, [RollingResistance(0.1), RollingResistance(0.2)]);
    assert_noticed(load, [SurfaceVelocity(Vec3::X), SurfaceVelocity(Vec3::Z)]);
    assert_noticed(load, [GravityScale(0.5), GravityScale(2.0)]);
    assert_noticed(load, [LinearDamping(0.1), LinearDamping(0.2)]);
    assert_noticed(load, [AngularDamping(0.1), AngularDamping(0.2)]);
    assert_noticed(load, [LockedAxes::ROTATION_LOCKED, LockedAxes::TRANSLATION_LOCKED]);
    assert_noticed(load, [ConstantForce::new(1.0, 0.0, 0.0), ConstantForce::new(2.0, 0.0, 0.0)]);
    assert_noticed(load, [ConstantTorque::new(1.0, 0.0, 0.0), ConstantTorque::new(2.0, 0.0, 0.0)]);
    let layers = |filters: u32| CollisionLayers::new(LayerMask::ALL, LayerMask(filters));
    assert_noticed(load, [layers(3), layers(5)]);
    assert_noticed(load, [OneWayPlatform(Dir3::Y), OneWayPlatform(Dir3::X)]);
}

#[test]
fn the_colliders_below_a_sleeping_body_are_noticed_as_they_come_change_and_go() {
    assert_noticed(part, [ColliderDensity(3.0), ColliderDensity(4.0)]);
    assert_noticed(part, [Restitution::new(0.1), Restitution::new(0.2)]);
    assert_noticed(part, [Friction::new(0.1), Friction::new(0.2)]);
    assert_noticed(part, [RollingResistance(0.1), RollingResistance(0.2)]);
    assert_noticed(picture, [Collider::sphere(0.1), Collider::sphere(0.2)]);
}

/// What is done, and how.
type Act = (&'static str, fn(&mut World, &[Entity; 5]));

#[test]
fn what_marks_moves_hides_or_takes_a_part_of_a_sleeping_body_is_noticed() {
    let acts: [Act; 14] = [
        ("may not sleep", |world, [_, load, ..]| _ = world.entity_mut(*load).insert(SleepingDisabled)),
        ("is a sensor", |world, [_, load, ..]| _ = world.entity_mut(*load).insert(Sensor)),
        ("is kinematic", |world, [_, load, ..]| _ = world.entity_mut(*load).insert(RigidBody::Kinematic)),
        ("is larger", |world, [_, load, ..]| world.get_mut::<Transform>(*load).expect("one").scale *= 1.5),
        ("is another", |world, [_, load, ..]| _ = world.entity_mut(*load).insert(Collider::sphere(0.5))),
        ("the level is larger", |world, [level, ..]| world.get_mut::<Transform>(*level).expect("one").scale *= 1.5),
        ("the arm is longer", |world, [_, _, arm, ..]| {
            world.get_mut::<Transform>(*arm).expect("one").translation *= 2.0
        }),
        ("the part is wider", |world, [_, _, _, part, _]| {
            world.get_mut::<Transform>(*part).expect("one").scale.x *= 2.0;
        }),
        ("the part is disabled", |world, [_, _, _, part, _]| _ = world.entity_mut(*part).insert(ColliderDisabled)),
        ("the part only notices", |world, [_, _, _, part, _]| _ = world.entity_mut(*part).insert(Sensor)),
        ("the part is hidden", |world, [_, _, _, part, _]| _ = world.entity_mut(*part).insert(Disabled)),
        ("the part is out of sight", |world, [_, _, _, part, _]| _ = world.entity_mut(*part).insert(OutOfSight)),
        ("the part is gone", |world, [_, _, _, part, _]| _ = world.despawn(*part)),
        ("there is one more", |world, [_, load, ..]| {
            _ = world.spawn((Collider::sphere(0.2), Transform::from_xyz(0.0, -0.1, 0.0), ChildOf(*load)));
        }),
    ];
    for (what, act) in acts {
        let mut scene = scene();
        let before = scene.made();
        let entities = [scene.level, scene.load, scene.arm, scene.part, scene.picture];
        act(scene.app.world_mut(), &entities);
        scene.app.update();
        assert_ne!(scene.made(), before, "{what}");
        scene.assert_known(what);
        for of in [scene.part, scene.load] {
            if let Ok(mut marked) = scene.app.world_mut().get_entity_mut(of) {
                marked.remove::<(Disabled, OutOfSight, SleepingDisabled, ColliderDisabled)>();
            }
        }
        scene.app.update();
        if ["hidden", "sight", "disabled", "may not"].iter().any(|mark| what.contains(mark)) {
            assert_eq!(scene.made(), before, "{what} no longer");
        }
    }
}

#[test]
fn a_sleeping_body_stays_where_it_is_when_its_level_is_moved_and_shows_so_in_the_same_tick() {
    let mut scene = scene();
    let (load, exact) = (scene.load, *core_body(&scene.app, scene.load).pose());
    scene.app.world_mut().get_mut::<Transform>(scene.level).expect("a transform").translation.x += 2.0;
    let local = place(&scene.app, load).x;
    scene.app.update();
    assert_eq!(place(&scene.app, load).x, local - 2.0);
    assert_eq!(core_body(&scene.app, load).pose(), &exact);
}

#[test]
fn what_is_below_a_body_that_moves_is_shown_where_it_is_though_it_rests() {
    let mut app = still_app();
    let ship = app.world_mut().spawn((ball(0.0), LinearVelocity(Vec3::X))).id();
    let buoy = (RigidBody::Dynamic, Collider::sphere(0.5), Transform::from_xyz(0.0, 5.0, 0.0), ChildOf(ship));
    let buoy = app.world_mut().spawn(buoy).id();
    run(&mut app, 100);
    assert!(place(&app, ship).x > 1.4);
    assert!(core_body(&app, buoy).is_asleep());
    let shown = place(&app, ship) + place(&app, buoy);
    assert!((shown - Vec3::Y * 5.0).length() < 1e-5, "{shown}");
}

#[test]
fn what_was_taken_from_a_sleeping_body_is_noticed_however_many_frames_went_by_without_a_tick() {
    let mut scene = scene();
    let before = scene.made();
    scene.app.world_mut().entity_mut(scene.load).insert(Friction::new(0.1));
    run(&mut scene.app, 100);
    assert_ne!(scene.made(), before);
    scene.app.insert_resource(TimeUpdateStrategy::ManualDuration(std::time::Duration::ZERO));
    scene.app.world_mut().entity_mut(scene.load).remove::<Friction>();
    run(&mut scene.app, 20);
    assert_ne!(scene.made(), before, "no tick has been made");
    scene.app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    run(&mut scene.app, 2);
    assert_eq!(scene.made(), before);
}

#[test]
fn what_a_body_is_taken_from_wakes_in_the_same_tick_though_the_clock_stands() {
    let mut scene = scene();
    let load = scene.load;
    let lid = (RigidBody::Dynamic, Collider::cuboid(1.0, 0.2, 1.0), Transform::from_xyz(4.0, 0.11, 0.0));
    let lid = scene.app.world_mut().spawn(lid).id();
    let on_it = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(4.0, 0.72, 0.0));
    let on_it = scene.app.world_mut().spawn(on_it).id();
    run(&mut scene.app, 192);
    let sleeps = |app: &App, entity: Entity| app.world().entity(entity).contains::<Sleeping>();
    assert!([load, lid, on_it].iter().all(|entity| sleeps(&scene.app, *entity)));
    scene.app.insert_resource(CcdClock::paused());
    scene.app.world_mut().get_mut::<Transform>(lid).expect("a transform").translation.x += 5.0;
    scene.app.update();
    assert_eq!([load, lid, on_it].map(|entity| sleeps(&scene.app, entity)), [true, false, false]);
}

#[test]
fn nothing_is_written_of_what_sleeps_eased_or_not() {
    #[derive(Resource, Default)]
    struct Written(usize);
    let count = |written: Query<(), Or<(Changed<Transform>, Changed<LinearVelocity>, Changed<AngularVelocity>)>>,
                 mut count: ResMut<Written>| count.0 = written.iter().count();
    let mut app = app_with(|app| {
        app.init_resource::<Written>().add_systems(Last, count.ambiguous_with_all());
    });
    app.world_mut().spawn(floor());
    for k in 0..8 {
        let at =
            Transform::from_xyz(2.0 * k as f32, 0.51, 0.0).with_rotation(Quat::from_rotation_y(0.1 + 0.3 * k as f32));
        let cube = app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), at)).id();
        if k % 2 == 0 {
            app.world_mut().entity_mut(cube).insert(TransformInterpolation::default());
        }
    }
    run(&mut app, 2);
    assert!(app.world().resource::<Written>().0 > 0);
    run(&mut app, 190);
    let asleep = app.world_mut().query_filtered::<(), With<Sleeping>>().iter(app.world()).count();
    assert_eq!((asleep, app.world().resource::<Written>().0), (8, 0));
}
