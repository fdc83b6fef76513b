//! A surface of patches with its hierarchy: the surface one queries.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use super::IndexedMesh;
use super::patch_cells::PatchCells;
use super::tree::AabbTree;
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::field::Field;
use crate::geometry::parametric::{BezierPatch, PatchPiece, PatchPlace, PatchSurface};
use crate::geometry::solid::{Segment, SegmentHit, Solid, SupportMap};
use crate::math::{Matrix, Point, Real, Vector};
use crate::volume::{Aabb, Obb, Sphere};

/// How near the tessellation is that stands in for the surface where an answer is approximate by nature, as a share of its size.
const STAND_IN_ERROR: Real = 2e-3;
/// Pieces are flat, for a segment that crosses them, when they bend by less than this share of the surface's size.
const FLAT: Real = 1e-12;

/// The place of a surface that is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestOnPatches {
    /// The place.
    pub point: Point,
    /// Where it is on the surface.
    pub place: PatchPlace,
    /// How far it is, metres; no point of the surface is nearer by more than the accuracy asked for.
    pub distance: Real,
}

/// Triangles that stand in for a surface.
#[derive(Debug)]
pub(crate) struct StandIn {
    pub mesh: Arc<IndexedMesh>,
    /// Where the corners of each triangle are on the surface.
    pub places: Vec<[PatchPlace; 3]>,
    /// A triangle at each vertex.
    pub faces_of_vertex: Vec<u32>,
    /// How far the surface is from the triangles at most, metres.
    pub error: Real,
}

/// A surface of bicubic patches with a tree over them.
#[derive(Debug)]
pub struct IndexedPatches {
    surface: PatchSurface,
    tree: AabbTree,
    stand_in: OnceLock<Option<StandIn>>,
    coarse: OnceLock<Option<StandIn>>,
    cells: OnceLock<PatchCells>,
    part_places: OnceLock<Box<[Point]>>,
}

impl IndexedPatches {
    /// Indexes `surface`. O(n log n).
    pub fn new(surface: PatchSurface) -> Self {
        let boxes: Vec<Aabb> =
            surface.patches().iter().zip(0..).map(|(p, n)| *PatchPiece::whole(n, p).aabb()).collect();
        Self {
            surface,
            tree: AabbTree::from_boxes(&boxes),
            stand_in: OnceLock::new(),
            coarse: OnceLock::new(),
            cells: OnceLock::new(),
            part_places: OnceLock::new(),
        }
    }

    /// The patches.
    pub fn surface(&self) -> &PatchSurface {
        &self.surface
    }

    /// The tree over the patches' control points.
    pub fn tree(&self) -> &AabbTree {
        &self.tree
    }

    /// A patch as a piece.
    ///
    /// # Panics
    /// When there is no such patch.
    pub fn piece(&self, patch: u32) -> PatchPiece {
        PatchPiece::whole(patch, self.patch(patch))
    }

    pub(crate) fn patch(&self, patch: u32) -> &BezierPatch {
        &self.surface.patches()[patch as usize]
    }

    /// The pieces that searches go through: made when first asked for.
    pub(super) fn cells(&self) -> &PatchCells {
        self.cells.get_or_init(|| PatchCells::new(&self.surface))
    }

    /// A place on each part that the surface falls into, where patches that share a corner hang together: of what crosses no part, either all or nothing
    /// of a part is inside. Found at the first call.
    pub(crate) fn part_places(&self) -> &[Point] {
        self.part_places.get_or_init(|| self.surface.part_places().into())
    }

    /// Triangles within 2e-3 of the bounding radius: made when first asked for; `None` for a surface without area.
    pub(crate) fn stand_in(&self) -> Option<&StandIn> {
        self.stand_in.get_or_init(|| self.triangles_within(STAND_IN_ERROR)).as_ref()
    }

    /// The same within 2e-2 of it.
    pub(crate) fn coarse_stand_in(&self) -> Option<&StandIn> {
        self.coarse.get_or_init(|| self.triangles_within(10.0 * STAND_IN_ERROR)).as_ref()
    }

    fn triangles_within(&self, share: Real) -> Option<StandIn> {
        let fine = self.surface.tessellated(share * self.surface.bounding_sphere().radius).ok()?;
        let mesh = Arc::new(IndexedMesh::new(fine.mesh).ok()?);
        let mut faces_of_vertex = vec![0; mesh.mesh().vertices().len()];
        for (face, triangle) in (0..).zip(mesh.mesh().triangles()) {
            triangle.iter().for_each(|&v| faces_of_vertex[v as usize] = face);
        }
        Some(StandIn { mesh, places: fine.places, faces_of_vertex, error: fine.error })
    }

