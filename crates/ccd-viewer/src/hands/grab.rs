//! A spring between the pointer and the place of a body that was taken hold of.

use bevy::picking::mesh_picking::ray_cast::{MeshRayCast, MeshRayCastSettings};
use bevy::picking::pointer::PointerButton;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_ccd::convert::{from_point, to_point};
use bevy_ccd::{CcdClock, CcdWorld};
use ccd_core::dynamics::{Body, BodyKind};
use ccd_core::id::BodyId;
use ccd_core::math::{Matrix, Point, Vector};

use crate::camera::{FreeCanvas, SceneCamera};
use crate::draw::bodies::Actor;
use crate::palette;
use crate::panels::hud::Notice;
use crate::playback::{Playback, Transport};

/// What is held, and where it is pulled to.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Grab(pub Option<Held>);

/// A body that is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Which.
    pub body: BodyId,
    /// Where, in the body's frame, metres.
    pub local: Point,
    /// Where to, world.
    pub target: Point,
}

/// Oscillations a second, as watched: the spring is as stiff for a bullet in slow motion as for a crate.
const FREQUENCY: f64 = 3.0;
/// Of what would just not oscillate.
const DAMPING: f64 = 0.8;

/// The keys that make a press of the left button take hold of a body.
pub const REACH: [KeyCode; 2] = [KeyCode::ControlLeft, KeyCode::ControlRight];

/// A press on a dynamic body, or close beside it, with Ctrl held takes hold of it; what was recorded after the watched instant is
/// forgotten, for it goes another way now.
pub(super) fn take_hold(
    press: On<Pointer<Press>>,
    keys: Option<Res<ButtonInput<KeyCode>>>,
    actors: Query<&Actor>,
    cameras: Query<(&Camera, &GlobalTransform), With<SceneCamera>>,
    mut meshes: MeshRayCast,
    free: Res<FreeCanvas>,
    playback: Res<Playback>,
    clock: Res<CcdClock>,
    time: Res<Time<Real>>,
    mut grab: ResMut<Grab>,
    mut notice: ResMut<Notice>,
    mut transport: MessageWriter<Transport>,
) {
    if press.button != PointerButton::Primary || !keys.is_some_and(|keys| keys.any_pressed(REACH)) {
        return;
    }
    let body_of = |entity: Entity| {
        let id = actors.get(entity).ok()?.0;
        let body = playback.body(id)?;
        (body.kind() == BodyKind::Dynamic).then_some(id)
    };
    let hit = body_of(press.original_event_target()).zip(press.hit.position);
    let near = || {
        let (camera, transform) = cameras.single().ok().filter(|_| !free.pointer_taken)?;
        let is_movable = |entity: Entity| body_of(entity).is_some();
        let settings = MeshRayCastSettings::default().with_filter(&is_movable);
        beside(press.pointer_location.position).find_map(|place| {
            let ray = camera.viewport_to_world(transform, place).ok()?;
            let (entity, hit) = meshes.cast_ray(ray, &settings).first()?;
            Some((body_of(*entity)?, hit.point))
        })
    };
    let Some((body, at)) = hit.or_else(near) else { return };
    let Some(pose) = playback.pose(body) else { return };
    let target = to_point(at);
    grab.0 = Some(Held { body, local: pose.inverse_transform_point(&target), target });
    if clock.paused {
        notice.tell("time stands: the spring pulls when it goes on (Space)", time.elapsed());
    }
    if !playback.tape.is_at_end() {
        transport.write(Transport::Cut);
    }
}

/// How far beside a body a press still takes hold of it, pixels: thin rings and fast bullets are hard to hit.
const REACHES: [f32; 3] = [4.0, 8.0, 12.0];

/// Places around this one, the nearest first.
fn beside(place: Vec2) -> impl Iterator<Item = Vec2> {
    REACHES.into_iter().flat_map(move |reach| {
        (0..8_u8).map(move |eighth| place + Vec2::from_angle(f32::from(eighth) * std::f32::consts::FRAC_PI_4) * reach)
    })
}

