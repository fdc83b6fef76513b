//! The medial-axis builder: spheres that sit inside and stick out little.
//!
//! **Idea.** The corners of the Voronoi diagram of points of the surface that are inside the solid lie near its medial axis
//! (Hubbard). Spheres around them are merged to as few as a node may have children, and each child's part of the surface is
//! treated the same, with points as dense as its size asks for (Bradshaw and O'Sullivan's adaptive sampling): a part is
//! refined until it has enough pieces, so there are always enough spheres to merge, and each piece is in one.
//! **Guarantee.** As for every tree of spheres; the same mesh gives the same tree, for any number of threads.
//! **Limits.** A closed solid. Some 0.5 s of one thread for 2,000 triangles, 1 s for 20,000 and 8 s for 200,000, against
//! milliseconds for an octree.
//! **Source.** Closson, section 2.1.2.2; Hubbard (1996); Bradshaw and O'Sullivan (2002, 2004).

use rayon::prelude::*;

use super::ball::Surface;
use super::cover::{OVERLAP, error_of, reaching};
use super::delaunay::Delaunay;
use super::reduce::{Patch, cover_by_few};
use super::{SphereTree, SphereTreeError, SphereTreeOptions};
use crate::bounds::IndexedMesh;
use crate::math::{Point, Real, Vector};
use crate::volume::Sphere;

/// Pieces for each child of a node that a part of the surface is at least cut into.
const PIECES_PER_CHILD: usize = 64;
/// The most points of the surface whose Voronoi diagram is made for the root.
const MOST_SAMPLES: usize = 1200;
/// Nodes below need less, having a small part: half on the next level, and on all further ones a quarter. They are many.
const LEAST_SHARE: usize = 4;
/// A part that sticks out by so many times as much as others of its level is divided in another way, too.
const OUTLIER: Real = 1.3;
/// So many corners of a part show its form without being refined.
const ENOUGH_CORNERS: usize = 128;
/// By how much samples are moved, as a share of a node's size: regular samples, many on one sphere or in one plane, leave most signs of
/// the Voronoi diagram to exact arithmetic, which costs more than all the rest. Middles are only starts, so it costs no precision.
const SCATTER: Real = 1e-6;
/// A node that sticks out by less than this share of the mesh's size, hardly more than all do, needs no children.
const EXACT: Real = 2.0 * OVERLAP;

impl SphereTree {
    /// The tree of spheres along the medial axis of a closed solid.
    ///
    /// # Errors
    /// [`SphereTreeError::NotSolid`] names the edge or the faces where the mesh is none; [`SphereTreeError::BadOption`].
    pub fn medial_axis(mesh: &IndexedMesh, options: SphereTreeOptions) -> Result<Self, SphereTreeError> {
        options.validate()?;
        mesh.check_solid()?;
        let Sphere { centre, radius } = Sphere::around(mesh.mesh().vertices());
        let root = Sphere { centre, radius: reaching(radius, &centre) };
        let whole = Patch { corners: mesh.mesh().vertices().to_vec(), pieces: mesh.mesh().triangles().to_vec() };
        // What is near a part, though not of it, bounds the spheres of the part, too: a coarse sample of everything.
        let mut coarse = whole.clone();
        coarse.refine(longest_side(&coarse, options.degree));
        let around = thinned(coarse.corners, MOST_SAMPLES);

        let surface = Surface::new(mesh);
        let error = error_of(mesh, &root);
        let mut levels = vec![vec![(root, error, 0)]];
        let mut parts = vec![(root, error, whole)];
        while levels.len() < options.levels {
            let above: Vec<(Sphere, Real)> = parts.iter().map(|(sphere, error, _)| (*sphere, *error)).collect();
            let samples = MOST_SAMPLES / (1 << (levels.len() - 1)).min(LEAST_SHARE);
            let attempt = |(sphere, error, part): &(Sphere, Real, Patch), how: Sampling| {
                if *error <= EXACT * root.radius {
                    Vec::new()
                } else {
                    divide(&surface, sphere, part.clone(), &around, options.degree, how)
                }
            };
            // Each part by itself, in order: the number of threads changes nothing.
            let own = Sampling { most: samples, own: true };
            let mut divided: Vec<Division> = parts.par_iter().map(|part| attempt(part, own)).collect();
            // The level is as good as its worst part: those that stick out are divided in another way, too.
            let other = Sampling { most: 2 * samples, own: false };
            let typical = median(divided.iter().map(worst));
            divided.par_iter_mut().zip(&parts).for_each(|(division, part)| {
                if worst(division) > OUTLIER * typical {
                    let again = attempt(part, other);
                    if worst(&again) < worst(division) {
                        *division = again;
                    }
                }
            });
            let mut level = Vec::new();
            parts = Vec::new();
            for (parent, children) in (0_u32..).zip(divided) {
                for (sphere, error, part) in children {
                    // The parent's sphere is around this part, too: errors never grow from level to level.
                    let own = (sphere, error);
                    let (sphere, error) = if error > above[parent as usize].1 { above[parent as usize] } else { own };
                    level.push((sphere, error, parent));
                    parts.push((sphere, error, part));
                }
            }
            levels.push(level);
        }
        Ok(Self::from_levels(&levels, options.degree))
    }
}

