//! The way from a place to the surface of a field.

use super::enclosure::{Enclosure, Facet, Region};
use super::feet::by_feet;
use super::{Field, Sphere};
use crate::math::{Point, Real, Vector};

/// A place on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// In the solid's frame.
    pub point: Point,
    /// Outward, unit; at a crease the direction of the place that was asked about, or the mean of the faces' normals.
    pub normal: Vector,
}

/// Rounds that may move towards the nearest place, and rounds after them that only reach the surface.
const NEAREST_ROUNDS: usize = 40;
const ROUNDS: usize = 90;
/// The least share of the way that one round goes along the surface.
const CAUTION: Real = 0.02;
/// Normals that differ by less, radians, are one.
const SAME: Real = 1e-15;
/// Places where descent begins anew that came to nothing.
const STARTS: usize = 5;
/// How near to the surface they are if they were inside, as a share of the solid's size.
const WITHIN: Real = 1e-3;
/// A place is in a half-space that it is beyond by no more than this share of how far it is.
const HELD: Real = 1e-12;
/// Half-spaces are taken to have nothing in common where the place that is in as many of them as can be is beyond another by more than this
/// share of the ball that they are told of.
const VOID: Real = 1e-3;
/// Sweeps of the projection on few half-spaces.
const SWEEPS: usize = 60;
/// Tangents to the nearest point of a convex solid: a smooth one takes ten, a box with rounded corners fifty.
const TANGENTS: usize = 120;

/// The point of the surface of `field` nearest to `point`, as far as descent finds it: on the surface to within `fine` metres,
/// but only locally nearest. `None` where no surface is found, as for a solid without points.
///
/// Near a surface one or two rounds, each an enclosure.
pub fn nearest_surface(field: &dyn Field, point: &Point, fine: Real) -> Option<SurfacePoint> {
    let region = if field.contains(point) { Region::Complement } else { Region::Solid };
    let known = match region {
        Region::Solid => nearest_of_all(field, point, fine),
        Region::Complement => field.nearest_inside(point),
    };
    known.or_else(|| by_search(field, point, region, fine))
}

/// The point of the surface nearest of all to a point outside, to within `fine` metres, where the solid knows it, or is convex and has tangents that
/// lead there.
pub(super) fn nearest_of_all(field: &dyn Field, point: &Point, fine: Real) -> Option<SurfacePoint> {
    field.nearest_outside(point).or_else(|| by_tangents(field, point, fine))
}

/// A point of the surface that is nearest around itself to a point that is not in `region`, as far as descent finds one.
pub(super) fn by_search(field: &dyn Field, point: &Point, region: Region, fine: Real) -> Option<SurfacePoint> {
    if let Some(found) = field.nearest(point, region, fine) {
        return Some(found);
    }
    let from = |start: &Point| by_descent(field, point, start, region, fine);
    from(point).or_else(|| match region {
        Region::Solid => starts_within(field, point).find_map(|start| from(&start)),
        Region::Complement => by_feet(field, point, fine),
    })
}

/// Places outside a bounded solid, in its box: beside its surface on the way to the nearest place that is known to be inside, and on the way from a
/// point to the middle. Of a sheet with holes, and of what was cut to pieces, distances lead from afar to a corner of the box where nothing is.
fn starts_within(field: &dyn Field, point: &Point) -> impl Iterator<Item = Point> {
    let away = |place: &&Point| (*place - point).norm_squared();
    let known = field.inner_places().iter().min_by(|p, q| away(p).total_cmp(&away(q))).copied();
    let aabb = field.local_aabb();
    let (entry, centre) = (Point::from(point.coords.sup(&aabb.min.coords).inf(&aabb.max.coords)), aabb.centre());
    let starts = if aabb.half_extents().amax().is_finite() { STARTS } else { 0 };
    let on_the_way = (0..starts).map(move |k| entry + (centre - entry) * (k as Real / (STARTS - 1) as Real));
    let point = *point;
    known.into_iter().chain(on_the_way).map(move |mut start| {
        // Out of the solid, towards the point.
        let mut outside = point;
        while field.contains(&start) {
            let middle = nalgebra::center(&start, &outside);
            if middle == start || middle == outside {
                return outside;
            }
            if !field.contains(&middle) && (middle - start).norm() <= WITHIN * aabb.half_extents().amax() {
                return middle;
            }
            if field.contains(&middle) { start = middle } else { outside = middle }
        }
        start
    })
}

