//! What solids of revolution share: rings of points, distances from an axis, and the exact queries of a slab of a round
//! tube or cone.

use crate::geometry::solid::Segment;
use crate::math::{Point, Real, Vector, hypotenuse};
use crate::volume::Obb;

/// The most points of a ring in a feature set: its sagitta is 1.2e-9 of the radius. A finer `max_error` gets this ring,
/// and the set's `error` says so.
pub const FINEST_ROUND: u32 = 65_536;

/// The distance of `p` from the line through `centre` along the unit `axis`, metres.
#[inline]
pub(super) fn distance_from_axis(p: &Point, centre: &Point, axis: &Vector) -> Real {
    (p - centre).cross(axis).norm()
}

/// A bound, never too small, on the distance from the axis of the circle of `radius` around y at height `y`; exact for
/// axes that are parallel or perpendicular to y and meet it.
pub(super) fn circle_reach(y: Real, radius: Real, centre: &Point, axis: &Vector) -> Real {
    let to_middle = Point::new(0.0, y, 0.0) - centre;
    let across = to_middle - axis * to_middle.dot(axis);
    // ‖c + q‖² = ‖c‖² + 2c·q + ‖q‖², where q is a radius of the circle seen along the axis: only the horizontal part of
    // c meets it, and seen obliquely it is no longer than it is.
    (across.norm_squared() + 2.0 * radius * hypotenuse(across.x, across.z) + radius * radius).sqrt()
}

/// The number of points on a circle of `radius` whose chords stay within `max_error`, and the error they reach.
pub(super) fn ring_size(radius: Real, max_error: Real) -> (u32, Real) {
    let half_angle = if max_error > 0.0 { 2.0 * (max_error / (2.0 * radius)).sqrt().min(1.0).asin() } else { 0.0 };
    let wanted = (std::f64::consts::PI / half_angle).ceil();
    let count = if wanted < Real::from(FINEST_ROUND) { (wanted as u32).max(3) } else { FINEST_ROUND };
    let s = (0.5 * std::f64::consts::PI / Real::from(count)).sin();
    (count, 2.0 * radius * s * s)
}

/// `count` points on the circle of `radius` around y at height `y`, counter-clockwise seen from above, the first along
/// `first` (horizontal).
pub(super) fn ring(count: u32, radius: Real, y: Real, first: [Real; 2]) -> impl Iterator<Item = Point> {
    (0..count).map(move |i| {
        let (s, c) = (std::f64::consts::TAU * Real::from(i) / Real::from(count)).sin_cos();
        Point::new(radius * (first[0] * c + first[1] * s), y, radius * (first[1] * c - first[0] * s))
    })
}

/// Where the segment enters the endless tube of `radius` around y: a fraction in [0, 1], 0 when it starts inside.
pub(super) fn enter_tube(segment: &Segment, radius: Real) -> Option<Real> {
    let flat = |p: &Point| Point::new(p.x, 0.0, p.z);
    let shadow = Segment { start: flat(&segment.start), end: flat(&segment.end) };
    super::ball::enter_ball(&shadow, &Point::origin(), radius)
}

/// The points with |y| ≤ `half_height` and √(x² + z²) + `slope`·y ≤ `level`: a cylinder for slope zero, else a cone.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundSlab {
    pub half_height: Real,
    pub slope: Real,
    pub level: Real,
}

/// How a segment enters a [`RoundSlab`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Entry {
    Inside,
    LowerCap(Real),
    UpperCap(Real),
    Side(Real),
}

/// √(m² + s²(t − t₀)²) + k·t + c: the excess of [`RoundSlab`] along a line. It is convex.
struct Excess {
    m_squared: Real,
    s_squared: Real,
    t0: Real,
    k: Real,
    c: Real,
}

impl Excess {
    fn at(&self, t: Real) -> Real {
        let u = t - self.t0;
        (self.m_squared + self.s_squared * u * u).sqrt() + self.k * t + self.c
    }

    fn slope(&self, t: Real) -> Real {
        let u = t - self.t0;
        let root = (self.m_squared + self.s_squared * u * u).sqrt();
        if root > 0.0 { self.s_squared * u / root + self.k } else { self.k }
    }

    /// Where it is least within [from, to].
    fn argmin(&self, from: Real, to: Real) -> Real {
        let room = self.s_squared - self.k * self.k;
        if room <= 0.0 {
            return if self.k > 0.0 { from } else { to };
        }
        let u = -self.k * (self.m_squared / (self.s_squared * room)).sqrt();
        (self.t0 + u).clamp(from, to)
    }
}

