//! Distance and depth of surfaces of patches: branch and bound over pairs of pieces, halved as far as they must be.
//!
//! **Problem.** The nearest points of a surface of Bézier patches and another solid.
//! **Idea.** A piece of a patch lies in the hull of its control points, so that the distance of hulls bounds that of the surfaces
//! from below; Newton's method between the places of the true surfaces bounds it from above. The pair with the least
//! lower bound is halved until no bound is below the best places found by more than the accuracy.
//! **Guarantee.** The points are on the true surfaces, and no others are nearer by more than [`ACCURACY`] of the distance and of the
//! solids' size. The depth of an overlap is that of triangles within 2e-3 of the surface's bounding radius. Where to look for it tell ten times as
//! coarse ones: their ways out that may be the least are followed among the fine ones (`mesh_overlap.rs`).
//! **Source.** Piegl and Tiller (1997) for patches and their halving.

use super::chart::{Chart, Places, nearest_places};
use super::gjk::{GjkCache, GjkGoal, PointList, RelativePose, separation};
use super::mesh_overlap::overlap_by_coarse;
use super::{Closest, ClosestError, ClosestMethod, Local, PairMemory, search};
use crate::detection::part_places::{holds_a_part, part_places};
use crate::detection::pieces::{
    Core, Part, PartPair, PatchSide, Pieces, below, core, feature, halves_of_coarser, halves_of_longer, part_box, root,
};
use crate::detection::queue::Queue;
use crate::geometry::feature::FeaturePair;
use crate::geometry::primitive::Triangle;
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;
use crate::volume::Aabb;

/// How exact a distance is, as a share of it …
const ACCURACY: Real = 1e-7;
/// … and of the smaller solid's size.
const FINEST: Real = 1e-9;

/// Where two cores are nearest.
pub(crate) struct Meeting {
    /// On A's core, in the common frame.
    pub on_a: Point,
    /// On B's core.
    pub on_b: Point,
    /// Unit, from A to B.
    pub normal: Vector,
    /// Distances below this are rounding, metres.
    pub noise: Real,
}

/// Places of the true surfaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TruePlaces {
    pub point_a: Point,
    pub point_b: Point,
    /// Metres; of a half-space, the height over its plane, which may be negative.
    pub distance: Real,
    /// Unit, from A to B.
    pub normal: Vector,
}

type Placed<'c, 'q, 'p> = (&'c PatchSide<'q>, &'c Core<'p>, &'c Pose);

/// Near places of the true surfaces where two cores are nearest: those of the same parameters, moved nearer to each other
/// by Newton's method.
pub(crate) fn true_places(
    a: Placed<'_, '_, '_>,
    b: Placed<'_, '_, '_>,
    meeting: &Meeting,
    cache: &GjkCache,
) -> TruePlaces {
    let (chart_a, at_a) = chart(a, &meeting.on_a, &cache.distinct_a());
    let (chart_b, at_b) = chart(b, &meeting.on_b, &cache.distinct_b());
    let first = Places { at_a, point_a: chart_a.jet(at_a).point, point_b: chart_b.jet(at_b).point };
    let moved = nearest_places(&chart_a, at_a, &chart_b, at_b);
    let [first, moved] = [first, moved].map(|places| surface_points(a, b, &places, meeting));
    if moved.distance <= first.distance { moved } else { first }
}

/// The piece of surface around a place of a core, with the parameters of that place.
fn chart<'q>((side, core, pose): Placed<'_, 'q, '_>, place: &Point, span: &PointList) -> (Chart<'q>, [Real; 2]) {
    match (side, core) {
        (PatchSide::Patches(surface), Core::Piece(piece)) => {
            let at = piece.parameters_near(&pose.inverse_transform_point(place));
            (Chart::Patch(surface.patch(piece.patch), *pose), at)
        }
        (PatchSide::Plane(normal), _) => {
            (Chart::of_plane(Point::from(pose.translation.vector), &(pose.rotation * normal)), [0.0; 2])
        }
        _ => {
            let corners: Vec<Point> = span.as_slice().iter().map(|p| pose * Point::from(*p)).collect();
            let mut points = vec![*place];
            // The span through the place itself, along the feature's own directions.
            if let [first, rest @ ..] = corners.as_slice() {
                points.extend(rest.iter().map(|p| place + (p - first)));
            }
            (Chart::of_feature(&points), [0.0; 2])
        }
    }
}

