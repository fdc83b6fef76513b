//! Where a surface is bent inwards: what comes from there touches the faces around an edge or a corner before it could touch that.

use super::IndexedMesh;
use super::surface_features::{across, opposite};
use crate::math::Real;

/// What is bent by less than this sine may be so by rounding alone: far more than what a query allows a direction to lie outside a Voronoi region.
const CERTAIN: Real = 1e-4;

/// Which sides and corners of a triangle lie in a hollow of the surface, beyond all doubt: what comes from there touches the faces around them before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hollows {
    /// Bit `k`: at side `k` the surface goes on upwards.
    pub edges: u8,
    /// Bit `k`: from corner `k` it rises everywhere, or goes on level.
    pub vertices: u8,
}

/// How the surface goes on at an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bend {
    /// Inside a flat piece.
    None,
    /// To the side of the normals, beyond all doubt.
    Up,
    /// To the other.
    Down,
    /// Neither is certain, or the triangles have no common side or are not two.
    Unknown,
}

impl Bend {
    fn of(mesh: &IndexedMesh, edge: u32) -> Self {
        let &[f, g] = mesh.topology().faces_of_edge(edge as usize) else { return Self::Unknown };
        let [from, to] = mesh.topology().edges()[edge as usize];
        let runs = |face: u32| {
            let [p, q, r] = mesh.mesh().triangles()[face as usize];
            [[p, q], [q, r], [r, p]].contains(&[from, to])
        };
        let [start, end] = mesh.edge(edge);
        if runs(f) == runs(g) {
            return Self::Unknown;
        }
        let of_g = across(&start, &(end - start), &opposite(mesh, g, edge));
        let rise = mesh.face_normals()[f as usize].dot(&of_g) / of_g.norm();
        if rise > CERTAIN {
            Self::Up
        } else if rise < -CERTAIN {
            Self::Down
        } else {
            Self::Unknown
        }
    }
}

/// Of each triangle its hollows as it is seen from its normal's side, and from the other. Linear time.
pub(super) fn hollows(mesh: &IndexedMesh, edge_is_flat: &[bool]) -> Vec<[Hollows; 2]> {
    let bend = |(edge, flat): (u32, &bool)| if *flat { Bend::None } else { Bend::of(mesh, edge) };
    let bends: Vec<Bend> = (0..).zip(edge_is_flat).map(bend).collect();
    let mut seen_from = [Bend::Up, Bend::Down].map(|hollow| (hollow, vec![true; mesh.mesh().vertices().len()]));
    for (ends, bend) in mesh.topology().edges().iter().zip(&bends) {
        for (hollow, lies_in_one) in &mut seen_from {
            ends.iter().for_each(|&v| lies_in_one[v as usize] &= *bend == Bend::None || bend == hollow);
        }
    }
    let of_face = |(corners, sides): (&[u32; 3], &[u32; 3])| {
        let bits = |holds: &dyn Fn(usize) -> bool| (0..3).map(|k| u8::from(holds(k)) << k).sum::<u8>();
        [0, 1].map(|side| {
            let (hollow, lies_in_one) = &seen_from[side];
            Hollows {
                edges: bits(&|k| bends[sides[k] as usize] == *hollow),
                vertices: bits(&|k| lies_in_one[corners[k] as usize]),
            }
        })
    };
    mesh.mesh().triangles().iter().zip(mesh.topology().triangle_edges()).map(of_face).collect()
}

#[cfg(test)]
mod tests {
    use super::super::surface_features::tests::{edge_between, strip};
    use super::*;
    use crate::geometry::mesh::TriMesh;
    use crate::math::Point;

    #[test]
    fn a_fold_lies_in_a_hollow_on_the_side_to_which_it_is_bent() {
        for (rise, [above, below]) in [(0.0, [0, 0]), (1e-5, [0, 0]), (1.0, [1, 0]), (-1.0, [0, 1]), (1e9, [1, 0])] {
            let mesh = strip(rise);
            let fold = edge_between(&mesh, 2, 3);
            let mut sides = 0;
            // The first triangles look down.
            let looks_up = mesh.face_normals()[1].y > 0.0;
            for (face, edges) in mesh.topology().triangle_edges().iter().enumerate() {
                for k in (0..3).filter(|&k| edges[k] == fold) {
                    let hollow = |turned: bool| mesh.surface_features().hollows(face as u32, turned).edges >> k & 1;
                    assert_eq!([hollow(!looks_up), hollow(looks_up)], [above, below], "rise {rise}, triangle {face}");
                    sides += 1;
                }
                let hollows = [false, true].map(|turned| mesh.surface_features().hollows(face as u32, turned));
                assert!(hollows.iter().all(|hollow| hollow.vertices == 0), "every vertex is on the rim");
            }
            assert_eq!(sides, 2);
        }
    }

    #[test]
    fn a_corner_lies_in_a_hollow_if_the_surface_rises_from_it_everywhere() {
        let rim = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        for (depth, [above, below]) in [(0.5, [1, 0]), (-0.5, [0, 1])] {
            let mut vertices: Vec<Point> = rim.iter().map(|[x, z]| Point::new(*x, 0.0, *z)).collect();
            vertices.push(Point::new(0.0, -depth, 0.0));
            let triangles = (0..4).map(|k| [k, 4, (k + 1) % 4]).collect();
            let mesh = IndexedMesh::new(TriMesh::try_new(vertices, triangles).unwrap()).unwrap();
            assert!(mesh.face_normals().iter().all(|normal| normal.y > 0.0));
            for face in 0..4 {
                let hollow = |turned: bool| mesh.surface_features().hollows(face, turned).vertices;
                // Its corner in the middle is the second one.
                assert_eq!([hollow(false), hollow(true)], [above << 1, below << 1]);
            }
        }
    }
}
