//! The least translation out of an overlap of solids that are not convex.
//!
//! **Problem.** The translations that leave two such solids apart are what is outside of many convex obstacles, one for each pair of
//! their convex pieces. The nearest of them may be on a face of an obstacle, or in a corner of three.
//! **Idea.** No way out is shorter than that of the deepest pair of pieces: where it leads out, it is the answer. Else
//! directions that the solids suggest, and others all around, are followed to where they lead out sooner than those before. Pieces
//! that all but touch there are each kept apart by a plane, and the shortest translation beyond all these planes is where to go on to,
//! as far as that is free; again and again, until planes leave no shorter one. Of meshes and compounds those directions that lead out a little later are
//! followed in the same way, if they lead elsewhere: what they end in may be shorter.
//! **Guarantee.** The way leads out. It is the least where it is that of the deepest pair; else each of the directions
//! was looked at where the shortest way so far ended. A pocket beside them, or nearer, may hold
//! a shorter one, and steps end where the first 256th of the next is not free, or leads to no way that is shorter by a billionth.
//! **Cost.** A look at whether there is an overlap for each direction; some forty for each that is better than those before it,
//! and as many for each of the few dozen steps on from there; for up to two dozen that lead out later a few dozen each.
//! **Source.** Je, Tang, Lee, Lee and Kim (2012), PolyDepth.

use super::{ClosestError, Local};
use crate::math::nonnegative::{MOST, settle};
use crate::math::{Pose, Real, Vector};

/// Halvings of the way out: they exhaust the digits that a depth is worth.
const HALVINGS: usize = 40;
/// Halvings of a step on from there.
const STEP_HALVINGS: usize = 8;
/// By how much more than its depth an overlap is undone, so that rounding does not leave a trace of it.
const CLEAR: Real = 1.0 + 1e-9;
/// Directions all around, of which the next is never further than ten degrees.
pub(super) const ALL_AROUND: usize = 256;
/// Steps out of an overlap are each this much longer than the one before.
const LONGER: Real = 1.3;
/// In so many steps a way of solids that are nearly like others is made longer until it parts these.
const LENGTHENINGS: u32 = 8;
/// Steps on from a way out.
const STEPS: usize = 32;
/// How near pieces are asked for first, as a share of the way out; then a tenth of that, and so on.
const FIRST_REACH: Real = 0.1;
/// Down to this share.
const LAST_REACH: Real = 1e-8;
/// A direction is followed if it leads out at this share of the shortest way so far.
const SOONER: Real = 0.999;
/// One that leads out later than at that, but no later than at this, is followed where it leads elsewhere.
const LATER: Real = 1.1;
/// So many of them, of which none is nearer than by an angle with this cosine to another, or to where one has led.
const MOST_BESIDE: usize = 48;
const BESIDE: Real = 0.98;
/// A step that makes the way shorter by less than this share asks for what is nearer.
const SHORTER: Real = 1e-3;
/// One by less than this share leads nowhere.
const SETTLED: Real = 1e-9;
/// Planes whose normals are as much alike count once.
const ALIKE: Real = 1.0 - 1e-6;

/// A pair of convex pieces at some translation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// Unit, from A's piece to B's.
    pub normal: Vector,
    /// How far they are apart along it, metres; minus the depth where they overlap.
    pub distance: Real,
}

impl Gap {
    /// The pair whose closest points these are.
    pub fn of(found: &Local) -> Self {
        Self { normal: found.normal, distance: found.distance }
    }
}

/// The nearest of some pairs, of those along about the same line the nearest one: no more of them than planes can be held to at once, and as
/// many to spare. Where surfaces are bent there are thousands within reach.
pub(super) struct NearestGaps {
    gaps: Vec<Gap>,
    reach: Real,
}

impl NearestGaps {
    /// Of pairs nearer than `reach`, metres.
    pub fn within(reach: Real) -> Self {
        Self { gaps: Vec::with_capacity(2 * MOST + 1), reach }
    }

