//! How deep fields overlap, and how to move one of them out.
//!
//! **Idea.** Descent finds a place that is deep in both solids; the ways to the two surfaces from there are the depth of a shallow overlap,
//! and no way out is shorter than twice the depth of that place in both. A [way out](super::way_out) is searched for from there, along
//! its normal, the axes of both frames and, of deep overlaps, all around. Places in either solid that are kept tell at once of most translations
//! that they do not part the two.
//! **Guarantee.** The translation separates. It is the least for shallow overlaps, and where it is no longer than any can be; of other deep ones a
//! shorter one may exist in other directions; and where no step leads out, as of solids without a surface, the depth
//! is what descent found.
//! **Cost.** A look at whether there is an overlap for each direction, and some hundreds for those that lead out sooner than others before.

use std::cell::Cell;

use super::field::FieldPair;
use super::inner_places::InnerPlaces;
use super::way_out::{Gap, Movable, first_way, least_way_out, moved};
use super::{ClosestError, Local};
use crate::detection::field::cells::Divided;
use crate::detection::field::witness::Pair;
use crate::geometry::feature::Feature;
use crate::geometry::field::{Field, SurfacePoint, nearest_surface};
use crate::math::{Matrix, Point, Real, Vector};

/// A place that has no nearest point of a surface, as the middle of a ball, is left by one of these shares of the solid's size.
const ASIDE: [Real; 4] = [0.0, 1e-6, 1e-3, 3e-2];
/// Halvings of a straight way out of a solid.
const HALVINGS: usize = 40;
/// Ways apart are right to this share of the size of the smaller solid, or of what is moved, and to that of the larger one's.
pub(super) const SEPARATION: Real = 1e-7;
const ROUNDING: Real = 1e-12;
/// Overlaps of less than this share of the size are shallow.
pub(super) const SHALLOW: Real = 1e-2;
/// Directions all around that are looked along out of deep ones: the next is never further than twenty degrees.
const AROUND: usize = 64;
/// Out of what has no end they go as far as so many times the size of what is moved.
pub(super) const FAR: Real = 1e3;

