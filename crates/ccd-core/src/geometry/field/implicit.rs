//! Implicit surfaces: a function that is negative inside, and what is known of its slope.

use std::fmt::Debug;

use super::enclosure::{Enclosure, Facet, Region};
use super::mass::by_subdivision;
use super::smooth::{Held, Local};
use super::solids::ByField;
use super::{Field, SurfacePoint, query};
use crate::geometry::feature::FeatureSet;
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::geometry::solid::SupportMap;
use crate::math::{Matrix, Point, Real, Vector};
use crate::volume::{Aabb, Obb, Sphere};

/// A solid as the places where a function is at most zero. The function's unit is its own; places are in metres.
///
/// Besides the function, say what bounds it: a Lipschitz constant, or its range over a box, or both. Searches are exact
/// with either, and fast with [`ImplicitSurface::curvature`], which lets them see a smooth surface as smooth, or with
/// [`ImplicitSurface::enclose`]. Without one of the two they are too slow for a world that moves: a ball that comes down on a floor takes seconds a step.
pub trait ImplicitSurface: Debug + Send + Sync {
    /// What it is, for messages.
    fn kind(&self) -> &'static str {
        "implicit"
    }

    /// A box that holds every place where the function is at most zero; infinite where the solid is.
    fn aabb(&self) -> Aabb;

    /// A sphere that holds every place where the function is at most zero: by default the one around the box.
    fn sphere(&self) -> Sphere {
        query::sphere_of(&self.aabb())
    }

    /// Whether the function is convex over all of space, so that no part of the solid is over any tangent of it.
    fn is_convex(&self) -> bool {
        false
    }

    /// The function: negative inside, positive outside, continuous.
    fn value(&self, point: &Point) -> Real;

    /// Its gradient, units per metre; any one-sided one at a kink.
    fn gradient(&self, point: &Point) -> Vector;

    /// The function changes by at most this over a metre within the ball (whose radius may be infinite), units per metre;
    /// infinite where nothing is known.
    fn lipschitz(&self, over: &Sphere) -> Real;

    /// The least and greatest value over the box, or bounds of them: interval evaluation. By default from the Lipschitz
    /// constant.
    fn range(&self, over: &Aabb) -> [Real; 2] {
        let (centre, radius) = (over.centre(), over.half_extents().norm());
        let (value, reach) = (self.value(&centre), self.lipschitz(&Sphere { centre, radius }) * radius);
        [value - reach, value + reach]
    }

    /// Bounds of the second derivatives along straight lines within the ball, units per square metre: at least the
    /// first, at most the second. Infinite (the default) where nothing is known.
    fn curvature(&self, _over: &Sphere) -> [Real; 2] {
        [Real::NEG_INFINITY, Real::INFINITY]
    }

    /// The point of the surface nearest to a point outside, where the solid has a way of its own to find it. Descent does not get to the
    /// end of a cusp, which is thinner than any rounding.
    fn nearest_outside(&self, _point: &Point) -> Option<SurfacePoint> {
        None
    }

    /// The shape operator of the surface at a place on it, 1/m, where it is known in closed form: what a way along the surface, metres, changes the
    /// outward normal by.
    fn shape_operator(&self, _place: &Point) -> Option<Matrix> {
        None
    }

    /// Appends half-spaces about the box's centre that hold what the box has of the region, where more is known than values, slopes and
    /// curvature tell; see [`Enclosure`]. False (the default) where it is not.
    fn enclose(&self, _over: &Aabb, _region: Region, _out: &mut Enclosure) -> bool {
        false
    }

    /// Whether [`ImplicitSurface::enclose`] and [`ImplicitSurface::range`] tell more of small boxes, and at less cost, than distances of balls.
    fn tells_boxes(&self) -> bool {
        false
    }

    /// A box that holds all that a box holds of the solid: the same (the default), or a smaller one.
    fn shrunk(&self, over: &Aabb) -> Aabb {
        *over
    }

    /// The signed distance of a point from the surface, or something nearer to zero, metres, where more is known than values and
    /// slopes tell.
    fn distance(&self, _point: &Point) -> Option<Real> {
        None
    }

    /// The support mapping, where the solid is convex and bounded and has one.
    fn support_map(&self) -> Option<&dyn SupportMap> {
        None
    }

    /// The support mapping of a convex solid that holds all of this one, where there is one in closed form: of a convex solid its own.
    fn convex_bound(&self) -> Option<&dyn SupportMap> {
        self.support_map()
    }

    /// The surface as triangles that leave it by about `max_error` metres, with all their corners on it, where the solid knows better than
    /// cells of space how to make them; the set's error as [`Solid::features`](crate::geometry::solid::Solid::features) has it.
    fn triangles(&self, _max_error: Real) -> Option<FeatureSet> {
        None
    }

    /// The mass at uniform density, kg/m³, where there is a closed form; else it is found by subdivision.
    fn exact_mass(&self, _density: Real) -> Option<MassProperties> {
        None
    }
}