    /// Takes a pair in, if it is nearer than those. Returns how near the next one has to be to count, metres.
    pub fn see(&mut self, gap: Gap) -> Real {
        let at = self.gaps.partition_point(|kept| kept.distance <= gap.distance);
        let is_alike = |kept: &Gap| kept.normal.dot(&gap.normal) >= ALIKE;
        if gap.distance < self.reach && !self.gaps[..at].iter().any(is_alike) {
            if let Some(further) = self.gaps[at..].iter().position(is_alike) {
                self.gaps.remove(at + further);
            }
            self.gaps.insert(at, gap);
            self.gaps.truncate(2 * MOST);
        }
        match self.gaps.last() {
            Some(last) if self.gaps.len() == 2 * MOST => last.distance.min(self.reach),
            _ => self.reach,
        }
    }

    /// Them, the nearest first.
    pub fn gaps(self) -> Vec<Gap> {
        self.gaps
    }
}

/// Two solids of which the second can be moved.
pub(super) trait Movable {
    /// How near two pieces may come that still count as overlapping, metres.
    fn clear(&self) -> Real {
        0.0
    }
    /// Whether they overlap with B moved by `way`, or nearly so.
    fn overlap(&self, way: &Vector) -> Result<bool, ClosestError>;
    /// Of the pairs of convex pieces that are then nearer than `reach`, metres, the [`NearestGaps`] ones; none of them overlap.
    fn gaps(&self, way: &Vector, reach: Real) -> Result<Vec<Gap>, ClosestError>;
}

/// The way out that was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayOut {
    /// Metres.
    pub depth: Real,
    /// Unit: B moves along it.
    pub normal: Vector,
}

impl WayOut {
    /// The translation, metres.
    pub fn way(&self) -> Vector {
        self.normal * self.depth
    }

    /// The overlap that it undoes, with the features and the points of the surfaces that it brings together: A's, which `touch` tells of as
    /// the solids lie then.
    pub fn undone(&self, touch: &Local, iterations: u64) -> Local {
        let point_b = touch.point_a - self.way();
        Local { distance: -self.depth, point_b, normal: self.normal, iterations, ..*touch }
    }
}

/// Where B is when it has moved by `way`.
pub(super) fn moved(pose: &Pose, way: &Vector) -> Pose {
    Pose::from_parts((pose.translation.vector + way).into(), pose.rotation)
}

/// The first translation that parts the two along one of some unit `ways`, in steps from `least` metres on to `far`, as far as those tell.
pub(super) fn first_way(
    solids: &dyn Movable,
    ways: &[Vector],
    least: Real,
    far: Real,
) -> Result<Option<Vector>, ClosestError> {
    let mut length = least;
    while length < LONGER * far {
        for way in ways {
            let way = way * length;
            if !solids.overlap(&way)? {
                return Ok(Some(way));
            }
        }
        length *= LONGER;
    }
    Ok(None)
}

/// Whether the way out of a pair that overlaps is one out of all.
pub(super) fn leads_out(solids: &dyn Movable, gap: &Gap) -> Result<bool, ClosestError> {
    Ok(!solids.overlap(&(gap.normal * (2.0 * solids.clear() - gap.distance * CLEAR)))?)
}

/// The least way out of an overlap of which the pieces that overlap are `held`, by the `directions` that the solids suggest and so many
/// `around`. To move B by `first` parts the two.
pub(super) fn least_way_out(
    solids: &dyn Movable,
    held: &[Gap],
    directions: impl IntoIterator<Item = Vector>,
    around: usize,
    first: Vector,
) -> Result<WayOut, ClosestError> {
    if let Some(gap) = deepest_out(solids, held)? {
        return Ok(WayOut { depth: -gap.distance, normal: gap.normal });
    }
    let best = searched(solids, held, directions, around, first)?.swap_remove(0);
    Ok(WayOut { depth: best.norm(), normal: best.normalize() })
}

/// The same, and after it the longer ones that other directions lead to.
pub(super) fn ways_out(
    solids: &dyn Movable,
    held: &[Gap],
    directions: impl IntoIterator<Item = Vector>,
    around: usize,
    first: Vector,
) -> Result<Vec<Vector>, ClosestError> {
    match deepest_out(solids, held)? {
        Some(gap) => Ok(vec![gap.normal * -gap.distance]),
        None => searched(solids, held, directions, around, first),
    }
}

