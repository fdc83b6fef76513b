//! Closest points and features of two solids at an instant, and how deep they overlap.
//!
//! | pair | distance | depth of an overlap |
//! |---|---|---|
//! | half-space, anything | closed form over the extreme point | the same, negative |
//! | convex, convex | [`gjk`]; polyhedra by [`vclip`] or [`separating_axis`] where asked for ([`closest_by`]) | [`mod@penetration`] |
//! | compound, anything | branch and bound over pairs of parts | the least way out (`way_out`) |
//! | patches, anything | branch and bound over pieces, halved; Newton's method on the true surfaces | of triangles near the surface |
//! | field that is not convex, anything | branch and bound over cells | the least way out (`way_out`) |
//! | mesh, convex or mesh | branch and bound over trees, triangles by [`gjk`] | closed convex meshes by [`mod@penetration`], others the least way out (`way_out`) |

pub(crate) mod chart;
mod compound;
mod convex;
mod cover;
pub(crate) mod field;
mod field_depth;
mod field_search;
mod flush;
pub mod gjk;
mod hole;
pub(crate) mod hulls;
mod inner_places;
pub mod mesh;
mod mesh_overlap;
mod mesh_touch;
mod mesh_walk;
mod method;
mod overlap;
pub(crate) mod patches;
pub mod penetration;
pub(crate) mod prover;
pub mod separating_axis;
mod simplex;
mod touching;
pub mod vclip;
mod way_out;

use crate::detection::dispatch::{Route, fields_to_measure, needs_cells};
use crate::geometry::feature::FeaturePair;
use crate::math::{MAX_COORDINATE, Point, Pose, Real, Vector, is_sound_pose};
use crate::shape::Shape;
use convex::{convex_convex, convex_over, cores_apart, half_space, relative};
use field::FieldPair;
use gjk::GjkCache;
use hole::{InHole, in_hole};
use hulls::ByHulls;
pub use method::{ClosestMethod, PairMemory, closest_by};
pub(crate) use overlap::mesh_overlaps;
pub use overlap::overlap;

/// The closest points of two solids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Metres; minus the depth where the solids overlap.
    pub distance: Real,
    /// The point of A's surface, world; where they overlap, one that the way out brings to `point_b`.
    pub point_a: Point,
    /// The point of B's surface, world: `point_a` and the distance along the normal, up to rounding.
    pub point_b: Point,
    /// Unit, world, from A to B; where they overlap, the direction in which moving B separates them soonest.
    pub normal: Vector,
    /// The features that are closest (or deepest).
    pub features: FeaturePair,
    /// Rounds of the search, in the method's own measure: of GJK, summed over triangle pairs; steps of V-Clip; axes; cells of a field.
    pub iterations: u64,
}

/// Two solids that overlap, or are closer than was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The translation that brings them to touch, metres: negative where a gap is left.
    pub depth: Real,
    /// Unit, world: B moves along it, A against it.
    pub normal: Vector,
    /// Where, world.
    pub point: Point,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ClosestError {
    /// A pose holds NaN, infinity, or a number beyond [`MAX_COORDINATE`], or its rotation is no unit quaternion.
    #[error(
        "the pose of side {side} is not finite or beyond {MAX_COORDINATE:e} m, or its rotation is no unit quaternion"
    )]
    NonFinitePose {
        /// `a` or `b`.
        side: char,
    },
    /// A method for polyhedra was asked for, and a side is no convex polyhedron nor a compound of them.
    #[error("{method} takes boxes, convex polyhedra and compounds of them, not a {kind}")]
    NotPolyhedron {
        /// Which method.
        method: ClosestMethod,
        /// What it is.
        kind: &'static str,
    },
    /// No way to measure this pair.
    #[error("no distance between {kind_a} and {kind_b}")]
    Unsupported {
        /// Side A.
        kind_a: &'static str,
        /// Side B.
        kind_b: &'static str,
    },
    /// One of the two, such as an intersection of solids that are apart, certainly has no point that could be near; a compound, where no part
    /// has any.
    #[error("no distance between {kind_a} and {kind_b}: one of them is empty")]
    Empty {
        /// Side A.
        kind_a: &'static str,
        /// Side B.
        kind_b: &'static str,
    },
    /// The search came upon no point of one of the two, as of a lid without thickness, and that it has none is not certain either; of a
    /// compound, upon no point of any part.
    #[error("no distance between {kind_a} and {kind_b}: no point of one of them was found")]
    NoPointFound {
        /// Side A.
        kind_a: &'static str,
        /// Side B.
        kind_b: &'static str,
    },
}