/// [`nearest_surface`] of a point that is not in `region`, from enclosure to enclosure, beginning at a place outside.
fn by_descent(field: &dyn Field, point: &Point, from: &Point, region: Region, fine: Real) -> Option<SurfacePoint> {
    let start = field.distance(from);
    let mut enclosure = Enclosure::default();
    let mut place = *from;
    let mut radius = (1.5 * start.abs()).max(4.0 * fine);
    let mut best: Option<Vector> = None;
    let mut climbs = 0;
    // The largest ball about the place without any surface.
    let mut free: Real = 0.0;
    // The last step, and the one that led all the way.
    let mut last: Option<(Vector, Vector)> = None;
    for round in 0..ROUNDS {
        enclosure.clear();
        field.enclose(&Sphere { centre: place, radius }, region, &mut enclosure);
        // Far from the surface, or across all of it: nothing is seen that leads anywhere.
        if enclosure.alternatives().any(<[Facet]>::is_empty) {
            let distance = field.distance(&place).abs().max(free);
            if 0.399 * radius <= distance && distance > fine && climbs < NEAREST_ROUNDS {
                // A smaller ball cannot reach the surface: the distance itself leads there.
                climbs += 1;
                place += climb(field, &place, distance, region);
                free = 0.0;
                radius = (1.5 * field.distance(&place).abs()).max(4.0 * fine);
                continue;
            }
            if radius <= fine {
                break;
            }
            radius = (0.4 * radius).max(0.5 * fine);
            continue;
        }
        let target = if round < NEAREST_ROUNDS { point - place } else { Vector::zeros() };
        // What a cutter that sticks out of the solid leaves beyond its end is in no part of the solid: half-spaces that have nothing in common.
        let Some((whole, facets)) = onto_any(&enclosure, &target, radius) else {
            free = free.max(radius);
            radius *= 2.5;
            if !radius.is_finite() {
                return None;
            }
            continue;
        };
        // From a place as far away as the surface's radius of curvature or further, the foot on the tangent plane is as far
        // on the other side, or further: how the last step changed the way tells the share of it to go (Barzilai and Borwein).
        let share = last.map_or(1.0, |(moved, before)| {
            let curve = -moved.dot(&(whole - before));
            if curve > moved.norm_squared() { (moved.norm_squared() / curve).max(CAUTION) } else { 1.0 }
        });
        let step = if share < 1.0 { onto(facets, &(target * share)) } else { whole };
        best = Some(outward(facets, &step, region));
        let length = step.norm();
        if length <= fine {
            place += step;
            let left = field.distance(&place).abs();
            if left <= 2.0 * fine || climbs == NEAREST_ROUNDS {
                break;
            }
            // The model of a large ball leaves out what it cannot say, as the hole of a drilled block: this is no surface.
            climbs += 1;
            place += climb(field, &place, left, region);
            free = 0.0;
            radius = (1.5 * field.distance(&place).abs()).max(4.0 * fine);
            continue;
        }
        // Models of a ball say nothing about what is far beyond it. What leads further asks for a larger ball: half of a way that was cut
        // to two radii would be the same one again, and along a flat side as many rounds would not lead far.
        let is_cut = length > 2.0 * radius;
        let shortened = if is_cut { step * (2.0 * radius / length) } else { step };
        place += shortened;
        free = 0.0;
        last = Some((shortened, whole));
        radius = if is_cut { 2.0 * radius } else { (0.5 * length).max(2.0 * fine) };
    }
    let normal = best.filter(|_| field.distance(&place).abs() <= 4.0 * fine)?;
    let way = point - place;
    let sign = if region == Region::Solid { 1.0 } else { -1.0 };
    // At a crease the normals leave a choice, and the way from the place is among them.
    let towards = way.try_normalize(1e3 * fine).map(|way| way * sign).filter(|way| way.dot(&normal) > 0.5);
    Some(SurfacePoint { point: place, normal: towards.unwrap_or(normal) })
}

