//! Directions in which a body cannot move.

use bevy::prelude::*;

/// World axes along or about which a dynamic body cannot move. Other bodies are moved by the game alone, and are not held.
///
/// ```
/// # use bevy_ccd::prelude::*;
/// // Slides in the plane z = 0 and turns about z only.
/// let planar = LockedAxes::new().lock_translation_z().lock_rotation_x().lock_rotation_y();
/// # assert!(planar.rotation[0] && !planar.rotation[2]);
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Hash)]
pub struct LockedAxes {
    /// Translation along x, y, z.
    pub translation: [bool; 3],
    /// Rotation about x, y, z.
    pub rotation: [bool; 3],
}

macro_rules! lock {
    ($($name:ident, $field:ident, $axis:literal, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[must_use]
        pub const fn $name(mut self) -> Self {
            self.$field[$axis] = true;
            self
        }
    )*};
}

impl LockedAxes {
    /// Every axis.
    pub const ALL_LOCKED: Self = Self { translation: [true; 3], rotation: [true; 3] };
    /// Every translation.
    pub const TRANSLATION_LOCKED: Self = Self { translation: [true; 3], rotation: [false; 3] };
    /// Every rotation.
    pub const ROTATION_LOCKED: Self = Self { translation: [false; 3], rotation: [true; 3] };

    /// None locked.
    pub const fn new() -> Self {
        Self { translation: [false; 3], rotation: [false; 3] }
    }

    lock! {
        lock_translation_x, translation, 0, "Also no translation along x.";
        lock_translation_y, translation, 1, "Also no translation along y.";
        lock_translation_z, translation, 2, "Also no translation along z.";
        lock_rotation_x, rotation, 0, "Also no rotation about x.";
        lock_rotation_y, rotation, 1, "Also no rotation about y.";
        lock_rotation_z, rotation, 2, "Also no rotation about z.";
    }
}
