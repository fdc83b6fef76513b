//! Which plane cuts a part: the one that ends the most reflex edges for the fewest new ones.
//!
//! Chosen in `f64`: a bad choice makes more pieces, never wrong ones. The plane that is chosen is exact.

use super::{Cutter, Part};
use crate::geometry::polyhedron::exact::Facet;
use crate::math::{Point, Real, Vector};

/// A reflex edge.
pub(super) struct Notch {
    /// Its two triangles.
    pub faces: [u32; 2],
    /// The planes by which they name their side along it.
    pub sides: [u32; 2],
    /// Their corners beside it, as vertices of the cut.
    pub apexes: [u32; 2],
}

/// A reflex edge as far as it runs through a part.
struct OpenNotch {
    ends: [Point; 2],
    apexes: [Point; 2],
}

/// Planes looked at for one cut, times the faces that each is held against.
const EFFORT: usize = 400_000;
/// The fewest planes looked at, however many faces there are.
const LEAST_CANDIDATES: usize = 64;
/// Heights below this part of the size count as in the plane.
const FLAT: Real = 1e-12;

/// A plane to cut by.
enum Candidate {
    Face(u32),
    Through([Point; 3]),
}

/// What is better sorts first: reflex edges that remain, faces cut, and imbalance.
type Score = (i64, usize, usize);

impl Cutter<'_> {
    /// The best plane for a part in which the planes `seen` have faces above them.
    pub(super) fn choose(&mut self, part: &Part, seen: &[u32]) -> Option<u32> {
        let notches = self.open_notches(part);
        let limit = (EFFORT / part.facets.len().max(1)).max(LEAST_CANDIDATES);
        let mut candidates: Vec<Candidate> = Vec::new();
        // Every n-th of the faces' planes where there are too many: each of them would do.
        candidates.extend(seen.iter().step_by(seen.len().div_ceil(limit)).map(|&plane| Candidate::Face(plane)));
        candidates.extend(through_notches(&notches, limit));
        let mut scored: Vec<(Score, usize)> = Vec::with_capacity(candidates.len());
        for (i, candidate) in candidates.iter().enumerate() {
            let plane = match candidate {
                Candidate::Face(plane) => {
                    let (normal, offset) = self.planes.near(*plane);
                    Some((*normal, offset))
                }
                Candidate::Through([p, q, r]) => {
                    (q - p).cross(&(r - p)).try_normalize(0.0).map(|n| (n, n.dot(&p.coords)))
                }
            };
            if let Some(plane) = plane {
                scored.push((self.score(plane, &part.facets, &notches), i));
            }
        }
        scored.sort_unstable();
        for (_, i) in scored {
            let plane = match &candidates[i] {
                Candidate::Face(plane) => Some(*plane),
                Candidate::Through(places) => self.planes.through(places),
            };
            if let Some(plane) = plane
                && part.cell.is_divided_by(plane, &self.planes)
            {
                return Some(plane);
            }
        }
        None
    }

    /// The reflex edges both of whose faces are in the part, with the places between which they run there.
    fn open_notches(&self, part: &Part) -> Vec<OpenNotch> {
        let mut of_face: Vec<(u32, &Facet)> = part.facets.iter().map(|f| (f.source, f)).collect();
        of_face.sort_unstable_by_key(|(face, _)| *face);
        let facet = |face: u32| of_face.binary_search_by_key(&face, |(f, _)| *f).ok().map(|i| of_face[i].1);
        let place = |v: u32| *self.planes.place(v);
        let mut open = Vec::new();
        for notch in &self.notches {
            let (Some(one), Some(other)) = (facet(notch.faces[0]), facet(notch.faces[1])) else { continue };
            let Some(i) = one.rim.iter().position(|(_, side)| *side == notch.sides[0]) else { continue };
            if other.rim.iter().any(|(_, side)| *side == notch.sides[1]) {
                let ends = [one.rim[i].0, one.rim[(i + 1) % one.rim.len()].0].map(place);
                open.push(OpenNotch { ends, apexes: notch.apexes.map(place) });
            }
        }
        open
    }

    fn score(&self, (normal, offset): (Vector, Real), facets: &[Facet], notches: &[OpenNotch]) -> Score {
        let flat = FLAT * self.planes.size();
        let side = |p: &Point| {
            let height = normal.dot(&p.coords) - offset;
            i8::from(height > flat) - i8::from(height < -flat)
        };
        let mut left = 0;
        for notch in notches {
            match notch.ends.map(|p| side(&p)) {
                [0, 0] => {
                    let [one, other] = notch.apexes.map(|p| side(&p));
                    left -= i64::from(one == 0 || one != other);
                }
                [one, other] => left += i64::from(one * other < 0),
            }
        }
        let (mut cut, mut below, mut above) = (0, 0_usize, 0_usize);
        for facet in facets {
            let sides = facet.rim.iter().map(|(v, _)| side(self.planes.place(*v)));
            let (low, high) = sides.fold((false, false), |(low, high), s| (low || s < 0, high || s > 0));
            cut += usize::from(low && high);
            below += usize::from(low);
            above += usize::from(high);
        }
        (left, cut, below.abs_diff(above))
    }
}

/// Planes through a reflex edge and an end of another, the nearest ones first where there are too many.
fn through_notches(notches: &[OpenNotch], limit: usize) -> Vec<Candidate> {
    let mut places: Vec<Point> = notches.iter().flat_map(|n| n.ends).collect();
    places.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z)));
    places.dedup();
    let each = (limit / notches.len().max(1)).max(1);
    let mut candidates = Vec::new();
    for notch in notches.iter().step_by(notches.len().div_ceil(limit).max(1)) {
        let middle = nalgebra::center(&notch.ends[0], &notch.ends[1]);
        let mut others: Vec<&Point> = places.iter().filter(|p| !notch.ends.contains(p)).collect();
        if others.len() > each {
            let distance = |p: &Point| (p - middle).norm_squared();
            others.select_nth_unstable_by(each, |p, q| distance(p).total_cmp(&distance(q)));
            others.truncate(each);
        }
        candidates.extend(others.into_iter().map(|p| Candidate::Through([notch.ends[0], notch.ends[1], *p])));
    }
    candidates
}
