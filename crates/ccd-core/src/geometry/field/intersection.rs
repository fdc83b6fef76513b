//! Intersections of half-spaces and balls: rounded dice, lenses, domes.
//!
//! **Problem.** The intersection of convex solids is convex, but knows no extreme point of its own, nor the nearest one to a place: either may lie on
//! a part's surface, on the edge of two, or where three meet.
//! **Idea.** At most three surfaces hold such a point (it is an LP-type problem). Where a few of them meet, the best place is known in closed form: a
//! point, a pair of points, a circle or a line. From the best place that some surfaces hold, the one that it is furthest beyond joins them,
//! and of those and the new one the best place is found again, until it is in all of them.
//! **Guarantee.** Each round's place is the best one of a larger solid. So where rounding lets rounds come to no end, the extreme
//! point is beyond the solid, never within. **Cost.** Some rounds, each of all surfaces' heights and seven places in closed form.
//!
//! Source: Sharir and Welzl, *A combinatorial bound for linear programming and related problems* (1992), with the surface that is violated most.

use crate::math::{Point, Pose, Real, Vector};

/// A place is in a surface's solid up to this share of the whole's size.
const HELD: Real = 1e-12;
/// Surfaces whose normals have a smaller cross product meet nowhere that could be told.
const PARALLEL: Real = 1e-10;
/// What a direction has less of along a face or an edge than this has nothing of it: all of the face is as far.
const LEVEL: Real = 1e-12;
/// Of places that are as far along a direction the one counts that is the furthest along this, which is normal to no face that anyone makes.
const ASIDE: Vector = Vector::new(0.484_731, 0.614_213, 0.622_745);
/// Rounds; three or four are what it takes.
const ROUNDS: usize = 64;

/// The surface of a half-space or of a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Boundary {
    /// `normal · x ≤ offset`.
    Plane {
        /// Unit, outward.
        normal: Vector,
        /// Metres from the origin along the normal.
        offset: Real,
    },
    /// All within `radius` metres of `centre`.
    Sphere {
        /// Its centre.
        centre: Point,
        /// Metres.
        radius: Real,
    },
}

impl Boundary {
    /// How far a place is beyond it, metres.
    #[inline]
    fn height(&self, place: &Vector) -> Real {
        match self {
            Self::Plane { normal, offset } => normal.dot(place) - offset,
            Self::Sphere { centre, radius } => (place - centre.coords).norm() - radius,
        }
    }

    /// The same in the frame that `pose` leads to.
    pub(super) fn placed(&self, pose: &Pose) -> Self {
        match *self {
            Self::Plane { normal, offset } => {
                let normal = pose.rotation * normal;
                Self::Plane { normal, offset: offset + normal.dot(&pose.translation.vector) }
            }
            Self::Sphere { centre, radius } => Self::Sphere { centre: pose * centre, radius },
        }
    }
}

/// What is sought.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// The point that is furthest along a unit direction.
    Along(Vector),
    /// The point nearest to a place.
    Near(Vector),
}

impl Goal {
    /// How good a place is; more is better.
    fn worth(&self, place: &Vector) -> Real {
        match self {
            Self::Along(direction) => direction.dot(place),
            Self::Near(target) => -(target - place).norm_squared(),
        }
    }

    /// Whether a place is better than another, where lengths up to `same` are no difference.
    fn is_better(&self, place: &Vector, other: &Vector, same: Real) -> bool {
        let more = self.worth(place) - self.worth(other);
        match self {
            Self::Along(_) if more.abs() <= same => ASIDE.dot(&(place - other)) > 0.0,
            _ => more > 0.0,
        }
    }

    /// The way to go from a place.
    fn way(&self, from: &Vector) -> Vector {
        match self {
            Self::Along(direction) => *direction,
            Self::Near(target) => target - from,
        }
    }
}

/// At most three surfaces.
#[derive(Clone, Copy, Debug, Default)]
struct Basis {
    members: [usize; 3],
    count: usize,
}

impl Basis {
    fn with(mut self, member: usize) -> Self {
        self.members[self.count] = member;
        self.count += 1;
        self
    }

    fn members(&self) -> &[usize] {
        &self.members[..self.count]
    }

    fn has(&self, member: usize) -> bool {
        self.members().contains(&member)
    }
}

/// What a search comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Best {
    /// This place of the solid.
    Place(Vector),
    /// Rounding left the solid behind: of all found the best place of a solid that holds it.
    Beyond(Vector),
    /// There is no solid, or none that could be told.
    Nothing,
}

/// Some half-spaces and balls that have a place in common, at least one ball among them.
#[derive(Clone, Debug)]
pub(super) struct Intersection {
    boundaries: Vec<Boundary>,
    /// A ball among them.
    ball: usize,
    /// How large it is, and how far from the origin, metres.
    size: Real,
}

