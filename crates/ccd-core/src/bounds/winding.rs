//! On which side of a closed mesh a point is.
//!
//! **Idea.** Count, with their orientation, the triangles above the point: the winding number. A vertical line through
//! an edge or a vertex would be counted twice or not at all, so the line is moved by an infinitesimal (ε, ε²) in x and y:
//! every tie is decided by exact predicates as that line would, the same way for both triangles of an edge.
//! **Guarantee.** Exact for every point off the surface of a closed mesh, however the line from it meets the mesh.
//! **Limits.** A point exactly on the surface may count as either.
//! **Source.** Edelsbrunner and Mücke (1990) for the perturbation; Shewchuk (1997) for the predicates, through `robust`.

use std::ops::ControlFlow;

use robust::{Coord, orient2d, orient3d};

use super::tree::AabbTree;
use crate::geometry::mesh::TriMesh;
use crate::geometry::mesh::triangle::coord;
use crate::math::Point;

/// How often the closed `mesh` winds around `point`: 1 inside one outward shell, 0 outside. `tree` is that of the mesh.
pub(super) fn winding_number(mesh: &TriMesh, tree: &AabbTree, point: &Point) -> i32 {
    let mut winding = 0;
    let _ = tree.visit(
        |b| b.min.x <= point.x && point.x <= b.max.x && b.min.y <= point.y && point.y <= b.max.y && b.max.z >= point.z,
        |face| {
            winding += crossing(&mesh.triangle(face as usize), point);
            ControlFlow::Continue(())
        },
    );
    winding
}

/// 1 when the line up from `p` leaves through the triangle, -1 when it enters, 0 when it does not meet it.
fn crossing([a, b, c]: &[Point; 3], p: &Point) -> i32 {
    if a.z < p.z && b.z < p.z && c.z < p.z {
        return 0;
    }
    let turn = left_of(a, b, p);
    if left_of(b, c, p) != turn || left_of(c, a, p) != turn {
        return 0;
    }
    // Seen from above the triangle turns left (its normal points up) or right; `orient3d` is positive below its plane then.
    let side = orient3d(coord(*a), coord(*b), coord(*c), coord(*p));
    if turn { i32::from(side > 0.0) } else { -i32::from(side < 0.0) }
}

/// Whether the line through `p`, moved by (ε, ε²), passes left of the edge from `a` to `b` seen from above. Exchanging
/// the ends always gives the opposite.
fn left_of(a: &Point, b: &Point, p: &Point) -> bool {
    let flat = |q: &Point| Coord { x: q.x, y: q.y };
    let turn = orient2d(flat(a), flat(b), flat(p));
    if turn != 0.0 {
        return turn > 0.0;
    }
    // The derivative of the turn along x, then along y; an edge without either is a vertical one, which no line crosses.
    if a.y != b.y { a.y > b.y } else { b.x > a.x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_edges_and_vertices_is_counted_as_one_crossing() {
        // An octahedron: the line up from a point under its top vertex meets four triangles and four edges there.
        let v = [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1_i32]];
        let vertices: Vec<Point> = v.iter().map(|&c| Point::from(c.map(f64::from))).collect();
        let triangles: Vec<[u32; 3]> = (0..4).flat_map(|i| [[i, (i + 1) % 4, 4], [(i + 1) % 4, i, 5]]).collect();
        let mesh = TriMesh::try_new(vertices, triangles).unwrap();
        let tree = AabbTree::build(&mesh);
        for i in -8..=8 {
            for j in -8..=8 {
                for k in -8..=8 {
                    let p = Point::new(f64::from(i), f64::from(j), f64::from(k)) / 4.0;
                    let norm = p.x.abs() + p.y.abs() + p.z.abs();
                    if norm != 1.0 {
                        assert_eq!(winding_number(&mesh, &tree, &p), i32::from(norm < 1.0), "{p}");
                    }
                }
            }
        }
    }
}
