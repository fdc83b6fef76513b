//! A convex polyhedron as facets of planes, cut in two by another plane.

use std::cmp::Ordering::{Equal, Greater, Less};

use super::arena::Planes;
use super::facet::{Facet, Parts};
use crate::math::{Point, Real, Vector};

/// A bounded convex polyhedron with a volume, its facets seen from outside.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    facets: Vec<Facet>,
}

impl Cell {
    /// The cube |x|, |y|, |z| ≤ `half` around `centre`. `None` if its numbers are not finite or not positive.
    pub fn cube(centre: &Point, half: Real, planes: &mut Planes) -> Option<Self> {
        (half > 0.0).then_some(())?;
        let mut walls = [[0_u32; 2]; 3];
        for k in 0..3 {
            for (i, sign) in [-1.0, 1.0].into_iter().enumerate() {
                let mut normal = Vector::zeros();
                normal[k] = sign;
                walls[k][i] = planes.add(&normal, sign * centre[k] + half)?;
            }
        }
        let mut facets = Vec::with_capacity(6);
        for k in 0..3 {
            let (u, v) = ((k + 1) % 3, (k + 2) % 3);
            for i in 0..2 {
                let plane = walls[k][i];
                let mut around = [walls[u][0], walls[v][0], walls[u][1], walls[v][1]];
                if i == 0 {
                    around.reverse();
                }
                let mut rim = Vec::with_capacity(4);
                for n in 0..4 {
                    rim.push((planes.crossing([plane, around[(n + 3) % 4], around[n]])?, around[n]));
                }
                facets.push(Facet { plane, source: u32::MAX, rim });
            }
        }
        Some(Self { facets })
    }

    /// Whether a plane leaves something of the cell on both sides.
    pub fn is_divided_by(&self, plane: u32, planes: &Planes) -> bool {
        let mut found = [false; 2];
        for (corner, _) in self.facets.iter().flat_map(|f| &f.rim) {
            match planes.side(*corner, plane) {
                Less => found[0] = true,
                Greater => found[1] = true,
                Equal => {}
            }
            if found == [true; 2] {
                return true;
            }
        }
        false
    }

    /// The part below a plane, and the part above it.
    pub fn cut(self, plane: u32, planes: &mut Planes) -> (Option<Self>, Option<Self>) {
        let sides = self.facets.iter().flat_map(|f| &f.rim).map(|(v, _)| planes.side(*v, plane));
        let (below, above) = sides.fold((false, false), |(b, a), side| (b || side == Less, a || side == Greater));
        match (below, above) {
            (_, false) => return (Some(self), None),
            (false, true) => return (None, Some(self)),
            (true, true) => {}
        }
        let mut halves = [Vec::new(), Vec::new()];
        for facet in self.facets {
            match facet.cut(plane, planes) {
                Some(Parts::Below(facet)) => halves[0].push(facet),
                Some(Parts::Above(facet)) => halves[1].push(facet),
                Some(Parts::Both(below, above)) => {
                    halves[0].push(below);
                    halves[1].push(above);
                }
                Some(Parts::On) | None => {}
            }
        }
        let [below, above] = halves.map(|facets| Self { facets }.closed_by(plane, planes));
        (Some(below), Some(above))
    }

    /// With the facet in `plane` that a cut has opened.
    fn closed_by(mut self, plane: u32, planes: &Planes) -> Self {
        // Its sides are those of the other facets in the plane, the other way round.
        let mut sides: Vec<(u32, u32, u32)> = Vec::new();
        for facet in &mut self.facets {
            let n = facet.rim.len();
            for i in 0..n {
                let (from, to) = (facet.rim[i].0, facet.rim[(i + 1) % n].0);
                if planes.side(from, plane) == Equal && planes.side(to, plane) == Equal {
                    facet.rim[i].1 = plane;
                    sides.push((to, from, facet.plane));
                }
            }
        }
        let mut rim = Vec::with_capacity(sides.len());
        let mut next = sides.pop();
        while let Some((from, to, side)) = next {
            rim.push((from, side));
            let follows = sides.iter().position(|s| planes.same_place(s.0, to));
            next = follows.map(|i| sides.swap_remove(i));
        }
        self.facets.push(Facet { plane, source: u32::MAX, rim });
        self
    }

    /// The planes of the facets.
    pub fn walls(&self) -> impl Iterator<Item = u32> + '_ {
        self.facets.iter().map(|f| f.plane)
    }

    /// The places of the vertices, each once unless two are one to within rounding.
    pub fn places(&self, planes: &Planes) -> Vec<Point> {
        let mut vertices: Vec<u32> = self.facets.iter().flat_map(|f| &f.rim).map(|(v, _)| *v).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let mut places: Vec<Point> = vertices.into_iter().map(|v| *planes.place(v)).collect();
        places.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z)));
        places.dedup();
        places
    }
}
