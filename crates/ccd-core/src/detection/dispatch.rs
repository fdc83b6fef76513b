//! The one table that says which way answers which pair of shapes.

use crate::bounds::IndexedMesh;
use crate::geometry::field::Field;
use crate::geometry::primitive::HalfSpace;
use crate::geometry::solid::SupportMap;
use crate::math::Real;
use crate::shape::Shape;

use super::field::cells::Divided;
use super::pieces::PatchSide;
use super::toc::Method;

/// The way to a time of contact.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Route<'s> {
    /// Two convex solids: conservative advancement.
    Convex(&'s dyn SupportMap, &'s dyn SupportMap),
    /// A half-space (side B when `swapped`) and something bounded.
    HalfSpace {
        /// The half-space.
        plane: &'s HalfSpace,
        /// The other side's convex hull.
        other: Bounded<'s>,
        /// The half-space is side B.
        swapped: bool,
    },
    /// A mesh (side B when `swapped`) and a convex solid: a search over one tree.
    MeshConvex {
        /// The mesh.
        mesh: &'s IndexedMesh,
        /// The other side.
        convex: &'s dyn SupportMap,
        /// The mesh is side B.
        swapped: bool,
    },
    /// Two meshes: a search over pairs of nodes of their trees.
    MeshMesh(&'s IndexedMesh, &'s IndexedMesh),
    /// A surface of patches or a half-space, and what patches are asked against: a search over pairs of pieces. The query's sides
    /// are exchanged when `swapped`.
    Patches {
        /// Side A.
        a: PatchSide<'s>,
        /// Side B.
        b: PatchSide<'s>,
        /// They are the query's B and A.
        swapped: bool,
    },
    /// A compound and anything: every near pair of parts by its own way.
    Parts,
    /// A solid that is divided into cells (side B when `swapped`), and a field: a search over cells in time.
    Field {
        /// What is divided.
        divided: Divided<'s>,
        /// The other side.
        other: &'s dyn Field,
        /// The divided solid is side B.
        swapped: bool,
    },
    /// Any two solids but fields: Algorithm 2.
    ObbBisection,
    /// Any two solids but fields: Algorithm 3.
    Segments,
    /// Any two solids: halving on interference at the end.
    Halving,
    /// Any two solids: estimates from what penetrates at the end.
    Estimate,
    /// Any two solids: Algorithm 2 over samples of the smaller one.
    Samples,
    /// No way.
    None,
}