/// The side up to which pieces are small enough for a node with `degree` children.
fn longest_side(part: &Patch, degree: usize) -> Real {
    let least = (PIECES_PER_CHILD * degree) as Real;
    // A piece of half the size that is asked for on average: its longest side makes about a square of twice its area. Of slender ones there would be
    // the more the more slender they are: they are left as long as all of them are together, shared among as many as are asked for.
    (4.0 * part.area() / least).sqrt().max(part.length() / least)
}

/// The children of a node, with their spheres, errors and parts.
type Division = Vec<(Sphere, Real, Patch)>;

/// How far the worst of its spheres sticks out.
fn worst(division: &Division) -> Real {
    division.iter().map(|(_, error, _)| *error).fold(0.0, Real::max)
}

/// The middle one of some numbers, zero of none.
fn median(numbers: impl Iterator<Item = Real>) -> Real {
    let mut numbers: Vec<Real> = numbers.collect();
    numbers.sort_unstable_by(Real::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// Which points of a part the Voronoi diagram is made for.
#[derive(Clone, Copy)]
struct Sampling {
    /// At most so many.
    most: usize,
    /// The surface's own corners, where there are enough: pieces that a part is cut into leave irregular ones, and the diagram's corners
    /// are then off the medial axis.
    own: bool,
}

/// The children of a node.
fn divide(
    surface: &Surface,
    sphere: &Sphere,
    mut part: Patch,
    around: &[Point],
    degree: usize,
    Sampling { most, own }: Sampling,
) -> Division {
    let own = (own && part.corners.len() >= ENOUGH_CORNERS).then(|| part.corners.clone());
    part.refine(longest_side(&part, degree));
    let mut samples = thinned(own.unwrap_or_else(|| part.corners.clone()), most);
    let near = |p: &&Point| (*p - sphere.centre).norm() <= 1.5 * sphere.radius;
    samples.extend(around.iter().filter(near));
    // Neighbours after each other, so that each point is found from the one before.
    let mut samples = thinned(samples, most);
    for p in &mut samples {
        *p = scattered(p, SCATTER * sphere.radius);
    }
    let within = |s: &Sphere| (s.centre - sphere.centre).norm() <= sphere.radius;
    let middles: Vec<Sphere> = Delaunay::of(&samples).empty_spheres().into_iter().filter(within).collect();
    let centres: Vec<Point> = middles.iter().map(|s| s.centre).collect();
    // The samples were moved, so the surface is up to so much further than they are.
    let moved = 2.0 * SCATTER * sphere.radius;
    let middles: Vec<Sphere> = spread(&centres, most)
        .into_iter()
        .map(|i| Sphere { centre: middles[i].centre, radius: middles[i].radius + moved })
        .collect();
    cover_by_few(surface, &part, &middles, degree)
        .into_iter()
        .map(|group| (group.sphere, group.error, part.part(&group.pieces)))
        .collect()
}

/// Moves a point by up to `by`, in a way of its own: the same for equal points.
fn scattered(p: &Point, by: Real) -> Point {
    p + Vector::from_fn(|k, _| {
        // The bits of the coordinates mixed well (Steele, Lea and Flood, 2014), as a number in [-1, 1).
        let mut bits = (0..3).fold(k as u64, |bits, j| bits.rotate_left(21) ^ p[j].to_bits());
        for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9_u64), (27, 0x94d0_49bb_1331_11eb)] {
            bits = (bits ^ bits >> shift).wrapping_mul(factor);
        }
        by * ((bits >> 11) as Real / (1_u64 << 52) as Real - 1.0)
    })
}

