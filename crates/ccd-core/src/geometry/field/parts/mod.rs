//! Convex solids as intersections of few convex functions: the primitives, as fields.

use super::enclosure::{Enclosure, Facet, Region};
use super::smooth::{Held, Local, Reach};
use super::{Boundary, Field, Sphere, SurfacePoint};
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::geometry::mesh::triangle::closest_point;
use crate::geometry::polyhedron::ConvexPolyhedron;
use crate::geometry::primitive::{Ball, Capsule, Cone, Cuboid, Cylinder, HalfSpace};
use crate::geometry::solid::Solid;
use crate::math::{Point, Real, Vector, hypotenuse};
use crate::volume::Obb;

/// The most facets that one alternative of an enclosure of parts has: the steepest are kept, for fewer hold as well.
const MOST_FACETS: usize = 10;

/// How the surface of a part bends.
#[derive(Clone, Copy)]
enum Bend {
    /// Nowhere.
    Flat,
    /// In any direction, about a kink this far away, metres.
    Round(Real),
    /// Around an axis in the direction of y, this far away, metres, which lies opposite to this unit direction.
    Around(Real, Vector),
}

/// A convex solid as the intersection of its parts, each where a convex function with slope one is at most zero.
trait Parts {
    /// Shows every part to `part` whose value at `point` is more than `above` metres, others as it suits: its value, its unit gradient
    /// there, and how it bends, which bounds its curvature. What `part` answers is `above` from then on.
    fn for_each_part(&self, point: &Point, above: Real, part: impl FnMut(Real, Vector, Bend) -> Real);

    /// The part with the highest value at `point`: that value, and its gradient there.
    fn highest(&self, point: &Point) -> (Real, Vector) {
        let mut highest = (Real::NEG_INFINITY, Vector::y());
        self.for_each_part(point, Real::NEG_INFINITY, |value, gradient, _| {
            if value > highest.0 {
                highest = (value, gradient);
            }
            highest.0
        });
        highest
    }

    /// Whether `point` is in the solid.
    fn holds(&self, point: &Point) -> bool {
        self.highest(point).0 <= 0.0
    }

    /// The point of the solid nearest to one outside, where it is known in closed form.
    fn nearest(&self, _point: &Point) -> Option<Point> {
        None
    }

    /// [`Field::boundaries`].
    fn boundaries(&self) -> Option<Vec<Boundary>> {
        None
    }

    /// Whether straight lines run along its surface.
    fn is_ruled(&self) -> bool {
        true
    }
}

/// The nearest point of the surface to one outside, with the outward normal: along the way, or that of the part that is highest where
/// there is none.
fn nearest(solid: &impl Parts, point: &Point) -> Option<SurfacePoint> {
    let nearest = solid.nearest(point)?;
    let way = point - nearest;
    let normal = way.try_normalize(1e-12 * nearest.coords.norm()).unwrap_or_else(|| solid.highest(&nearest).1);
    Some(SurfacePoint { point: nearest, normal })
}

/// The point around y that a point of the half-plane (distance from the axis, height) stands for, in the direction of `towards`.
fn around(towards: &Point, across: Real, height: Real) -> Point {
    let out = direction(&Vector::new(towards.x, 0.0, towards.z), Vector::x());
    Point::new(out.x * across, height, out.z * across)
}

/// The part as a function in the ball, and how far the ball, and the box if there is one, reach for it. A convex function of slope
/// one that is round about a kink has second derivatives between zero and one over the distance from the kink. About an
/// axis it is √((d + x)² + y²) at x outwards and y around, which is at most d + x + ½ y² / (d + x).
fn local(value: Real, gradient: Vector, bend: Bend, radius: Real, within: Option<&Obb>) -> (Local, Reach) {
    let along = |direction: &Vector| within.map_or(radius, |b| b.radius_along(direction).min(radius));
    let curvature = |nearest: Real| if nearest > 0.0 { 1.0 / nearest } else { Real::INFINITY };
    let (most, bent) = match bend {
        Bend::Flat => (0.0, radius),
        Bend::Round(kink) => (curvature(kink - radius), radius),
        Bend::Around(axis, out) => (curvature(axis - along(&out)), along(&out.cross(&Vector::y()))),
    };
    let local = Local { value, gradient, lipschitz: 1.0, curvature: [0.0, most] };
    (local, Reach { any: radius, along: along(&gradient), bent })
}