impl RoundSlab {
    fn excess_at(&self, p: &Point) -> Real {
        hypotenuse(p.x, p.z) + self.slope * p.y - self.level
    }

    fn excess_along(&self, start: &Point, d: &Vector) -> Excess {
        let s_squared = d.x * d.x + d.z * d.z;
        let t0 = if s_squared > 0.0 { -(start.x * d.x + start.z * d.z) / s_squared } else { 0.0 };
        let (mx, mz) = (start.x + d.x * t0, start.z + d.z * t0);
        let c = self.slope * start.y - self.level;
        Excess { m_squared: mx * mx + mz * mz, s_squared, t0, k: self.slope * d.y, c }
    }

    /// How the segment first meets the solid.
    pub fn enter(&self, segment: &Segment) -> Option<Entry> {
        let (start, d) = (segment.start, segment.end - segment.start);
        let [enter, leave] = clip(start.y, d.y, self.half_height)?;
        let at_enter = start + d * enter;
        if self.excess_at(&at_enter) <= 0.0 {
            return Some(match enter {
                0.0 => Entry::Inside,
                t if d.y > 0.0 => Entry::LowerCap(t),
                t => Entry::UpperCap(t),
            });
        }
        let excess = self.excess_along(&start, &d);
        let least = excess.argmin(enter, leave);
        if excess.at(least) > 0.0 {
            return None;
        }
        // Newton from the left on a falling convex function comes from the outside and never passes the root.
        let mut t = enter;
        for _ in 0..64 {
            let (value, slope) = (excess.at(t), excess.slope(t));
            if value <= 0.0 || slope >= 0.0 {
                break;
            }
            let next = (t - value / slope).min(least);
            if next <= t {
                break;
            }
            t = next;
        }
        Some(Entry::Side(t))
    }

    /// Whether the box meets the solid: exact up to rounding, in whose favour it overlaps.
    ///
    /// The excess is convex, and on the polytope box ∩ slab it is least on an edge (a gradient along a face's normal is
    /// constant along a generator that leads to an edge) or on the axis; so those are all there is to look at.
    pub fn overlaps_obb(&self, obb: &Obb) -> bool {
        let pad = 32.0
            * Real::EPSILON
            * (obb.centre.coords.norm() + obb.half_extents.norm() + self.half_height + self.level)
            * (1.0 + self.slope);
        let height = self.half_height + pad;
        if self.axis_meets(obb, height) {
            return true;
        }
        let corners = obb.corners();
        let mut cuts: [Vec<Point>; 2] = [Vec::new(), Vec::new()];
        for (i, start) in corners.iter().enumerate() {
            for end in (0..3).filter(|k| i >> k & 1 == 0).map(|k| &corners[i | 1 << k]) {
                let d = end - start;
                let Some([enter, leave]) = clip(start.y, d.y, height) else { continue };
                let excess = self.excess_along(start, &d);
                if excess.at(excess.argmin(enter, leave)) <= pad {
                    return true;
                }
                // The ends of what is left on the slab's planes span the cut faces.
                for t in [enter, leave] {
                    let p = start + d * t;
                    if p.y.abs() >= self.half_height - pad {
                        cuts[usize::from(p.y > 0.0)].push(p);
                    }
                }
            }
        }
        cuts.iter().any(|cut| {
            cut.iter().enumerate().any(|(i, p)| {
                cut[..i].iter().any(|q| {
                    let excess = self.excess_along(p, &(q - p));
                    excess.at(excess.argmin(0.0, 1.0)) <= pad
                })
            })
        })
    }

    /// Whether the axis between the caps passes through the box.
    fn axis_meets(&self, obb: &Obb, height: Real) -> bool {
        let low = obb.axes.tr_mul(&(Point::new(0.0, -height, 0.0) - obb.centre));
        let d = obb.axes.tr_mul(&Vector::new(0.0, 2.0 * height, 0.0));
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for k in 0..3 {
            let Some([e, l]) = clip(low[k], d[k], obb.half_extents[k]) else { return false };
            (enter, leave) = (enter.max(e), leave.min(l));
        }
        enter <= leave
    }
}

/// The part of [0, 1] in which |from + d·t| ≤ `half`.
fn clip(from: Real, d: Real, half: Real) -> Option<[Real; 2]> {
    if d == 0.0 {
        return (from.abs() <= half).then_some([0.0, 1.0]);
    }
    let near = (-half.copysign(d) - from) / d;
    let far = (half.copysign(d) - from) / d;
    let (enter, leave) = (near.max(0.0), far.min(1.0));
    (enter <= leave).then_some([enter, leave])
}
