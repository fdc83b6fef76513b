//! Surfaces of patches for the suites.

use ccd_core::geometry::parametric::{BezierPatch, PatchSurface};
use ccd_core::math::{Point, Real, Vector};

/// A box of six patches whose faces bulge outwards by about `bulge` of the half extents: its edges stay straight and shared to the
/// last bit.
pub fn pillow(half: [Real; 3], bulge: Real) -> PatchSurface {
    let at = |k: usize, n: usize| half[k] * (2.0 * n as Real / 3.0 - 1.0);
    let mut patches = Vec::new();
    for axis in 0..3 {
        for top in [false, true] {
            let (mut u, mut v) = ((axis + 1) % 3, (axis + 2) % 3);
            if !top {
                std::mem::swap(&mut u, &mut v);
            }
            let control = std::array::from_fn(|k| {
                let (i, j) = (k / 4, k % 4);
                let mut point = Point::origin();
                point[axis] = at(axis, if top { 3 } else { 0 });
                point[u] = at(u, i);
                point[v] = at(v, j);
                if (1..3).contains(&i) && (1..3).contains(&j) {
                    point[axis] *= 1.0 + bulge;
                }
                point
            });
            patches.push(BezierPatch::new(control));
        }
    }
    PatchSurface::new(patches).expect("a surface")
}

/// z = a x² + b y² over [-1, 1]², exactly.
pub fn bowl(a: Real, b: Real) -> PatchSurface {
    let square = [1.0, -1.0 / 3.0, -1.0 / 3.0, 1.0];
    let along = |n: usize| n as Real * 2.0 / 3.0 - 1.0;
    let control = std::array::from_fn(|k| {
        let (i, j) = (k / 4, k % 4);
        Point::new(along(i), along(j), a * square[i] + b * square[j])
    });
    PatchSurface::new(vec![BezierPatch::new(control)]).expect("a surface")
}

/// A surface with its control points moved by `away`, as far as they are numbers there, and that one moved back, exactly, where these are
/// smaller.
pub fn moved_and_back(surface: &PatchSurface, away: &Vector) -> [PatchSurface; 2] {
    let by = |surface: &PatchSurface, way: Vector| {
        PatchSurface::new(surface.patches().iter().map(|p| p.mapped(|q| q + way)).collect()).expect("a surface")
    };
    let moved = by(surface, *away);
    let back = by(&moved, -away);
    [moved, back]
}

/// The point of a patch by its own sum, for oracles that share no code with the library.
pub fn point_of(patch: &BezierPatch, u: Real, v: Real) -> Point {
    let cubic = |t: Real| [(1.0 - t).powi(3), 3.0 * t * (1.0 - t).powi(2), 3.0 * t * t * (1.0 - t), t.powi(3)];
    let (along_u, along_v) = (cubic(u), cubic(v));
    let sum: Vector = (0..16).map(|k| patch.control()[k].coords * (along_u[k / 4] * along_v[k % 4])).sum();
    sum.into()
}

/// Triangles over n × n squares of every patch, and how far the surface may be from them: a bound by the largest second differences.
pub fn triangles_of(surface: &PatchSurface, n: usize) -> (Vec<[Point; 3]>, Real) {
    let mut triangles = Vec::new();
    let mut error: Real = 0.0;
    for patch in surface.patches() {
        let at = |i: usize, j: usize| point_of(patch, i as Real / n as Real, j as Real / n as Real);
        for i in 0..n {
            for j in 0..n {
                let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        let p = |i: usize, j: usize| patch.control()[4 * i + j].coords;
        for i in 0..4 {
            for j in 0..4 {
                let uu = if i < 2 { (p(i + 2, j) - p(i + 1, j) * 2.0 + p(i, j)).norm() } else { 0.0 };
                let vv = if j < 2 { (p(i, j + 2) - p(i, j + 1) * 2.0 + p(i, j)).norm() } else { 0.0 };
                let uv =
                    if i < 3 && j < 3 { (p(i + 1, j + 1) - p(i + 1, j) - p(i, j + 1) + p(i, j)).norm() } else { 0.0 };
                // 6, 6 and 9 times these bound the second derivatives; all three count at once.
                error = error.max(6.0 * uu).max(6.0 * vv).max(9.0 * uv);
            }
        }
    }
    (triangles, 4.0 * error / (8.0 * (n * n) as Real))
}

/// A closed pot around y with a foot of one metre: of four cubics turned through four quarters, with an edge at its foot, a neck that is hollow,
/// and a tip; the middle of the foot and the tip are sides that are points.
pub fn pot() -> PatchSurface {
    const QUARTER: Real = 0.552_284_749_830_793_4;
    const OUTLINE: [[[Real; 2]; 4]; 4] = [
        [[0.0, 0.0], [0.333, 0.0], [0.667, 0.0], [1.0, 0.0]],
        [[1.0, 0.0], [1.8, 0.05], [1.9, 1.2], [1.1, 1.7]],
        [[1.1, 1.7], [0.9, 1.82], [0.5, 1.85], [0.25, 2.0]],
        [[0.25, 2.0], [0.05, 2.1], [0.4, 2.4], [0.0, 2.4]],
    ];
    let quarter = [[1.0, 0.0], [1.0, QUARTER], [QUARTER, 1.0], [0.0, 1.0]];
    let patch = |cubic: [[Real; 2]; 4], turns: usize| {
        // A quarter turn exchanges coordinates exactly, so that neighbours share their sides to the last bit.
        let turned = |[x, z]: [Real; 2]| (0..turns).fold([x, z], |[x, z], _| [-z, x]);
        BezierPatch::new(std::array::from_fn(|k| {
            let ([radius, height], [x, z]) = (cubic[k / 4], turned(quarter[k % 4]));
            Point::new(radius * x, height, radius * z)
        }))
    };
    let patches = OUTLINE.into_iter().flat_map(|cubic| (0..4).map(move |turns| patch(cubic, turns)));
    let pot = PatchSurface::new(patches.collect()).expect("a surface");
    pot.require_solid().expect("a solid");
    pot
}
