//! Observers of the game that despawn what the plugin is at work on.

use crate::common::*;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::Allow;
use bevy::mesh::MeshPlugin;

/// Three of these below a root that is despawned as soon as one of them has a `C`, or as soon as one has none any more; what remains of them
/// in the world.
fn all_gone_on_add<C: Component>(child: impl Fn() -> Family) -> usize {
    let mut app = app();
    app.add_observer(|added: On<Add, C>, mut commands: Commands, parents: Query<&ChildOf>| {
        commands.entity(parents.root_ancestor(added.entity)).try_despawn();
    });
    after_a_while(app, child, |_| {})
}

fn all_gone_on_remove<C: Component>(child: impl Fn() -> Family, change: fn(&mut EntityWorldMut)) -> usize {
    let mut app = app();
    app.add_observer(|removed: On<Remove, C>, mut commands: Commands, parents: Query<&ChildOf, Allow<Disabled>>| {
        commands.entity(parents.root_ancestor(removed.entity)).try_despawn();
    });
    after_a_while(app, child, change)
}

/// What the three are.
type Family = Box<dyn Fn(&mut EntityWorldMut)>;

fn family(dress: impl Fn(&mut EntityWorldMut) + 'static) -> Family {
    Box::new(dress)
}

fn after_a_while(mut app: App, child: impl Fn() -> Family, change: fn(&mut EntityWorldMut)) -> usize {
    let root = app.world_mut().spawn((Transform::default(), Visibility::default())).id();
    let children = [0.0, 3.0, 6.0].map(|x| {
        let mut entity = app.world_mut().spawn((Transform::from_xyz(x, 0.0, 0.0), ChildOf(root)));
        child()(&mut entity);
        entity.id()
    });
    run(&mut app, 2);
    for child in children {
        if let Ok(mut child) = app.world_mut().get_entity_mut(child) {
            change(&mut child);
        }
    }
    run(&mut app, 3);
    assert!(app.world().get_entity(root).is_err(), "it was despawned");
    app.world().resource::<CcdWorld>().core().bodies().count()
}

fn bodies() -> Family {
    family(|entity| _ = entity.insert((RigidBody::Dynamic, Collider::sphere(0.5))))
}

fn sensors() -> Family {
    family(|entity| _ = entity.insert((Sensor, Collider::sphere(0.5))))
}

#[test]
fn what_despawns_bodies_as_they_enter_leaves_none_of_them_in_the_world() {
    assert_eq!(all_gone_on_add::<CcdBody>(bodies), 0);
    // What is despawned here hangs on what enters.
    let mut app = app();
    app.add_observer(|added: On<Add, CcdBody>, mut commands: Commands| commands.entity(added.entity).despawn());
    for x in [0.0, 3.0] {
        app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), Transform::from_xyz(x, 0.0, 0.0)));
    }
    run(&mut app, 3);
    assert_eq!(app.world().resource::<CcdWorld>().core().bodies().count(), 0);
}

#[test]
fn what_despawns_bodies_as_they_leave_makes_no_panic() {
    assert_eq!(all_gone_on_remove::<CcdBody>(bodies, |body| _ = body.insert(RigidBodyDisabled)), 0);
    assert_eq!(all_gone_on_remove::<CcdBody>(bodies, |body| _ = body.remove::<RigidBody>()), 0);
    assert_eq!(all_gone_on_remove::<CcdBody>(sensors, |body| _ = body.remove::<Sensor>()), 0);
    assert_eq!(all_gone_on_remove::<CcdBody>(bodies, |body| _ = body.insert(Disabled)), 0);
}

#[test]
fn what_despawns_bodies_as_they_are_teleported_makes_no_panic() {
    assert_eq!(all_gone_on_remove::<Teleport>(bodies, |body| _ = body.insert(Teleport)), 0);
    let new = || family(|entity| _ = entity.insert((RigidBody::Kinematic, Collider::sphere(0.5), Teleport)));
    assert_eq!(all_gone_on_remove::<Teleport>(new, |_| {}), 0);
}

#[test]
fn what_despawns_a_group_for_one_of_its_constructors_makes_no_panic() {
    let sphere = |radius: f32| {
        move |entity: &mut EntityWorldMut<'_>| {
            entity.insert((RigidBody::Static, ColliderConstructor::Sphere { radius }));
        }
    };
    assert_eq!(all_gone_on_add::<Collider>(|| family(sphere(1.0))), 0);
    assert_eq!(all_gone_on_remove::<ColliderConstructor>(|| family(sphere(1.0)), |_| {}), 0);
    assert_eq!(all_gone_on_remove::<ColliderConstructor>(|| family(sphere(-1.0)), |_| {}), 0);
    let mut app = app();
    app.add_observer(|failed: On<ColliderConstructorFailed>, parents: Query<&ChildOf>, mut commands: Commands| {
        commands.entity(parents.root_ancestor(failed.entity)).try_despawn();
    });
    let each = std::sync::atomic::AtomicU32::new(0);
    let one_bad = || {
        let is_first = each.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
        family(sphere(if is_first { -1.0 } else { 1.0 }))
    };
    assert_eq!(after_a_while(app, one_bad, |_| {}), 0);
}

#[test]
fn what_despawns_a_scene_for_one_of_its_constructors_makes_no_panic() {
    let mut app = app_with(|app| _ = app.add_plugins((AssetPlugin::default(), MeshPlugin)));
    app.add_observer(|added: On<Add, ColliderConstructor>, mut commands: Commands, parents: Query<&ChildOf>| {
        commands.entity(parents.root_ancestor(added.entity)).try_despawn();
    });
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(Cuboid::new(1.0, 1.0, 1.0));
    let hierarchy = ColliderConstructorHierarchy::new(ColliderConstructor::TrimeshFromMesh)
        .with_default_density(ColliderDensity(3.0));
    let root = app.world_mut().spawn((RigidBody::Static, hierarchy, Transform::default())).id();
    for _ in 0..3 {
        app.world_mut().spawn((Mesh3d(mesh.clone()), Transform::default(), ChildOf(root)));
    }
    run(&mut app, 3);
    assert!(app.world().get_entity(root).is_err());
}

#[test]
fn what_despawns_bodies_that_a_state_knows_nothing_of_leaves_none_in_the_world() {
    let mut app = app();
    let before = app.world().resource::<CcdWorld>().snapshot();
    let root = app.world_mut().spawn(Transform::default()).id();
    for x in [0.0, 3.0, 6.0] {
        let place = Transform::from_xyz(x, 0.0, 0.0);
        app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), place, ChildOf(root)));
    }
    run(&mut app, 2);
    app.add_observer(|removed: On<Remove, CcdBody>, mut commands: Commands, parents: Query<&ChildOf>| {
        commands.entity(parents.root_ancestor(removed.entity)).try_despawn();
    });
    app.world_mut().resource_mut::<CcdWorld>().restore(before);
    run(&mut app, 3);
    assert_eq!(app.world().resource::<CcdWorld>().core().bodies().count(), 0);
}
