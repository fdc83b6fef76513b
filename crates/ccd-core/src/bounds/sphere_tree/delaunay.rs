//! The Delaunay tetrahedra of points, whose circumscribed spheres' middles are the corners of the points' Voronoi diagram.
//!
//! **Idea.** Points are added one by one (Bowyer 1981, Watson 1981): the tetrahedra whose circumscribed spheres hold the new
//! point give way to those between it and the hole's faces. With exact signs, a hole of tetrahedra that strictly hold the
//! point is seen whole from it, so that points on one sphere or in one plane, which surfaces are full of, need no care.
//! **Guarantee.** Deterministic; every tetrahedron has positive volume, and no sphere holds a point strictly inside.
//! **Limits.** The points stand in a huge tetrahedron instead of an infinite one; what is flat against the outside may lack.

use robust::{insphere, orient3d};

use crate::geometry::mesh::triangle::coord;
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Sphere};

const NONE: u32 = u32::MAX;

/// A tetrahedron; the neighbour at `k` is across the face opposite to corner `k`.
#[derive(Clone, Copy)]
struct Tetrahedron {
    corners: [u32; 4],
    neighbours: [u32; 4],
    alive: bool,
}

pub(super) struct Delaunay {
    points: Vec<Point>,
    tetrahedra: Vec<Tetrahedron>,
    latest: u32,
    /// Places of tetrahedra that are gone, for new ones.
    free: Vec<u32>,
    /// The hole of the point that is being added: its tetrahedra; its faces, as which tetrahedron's, opposite to which corner, and what
    /// is behind; and for sides of its new tetrahedra that still lack a neighbour, where that is told.
    hole: Vec<u32>,
    rim: Vec<(u32, usize, u32)>,
    seams: Seams,
}

/// A side of a new tetrahedron: the new point and two corners, by which its neighbour knows it.
#[derive(Clone, Copy)]
struct Seam {
    corners: u64,
    tetrahedron: u32,
    side: u32,
}

/// Sides without a neighbour, found by their corners: a table with free places where a search ends.
struct Seams {
    table: Vec<Seam>,
    used: Vec<u32>,
}

const NO_SEAM: Seam = Seam { corners: u64::MAX, tetrahedron: 0, side: 0 };

impl Seams {
    fn new() -> Self {
        Self { table: vec![NO_SEAM; 256], used: Vec::new() }
    }

    /// Ready for the seams of `faces` triangles.
    fn clear(&mut self, faces: usize) {
        for &place in &self.used {
            self.table[place as usize] = NO_SEAM;
        }
        self.used.clear();
        // Two triangles meet at a seam: at most three of four places are ever taken.
        while 2 * faces > self.table.len() {
            self.table.resize(2 * self.table.len(), NO_SEAM);
        }
    }

    /// The other side with these corners if there has been one; otherwise this one waits for it.
    fn meet(&mut self, seam: Seam) -> Option<Seam> {
        let mask = self.table.len() - 1;
        let mut place = (seam.corners.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & mask;
        loop {
            let found = self.table[place];
            if found.corners == seam.corners {
                return Some(found);
            }
            if found.corners == u64::MAX {
                self.table[place] = seam;
                self.used.push(place as u32);
                return None;
            }
            place = (place + 1) & mask;
        }
    }
}

impl Delaunay {
    /// The tetrahedra of `points`, of which equal ones count once. About O(n log n) for points in an order in which
    /// neighbours follow each other.
    pub(super) fn of(points: &[Point]) -> Self {
        let aabb = Aabb::from_points(points);
        let (centre, size) = (aabb.centre(), aabb.half_extents().norm());
        // Of one place only there is no size, and products of the smallest numbers would vanish.
        let reach = 1e3 * if size > 0.0 { size } else { 1.0 + centre.coords.norm() };
        let around = [(1.0, 1.0, 1.0), (-1.0, 1.0, -1.0), (1.0, -1.0, -1.0), (-1.0, -1.0, 1.0)];
        let mut all: Vec<Point> = around.iter().map(|&(x, y, z)| centre + Vector::new(x, y, z) * reach).collect();
        if orient3d(coord(all[0]), coord(all[1]), coord(all[2]), coord(all[3])) < 0.0 {
            all.swap(0, 1);
        }
        all.reserve(points.len());
        let first = Tetrahedron { corners: [0, 1, 2, 3], neighbours: [NONE; 4], alive: true };
        let mut built = Self {
            points: all,
            tetrahedra: vec![first],
            latest: 0,
            free: Vec::new(),
            hole: Vec::new(),
            rim: Vec::new(),
            seams: Seams::new(),
        };
        for p in points {
            built.add(*p);
        }
        built
    }

