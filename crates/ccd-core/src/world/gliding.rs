//! Gliding: what is on one plane without friction keeps its momentum along it.
//!
//! Nothing that happens between such bodies and their plane changes how they go along it as one, so neither pays that for a lift
//! ([`super::lifts`]), nor is anything taken from it ([`super::audit`]).

use super::World;
use super::stepping::{Pair, Stepping};
use crate::dynamics::LockedAxes;
use crate::geometry::feature::Feature;
use crate::math::{Real, Vector};
use crate::shape::Shape;

/// Normals whose cross product is no more are those of one plane.
const ONE_PLANE: Real = 1e-9;

impl Stepping {
    /// The unit normal of the plane that what moves freely among these pairs is on without friction; `None` where it is on anything else, or on nothing.
    pub(super) fn smooth_plane_of(&self, world: &World, pairs: impl Iterator<Item = Pair>) -> Option<Vector> {
        let is_free = |k: u32| self.moves_freely(world, k);
        let mut plane: Option<Vector> = None;
        for pair in pairs.filter(|&(a, b)| !(is_free(a) && is_free(b))) {
            let ((a, b), surfaces) = (pair, self.surfaces(world, pair));
            for p in &self.close.get(&pair)?.points {
                let normal = plane.get_or_insert(p.normal);
                let is_on_it = is_free(a) && is_plane(self.body(world, b).shape(), p.features.b)
                    || is_free(b) && is_plane(self.body(world, a).shape(), p.features.a);
                let is_one = normal.cross(&p.normal).norm() <= ONE_PLANE;
                if !is_on_it || !is_one || surfaces.at(&p.features).friction != 0.0 {
                    return None;
                }
            }
        }
        plane
    }

    /// The velocity along a plane of what moves freely among bodies, as one, m/s: of each its number and its velocity.
    pub(super) fn glide_along(
        &self,
        world: &World,
        normal: &Vector,
        bodies: impl Iterator<Item = (u32, Vector)>,
    ) -> Vector {
        let (mut mass, mut momentum) = (0.0, Vector::zeros());
        for (k, velocity) in bodies.filter(|&(k, _)| self.moves_freely(world, k)) {
            let own = self.body(world, k).mass_properties().mass;
            mass += own;
            momentum += velocity * own;
        }
        if mass == 0.0 {
            return Vector::zeros();
        }
        let together = momentum / mass;
        together - normal * together.dot(normal)
    }

    /// Whether it can move and turn along every axis.
    pub(super) fn moves_freely(&self, world: &World, k: u32) -> bool {
        self.is_movable(k) && self.body(world, k).locked_axes() == LockedAxes::default()
    }
}

/// Whether a solid has a level face where a feature is: not one of many that lead up and down.
fn is_plane(shape: &Shape, feature: Feature) -> bool {
    match shape {
        Shape::HalfSpace(_) => true,
        Shape::Box(_) => matches!(feature, Feature::Face(_)),
        _ => false,
    }
}
