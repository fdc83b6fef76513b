//! Pairs of triangles that may soon be in contact, remembered from search to search.
//!
//! Problem: a pair of meshes that slides or swings is searched several times a step, and every search walks both trees down to the
//! same few triangles.
//!
//! Idea: one walk lists all pairs of triangles within a radius that is wider than the margin asked for. As long as no point of either
//! body has moved over the other by more than the difference, every pair within the margin is on the list (Verlet's
//! neighbour list, 1967, for rigid bodies). Each entry knows a lower bound of its gap where the list was made: those that are still too far
//! apart cost a comparison. Entries stand in the order of their triangles, in which searches want them, so that nobody sorts but who makes
//! the list. Two lists are kept, because a step looks at where a pair is and at where it will be, in turn.
//!
//! Guarantee: the triangles found are, in number and order, those that a walk at the placement asked for finds: which list they come
//! from, and how old it is, changes no bit of an answer. So the list may be shared by the copies of a cache.

mod list;
mod walk;

use std::sync::{Arc, Mutex};

use crate::bounds::IndexedMesh;
use crate::geometry::solid::Solid;
use crate::math::{Point, Pose, Real};
use crate::shape::Shape;
use crate::volume::{Aabb, Sphere};

use list::{Near, NearList, Nearby, Other, Wanted};
use walk::{list_mesh_and_box, list_meshes};

/// Within a reach of more than this share of the widest, or than triangles are wide, there are so many triangles that trees tell them
/// apart sooner.
const FOLLOWED: Real = 0.25;
/// The lists of one pair of solids, shared by the copies of its cache.
#[derive(Clone, Debug, Default)]
pub(super) struct NearMemory(Option<Arc<Mutex<NearLists>>>);

impl NearMemory {
    /// All pairs of triangles of two meshes within `reach` of each other ([`super::ContactCache::triangles_within`]).
    pub(super) fn triangles_within(
        &self,
        a: (&Shape, &Pose),
        b: (&Shape, &Pose),
        reach: impl Fn(&[Point]) -> Real,
    ) -> Option<Vec<[u32; 2]>> {
        let (Shape::Mesh(mesh_a), Shape::Mesh(mesh_b)) = (a.0, b.0) else { return None };
        let b_in_a = a.1.inv_mul(b.1);
        match self.0.as_ref()?.try_lock() {
            Ok(mut lists) => lists.all_of_meshes(mesh_a, mesh_b, &b_in_a, reach),
            Err(_) => NearLists::default().all_of_meshes(mesh_a, mesh_b, &b_in_a, reach),
        }
    }

    /// Lends the lists; what somebody else is reading is done without.
    pub(super) fn with<R>(&mut self, work: impl FnOnce(&mut NearLists) -> R) -> R {
        match self.0.get_or_insert_default().try_lock() {
            Ok(mut lists) => work(&mut lists),
            Err(_) => work(&mut NearLists::default()),
        }
    }
}

/// Two lists of one pair of solids: the one that served last stands first.
#[derive(Debug, Default)]
pub(super) struct NearLists([NearList; 2]);

