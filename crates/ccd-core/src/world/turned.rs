//! Contacts ahead of what turns far: the plane between two convex solids, turned on with the one that it is a face of.
//!
//! Where a motion that nothing has bent yet leads deep into the other solid, the overlap there tells nothing about the contact
//! that was run through. The plane that separates the two now, carried on by the body to whose face it belongs, is there still,
//! and how far both solids reach along its normal tells how far apart they are along it, however deep that is. Where an edge is on an edge the plane
//! belongs to neither, and goes halfway with each.

use super::World;
use super::ahead::End;
use super::gather::Owned;
use super::report::Impact;
use super::stepping::{Pair, Stepping};
use super::swing::Swung;
use crate::contact::ContactPoint;
use crate::detection::dispatch::as_convex;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Pose, Real, Vector};

/// Normals whose cosine is above this are one plane's.
const SAME_PLANE: Real = 1.0 - 1e-6;

/// What is on a face for this share of the way is on it all the way.
const STAYS: Real = 0.98;

/// The contacts of two solids that turn about each other, where a way leads.
pub(super) struct Turned {
    /// Those that are on the face all the way.
    pub contacts: Vec<ContactPoint>,
    /// The share of the way after which none is.
    pub stays: Real,
}

impl Turned {
    const NONE: Self = Self { contacts: Vec::new(), stays: 0.0 };
}

/// A convex solid at a placement.
struct Placed<'s> {
    solid: &'s dyn SupportMap,
    pose: &'s Pose,
}

impl Placed<'_> {
    /// How far it reaches along a unit direction from the origin, metres.
    fn height(&self, direction: &Vector) -> Real {
        let local = self.pose.inverse_transform_vector(direction);
        (self.pose * self.solid.support(&local, u32::MAX).point).coords.dot(direction) + self.solid.radius()
    }

    /// The ends of the line that is furthest along a unit direction, of a side that is round there; they are one for a dome.
    /// A push off it would spin the solid.
    fn ridge(&self, direction: &Vector) -> Option<[Point; 2]> {
        let mut line = Vec::new();
        self.solid.support_face(&self.pose.inverse_transform_vector(direction), &mut line);
        let onto_surface = |point: &Point| self.pose * point + direction * self.solid.radius();
        match line.as_slice() {
            [point] => Some([onto_surface(point); 2]),
            [start, end] => Some([start, end].map(onto_surface)),
            _ => None,
        }
    }
}

/// A direction between two solids.
#[derive(Clone, Copy)]
struct Plane {
    /// From A to B.
    normal: Vector,
    /// How high A reaches along it from the origin, and how low B does, metres.
    heights: [Real; 2],
}

impl Plane {
    fn between([a, b]: &[Placed; 2], normal: Vector) -> Self {
        Self { normal, heights: [a.height(&normal), -b.height(&-normal)] }
    }

    /// How far apart it tells them to be, metres.
    fn apart(&self) -> Real {
        self.heights[1] - self.heights[0]
    }

    /// A place brought to where A reaches, or B.
    fn level(&self, place: &Point, side: usize) -> Point {
        place - self.normal * (place.coords.dot(&self.normal) - self.heights[side])
    }
}

impl Stepping {
    /// Whether both are convex, so that a plane tells them apart.
    pub(super) fn is_convex_pair(&self, world: &World, pair: Pair) -> bool {
        [pair.0, pair.1].iter().all(|&k| as_convex(self.body(world, k).shape()).is_some())
    }

    /// Tells a swing from time `t` on among the impacts of that time, of which it is a part where the two have met.
    pub(super) fn tell_swing(&self, swung: &Swung, t: Real, impacts: &mut Vec<Impact>) {
        let pair = swung.owned.pair;
        let now = |p: &ContactPoint| {
            let known = self.close.get(&pair).and_then(|close| close.points.iter().find(|q| q.features == p.features));
            *known.unwrap_or(p)
        };
        let impact = |(p, impulse): &(ContactPoint, Vector)| {
            let ContactPoint { normal, separation, features, .. } = now(p);
            let point = now(p).midpoint();
            Impact { time: t, pair: self.key(pair), features, point, normal, separation, impulse: *impulse }
        };
        for swing in swung.impulses.iter().filter(|(_, impulse)| *impulse != Vector::zeros()).map(impact) {
            let is_same = |told: &&mut Impact| (told.pair, told.features, told.time) == (swing.pair, swing.features, t);
            match impacts.iter_mut().find(is_same) {
                Some(told) => told.impulse += swing.impulse,
                None => impacts.push(swing),
            }
        }
    }

