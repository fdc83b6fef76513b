//! How deep fields overlap, and how to move one of them out.
//!
//! **Idea.** Descent finds a place that is deep in both solids; the ways to the two surfaces from there are the depth of a shallow overlap,
//! and the least that a deep one can have is twice the depth of that place. From there the other solid is moved on, along the normal
//! and along the axes of both frames, by as much as the two still overlap, and back by as much as they are apart.
//! **Guarantee.** The translation separates. It is the least for shallow overlaps; of deep ones a shorter one may exist in other
//! directions; and where no way leads out within [`MOVES`] moves, as out of an unbounded solid, the depth is what descent found. (Solids made
//! of convex pieces have more: [`super::way_out`].)
//! **Cost.** A look for the closest points at each move: some ten for each of thirteen directions.

use super::Local;
use super::field::FieldPair;
use crate::detection::field::cells::Divided;
use crate::detection::field::witness::Pair;
use crate::geometry::feature::Feature;
use crate::geometry::field::{Field, SurfacePoint, nearest_surface};
use crate::math::{Matrix, Point, Real, Vector};

/// A place that has no nearest point of a surface, as the middle of a ball, is left by one of these shares of the solid's size.
const ASIDE: [Real; 4] = [0.0, 1e-6, 1e-3, 3e-2];
/// Halvings of a straight way out of a solid.
const HALVINGS: usize = 40;
/// Ways apart are right to this share of the size of what is moved.
const SEPARATION: Real = 1e-7;
/// Moves along a way apart, there and back.
const MOVES: usize = 64;

