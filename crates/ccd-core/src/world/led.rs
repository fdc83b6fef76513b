//! The contacts of a pair where its motions lead, which may be a little into each other.
//!
//! A solid tells what has come into it from what has not. A sheet does not: what a motion leads through it is found on its far side, at a
//! positive distance, with a normal that points back the way it came. So of what has two sides contacts are looked for with the bodies
//! drawn apart along the normals that they have now, by as much as turning may have led them in, and told as far as they are apart without
//! that.

use super::World;
use super::stepping::{Pair, Stepping};
use crate::contact::ContactPoint;
use crate::math::{Pose, Real, Vector};
use crate::shape::Shape;

/// Normals whose cosine is below this point against each other.
const OPPOSED: Real = -0.5;
/// Normals whose cosine is above this point the same way: what is drawn apart along one is drawn apart along the other.
const ONE_WAY: Real = 0.94;
/// What is drawn apart along a way is nearer along normals whose cosine with it is above this.
const ALONG: Real = 0.5;

impl Stepping {
    /// The contacts that a pair has at other placements than now, where turning has led its bodies into each other by no more than
    /// `depth` metres.
    pub(super) fn contacts_led_to(
        &self,
        world: &World,
        pair: Pair,
        poses: [&Pose; 2],
        depth: Real,
    ) -> Vec<ContactPoint> {
        let Some(close) = self.close.get(&pair) else { return Vec::new() };
        let [a, b] = [pair.0, pair.1].map(|k| self.body(world, k).shape());
        let margin = depth.max(world.in_force.contact_threshold);
        let drawn = |apart: Vector, margin: Real| {
            let drawn = Pose::from_parts((poses[1].translation.vector + apart).into(), poses[1].rotation);
            let mut found = close.points_at((a, poses[0]), (b, &drawn), margin);
            for p in &mut found {
                p.separation -= apart.dot(&p.normal);
                p.point_b -= apart;
            }
            found
        };
        let mut found = close.points_at((a, poses[0]), (b, poses[1]), margin);
        if has_two_sides(a) || has_two_sides(b) {
            let depth = depth.max(world.in_force.tolerance);
            let mut known: Vec<&ContactPoint> = close.points.iter().collect();
            known.sort_by(|p, q| p.separation.total_cmp(&q.separation));
            let mut ways: Vec<Vector> = Vec::new();
            for p in known {
                if ways.iter().all(|way| way.dot(&p.normal) < ONE_WAY) {
                    ways.push(p.normal);
                }
            }
            for way in ways {
                for p in drawn(way * depth, margin + depth).into_iter().filter(|p| p.normal.dot(&way) > ALONG) {
                    match found.iter_mut().find(|q| q.features == p.features) {
                        // The same place seen from the side that it came from.
                        Some(q) if q.normal.dot(&p.normal) < OPPOSED => *q = p,
                        Some(_) => (),
                        None => found.push(p),
                    }
                }
            }
        } else if found.is_empty()
            && let Some(nearest) = close.points.iter().min_by(|p, q| p.separation.total_cmp(&q.separation))
        {
            // Edges that overlap have no contact of their own: drawn apart they show where it is.
            return drawn(nearest.normal * margin, 2.0 * margin);
        }
        found
    }
}

/// Whether some of the shape's surface has no inside.
fn has_two_sides(shape: &Shape) -> bool {
    match shape {
        Shape::Mesh(mesh) => !mesh.is_closed(),
        Shape::Patches(surface) => !surface.surface().is_closed(),
        Shape::Compound(compound) => compound.parts().iter().any(|part| has_two_sides(&part.shape)),
        _ => false,
    }
}

/// Whether the contact belongs to a part that the other body has run right through, so that it is pushed both ways: such
/// contacts tell nothing about where it came from.
pub(super) fn is_run_through(p: &ContactPoint, all: &[ContactPoint]) -> bool {
    p.separation < 0.0 && all.iter().any(|q| q.separation < 0.0 && q.normal.dot(&p.normal) < OPPOSED)
}