/// Why a function makes no solid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImplicitError {
    /// The box that should hold the solid has no inside, or holds NaN.
    #[error("the box of the {kind} is empty or no box")]
    BadBox {
        /// What it is.
        kind: &'static str,
    },
    /// The function gives NaN or infinity in the middle of its box.
    #[error("the function of the {kind} is {value} in the middle of its box")]
    BadValue {
        /// What it is.
        kind: &'static str,
        /// What it gave.
        value: Real,
    },
    /// Neither a slope nor a range over the box is known.
    #[error("nothing bounds the function of the {kind} over its box")]
    Unbounded {
        /// What it is.
        kind: &'static str,
    },
}

/// An implicit surface as a solid.
#[derive(Clone, Debug)]
pub struct Implicit<S> {
    surface: S,
    aabb: Aabb,
    sphere: Sphere,
    /// Over all of space; infinite where it has no bound there.
    everywhere: Real,
    /// Over the box of the solid.
    over_box: Real,
}

impl<S: ImplicitSurface> Implicit<S> {
    /// The solid of `surface`.
    ///
    /// # Errors
    /// [`ImplicitError`] for a box that is none, a function that is not finite, and one that nothing bounds.
    pub fn new(surface: S) -> Result<Self, ImplicitError> {
        let (aabb, kind) = (surface.aabb(), surface.kind());
        // Written so that NaN is refused, too.
        if !(0..3).all(|k| aabb.min[k] < aabb.max[k]) {
            return Err(ImplicitError::BadBox { kind });
        }
        let sphere = surface.sphere();
        let value = surface.value(&sphere.centre);
        if !value.is_finite() {
            return Err(ImplicitError::BadValue { kind, value });
        }
        let everywhere = surface.lipschitz(&Sphere { centre: sphere.centre, radius: Real::INFINITY });
        let over_box = surface.lipschitz(&sphere);
        let bounded = aabb.half_extents().amax().is_finite();
        let known = over_box.is_finite() || bounded && surface.range(&aabb).iter().all(|v| v.is_finite());
        if !known || over_box.is_nan() || over_box <= 0.0 {
            return Err(ImplicitError::Unbounded { kind });
        }
        Ok(Self { surface, aabb, sphere, everywhere, over_box })
    }

    /// The function.
    pub fn surface(&self) -> &S {
        &self.surface
    }

    /// The distance as far as ranges over boxes tell, where the slope has no bound.
    fn distance_by_range(&self, point: &Point) -> Real {
        let value = self.surface.value(point);
        let mut radius = 0.5 * self.sphere.radius.min(1e6);
        for _ in 0..12 {
            let [low, high] = self.surface.range(&Aabb::from_half_extents(*point, Vector::repeat(radius)));
            if low > 0.0 || high < 0.0 {
                return radius.copysign(value);
            }
            radius *= 0.4;
        }
        0.0
    }
}

impl<S: ImplicitSurface> Field for Implicit<S> {
    fn distance(&self, point: &Point) -> Real {
        if let Some(distance) = self.surface.distance(point) {
            return distance;
        }
        if self.everywhere.is_finite() {
            let distance = self.surface.value(point) / self.everywhere;
            return if distance.is_finite() { distance } else { 0.0 };
        }
        // Outside its box the function may be anything: only the box is certain, and the function at its nearest place.
        let inside = point.coords.sup(&self.aabb.min.coords).inf(&self.aabb.max.coords);
        let beyond = (point.coords - inside).norm();
        let nearest = Point::from(inside);
        let within = if self.over_box.is_finite() {
            self.surface.value(&nearest) / self.over_box
        } else {
            self.distance_by_range(&nearest)
        };
        if beyond > 0.0 { beyond.max(within - beyond) } else { within }
    }

    fn contains(&self, point: &Point) -> bool {
        self.surface.value(point) <= 0.0 && self.aabb.distance_to_point(point) <= 0.0
    }