/// The nearest point of a convex solid to one outside: of the intersection of its tangents so far the nearest point, where the next
/// tangent is taken, until that is on the surface. Edges that are as sharp as the scale they are looked at on are no trap for
/// it. `None` for a solid without tangents, and where they do not get to the surface.
fn by_tangents(field: &dyn Field, point: &Point, fine: Real) -> Option<SurfacePoint> {
    let mut holding = Holding::default();
    let mut x = Vector::zeros();
    for round in 0..TANGENTS {
        let place = point + x;
        let tangent = field.tangent(&place)?;
        let on_it = tangent.value <= fine && field.distance(&place).abs() <= 4.0 * fine;
        if on_it && round > 0 {
            return Some(seen_from(point, place, &tangent, fine));
        }
        let about_point = Facet { value: tangent.value - tangent.normal.dot(&x), ..tangent };
        x = holding.add(about_point)?;
    }
    None
}

/// A place of the surface with this tangent, nearest to a point outside: the normal is the way to the point.
fn seen_from(point: &Point, place: Point, tangent: &Facet, fine: Real) -> SurfacePoint {
    SurfacePoint { point: place, normal: (point - place).try_normalize(1e3 * fine).unwrap_or(tangent.normal) }
}

/// The at most three half-spaces that hold the point nearest to the origin of all that were added.
#[derive(Default)]
struct Holding {
    facets: [Option<Facet>; 3],
}

impl Holding {
    /// The nearest point of those held and one more, which does not hold the last one.
    fn add(&mut self, new: Facet) -> Option<Vector> {
        let old = self.facets;
        // With the new one none, one or two of the others.
        let choices = [(3, 3), (0, 3), (1, 3), (2, 3), (0, 1), (0, 2), (1, 2)];
        let old_of = |i: usize| old.get(i).and_then(Option::as_ref);
        let mut best: Option<((Real, Real), Vector, [Option<Facet>; 3])> = None;
        for (i, k) in choices {
            let (one, other) = (old_of(i), old_of(k));
            if one.is_none() && i < 3 || other.is_none() && k < 3 {
                continue;
            }
            let target = Vector::zeros();
            let found = match (one, other) {
                (None, _) => on_planes(&[Some(&new)], &target),
                (_, None) => on_planes(&[Some(&new), one], &target),
                _ => on_planes(&[Some(&new), one, other], &target),
            };
            let Some(x) = found else { continue };
            let above = |f: &Facet| f.value + f.normal.dot(&x);
            let violated = old.iter().flatten().map(above).fold(above(&new), Real::max);
            let rank = (violated.max(0.0), x.norm_squared());
            if best.as_ref().is_none_or(|(least, ..)| rank < *least) {
                best = Some((rank, x, [Some(new), one.copied(), other.copied()]));
            }
        }
        let (_, x, facets) = best?;
        self.facets = facets;
        Some(x)
    }
}

/// The way along the distance's slope as far as the surface is away at least.
fn climb(field: &dyn Field, place: &Point, distance: Real, region: Region) -> Vector {
    slope(field, place, 0.05 * distance) * if region == Region::Solid { -distance } else { distance }
}

