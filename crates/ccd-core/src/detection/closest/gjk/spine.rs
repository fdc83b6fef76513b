//! The round sides of cylinders, by their axes.
//!
//! **Problem.** Support points on a round side creep up to the nearest place: a dozen rounds for what is found in four between
//! polytopes. **Idea.** Who is nearest to a round side is nearest to its axis, square to it, and nearer by the radius. Between the axes, as
//! segments, the search is one of polytopes. **Guarantee.** What is found that way is proven like all else: by the support points of
//! the solids themselves along the direction between the two points. Where that does not prove it (a rim or a cap is nearer), the search
//! begins as ever, with the bound that was proven on the way.

use super::{GjkCache, GjkGoal, ROUNDING, Run, Separation, separation};
use crate::detection::closest::simplex::SimplexVertex;
use crate::geometry::primitive::Capsule;
use crate::geometry::solid::{SupportMap, SupportPoint};
use crate::math::{Real, Vector, hypotenuse};

/// The round sides of A and B, where they have any: as support maps, their axes.
type Flanks = (Option<Capsule>, Option<Capsule>);

/// Whether the way out of the middle along a direction leads through the side.
fn faces(flank: &Capsule, direction: &Vector) -> bool {
    direction.y.abs() * flank.radius() <= hypotenuse(direction.x, direction.z) * flank.half_height()
}

/// A unit direction's part square to y, unit; `None` along y.
fn across(direction: &Vector) -> Option<Vector> {
    Vector::new(direction.x, 0.0, direction.z).try_normalize(0.5)
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> Run<'_, A, B> {
    /// The separation where round sides are nearest; `None` where there is none, or what is nearest may be something else.
    pub(super) fn between_spines(&mut self, goal: &GjkGoal) -> Option<Separation> {
        let flanks = (self.a.flank(), self.b.flank());
        if flanks == (None, None) || !self.may_be_between_flanks(flanks) {
            return None;
        }
        let radii = [flanks.0, flanks.1].into_iter().flatten().map(|flank| flank.radius()).sum::<Real>();
        let mut cache = self.of_spines(flanks);
        let goal_of_spines = GjkGoal {
            absolute: 0.5 * goal.absolute,
            enough: goal.enough + radii,
            points: goal.points,
            ..GjkGoal::EXACT
        };
        let found = match flanks {
            (Some(a), Some(b)) => separation(&a, &b, self.b_in_a, &mut cache, &goal_of_spines),
            (Some(a), None) => separation(&a, self.b, self.b_in_a, &mut cache, &goal_of_spines),
            (None, Some(b)) => separation(self.a, &b, self.b_in_a, &mut cache, &goal_of_spines),
            (None, None) => return None,
        };
        if found.overlapping || found.distance <= radii {
            return None;
        }
        let into_b = -self.b_in_a.rotation.tr_mul(&found.normal);
        let out_a = flanks.0.map_or(Some(Vector::zeros()), |flank| Some(across(&found.normal)? * flank.radius()))?;
        let out_b = flanks.1.map_or(Some(Vector::zeros()), |flank| Some(across(&into_b)? * flank.radius()))?;
        let point_a = found.point_a + out_a;
        let point_b = found.point_b + self.b_in_a.rotation * out_b;
        let distance = (point_b - point_a).norm();
        let vertex = self.probe(&found.normal);
        self.rounds += found.rounds + 1;
        let size = vertex.a.amax() + vertex.b.amax() + self.b_in_a.translation.amax();
        if !goal.is_met(distance - 4.0 * ROUNDING * size, self.best_lower) {
            return None;
        }
        self.take_from_spines(&cache, flanks, [out_a, out_b]);
        self.witness = Some((point_a, point_b));
        Some(self.apart(distance))
    }

    /// Whether the nearest places can be on the flanks, by the last search or, without one, by the way between the middles.
    fn may_be_between_flanks(&self, flanks: Flanks) -> bool {
        let simplex = &self.cache.simplex;
        let known = &simplex.vertices[..simplex.len];
        if known.is_empty() {
            let (a, b) = (self.a.interior_point().coords, self.b.interior_point().coords);
            let way = self.b_in_a.rotation * b + self.b_in_a.translation - a;
            let is_faced = |flank: Option<Capsule>, way: Vector| flank.is_none_or(|flank| faces(&flank, &way));
            return is_faced(flanks.0, way) && is_faced(flanks.1, self.b_in_a.rotation.tr_mul(&way));
        }
        let spans = |flank: Option<Capsule>, height: fn(&SimplexVertex) -> Real| {
            flank.is_none() || known.iter().any(|v| height(v) > 0.0) && known.iter().any(|v| height(v) < 0.0)
        };
        spans(flanks.0, |v| v.a.y) && spans(flanks.1, |v| v.b.y)
    }

    /// What is known of the solids, for their spines.
    fn of_spines(&self, flanks: Flanks) -> GjkCache {
        let mut cache = GjkCache { hint_a: self.cache.hint_a, hint_b: self.cache.hint_b, ..GjkCache::default() };
        for known in &self.cache.simplex.vertices[..self.cache.simplex.len] {
            let mut vertex = *known;
            for (flank, point, number) in
                [(flanks.0, &mut vertex.a, &mut vertex.vertex_a), (flanks.1, &mut vertex.b, &mut vertex.vertex_b)]
            {
                if let Some(flank) = flank {
                    let end = flank.support(point, 0);
                    (*point, *number) = (end.point.coords, end.vertex);
                }
            }
            let simplex = &mut cache.simplex;
            // Several places of a rim have one end of the axis.
            if !simplex.vertices[..simplex.len].iter().any(|v| v.a == vertex.a && v.b == vertex.b) {
                simplex.push(vertex);
            }
        }
        cache
    }

    /// Takes over what spines have found, `out` of the axes in the solids' frames.
    fn take_from_spines(&mut self, found: &GjkCache, flanks: Flanks, out: [Vector; 2]) {
        self.cache.simplex = found.simplex;
        (self.cache.hint_a, self.cache.hint_b) = (found.hint_a, found.hint_b);
        let on_rim = |end: &Vector, out: &Vector| Vector::new(out.x, Real::MIN_POSITIVE.copysign(end.y), out.z);
        for vertex in &mut self.cache.simplex.vertices[..found.simplex.len] {
            if flanks.0.is_some() {
                let place = self.a.support(&on_rim(&vertex.a, &out[0]), SupportPoint::CURVED);
                (vertex.a, vertex.vertex_a) = (place.point.coords, place.vertex);
            }
            if flanks.1.is_some() {
                let place = self.b.support(&on_rim(&vertex.b, &out[1]), SupportPoint::CURVED);
                (vertex.b, vertex.vertex_b) = (place.point.coords, place.vertex);
            }
        }
    }
}
