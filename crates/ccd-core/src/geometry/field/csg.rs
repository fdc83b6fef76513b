//! Constructive solid geometry: unions, intersections and differences of fields, nested at will.
//!
//! **Idea.** Enclosures compose: what a ball holds of a union is what it holds of any part; of an intersection, what it
//! holds of all; and the complement of a union is the intersection of the complements. So creases come out as they are: at a
//! convex one a point must be below both faces, at a hollow one below either. Far parts drop out of small balls.
//!
//! **Limits.** Distances are bounds: beside a crease the true distance is larger, by at most the factor that the angle gives.

use std::sync::OnceLock;

use super::csg_bound::CsgBound;
use super::csg_convex::CsgConvex;
use super::csg_mass::unit_mass;
use super::csg_part::{CsgPart, Placed, turned};
use super::enclosure::{Enclosure, Facet, Region};
use super::within::{Within, pieces_within, places_within, point_within};
use super::{Boundary, Field, Sphere, SurfacePoint, query};
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::math::{MAX_COORDINATE, Point, Real, is_sound_pose};
use crate::volume::{Aabb, Obb};

/// How solids make a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// What is in any of the parts.
    Union,
    /// What is in all of the parts.
    Intersection,
    /// What is in the first part and inside no other. A part that ends exactly in the surface of the first leaves that standing, as a lid
    /// without thickness; [`Shape::csg`](crate::shape::Shape::csg) lets boxes and cylinders reach out of flat faces.
    Difference,
}

/// Why parts make no solid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CsgError {
    /// There are none.
    #[error("a solid of no parts")]
    NoParts,
    /// A part's place holds NaN, infinity, or a number that is too large, or its rotation is no unit quaternion.
    #[error(
        "the place of part {part} is not finite or beyond {MAX_COORDINATE:e} m, or its rotation is no unit quaternion"
    )]
    NonFinitePose {
        /// Counted from zero.
        part: usize,
    },
    /// The boxes of the parts of an intersection share no place.
    #[error("the intersection is empty: its parts do not meet")]
    Empty,
}

/// A solid made of solids.
#[derive(Clone, Debug)]
pub struct Csg {
    operation: Operation,
    pub(super) parts: Vec<Placed>,
    pub(super) aabb: Aabb,
    pub(super) sphere: Sphere,
    pub(super) bound: Option<CsgBound>,
    pub(super) convex: Option<CsgConvex>,
    /// At a density of one, once somebody has asked.
    unit_mass: OnceLock<Result<(MassProperties, MassKind), MassError>>,
    /// The same of a point of the solid.
    within: OnceLock<Within>,
    /// The same of several.
    inner_places: OnceLock<Vec<Point>>,
    /// The same of one in each piece.
    part_places: OnceLock<Vec<Point>>,
}

impl Csg {
    /// The solid that `operation` makes of `parts`.
    ///
    /// # Errors
    /// [`CsgError`].
    pub fn new(operation: Operation, parts: Vec<CsgPart>) -> Result<Self, CsgError> {
        if let Some(part) = parts.iter().position(|p| !is_sound_pose(&p.pose)) {
            return Err(CsgError::NonFinitePose { part });
        }
        let parts: Vec<Placed> = parts
            .into_iter()
            .map(|part| Placed { aabb: part.solid.local_aabb().transformed(&part.pose), part })
            .collect();
        let first = parts.first().ok_or(CsgError::NoParts)?.aabb;
        let aabb = match operation {
            Operation::Union => parts.iter().fold(Aabb::EMPTY, |all, p| all.merged(&p.aabb)),
            Operation::Intersection => {
                parts.iter().fold(first, |all, p| Aabb { min: all.min.sup(&p.aabb.min), max: all.max.inf(&p.aabb.max) })
            }
            Operation::Difference => first,
        };
        if !(0..3).all(|k| aabb.min[k] <= aabb.max[k]) {
            return Err(CsgError::Empty);
        }
        let all: Vec<&CsgPart> = parts.iter().map(|p| &p.part).collect();
        let bound = CsgBound::new(operation, &all);
        let convex = if operation == Operation::Intersection { CsgConvex::new(&all, &aabb) } else { None };
        let (aabb, sphere) = convex.as_ref().map_or_else(|| (aabb, query::sphere_of(&aabb)), CsgConvex::extent);
        Ok(Self {
            operation,
            sphere,
            parts,
            aabb,
            bound,
            convex,
            unit_mass: OnceLock::new(),
            within: OnceLock::new(),
            inner_places: OnceLock::new(),
            part_places: OnceLock::new(),
        })
    }

