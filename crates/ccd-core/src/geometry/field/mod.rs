//! Solids that are given by a function of space: implicit surfaces, constructive solid geometry, grids of distances.
//!
//! What detection needs of them is not a formula but what can be proven from it about a small place: a bound on the
//! distance ([`Field::distance`]), and half-spaces that hold the solid near a point ([`Field::enclose`]). The second is exact to
//! second order on smooth surfaces and exact on flat ones, which is what keeps searches from getting lost in thousands of small cells
//! where two surfaces run along each other.

mod csg;
mod csg_bound;
mod csg_convex;
mod csg_mass;
mod csg_part;
mod curves;
mod enclosure;
mod feet;
mod grid;
mod gyroid;
mod hollow;
mod hollow_nearest;
mod implicit;
mod intersection;
mod linear_norm;
mod mass;
mod parts;
mod project;
mod query;
mod rounded_box;
mod shape_operator;
mod smooth;
mod solids;
mod superquadric;
mod superquadric_side;
mod superquadric_surface;
mod thick_disc;
mod torus;
mod triangulate;
mod within;

pub use csg::{Csg, CsgError, Operation};
pub use csg_part::CsgPart;
pub use enclosure::{Enclosure, Facet, Region};
pub use grid::{GridError, SignedDistanceGrid};
pub use gyroid::Gyroid;
pub use implicit::{Implicit, ImplicitError, ImplicitSurface};
pub use intersection::Boundary;
pub use mass::by_subdivision;
pub use project::{SurfacePoint, nearest_surface};
pub use rounded_box::RoundedBox;
pub use shape_operator::shape_operator;
pub use smooth::{Held, Local, Reach};
pub use superquadric::Superquadric;
pub use torus::Torus;
pub(crate) use within::places_within;

use super::mass::{MassError, MassKind, MassProperties};
use super::solid::Solid;
use crate::math::{Matrix, Point, Real};
use crate::volume::{Aabb, Obb, Sphere};

/// A solid that can tell where it is near any place. All arguments and answers are in the solid's own frame, in metres.
pub trait Field: Solid {
    /// The signed distance of `point` from the surface, or something nearer to zero: negative inside, positive outside,
    /// in size at most the distance.
    fn distance(&self, point: &Point) -> Real;

    /// Whether [`Field::distance`] is the distance itself of points outside, not something nearer to zero.
    fn has_exact_distance(&self) -> bool {
        false
    }

    /// Whether `point` is in the solid, its surface included: exact to rounding, also where the distance is not.
    fn contains(&self, point: &Point) -> bool {
        self.distance(point) <= 0.0
    }

    /// Appends half-spaces to `out` whose intersections together hold every point of `region` that is in the ball: see
    /// [`Enclosure`]. Appending nothing states that no point of the region is in the ball.
    fn enclose(&self, ball: &Sphere, region: Region, out: &mut Enclosure);

    /// [`Field::enclose`] for what is in the ball and in `within`, too, a box about the same centre. A surface that is straight
    /// along the box's long side is held there as closely as in a ball that is as small as the box is thin; others leave the box out.
    fn enclose_within(&self, ball: &Sphere, _within: &Obb, region: Region, out: &mut Enclosure) {
        self.enclose(ball, region, out);
    }

    /// Where all that is in a ball and in a box about the same centre lies: in the solid, or in its complement, or, where neither is certain
    /// (`None`), on both sides. By default from the distance of the centre.
    fn side_of(&self, ball: &Sphere, _within: &Aabb) -> Option<Region> {
        side_by_distance(self.distance(&ball.centre), ball.radius)
    }

    /// A box that holds all that a box holds of the solid: the same (the default), or a smaller one.
    fn shrunk(&self, over: &Aabb) -> Aabb {
        *over
    }

    /// Whether [`Field::enclose_within`] tells more of a box than of the ball around it.
    fn tells_boxes(&self) -> bool {
        self.is_ruled()
    }

    /// A half-space that holds all of a convex solid, everywhere, about `place`: at a place outside of the solid the place is
    /// outside of it, too. `None` for a solid that is not convex, and where there is none.
    fn tangent(&self, _place: &Point) -> Option<Facet> {
        None
    }

    /// Whether [`Field::enclose`] tells anything of balls that are large against the solid's details. Of two solids, one that does
    /// not is better divided than asked.
    fn sees_far(&self) -> bool {
        true
    }

    /// Whether [`Field::enclose_within`] makes use of its box: long cells are worth it then.
    fn is_ruled(&self) -> bool {
        false
    }

    /// The point of the surface nearest to a point outside, where it is known in closed form.
    fn nearest_outside(&self, _point: &Point) -> Option<SurfacePoint> {
        None
    }

    /// The point of the surface nearest to a point inside, with the outward normal, where it is known in closed form.
    fn nearest_inside(&self, _point: &Point) -> Option<SurfacePoint> {
        None
    }

    /// The half-spaces and balls whose intersection the solid is; `None` for a solid that is no such intersection.
    fn boundaries(&self) -> Option<Vec<Boundary>> {
        None
    }

    /// A point of the solid, where one is known without a search: the middle of its box (the default), if that is in it.
    fn some_point(&self) -> Option<Point> {
        let centre = self.local_aabb().centre();
        (centre.coords.amax().is_finite() && self.contains(&centre)).then_some(centre)
    }

    /// A point of each piece that the solid falls into, where these are known: [`Field::some_point`] (the default) of a solid in one piece. What may be inside
    /// something else without touching it is told by these.
    fn part_places(&self) -> Vec<Point> {
        self.some_point().into_iter().collect()
    }

    /// Places all over the solid, inside it, where some are known.
    fn inner_places(&self) -> &[Point] {
        &[]
    }

    /// Whether it is certain that the solid has no point at all, as an intersection of solids that are apart.
    fn has_no_point(&self) -> bool {
        false
    }

    /// The point of the surface nearest to a point that is not in `region`, to within `fine` metres and as far as descent finds
    /// it, where the field has a way of its own that is faster than [`nearest_surface`]'s.
    fn nearest(&self, _point: &Point, _region: Region, _fine: Real) -> Option<SurfacePoint> {
        None
    }

    /// The shape operator of the surface at a place on it, 1/m, where it is known in closed form ([`shape_operator`]).
    fn shape_operator(&self, _place: &Point) -> Option<Matrix> {
        None
    }

    /// The mass at uniform density, kg/m³, and how it was found.
    ///
    /// # Errors
    /// [`MassError`] for solids without a volume of their own.
    fn mass_properties(&self, density: Real) -> Result<(MassProperties, MassKind), MassError>;
}

/// Where a ball lies whose centre has a signed distance that is at least so large.
fn side_by_distance(distance: Real, radius: Real) -> Option<Region> {
    if distance > radius {
        Some(Region::Complement)
    } else if distance < -radius {
        Some(Region::Solid)
    } else {
        None
    }
}