impl Intersection {
    /// What is in all of `boundaries`, which is within a sphere.
    pub(super) fn new(mut boundaries: Vec<Boundary>, centre: Point, radius: Real) -> Self {
        let is_ball = |b: &Boundary| matches!(b, Boundary::Sphere { .. });
        let ball = boundaries.iter().position(is_ball).unwrap_or_else(|| {
            // One that holds nothing, to begin with.
            boundaries.push(Boundary::Sphere { centre, radius: 1.01 * radius });
            boundaries.len() - 1
        });
        Self { boundaries, ball, size: radius + centre.coords.norm() }
    }

    pub(super) fn boundaries(&self) -> &[Boundary] {
        &self.boundaries
    }

    /// The best place in all of them, and on the boundary `on` if there is one.
    pub(super) fn best(&self, goal: &Goal, on: Option<usize>) -> Best {
        let fixed = on.map_or_else(Basis::default, |on| Basis::default().with(on));
        let mut basis = fixed;
        let mut place = match (goal, on) {
            (Goal::Near(target), None) => *target,
            _ => {
                basis = fixed.with(self.ball);
                let Some(place) = self.meeting_place(&basis, goal) else { return Best::Nothing };
                place
            }
        };
        let held = HELD * self.size;
        for _ in 0..ROUNDS {
            let mut furthest = (held, None);
            for (i, boundary) in self.boundaries.iter().enumerate().filter(|(i, _)| Some(*i) != on) {
                let height = boundary.height(&place);
                if height > furthest.0 {
                    furthest = (height, Some(i));
                }
            }
            let (_, Some(new)) = furthest else { return Best::Place(place) };
            if basis.has(new) {
                return Best::Beyond(place);
            }
            let Some((next, at)) = self.joined(&basis, &fixed.with(new), goal, held) else { return Best::Nothing };
            (basis, place) = (next, at);
        }
        Best::Beyond(place)
    }

    /// The best place in the boundaries of a basis and in a new one, which holds it: the last of `first`, whose others must hold it, too.
    fn joined(&self, old: &Basis, first: &Basis, goal: &Goal, held: Real) -> Option<(Basis, Vector)> {
        let mut others = [0; 3];
        let mut count = 0;
        for &member in old.members().iter().filter(|member| !first.has(**member)) {
            others[count] = member;
            count += 1;
        }
        let mut best: Option<(Basis, Vector)> = None;
        for chosen in 0_u32..1 << count {
            if chosen.count_ones() as usize + first.count > 3 {
                continue;
            }
            let members = (0..count).filter(|k| chosen >> k & 1 == 1).map(|k| others[k]);
            let basis = members.fold(*first, Basis::with);
            let Some(place) = self.meeting_place(&basis, goal) else { continue };
            let is_in = |i: &usize| basis.has(*i) || self.boundaries[*i].height(&place) <= held;
            if !others[..count].iter().all(is_in) {
                continue;
            }
            if best.is_none_or(|(_, other)| goal.is_better(&place, &other, held)) {
                best = Some((basis, place));
            }
        }
        best
    }

