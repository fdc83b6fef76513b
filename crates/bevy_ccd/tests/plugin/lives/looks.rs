//! What has to hold whatever happened.

use std::time::Duration;

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::Allow;
use bevy::ecs::system::SystemState;
use bevy::math::DVec3;
use bevy_ccd::ccd_core::detection::closest::{closest_within, interferes};
use bevy_ccd::ccd_core::dynamics::Body as CoreBody;
use bevy_ccd::ccd_core::id::BodyId;
use bevy_ccd::ccd_core::math::Pose;
use bevy_ccd::ccd_core::shape::Shape as CoreShape;

use super::Life;
use crate::common::*;

impl Life {
    /// The world has the bodies that are to be, as they are to be.
    pub fn look_at_bodies(&mut self) {
        let mut bodies = self.app.world_mut().query_filtered::<(Entity, &CcdBody), Allow<Disabled>>();
        let world = self.app.world();
        let ccd = world.resource::<CcdWorld>();
        let bodies: Vec<(Entity, BodyId)> = bodies.iter(world).map(|(entity, body)| (entity, body.id())).collect();
        assert_eq!(ccd.core().bodies().count(), bodies.len(), "bodies of the world, and of entities");
        for (entity, id) in &bodies {
            assert_eq!((ccd.entity(*id), ccd.body_id(*entity)), (Some(*entity), Some(*id)));
        }
        // What is refused for its scale has what it had before, until that is set right.
        let is_even = |scale: Vec3| scale == Vec3::splat(scale.x) && scale.x > 0.0;
        let scale = |entity: &Entity| world.get::<Transform>(*entity).map_or(Vec3::ONE, |transform| transform.scale);
        let some_uneven = self.places.iter().flatten().any(|entity| !is_even(scale(entity)));
        for entity in self.places.iter().flatten() {
            let is_one = bodies.iter().any(|(body, _)| body == entity);
            let is_to_be = self.is_to_be(*entity);
            assert!(is_one == is_to_be || is_to_be && self.refused.contains(entity), "{entity} is a body: {is_one}");
            let Some(id) = ccd.body_id(*entity).filter(|_| is_one) else { continue };
            let body = ccd.core().body(id).expect("it is there");
            if some_uneven && self.refused.contains(entity) {
                continue;
            }
            assert_eq!(body.sensor, world.get::<Sensor>(*entity).is_some(), "{entity} is a sensor");
            let friction = world.get::<Friction>(*entity).map_or(0.5, |friction| friction.coefficient);
            assert_eq!(body.material.friction as f32, friction, "the friction of {entity}");
            let runs = world.get::<SurfaceVelocity>(*entity).map_or(Vec3::ZERO, |surface| surface.0);
            let known: [f64; 3] = body.surface_velocity.into();
            assert_eq!(DVec3::from(known).as_vec3(), runs, "the surface of {entity} runs");
            let way = world.get::<OneWayPlatform>(*entity).map(|platform| platform.0.as_vec3());
            let known = body.one_way.map(|known| DVec3::from(<[f64; 3]>::from(known)).as_vec3());
            assert_eq!(known, way, "{entity} is solid from one side");
            assert_eq!(body.can_sleep, world.get::<SleepingDisabled>(*entity).is_none(), "{entity} may sleep");
            let layers = world.get::<CollisionLayers>(*entity).copied().unwrap_or_default();
            let known = body.layers.memberships;
            assert!(known == layers.memberships.0 || known == 0, "the layers of {entity}: {known:b}, {layers:?}");
        }
    }

    /// Transforms show where bodies are.
    pub fn look_at_places(&self) {
        let world = self.app.world();
        let ccd = world.resource::<CcdWorld>();
        let shows =
            |entity| world.get::<ChildOf>(entity).is_none() && world.get::<TransformInterpolation>(entity).is_none();
        for (entity, _, body) in ccd.bodies().filter(|(entity, ..)| shows(*entity)) {
            let there: [f64; 3] = body.pose().translation.vector.into();
            let off = place(&self.app, entity).as_dvec3() - DVec3::from(there);
            assert!(
                off.length() <= 1e-6 * (1.0 + DVec3::from(there).length()),
                "{entity} is {off} beside its transform"
            );
        }
    }