fn enclose(solid: &impl Parts, ball: &Sphere, within: Option<&Obb>, region: Region, out: &mut Enclosure) {
    let held = |value: Real, gradient: Vector, bend: Bend| {
        if let Bend::Flat = bend {
            // Of many faces most are beyond the ball.
            let height = if region == Region::Solid { value } else { -value };
            if height <= -ball.radius {
                return Held::Everything;
            }
            if height > ball.radius {
                return Held::Nothing;
            }
        }
        let (local, reach) = local(value, gradient, bend, ball.radius, within);
        local.facet_within(&reach, region)
    };
    match region {
        Region::Solid => {
            let mut facets = [Facet { normal: Vector::zeros(), value: 0.0, error: 0.0 }; MOST_FACETS];
            let (mut count, mut empty) = (0, false);
            solid.for_each_part(&ball.centre, -ball.radius, |value, gradient, bend| {
                match held(value, gradient, bend) {
                    Held::Nothing => empty = true,
                    Held::Everything => {}
                    Held::Below(facet) if count < MOST_FACETS => {
                        facets[count] = facet;
                        count += 1;
                    }
                    Held::Below(facet) => {
                        let lowest = facets.iter_mut().min_by(|f, g| f.value.total_cmp(&g.value));
                        if let Some(lowest) = lowest.filter(|f| f.value < facet.value) {
                            *lowest = facet;
                        }
                    }
                }
                // What is lower than all that are kept would not be.
                match (empty, count) {
                    (true, _) => Real::INFINITY,
                    (false, MOST_FACETS) => facets.iter().map(|f| f.value).fold(Real::INFINITY, Real::min),
                    _ => -ball.radius,
                }
            });
            if !empty {
                out.push(&facets[..count]);
            }
        }
        Region::Complement => {
            let start = out.len();
            solid.for_each_part(&ball.centre, -ball.radius, |value, gradient, bend| {
                match held(value, gradient, bend) {
                    Held::Nothing => {}
                    Held::Everything => out.push_everything(),
                    Held::Below(facet) => out.push(&[facet]),
                }
                -ball.radius
            });
            out.simplify_from(start);
        }
    }
}

macro_rules! field_of_parts {
    ($($solid:ty: $mass:expr;)+) => {
        $(impl Field for $solid {
            fn distance(&self, point: &Point) -> Real {
                self.highest(point).0
            }

            fn contains(&self, point: &Point) -> bool {
                self.holds(point)
            }

            fn enclose(&self, ball: &Sphere, region: Region, out: &mut Enclosure) {
                enclose(self, ball, None, region, out);
            }

            fn enclose_within(&self, ball: &Sphere, within: &Obb, region: Region, out: &mut Enclosure) {
                enclose(self, ball, Some(within), region, out);
            }

            fn tangent(&self, place: &Point) -> Option<Facet> {
                let (value, normal) = self.highest(place);
                Some(Facet { normal, value, error: 0.0 })
            }

            fn is_ruled(&self) -> bool {
                Parts::is_ruled(self)
            }

            fn boundaries(&self) -> Option<Vec<Boundary>> {
                Parts::boundaries(self)
            }

            fn nearest_outside(&self, point: &Point) -> Option<SurfacePoint> {
                nearest(self, point)
            }

            /// Of all parts' surfaces the nearest is that of the highest: a ball as large as it is deep is inside all of them.
            fn nearest_inside(&self, point: &Point) -> Option<SurfacePoint> {
                let (value, normal) = self.highest(point);
                Some(SurfacePoint { point: point - normal * value, normal })
            }

            fn mass_properties(&self, density: Real) -> Result<(MassProperties, MassKind), MassError> {
                let mass: fn(&$solid, Real) -> Result<MassProperties, MassError> = $mass;
                Ok((mass(self, density)?, MassKind::Exact))
            }
        })+
    };
}

