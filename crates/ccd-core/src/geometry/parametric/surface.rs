//! Patches as one surface.

use std::collections::BTreeMap;

use super::patch::BezierPatch;
use crate::geometry::mesh::SurfaceKind;
use crate::math::{DisjointSets, MAX_COORDINATE, Point, Real, Shortest, Vector, is_finite};
use crate::volume::{Aabb, Sphere};

/// A volume below this share of the bounding sphere's is the rounding of none.
const VOLUME_ROUNDING: Real = 1e-14;

/// A side of a patch: 0 is v = 0, 1 is u = 1, 2 is v = 1, 3 is u = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchSide {
    /// The patch, from 0.
    pub patch: usize,
    /// Its side.
    pub side: usize,
}

/// Why patches make no surface, or no solid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PatchError {
    /// There is no patch.
    #[error("there is no patch")]
    Empty,
    /// More patches than can be numbered.
    #[error("{count} patches are more than can be numbered")]
    TooMany {
        /// How many.
        count: usize,
    },
    /// A control point that is no place, or beyond [`MAX_COORDINATE`].
    #[error("control point {point} of patch {patch} is not finite or beyond {MAX_COORDINATE:e} m")]
    BadPoint {
        /// The patch, from 0.
        patch: usize,
        /// Its control point, from 0.
        point: usize,
    },
    /// No patch has any extent: all control points coincide.
    #[error("all control points coincide")]
    NoExtent,
    /// A solid is needed, and a side of a patch is not the side of exactly one other.
    #[error("side {} of patch {} is shared with {neighbours} other sides in reverse, not with one", at.side, at.patch)]
    NotWatertight {
        /// The first such side.
        at: PatchSide,
        /// How many other sides have its control points in reverse.
        neighbours: usize,
    },
    /// A solid is needed, and the closed surface encloses no volume, or is inside out.
    #[error("the closed surface encloses {} m³", Shortest(*volume))]
    NoVolume {
        /// By the direction of its normals, m³.
        volume: Real,
    },
}

/// A surface of bicubic patches, in metres, in its own frame. Valid by construction: every control point finite.
///
/// It is a solid when it is watertight: every side of every patch that has any length has its four control points, in reverse
/// order and to the last bit, at exactly one other side. A side that is a point is no opening.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchSurface {
    patches: Vec<BezierPatch>,
    kind: SurfaceKind,
    opening: Option<(PatchSide, usize)>,
    volume: Real,
    aabb: Aabb,
    sphere: Sphere,
}

impl PatchSurface {
    /// The surface of these patches. O(n log n).
    ///
    /// # Errors
    /// [`PatchError`] names the patch and the point.
    pub fn new(patches: Vec<BezierPatch>) -> Result<Self, PatchError> {
        if patches.is_empty() {
            return Err(PatchError::Empty);
        }
        if u32::try_from(patches.len()).is_err() {
            return Err(PatchError::TooMany { count: patches.len() });
        }
        for (patch, p) in patches.iter().enumerate() {
            let is_bad = |q: &Point| !is_finite(&q.coords);
            if let Some(point) = p.control().iter().position(is_bad) {
                return Err(PatchError::BadPoint { patch, point });
            }
        }
        let points: Vec<Point> = patches.iter().flat_map(|p| p.control().iter().copied()).collect();
        let aabb = Aabb::from_points(&points);
        if aabb.half_extents() == Vector::zeros() {
            return Err(PatchError::NoExtent);
        }
        let centre = aabb.centre();
        let radius = points.iter().map(|p| (p - centre).norm()).fold(0.0, Real::max);
        let sphere = Sphere { centre, radius: radius * (1.0 + 16.0 * Real::EPSILON) };
        let opening = first_opening(&patches);
        let mut surface = Self { patches, kind: SurfaceKind::Soup, opening, volume: 0.0, aabb, sphere };
        surface.volume = surface.signed_volume();
        if opening.is_none() && surface.volume.abs() > VOLUME_ROUNDING * radius.powi(3) {
            surface.kind = if surface.volume > 0.0 { SurfaceKind::Solid } else { SurfaceKind::InsideOut };
        }
        Ok(surface)
    }

    /// The patches.
    pub fn patches(&self) -> &[BezierPatch] {
        &self.patches
    }