    /// The best place where some boundaries meet; `None` where they do not, or none is the best.
    fn meeting_place(&self, basis: &Basis, goal: &Goal) -> Option<Vector> {
        let mut ball: Option<(Vector, Real)> = None;
        // Spheres meet where one of them meets planes.
        let mut planes = [(Vector::zeros(), 0.0); 3];
        let mut count = 0;
        for &i in basis.members() {
            let plane = match (self.boundaries[i], ball) {
                (Boundary::Plane { normal, offset }, _) => (normal, offset),
                (Boundary::Sphere { centre, radius }, None) => {
                    ball = Some((centre.coords, radius));
                    continue;
                }
                (Boundary::Sphere { centre, radius }, Some((first, size))) => {
                    let way = centre.coords - first;
                    let length = way.norm();
                    let normal = way.try_normalize(PARALLEL * self.size)?;
                    let along = 0.5 * ((size - radius) * (size + radius) / length + length);
                    (normal, along + normal.dot(&first))
                }
            };
            planes[count] = plane;
            count += 1;
        }
        let reference = match (ball, goal) {
            (Some((centre, _)), _) => centre,
            (None, Goal::Near(target)) => *target,
            (None, Goal::Along(_)) if count == 3 => Vector::zeros(),
            (None, Goal::Along(_)) => return None,
        };
        let below = |k: usize| planes[k].1 - planes[k].0.dot(&reference);
        let normal = |k: usize| planes[k].0;
        // How far from the foot of the reference the sphere goes on.
        let left = |foot: &Vector, radius: Real| {
            let squared = radius * radius - (foot - reference).norm_squared();
            (squared >= -HELD * radius * self.size).then(|| squared.max(0.0).sqrt())
        };
        match (count, ball) {
            (0, Some((centre, radius))) => Some(centre + goal.way(&centre).try_normalize(0.0)? * radius),
            (1, None) => Some(reference + normal(0) * below(0)),
            (1, Some((_, radius))) => {
                let foot = reference + normal(0) * below(0);
                let around = left(&foot, radius)?;
                let way = goal.way(&foot);
                let flat = |way: &Vector| way - normal(0) * normal(0).dot(way);
                let across = match (flat(&way).try_normalize(LEVEL * way.norm()), goal) {
                    (Some(across), _) => across,
                    (None, Goal::Along(_)) => flat(&ASIDE).try_normalize(LEVEL)?,
                    // All its places are as far, and what is within is nearer.
                    (None, Goal::Near(_)) => return None,
                };
                Some(foot + across * around)
            }
            (2, _) => {
                let axis = normal(0).cross(&normal(1));
                let along = axis.try_normalize(PARALLEL)?;
                let (cosine, square) = (normal(0).dot(&normal(1)), axis.norm_squared());
                let by = |one: Real, other: Real| (one - cosine * other) / square;
                let foot = reference + normal(0) * by(below(0), below(1)) + normal(1) * by(below(1), below(0));
                let Some((_, radius)) = ball else { return Some(foot) };
                let half = left(&foot, radius)?;
                let way = match goal {
                    Goal::Along(direction) if direction.dot(&along).abs() <= LEVEL => ASIDE.dot(&along),
                    _ => goal.way(&foot).dot(&along),
                };
                Some(foot + along * half.copysign(way))
            }
            (3, None) => {
                let across = [(1, 2), (2, 0), (0, 1)].map(|(i, k)| normal(i).cross(&normal(k)));
                let volume = normal(0).dot(&across[0]);
                (volume.abs() > PARALLEL).then(|| {
                    let sum: Vector = (0..3).map(|k| across[k] * below(k)).sum();
                    reference + sum / volume
                })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Half-spaces and balls around the origin.
    fn boundaries() -> impl Strategy<Value = Vec<Boundary>> {
        let direction = || prop::array::uniform3(-1.0..1.0_f64);
        let plane = (direction(), 0.1..1.0_f64).prop_filter_map("no direction", |(d, offset)| {
            Some(Boundary::Plane { normal: Vector::from(d).try_normalize(0.1)?, offset })
        });
        let ball = (direction(), 0.1..1.0_f64)
            .prop_map(|(d, over)| Boundary::Sphere { centre: d.into(), radius: Vector::from(d).norm() + over });
        let box_of = |size: [f64; 3]| {
            let side = move |k: usize, sign: f64| {
                let mut normal = Vector::zeros();
                normal[k] = sign;
                Boundary::Plane { normal, offset: size[k] }
            };
            (0..3).flat_map(|k| [side(k, 1.0), side(k, -1.0)]).collect::<Vec<_>>()
        };
        let boxes = prop::array::uniform3(0.2..1.0_f64).prop_map(box_of);
        let loose = prop::collection::vec(prop_oneof![plane, ball], 0..6);
        (boxes, loose).prop_map(|(faces, loose)| faces.into_iter().chain(loose).collect())
    }

    proptest! {
        #[test]
        fn no_place_of_an_intersection_is_further_along_or_nearer_than_its_best_one(
            boundaries in boundaries(), d in prop::array::uniform3(-1.0..1.0_f64), axis in 0_usize..6,
            samples in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 200),
        ) {
            let solid = Intersection::new(boundaries.clone(), Point::origin(), 2.0);
            let beyond = |x: &Vector| boundaries.iter().map(|b| b.height(x)).fold(f64::NEG_INFINITY, f64::max);
            let mut along = Vector::zeros();
            along[axis / 2] = if axis % 2 == 0 { 1.0 } else { -1.0 };
            let Some(d) = Vector::from(d).try_normalize(0.1) else { return Ok(()) };
            for goal in [Goal::Along(d), Goal::Along(along), Goal::Near(d * 2.0), Goal::Near(along * 2.0), Goal::Near(d * 0.4)] {
                let Best::Place(found) = solid.best(&goal, None) else { return Err(TestCaseError::fail("no place")) };
                prop_assert!(beyond(&found) <= 1e-11);
                for sample in &samples {
                    // On the surface.
                    let way = Vector::from(*sample);
                    let (mut low, mut high) = (0.0, 4.0);
                    for _ in 0..50 {
                        let middle = 0.5 * (low + high);
                        if beyond(&(way * middle)) <= 0.0 { low = middle } else { high = middle }
                    }
                    prop_assert!(goal.worth(&(way * low)) <= goal.worth(&found) + 1e-11, "{goal:?} {found} {}", way * low);
                }
            }
        }
    }

    #[test]
    fn what_has_no_place_has_no_best_one() {
        let ball = |x: Real| Boundary::Sphere { centre: Point::new(x, 0.0, 0.0), radius: 1.0 };
        let apart = Intersection::new(vec![ball(0.0), ball(2.5)], Point::origin(), 4.0);
        assert_eq!(apart.best(&Goal::Along(Vector::y()), None), Best::Nothing);
        let up = Boundary::Plane { normal: -Vector::x(), offset: -1.5 };
        let beside = Intersection::new(vec![ball(0.0), up], Point::origin(), 4.0);
        assert_eq!(beside.best(&Goal::Along(Vector::y()), None), Best::Nothing);
    }
}