/// What a search in A's frame found.
#[derive(Clone, Copy, Debug)]
struct Local {
    distance: Real,
    point_a: Point,
    point_b: Point,
    normal: Vector,
    features: FeaturePair,
    iterations: u64,
}

/// The closest points of two solids at the given poses, exact to rounding for polytopes and meshes.
///
/// # Errors
/// [`ClosestError`] for poses that are none, custom solids without a support map, two half-spaces, and solids without points or of which none is found.
pub fn closest(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<Closest, ClosestError> {
    // Nothing is further than infinity, but numbers that are near the largest can make a distance that is none.
    closest_within(a, pose_a, b, pose_b, Real::INFINITY)?
        .ok_or(ClosestError::Unsupported { kind_a: a.as_solid().kind(), kind_b: b.as_solid().kind() })
}

/// [`closest`], if the distance is at most `limit` metres: pairs that are further apart are told so sooner.
///
/// # Errors
/// As [`closest`].
pub fn closest_within(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    limit: Real,
) -> Result<Option<Closest>, ClosestError> {
    for (side, pose) in [('a', pose_a), ('b', pose_b)] {
        if !is_sound_pose(pose) {
            return Err(ClosestError::NonFinitePose { side });
        }
    }
    let local = search((a, pose_a), (b, pose_b), limit, ClosestMethod::Auto, &mut PairMemory::default())?;
    Ok(local.filter(|l| l.distance <= limit).map(|l| l.in_frame(pose_a)))
}

/// The closest points of two solids of which at least one is a compound, if they are nearer than `limit` metres, of all pairs of parts but that
/// of these numbers; a solid that is no compound has one part, of number zero.
///
/// # Errors
/// As [`closest`].
pub(crate) fn closest_of_other_parts(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    limit: Real,
    but: [u32; 2],
) -> Result<Option<Closest>, ClosestError> {
    let found = compound::nearest_of_others(a, b, &pose_a.inv_mul(pose_b), limit, but)?;
    Ok(found.filter(|l| l.distance <= limit).map(|l| l.in_frame(pose_a)))
}

/// Whether two solids overlap or are closer than `margin` metres, and how to move them to touch. Pairs that cannot be
/// measured never interfere.
pub fn interferes(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: Real) -> Option<Overlap> {
    let found = closest_within(a, pose_a, b, pose_b, margin).ok().flatten()?;
    let point = nalgebra::center(&found.point_a, &found.point_b);
    Some(Overlap { depth: -found.distance, normal: found.normal, point })
}

/// The two as a divided solid and a field in its frame, as distances are measured, and whether the divided one is B.
pub(crate) fn field_pair<'q>(a: &'q Shape, b: &'q Shape, b_in_a: &Pose) -> Option<(FieldPair<'q>, bool)> {
    let Some(Route::Field { divided, other, swapped }) = fields_to_measure(a, b) else { return None };
    let pose = if swapped { b_in_a.inverse() } else { *b_in_a };
    Some((FieldPair { divided, other, pose }, swapped))
}