/// The deepest of some pairs, if its way out is one out of all.
fn deepest_out<'h>(solids: &dyn Movable, held: &'h [Gap]) -> Result<Option<&'h Gap>, ClosestError> {
    match held.iter().min_by(|a, b| a.distance.total_cmp(&b.distance)) {
        Some(gap) if leads_out(solids, gap)? => Ok(Some(gap)),
        _ => Ok(None),
    }
}

/// [`ways_out`] where the deepest pair's does not lead out of all.
fn searched(
    solids: &dyn Movable,
    held: &[Gap],
    directions: impl IntoIterator<Item = Vector>,
    around: usize,
    first: Vector,
) -> Result<Vec<Vector>, ClosestError> {
    let search = Search::new(solids, held);
    let mut best = first;
    let suggested = held.iter().map(|gap| gap.normal).chain(directions.into_iter().flat_map(|d| [d, -d]));
    let all: Vec<Vector> = suggested.chain((0..around).map(|k| spiral(k, around))).collect();
    for direction in &all {
        let way = direction * (best.norm() * SOONER);
        if !solids.overlap(&way)? {
            best = search.shorten(search.towards_none(&way, HALVINGS)?, Real::INFINITY)?;
        }
    }
    let mut ways = vec![best];
    if around >= ALL_AROUND {
        search.beside(&all, &mut ways)?;
    }
    Ok(ways)
}

/// The least of the ways out that steps lead to from `ways` that part solids which are nearly like these, each made longer by up to `longer` metres
/// until it parts these. `None` where none of them does.
pub(super) fn least_way_out_from(
    solids: &dyn Movable,
    held: &[Gap],
    ways: &[Vector],
    longer: Real,
) -> Result<Option<WayOut>, ClosestError> {
    let search = Search::new(solids, held);
    let mut best: Option<Vector> = None;
    for way in ways {
        for k in 0..=LENGTHENINGS {
            let way = way * (1.0 + longer * Real::from(k) / (Real::from(LENGTHENINGS) * way.norm()));
            if solids.overlap(&way)? {
                continue;
            }
            let known = best.map_or(Real::INFINITY, |best| best.norm());
            let end = search.shorten(way, known)?;
            if end.norm() < known {
                best = Some(end);
            }
            break;
        }
    }
    Ok(best.map(|best| WayOut { depth: best.norm(), normal: best.normalize() }))
}

/// One of so many directions all around: points of a spiral, each in the middle of an equal part of the sphere (Vogel, 1979).
pub(super) fn spiral(number: usize, of: usize) -> Vector {
    const GOLDEN_ANGLE: Real = 2.399_963_229_728_653;
    let height = 1.0 - (2 * number + 1) as Real / of as Real;
    let (sin, cos) = (number as Real * GOLDEN_ANGLE).sin_cos();
    let radius = (1.0 - height * height).sqrt();
    Vector::new(radius * cos, height, radius * sin)
}

struct Search<'s> {
    solids: &'s dyn Movable,
    /// Ways are not told apart more closely, metres.
    clear: Real,
    /// No way out is shorter, metres, but of pieces that are not convex.
    at_least: Real,
}

impl<'s> Search<'s> {
    fn new(solids: &'s dyn Movable, held: &[Gap]) -> Self {
        let deepest = held.iter().map(|gap| -gap.distance).fold(0.0, Real::max);
        Self { solids, clear: solids.clear(), at_least: deepest }
    }

    /// A translation that parts the two between one that does and another one, the nearer to it the better.
    fn between(&self, free: &Vector, to: &Vector, halvings: usize) -> Result<Vector, ClosestError> {
        if !self.solids.overlap(to)? {
            return Ok(*to);
        }
        let (mut inside, mut outside) = (1.0, 0.0);
        let length = (to - free).norm();
        for _ in 0..halvings {
            if (inside - outside) * length <= self.clear {
                break;
            }
            let middle = 0.5 * (inside + outside);
            if self.solids.overlap(&free.lerp(to, middle))? { inside = middle } else { outside = middle }
        }
        Ok(free.lerp(to, outside))
    }