impl NearLists {
    /// The pairs of triangles of two meshes within `reach` metres of each other, among others that are further apart. B's frame lies in
    /// A's at `b_in_a`.
    pub(super) fn of_meshes(
        &mut self,
        a: &Arc<IndexedMesh>,
        b: &Arc<IndexedMesh>,
        b_in_a: &Pose,
        reach: Real,
    ) -> Nearby<'_> {
        let list = |radius: Real, entries: &mut Vec<Near>| list_meshes(a, b, b_in_a, radius, entries);
        self.within(Wanted::of_meshes(a, b, b_in_a, reach), list)
    }

    /// All pairs of triangles of two meshes of which A's is within `reach` of the box along A's axes of B's, ascending; `None` if that is
    /// further than they are worth looking at one by one.
    fn all_of_meshes(
        &mut self,
        a: &Arc<IndexedMesh>,
        b: &Arc<IndexedMesh>,
        b_in_a: &Pose,
        reach: impl Fn(&[Point]) -> Real,
    ) -> Option<Vec<[u32; 2]>> {
        let most = reach(&b.aabb().corners().map(|p| b_in_a * p));
        let wanted = Wanted::of_meshes(a, b, b_in_a, most);
        if most.is_nan() || most > (FOLLOWED * wanted.widest()).min(wanted.triangle_width()) {
            return None;
        }
        let list = |radius: Real, entries: &mut Vec<Near>| list_meshes(a, b, b_in_a, radius, entries);
        let near = self.within(wanted, list);
        let rotation = b_in_a.rotation.to_rotation_matrix().into_inner();
        let mut placed: Vec<Option<Aabb>> = vec![None; near.faces_b.len()];
        let mut close = Vec::with_capacity(near.entries.len());
        for entry in near.pairs() {
            let face = near.faces_b[entry.b as usize];
            let around = placed[entry.b as usize].get_or_insert_with(|| {
                let place = |p: Point| Point::from(rotation * p.coords + b_in_a.translation.vector);
                let corners = b.triangle(face).map(place);
                Aabb::from_points(&corners).inflated(reach(&corners))
            });
            let listed = &near.faces_a[entry.a as usize];
            if around.overlaps(&listed.aabb) {
                close.push([listed.face, face]);
            }
        }
        Some(close)
    }

    /// The triangles of a mesh within `reach` metres of a solid inside the box `b` of its own frame, likewise.
    pub(super) fn of_mesh_and_box(&mut self, a: &Arc<IndexedMesh>, b: &Aabb, b_in_a: &Pose, reach: Real) -> Nearby<'_> {
        let around = Sphere { centre: b.centre(), radius: b.half_extents().norm() };
        let list = |radius: Real, entries: &mut Vec<Near>| list_mesh_and_box(a, b, b_in_a, radius, entries);
        let spheres = [a.bounding_sphere(), around];
        self.within(Wanted { mesh: a, other: Other::Within(*b), spheres, b_in_a, reach }, list)
    }

    /// A list that is wide enough, made by `list` where neither is.
    fn within(&mut self, wanted: Wanted<'_>, list: impl FnOnce(Real, &mut Vec<Near>)) -> Nearby<'_> {
        let [first, second] = self.0.each_ref().map(|list| list.needed(&wanted));
        let serves = |k: usize, needed: Option<Real>| {
            needed.filter(|needed| self.0[k].made.as_ref().is_some_and(|made| *needed <= made.radius))
        };
        let needed = match (serves(0, first), serves(1, second)) {
            (Some(needed), _) => needed,
            (None, served) => {
                // The other one serves, or gives way to a new one.
                self.0.swap(0, 1);
                match served {
                    Some(needed) => needed,
                    None => {
                        let moved = first.into_iter().chain(second).map(|n| n - wanted.reach).reduce(Real::min);
                        self.0[0].make(wanted, moved, list);
                        return self.0[0].up_to(Real::INFINITY);
                    }
                }
            }
        };
        if let Some(made) = &mut self.0[0].made {
            made.uses += 1;
        }
        self.0[0].up_to(needed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactPoint;
    use crate::contact::manifold::{ContactCache, ContactSearch, find_every_contact};
    use crate::geometry::mesh::samples;
    use crate::math::{Rotation, Vector};
    use crate::shape::Shape;
    use proptest::prelude::*;

    const MARGIN: Real = 1e-2;

    fn ring() -> Arc<IndexedMesh> {
        Arc::new(IndexedMesh::new(samples::ring(16, 8)).unwrap())
    }

    fn contacts(one: (&Shape, &Pose), other: (&Shape, &Pose), cache: &mut ContactCache) -> Vec<ContactPoint> {
        let mut found = Vec::new();
        find_every_contact(one, other, &ContactSearch::within(MARGIN).limits(), cache, &mut found);
        found
    }

    /// The promise: a list is never seen in an answer, however it came about and however fast the bodies move.
    #[test]
    fn a_search_with_a_list_finds_what_one_without_finds_to_the_last_bit() {
        let home = Pose::from_parts(Vector::new(0.3, -0.2, 0.1).into(), Rotation::from_scaled_axis(Vector::x()));
        let ring = Shape::Mesh(ring());
        // Linked, or beside the tube.
        let others = [ring.clone(), Shape::cuboid([0.4, 3.0, 3.0]).unwrap(), Shape::capsule(0.4, 0.3).unwrap()];
        for (case, (other, speed)) in (0..24).zip(others.iter().cycle().zip([1e-4, 1e-3, 1e-2, 0.1].iter().cycle())) {
            let way = |k: u32| (Real::from(case * 7 + k) * 12.9898).sin();
            let mut cache = ContactCache::default();
            let (mut found, mut at) = (0, Vector::new(1.604 + 3e-3 * way(0), 0.0, 0.0));
            let mut turn = Rotation::from_scaled_axis(Vector::x() * std::f64::consts::FRAC_PI_2);
            for step in 0..25 {
                // Now and then back, as when a step is tried and taken back.
                let by = if step % 5 == 4 { -3.0 * speed } else { *speed };
                at += Vector::new(way(1), way(2), way(3)) * by;
                turn = Rotation::from_scaled_axis(Vector::new(way(4), way(5), way(6)) * by) * turn;
                let pose = home * Pose::from_parts(at.into(), turn);
                // A copy looks elsewhere and shares what it finds there.
                let elsewhere = home * Pose::from_parts((at * 1.01).into(), turn);
                contacts((&ring, &home), (other, &elsewhere), &mut cache.clone());
                let listed = contacts((&ring, &home), (other, &pose), &mut cache);
                let fresh = contacts((&ring, &home), (other, &pose), &mut ContactCache::default());
                assert_eq!(listed, fresh, "case {case}, step {step}");
                found += listed.len();
            }
            assert!(found > 0 || *speed > 1e-3, "case {case}");
        }
    }

    proptest! {
        /// No pair of triangles within reach is missing from a list: a list of all pairs gives no more contacts.
        #[test]
        fn a_list_lacks_no_contact(at in prop::array::uniform3(-1.3..1.3_f64), turn in prop::array::uniform3(-3.0..3.0_f64)) {
            let ring = ring();
            let pose = Pose::from_parts(Vector::from(at).into(), Rotation::from_scaled_axis(turn.into()));
            let shape = Shape::Mesh(Arc::clone(&ring));
            let found = contacts((&shape, &Pose::identity()), (&shape, &pose), &mut ContactCache::default());
            let mut everything = NearLists::default();
            let count = everything.of_meshes(&ring, &ring, &pose, 100.0).pairs().count();
            prop_assert_eq!(count, ring.mesh().triangles().len().pow(2));
            everything.0[0].entries.iter_mut().for_each(|near| near.gap = f32::NEG_INFINITY);
            let mut cache = ContactCache::default();
            cache.near = NearMemory(Some(Arc::new(Mutex::new(everything))));
            prop_assert_eq!(contacts((&shape, &Pose::identity()), (&shape, &pose), &mut cache), found);
        }
    }

    #[test]
    fn a_pair_that_slides_is_listed_seldom() {
        let ring = ring();
        let mut lists = NearLists::default();
        let mut made = 0;
        for step in 0..100 {
            // Where it is, and where it will be.
            for ahead in [0.0, 0.3] {
                let pose = Pose::translation(1.0 + ahead + 1e-3 * Real::from(step), 0.0, 0.0);
                assert!(lists.of_meshes(&ring, &ring, &pose, MARGIN).pairs().next().is_some());
                made += u32::from(lists.0[0].made.as_ref().is_some_and(|m| m.uses == 0));
            }
        }
        assert!((4..=40).contains(&made), "{made}");
    }
}