field_of_parts! {
    Ball: |s, density| Ok(MassProperties::of_ball(s.radius(), density));
    Cuboid: |s, density| Ok(MassProperties::of_box(&s.half_extents(), density));
    Capsule: |s, density| Ok(MassProperties::of_capsule(s.radius(), s.half_height(), density));
    Cylinder: |s, density| Ok(MassProperties::of_cylinder(s.radius(), s.half_height(), density));
    Cone: |s, density| Ok(MassProperties::of_cone(s.radius(), s.half_height(), density));
    HalfSpace: |s, _| Err(MassError::Massless { kind: s.kind() });
    ConvexPolyhedron: |s, density| MassProperties::of_closed_surface(s.vertices(), &s.triangles(), density);
}

/// The direction of `v`; at a kink any unit vector is a subgradient.
fn direction(v: &Vector, otherwise: Vector) -> Vector {
    v.try_normalize(Real::MIN_POSITIVE).unwrap_or(otherwise)
}

impl Parts for Ball {
    fn for_each_part(&self, point: &Point, _above: Real, mut part: impl FnMut(Real, Vector, Bend) -> Real) {
        let distance = point.coords.norm();
        part(distance - self.radius(), direction(&point.coords, Vector::y()), Bend::Round(distance));
    }

    fn is_ruled(&self) -> bool {
        false
    }

    fn nearest(&self, point: &Point) -> Option<Point> {
        Some((direction(&point.coords, Vector::y()) * self.radius()).into())
    }

    fn boundaries(&self) -> Option<Vec<Boundary>> {
        Some(vec![Boundary::Sphere { centre: Point::origin(), radius: self.radius() }])
    }
}

impl Parts for Capsule {
    fn for_each_part(&self, point: &Point, _above: Real, mut part: impl FnMut(Real, Vector, Bend) -> Real) {
        let height = point.y.clamp(-self.half_height(), self.half_height());
        let away = Vector::new(point.x, point.y - height, point.z);
        let distance = away.norm();
        part(distance - self.radius(), direction(&away, Vector::x()), Bend::Round(distance));
    }

    fn is_ruled(&self) -> bool {
        false
    }

    fn nearest(&self, point: &Point) -> Option<Point> {
        let on_axis = Point::new(0.0, point.y.clamp(-self.half_height(), self.half_height()), 0.0);
        Some(on_axis + direction(&(point - on_axis), Vector::x()) * self.radius())
    }
}

impl Parts for Cuboid {
    fn for_each_part(&self, point: &Point, _above: Real, mut part: impl FnMut(Real, Vector, Bend) -> Real) {
        let half = self.half_extents();
        for k in 0..3 {
            for sign in [-1.0, 1.0] {
                let mut normal = Vector::zeros();
                normal[k] = sign;
                part(sign * point[k] - half[k], normal, Bend::Flat);
            }
        }
    }

    fn nearest(&self, point: &Point) -> Option<Point> {
        let half = self.half_extents();
        Some(point.coords.inf(&half).sup(&-half).into())
    }

    fn boundaries(&self) -> Option<Vec<Boundary>> {
        let mut planes = Vec::with_capacity(6);
        self.for_each_part(&Point::origin(), Real::NEG_INFINITY, |value, normal, _| {
            planes.push(Boundary::Plane { normal, offset: -value });
            Real::NEG_INFINITY
        });
        Some(planes)
    }
}

impl Parts for Cylinder {
    fn for_each_part(&self, point: &Point, _above: Real, mut part: impl FnMut(Real, Vector, Bend) -> Real) {
        let across = Vector::new(point.x, 0.0, point.z);
        let distance = across.norm();
        let out = direction(&across, Vector::x());
        part(distance - self.radius(), out, Bend::Around(distance, out));
        for sign in [-1.0, 1.0] {
            part(sign * point.y - self.half_height(), Vector::y() * sign, Bend::Flat);
        }
    }

    fn nearest(&self, point: &Point) -> Option<Point> {
        let (across, h) = (hypotenuse(point.x, point.z), self.half_height());
        Some(around(point, across.min(self.radius()), point.y.clamp(-h, h)))
    }
}