    /// The place nearest to `point` within `limit` metres; no other is nearer by more than `accuracy` metres, positive.
    ///
    /// Cost: O(log(size / accuracy)) pieces where one place is nearest, more where many are about as near.
    pub fn closest_point(&self, point: &Point, limit: Real, accuracy: Real) -> Option<ClosestOnPatches> {
        let mut best: Option<ClosestOnPatches> = None;
        let mut queue = BinaryHeap::new();
        let lower = |piece: &PatchPiece| {
            let (centre, radius) = piece.sphere();
            piece.aabb().distance_to_point(point).max((centre - point).norm() - radius).max(0.0)
        };
        for patch in 0..self.surface.patches().len() as u32 {
            let piece = self.piece(patch);
            queue.push(Nearest { lower: lower(&piece), piece });
        }
        while let Some(Nearest { lower: least, piece }) = queue.pop() {
            let most = best.as_ref().map_or(limit, |b| b.distance);
            if least > most || best.is_some() && least >= most - accuracy {
                break;
            }
            let at = piece.parameters_near(point);
            let found = self.patch(piece.patch).point(at[0], at[1]);
            let distance = (found - point).norm();
            if distance <= most {
                best = Some(ClosestOnPatches { point: found, place: PatchPlace { patch: piece.patch, at }, distance });
            }
            // The parallelogram is nearer than its nearest corner box says; its own distance is what halving sharpens.
            if piece.can_be_halved() {
                for half in piece.halves() {
                    queue.push(Nearest { lower: lower(&half).max(least), piece: half });
                }
            }
        }
        best
    }

    /// The point at a place.
    pub fn point_at(&self, place: &PatchPlace) -> Point {
        self.patch(place.patch).point(place.at[0], place.at[1])
    }

    /// The unit normal at a place; `None` on a patch without area.
    pub fn normal_at(&self, place: &PatchPlace) -> Option<Vector> {
        self.patch(place.patch).normal(place.at[0], place.at[1])
    }

    fn is_met_by(&self, obb: &Obb) -> bool {
        let meets_box = |piece: &PatchPiece| {
            let (centre, radius) = piece.sphere();
            let local = obb.axes.tr_mul(&(centre - obb.centre)).abs() - obb.half_extents;
            local.sup(&Vector::zeros()).norm() <= radius
                && obb.overlaps(&Obb {
                    centre: piece.aabb().centre(),
                    axes: Matrix::identity(),
                    half_extents: piece.aabb().half_extents(),
                })
        };
        // Halving goes on until a point of the surface is in the box, or pieces are as small as the box's own rounding.
        let smallest = 1e-6 * obb.half_extents.norm() + FLAT * self.surface.bounding_sphere().radius;
        let mut meets = |patch: u32| {
            let mut stack = vec![self.piece(patch)];
            while let Some(piece) = stack.pop() {
                if !meets_box(&piece) {
                    continue;
                }
                let at = [0, 1].map(|k| 0.5 * (piece.low[k] + piece.high[k]));
                let middle = self.patch(patch).point(at[0], at[1]);
                let inside = obb.axes.tr_mul(&(middle - obb.centre)).abs() - obb.half_extents;
                if inside.max() <= 0.0 || piece.sphere().1 <= smallest || !piece.can_be_halved() {
                    return ControlFlow::Break(());
                }
                stack.extend(if piece.error() < 0.1 * piece.sphere().1 {
                    piece.shorter_halves()
                } else {
                    piece.halves()
                });
            }
            ControlFlow::Continue(())
        };
        self.tree.visit_obb(obb, &mut meets).is_break()
    }

    /// Where the segment first crosses a patch, as a fraction, with the place.
    fn crossing(&self, patch: u32, segment: &Segment) -> Option<(Real, PatchPlace)> {
        let way = segment.end - segment.start;
        let flat = FLAT * self.surface.bounding_sphere().radius;
        let mut best: Option<(Real, PatchPlace)> = None;
        let mut stack = vec![self.piece(patch)];
        while let Some(piece) = stack.pop() {
            let most = best.map_or(1.0, |b| b.0);
            let Some((enter, _)) = piece.aabb().stay(&segment.start, &way, 1.0) else { continue };
            if enter > most {
                continue;
            }
            if piece.error() > flat && piece.can_be_halved() {
                stack.extend(piece.halves());
                continue;
            }
            if let Some((fraction, at)) = crossing_of_flat(&piece, segment, &way)
                && fraction <= most
            {
                best = Some((fraction, PatchPlace { patch, at }));
            }
        }
        best
    }
}