/// What is bounded and has extreme points.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bounded<'s> {
    /// A convex solid.
    Convex(&'s dyn SupportMap),
    /// A mesh.
    Mesh(&'s IndexedMesh),
}

/// The way for this pair. `Auto` takes the fastest that never misses: advancement wherever both sides have what it
/// needs, else the bisection that takes any solid.
pub(crate) fn route<'s>(a: &'s Shape, b: &'s Shape, method: Method) -> Route<'s> {
    let is_compound = a.as_compound().is_some() || b.as_compound().is_some();
    let is_field = |shape: &Shape| matches!(shape, Shape::Field(_));
    match method {
        Method::Halving => return Route::Halving,
        Method::Estimate => return Route::Estimate,
        // Every other method takes the parts one by one: their features and roundings are their own.
        _ if is_compound => return Route::Parts,
        // Fields have no features that stand for them to within the tolerance.
        Method::ObbBisection | Method::Segments if is_field(a) || is_field(b) => return Route::None,
        Method::Samples => return Route::Samples,
        Method::ObbBisection => return Route::ObbBisection,
        Method::Segments => return Route::Segments,
        Method::Auto | Method::Advancement => {}
    }
    // Small closed meshes that are convex are asked as such, unless the trees are asked for.
    if let (Method::Auto, Some(a), Some(b)) = (method, as_convex(a), as_convex(b)) {
        return Route::Convex(a, b);
    }
    let route = match (a, b) {
        (Shape::HalfSpace(_), Shape::HalfSpace(_)) => return Route::None,
        (Shape::Patches(_), _) | (_, Shape::Patches(_)) => patches(a, b),
        (Shape::HalfSpace(plane), other) => half_space(plane, other, false),
        (other, Shape::HalfSpace(plane)) => half_space(plane, other, true),
        (Shape::Mesh(mesh_a), Shape::Mesh(mesh_b)) => Some(match (method, mesh_a.as_convex(), mesh_b.as_convex()) {
            (Method::Auto, _, Some(convex)) => Route::MeshConvex { mesh: mesh_a, convex, swapped: false },
            (Method::Auto, Some(convex), _) => Route::MeshConvex { mesh: mesh_b, convex, swapped: true },
            _ => Route::MeshMesh(mesh_a, mesh_b),
        }),
        (Shape::Mesh(mesh), other) => {
            other.as_convex().map(|convex| Route::MeshConvex { mesh, convex, swapped: false })
        }
        (other, Shape::Mesh(mesh)) => other.as_convex().map(|convex| Route::MeshConvex { mesh, convex, swapped: true }),
        _ => a.as_convex().zip(b.as_convex()).map(|(a, b)| Route::Convex(a, b)),
    };
    match (route.or_else(|| fields_and_polyhedra(a, b)), method) {
        (Some(route), _) => route,
        (None, Method::Auto) if !is_field(a) && !is_field(b) => Route::ObbBisection,
        (None, _) => Route::None,
    }
}

/// The way for convex solids that hold the two, of which at least one is a field that is not convex, or a mesh that is convex but for dents
/// of up to `dent` metres: what is certain of those is certain of what they hold. `None` where there is no such solid, or no way that they
/// make shorter.
pub(crate) fn route_of_hulls<'s>(a: &'s Shape, b: &'s Shape, dent: Real) -> Option<Route<'s>> {
    let wider = |shape: &'s Shape| match shape {
        Shape::Mesh(mesh) => mesh.hull_of_dented(dent),
        shape if needs_cells(shape) => shape.as_solid().convex_bound(),
        _ => None,
    };
    let (hull_a, hull_b) = (wider(a), wider(b));
    if hull_a.is_none() && hull_b.is_none() {
        return None;
    }
    match (hull_a.or_else(|| as_convex(a)), hull_b.or_else(|| as_convex(b)), a, b) {
        (Some(a), Some(b), ..) => Some(Route::Convex(a, b)),
        (Some(convex), None, _, Shape::Mesh(mesh)) => Some(Route::MeshConvex { mesh, convex, swapped: true }),
        (None, Some(convex), Shape::Mesh(mesh), _) => Some(Route::MeshConvex { mesh, convex, swapped: false }),
        // A half-space knows no nearer way for meshes than their hulls.
        (Some(hull), None, field, Shape::HalfSpace(plane)) if needs_cells(field) => {
            Some(Route::HalfSpace { plane, other: Bounded::Convex(hull), swapped: true })
        }
        (None, Some(hull), Shape::HalfSpace(plane), field) if needs_cells(field) => {
            Some(Route::HalfSpace { plane, other: Bounded::Convex(hull), swapped: false })
        }
        _ => None,
    }
}

/// Whether the two are searched down both sides to pairs of triangles.
pub(crate) fn walks_two_meshes(a: &Shape, b: &Shape, method: Method) -> bool {
    matches!(route(a, b, method), Route::MeshMesh(..))
}

/// A half-space goes first, then a surface of patches.
fn patches<'s>(a: &'s Shape, b: &'s Shape) -> Option<Route<'s>> {
    let swapped = PatchSide::rank(b) < PatchSide::rank(a);
    let (first, second) = if swapped { (b, a) } else { (a, b) };
    Some(Route::Patches { a: PatchSide::of(first)?, b: PatchSide::of(second)?, swapped })
}

/// Whether only a search over cells knows the shape: a field, one of the user's own too, that is neither convex nor met part by part.
pub(crate) fn needs_cells(shape: &Shape) -> bool {
    matches!(shape, Shape::Field(_) | Shape::Custom(_))
        && shape.as_convex().is_none()
        && shape.as_compound().is_none()
        && shape.as_field().is_some()
}