impl Parts for Cone {
    fn for_each_part(&self, point: &Point, _above: Real, mut part: impl FnMut(Real, Vector, Bend) -> Real) {
        let across = Vector::new(point.x, 0.0, point.z);
        let distance = across.norm();
        // The side's normal: across by the height, up by the radius.
        let slant = hypotenuse(self.radius(), 2.0 * self.half_height());
        let (out, up) = (2.0 * self.half_height() / slant, self.radius() / slant);
        let value = out * distance + up * (point.y - self.half_height());
        let aside = direction(&across, Vector::x());
        part(value, aside * out + Vector::y() * up, Bend::Around(distance, aside));
        part(-point.y - self.half_height(), -Vector::y(), Bend::Flat);
        // Beyond the apex the side's own half-space reaches far, where the cone is slender.
        part(point.y - self.half_height(), Vector::y(), Bend::Flat);
    }

    fn nearest(&self, point: &Point) -> Option<Point> {
        let (across, h, r) = (hypotenuse(point.x, point.z), self.half_height(), self.radius());
        // On the base, or on the slant from its rim to the apex.
        let base = (across.min(r), -h);
        let share = ((r - across) * r + (point.y + h) * 2.0 * h) / (r * r + 4.0 * h * h);
        let share = share.clamp(0.0, 1.0);
        let slant = (r * (1.0 - share), h * (2.0 * share - 1.0));
        let off = |(u, v): (Real, Real)| hypotenuse(across - u, point.y - v);
        let (u, v) = if off(base) < off(slant) { base } else { slant };
        Some(around(point, u, v))
    }
}

impl Parts for HalfSpace {
    fn for_each_part(&self, point: &Point, _above: Real, mut part: impl FnMut(Real, Vector, Bend) -> Real) {
        part(self.normal().dot(&point.coords), self.normal(), Bend::Flat);
    }

    fn nearest(&self, point: &Point) -> Option<Point> {
        Some(point - self.normal() * self.normal().dot(&point.coords))
    }

    fn boundaries(&self) -> Option<Vec<Boundary>> {
        Some(vec![Boundary::Plane { normal: self.normal(), offset: 0.0 }])
    }
}

impl Parts for ConvexPolyhedron {
    fn for_each_part(&self, point: &Point, above: Real, mut part: impl FnMut(Real, Vector, Bend) -> Real) {
        self.for_each_face_below(point, above, |face, height| part(height, self.planes()[face].normal, Bend::Flat));
    }

    fn highest(&self, point: &Point) -> (Real, Vector) {
        let (face, height) = self.highest_face(point);
        (height, self.planes()[face].normal)
    }

    fn holds(&self, point: &Point) -> bool {
        let mut inside = true;
        self.for_each_face_below(point, 0.0, |_, height| {
            inside &= height <= 0.0;
            if inside { 0.0 } else { Real::INFINITY }
        });
        inside
    }

    /// Of the faces that see the point, and are near enough. What is no further than any of their planes is nowhere nearer.
    fn nearest(&self, point: &Point) -> Option<Point> {
        let mut best: Option<(Real, Point)> = None;
        let mut highest: Real = 0.0;
        self.for_each_face_below(point, 0.0, |face, height| {
            highest = highest.max(height);
            if height > 0.0 && best.is_none_or(|(distance, _)| height < distance) {
                let corners = self.face_vertices(face);
                for pair in corners.get(1..).unwrap_or(&[]).windows(2) {
                    let triangle = [corners[0], pair[0], pair[1]].map(|v| self.vertices()[v as usize]);
                    let place = closest_point(&triangle, point).0;
                    let distance = (place - point).norm();
                    if best.is_none_or(|(least, _)| distance < least) {
                        best = Some((distance, place));
                    }
                }
            }
            if best.is_some_and(|(distance, _)| distance <= highest) { Real::INFINITY } else { 0.0 }
        });
        best.map(|(_, place)| place)
    }

    fn boundaries(&self) -> Option<Vec<Boundary>> {
        Some(self.planes().iter().map(|p| Boundary::Plane { normal: p.normal, offset: p.offset }).collect())
    }
}

#[cfg(test)]
mod tests;
