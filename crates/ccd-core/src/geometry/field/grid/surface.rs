//! The surface of a grid: where what is interpolated is zero, in triangles.

use std::collections::HashMap;

use super::cell::{Corners, TETRAHEDRA};
use super::{BLOCK, Block, SignedDistanceGrid};
use crate::geometry::mesh::{MeshError, TriMesh};
use crate::math::{Point, Real, Vector};

impl SignedDistanceGrid {
    /// The surface of the grid's solid, exactly but for rounding: closed, and outward.
    ///
    /// # Errors
    /// [`MeshError`] for a solid without points, and for one of more triangles than a mesh may have.
    ///
    /// # Cost
    /// Linear in the cells of the blocks near the surface; up to twelve triangles for each that the surface passes through.
    pub fn surface(&self) -> Result<TriMesh, MeshError> {
        let mut made = Surface { grid: self, vertices: Vec::new(), known: HashMap::new(), triangles: Vec::new() };
        for (number, block) in self.values.iter().enumerate() {
            if matches!(block, Block::Far(_)) {
                continue;
            }
            let [wide, deep, _] = self.blocks;
            let first = [number % wide, number / wide % deep, number / (wide * deep)].map(|b| b * BLOCK);
            for i in 0..BLOCK.pow(3) {
                let within = [i % BLOCK, i / BLOCK % BLOCK, i / (BLOCK * BLOCK)];
                made.add_cell(std::array::from_fn(|k| first[k] + within[k]));
            }
        }
        TriMesh::try_new(made.vertices, made.triangles)
    }
}

/// A surface in the making.
struct Surface<'g> {
    grid: &'g SignedDistanceGrid,
    vertices: Vec<Point>,
    /// The vertices between two nodes, of which the lower is the first.
    known: HashMap<[[usize; 3]; 2], u32>,
    triangles: Vec<[u32; 3]>,
}

