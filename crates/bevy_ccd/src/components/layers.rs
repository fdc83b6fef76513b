//! Which bodies meet which.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use bevy::prelude::*;

/// A named layer: usually the variants of an enum, which `#[derive(PhysicsLayer)]` makes bits. The one that is `#[default]` is the first layer, that of
/// bodies without [`CollisionLayers`]; the others follow in their order.
///
/// ```
/// # use bevy_ccd::prelude::*;
/// #[derive(PhysicsLayer, Clone, Copy, Default)]
/// enum Layer {
///     #[default]
///     Ground,
///     Player,
///     Enemy,
///     Bullet,
/// }
///
/// // Bullets meet everything but bullets.
/// let bullets = CollisionLayers::new(Layer::Bullet, !LayerMask::from(Layer::Bullet));
/// assert!(!bullets.interacts_with(bullets) && bullets.interacts_with(CollisionLayers::default()));
/// let mut players = CollisionLayers::new(Layer::Player, [Layer::Ground, Layer::Enemy]);
/// assert_eq!((players.memberships.0, players.filters.0), (0b0010, 0b0101));
/// assert!(!players.interacts_with(bullets));
/// // And from now on.
/// players.filters.add(Layer::Bullet);
/// players.filters.remove([Layer::Ground, Layer::Enemy]);
/// assert!(players.interacts_with(bullets) && players.filters == LayerMask::NONE | Layer::Bullet);
/// ```
///
/// By hand, as for layers that are no enum:
///
/// ```
/// # use bevy_ccd::prelude::*;
/// struct Team(u32);
///
/// impl PhysicsLayer for Team {
///     fn to_bits(&self) -> u32 {
///         1 << self.0
///     }
/// }
/// # assert_eq!(LayerMask::from([Team(0), Team(3)]), LayerMask(0b1001));
/// ```
pub trait PhysicsLayer {
    /// The layer's bit.
    fn to_bits(&self) -> u32;
}

/// A set of up to 32 layers.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash, Deref, DerefMut)]
#[reflect(Debug, PartialEq, Hash)]
pub struct LayerMask(pub u32);

impl LayerMask {
    /// Every layer.
    pub const ALL: Self = Self(u32::MAX);
    /// No layer.
    pub const NONE: Self = Self(0);
    /// The first layer: that of bodies without [`CollisionLayers`].
    pub const DEFAULT: Self = Self(1);

    /// Takes these layers in, too.
    pub fn add(&mut self, layers: impl Into<Self>) {
        *self |= layers;
    }

    /// Takes these layers out.
    pub fn remove(&mut self, layers: impl Into<Self>) {
        *self &= !layers.into();
    }

    /// Whether all of these layers are in it.
    pub fn has_all(self, layers: impl Into<Self>) -> bool {
        let layers = layers.into();
        self & layers == layers
    }

    /// Whether any of these layers is in it.
    ///
    /// ```
    /// # use bevy_ccd::prelude::*;
    /// let layers = LayerMask(0b101);
    /// assert!(layers.has_any(LayerMask(0b110)) && !layers.has_all(LayerMask(0b110)));
    /// assert!(!layers.has_any(LayerMask(0b010)) && !layers.has_any(LayerMask::NONE));
    /// ```
    pub fn has_any(self, layers: impl Into<Self>) -> bool {
        self & layers != Self::NONE
    }
}

impl From<u32> for LayerMask {
    fn from(bits: u32) -> Self {
        Self(bits)
    }
}

impl<L: PhysicsLayer> From<L> for LayerMask {
    fn from(layer: L) -> Self {
        Self(layer.to_bits())
    }
}

impl<L: PhysicsLayer, const N: usize> From<[L; N]> for LayerMask {
    fn from(layers: [L; N]) -> Self {
        Self(layers.iter().fold(0, |bits, layer| bits | layer.to_bits()))
    }
}

impl<L: Into<Self>> BitOr<L> for LayerMask {
    type Output = Self;

    fn bitor(self, other: L) -> Self {
        Self(self.0 | other.into().0)
    }
}

impl<L: Into<Self>> BitOrAssign<L> for LayerMask {
    fn bitor_assign(&mut self, other: L) {
        *self = *self | other;
    }
}

impl<L: Into<Self>> BitAnd<L> for LayerMask {
    type Output = Self;

    fn bitand(self, other: L) -> Self {
        Self(self.0 & other.into().0)
    }
}

impl<L: Into<Self>> BitAndAssign<L> for LayerMask {
    fn bitand_assign(&mut self, other: L) {
        *self = *self & other;
    }
}

impl Not for LayerMask {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// The layers a body belongs to, and the layers it meets. Two bodies meet if each one's memberships share a layer with
/// the other's filters. Without this component a body is in the first layer and meets all.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Hash)]
pub struct CollisionLayers {
    /// The layers it belongs to.
    pub memberships: LayerMask,
    /// The layers it meets.
    pub filters: LayerMask,
}

impl Default for CollisionLayers {
    /// In the first layer, meets all.
    fn default() -> Self {
        Self { memberships: LayerMask::DEFAULT, filters: LayerMask::ALL }
    }
}

impl CollisionLayers {
    /// In all layers, meets all.
    pub const ALL: Self = Self { memberships: LayerMask::ALL, filters: LayerMask::ALL };
    /// In no layer, meets none.
    pub const NONE: Self = Self { memberships: LayerMask::NONE, filters: LayerMask::NONE };

    /// The layers from the bits of memberships and filters, also in constants.
    pub const fn from_bits(memberships: u32, filters: u32) -> Self {
        Self { memberships: LayerMask(memberships), filters: LayerMask(filters) }
    }

    /// The layers from memberships and filters.
    pub fn new(memberships: impl Into<LayerMask>, filters: impl Into<LayerMask>) -> Self {
        Self { memberships: memberships.into(), filters: filters.into() }
    }

    /// Whether bodies of these layers meet.
    pub fn interacts_with(self, other: Self) -> bool {
        (self.memberships & other.filters) != LayerMask::NONE && (other.memberships & self.filters) != LayerMask::NONE
    }
}