/// At most `most` of the points, spread evenly; in the order of a curve that stays near itself.
fn thinned(points: Vec<Point>, most: usize) -> Vec<Point> {
    spread(&points, most).into_iter().map(|i| points[i]).collect()
}

/// The numbers of at most `most` of the points, spread evenly: the first in each cell of the finest lattice that has so few; in
/// the order of a curve through the lattice that stays near itself.
fn spread(points: &[Point], most: usize) -> Vec<usize> {
    let aabb = crate::volume::Aabb::from_points(points);
    let extent = (aabb.max - aabb.min).amax();
    let mut keyed: Vec<(u64, usize)> = points
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let cell = (p - aabb.min).map(|c| if extent > 0.0 { (c / extent * 1023.0) as u64 } else { 0 });
            (interleaved(cell.x) | interleaved(cell.y) << 1 | interleaved(cell.z) << 2, i)
        })
        .collect();
    keyed.sort_unstable();
    // Each coarser lattice drops the last bit of every coordinate.
    for coarser in 0..10 {
        let cells = keyed.chunk_by(|one, other| one.0 >> (3 * coarser) == other.0 >> (3 * coarser));
        let first: Vec<usize> = cells.map(|cell| cell[0].1).collect();
        let all = keyed.len() <= most && coarser == 0;
        if all || first.len() <= most {
            return if all { keyed.iter().map(|(_, i)| *i).collect() } else { first };
        }
    }
    keyed.first().map(|(_, i)| *i).into_iter().collect()
}

/// The lowest ten bits with two zeros between them.
fn interleaved(x: u64) -> u64 {
    let mut spread = x & 0x3ff;
    spread = (spread | spread << 16) & 0x30000ff;
    spread = (spread | spread << 8) & 0x0300f00f;
    spread = (spread | spread << 4) & 0x030c30c3;
    (spread | spread << 2) & 0x09249249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_slender_is_cut_into_no_more_pieces_however_slender_it_is() {
        let degree = SphereTreeOptions::default().degree;
        let least = PIECES_PER_CHILD * degree;
        let counts = [1e-3, 1e-4, 1e-5].map(|width| {
            let strip = [[0.0, 0.0], [1.0, 0.0], [1.0, width], [0.0, width]];
            let mut needle = Patch {
                corners: strip.iter().map(|[x, y]| Point::new(*x, *y, 0.0)).collect(),
                pieces: vec![[0, 1, 2], [0, 2, 3]],
            };
            needle.refine(longest_side(&needle, degree));
            needle.pieces.len()
        });
        assert!(counts.windows(2).all(|pair| pair[1] <= pair[0]), "{counts:?}");
        // Each halving of a slender piece's longest side leaves three like it.
        assert!(counts.iter().all(|count| (least..64 * least).contains(count)), "{counts:?}");
    }
}