    /// How the parts are combined.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The parts.
    pub fn parts(&self) -> impl Iterator<Item = &CsgPart> {
        self.parts.iter().map(|p| &p.part)
    }

    /// What a ball, or a box within it, holds of the region.
    fn enclose_in(&self, ball: &Sphere, within: Option<&Obb>, region: Region, out: &mut Enclosure) {
        let (first, others, all) = self.sense(region);
        let region_of = |i: usize| if i == 0 { first } else { others };
        if !all {
            let start = out.len();
            for (i, part) in self.parts.iter().enumerate() {
                part.enclose(ball, within, region_of(i), out);
            }
            return out.simplify_from(start);
        }
        let start = out.len();
        out.push_everything();
        for (i, part) in self.parts.iter().enumerate() {
            let middle = out.len();
            part.enclose(ball, within, region_of(i), out);
            if out.len() == middle {
                return out.truncate(start);
            }
            out.intersect_from(start, middle);
        }
    }

    /// The region of each part that counts for a region of the whole, and whether all of them must hold a point.
    fn sense(&self, region: Region) -> (Region, Region, bool) {
        match (self.operation, region) {
            (Operation::Union, Region::Solid) => (Region::Solid, Region::Solid, false),
            (Operation::Union, Region::Complement) => (Region::Complement, Region::Complement, true),
            (Operation::Intersection, Region::Solid) => (Region::Solid, Region::Solid, true),
            (Operation::Intersection, Region::Complement) => (Region::Complement, Region::Complement, false),
            (Operation::Difference, Region::Solid) => (Region::Solid, Region::Complement, true),
            (Operation::Difference, Region::Complement) => (Region::Complement, Region::Solid, false),
        }
    }
}

impl Field for Csg {
    fn distance(&self, point: &Point) -> Real {
        let of = |p: &Placed| p.part.solid.distance(&p.part.pose.inverse_transform_point(point));
        let all = self.parts.iter().map(of);
        match self.operation {
            Operation::Union => all.fold(Real::INFINITY, Real::min),
            Operation::Intersection => all.fold(Real::NEG_INFINITY, Real::max),
            Operation::Difference => {
                let signed = all.enumerate().map(|(i, d)| if i == 0 { d } else { -d });
                signed.fold(Real::NEG_INFINITY, Real::max)
            }
        }
    }

    fn contains(&self, point: &Point) -> bool {
        let mut of = self.parts.iter().map(|p| p.part.solid.contains(&p.part.pose.inverse_transform_point(point)));
        match self.operation {
            Operation::Union => of.any(|inside| inside),
            Operation::Intersection => of.all(|inside| inside),
            Operation::Difference => of.next().unwrap_or(false) && !of.any(|inside| inside),
        }
    }

    fn enclose(&self, ball: &Sphere, region: Region, out: &mut Enclosure) {
        self.enclose_in(ball, None, region, out);
    }

    fn enclose_within(&self, ball: &Sphere, within: &Obb, region: Region, out: &mut Enclosure) {
        self.enclose_in(ball, Some(within), region, out);
    }

    /// Of the part that the place is furthest outside of.
    fn tangent(&self, place: &Point) -> Option<Facet> {
        self.convex.as_ref()?;
        let mut best: Option<Facet> = None;
        for Placed { part, .. } in &self.parts {
            let facet = part.solid.tangent(&part.pose.inverse_transform_point(place))?;
            if best.is_none_or(|b| facet.value > b.value) {
                best = Some(Facet { normal: part.pose.rotation * facet.normal, ..facet });
            }
        }
        best
    }

    fn boundaries(&self) -> Option<Vec<Boundary>> {
        Some(self.convex.as_ref()?.boundaries().to_vec())
    }

