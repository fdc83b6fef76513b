//! What the surfaces of two bodies make of their contacts, place by place.

use super::World;
use super::stepping::{Pair, Stepping};
use crate::dynamics::{Body, Material};
use crate::geometry::feature::FeaturePair;
use crate::math::{Real, Vector};

/// The surfaces of a pair.
#[derive(Clone, Copy)]
pub(super) struct Surfaces<'w> {
    bodies: [&'w Body; 2],
    /// What they make of a contact, where they are the same everywhere.
    alike: Option<Material>,
}

impl Surfaces<'_> {
    /// What they make of a contact of these features.
    pub(super) fn at(&self, features: &FeaturePair) -> Material {
        let [a, b] = self.bodies;
        self.alike.unwrap_or_else(|| a.material_at(features.a).combined(&b.material_at(features.b)))
    }

    /// The largest coefficient of restitution that a contact of the two can have.
    pub(super) fn restitution(&self) -> Real {
        let most = |body: &Body| body.materials().map(|material| material.restitution).fold(0.0, Real::max);
        self.alike.map_or_else(|| self.bodies.map(most).into_iter().fold(0.0, Real::max), |alike| alike.restitution)
    }
}

impl Stepping {
    pub(super) fn surfaces<'w>(&self, world: &'w World, pair: Pair) -> Surfaces<'w> {
        let bodies = [pair.0, pair.1].map(|k| self.body(world, k));
        let [a, b] = bodies;
        let is_alike = bodies.iter().all(|body| body.part_materials().is_empty());
        Surfaces { bodies, alike: is_alike.then(|| a.material.combined(&b.material)) }
    }

    /// The velocity of B's point relative to A's with which neither slides on the other, m/s, world, where they touch at time `t` with this
    /// unit normal: none, unless a surface runs.
    pub(super) fn passing(&self, world: &World, pair: Pair, normal: &Vector, t: Real) -> Vector {
        let [a, b] = [pair.0, pair.1].map(|k| self.body(world, k));
        if [a, b].iter().all(|body| body.surface_velocity == Vector::zeros()) {
            return Vector::zeros();
        }
        let [of_a, of_b] = self.poses_at(pair, t).map(|pose| pose.rotation);
        a.running(&of_a, normal) - b.running(&of_b, normal)
    }
}