/// The direction in which the distance grows, unit; where it grows in none, as in the middle of a ball, any.
fn slope(field: &dyn Field, place: &Point, step: Real) -> Vector {
    let rise = Vector::from_fn(|k, _| {
        let mut way = Vector::zeros();
        way[k] = step;
        field.distance(&(place + way)) - field.distance(&(place - way))
    });
    rise.try_normalize(1e-3 * step).unwrap_or_else(|| Vector::new(0.48, 0.6, 0.64))
}

/// The point of a union of intersections of half-spaces nearest to `target`, and the intersection that it is of; `None` where all are void, as
/// far as a ball of radius `size` metres, that they are told of, tells.
fn onto_any<'e>(enclosure: &'e Enclosure, target: &Vector, size: Real) -> Option<(Vector, &'e [Facet])> {
    // No point of an intersection is nearer than that half-space of it which is the furthest away.
    let away = |facets: &[Facet]| facets.iter().map(|f| f.value + f.normal.dot(target)).fold(0.0, Real::max);
    let first = enclosure.alternatives().min_by(|x, y| away(x).total_cmp(&away(y)))?;
    let off = |facets: &[Facet], x: &Vector| facets.iter().map(|f| f.value + f.normal.dot(x)).fold(0.0, Real::max);
    let mut best: Option<(Vector, &[Facet])> = None;
    let mut least = Real::INFINITY;
    let others = enclosure.alternatives().filter(|facets| !std::ptr::eq(*facets, first));
    for facets in std::iter::once(first).chain(others) {
        if away(facets) < least {
            let found = onto(facets, target);
            let distance = (found - target).norm();
            if distance < least && off(facets, &found) <= VOID * size + HELD * (target.norm() + found.norm()) {
                (best, least) = (Some((found, facets)), distance);
            }
        }
    }
    best
}

/// The point of the intersection of half-spaces nearest to `target`: of the few that hold it so far, and the one that it is furthest
/// from besides, until it is in all of them. Where rounding lets that come to no end, by Hildreth's way.
fn onto(facets: &[Facet], target: &Vector) -> Vector {
    let mut holding = Holding::default();
    let mut x = Vector::zeros();
    for _ in 0..=2 * facets.len() {
        let place = target + x;
        let over = |f: &Facet| f.value + f.normal.dot(&place);
        let Some(furthest) = facets.iter().max_by(|f, g| over(f).total_cmp(&over(g))) else { return place };
        if over(furthest) <= HELD * (target.norm() + x.norm()) {
            return place;
        }
        let about_target = Facet { value: furthest.value + furthest.normal.dot(target), ..*furthest };
        let Some(next) = holding.add(about_target) else { break };
        x = next;
    }
    by_sweeps(facets, target)
}

/// The point of some planes nearest to `target`, where it is over each of them; `None` where it is not, or they share no point.
///
/// Tangents close to each other differ by little: by what each differs from the first, made upright to those before, rounding counts once,
/// where a Gram matrix would square it.
fn on_planes<const N: usize>(facets: &[Option<&Facet>; N], target: &Vector) -> Option<Vector> {
    let mut upright = [Vector::zeros(); N];
    let mut lengths = [1.0; N];
    let mut differences = [Vector::zeros(); N];
    let mut along = [0.0; N];
    let mut x = Vector::zeros();
    let first = facets[0]?;
    let over = |facet: &Facet| facet.value + facet.normal.dot(target);
    for i in 0..N {
        let facet = facets[i]?;
        let (difference, rise) = if i == 0 {
            (facet.normal, -over(facet))
        } else {
            (facet.normal - first.normal, over(first) - over(facet))
        };
        let mut rest = difference;
        for _ in 0..2 {
            rest = upright[..i].iter().fold(rest, |rest, axis| rest - axis * rest.dot(axis));
        }
        lengths[i] = rest.norm();
        if lengths[i] <= SAME {
            return None;
        }
        upright[i] = rest / lengths[i];
        along[i] = (rise - difference.dot(&x)) / lengths[i];
        x += upright[i] * along[i];
        differences[i] = difference;
    }
    // The way is against each normal: from the last on, for only its plane leads that way.
    let mut weights = [0.0; N];
    for i in (0..N).rev() {
        let later: Real = (i + 1..N).map(|k| weights[k] * differences[k].dot(&upright[i])).sum();
        weights[i] = -(along[i] + later) / lengths[i];
    }
    // Of the first normal there is as much in each difference.
    weights[0] -= weights[1..].iter().sum::<Real>();
    // Also where they are no numbers.
    if !weights.iter().all(|w| w.is_finite() && *w >= 0.0) {
        return None;
    }
    Some(target + x)
}