/// A piece in a queue whose head is the nearest.
struct Nearest {
    lower: Real,
    piece: PatchPiece,
}

impl Nearest {
    fn key(&self) -> (u32, [u64; 2]) {
        (self.piece.patch, self.piece.low.map(Real::to_bits))
    }
}

impl PartialEq for Nearest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Nearest {}

impl PartialOrd for Nearest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Nearest {
    fn cmp(&self, other: &Self) -> Ordering {
        other.lower.total_cmp(&self.lower).then_with(|| other.key().cmp(&self.key()))
    }
}

/// Where a segment crosses the parallelogram of a piece that is flat, up to the piece's error.
fn crossing_of_flat(piece: &PatchPiece, segment: &Segment, way: &Vector) -> Option<(Real, [Real; 2])> {
    let [origin, right, up, _] = piece.corners();
    let (u, v) = (right - origin, up - origin);
    let normal = u.cross(&v);
    let rate = normal.dot(way);
    let from = segment.start - origin;
    if rate == 0.0 {
        return None;
    }
    let fraction = -normal.dot(&from) / rate;
    // Rounding of the fraction must not lose a crossing at the very ends.
    let slack = 1e-12;
    if !(-slack..=1.0 + slack).contains(&fraction) {
        return None;
    }
    let point = segment.start + way * fraction;
    let at = piece.parameters_near(&point);
    let share = |k: usize| {
        let width = piece.high[k] - piece.low[k];
        if width > 0.0 { (at[k] - piece.low[k]) / width } else { 0.5 }
    };
    let nearest = origin + u * share(0) + v * share(1);
    ((nearest - point).norm() <= 4.0 * piece.error()).then_some((fraction.clamp(0.0, 1.0), at))
}

impl Solid for IndexedPatches {
    fn kind(&self) -> &'static str {
        "bezier"
    }

    fn local_aabb(&self) -> Aabb {
        self.tree.aabb()
    }

    fn bounding_sphere(&self) -> Sphere {
        self.surface.bounding_sphere()
    }

    /// A tessellation; its error is stated where 512 cuts of a side do not bring it below the one asked for.
    fn features(&self, max_error: Real) -> FeatureSet {
        let Ok(fine) = self.surface.tessellated(max_error) else {
            return FeatureSet {
                vertices: self.surface.patches().iter().flat_map(|p| p.control().iter().copied()).collect(),
                error: 2.0 * self.surface.bounding_sphere().radius,
                ..FeatureSet::default()
            };
        };
        let topology = crate::geometry::mesh::Topology::of(&fine.mesh);
        FeatureSet {
            vertices: fine.mesh.vertices().to_vec(),
            edges: topology.edges().to_vec(),
            faces: fine.mesh.triangles().to_vec(),
            radius: 0.0,
            error: fine.error,
        }
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        self.is_met_by(obb) || self.surface.contains(&obb.centre)
    }

    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit> {
        let facing = |place: &PatchPlace, towards: &Vector| {
            let normal = self.normal_at(place)?;
            Some(if self.surface.is_closed() || normal.dot(towards) >= 0.0 { normal } else { -normal })
        };
        if self.surface.contains(&segment.start) {
            let accuracy = 1e-6 * self.surface.bounding_sphere().radius;
            let nearest = self.closest_point(&segment.start, Real::INFINITY, accuracy)?;
            let normal = facing(&nearest.place, &(nearest.point - segment.start))?;
            let feature = Feature::Face(nearest.place.patch);
            return Some(SegmentHit { fraction: 0.0, point: segment.start, normal, feature });
        }
        let (fraction, patch) = self.tree.cast_segment(segment, |patch| self.crossing(patch, segment).map(|c| c.0))?;
        let (_, place) = self.crossing(patch, segment)?;
        let way = segment.end - segment.start;
        let normal = facing(&place, &-way)?;
        Some(SegmentHit { fraction, point: segment.start + way * fraction, normal, feature: Feature::Face(patch) })
    }

    fn convex_bound(&self) -> Option<&dyn SupportMap> {
        Some(self.cells())
    }

    fn field(&self) -> Option<&dyn Field> {
        self.surface.is_closed().then_some(self)
    }

    fn distance_bound(&self, point: &Point) -> Real {
        if self.surface.contains(point) {
            return 0.0;
        }
        let (size, near) = (self.surface.bounding_sphere().radius, self.tree.aabb().distance_to_point(point));
        let accuracy = 1e-3 * near + 1e-4 * size;
        self.closest_point(point, Real::INFINITY, accuracy).map_or(near, |c| (c.distance - accuracy).max(near))
    }
}