impl FieldPair<'_> {
    /// For solids that overlap, as `found`: a short translation that separates them, with the points that touch last.
    pub(super) fn way_apart(&self, found: Local) -> Local {
        let middle = nalgebra::center(&found.point_a, &found.point_b);
        let overlapping = Overlapping::new(self, middle);
        let places = [found.point_a, found.point_b, middle].into_iter().chain(overlapping.inner.all(&self.pose));
        let common = places.map(|place| self.common_depth(&place)).fold(0.0, Real::max);
        let Ok(Some(first)) = overlapping.first_way(&found) else { return found };
        let held = [Gap { normal: found.normal, distance: -2.0 * common }];
        // What descent found of a deep one may be shallow: it began in a corner.
        let around = if first.norm() > SHALLOW * self.size() { AROUND } else { 0 };
        let way =
            least_way_out(&overlapping, &held, std::iter::once(first.normalize()).chain(self.axes()), around, first);
        let touch = way.ok().and_then(|way| {
            let by = way.normal * way.depth;
            Some((way, by, self.shifted(&by).nearest_or_deepest(Real::INFINITY)?))
        });
        let Some((way, by, touch)) = touch else { return found };
        Local { distance: -way.depth, point_a: touch.point_a, point_b: touch.point_b - by, normal: way.normal, ..found }
    }

    /// Of both frames.
    fn axes(&self) -> impl Iterator<Item = Vector> {
        let turned = self.pose.rotation.to_rotation_matrix().into_inner();
        [Matrix::identity(), turned].into_iter().flat_map(|axes| (0..3).map(move |k| axes.column(k).into()))
    }

    /// With the other solid moved.
    fn shifted(&self, by: &Vector) -> Self {
        FieldPair { pose: moved(&self.pose, by), ..*self }
    }

    /// A length by which the other solid leaves along any way, metres, if it has an end.
    fn far(&self) -> Real {
        let sphere = self.other.bounding_sphere();
        let far = self.size() + sphere.radius + (self.pose * sphere.centre - self.middle()).norm();
        if far.is_finite() { far } else { FAR * self.size() }
    }

    /// How deep a place is in both solids at least, metres; negative where it is outside of one.
    fn common_depth(&self, place: &Point) -> Real {
        self.depth_beyond(place, Real::NEG_INFINITY, &|place| self.own_depth(place))
    }

    /// [`FieldPair::common_depth`] with `own` for the depth in the divided solid, or something no greater than `most` metres where it is none: a mesh, which
    /// takes longest, is asked where that is open.
    fn depth_beyond(&self, place: &Point, most: Real, own: &dyn Fn(&Point) -> Real) -> Real {
        let of_other = -self.other.distance(&self.pose.inverse_transform_point(place));
        if of_other <= most { of_other } else { own(place).min(of_other) }
    }

    /// How deep a place is in the divided solid, metres; negative outside.
    fn own_depth(&self, place: &Point) -> Real {
        mesh_field(self.divided).map_or(0.0, |own| -own.distance(place))
    }

    /// The same or less, of the same sign: in constant time in a distance grid.
    fn some_own_depth(&self, place: &Point) -> Real {
        let grid = if let Divided::Mesh(mesh) = self.divided { mesh.grid() } else { None };
        grid.map_or_else(|| self.own_depth(place), |grid| -grid.distance(place))
    }

    /// A point of the other solid inside the divided one, whose surface it may not touch.
    pub(super) fn swallowed(&self) -> Option<(Pair, Feature)> {
        let own = mesh_field(self.divided)?;
        if !own.local_aabb().overlaps(&self.other.local_aabb().transformed(&self.pose)) {
            return None;
        }
        let mut places = self.other.part_places();
        if places.is_empty() {
            let centre = self.other.local_aabb().centre();
            let is_bounded = centre.coords.amax().is_finite();
            let found = is_bounded.then(|| self.surface_about(self.other, &centre, 1e-12 * self.size())).flatten();
            places.extend(found.map(|found| found.point));
        }
        let point = places.into_iter().map(|place| self.pose * place).find(|place| own.contains(place))?;
        Some((
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

    /// The place that is deepest in both which descent finds from `start`, to within `fine` metres, and how deep that is; ended by one that is
    /// `enough` metres deep; `own` tells the depth in the divided solid.
    fn deepen(&self, start: Point, fine: Real, enough: Real, own: &dyn Fn(&Point) -> Real) -> (Point, Real) {
        let (mut place, mut most) = (start, self.depth_beyond(&start, Real::NEG_INFINITY, own));
        let mut step = 0.25 * self.size().min(self.other.bounding_sphere().radius);
        while step > fine && most < enough {
            let mut moved = false;
            for k in 0..6 {
                let mut way = Vector::zeros();
                way[k / 2] = if k % 2 == 0 { step } else { -step };
                let next = place + way;
                let found = self.depth_beyond(&next, most, own);
                if found > most {
                    (place, most, moved) = (next, found, true);
                }
            }
            if !moved {
                step *= 0.5;
            }
        }
        (place, most)
    }

    /// The two surface points around the common place that is deepest in both, found by descent from `start`, the normal, and how deep
    /// that place is, metres.
    pub(super) fn deepest(&self, start: &Point, fine: Real) -> Option<(Point, Point, Vector, Real)> {
        let Some(own) = mesh_field(self.divided) else {
            // A sheet has no depth of its own.
            let found = self.surface_about(self.other, &self.pose.inverse_transform_point(start), fine)?;
            return Some((*start, self.pose * found.point, -(self.pose.rotation * found.normal), 0.0));
        };
        let (place, most) =
            self.deepen(*start, 1e-6 * self.size() + fine, Real::INFINITY, &|place| self.own_depth(place));
        let a = self.surface_about(own, &place, fine)?;
        let b = self.surface_about(self.other, &self.pose.inverse_transform_point(&place), fine)?;
        let (point_b, normal_b) = (self.pose * b.point, self.pose.rotation * b.normal);
        let normal = (a.normal - normal_b).try_normalize(1e-6).unwrap_or(a.normal);
        Some((a.point, point_b, normal, most.max(0.0)))
    }
}

/// Two fields of which the second can be moved.
struct Overlapping<'q> {
    pair: &'q FieldPair<'q>,
    inner: InnerPlaces<&'q dyn Field>,
    /// A place that was in both, in the frame of the divided solid.
    last: Cell<Point>,
}

impl<'q> Overlapping<'q> {
    /// `shared`: a place in both.
    fn new(pair: &'q FieldPair<'q>, shared: Point) -> Self {
        let inner = InnerPlaces::new([mesh_field(pair.divided), Some(pair.other)]);
        Self { pair, inner, last: Cell::new(shared) }
    }

    /// The first translation that parts the two along one of a few ways, as far as steps tell.
    fn first_way(&self, found: &Local) -> Result<Option<Vector>, ClosestError> {
        let axes = self.pair.axes().flat_map(|axis| [axis, -axis]);
        let ways: Vec<Vector> = std::iter::once(found.normal).chain(axes).collect();
        first_way(self, &ways, (-found.distance).max(self.clear()), self.pair.far())
    }

    /// Whether a place that is known from before is in both, or descent leads from it to one that is.
    fn share_a_place(&self, shifted: &FieldPair<'_>) -> bool {
        self.inner.is_any_shared(&shifted.pose) || {
            let own = |place: &Point| shifted.some_own_depth(place);
            let (place, depth) = shifted.deepen(self.last.get(), self.clear(), self.clear(), &own);
            if depth > 0.0 {
                self.last.set(place);
            }
            depth > 0.0
        }
    }
}

impl Movable for Overlapping<'_> {
    fn clear(&self) -> Real {
        let (size, of_other) = (self.pair.size(), self.pair.other.bounding_sphere().radius);
        (SEPARATION * size.min(of_other)).max(ROUNDING * size)
    }

    fn overlap(&self, way: &Vector) -> Result<bool, ClosestError> {
        let shifted = self.pair.shifted(way);
        if self.share_a_place(&shifted) {
            return Ok(true);
        }
        let found = shifted.place_within(self.clear());
        if let Some(place) = found {
            self.last.set(place);
        }
        Ok(found.is_some())
    }

    fn gaps(&self, way: &Vector, reach: Real) -> Result<Vec<Gap>, ClosestError> {
        Ok(self.pair.shifted(way).near_at(reach).iter().map(Gap::of).collect())
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
        Divided::Patches(surface) => crate::geometry::solid::Solid::field(surface),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use crate::shape::Shape;

    #[test]
    fn what_a_distance_grid_tells_of_a_depth_has_its_sign_and_is_no_more() {
        let torus = Shape::torus(0.4, 0.12).unwrap();
        let Shape::Mesh(mesh) = Shape::distance_grid(&torus, 0.05).unwrap() else { unreachable!("a grid is a mesh") };
        let pair = FieldPair {
            divided: Divided::Mesh(&mesh),
            other: torus.as_field().unwrap(),
            pose: Pose::translation(0.1, 0.0, 0.0),
        };
        let mut inside = 0;
        for k in 0..2000 {
            let place = |n: usize| Real::from(u32::try_from(k * n % 997).unwrap()) / 997.0 - 0.5;
            let place = Point::new(1.4 * place(1), 0.5 * place(31), 1.4 * place(173));
            let (exact, some) = (pair.own_depth(&place), pair.some_own_depth(&place));
            assert!(some.abs() <= exact.abs() + 1e-12 && some * exact >= 0.0, "{place}: {some}, not {exact}");
            inside += usize::from(some > 0.0);
            let of_both = pair.common_depth(&place);
            let beyond = pair.depth_beyond(&place, 0.01, &|place| pair.own_depth(place));
            assert!(beyond == of_both || beyond <= 0.01 && of_both <= 0.01, "{place}: {beyond}, not {of_both}");
        }
        assert!(inside > 100, "{inside} of the places are inside");
    }
}