/// One multiplier a facet, as many as there is room for (Hildreth).
fn by_sweeps(facets: &[Facet], target: &Vector) -> Vector {
    let mut x = *target;
    let mut weights = [0.0; 16];
    for _ in 0..SWEEPS {
        let mut change: Real = 0.0;
        for (facet, weight) in facets.iter().zip(&mut weights) {
            let over = facet.value + facet.normal.dot(&x);
            let step = over.max(-*weight);
            *weight += step;
            x -= facet.normal * step;
            change = change.max(step.abs());
        }
        if change <= 1e-15 * x.norm() + Real::MIN_POSITIVE {
            break;
        }
    }
    x
}

/// The mean outward normal of the facets that hold `x` at their surface.
fn outward(facets: &[Facet], x: &Vector, region: Region) -> Vector {
    let height = |f: &Facet| f.value + f.normal.dot(x);
    let top = facets.iter().map(height).fold(Real::NEG_INFINITY, Real::max);
    let near = 1e-9 * x.norm() + Real::MIN_POSITIVE;
    let sum: Vector = facets.iter().filter(|f| height(f) >= top - near).map(|f| f.normal).sum();
    let normal = sum.try_normalize(1e-6).unwrap_or_else(|| facets.first().map_or_else(Vector::y, |f| f.normal));
    if region == Region::Solid { normal } else { -normal }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::field::implicit::ImplicitSurface;
    use crate::geometry::field::{Implicit, Superquadric};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_point_of_a_convex_solid_is_nearer_than_the_nearest_one_by_a_millionth(
            radii in prop::array::uniform3(-2.0..0.3_f64), e in prop::array::uniform2(0.2..1.95_f64),
            d in prop::array::uniform3(-1.0..1.0_f64), far in -6.0..1.0_f64,
            others in prop::collection::vec((prop::array::uniform3(-1.0..1.0_f64), -6.0..0.0_f64), 60),
        ) {
            let solid = Implicit::new(Superquadric::try_new(radii.map(|r| 10.0_f64.powf(r)), e).unwrap()).unwrap();
            let Some(d) = Vector::from(d).try_normalize(1e-2) else { return Ok(()) };
            let map = solid.surface().support_map().unwrap();
            // From a place near the surface on, as near as far out.
            let away = 10.0_f64.powf(far);
            let place = map.support(&d, 0).point + d * away;
            let fine = 1e-11 + 1e-9 * away;
            let found = nearest_surface(&solid, &place, fine).unwrap();
            let distance = (place - found.point).norm();
            prop_assert!(solid.distance(&found.point).abs() <= 4.0 * fine && (found.normal.norm() - 1.0).abs() < 1e-9);
            prop_assert!(distance <= away * (1.0 + 1e-6) + 10.0 * fine, "{distance} of {away}");
            // Those in directions near the way count most.
            for (other, off) in others {
                let direction = (place - found.point) / distance + Vector::from(other) * 10.0_f64.powf(off);
                let point = map.support(&direction, 0).point;
                prop_assert!((place - point).norm() >= distance * (1.0 - 1e-6) - 10.0 * fine, "{point} is nearer than {distance}");
            }
        }
    }
}
