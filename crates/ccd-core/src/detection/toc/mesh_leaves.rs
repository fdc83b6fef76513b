//! A triangle of a mesh beside its partner: pairs that a search over trees has come down to.

use super::advancement::{Advance, Direction, Seen, Step};
use super::mesh_mesh::{Found, Other, Run, TreeSearch, size_about};
use super::mesh_pairs::{Item, Pair};
use super::plane::{ConvexPair, SideBounds};
use crate::detection::closest::gjk::GjkCache;
use crate::detection::pieces::on_mesh;
use crate::geometry::primitive::Triangle;
use crate::math::Real;

/// The bounds of a solid that turns by less over the interval, radians, need not be tight.
const LITTLE_TURNED: Real = 0.02;

impl Run<'_, '_> {
    /// One step of advancement of a triangle and its partner.
    pub(super) fn step(&mut self, pair: Pair) -> Option<Found> {
        self.stats.features_tested += 1;
        let now = self.now;
        let (index, on_face) = if pair.cache == Pair::COLD {
            let guess = self.first_guess(pair);
            let on_face = self.step_on_face(pair, &guess);
            self.caches.push(guess);
            ((self.caches.len() - 1) as u32, on_face)
        } else {
            (pair.cache, None)
        };
        match on_face.unwrap_or_else(|| self.advance(pair, index)) {
            Step::Touching(touch) => Some(Found::Touching(touch)),
            Step::SafeForever => None,
            Step::SafeUntil(time) if time > now => {
                self.queue.push(time, Pair { cache: index, ..pair });
                None
            }
            Step::SafeUntil(_) | Step::Stuck => Some(Found::Undecided(now)),
        }
    }

    /// Where the distance query of a triangle and a convex solid may start.
    fn first_guess(&mut self, pair: Pair) -> GjkCache {
        let (Item::Face(face), Other::Convex(solid, _)) = (pair.a, self.search.other) else {
            return GjkCache::default();
        };
        let motion = self.search.motion;
        let corners = self.search.mesh.triangle(face);
        let normal = self.search.mesh.face_normals()[face as usize];
        let middle = self.front.offset - self.front.relative * (motion.b.local_centre - solid.interior_point());
        let above = normal.dot(&(middle - (corners[0] - motion.a.local_centre)));
        let towards_a = self.front.relative.tr_mul(&normal) * -above.signum();
        let lowest = solid.support(&towards_a, self.hint_b);
        self.hint_b = lowest.vertex;
        GjkCache::at_face(&corners, lowest.vertex, &lowest.point)
    }

    /// The first step of a triangle and a convex solid on the triangle's plane, which costs next to nothing; `None` where it gets
    /// nowhere.
    fn step_on_face(&mut self, pair: Pair, guess: &GjkCache) -> Option<Step> {
        let (Item::Face(face), Other::Convex(solid, aabb)) = (pair.a, self.search.other) else { return None };
        let TreeSearch { mesh, motion, rounding, tolerance, .. } = *self.search;
        let (instant, corners) = (&self.front.instant, mesh.triangle(face));
        let triangle = Triangle::new(corners);
        let size = size_about(&aabb, &motion.b.local_centre);
        let (bounds_a, bounds_b) =
            (SideBounds::of_points(&corners, &motion.a), SideBounds::within(&aabb, solid.radius(), &motion.b, size));
        let middle = instant.offset + instant.rotation_b * (solid.interior_point() - motion.b.local_centre);
        let corner = instant.rotation_a * (corners[0] - motion.a.local_centre);
        let normal = instant.rotation_a * mesh.face_normals()[face as usize];
        let towards_b = normal * normal.dot(&(middle - corner)).signum();
        let convex = ConvexPair { a: &triangle, b: solid, bounds_a, bounds_b, motion, rounding };
        let advance = Advance { pair: convex, direction: Direction::Nearest, tolerance, once_opened: 0.0 };
        self.stats.advances += 1;
        let step = advance.step_on_face(instant, &towards_b, guess)?;
        (!matches!(step, Step::SafeUntil(time) if time <= self.now)).then_some(step)
    }

    fn advance(&mut self, pair: Pair, index: u32) -> Step {
        let Item::Face(face_a) = pair.a else { unreachable!("nodes were split") };
        let TreeSearch { mesh, other, motion, rounding, tolerance, .. } = *self.search;
        let instant = &self.front.instant;
        let cache = &mut self.caches[index as usize];
        let corners = mesh.triangle(face_a);
        let triangle = Triangle::new(corners);
        let bounds_a = SideBounds::of_points(&corners, &motion.a);
        let mut step = match (pair.b, other) {
            (Item::Face(face_b), Other::Mesh(mesh)) => {
                let corners = mesh.triangle(face_b);
                let other = Triangle::new(corners);
                let bounds_b = SideBounds::of_points(&corners, &motion.b);
                let pair = ConvexPair { a: &triangle, b: &other, bounds_a, bounds_b, motion, rounding };
                let advance = Advance { pair, direction: Direction::Nearest, tolerance, once_opened: 0.0 };
                let mut seen = Seen::default();
                let step = advance.step_watching(instant, cache, self.stats, &mut seen);
                self.normal = seen.normal;
                match step {
                    Step::Stuck => {
                        let faces = [instant.rotation_a * triangle.normal(), instant.rotation_b * other.normal()];
                        advance.step_along(instant, &faces, cache, self.stats)
                    }
                    step => step,
                }
            }
            (Item::Whole, Other::Convex(solid, aabb)) => {
                let bounds_b = *self.bounds_b.get_or_insert_with(|| {
                    let size = size_about(&aabb, &motion.b.local_centre);
                    if motion.b.speed * motion.length < LITTLE_TURNED {
                        SideBounds::within(&aabb, solid.radius(), &motion.b, size)
                    } else {
                        SideBounds::of(solid, &motion.b, size)
                    }
                });
                let pair = ConvexPair { a: &triangle, b: solid, bounds_a, bounds_b, motion, rounding };
                Advance { pair, direction: Direction::Nearest, tolerance, once_opened: 0.0 }
                    .step_at(instant, cache, self.stats)
            }
            _ => unreachable!("a convex side is whole"),
        };
        if let Step::Touching(touch) = &mut step {
            touch.features.a = on_mesh(mesh, face_a, touch.features.a);
            if let (Item::Face(face_b), Other::Mesh(mesh)) = (pair.b, other) {
                touch.features.b = on_mesh(mesh, face_b, touch.features.b);
            }
        }
        step
    }
}
