//! A cell of a grid: what is interpolated between the values at its corners, and the nearest place where that is zero.

use crate::math::{Matrix, Real, Vector};

/// Steps to the nearest place: two or three lead there, more only where an edge of the cell holds it.
const STEPS: usize = 24;
/// Each step along tangents is shorter by so much than the last.
const SHORTER: Real = 0.75;
/// Halvings of the way across the surface, to go on from there, and to end there.
const CROSSING: usize = 8;
const EXACTLY: usize = 50;
/// A slope below this, values over a cell, tells no direction.
const LEVEL: Real = 1e-9;

/// The values at the corners of a unit cell, x fastest; in cells, as all lengths here are, from the cell's lowest corner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trilinear(pub [Real; 8]);

impl Trilinear {
    /// All values times a number.
    pub fn times(&self, factor: Real) -> Self {
        Self(self.0.map(|v| v * factor))
    }

    /// The value at a place.
    pub fn value(&self, u: &Vector) -> Real {
        let v = &self.0;
        let x = |i: usize| mix(v[i], v[i + 1], u.x);
        mix(mix(x(0), x(2), u.y), mix(x(4), x(6), u.y), u.z)
    }

    /// Its slopes there.
    pub fn slopes(&self, u: &Vector) -> Vector {
        Vector::from_fn(|k, _| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let rise = |a: usize, b: usize| self.rise(k, a << i | b << j);
            mix(mix(rise(0, 0), rise(1, 0), u[i]), mix(rise(0, 1), rise(1, 1), u[i]), u[j])
        })
    }

    /// Its second derivatives there: along one axis there are none.
    fn bends(&self, u: &Vector) -> Matrix {
        let mut bends = Matrix::zeros();
        for k in 0..3 {
            // Those by the other two, as they change along this one.
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let twist = |at: usize| self.rise(i, at | 1 << j) - self.rise(i, at);
            let bend = mix(twist(0), twist(1 << k), u[k]);
            (bends[(i, j)], bends[(j, i)]) = (bend, bend);
        }
        bends
    }

    fn rise(&self, axis: usize, low: usize) -> Real {
        self.0[low | 1 << axis] - self.0[low]
    }

    /// The place of the cell nearest to `point`, which need not be in it, of those where the value is at most zero; zero is met
    /// to within `fine`. As far as descent finds it, which is by Newton's method on the sides that hold the place (a cell is small
    /// against what bends its surface). `None` where it finds none.
    pub fn nearest(&self, point: &Vector, fine: Real) -> Option<Vector> {
        if self.0.iter().all(|v| *v > 0.0) {
            return None;
        }
        let into = |u: &Vector| u.map(|x| x.clamp(0.0, 1.0));
        let mut place = into(point);
        let mut value = self.value(&place);
        if value <= 0.0 {
            return Some(place);
        }
        let (mut weight, mut share) = (0.0, 1.0);
        for _ in 0..STEPS {
            let slope = self.slopes(&place);
            let next = match self.newton(point, &place, value, &slope, weight) {
                Some(step) if step.is_inside => step,
                // Which sides hold the place is not known yet. Where the surface bends within the way to the point, the whole way leads
                // as far beyond.
                _ => {
                    let unit = [&Vector::zeros(), &Vector::repeat(1.0)];
                    let Some(step) = below(point, &slope, slope.dot(&place) - value, unit) else {
                        // What the slope says here ends before the surface.
                        place = self.surface_between(&place, &self.lowest_corner(), CROSSING);
                        value = self.value(&place);
                        continue;
                    };
                    let place = place + (step.place - place) * share;
                    share *= SHORTER;
                    Step { place, ..step }
                }
            };
            let moved = (next.place - place).amax();
            (place, weight) = (next.place, next.weight);
            value = self.value(&place);
            if moved <= fine && value.abs() <= fine {
                return Some(place);
            }
        }
        // Near there in any case, and on the surface.
        let (outside, inside) = if value > 0.0 { (place, self.lowest_corner()) } else { (into(point), place) };
        Some(self.surface_between(&outside, &inside, EXACTLY))
    }

    fn lowest_corner(&self) -> Vector {
        let lowest = (1..8).fold(0, |best, i| if self.0[i] < self.0[best] { i } else { best });
        Vector::from_fn(|k, _| (lowest >> k & 1) as Real)
    }

    /// A place just inside, on the way between one outside and one inside.
    fn surface_between(&self, outside: &Vector, inside: &Vector, halvings: usize) -> Vector {
        let (mut out, mut within) = (0.0, 1.0);
        let at = |share: Real| outside + (inside - outside) * share;
        for _ in 0..halvings {
            let middle = 0.5 * (out + within);
            *(if self.value(&at(middle)) > 0.0 { &mut out } else { &mut within }) = middle;
        }
        at(within)
    }

    /// One step of Newton's method to where the way to `point` is along the slope, by `weight` times it, and the value zero.
    fn newton(&self, point: &Vector, place: &Vector, value: Real, slope: &Vector, weight: Real) -> Option<Step> {
        if weight <= 0.0 {
            return None;
        }
        let mut bent = Matrix::identity() + self.bends(place) * weight;
        let (mut way, mut along) = (point - place, *slope);
        // What pulls a place on a side outwards leaves it there.
        let pull = way - slope * weight;
        for k in 0..3 {
            if place[k] <= 0.0 && pull[k] <= 0.0 || place[k] >= 1.0 && pull[k] >= 0.0 {
                bent.fill_row(k, 0.0);
                bent.fill_column(k, 0.0);
                bent[(k, k)] = 1.0;
                (way[k], along[k]) = (0.0, 0.0);
            }
        }
        // Elsewhere a step would lead away.
        let is_convex = bent[(0, 1)] * bent[(0, 1)] < 1.0 && bent.determinant() > 0.0;
        let inverse = bent.try_inverse().filter(|_| is_convex)?;
        let across = inverse * along;
        let steepness = along.dot(&across);
        if steepness <= LEVEL * LEVEL {
            return None;
        }
        let weight = (way.dot(&across) + value) / steepness;
        let place = place + inverse * way - across * weight;
        let is_inside = weight > 0.0 && place.iter().all(|x| (0.0..=1.0).contains(x));
        Some(Step { place, weight, is_inside })
    }
}

