//! What is saved of bodies by reflection, as scenes and saved games do, makes the same bodies again.

use crate::common::*;
use bevy::ecs::entity::EntityMapper;
use bevy::reflect::TypeRegistry;
use bevy::reflect::serde::{ReflectDeserializer, ReflectSerializer};
use serde::de::DeserializeSeed;

/// All components of an entity that can be reflected, as text.
fn saved(app: &App, entity: Entity) -> Vec<String> {
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let entity = app.world().entity(entity);
    let reflected = registry.iter().filter_map(|registration| registration.data::<ReflectComponent>()?.reflect(entity));
    let is_ours = |path: &str| path.starts_with("bevy_ccd::") || path.ends_with("::Transform");
    let ours = reflected.filter(|component| is_ours(component.reflect_type_path()));
    ours.map(|component| {
        let serializer = ReflectSerializer::new(component.as_partial_reflect(), &registry);
        serde_json::to_string(&serializer).unwrap_or_else(|error| panic!("{}: {error}", component.reflect_type_path()))
    })
    .collect()
}

fn load(app: &mut App, components: &[String]) -> Entity {
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry: &TypeRegistry = &registry.read();
    let mut entity = app.world_mut().spawn_empty();
    for component in components {
        let mut deserializer = serde_json::Deserializer::from_str(component);
        let component = ReflectDeserializer::new(registry).deserialize(&mut deserializer).expect(component);
        let info = component.get_represented_type_info().expect("a type");
        let data = registry.get_type_data::<ReflectComponent>(info.type_id()).expect("a component");
        data.insert(&mut entity, component.as_partial_reflect(), registry);
    }
    entity.id()
}

#[test]
fn bodies_that_are_saved_and_loaded_go_on_as_those_that_were_not() {
    let mut app = app();
    let hull = Collider::convex_hull([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let sheet = Collider::trimesh(
        [[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [9.0, 0.0, 9.0], [-9.0, 0.0, 9.0]],
        vec![[0, 2, 1], [0, 3, 2]],
    );
    let surface = (Friction::new(0.3).with_combine_rule(CoefficientCombine::Min), Restitution::new(0.5));
    let bodies = [
        app.world_mut().spawn((RigidBody::Static, sheet.expect("a mesh"), surface)).id(),
        app.world_mut().spawn((ball(3.0), Mass(2.0), CollisionLayers::new(0b1, LayerMask::ALL))).id(),
        app.world_mut()
            .spawn((
                (RigidBody::Dynamic, hull.expect("a hull"), ColliderDensity(700.0), LinearDamping(0.1)),
                (LinearVelocity::new(1.0, 0.0, 0.5), AngularVelocity::new(0.0, 2.0, 0.0)),
                (LockedAxes::new().lock_rotation_x(), GravityScale(0.5), ConstantForce::new(0.0, 0.0, 3.0)),
                (CollisionEventsEnabled, CollidingEntities::default(), TransformInterpolation::default()),
                Transform::from_xyz(3.0, 2.0, 0.0),
            ))
            .id(),
    ];
    run(&mut app, 20);
    let mut other = app_with(|_| {});
    let loaded: Vec<Entity> =
        bodies.iter().map(|&body| saved(&app, body)).map(|text| load(&mut other, &text)).collect();
    // From the rounded state that components show.
    let mut twin = app_with(|_| {});
    let copies = bodies.map(|body| {
        let source = app.world().entity(body);
        let shown = (
            *source.get::<Transform>().expect("a transform"),
            source.get::<Collider>().expect("a collider").clone(),
            *source.get::<LinearVelocity>().expect("a velocity"),
            *source.get::<AngularVelocity>().expect("a velocity"),
        );
        let mut copy = twin.world_mut().spawn((shown, *source.get::<RigidBody>().expect("a body")));
        macro_rules! also {
            ($($component:ty)*) => {$(
                if let Some(component) = source.get::<$component>() {
                    copy.insert(component.clone());
                }
            )*};
        }
        also!(Friction Restitution Mass ColliderDensity LinearDamping LockedAxes GravityScale ConstantForce CollisionLayers);
        copy.id()
    });
    run(&mut other, 64);
    run(&mut twin, 64);
    for (&loaded, &copy) in loaded.iter().zip(&copies) {
        assert_eq!(core_body(&other, loaded).pose(), core_body(&twin, copy).pose());
        assert_eq!(core_body(&other, loaded).linear_velocity(), core_body(&twin, copy).linear_velocity());
    }
    assert!(take::<CcdProblem>(&mut other).is_empty());
}

#[test]
fn who_sleeps_when_it_is_saved_sleeps_after_the_first_step_when_it_is_loaded() {
    let mut app = app();
    let bodies =
        [app.world_mut().spawn(floor()).id(), app.world_mut().spawn((ball(0.51), RollingResistance(0.01))).id()];
    run(&mut app, 256);
    assert!(app.world().entity(bodies[1]).contains::<Sleeping>());
    let mut other = app_with(|_| {});
    let loaded = bodies.map(|body| saved(&app, body)).map(|text| load(&mut other, &text));
    run(&mut other, 1);
    assert!(core_body(&other, loaded[1]).is_asleep());
}

#[test]
fn entities_that_components_name_are_others_where_a_scene_is_spawned() {
    let mut world = World::new();
    let [before, after] = [world.spawn_empty().id(), world.spawn_empty().id()];
    let mut mapper = (before, after);
    fn map<C: Component>(mut component: C, mapper: &mut impl EntityMapper) -> C {
        C::map_entities(&mut component, mapper);
        component
    }
    let filter = SpatialQueryFilter::from_excluded_entities([before]);
    let ray = map(RayCaster::default().with_query_filter(filter.clone()), &mut mapper);
    assert_eq!(ray.query_filter.excluded_entities, [after]);
    let shape =
        ShapeCaster::new(Sphere::new(0.5), Vec3::ZERO, Quat::IDENTITY, Dir3::X).with_query_filter(filter.clone());
    assert_eq!(map(shape, &mut mapper).query_filter.excluded_entities, [after]);
    assert_eq!(map(NoCollideGroup(before), &mut mapper), NoCollideGroup(after));
    #[cfg(feature = "picking")]
    assert_eq!(map(CcdPickingCamera(filter), &mut mapper).0.excluded_entities, [after]);
}

#[test]
fn colliders_are_made_of_the_primitives_that_are_drawn() {
    for (made, wanted) in [
        (Collider::from(Sphere::new(0.5)), Collider::sphere(0.5)),
        (Collider::from(Cuboid::new(1.0, 2.0, 3.0)), Collider::cuboid(1.0, 2.0, 3.0)),
        (Collider::from(Capsule3d::new(0.5, 2.0)), Collider::capsule(0.5, 2.0)),
        (Collider::from(Cylinder::new(0.5, 2.0)), Collider::cylinder(0.5, 2.0)),
        (Collider::from(Cone::new(0.5, 2.0)), Collider::cone(0.5, 2.0)),
        (Collider::from(InfinitePlane3d::new(Vec3::Y)), Collider::half_space(Vec3::Y)),
    ] {
        assert_eq!(made, wanted);
    }
}