    /// Nothing that meets overlaps.
    pub fn look_at_pairs(&self) {
        let ccd = self.app.world().resource::<CcdWorld>();
        let bodies: Vec<_> = ccd.bodies().collect();
        let group = |entity: Entity| self.app.world().get::<NoCollideGroup>(entity).map(|group| group.0);
        for (i, (entity, _, a)) in bodies.iter().enumerate() {
            for (other, _, b) in &bodies[i + 1..] {
                let [of, of_other] = [group(*entity), group(*other)];
                let are_one = of == Some(*other) || of_other == Some(*entity) || of.is_some() && of == of_other;
                assert!(!(are_one && a.meets(b)), "{entity} and {other} are of one group");
                // What passes through a platform is in it.
                let may_pass = a.one_way.is_some() || b.one_way.is_some();
                if a.meets(b) && !may_pass && !a.sensor && !b.sensor {
                    let overlap = interferes(a.shape(), a.pose(), b.shape(), b.pose(), 0.0);
                    assert!(overlap.is_none(), "{entity} and {other} overlap: {overlap:?}");
                }
            }
        }
    }

    /// What a ray meets is where it is said to be, and nothing is nearer.
    pub fn look_along(&mut self, from: Vec3, way: Vec3) {
        const REACH: f32 = 8.0;
        let direction = Dir3::new(way).unwrap_or(Dir3::NEG_Y);
        let mut state = SystemState::<SpatialQuery>::new(self.app.world_mut());
        let query = state.get(self.app.world()).expect("the plugin's resources");
        let hit = query.cast_ray(from, direction, REACH, &default()).expect("a ray");
        let dot = CoreShape::ball(1e-6).expect("a dot");
        let ccd = self.app.world().resource::<CcdWorld>();
        let holds = |body: &CoreBody, distance: f64| {
            let at = from.as_dvec3() + direction.as_dvec3().normalize() * distance;
            let there = Pose::translation(at.x, at.y, at.z);
            body.layers.memberships != 0 && interferes(&dot, &there, body.shape(), body.pose(), 0.0).is_some()
        };
        let free = hit.map_or(REACH, |hit| hit.distance);
        for (entity, _, body) in ccd.bodies() {
            for k in 0..40 {
                let distance = (f64::from(free) - 1e-4) * f64::from(k) / 40.0;
                assert!(distance <= 0.0 || !holds(body, distance), "{entity} is met at {distance} m, before {hit:?}");
            }
        }
        if let Some(hit) = hit {
            let body = ccd.core().body(ccd.body_id(hit.entity).expect("a body")).expect("it is there");
            let at = hit.point.as_dvec3();
            let there = Pose::translation(at.x, at.y, at.z);
            let found = closest_within(&dot, &there, body.shape(), body.pose(), 1e-4).expect("they can be asked");
            assert!(hit.distance == 0.0 || found.is_some(), "{hit:?} is not of it");
        }
    }

    /// What is moved from where there is room ends where there is room.
    pub fn walk(&mut self, shape: &Collider, from: Vec3, velocity: Vec3) {
        let mut state = SystemState::<MoveAndSlide>::new(self.app.world_mut());
        let slide = state.get(self.app.world()).expect("the plugin's resources");
        let ccd = self.app.world().resource::<CcdWorld>();
        let solid = shape.shape(Vec3::ONE).expect("a shape");
        let is_in = |at: Vec3| {
            let there = Pose::translation(at.x.into(), at.y.into(), at.z.into());
            // What passes through a platform is in it.
            let meets = |body: &CoreBody| !body.sensor && body.one_way.is_none() && body.layers.memberships != 0;
            let within = |body: &CoreBody| interferes(&solid, &there, body.shape(), body.pose(), 0.0).is_some();
            ccd.bodies().filter(|(.., body)| meets(body) && within(body)).map(|(entity, ..)| entity).next()
        };
        let begins_in = is_in(from);
        for walk in [None, Some(CharacterWalk::default())] {
            // What carries it would still have to go on.
            let walk = walk.map(|walk| CharacterWalk { rides: false, ..walk });
            let config = MoveAndSlideConfig { walk, ..default() };
            let (time, accept) =
                (Duration::from_millis(100), |_: &mut MoveAndSlideHitData| MoveAndSlideHitResponse::Accept);
            let moved = slide.move_and_slide(shape, from, Quat::IDENTITY, velocity, time, &config, &default(), accept);
            let moved = moved.expect("numbers");
            let ends_in = is_in(moved.position);
            assert!(begins_in.is_some() || moved.stuck_in.is_none() && ends_in.is_none(), "{ends_in:?}: {moved:?}");
            assert!(ends_in.is_none() || moved.stuck_in.is_some(), "within {ends_in:?}, and not told: {moved:?}");
        }
    }
}