    /// The contacts that the pair has at time `t` where motions lead to the given ends, along the plane of the nearest of them
    /// that has turned on with the one body, with the other, or halfway with each, whichever keeps them furthest apart. What has slid off the face is held
    /// by nothing there.
    pub(super) fn turned_contacts(&self, world: &World, owned: &Owned, t: Real, ends: [&End; 2]) -> Turned {
        let pair = owned.pair;
        let Some(close) = self.close.get(&pair).filter(|close| close.time == t) else { return Turned::NONE };
        let Some(nearest) = close.points.iter().min_by(|p, q| p.separation.total_cmp(&q.separation)) else {
            return Turned::NONE;
        };
        let shapes = [pair.0, pair.1].map(|k| as_convex(self.body(world, k).shape()));
        let [Some(solid_a), Some(solid_b)] = shapes else { return Turned::NONE };
        let now = self.poses_at(pair, t);
        let placed = [Placed { solid: solid_a, pose: &ends[0].pose }, Placed { solid: solid_b, pose: &ends[1].pose }];
        let turned_by = |side: usize| ends[side].pose.rotation * now[side].inverse_transform_vector(&nearest.normal);
        let [with_a, with_b] = [turned_by(0), turned_by(1)];
        let planes = [with_a, with_b, (with_a + with_b).normalize()].map(|normal| Plane::between(&placed, normal));
        // Of two faces the plane is that of the first.
        let further = |best: usize, k: usize| if planes[k].apart() > planes[best].apart() { k } else { best };
        let which = [1, 2].into_iter().fold(0, further);
        let plane = planes[which];
        let owners: &[usize] = [&[0][..], &[1], &[0, 1]][which];
        let on_plane = || close.points.iter().filter(|p| p.normal.dot(&nearest.normal) > SAME_PLANE);
        // The places on the other body are where it touches; on the plane's own body they slide.
        let touched = [0, 1].map(|side| {
            if owners == [side] {
                return Vec::new();
            }
            let (body, outward) = (&placed[side], plane.normal * [1.0, -1.0][side]);
            let round = body.ridge(&outward);
            let place = |p: &ContactPoint| {
                let point = if side == 0 { p.point_a } else { p.point_b };
                let carried = body.pose * now[side].inverse_transform_point(&point);
                round.map_or(carried, |ridge| nearest_on(&ridge, &carried))
            };
            let farthest = on_plane().map(|p| place(p).coords.dot(&outward)).fold(Real::NEG_INFINITY, Real::max);
            // What has rolled or tipped on reaches as far along the normal as the solid does.
            let lift = outward * (body.height(&outward) - farthest);
            on_plane().map(|p| place(p) + lift).collect::<Vec<Point>>()
        });
        let mut found = Turned::NONE;
        for (k, p) in on_plane().enumerate() {
            let [point_a, point_b] = match which {
                0 => [plane.level(&touched[1][k], 0), touched[1][k]],
                1 => [touched[0][k], plane.level(&touched[0][k], 1)],
                _ => [touched[0][k], touched[1][k]],
            };
            let stays = owners.iter().map(|&side| {
                let (from, to) = if side == 0 {
                    (p.point_a, plane.level(&point_b, 0))
                } else {
                    (p.point_b, plane.level(&point_a, 1))
                };
                let solid = self.body(world, [pair.0, pair.1][side]).shape().as_solid();
                let room = solid.local_aabb().inflated(world.in_force.contact_threshold);
                let [from, to] =
                    [now[side].inverse_transform_point(&from), ends[side].pose.inverse_transform_point(&to)];
                room.stay(&from, &(to - from), 1.0).map_or(0.0, |(_, until)| until)
            });
            let stays = stays.fold(1.0, Real::min);
            found.stays = found.stays.max(stays);
            if stays >= STAYS {
                let (normal, separation) = (plane.normal, (point_b - point_a).dot(&plane.normal));
                found.contacts.push(ContactPoint { point_a, point_b, normal, separation, features: p.features });
            }
        }
        found
    }
}

fn nearest_on([start, end]: &[Point; 2], place: &Point) -> Point {
    let along = end - start;
    let length = along.norm_squared();
    if length > 0.0 { start + along * ((place - start).dot(&along) / length).clamp(0.0, 1.0) } else { *start }
}