/// The pointer moves the target in the plane that faces the camera; the released button lets go.
pub(super) fn follow_pointer(
    mut grab: ResMut<Grab>,
    buttons: Option<Res<ButtonInput<MouseButton>>>,
    windows: Query<&Window, With<PrimaryWindow>>,
    cameras: Query<(&Camera, &GlobalTransform), With<SceneCamera>>,
) {
    let Some(held) = grab.0 else { return };
    if !buttons.is_some_and(|buttons| buttons.pressed(MouseButton::Left)) {
        grab.0 = None;
        return;
    }
    let (Ok(window), Ok((camera, transform))) = (windows.single(), cameras.single()) else { return };
    let Some(ray) = window.cursor_position().and_then(|cursor| camera.viewport_to_world(transform, cursor).ok()) else {
        return;
    };
    let plane = InfinitePlane3d::new(transform.forward());
    if let Some(distance) = ray.intersect_plane(from_point(&held.target), plane) {
        grab.0 = Some(Held { target: to_point(ray.get_point(distance)), ..held });
    }
}

pub(super) fn draw_spring(mut gizmos: Gizmos, grab: Res<Grab>, playback: Res<Playback>) {
    let Some(held) = grab.0 else { return };
    let Some(pose) = playback.pose(held.body) else { return };
    let (from, to) = (from_point(&(pose * held.local)), from_point(&held.target));
    gizmos.line(from, to, palette::SELECTED);
    gizmos.sphere(Isometry3d::from_translation(to), 0.04 * (to - from).length().max(1e-3), palette::SELECTED);
}

/// Pulls what is held for a step of `dt` seconds, watched at `rate` simulated seconds a second.
pub fn pull(world: &mut World, dt: f64, rate: f64) {
    let Some(held) = world.resource::<Grab>().0 else { return };
    let mut ccd = world.resource_mut::<CcdWorld>();
    let Some((impulse, at)) = ccd.core().body(held.body).map(|body| spring_impulse(body, &held, dt, rate)) else {
        world.resource_mut::<Grab>().0 = None;
        return;
    };
    // A body that is gone, or numbers that are none, are not pulled.
    let _ = ccd.apply_impulse(held.body, &impulse, &at);
}

/// The impulse of a damped spring over a step, solved for the velocity after it: stable at any length of step and stiffness.
fn spring_impulse(body: &Body, held: &Held, dt: f64, rate: f64) -> (Vector, Point) {
    let at = body.pose() * held.local;
    let arm = at - body.centre();
    let velocity = body.linear_velocity() + body.angular_velocity().cross(&arm);
    let stretch = at - held.target;
    let frequency = std::f64::consts::TAU * FREQUENCY / rate.max(1e-6);
    let mass = body.mass_properties().mass;
    let (stiffness, damping) = (mass * frequency * frequency, 2.0 * mass * DAMPING * frequency);
    let softness = 1.0 / (dt * (damping + dt * stiffness));
    let cross = arm.cross_matrix();
    let mobility = Matrix::from_diagonal(&body.inverse_mass()) - cross * body.inverse_inertia(body.pose()) * cross;
    let soft = mobility + Matrix::identity() * softness;
    let wanted = velocity + stretch * (dt * stiffness * softness);
    let impulse = soft.try_inverse().map_or_else(Vector::zeros, |inverse| -(inverse * wanted));
    (impulse, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_core::dynamics::BodyDefinition;
    use ccd_core::math::Pose;
    use ccd_core::shape::Shape;
    use ccd_core::world::{World as ContactWorld, WorldSettings};

    #[test]
    fn what_is_held_comes_to_rest_at_the_target_with_the_held_place_there() {
        for dt in [1.0 / 240.0, 1.0 / 60.0, 0.2] {
            let settings = WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() };
            let mut world = ContactWorld::new(settings).unwrap();
            let cube = Shape::cuboid([0.5, 0.2, 0.3]).unwrap();
            let definition = BodyDefinition {
                angular_damping: 2.0,
                ..BodyDefinition::new(BodyKind::Dynamic, cube, Pose::identity())
            };
            let id = world.add_body(definition).unwrap();
            let held = Held { body: id, local: Point::new(0.5, 0.1, 0.0), target: Point::new(2.0, 1.0, -1.0) };
            for _ in 0..(8.0 / dt) as usize {
                let (impulse, at) = spring_impulse(world.body(id).unwrap(), &held, dt, 1.0);
                world.body_mut(id).unwrap().apply_impulse(&impulse, &at).unwrap();
                world.step(dt).unwrap();
            }
            let off = (world.body(id).unwrap().pose() * held.local - held.target).norm();
            assert!(off < 0.02, "{off} m off at steps of {dt} s");
        }
    }
}