    fn sees_far(&self) -> bool {
        self.parts.iter().all(|p| p.part.solid.sees_far())
    }

    fn is_ruled(&self) -> bool {
        self.parts.iter().any(|p| p.part.solid.is_ruled())
    }

    /// Where one part's nearest point is one of the whole: the nearest of a union's, and the others' that hold or spare it.
    fn nearest_outside(&self, point: &Point) -> Option<SurfacePoint> {
        if let Some(convex) = &self.convex {
            return convex.nearest(point);
        }
        if self.operation == Operation::Union {
            let of_parts = self.parts.iter().map(|placed| placed.nearest_outside(point));
            let squared = |s: &SurfacePoint| (s.point - point).norm_squared();
            let mut best: Option<SurfacePoint> = None;
            for found in of_parts {
                let found = found?;
                if best.is_none_or(|b| squared(&found) < squared(&b)) {
                    best = Some(found);
                }
            }
            return best;
        }
        let is_difference = self.operation == Operation::Difference;
        let of_part = |(i, part): (usize, &Placed)| {
            if is_difference && i > 0 { part.nearest_taken(point) } else { part.nearest_outside(point) }
        };
        let is_whole = |i: usize, place: &Point| {
            let holds = |p: &Placed| p.part.solid.contains(&p.part.pose.inverse_transform_point(place));
            let mut others = self.parts.iter().enumerate().filter(|(k, _)| *k != i);
            others.all(|(k, part)| holds(part) != (is_difference && k > 0))
        };
        let mut of_parts = self.parts.iter().enumerate().map(|of| (of.0, of_part(of)));
        of_parts.find_map(|(i, found)| found.filter(|s| is_whole(i, &s.point)))
    }

    /// Of all parts' surfaces the nearest: a ball that reaches none of them is all inside. Of a union that is not known.
    fn nearest_inside(&self, point: &Point) -> Option<SurfacePoint> {
        let mut best: Option<(Real, SurfacePoint)> = None;
        for (i, part) in self.parts.iter().enumerate() {
            let found = match (self.operation, i) {
                (Operation::Union, _) => return None,
                (Operation::Difference, 1..) => part.nearest_outside(point).map(turned),
                _ => part.nearest_inside(point),
            }?;
            let squared = (found.point - point).norm_squared();
            if best.is_none_or(|(least, _)| squared < least) {
                best = Some((squared, found));
            }
        }
        best.map(|(_, found)| found)
    }

    /// Searched for once: the middle of a ring is in its hole.
    fn some_point(&self) -> Option<Point> {
        match self.within.get_or_init(|| point_within(self)) {
            Within::Point(point) => Some(*point),
            Within::Nothing | Within::Unknown => None,
        }
    }

    /// What a union is made of is a piece at most; what is cut may fall into any number.
    fn part_places(&self) -> Vec<Point> {
        let find = || match self.operation {
            Operation::Union => {
                let parts = self.parts.iter().map(|placed| &placed.part);
                parts.flat_map(|part| places_of(&*part.solid).into_iter().map(|place| part.pose * place)).collect()
            }
            Operation::Intersection if self.convex.is_some() => Vec::from_iter(self.some_point()),
            Operation::Intersection | Operation::Difference => {
                let found = pieces_within(self);
                if found.is_empty() { Vec::from_iter(self.some_point()) } else { found }
            }
        };
        self.part_places.get_or_init(find).clone()
    }

    fn inner_places(&self) -> &[Point] {
        self.inner_places.get_or_init(|| {
            let places = places_within(&self.aabb, |place| self.contains(place));
            if places.is_empty() { Vec::from_iter(self.some_point()) } else { places }
        })
    }

    fn has_no_point(&self) -> bool {
        *self.within.get_or_init(|| point_within(self)) == Within::Nothing
    }

    fn mass_properties(&self, density: Real) -> Result<(MassProperties, MassKind), MassError> {
        let (unit, kind) = self.unit_mass.get_or_init(|| unit_mass(self)).clone()?;
        let mass = MassProperties { mass: unit.mass * density, inertia: unit.inertia * density, ..unit };
        mass.validate()?;
        Ok((mass, kind))
    }
}