/// The points of the true surfaces at two places of charts.
fn surface_points(a: Placed<'_, '_, '_>, b: Placed<'_, '_, '_>, places: &Places, meeting: &Meeting) -> TruePlaces {
    let (point_a, mut point_b) = (places.point_a, places.point_b);
    if let (PatchSide::Plane(local), pose) = (a.0, a.2) {
        let normal = pose.rotation * local;
        let distance = normal.dot(&(point_b - pose.translation.vector).coords);
        return TruePlaces { point_a: point_b - normal * distance, point_b, distance, normal };
    }
    if !matches!(b.1, Core::Piece(_)) {
        // The span of a feature is larger than the feature: the place that is nearest on the solid itself counts.
        let (solid, pose) = (b.1.map(), b.2);
        let lone = Triangle::new([pose.inverse_transform_point(&point_a); 3]);
        let home = RelativePose::new(&Pose::identity(), &Pose::identity());
        let found = separation(&lone, solid, &home, &mut GjkCache::default(), &GjkGoal::EXACT);
        if found.overlapping || found.distance <= solid.radius() {
            return TruePlaces { point_a, point_b: point_a, distance: 0.0, normal: meeting.normal };
        }
        point_b = pose * Point::from(found.point_b - found.normal * solid.radius());
    }
    let way = point_b - point_a;
    // Below what rounding leaves of a difference, the surface's own direction is the better one.
    let normal = way.try_normalize(meeting.noise).unwrap_or_else(|| own_direction(a, places.at_a, &meeting.normal));
    TruePlaces { point_a, point_b, distance: way.norm(), normal }
}

/// The surface's own normal, on the side of `towards`.
fn own_direction((side, core, pose): Placed<'_, '_, '_>, at: [Real; 2], towards: &Vector) -> Vector {
    let (PatchSide::Patches(surface), Core::Piece(piece)) = (side, core) else { return *towards };
    match surface.patch(piece.patch).normal(at[0], at[1]).map(|n| pose.rotation * n) {
        Some(normal) if normal.dot(towards).abs() > 0.5 => normal * normal.dot(towards).signum(),
        _ => *towards,
    }
}

/// What two solids have between them.
enum Between {
    /// Further than the limit.
    Far,
    /// Apart, or over or under the plane of a half-space.
    Apart(Local),
    /// They touch, cross, or one holds the other; with the nearest places, if any are within the limit.
    Overlap(Option<Local>, u64),
}

/// The nearest points of two solids of which at least one is a surface of patches, in A's frame, if they are within `limit`; and whether
/// the solids overlap, for those who ask often: no points tell of how deep, but where one is a half-space.
pub(crate) fn nearest_or_overlap(
    a: &Shape,
    b: &Shape,
    b_in_a: &Pose,
    limit: Real,
) -> Result<(Option<Closest>, bool), ClosestError> {
    Ok(match between(a, b, b_in_a, limit)? {
        Between::Far => (None, false),
        Between::Apart(l) => (Some(l.in_frame(&Pose::identity())), l.distance <= 0.0),
        Between::Overlap(..) => (None, true),
    })
}

/// A solid as depths are told of it, and how far that may be from it, metres: triangles near a surface of patches, `coarse` or fine ones.
fn near(shape: &Shape, coarse: bool) -> Option<(Shape, Real)> {
    let Shape::Patches(surface) = shape else { return Some((shape.clone(), 0.0)) };
    let stand_in = if coarse { surface.coarse_stand_in() } else { surface.stand_in() }?;
    Some((Shape::Mesh(stand_in.mesh.clone()), stand_in.error))
}

/// Two solids of which at least one is a surface of patches, within `limit`; `b_in_a` places B in A's frame.
pub(super) fn with_patches(a: &Shape, b: &Shape, b_in_a: &Pose, limit: Real) -> Result<Option<Local>, ClosestError> {
    let (best, iterations) = match between(a, b, b_in_a, limit)? {
        Between::Far => return Ok(None),
        Between::Apart(found) => return Ok(Some(found)),
        Between::Overlap(best, iterations) => (best, iterations),
    };
    // They overlap: how deep, the triangles near the surfaces say, and where to look, the larger ones.
    let by_coarse = (|| {
        let [(fine_a, _), (fine_b, _)] = [near(a, false)?, near(b, false)?];
        let [(coarse_a, error_a), (coarse_b, error_b)] = [near(a, true)?, near(b, true)?];
        overlap_by_coarse([&fine_a, &fine_b], [&coarse_a, &coarse_b], b_in_a, error_a + error_b, iterations)
    })();
    let deep = match (near(a, false), near(b, false)) {
        (Some((a, _)), Some((b, _))) if by_coarse.is_none() => {
            search((&a, &Pose::identity()), (&b, b_in_a), 0.0, ClosestMethod::Auto, &mut PairMemory::default())?
                .filter(|l| l.distance < 0.0)
        }
        _ => by_coarse,
    };
    Ok(match (deep, best) {
        (Some(deep), Some(best)) => Some(Local { features: best.features, iterations, ..deep }),
        (Some(deep), None) => Some(Local { iterations, ..deep }),
        // In touch, or deep by less than the triangles are near.
        (None, best) => best.map(|found| Local { iterations, ..found }),
    })
}