    /// The circumscribed spheres of all tetrahedra of given points: empty of points, around the Voronoi diagram's vertices.
    pub(super) fn empty_spheres(&self) -> Vec<Sphere> {
        self.tetrahedra
            .iter()
            .filter(|t| t.alive && t.corners.iter().all(|&v| v >= 4))
            .filter_map(|t| {
                let centre = self.circumcentre(t)?;
                Some(Sphere { centre, radius: (centre - self.points[t.corners[0] as usize]).norm() })
            })
            .collect()
    }

    fn circumcentre(&self, t: &Tetrahedron) -> Option<Point> {
        let [o, a, b, c] = t.corners.map(|v| self.points[v as usize]);
        let [a, b, c] = [a - o, b - o, c - o];
        let weighted = b.cross(&c) * a.norm_squared() + c.cross(&a) * b.norm_squared() + a.cross(&b) * c.norm_squared();
        let centre = o + weighted / (2.0 * a.dot(&b.cross(&c)));
        centre.coords.iter().all(|c| c.is_finite()).then_some(centre)
    }

    fn orientation(&self, corners: &[u32; 4], k: usize, p: &Point) -> Real {
        let mut places = corners.map(|v| coord(self.points[v as usize]));
        places[k] = coord(*p);
        orient3d(places[0], places[1], places[2], places[3])
    }

    /// The tetrahedron that holds `p`; `None` when it is outside of everything.
    fn locate(&self, p: &Point) -> Option<u32> {
        let mut at = self.latest;
        // In a Delaunay tessellation a walk towards a point visits nothing twice.
        for _ in 0..=self.tetrahedra.len() {
            let t = &self.tetrahedra[at as usize];
            match (0..4).find(|&k| self.orientation(&t.corners, k, p) < 0.0) {
                None => return Some(at),
                Some(k) if t.neighbours[k] == NONE => return None,
                Some(k) => at = t.neighbours[k],
            }
        }
        None
    }

    fn holds(&self, tetrahedron: u32, p: &Point) -> bool {
        let [a, b, c, d] = self.tetrahedra[tetrahedron as usize].corners.map(|v| coord(self.points[v as usize]));
        insphere(a, b, c, d, coord(*p)) > 0.0
    }