impl FieldPair<'_> {
    /// For solids that overlap, as `found`: the shortest of the translations that separate them along its normal and the axes of both,
    /// with the points that touch last.
    pub(super) fn way_apart(&self, found: Local) -> Local {
        let axes = [Matrix::identity(), self.pose.rotation.to_rotation_matrix().into_inner()];
        let axes = axes.iter().flat_map(|axes| (0..3).map(|k| Vector::from(axes.column(k))));
        let ways = std::iter::once(found.normal).chain(axes.flat_map(|axis| [axis, -axis]));
        let mut shortest: Option<Local> = None;
        for way in ways {
            let most = shortest.as_ref().map_or(Real::INFINITY, |apart| -apart.distance);
            shortest = self.apart_along(&way, -found.distance, most).or(shortest);
        }
        Local { features: found.features, iterations: found.iterations, ..shortest.unwrap_or(found) }
    }

    /// The other solid moved along a unit way until it is apart, by less than `most` metres, at first by `some`: how far that is, and the
    /// points that touch there, where they were.
    fn apart_along(&self, way: &Vector, some: Real, most: Real) -> Option<Local> {
        let at = |length: Real| {
            let pose = nalgebra::Translation3::from(way * length) * self.pose;
            FieldPair { pose, ..*self }.nearest_or_deepest(Real::INFINITY)
        };
        let fine = SEPARATION * self.size();
        let (mut length, mut moves) = (some, 0);
        let mut touch = loop {
            if moves >= MOVES || length >= most && moves > 0 {
                return None;
            }
            moves += 1;
            let found = at(length)?;
            if found.distance > 0.0 {
                break found;
            }
            length += fine.max(-found.distance);
        };
        // As far back as nothing is met.
        while touch.distance > fine && moves < MOVES {
            moves += 1;
            let nearer = (length - touch.distance + 0.5 * fine).max(0.0);
            match at(nearer)? {
                found if found.distance > 0.0 => (length, touch) = (nearer, found),
                _ => break,
            }
        }
        let point_b = touch.point_b - way * length;
        (length < most).then_some(Local { distance: -length, point_b, normal: *way, ..touch })
    }

    /// A point of the other solid inside the divided one, whose surface it may not touch.
    pub(super) fn swallowed(&self) -> Option<(Pair, Feature)> {
        let found = self.other.some_point().or_else(|| {
            let centre = self.other.local_aabb().centre();
            let is_bounded = centre.coords.amax().is_finite();
            is_bounded.then(|| self.surface_about(self.other, &centre, 1e-12 * self.size()))?.map(|found| found.point)
        });
        let point = self.pose * found?;
        let is_inside = match self.divided {
            Divided::Patches(surface) => surface.surface().contains(&point),
            _ => mesh_field(self.divided)?.contains(&point),
        };
        is_inside.then_some((
            Pair { point_a: point, point_b: point, normal: Vector::y(), distance: 0.0, alignment: 1.0 },
            Feature::Face(0),
        ))
    }

    /// The point of a surface that is nearest to a place, or to one right beside it; from deep inside, where no descent may lead out, the
    /// nearest of those that straight ways lead to.
    fn surface_about(&self, field: &dyn Field, place: &Point, fine: Real) -> Option<SurfacePoint> {
        let way = Vector::new(0.8, 0.5, 0.3) * self.size().min(field.bounding_sphere().radius);
        let by_descent = ASIDE.iter().find_map(|share| nearest_surface(field, &(place + way * *share), fine));
        by_descent.or_else(|| {
            // To the neighbours of a cell in a cube of 27.
            let ways = (0..27).filter(|k| *k != 13).map(|k: i32| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1].map(Real::from));
            let exits = ways.filter_map(|way| nearest_surface(field, &way_out(field, place, way)?, fine));
            let far = |exit: &SurfacePoint| (exit.point - place).norm_squared();
            exits.min_by(|one, other| far(one).total_cmp(&far(other)))
        })
    }

    /// The two surface points around the common place that is deepest in both, found by descent from `start`, the normal, and how deep
    /// that place is, metres.
    pub(super) fn deepest(&self, start: &Point, fine: Real) -> Option<(Point, Point, Vector, Real)> {
        let Some(own) = mesh_field(self.divided) else {
            // A sheet has no depth of its own.
            let found = self.surface_about(self.other, &self.pose.inverse_transform_point(start), fine)?;
            return Some((*start, self.pose * found.point, -(self.pose.rotation * found.normal), 0.0));
        };
        let depth = |p: &Point| (-own.distance(p)).min(-self.other.distance(&self.pose.inverse_transform_point(p)));
        let mut place = *start;
        let mut most = depth(&place);
        let mut step = 0.25 * self.size().min(self.other.bounding_sphere().radius);
        while step > 1e-6 * self.size() + fine {
            let mut moved = false;
            for k in 0..6 {
                let mut way = Vector::zeros();
                way[k / 2] = if k % 2 == 0 { step } else { -step };
                let next = place + way;
                let found = depth(&next);
                if found > most {
                    (place, most, moved) = (next, found, true);
                }
            }
            if !moved {
                step *= 0.5;
            }
        }
        let a = self.surface_about(own, &place, fine)?;
        let b = self.surface_about(self.other, &self.pose.inverse_transform_point(&place), fine)?;
        let (point_b, normal_b) = (self.pose * b.point, self.pose.rotation * b.normal);
        let normal = (a.normal - normal_b).try_normalize(1e-6).unwrap_or(a.normal);
        Some((a.point, point_b, normal, most.max(0.0)))
    }
}

/// The first place outside a bounded solid, right behind its surface, that halving finds on the straight way from a place inside.
fn way_out(field: &dyn Field, place: &Point, way: [Real; 3]) -> Option<Point> {
    let sphere = field.bounding_sphere();
    let far = (place - sphere.centre).norm() + 1.01 * sphere.radius;
    if !far.is_finite() || !field.contains(place) {
        return None;
    }
    let way = Vector::from(way).normalize();
    let (mut inside, mut outside) = (0.0, far);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (inside + outside);
        *(if field.contains(&(place + way * middle)) { &mut inside } else { &mut outside }) = middle;
    }
    Some(place + way * outside)
}

fn mesh_field(divided: Divided<'_>) -> Option<&dyn Field> {
    match divided {
        Divided::Field(field) => Some(field),
        Divided::Mesh(mesh) => crate::geometry::solid::Solid::field(mesh),
        Divided::Patches(_) => None,
    }
}