fn between(a: &Shape, b: &Shape, b_in_a: &Pose, limit: Real) -> Result<Between, ClosestError> {
    if PatchSide::rank(b) < PatchSide::rank(a) {
        return Ok(match between(b, a, &b_in_a.inverse(), limit)? {
            Between::Far => Between::Far,
            Between::Apart(l) => Between::Apart(l.swapped(b_in_a)),
            Between::Overlap(l, iterations) => Between::Overlap(l.map(|l| l.swapped(b_in_a)), iterations),
        });
    }
    let unsupported = || ClosestError::Unsupported { kind_a: a.as_solid().kind(), kind_b: b.as_solid().kind() };
    let (side_a, side_b) = (PatchSide::of(a).ok_or_else(unsupported)?, PatchSide::of(b).ok_or_else(unsupported)?);
    let size = |shape: &Shape| shape.as_solid().bounding_sphere().radius;
    let finest = FINEST * size(a).min(size(b));
    // Places of surfaces that cross are found to be this near to each other.
    let reach = limit.max(finest);
    let mut nearest =
        Nearest { a: side_a, b: side_b, pose_b: *b_in_a, limit: reach, finest, best: None, iterations: 0 };
    nearest.run();
    let (best, iterations) = (nearest.best, nearest.iterations);
    let best = best.map(|found| Local { iterations, ..found });
    let is_plane = matches!(side_a, PatchSide::Plane(_));
    let overlap =
        || best.is_some_and(|l| l.distance <= finest) || swallows(a, b, b_in_a) || swallows(b, a, &b_in_a.inverse());
    Ok(match best {
        best if !is_plane && overlap() => Between::Overlap(best, iterations),
        Some(found) if found.distance <= limit => Between::Apart(found),
        _ => Between::Far,
    })
}

/// Whether a solid holds the other, or a part of it, whose surface it does not cross.
fn swallows(holder: &Shape, other: &Shape, other_in_holder: &Pose) -> bool {
    let Some(convex) = holder.as_convex() else { return holds_a_part(holder, other, other_in_holder) };
    // A convex solid holds a sheet when it holds a point of it.
    part_places(other).iter().any(|place| {
        let lone = Triangle::new([other_in_holder * place; 3]);
        let home = RelativePose::new(&Pose::identity(), &Pose::identity());
        let found = separation(&lone, convex, &home, &mut GjkCache::default(), &GjkGoal::EXACT);
        found.overlapping || found.distance <= convex.radius()
    })
}

/// The search for the nearest places, in A's frame.
struct Nearest<'q> {
    a: PatchSide<'q>,
    b: PatchSide<'q>,
    pose_b: Pose,
    limit: Real,
    finest: Real,
    best: Option<Local>,
    iterations: u64,
}

