//! Bodies that are solid from one side.

use bevy::prelude::*;

/// The body is solid from this direction alone, in the frame of its entity (turned with it, not scaled): from above, by default. What stands on it or
/// comes down on it is stopped, what comes from below or from beside passes through, and is stopped once it is above.
///
/// Above is what is wholly beyond the platform along the direction when a step begins, and what the platform is nearest to within 60° of it, so that
/// platforms may bend. It holds for bodies and for what [`MoveAndSlide`](crate::MoveAndSlide) moves; rays and shape casts meet platforms from everywhere,
/// and sensors notice, and are noticed, as ever. For static and kinematic bodies: a dynamic one falls through what is below it.
///
/// Who is to come down through a platform passes through it by [`CollisionLayers`](crate::CollisionLayers) or a
/// [`NoCollideGroup`](crate::NoCollideGroup) for a moment, or excludes it from `MoveAndSlide` by its filter: what is within a platform falls on.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// const PLATFORMS: LayerMask = LayerMask(1 << 1);
///
/// fn setup(mut commands: Commands) {
///     let ledge = (RigidBody::Static, Collider::cuboid(4.0, 0.2, 2.0), OneWayPlatform::default());
///     commands.spawn((ledge, CollisionLayers::new(PLATFORMS, LayerMask::ALL), Transform::from_xyz(0.0, 3.0, 0.0)));
/// }
///
/// // Down through what it stands on, as long as the key is held.
/// fn drop_down(keys: Res<ButtonInput<KeyCode>>, mut players: Query<&mut CollisionLayers, With<Name>>) {
///     for mut layers in &mut players {
///         let is_down = keys.pressed(KeyCode::KeyS);
///         layers.filters = if is_down { !PLATFORMS } else { LayerMask::ALL };
///     }
/// }
/// # let _ = (setup, drop_down);
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct OneWayPlatform(pub Dir3);

impl Default for OneWayPlatform {
    fn default() -> Self {
        Self(Dir3::Y)
    }
}