/// A point of each piece of a part, searched for where none is known: the middle of a torus is in its hole.
fn places_of(solid: &dyn Field) -> Vec<Point> {
    let known = solid.part_places();
    match known.is_empty().then(|| point_within(solid)) {
        Some(Within::Point(point)) => vec![point],
        _ => known,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::geometry::primitive::{Ball, Cuboid, Cylinder};
    use crate::math::{Pose, Vector};
    use proptest::prelude::*;

    fn solids() -> Vec<Csg> {
        let part = |solid: Arc<dyn Field>, x: Real| CsgPart { solid, pose: Pose::translation(x, 0.0, 0.0) };
        let ball = |x: Real| part(Arc::new(Ball::try_new(0.8).unwrap()), x);
        let block = part(Arc::new(Cuboid::try_new([0.8, 0.5, 0.6]).unwrap()), 0.0);
        let drill = part(Arc::new(Cylinder::try_new(0.3, 0.9).unwrap()), 0.1);
        vec![
            Csg::new(Operation::Union, vec![ball(-0.5), block.clone(), ball(0.7)]).unwrap(),
            Csg::new(Operation::Intersection, vec![ball(-0.4), ball(0.4)]).unwrap(),
            Csg::new(Operation::Difference, vec![block, drill]).unwrap(),
        ]
    }

    proptest! {
        #[test]
        fn no_point_of_a_combination_is_nearer_than_the_one_in_closed_form(
            p in prop::array::uniform3(-2.0..2.0_f64), samples in prop::collection::vec(prop::array::uniform3(-1.4..1.4_f64), 40),
        ) {
            let p = Point::from(p);
            for solid in solids() {
                let Some(found) = solid.nearest_outside(&p).filter(|_| !solid.contains(&p)) else { continue };
                let way: Vector = p - found.point;
                prop_assert!(solid.distance(&found.point).abs() < 1e-12 && (found.normal * way.norm() - way).norm() < 1e-9);
                for q in samples.iter().map(|q| Point::from(*q)).filter(|q| solid.contains(q)) {
                    prop_assert!((p - q).norm() >= way.norm() - 1e-12, "{:?} {q}: {found:?}", solid.operation());
                }
            }
        }

        #[test]
        fn from_inside_a_combination_no_point_of_its_surface_is_nearer_than_the_one_in_closed_form(
            p in prop::array::uniform3(-0.8..0.8_f64), d in prop::array::uniform3(-1.0..1.0_f64), share in 0.0..1.0_f64,
        ) {
            let p = Point::from(p);
            let Some(d) = Vector::from(d).try_normalize(1e-3) else { return Ok(()) };
            for solid in solids() {
                let Some(found) = solid.nearest_inside(&p).filter(|_| solid.contains(&p)) else { continue };
                let way: Vector = found.point - p;
                prop_assert!(solid.distance(&found.point).abs() < 1e-12 && (found.normal * way.norm() - way).norm() < 1e-9);
                prop_assert!(solid.contains(&(p + d * (way.norm() * share * (1.0 - 1e-9)))), "{:?} {found:?}", solid.operation());
            }
        }

        #[test]
        fn the_nearest_point_of_a_bowl_from_within_it_is_known(p in prop::array::uniform3(-0.5..0.5_f64)) {
            let block = CsgPart::new(Arc::new(Cuboid::try_new([1.0; 3]).unwrap()), Pose::identity());
            let hollow = CsgPart::new(Arc::new(Ball::try_new(0.8).unwrap()), Pose::translation(0.0, 0.9, 0.0));
            let bowl = Csg::new(Operation::Difference, vec![block, hollow]).unwrap();
            let (p, middle) = (Point::from(p), Point::new(0.0, 0.9, 0.0));
            let Some(way) = (p - middle).try_normalize(1e-3).filter(|_| !bowl.contains(&p)) else { return Ok(()) };
            prop_assume!((middle + way * 0.8).y < 0.99);
            let found = bowl.nearest_outside(&p).unwrap();
            prop_assert!((found.point - (middle + way * 0.8)).norm() < 1e-12 && (found.normal + way).norm() < 1e-9);
        }
    }
}
