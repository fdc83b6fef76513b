//! For how long half-spaces prove a cell apart from the other solid.

use super::way::{Path, time_to_cover};
use super::{FURTHER, FieldSearch, Known, Scratch};
use crate::detection::field::beyond::prove_beyond;
use crate::detection::field::cells::{Cell, Cells};
use crate::detection::field::separate::{Plane, Proof, prove, prove_enough};
use crate::geometry::field::{Facet, Region, nearest_surface};
use crate::math::{Point, Real, Vector};
use crate::stats::QueryStats;
use crate::volume::Sphere;

/// Proofs within so many margins of none are sought with the margin as a shift of the whole.
const SHARP: Real = 2.0;
/// Tangents of a convex solid that one look takes at most.
const TANGENTS: usize = 10;
/// A tangent that leaves a place outside by less than this share of the margin is the last.
const WON: Real = 0.05;
/// How exact the nearest point is that a half-space is put through, as a share of ε.
const EXACT: Real = 1e-5;

/// What a proof by half-spaces is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sought {
    /// For how long it holds: what holds long enough says nothing of the gap.
    Time,
    /// How wide the gap is now.
    Gap,
}

impl FieldSearch<'_> {
    /// [`FieldSearch::by_planes`] for another solid that is convex, whose tangents hold all of it wherever the cell goes; `None` for
    /// one that is not.
    ///
    /// The place that is the furthest inside all the half-spaces so far is asked for the tangent that leaves it outside, until
    /// they prove the cell apart or the place is in both solids (Kelley's cutting planes).
    pub(super) fn by_tangents(
        &self,
        cell: &Cell,
        path: &Path,
        rest: Real,
        margin: Real,
        scratch: &mut Scratch,
        stats: &mut QueryStats,
    ) -> Option<Known> {
        // About a place near the cell's centre, in the cell's frame.
        let plane = |facet: Facet, way: &Vector| Plane {
            height: facet.value - facet.error - facet.normal.dot(way) - margin,
            error: facet.error,
            normal: path.rotation.tr_mul(&facet.normal),
            rate: facet.normal.dot(&path.velocity),
            bend: facet.normal.dot(&path.acceleration),
            of_other: true,
        };
        let tangent = |x: &Vector| {
            let way = path.rotation * x;
            Some(plane(self.other.tangent(&(path.place + way))?, &way))
        };
        let supporting = |x: &Vector| {
            let way = path.rotation * x;
            Some(plane(self.supporting(&(path.place + way))?, &way))
        };
        let first = tangent(&Vector::zeros())?;
        let extent = self.cells.extent(cell);
        let mut known = Known { safe: rest, divide: false, gap: Real::INFINITY };
        for alternative in 0..Cells::alternatives(cell) {
            scratch.planes.clear();
            self.cells.planes(cell, alternative, &mut scratch.planes);
            scratch.planes.push(first);
            let mut best: Option<(Real, Proof)> = None;
            for _ in 0..TANGENTS {
                stats.features_tested += 1;
                let proof = prove(&scratch.planes, &extent, cell.radius);
                let lasts = self.lasts_long(&proof, cell, path, rest);
                if best.is_none_or(|(longest, b)| lasts > longest || longest <= 0.0 && proof.gap > b.gap) {
                    best = Some((lasts, proof));
                }
                if lasts >= rest {
                    break;
                }
                let height = |p: &Plane| p.height + p.normal.dot(&proof.lowest);
                // Nothing is left to win but less than a share of the margin.
                let least = scratch.planes.iter().map(height).fold(Real::NEG_INFINITY, Real::max) + WON * margin;
                let higher = |p: &Plane| height(p) > least;
                let next = tangent(&proof.lowest).filter(higher);
                // Moved out by the margin, the tangents beside a sharp edge meet far beyond it.
                let Some(next) = next.or_else(|| supporting(&proof.lowest).filter(higher)) else { break };
                scratch.planes.push(next);
            }
            let (lasts, proof) = best?;
            known.safe = known.safe.min(lasts);
            known.gap = known.gap.min(proof.gap);
            known.divide |= proof.gap < proof.loss;
            if known.gap <= 0.0 {
                break;
            }
        }
        Some(known)
    }

    /// For how long half-spaces that hold both solids around the cell prove it apart, up to `ahead` seconds; it is to be divided
    /// if a smaller cell would see further.
    pub(super) fn by_planes(
        &self,
        cell: &Cell,
        path: &Path,
        ahead: Real,
        sought: Sought,
        scratch: &mut Scratch,
        stats: &mut QueryStats,
    ) -> Known {
        stats.features_tested += 1;
        let margin = self.margin();
        let reach = cell.radius + path.speed * ahead + 0.5 * path.most_acceleration * ahead * ahead;
        scratch.enclosure.clear();
        // A little more, for the rounding of the place and for the points within the margin.
        let ball = Sphere { centre: path.place, radius: (reach + margin) * (1.0 + 1e-9) };
        if Cells::is_in_its_box(cell) && self.other.tells_boxes() {
            let around = self.box_of_way(cell, path, ahead, margin);
            self.other.enclose_within(&ball, &around, Region::Solid, &mut scratch.enclosure);
        } else {
            self.other.enclose(&ball, Region::Solid, &mut scratch.enclosure);
        }
        let mut known = Known { safe: ahead, divide: false, gap: Real::INFINITY };
        for facets in scratch.enclosure.alternatives() {
            for alternative in 0..Cells::alternatives(cell) {
                scratch.planes.clear();
                self.cells.planes(cell, alternative, &mut scratch.planes);
                scratch.planes.extend(facets.iter().map(|f| Plane {
                    height: f.value - f.error - margin,
                    error: f.error,
                    normal: path.rotation.tr_mul(&f.normal),
                    rate: f.normal.dot(&path.velocity),
                    bend: f.normal.dot(&path.acceleration),
                    of_other: true,
                }));
                let extent = self.cells.extent(cell);
                let mut proof = match sought {
                    Sought::Time => prove_enough(&scratch.planes, &extent, cell.radius, |proof| {
                        self.lasts(proof, cell, path, ahead) >= ahead
                    }),
                    Sought::Gap => prove(&scratch.planes, &extent, cell.radius),
                };
                let mut lasts = self.lasts(&proof, cell, path, ahead);
                if sought == Sought::Time && lasts >= ahead {
                    continue;
                }
                // Planes moved out one by one reach far beyond sharp edges and corners.
                if lasts < ahead && facets.len() > 1 && proof.gap.abs() < SHARP * margin {
                    scratch.planes.iter_mut().filter(|p| p.of_other).for_each(|p| p.height += margin);
                    let sharper = prove_beyond(&scratch.planes, &extent, cell.radius, margin, Real::INFINITY);
                    let longer = self.lasts(&sharper, cell, path, ahead);
                    if longer > lasts {
                        (proof, lasts) = (sharper, longer);
                    }
                }
                known.safe = known.safe.min(lasts);
                known.gap = known.gap.min(proof.gap);
                known.divide |= proof.gap < proof.loss;
                if known.safe <= 0.0 {
                    return known;
                }
            }
        }
        known
    }

    /// The half-space that holds all of the other solid, which is convex, and is as far from a place outside as that is.
    fn supporting(&self, place: &Point) -> Option<Facet> {
        let solid = self.other.support_map()?;
        let found = nearest_surface(self.other, place, EXACT * self.tolerance)?;
        let normal = (place - found.point).try_normalize(EXACT * self.tolerance)?;
        let support = solid.support(&normal, u32::MAX).point;
        Some(Facet { normal, value: normal.dot(&(place - support)) - solid.radius(), error: 0.0 })
    }

    /// How long a proof holds, seconds up to `ahead`; zero for none.
    fn lasts(&self, proof: &Proof, cell: &Cell, path: &Path, ahead: Real) -> Real {
        if proof.gap.is_nan() || proof.gap <= 0.0 {
            return 0.0;
        }
        let spin = (self.motion.a.velocity - self.motion.b.velocity).norm();
        let closing = proof.share * spin * cell.radius - proof.rate;
        // By the acceleration as it is now, and as much as it can change in that time.
        let bend = proof.share * path.most_jerk * ahead / 3.0 - proof.bend;
        let bend = bend.min(proof.share * path.most_acceleration);
        let lasts = time_to_cover(proof.gap, closing, bend).min(ahead);
        if lasts >= ahead || spin == 0.0 || !Cells::is_in_its_box(cell) {
            return lasts;
        }
        // The cell's own turning as it is now along the normal, and as much as that can change.
        let turning = proof.of_other.cross(&path.spin).abs().dot(&cell.half);
        let bend = bend + proof.share * path.spin_bend;
        lasts.max(time_to_cover(proof.gap, turning - proof.rate, bend).min(ahead))
    }

    /// [`FieldSearch::lasts`] without a time that is known beforehand: for some times longer than it lasts in any case, which
    /// bounds what can change until then.
    fn lasts_long(&self, proof: &Proof, cell: &Cell, path: &Path, rest: Real) -> Real {
        let mut safe = self.lasts(proof, cell, path, rest);
        let mut ahead = FURTHER * safe;
        while safe > 0.0 && ahead < rest {
            let longer = self.lasts(proof, cell, path, ahead);
            safe = safe.max(longer);
            if longer < ahead {
                break;
            }
            ahead *= FURTHER;
        }
        safe
    }
}