    /// The shortest translation that is reached from one that parts the two; where that is no shorter than `known`, as nearly as steps lead to it.
    fn shorten(&self, from: Vector, known: Real) -> Result<Vector, ClosestError> {
        let (mut way, mut reach) = (from, FIRST_REACH);
        for _ in 0..STEPS {
            let length = way.norm();
            if reach < LAST_REACH || length <= self.at_least * CLEAR {
                break;
            }
            let gaps = self.solids.gaps(&way, reach * length)?;
            let goal = shortest_beyond(&way, &gaps, 2.0 * self.clear);
            let shorter = |way: &Vector, share: Real| way.norm() < (1.0 - share) * length;
            if shorter(&goal, SETTLED) {
                let next = self.towards_none(&self.between(&way, &goal, STEP_HALVINGS)?, STEP_HALVINGS)?;
                if next.norm() < length {
                    way = next;
                }
            }
            if !shorter(&way, SHORTER) {
                if gaps.len() > 1 {
                    reach *= 0.1;
                } else if !shorter(&way, SETTLED) {
                    break;
                }
            }
        }
        // Pieces that are not convex may leave by less than their depth.
        if way.norm() > known && self.solids.overlap(&(way * (known / way.norm())))? {
            return Ok(way);
        }
        let end = self.between(&way, &Vector::zeros(), HALVINGS)?;
        // No way is no direction.
        Ok(if end == Vector::zeros() { way } else { end })
    }

    /// Appends to the shortest way out so far those that directions lead to which lead out a little later: what they end in may be shorter, and
    /// is then the first.
    fn beside(&self, directions: &[Vector], ways: &mut Vec<Vector>) -> Result<(), ClosestError> {
        let mut ends = vec![ways[0].normalize()];
        for direction in directions {
            if ends.len() > MOST_BESIDE {
                break;
            }
            let least = ways[0].norm();
            let way = direction * (least * LATER);
            if ends.iter().any(|end| end.dot(direction) > BESIDE) || self.solids.overlap(&way)? {
                continue;
            }
            let end = self.shorten(self.towards_none(&way, STEP_HALVINGS)?, least)?;
            ends.extend([*direction, end.normalize()]);
            ways.push(end);
            if end.norm() < least {
                let last = ways.len() - 1;
                ways.swap(0, last);
            }
        }
        Ok(())
    }

    /// The same as `way`, but shorter.
    fn towards_none(&self, way: &Vector, halvings: usize) -> Result<Vector, ClosestError> {
        self.between(way, &(way * (self.at_least / way.norm())), halvings)
    }
}

/// The shortest translation at which the pieces that are near at `way` are `clear` metres short of the planes between them.
fn shortest_beyond(way: &Vector, gaps: &[Gap], clear: Real) -> Vector {
    let mut planes: Vec<&Gap> = Vec::with_capacity(MOST);
    let mut nearest: Vec<&Gap> = gaps.iter().collect();
    nearest.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    for gap in nearest {
        if planes.len() < MOST && planes.iter().all(|p| p.normal.dot(&gap.normal) < ALIKE) {
            planes.push(gap);
        }
    }
    // Of the shortest, t = Σ xₖ nₖ with x ≥ 0, and nₖ·t is no less than the plane's place.
    let size = planes.len();
    let mut matrix = Vec::with_capacity(size * size);
    for (i, p) in planes.iter().enumerate() {
        matrix
            .extend(planes.iter().enumerate().map(|(j, q)| p.normal.dot(&q.normal) + if i == j { 1e-9 } else { 0.0 }));
    }
    let (mut residual, mut x) = ([0.0; MOST], [0.0; MOST]);
    for (r, p) in residual.iter_mut().zip(&planes) {
        *r = p.normal.dot(way) - p.distance + clear;
    }
    settle(&matrix, size, &mut residual, &mut x);
    planes.iter().zip(&x).map(|(p, x)| p.normal * *x).sum()
}
