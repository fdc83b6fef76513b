//! Solids of unit cubes in one frame, whole metres apart: by their cubes it is known whether they share volume, touch or are apart.

use std::collections::BTreeSet;

use ccd_core::detection::closest::{Closest, closest, overlap};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Vector};
use ccd_core::shape::Shape;

use crate::common::random::Random;

type Cell = [i32; 3];

/// A solid of cubes, as a mesh and as a compound of boxes.
struct Solid {
    cells: BTreeSet<Cell>,
    mesh: Shape,
    compound: Shape,
}

/// The three axes of a cube's side, the one across it first: so that the other two turn anticlockwise about it.
const SIDES: [[usize; 3]; 3] = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];

impl Solid {
    /// Some of up to three cubes each way, whose sides meet at edges and corners as those of a solid do.
    fn random(random: &mut Random) -> Self {
        loop {
            let size = [0; 3].map(|_| 1 + random.below(3) as i32);
            let share = random.between(0.3, 0.9);
            let mut cells = BTreeSet::new();
            for k in 0..size[0] * size[1] * size[2] {
                if random.chance(share) {
                    cells.insert([k % size[0], k / size[0] % size[1], k / size[0] / size[1]]);
                }
            }
            if let Some(surface) = surface(&cells)
                && cells.iter().all(|cell| meets_others_in_sides(&cells, cell))
            {
                let mesh = Shape::mesh(surface).unwrap();
                assert!(matches!(&mesh, Shape::Mesh(mesh) if mesh.is_closed()), "{cells:?}");
                let cube = |&[x, y, z]: &Cell| {
                    let middle = [x, y, z].map(|k| f64::from(k) + 0.5);
                    (Pose::translation(middle[0], middle[1], middle[2]), Shape::cuboid([0.5; 3]).unwrap())
                };
                let compound = Shape::compound(cells.iter().map(cube)).unwrap();
                return Self { cells, mesh, compound };
            }
        }
    }
}

/// Whether a cube and each that has an edge or a corner in common with it hang together by sides around that.
fn meets_others_in_sides(cells: &BTreeSet<Cell>, cell: &Cell) -> bool {
    let around = (0..27).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1]);
    let moved = |from: &Cell, by: Cell| [from[0] + by[0], from[1] + by[1], from[2] + by[2]];
    around.filter(|by| by.iter().filter(|x| **x != 0).count() > 1 && cells.contains(&moved(cell, *by))).all(|by| {
        // From cube to cube within the block that the two span.
        let mut reached = BTreeSet::from([[0; 3]]);
        for _ in 0..3 {
            for from in reached.clone() {
                for k in (0..3).filter(|k| from[*k] != by[*k]) {
                    let mut next = from;
                    next[k] = by[k];
                    if cells.contains(&moved(cell, next)) {
                        reached.insert(next);
                    }
                }
            }
        }
        reached.contains(&by)
    })
}

/// `None` where there are no cubes.
fn surface(cells: &BTreeSet<Cell>) -> Option<TriMesh> {
    let (mut places, mut triangles): (Vec<Cell>, Vec<[u32; 3]>) = (Vec::new(), Vec::new());
    for cell in cells {
        for ([across, one, other], side) in SIDES.into_iter().flat_map(|axes| [(axes, 0), (axes, 1)]) {
            let mut beyond = *cell;
            beyond[across] += 2 * side - 1;
            if cells.contains(&beyond) {
                continue;
            }
            let mut corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[s, t]| {
                let mut corner = *cell;
                corner[across] += side;
                corner[one] += s;
                corner[other] += t;
                places.iter().position(|place| *place == corner).unwrap_or_else(|| {
                    places.push(corner);
                    places.len() - 1
                }) as u32
            });
            if side == 0 {
                corners.reverse();
            }
            let [a, b, c, d] = corners;
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let vertices = places.iter().map(|place| Point::from(Vector::from(place.map(f64::from)))).collect();
    TriMesh::try_new(vertices, triangles).ok()
}

/// The steps between cubes of the two that have a point in common, with B's moved by `by`.
fn steps(a: &Solid, b: &Solid, by: &Cell) -> Vec<Cell> {
    let step = |p: &Cell, q: &Cell| [0, 1, 2].map(|k| q[k] + by[k] - p[k]);
    let all = a.cells.iter().flat_map(|p| b.cells.iter().map(move |q| step(p, q)));
    all.filter(|step| step.iter().all(|x| x.abs() <= 1)).collect()
}

/// The one direction that separates cubes that touch, where it is the only one: across a side that two of them have in common.
fn direction(steps: &[Cell]) -> Option<Vector> {
    let [x, y, z] = *steps.iter().find(|step| step.iter().filter(|x| **x != 0).count() == 1)?;
    let separates = |step: &Cell| step[0] * x + step[1] * y + step[2] * z > 0;
    steps.iter().all(separates).then(|| Vector::from([x, y, z].map(f64::from)))
}

/// Calls `judge` with what is found of random solids as meshes, and of a mesh and a compound, in that order and in the other one; with the steps
/// between their cubes, and the direction of what is found in their frame.
fn ask(
    seed: u64,
    count: usize,
    are_wanted: fn(&[Cell]) -> bool,
    judge: &mut dyn FnMut(&[Cell], bool, &Closest, &Vector),
) {
    let mut random = Random(seed);
    let mut asked = 0;
    while asked < count {
        let (a, b) = (Solid::random(&mut random), Solid::random(&mut random));
        let by = [0; 3].map(|_| random.below(7) as i32 - 3);
        let steps = steps(&a, &b, &by);
        if !are_wanted(&steps) {
            continue;
        }
        let frame = match asked % 3 {
            0 => Pose::identity(),
            1 => Pose::from_parts(Vector::zeros().into(), random.rotation()),
            _ => Pose::from_parts((random.direction() * 3.0).into(), random.rotation()),
        };
        let placed = frame * Pose::from_parts(Vector::from(by.map(f64::from)).into(), Default::default());
        for (one, other) in [(&a.mesh, &b.mesh), (&a.mesh, &b.compound), (&a.compound, &b.mesh)] {
            let found = closest(one, &frame, other, &placed).unwrap();
            let normal = frame.rotation.inverse_transform_vector(&found.normal);
            judge(&steps, overlap(one, &frame, other, &placed), &found, &normal);
        }
        asked += 1;
    }
}

#[test]
fn solids_that_touch_exactly_are_at_no_distance_and_pushed_along_the_direction_that_separates_them() {
    let (mut count, mut directed) = (0, 0);
    let touch = |steps: &[Cell]| !steps.is_empty() && steps.iter().all(|step| *step != [0; 3]);
    ask(0x6719d, 250, touch, &mut |steps, _, found, normal| {
        assert!(found.distance.abs() < 1e-12, "{steps:?} {found:?}");
        if let Some(direction) = direction(steps) {
            assert!((normal - direction).norm() < 1e-9, "{steps:?} {direction:?} {normal:?} {found:?}");
            directed += 1;
        }
        count += 1;
    });
    assert!(count >= 750 && directed >= 250, "{count} {directed}");
}

#[test]
fn solids_that_share_cubes_overlap_though_no_triangle_of_theirs_passes_through_another() {
    let mut count = 0;
    // Whole metres from touch, so no shorter way parts them.
    ask(0x5a4e, 24, |steps| steps.contains(&[0; 3]), &mut |steps, overlap, found, _| {
        assert!(overlap && found.distance < -1.0 + 1e-6, "{steps:?} {found:?}");
        count += 1;
    });
    assert!(count >= 72, "{count}");
}