    fn enclose(&self, ball: &Sphere, region: Region, out: &mut Enclosure) {
        let around = Aabb::from_half_extents(ball.centre, Vector::repeat(ball.radius));
        if !around.overlaps(&self.aabb) {
            if region == Region::Complement {
                out.push_everything();
            }
            return;
        }
        let surface = &self.surface;
        if surface.enclose(&around, region, out) {
            return;
        }
        let local = Local {
            value: surface.value(&ball.centre),
            gradient: surface.gradient(&ball.centre),
            lipschitz: surface.lipschitz(ball),
            curvature: surface.curvature(ball),
        };
        if !local.lipschitz.is_finite() {
            let [low, high] = surface.range(&around);
            let none = match region {
                Region::Solid => low > 0.0,
                Region::Complement => high < 0.0,
            };
            if none {
                return;
            }
        }
        match local.facet(ball.radius, region) {
            Held::Nothing => {}
            Held::Everything => out.push_everything(),
            Held::Below(facet) => {
                let mut facets = [facet; 7];
                let mut count = 1;
                // A convex function is above each of its tangents: where it bends much within the ball, more of them hold it closer.
                let convex = region == Region::Solid && local.curvature[0] >= 0.0;
                if convex && local.curvature[1] * ball.radius > 0.5 * local.gradient.norm() {
                    for k in 0..6 {
                        let mut off = Vector::zeros();
                        off[k / 2] = if k % 2 == 0 { ball.radius } else { -ball.radius };
                        let place = ball.centre + off;
                        let gradient = surface.gradient(&place);
                        let slope = gradient.norm();
                        let value = (surface.value(&place) - gradient.dot(&off)) / slope;
                        let normal = gradient / slope;
                        let usable = slope > 1e-9 * local.gradient.norm() && value.is_finite();
                        let new = facets[..count].iter().all(|f| f.normal.dot(&normal) < 0.999_9);
                        if usable && new && value.abs() < ball.radius {
                            facets[count] = Facet { normal, value, error: 0.0 };
                            count += 1;
                        }
                    }
                }
                out.push(&facets[..count]);
            }
        }
    }

    fn enclose_within(&self, ball: &Sphere, within: &Obb, region: Region, out: &mut Enclosure) {
        if self.surface.tells_boxes() {
            let half = within.aabb().half_extents().inf(&Vector::repeat(ball.radius));
            let around = Aabb::from_half_extents(ball.centre, half);
            if around.overlaps(&self.aabb) && self.surface.enclose(&around, region, out) {
                return;
            }
        }
        self.enclose(ball, region, out);
    }

    fn side_of(&self, ball: &Sphere, within: &Aabb) -> Option<Region> {
        if self.surface.tells_boxes() {
            let [low, high] = self.surface.range(within);
            return match (low > 0.0, high < 0.0) {
                (true, _) => Some(Region::Complement),
                (_, true) => Some(Region::Solid),
                _ => None,
            };
        }
        super::side_by_distance(self.distance(&ball.centre), ball.radius)
    }

    fn shrunk(&self, over: &Aabb) -> Aabb {
        self.surface.shrunk(over)
    }

    fn tells_boxes(&self) -> bool {
        self.surface.tells_boxes()
    }

    fn tangent(&self, place: &Point) -> Option<Facet> {
        if !self.surface.is_convex() {
            return None;
        }
        let gradient = self.surface.gradient(place);
        let slope = gradient.norm();
        let value = self.surface.value(place) / slope;
        (slope > Real::MIN_POSITIVE && value.is_finite()).then(|| Facet { normal: gradient / slope, value, error: 0.0 })
    }

    fn nearest_outside(&self, point: &Point) -> Option<SurfacePoint> {
        self.surface.nearest_outside(point)
    }

    fn shape_operator(&self, place: &Point) -> Option<Matrix> {
        self.surface.shape_operator(place)
    }

    fn mass_properties(&self, density: Real) -> Result<(MassProperties, MassKind), MassError> {
        match self.surface.exact_mass(density) {
            Some(mass) => Ok((mass, MassKind::Exact)),
            None => by_subdivision(self, density),
        }
    }
}

impl<S: ImplicitSurface> ByField for Implicit<S> {
    fn name(&self) -> &'static str {
        self.surface.kind()
    }

    fn extent(&self) -> (Aabb, Sphere) {
        (self.aabb, self.sphere)
    }

    fn convex(&self) -> Option<&dyn SupportMap> {
        self.surface.support_map()
    }

    fn bound(&self) -> Option<&dyn SupportMap> {
        self.surface.convex_bound()
    }

    fn triangles(&self, max_error: Real) -> Option<FeatureSet> {
        self.surface.triangles(max_error)
    }
}