/// Two solids at their places, in A's frame: `None` if they are certainly further apart than `limit` metres.
fn search(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    limit: Real,
    method: ClosestMethod,
    memory: &mut PairMemory,
) -> Result<Option<Local>, ClosestError> {
    let (kind_a, kind_b) = (a.as_solid().kind(), b.as_solid().kind());
    let unsupported = ClosestError::Unsupported { kind_a, kind_b };
    let b_in_a = pose_a.inv_mul(pose_b);
    let swapped = |found: Option<Local>| found.map(|l| l.swapped(&b_in_a));
    Ok(match (a, b) {
        _ if a.as_compound().is_some() || b.as_compound().is_some() => {
            compound::with_compound(a, b, &b_in_a, limit, method, memory)?
        }
        _ if method.takes_polyhedra_only() => Some(method::polyhedra(method, a, b, &b_in_a, memory)?),
        (Shape::HalfSpace(_), Shape::HalfSpace(_)) => return Err(unsupported),
        _ if needs_cells(a) || needs_cells(b) => {
            match hulls::by_hulls(a, b, &b_in_a, limit) {
                ByHulls::Beyond => return Ok(None),
                ByHulls::Nearest(found) => return Ok(Some(found.into())),
                ByHulls::Unknown => {}
            }
            match in_hole(a, b, &b_in_a, limit) {
                InHole::Beyond => return Ok(None),
                InHole::Nearest(found) => return Ok(Some(found)),
                InHole::Unknown => {}
            }
            let Some((pair, is_swapped)) = field_pair(a, b, &b_in_a) else { return Err(unsupported) };
            let found = match if is_swapped { a } else { b } {
                Shape::HalfSpace(plane) => pair.closest_over(&plane.normal(), limit),
                _ => pair.closest(limit),
            };
            match found {
                None if pair.is_any_empty() && limit == Real::INFINITY => {
                    return Err(ClosestError::Empty { kind_a, kind_b });
                }
                // There may be points to which no way leads.
                None if limit == Real::INFINITY => return Err(ClosestError::NoPointFound { kind_a, kind_b }),
                found if is_swapped => swapped(found),
                found => found,
            }
        }
        (Shape::Patches(_), _) | (_, Shape::Patches(_)) => patches::with_patches(a, b, &b_in_a, limit)?,
        (Shape::HalfSpace(plane), other) => half_space(plane, other, &b_in_a).ok_or(unsupported)?.into(),
        (other, Shape::HalfSpace(plane)) => {
            swapped(half_space(plane, other, &b_in_a.inverse()).ok_or(unsupported)?.into())
        }
        (Shape::Mesh(_), _) | (_, Shape::Mesh(_)) if hulls::are_beyond(a, b, &b_in_a, limit) => None,
        (Shape::Mesh(mesh_a), Shape::Mesh(mesh_b)) => mesh::mesh_mesh(mesh_a, mesh_b, &b_in_a, limit),
        (Shape::Mesh(mesh), other) => {
            mesh::mesh_convex(mesh, other.as_convex().ok_or(unsupported)?, other, &b_in_a, limit)
        }
        (other, Shape::Mesh(mesh)) => {
            let convex = other.as_convex().ok_or(unsupported)?;
            swapped(mesh::mesh_convex(mesh, convex, other, &b_in_a.inverse(), limit))
        }
        _ => match (a.as_convex(), b.as_convex()) {
            (Some(a), Some(b)) => Some(convex_convex(a, b, &b_in_a, &mut GjkCache::default())),
            _ => return Err(unsupported),
        },
    })
}

/// In A's frame.
impl From<Closest> for Local {
    fn from(found: Closest) -> Self {
        let Closest { distance, point_a, point_b, normal, features, iterations } = found;
        Self { distance, point_a, point_b, normal, features, iterations }
    }
}

impl Local {
    /// The answer in the frame that A's is placed in.
    fn in_frame(self, pose_a: &Pose) -> Closest {
        Closest {
            // Touching solids are at zero, not at minus zero.
            distance: self.distance + 0.0,
            point_a: pose_a * self.point_a,
            point_b: pose_a * self.point_b,
            normal: pose_a.rotation * self.normal,
            features: self.features,
            iterations: self.iterations,
        }
    }

    /// The same with the sides exchanged: found in B's frame as if B were A, it is in A's.
    fn swapped(self, b_in_a: &Pose) -> Self {
        Self {
            point_a: b_in_a * self.point_b,
            point_b: b_in_a * self.point_a,
            normal: -(b_in_a.rotation * self.normal),
            features: FeaturePair { a: self.features.b, b: self.features.a },
            ..self
        }
    }
}