    fn add(&mut self, p: Point) {
        let Some(start) = self.locate(&p) else { return };
        if self.tetrahedra[start as usize].corners.iter().any(|&v| self.points[v as usize] == p) {
            return;
        }
        let new = self.points.len() as u32;
        self.points.push(p);
        let (mut hole, mut rim) = (std::mem::take(&mut self.hole), std::mem::take(&mut self.rim));
        hole.clear();
        rim.clear();
        hole.push(start);
        self.tetrahedra[start as usize].alive = false;
        let mut next = 0;
        while next < hole.len() {
            let inside = hole[next];
            next += 1;
            for k in 0..4 {
                let neighbour = self.tetrahedra[inside as usize].neighbours[k];
                if neighbour == NONE {
                    rim.push((inside, k, NONE));
                } else if self.tetrahedra[neighbour as usize].alive {
                    if self.holds(neighbour, &p) {
                        self.tetrahedra[neighbour as usize].alive = false;
                        hole.push(neighbour);
                    } else {
                        rim.push((inside, k, neighbour));
                    }
                }
            }
        }
        self.seams.clear(rim.len());
        // A tetrahedron on each face of the rim. A face seen early may have lost what was behind it to the hole since.
        for &(inside, k, behind) in &rim {
            if behind != NONE && !self.tetrahedra[behind as usize].alive {
                continue;
            }
            let mut corners = self.tetrahedra[inside as usize].corners;
            corners[k] = new;
            let mut neighbours = [NONE; 4];
            neighbours[k] = behind;
            let made = self.store(Tetrahedron { corners, neighbours, alive: true });
            if behind != NONE {
                for back in &mut self.tetrahedra[behind as usize].neighbours {
                    if *back == inside {
                        *back = made;
                    }
                }
            }
            for side in (0..4).filter(|&side| side != k) {
                // The face opposite to `side` holds the new point and the two corners that are neither.
                let mut ends = (0..4).filter(|&c| c != k && c != side).map(|c| corners[c]);
                let (Some(one), Some(two)) = (ends.next(), ends.next()) else { continue };
                let seam = Seam {
                    corners: u64::from(one.min(two)) << 32 | u64::from(one.max(two)),
                    tetrahedron: made,
                    side: side as u32,
                };
                if let Some(other) = self.seams.meet(seam) {
                    self.tetrahedra[made as usize].neighbours[side] = other.tetrahedron;
                    self.tetrahedra[other.tetrahedron as usize].neighbours[other.side as usize] = made;
                }
            }
            self.latest = made;
        }
        self.free.extend(&hole);
        (self.hole, self.rim) = (hole, rim);
    }

    fn store(&mut self, tetrahedron: Tetrahedron) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.tetrahedra[place as usize] = tetrahedron;
                place
            }
            None => {
                self.tetrahedra.push(tetrahedron);
                (self.tetrahedra.len() - 1) as u32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assert_delaunay(points: &[Point]) {
        let built = Delaunay::of(points);
        let alive: Vec<&Tetrahedron> = built.tetrahedra.iter().filter(|t| t.alive).collect();
        for t in &alive {
            let [a, b, c, d] = t.corners.map(|v| coord(built.points[v as usize]));
            assert!(orient3d(a, b, c, d) > 0.0, "positive volume");
            for p in points {
                assert!(insphere(a, b, c, d, coord(*p)) <= 0.0, "{p} is inside a sphere");
            }
            for (k, &neighbour) in t.neighbours.iter().enumerate() {
                if neighbour != NONE {
                    let other = &built.tetrahedra[neighbour as usize];
                    assert!(other.alive);
                    let shared = t.corners.iter().enumerate().filter(|(c, _)| *c != k);
                    assert!(shared.into_iter().all(|(_, v)| other.corners.contains(v)), "neighbours share a face");
                }
            }
        }
        // The tetrahedra fill the outer one.
        let volume = |t: &Tetrahedron| {
            let [a, b, c, d] = t.corners.map(|v| built.points[v as usize]);
            (b - a).cross(&(c - a)).dot(&(d - a)).abs()
        };
        let all = volume(&Tetrahedron { corners: [0, 1, 2, 3], neighbours: [NONE; 4], alive: true });
        assert!((alive.iter().map(|t| volume(t)).sum::<Real>() / all - 1.0).abs() < 1e-9);
        let mut used: Vec<u32> = alive.iter().flat_map(|t| t.corners).collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), built.points.len(), "every point is a corner");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn spheres_are_empty_and_tetrahedra_fill_space_for_loose_and_for_lattice_points(
            loose in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 1..40),
            lattice in prop::collection::vec(prop::array::uniform3(-2..=2_i32), 1..60),
        ) {
            assert_delaunay(&loose.into_iter().map(Point::from).collect::<Vec<_>>());
            // Many on one sphere, in one plane, on one line, and equal.
            assert_delaunay(&lattice.into_iter().map(|p| Point::from(p.map(Real::from))).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_voronoi_vertex_of_four_points_is_as_far_from_each() {
        let points = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]].map(Point::from);
        let vertices = Delaunay::of(&points).empty_spheres();
        assert_eq!(vertices.len(), 1);
        assert!((vertices[0].centre - Point::new(1.0, 2.0, 3.0)).norm() < 1e-12);
        assert!((vertices[0].radius - 14.0_f64.sqrt()).abs() < 1e-12);
    }
}
