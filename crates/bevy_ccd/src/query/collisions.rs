//! The contacts of the last step.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use ccd_core::id::PairKey;
use ccd_core::world::PairContacts;

use crate::convert::{from_point, from_vector};
use crate::impacts::CollisionImpact;
use crate::part_owners::Colliders;
use crate::world::CcdWorld;

/// The pairs of bodies that touch after the last step, with their contacts.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn loudest(collisions: Collisions) {
///     for pair in collisions.iter() {
///         let impulse: f32 = pair.contacts().map(|contact| contact.impulse.length()).sum();
///         println!("{} and {}: {impulse} N s", pair.body1, pair.body2);
///     }
/// }
/// ```
#[derive(SystemParam)]
pub struct Collisions<'w> {
    world: Res<'w, CcdWorld>,
}

/// Two bodies that touch.
#[derive(Clone, Copy, Debug)]
pub struct ContactPair<'a> {
    /// Whose collider has the pair's first contact: `body1` or a child.
    pub collider1: Entity,
    /// Whose collider it is with: `body2` or a child.
    pub collider2: Entity,
    /// One body.
    pub body1: Entity,
    /// The other body.
    pub body2: Entity,
    sides: [Colliders<'a>; 2],
    contacts: &'a PairContacts,
    /// Whether `body1` is the second body of the core's pair.
    is_swapped: bool,
}

/// One contact of a pair, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Whose collider touches: the pair's `body1` or a child.
    pub collider1: Entity,
    /// Whose collider it touches: the pair's `body2` or a child.
    pub collider2: Entity,
    /// Halfway between the two surfaces, metres.
    pub point: Vec3,
    /// Unit, from `body1` to `body2`.
    pub normal: Vec3,
    /// The distance of the surfaces along the normal, metres; never negative in a world that started disjoint.
    pub separation: f32,
    /// The impulse on `body2` over the last step, N·s.
    pub impulse: Vec3,
}

impl<'a> ContactPair<'a> {
    fn new(world: &'a CcdWorld, key: PairKey, contacts: &'a PairContacts) -> Option<Self> {
        let sides = [world.colliders(key.a)?, world.colliders(key.b)?];
        let first = contacts.points.first().map(|contact| contact.features);
        let collider =
            |side: usize, feature: Option<_>| feature.map_or_else(|| sides[side].first(), |f| sides[side].of(f));
        Some(Self {
            collider1: collider(0, first.map(|features| features.a)),
            collider2: collider(1, first.map(|features| features.b)),
            body1: sides[0].body,
            body2: sides[1].body,
            sides,
            contacts,
            is_swapped: false,
        })
    }

    /// The same with this body as `body1`, as a [`CollisionStart`](crate::CollisionStart) on its entity has it: its contacts' normals lead
    /// from it to the other, their impulses are those that the other got. `None` for an entity that is neither of the two.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_ccd::prelude::*;
    /// fn stands(player: Single<Entity, With<Name>>, collisions: Collisions) -> bool {
    ///     let pairs = collisions.collisions_with(*player).filter_map(|pair| pair.seen_from(*player));
    ///     // What it stands on is below.
    ///     pairs.flat_map(|pair| pair.contacts()).any(|contact| contact.normal.y < -0.7)
    /// }
    /// ```
    pub fn seen_from(&self, body: Entity) -> Option<Self> {
        match *self {
            same if same.body1 == body => Some(same),
            Self { collider1, collider2, body1, body2, .. } if body2 == body => Some(Self {
                collider1: collider2,
                collider2: collider1,
                body1: body2,
                body2: body1,
                is_swapped: !self.is_swapped,
                ..*self
            }),
            _ => None,
        }
    }

    /// The contacts in which this entity's collider touches: those of one part of a body.
    pub fn contacts_of(&self, collider: Entity) -> impl Iterator<Item = Contact> + use<'a> {
        self.contacts().filter(move |contact| contact.collider1 == collider || contact.collider2 == collider)
    }

    /// The contacts.
    pub fn contacts(&self) -> impl Iterator<Item = Contact> + use<'a> {
        let Self { sides, is_swapped, .. } = *self;
        let impulses = self.contacts.impulses.iter().map(Some).chain(std::iter::repeat(None));
        self.contacts.points.iter().zip(impulses).map(move |(contact, impulse)| {
            let of_pair = Contact {
                collider1: sides[0].of(contact.features.a),
                collider2: sides[1].of(contact.features.b),
                point: from_point(&contact.midpoint()),
                normal: from_vector(&contact.normal),
                separation: contact.separation as f32,
                impulse: impulse.map_or(Vec3::ZERO, from_vector),
            };
            if is_swapped { of_pair.flipped() } else { of_pair }
        })
    }

    /// The contacts as the core has them, in `f64`, with the features that touch, and always in the order of its pair, whoever it is
    /// [seen from](ContactPair::seen_from).
    pub fn core(&self) -> &PairContacts {
        self.contacts
    }

    /// The sum of the impulses on `body2` over the last step, N·s.
    pub fn total_impulse(&self) -> Vec3 {
        self.contacts().map(|contact| contact.impulse).sum()
    }
}

impl Contact {
    /// The same, seen from the other side.
    #[must_use]
    pub fn flipped(self) -> Self {
        let Self { collider1, collider2, normal, impulse, .. } = self;
        Self { collider1: collider2, collider2: collider1, normal: -normal, impulse: -impulse, ..self }
    }
}

impl Collisions<'_> {
    /// The pairs that touch, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = ContactPair<'_>> {
        let touching = self.world.core().contacts().filter(|(_, contacts)| contacts.touching);
        touching.filter_map(|(key, contacts)| ContactPair::new(&self.world, key, contacts))
    }

    /// The contacts of two bodies, if they touch, whichever is named first; [`ContactPair::seen_from`] chooses who is `body1`. O(log n) of
    /// all pairs.
    pub fn get(&self, one: Entity, other: Entity) -> Option<ContactPair<'_>> {
        let key = PairKey::new(self.world.body_id(one)?, self.world.body_id(other)?);
        let contacts = self.world.core().contacts_of(&key).filter(|contacts| contacts.touching)?;
        ContactPair::new(&self.world, key, contacts)
    }

    /// Whether two bodies touch.
    pub fn contains(&self, one: Entity, other: Entity) -> bool {
        self.get(one, other).is_some()
    }

    /// The pairs of which `entity` is one, in the order of the others, who may be `body1` too ([`ContactPair::seen_from`]). The others' pairs
    /// are not looked at.
    pub fn collisions_with(&self, entity: Entity) -> impl Iterator<Item = ContactPair<'_>> {
        self.world.partners_now(entity).into_iter().filter_map(move |other| self.get(entity, other))
    }

    /// The impacts of the last step, the earliest first, those included that are told to nobody; as
    /// [`CollisionImpact`] has them. Until the next step is made they are the same: a system that counts them runs once for each step, as in
    /// `FixedUpdate`, or reads the messages.
    pub fn impacts(&self) -> impl Iterator<Item = CollisionImpact> {
        self.world.report().impacts.iter().filter_map(|impact| CollisionImpact::of(&self.world, impact))
    }

    /// The impacts of one body in the last step, [seen from](CollisionImpact::seen_from) it.
    pub fn impacts_with(&self, entity: Entity) -> impl Iterator<Item = CollisionImpact> {
        self.impacts().filter_map(move |impact| impact.seen_from(entity))
    }

    /// The bodies that `entity` touches.
    pub fn entities_colliding_with(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        self.collisions_with(entity).map(move |pair| if pair.body1 == entity { pair.body2 } else { pair.body1 })
    }
}