/// Two sides of which one is a field that is not convex: a mesh is divided if there is one, else the side that tells little of large
/// places, else the smaller one.
pub(crate) fn fields<'s>(a: &'s Shape, b: &'s Shape) -> Option<Route<'s>> {
    match (a, b) {
        (Shape::Mesh(mesh), other) => {
            return Some(Route::Field { divided: Divided::Mesh(mesh), other: other.as_field()?, swapped: false });
        }
        (other, Shape::Mesh(mesh)) => {
            return Some(Route::Field { divided: Divided::Mesh(mesh), other: other.as_field()?, swapped: true });
        }
        (Shape::Patches(surface), other) => {
            return Some(Route::Field { divided: Divided::Patches(surface), other: other.as_field()?, swapped: false });
        }
        (other, Shape::Patches(surface)) => {
            return Some(Route::Field { divided: Divided::Patches(surface), other: other.as_field()?, swapped: true });
        }
        _ => {}
    }
    two_fields(a.as_field()?, b.as_field()?)
}

/// [`fields`] where no feature of a mesh is asked for: a small one that is convex and larger than the other solid is the polyhedron that it
/// is. Beside what lies along a face of it no number of the face's parts is as quick as its plane.
pub(crate) fn fields_and_polyhedra<'s>(a: &'s Shape, b: &'s Shape) -> Option<Route<'s>> {
    let size = |shape: &Shape| shape.as_solid().bounding_sphere().radius;
    let polyhedron = |shape: &'s Shape, other: &Shape| match shape {
        Shape::Mesh(mesh) if needs_cells(other) && size(shape) > size(other) => {
            mesh.as_polyhedron(0.0).filter(|p| p.holds_all()).map(|p| p.polyhedron() as &dyn Field)
        }
        _ => None,
    };
    match (polyhedron(a, b), polyhedron(b, a)) {
        (Some(polyhedron), None) => two_fields(polyhedron, b.as_field()?),
        (None, Some(polyhedron)) => two_fields(a.as_field()?, polyhedron),
        _ => fields(a, b),
    }
}

/// The side that tells little of large places is divided, else the smaller one.
fn two_fields<'s>(field_a: &'s dyn Field, field_b: &'s dyn Field) -> Option<Route<'s>> {
    let (size_a, size_b) = (field_a.bounding_sphere().radius, field_b.bounding_sphere().radius);
    let (sees_a, sees_b) = (field_a.sees_far(), field_b.sees_far());
    let swapped = if sees_a == sees_b { size_b < size_a } else { sees_a };
    let (divided, other) = if swapped { (field_b, field_a) } else { (field_a, field_b) };
    let is_bounded = divided.bounding_sphere().radius.is_finite();
    is_bounded.then_some(Route::Field { divided: Divided::Field(divided), other, swapped })
}

/// [`fields`] where points are asked for: a convex solid knows its nearest point to any place, however far away, and is not divided if the
/// other side can be.
pub(crate) fn fields_to_measure<'s>(a: &'s Shape, b: &'s Shape) -> Option<Route<'s>> {
    let route = fields(a, b)?;
    let Route::Field { divided: Divided::Field(_), swapped, .. } = route else { return Some(route) };
    let (divided, other) = if swapped { (b, a) } else { (a, b) };
    let knows_all = |shape: &Shape| shape.as_convex().is_some() || matches!(shape, Shape::HalfSpace(_));
    if !knows_all(divided) || knows_all(other) {
        return Some(route);
    }
    let (divided, other) = (other.as_field()?, divided.as_field()?);
    let is_bounded = divided.bounding_sphere().radius.is_finite();
    Some(if is_bounded { Route::Field { divided: Divided::Field(divided), other, swapped: !swapped } } else { route })
}

fn half_space<'s>(plane: &'s HalfSpace, other: &'s Shape, swapped: bool) -> Option<Route<'s>> {
    let other = match other {
        Shape::Mesh(mesh) => Bounded::Mesh(mesh),
        other => Bounded::Convex(other.as_convex()?),
    };
    Some(Route::HalfSpace { plane, other, swapped })
}

/// The support mapping of what is convex, small closed meshes that are included.
pub(crate) fn as_convex(shape: &Shape) -> Option<&dyn SupportMap> {
    match shape {
        Shape::Mesh(mesh) => mesh.as_convex(),
        other => other.as_convex(),
    }
}