impl Surface<'_> {
    fn add_cell(&mut self, cell: [usize; 3]) {
        let Some(corners) = self.grid.corners(cell).ok().filter(Corners::holds_surface) else { return };
        for tetrahedron in TETRAHEDRA {
            self.add_tetrahedron(cell, &corners, tetrahedron);
        }
    }

    fn add_tetrahedron(&mut self, cell: [usize; 3], corners: &Corners, tetrahedron: [usize; 4]) {
        // Those inside first, in an order that is right-handed again.
        let mut order = tetrahedron;
        let mut swaps = 0;
        let is_inside = |corner: usize| corners.0[corner] <= 0.0;
        for end in (1..4).rev() {
            for k in 0..end {
                if !is_inside(order[k]) && is_inside(order[k + 1]) {
                    order.swap(k, k + 1);
                    swaps += 1;
                }
            }
        }
        let inside = order.iter().filter(|corner| is_inside(**corner)).count();
        if swaps % 2 == 1 {
            // Two that are on one side.
            let pair = if inside >= 2 { 0 } else { 2 };
            order.swap(pair, pair + 1);
        }
        let mut between = |i: usize, j: usize| self.vertex_between(cell, corners, [order[i], order[j]]);
        match inside {
            1 => {
                let corners = [between(0, 1), between(0, 2), between(0, 3)];
                self.triangles.push(corners);
            }
            2 => {
                let [p, q, r, s] = [between(0, 2), between(0, 3), between(1, 3), between(1, 2)];
                self.triangles.extend([[p, q, r], [p, r, s]]);
            }
            3 => {
                let corners = [between(3, 0), between(3, 1), between(3, 2)];
                self.triangles.push(corners);
            }
            _ => {}
        }
    }

    /// Where what is interpolated between two corners of a cell is zero.
    fn vertex_between(&mut self, cell: [usize; 3], corners: &Corners, ends: [usize; 2]) -> u32 {
        // The lower one has fewer axes to its far end: cells that share the two agree on them.
        let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let [from, to] = [low, high].map(|corner| std::array::from_fn(|k| cell[k] + (corner >> k & 1)));
        *self.known.entry([from, to]).or_insert_with(|| {
            let (before, after) = (corners.0[low], corners.0[high]);
            let place = |node: [usize; 3]| Vector::from(node.map(|k| k as Real));
            let zero = place(from) + (place(to) - place(from)) * (before / (before - after));
            self.vertices.push(self.grid.origin + zero * self.grid.cell);
            (self.vertices.len() - 1) as u32
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says why")]
mod tests {
    use super::*;
    use crate::geometry::field::{Csg, CsgPart, Field, Implicit, Operation, Superquadric, Torus, nearest_surface};
    use crate::geometry::mesh::{SurfaceKind, Topology};
    use crate::geometry::primitive::{Ball, Cone, Cuboid};
    use crate::math::Pose;
    use std::sync::Arc;

    fn superquadric(radii: [Real; 3], exponents: [Real; 2]) -> Box<dyn Field> {
        Box::new(Implicit::new(Superquadric::try_new(radii, exponents).unwrap()).unwrap())
    }

    /// A ball, a torus, a box whose sides are whole cells, and a box with a hollow inside; and what is thin or has cusps, so that bounds of the
    /// distance are far below it: a flat ellipsoid, a hollow superquadric, a flat cone, and a crescent that a ball leaves of another.
    fn solids() -> [Box<dyn Field>; 8] {
        let cuboid = |half: Real| Cuboid::try_new([half, 0.5 * half, half]).unwrap();
        let part = |half: Real| CsgPart::new(Arc::new(cuboid(half)), Pose::identity());
        let hollow = Csg::new(Operation::Difference, vec![part(0.5), part(0.3)]).unwrap();
        let ball = |x: Real| CsgPart::new(Arc::new(Ball::try_new(0.6).unwrap()), Pose::translation(x, 0.0, 0.0));
        let crescent = Csg::new(Operation::Difference, vec![ball(0.0), ball(0.15)]).unwrap();
        let torus = Implicit::new(Torus::try_new(0.4, 0.15).unwrap()).unwrap();
        [
            Box::new(Ball::try_new(0.4).unwrap()),
            Box::new(torus),
            Box::new(cuboid(0.5)),
            Box::new(hollow),
            superquadric([0.6, 0.012, 0.6], [1.0, 1.0]),
            superquadric([0.6; 3], [3.0, 3.0]),
            Box::new(Cone::try_new(0.6, 0.001).unwrap()),
            Box::new(crescent),
        ]
    }

    #[test]
    fn the_grid_holds_its_solid_and_reaches_no_further_beyond_than_its_error() {
        for solid in solids() {
            let cell = 0.07;
            let grid = SignedDistanceGrid::new(solid.as_ref(), cell).unwrap();
            assert!(grid.error() < 2.5 * cell, "{}: {} cells", solid.kind(), grid.error() / cell);
            for corner in grid.surface().unwrap().vertices() {
                let nearest = nearest_surface(solid.as_ref(), corner, 1e-9).unwrap();
                let away = (nearest.point - corner).norm();
                assert!(solid.contains(corner) || away <= grid.error(), "{}: {corner} is {away} away", solid.kind());
            }
            for place in solid.features(0.05).vertices {
                assert!(grid.contains(&place), "{}: {place}", solid.kind());
            }
        }
    }

    #[test]
    fn the_surface_bounds_a_solid_and_is_where_the_values_are_zero() {
        for solid in solids() {
            let grid = SignedDistanceGrid::new(solid.as_ref(), 0.1).unwrap();
            let mesh = grid.surface().unwrap();
            assert_eq!(Topology::of(&mesh).surface_kind(&mesh), SurfaceKind::Solid, "{}", solid.kind());
            for corners in mesh.triangles() {
                let [p, q, r] = corners.map(|v| mesh.vertices()[v as usize]);
                let middle = nalgebra::center(&nalgebra::center(&p, &q), &r);
                let across = (q - p).cross(&(r - p)).normalize() * 1e-9;
                assert!(grid.contains(&(middle - across)) && !grid.contains(&(middle + across)), "{middle}");
                assert!([p, q, r].iter().all(|corner| grid.distance(corner).abs() < 1e-12));
            }
        }
    }
}