    /// Whether the surface is a solid, a solid inside out, or open.
    pub fn kind(&self) -> SurfaceKind {
        self.kind
    }

    /// Whether the surface has an inside: whether it is a [`SurfaceKind::Solid`].
    pub fn is_closed(&self) -> bool {
        self.kind == SurfaceKind::Solid
    }

    /// That the surface bounds a solid.
    ///
    /// # Errors
    /// [`PatchError::NotWatertight`] or [`PatchError::NoVolume`].
    pub fn require_solid(&self) -> Result<(), PatchError> {
        match (self.kind, self.opening) {
            (SurfaceKind::Solid, _) => Ok(()),
            (_, Some((at, neighbours))) => Err(PatchError::NotWatertight { at, neighbours }),
            (_, None) => Err(PatchError::NoVolume { volume: self.volume }),
        }
    }

    /// A box around all control points.
    pub fn aabb(&self) -> &Aabb {
        &self.aabb
    }

    /// A sphere around all control points.
    pub fn bounding_sphere(&self) -> Sphere {
        self.sphere
    }

    /// The middle of a patch of each part that the surface falls into, where patches that share a corner hang together. O(n log n).
    pub(crate) fn part_places(&self) -> Vec<Point> {
        let mut sets = DisjointSets::new(self.patches.len());
        let mut first_at = BTreeMap::new();
        for (patch, number) in self.patches.iter().zip(0..) {
            for corner in (0..4).map(|side| patch.side(side)[0]) {
                sets.join(*first_at.entry(key_of_point(&corner)).or_insert(number), number);
            }
        }
        let roots = (0..self.patches.len() as u32).filter(|&patch| sets.find(patch) == patch).collect::<Vec<_>>();
        roots.into_iter().map(|patch| self.patches[patch as usize].point(0.5, 0.5)).collect()
    }

    /// The surface scaled along the axes; mirrored, it keeps its outside.
    ///
    /// # Errors
    /// [`PatchError::BadPoint`] for points that leave the range of numbers.
    pub fn scaled(&self, scale: &Vector) -> Result<Self, PatchError> {
        let place = |p: &Point| Point::from(p.coords.component_mul(scale));
        let is_mirrored = scale.iter().filter(|s| **s < 0.0).count() % 2 == 1;
        let patches = self.patches.iter().map(|p| {
            let moved = p.mapped(place);
            if is_mirrored { moved.flipped() } else { moved }
        });
        Self::new(patches.collect())
    }

    /// The surface with its inside out.
    ///
    /// # Errors
    /// None that a valid surface can cause.
    pub fn flipped(&self) -> Result<Self, PatchError> {
        Self::new(self.patches.iter().map(BezierPatch::flipped).collect())
    }
}

/// The bits of a side's control points; zero has one sign.
pub(super) type SideKey = [[u64; 3]; 4];

pub(super) fn key_of_point(p: &Point) -> [u64; 3] {
    // Adding zero turns -0.0 into 0.0.
    [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits())
}

fn key_of(points: &[Point; 4]) -> SideKey {
    points.each_ref().map(key_of_point)
}

/// The first side, by patch and number, that is not the reverse of exactly one other; and of how many it is.
fn first_opening(patches: &[BezierPatch]) -> Option<(PatchSide, usize)> {
    let mut sides: BTreeMap<SideKey, usize> = BTreeMap::new();
    let has_length = |key: &SideKey| {
        let mut back = *key;
        back.reverse();
        // A side that runs back on itself bounds nothing, as one that is a point.
        back != *key
    };
    let all = || {
        patches
            .iter()
            .enumerate()
            .flat_map(|(patch, p)| (0..4).map(move |side| (PatchSide { patch, side }, key_of(&p.side(side)))))
    };
    for (_, key) in all().filter(|(_, key)| has_length(key)) {
        *sides.entry(key).or_default() += 1;
    }
    all().filter(|(_, key)| has_length(key)).find_map(|(at, key)| {
        let mut back = key;
        back.reverse();
        let (own, others) = (sides.get(&key).copied().unwrap_or(0), sides.get(&back).copied().unwrap_or(0));
        (own != 1 || others != 1).then_some((at, others))
    })
}