impl Nearest<'_> {
    fn run(&mut self) {
        let (mut pieces_a, mut pieces_b) = (Pieces::default(), Pieces::default());
        // By lower bounds of their distances.
        let mut queue = Queue::new();
        queue.push(Real::NEG_INFINITY, PartPair { a: root(&self.a), b: root(&self.b) });
        while let Some((known, pair)) = queue.pop() {
            if self.is_settled(known) {
                break;
            }
            let (lower, parts) = match (pair.a, pair.b) {
                (Part::Node(_), _) | (_, Part::Node(_)) => {
                    let is_a = self.splits_a(&pair, &pieces_a, &pieces_b);
                    let (side, part, pieces) =
                        if is_a { (&self.a, pair.a, &mut pieces_a) } else { (&self.b, pair.b, &mut pieces_b) };
                    (known, Some((is_a, below(side, part, pieces))))
                }
                _ => {
                    let lower = self.look(&pair, &pieces_a, &pieces_b).max(known);
                    if self.is_settled(lower) {
                        continue;
                    }
                    match halves_of_coarser((pair.a, &mut pieces_a), (pair.b, &mut pieces_b)) {
                        Some((is_a, halves)) => (lower, Some((is_a, halves.to_vec()))),
                        // What is flat is its core. Where that crosses the other, some place of smaller ones will be found to, and
                        // those are asked one below the other: of what is as deep the finest is asked first.
                        None if lower <= 0.0 && !matches!(self.a, PatchSide::Plane(_)) => {
                            let halves = halves_of_longer((pair.a, &mut pieces_a), (pair.b, &mut pieces_b));
                            (0.0, halves.map(|(is_a, halves)| (is_a, halves.to_vec())))
                        }
                        None => (lower, None),
                    }
                }
            };
            for (is_a, part) in parts.into_iter().flat_map(|(is_a, parts)| parts.into_iter().map(move |p| (is_a, p))) {
                let finer = pair.with(is_a, part);
                let lower = self.box_gap((finer.a, &pieces_a), (finer.b, &pieces_b)).max(lower);
                if !self.is_settled(lower) {
                    queue.push(lower, finer);
                }
            }
        }
    }

    /// Whether nothing at least this far is of interest.
    fn is_settled(&self, lower: Real) -> bool {
        match &self.best {
            // Surfaces that cross or touch are asked for no more; over a plane the deepest place counts.
            Some(best) => {
                let crossing = best.distance <= self.finest && !matches!(self.a, PatchSide::Plane(_));
                crossing || lower >= best.distance - ACCURACY * best.distance.abs() - self.finest
            }
            None => lower > self.limit,
        }
    }

    fn splits_a(&self, pair: &PartPair, pieces_a: &Pieces, pieces_b: &Pieces) -> bool {
        let size = |side, part, pieces: &Pieces| part_box(side, part, pieces).map_or(0.0, |b: Aabb| b.area());
        match (pair.a, pair.b) {
            (Part::Node(_), Part::Node(_)) => size(&self.a, pair.a, pieces_a) >= size(&self.b, pair.b, pieces_b),
            (Part::Node(_), _) => true,
            _ => false,
        }
    }

    fn box_gap(&self, (a, pieces_a): (Part, &Pieces), (b, pieces_b): (Part, &Pieces)) -> Real {
        let Some(b) = part_box(&self.b, b, pieces_b).map(|b| b.transformed(&self.pose_b)) else {
            return Real::NEG_INFINITY;
        };
        match (part_box(&self.a, a, pieces_a), &self.a) {
            (Some(a), _) => (b.min - a.max).sup(&(a.min - b.max)).sup(&Vector::zeros()).norm(),
            (None, PatchSide::Plane(n)) => n.dot(&b.centre().coords) - n.abs().dot(&b.half_extents()),
            _ => Real::NEG_INFINITY,
        }
    }

    /// A lower bound on the distance of two cores; what their true surfaces have between them may become the best.
    fn look(&mut self, pair: &PartPair, pieces_a: &Pieces, pieces_b: &Pieces) -> Real {
        self.iterations += 1;
        let (core_a, core_b) = (core(&self.a, pair.a, pieces_a), core(&self.b, pair.b, pieces_b));
        let mut cache = GjkCache::default();
        let (lower, meeting) = if let PatchSide::Plane(normal) = &self.a {
            let down = self.pose_b.rotation.inverse_transform_vector(&-normal);
            let on_b = self.pose_b * core_b.map().support(&down, 0).point;
            let height = normal.dot(&on_b.coords);
            (
                height - core_b.map().radius(),
                Meeting { on_a: on_b - normal * height, on_b, normal: *normal, noise: 0.0 },
            )
        } else {
            let relative = RelativePose::new(&Pose::identity(), &self.pose_b);
            let found = separation(core_a.map(), core_b.map(), &relative, &mut cache, &GjkGoal::EXACT);
            let lower = found.lower - core_a.map().radius() - core_b.map().radius();
            let (on_a, on_b) = (Point::from(found.point_a), Point::from(found.point_b));
            (lower, Meeting { on_a, on_b, normal: found.normal, noise: self.finest })
        };
        if self.is_settled(lower) {
            return lower;
        }
        let home = Pose::identity();
        let found = true_places((&self.a, &core_a, &home), (&self.b, &core_b, &self.pose_b), &meeting, &cache);
        if found.distance <= self.limit && self.best.is_none_or(|b| found.distance < b.distance) {
            let ids = |list: super::gjk::VertexList| list.as_slice().iter().copied().take(3).collect::<Vec<_>>();
            self.best = Some(Local {
                distance: found.distance,
                point_a: found.point_a,
                point_b: found.point_b,
                normal: found.normal,
                features: FeaturePair {
                    a: feature(&self.a, &core_a, core_a.map().feature_of(&ids(cache.vertices_a()))),
                    b: feature(&self.b, &core_b, core_b.map().feature_of(&ids(cache.vertices_b()))),
                },
                iterations: 0,
            });
        }
        lower
    }
}