struct Step {
    place: Vector,
    /// Of the slope in the way to the point.
    weight: Real,
    is_inside: bool,
}

/// The place nearest to `point` of those of a box (its lowest and its highest corner) where `slope · x ≤ limit`; `None` where there is
/// none.
pub(super) fn nearest_below(point: &Vector, slope: &Vector, limit: Real, corners: [&Vector; 2]) -> Option<Vector> {
    below(point, slope, limit, corners).map(|step| step.place)
}

fn below(point: &Vector, slope: &Vector, limit: Real, [low_corner, high_corner]: [&Vector; 2]) -> Option<Step> {
    let at = |weight: Real| (point - slope * weight).sup(low_corner).inf(high_corner);
    // How far over the limit: falls as the weight grows, straight between the weights at which a side is met or left.
    let over = |weight: Real| slope.dot(&at(weight)) - limit;
    let (mut low, mut high) = (0.0, Real::INFINITY);
    let (mut over_low, mut over_high) = (over(0.0), Real::NEG_INFINITY);
    if over_low <= 0.0 {
        return Some(Step { place: at(0.0), weight: 0.0, is_inside: true });
    }
    for k in 0..3 {
        for side in [low_corner[k], high_corner[k]] {
            let weight = (point[k] - side) / slope[k];
            // Also where it is no number.
            if !(weight > low && weight < high) {
                continue;
            }
            match over(weight) {
                over if over > 0.0 => (low, over_low) = (weight, over),
                over => (high, over_high) = (weight, over),
            }
        }
    }
    // Beyond the last of them nothing changes any more.
    if high.is_infinite() {
        return None;
    }
    let weight = low + (high - low) * over_low / (over_low - over_high);
    Some(Step { place: at(weight), weight, is_inside: true })
}

fn mix(a: Real, b: Real, t: Real) -> Real {
    a + (b - a) * t
}
