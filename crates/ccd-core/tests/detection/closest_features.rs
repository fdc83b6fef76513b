//! V-Clip's promises, judged in integers: every answer's features satisfy Theorem 1, nothing else is nearer, the distance is
//! within 1e-12 of itself, an overlap is one, and no walk goes in a circle.
//!
//! Degenerate placements on purpose: features just switching, parallel edges and faces, coincident vertices, touching, gaps
//! of rounding size, deep overlaps. `CCD_SCALE` multiplies the count: the 100,000 and 10,000,000 of `docs/closest-features.md`
//! are `CCD_SCALE=100` and `CCD_SCALE=10000`; `CCD_START` is the first seed, so that a run can be split. A failure prints its
//! seed; `CCD_SEED=0x…` replays it alone.

use std::collections::BTreeMap;

use ccd_core::detection::closest::gjk::RelativePose;
use ccd_core::detection::closest::vclip::{
    ClosestFeatures, FeatureMemory, WalkStep, WalkTrace, closest_features_traced,
};
use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use ccd_core::math::{Matrix, Point, Rotation, Vector};

use crate::common::exact::Exactly;
use crate::common::random::Random;

/// A walk longer than this on the polyhedra below has gone in a circle: they have fewer pairs of neighbours to pass.
const LONGEST_WALK: usize = 400;

/// Placements that a long run has found a fault in: an edge that only just crosses the plane at another's end; and a thin plate that stands
/// on a face between its sides, seen from edges inside two flat faces that have no point in common.
const HARD: [u64; 2] = [0xc_bc0b, 0x26_4dcb];

/// A walk, and its seed, that is stopped when it has gone in a circle instead of going on for ever.
struct Watched(Vec<WalkStep>, u64);

impl WalkTrace for Watched {
    fn visit(&mut self, step: &WalkStep) {
        self.0.push(*step);
        assert!(self.0.len() <= LONGEST_WALK, "CCD_SEED={:#x}, a circle: {:?}", self.1, &self.0[LONGEST_WALK - 12..]);
    }
}

fn hull(points: &[[f64; 3]]) -> ConvexPolyhedron {
    ConvexPolyhedron::from_points(&points.iter().map(|p| Point::from(*p)).collect::<Vec<_>>()).unwrap()
}

fn cuboid(h: [f64; 3]) -> ConvexPolyhedron {
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 1 { h[k] } else { -h[k] });
    hull(&(0..8).map(corner).collect::<Vec<_>>())
}

fn icosahedron() -> Vec<[f64; 3]> {
    let g = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut points = Vec::new();
    for (x, y) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
        points.extend([[0.0, x, y], [x, y, 0.0], [y, 0.0, x]]);
    }
    points
}

/// The corners of an icosahedron and the middles of its edges, on the unit sphere.
fn icosphere() -> ConvexPolyhedron {
    let base = icosahedron().into_iter().map(|p| Vector::from(p).normalize()).collect::<Vec<_>>();
    let mut points: Vec<[f64; 3]> = base.iter().map(|p| (*p).into()).collect();
    for (i, p) in base.iter().enumerate() {
        for q in &base[i + 1..] {
            if (p - q).norm() < 1.1 {
                points.push((p + q).normalize().into());
            }
        }
    }
    hull(&points)
}

/// Corners in several sizes and forms; the faces of each are exactly flat.
fn shapes() -> Vec<ConvexPolyhedron> {
    let prism = |n: u32, h: f64| {
        let at = |i: u32, y: f64| {
            let (s, c) = (std::f64::consts::TAU * f64::from(i) / f64::from(n)).sin_cos();
            [c, y, s]
        };
        hull(&(0..n).flat_map(|i| [at(i, -h), at(i, h)]).collect::<Vec<_>>())
    };
    let mut random = Random(0x5ead);
    let cloud = |random: &mut Random, n: usize| {
        hull(&(0..n).map(|_| (random.direction() * random.between(0.9, 1.0)).into()).collect::<Vec<_>>())
    };
    vec![
        cuboid([0.5, 0.5, 0.5]),
        cuboid([1.0, 0.25, 0.0625]),
        cuboid([0.3, 0.7, 0.1]),
        cuboid([1.0, 1e-4, 1.0]),
        hull(&[[1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0]]),
        hull(&[
            [1.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
        ]),
        hull(&[[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.01, 0.0], [0.1, 0.0, 0.02]]),
        hull(&icosahedron()),
        icosphere(),
        prism(6, 0.5),
        prism(16, 0.05),
        cloud(&mut random, 24),
        cloud(&mut random, 60),
    ]
}

/// One of the 24 turns of a cube, without rounding.
fn quarter_turns(random: &mut Random) -> Matrix {
    let axes = [Vector::x(), Vector::y(), Vector::z()];
    let i = random.below(3);
    let j = (i + 1 + random.below(2)) % 3;
    let sign = |random: &mut Random| if random.chance(0.5) { 1.0 } else { -1.0 };
    let (u, v) = (axes[i] * sign(random), axes[j] * sign(random));
    Matrix::from_columns(&[u, v, u.cross(&v)])
}

fn turn_to(from: &Vector, to: &Vector) -> Matrix {
    Rotation::rotation_between(from, to)
        .unwrap_or_else(|| Rotation::from_scaled_axis(ccd_core::math::orthonormal_basis(from).0 * std::f64::consts::PI))
        .to_rotation_matrix()
        .into_inner()
}

/// A place on the surface, on or between features, and an outward direction from it, at the bound of the region or inside.
fn surface_place(hull: &ConvexPolyhedron, random: &mut Random) -> (Vector, Vector) {
    let place = |v: u32| hull.vertices()[v as usize].coords;
    let fraction = |random: &mut Random| [0.0, 1.0, 0.5, 0.25, random.unit()][random.below(5)];
    match random.below(3) {
        0 => {
            let v = random.below(hull.vertices().len()) as u32;
            let faces: Vec<u32> =
                hull.vertex_edges(v as usize).iter().flat_map(|e| hull.edges()[*e as usize].faces).collect();
            let pick = |random: &mut Random| hull.planes()[faces[random.below(faces.len())] as usize].normal;
            let (n, m) = (pick(random), pick(random));
            let f = fraction(random);
            (place(v), n * f + m * (1.0 - f))
        }
        1 => {
            let edge = hull.edges()[random.below(hull.edges().len())];
            let [n, m] = edge.faces.map(|f| hull.planes()[f as usize].normal);
            let (f, s) = (fraction(random), fraction(random));
            (place(edge.vertices[0]) * (1.0 - s) + place(edge.vertices[1]) * s, n * f + m * (1.0 - f))
        }
        _ => {
            let face = random.below(hull.face_count());
            let rim = hull.face_vertices(face);
            let (f, s) = (fraction(random), fraction(random));
            let p = place(rim[0]) * f + (place(rim[1]) * s + place(rim[2]) * (1.0 - s)) * (1.0 - f);
            (p, hull.planes()[face].normal)
        }
    }
}

/// A placement of B in A's frame, and the name of its family.
fn placement(a: &ConvexPolyhedron, b: &ConvexPolyhedron, random: &mut Random) -> (&'static str, RelativePose) {
    let gap = |random: &mut Random| {
        [0.0, 0.5, 0.125, random.magnitude(1e-15, 1.0), random.between(0.0, 2.0), -random.magnitude(1e-15, 0.3)]
            [random.below(6)]
    };
    let any = |random: &mut Random| random.rotation().to_rotation_matrix().into_inner();
    match random.below(7) {
        0 => {
            let at = random.direction() * random.between(0.0, 4.0);
            ("anywhere", RelativePose { rotation: any(random), translation: at })
        }
        1 => {
            // Square to each other, on a grid that binary numbers hold.
            let step = |random: &mut Random| (random.below(33) as f64 - 16.0) / 8.0;
            let at = Vector::new(step(random), step(random), step(random));
            ("square, on a grid", RelativePose { rotation: quarter_turns(random), translation: at })
        }
        2 => {
            // Square to each other, at decimal places.
            let step = |random: &mut Random| (random.below(41) as f64 - 20.0) / 10.0;
            let at = Vector::new(step(random), step(random), step(random));
            ("square, at decimals", RelativePose { rotation: quarter_turns(random), translation: at })
        }
        3 => {
            // Two places of the surfaces over each other, at the bounds of their regions: features just switching.
            let ((p, n), (q, m)) = (surface_place(a, random), surface_place(b, random));
            let (n, m) = (n.normalize(), m.normalize());
            let spin = Rotation::from_scaled_axis(n * [0.0, 0.5, random.between(-3.0, 3.0)][random.below(3)]);
            let rotation = spin.to_rotation_matrix().into_inner() * turn_to(&m, &-n);
            ("features just switching", RelativePose { rotation, translation: p + n * gap(random) - rotation * q })
        }
        4 => {
            // Two faces parallel, corner over corner, or shifted along.
            let (f, g) = (random.below(a.face_count()), random.below(b.face_count()));
            let (n, m) = (a.planes()[f].normal, b.planes()[g].normal);
            let spin = Rotation::from_scaled_axis(n * [0.0, random.between(-3.0, 3.0)][random.below(2)]);
            let rotation = spin.to_rotation_matrix().into_inner() * turn_to(&m, &-n);
            let p = a.vertices()[a.face_vertices(f)[0] as usize].coords;
            let q = b.vertices()[b.face_vertices(g)[0] as usize].coords;
            let along = n.cross(&random.direction()) * [0.0, 0.3][random.below(2)];
            ("faces parallel", RelativePose { rotation, translation: p + n * gap(random) + along - rotation * q })
        }
        5 => {
            // An edge along an edge.
            let (e, g) = (a.edges()[random.below(a.edges().len())], b.edges()[random.below(b.edges().len())]);
            let ends = |h: &ConvexPolyhedron, v: [u32; 2]| v.map(|v| h.vertices()[v as usize].coords);
            let ([p, p_head], [q, q_head]) = (ends(a, e.vertices), ends(b, g.vertices));
            let (u, v) = ((p_head - p).normalize(), (q_head - q).normalize());
            let out = (a.planes()[e.faces[0] as usize].normal + a.planes()[e.faces[1] as usize].normal).normalize();
            let inward = -(b.planes()[g.faces[0] as usize].normal + b.planes()[g.faces[1] as usize].normal);
            let first = turn_to(&v, &u);
            let turned = first * inward;
            let angle = u.dot(&turned.cross(&out)).atan2(turned.dot(&out));
            let second = Rotation::from_scaled_axis(u * angle).to_rotation_matrix().into_inner();
            let rotation = second * first;
            let slide = u * [0.0, 0.1, -0.2][random.below(3)];
            ("edges parallel", RelativePose { rotation, translation: p + slide + out * gap(random) - rotation * q })
        }
        _ => {
            // A corner in a corner.
            let rotation = if random.chance(0.5) { quarter_turns(random) } else { any(random) };
            let p = a.vertices()[random.below(a.vertices().len())].coords;
            let q = b.vertices()[random.below(b.vertices().len())].coords;
            let off = random.direction() * [0.0, 1e-16, 1e-9][random.below(3)];
            ("vertices coincident", RelativePose { rotation, translation: p + off - rotation * q })
        }
    }
}

fn judge(
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    placement: &RelativePose,
    found: &ClosestFeatures,
) -> Result<(), String> {
    let exactly = Exactly::new(a, b, placement);
    if found.overlapping {
        exactly.judge_overlap(found.features.a, found.features.b)
    } else {
        let gap = found.point_b - found.point_a;
        if !((found.normal.norm() - 1.0).abs() < 1e-12 && gap.dot(&found.normal) > 0.0 || found.distance < 1e-9) {
            return Err("the normal does not lead from A to B".into());
        }
        exactly.judge_apart(found.features.a, found.features.b, found.distance)
    }
}

fn environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).expect("a number"),
        None => text.parse().expect("a number"),
    })
}

#[test]
fn every_answer_in_degenerate_placements_satisfies_theorem_1_in_exact_arithmetic() {
    let shapes = shapes();
    let count = 1000 * environment("CCD_SCALE").unwrap_or(1);
    let start = environment("CCD_START").unwrap_or(0);
    let (seeds, single) = match environment("CCD_SEED") {
        Some(seed) => (seed..seed + 1, true),
        None => (start..start + count, false),
    };
    let mut tally: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    let mut longest = 0;
    let mut failures = Vec::new();
    for seed in seeds.chain(HARD) {
        let mut random = Random(seed ^ 0xc1f0);
        let (a, b) = (&shapes[random.below(shapes.len())], &shapes[random.below(shapes.len())]);
        let (family, placement) = placement(a, b, &mut random);
        // Cold, and from a memory of another placement: the answers may name other features, and are judged alike.
        let mut memory = FeatureMemory::default();
        if random.chance(0.5) {
            let elsewhere = RelativePose {
                rotation: random.rotation().to_rotation_matrix().into_inner(),
                translation: random.direction() * 2.0,
            };
            closest_features_traced(a, b, &elsewhere, &mut memory, &mut Watched(Vec::new(), seed));
        }
        if single {
            println!("{placement:?}, from {memory:?}");
            println!("{:?}\n{:?}", a.vertices(), b.vertices());
        }
        let mut walk = Watched(Vec::new(), seed);
        let found = closest_features_traced(a, b, &placement, &mut memory, &mut walk);
        assert_eq!(walk.0.len() as u32, found.steps);
        if single {
            println!("{found:?}");
            for step in &walk.0 {
                let corners = (a.voronoi().corners(step.features.a), b.voronoi().corners(step.features.b));
                println!("{step:?}\n    {corners:?}");
            }
        }
        longest = longest.max(found.steps);
        let entry = tally.entry(family).or_default();
        entry[0] += 1;
        entry[1] += u64::from(found.overlapping);
        entry[2] += u64::from(found.careful_steps > 0);
        if let Err(why) = judge(a, b, &placement, &found) {
            entry[3] += 1;
            if failures.len() < 10 {
                failures.push(format!("CCD_SEED={seed:#x} ({family}): {why}: {found:?}"));
            }
        }
    }
    println!("longest walk {longest} steps; of each family: placements, overlapping, with careful steps, wrong");
    for (family, numbers) in &tally {
        println!("{family:<26} {numbers:?}");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(single || tally.len() == 7, "every family is drawn");
}

#[test]
fn the_judge_refuses_wrong_features_wrong_distances_and_overlaps_that_are_none() {
    let shapes = shapes();
    let (mut refused, mut answered) = ([0, 0, 0], 0);
    for seed in 0..300 {
        let mut random = Random(seed);
        let (a, b) = (&shapes[random.below(shapes.len())], &shapes[random.below(shapes.len())]);
        let (_, placement) = placement(a, b, &mut random);
        let found =
            closest_features_traced(a, b, &placement, &mut FeatureMemory::default(), &mut Watched(Vec::new(), seed));
        if found.overlapping {
            continue;
        }
        answered += 1;
        let exactly = Exactly::new(a, b, &placement);
        let features = found.features;
        let elsewhere = Feature::Vertex(random.below(a.vertices().len()) as u32);
        refused[0] += usize::from(exactly.judge_apart(elsewhere, features.b, found.distance).is_err());
        refused[1] += usize::from(exactly.judge_apart(features.a, features.b, found.distance * (1.0 + 3e-12)).is_err());
        refused[2] += usize::from(exactly.judge_overlap(features.a, features.b).is_err());
    }
    assert!(answered > 100 && refused[0] * 4 > answered * 3, "{refused:?} of {answered}");
    assert_eq!(refused[1..], [answered, answered]);
}

#[test]
fn the_regions_that_a_viewer_draws_hold_the_closest_points_of_the_last_step() {
    let shapes = shapes();
    let mut apart = 0;
    for seed in 0..200 {
        let mut random = Random(seed);
        let (a, b) = (&shapes[random.below(shapes.len())], &shapes[random.below(shapes.len())]);
        let placement = RelativePose {
            rotation: random.rotation().to_rotation_matrix().into_inner(),
            translation: random.direction() * random.between(0.5, 4.0),
        };
        let mut walk: Vec<WalkStep> = Vec::new();
        let found = closest_features_traced(a, b, &placement, &mut FeatureMemory::default(), &mut walk);
        if found.overlapping {
            continue;
        }
        apart += 1;
        let into_b = |p: Point| Point::from(placement.rotation.tr_mul(&(p.coords - placement.translation)));
        let last = walk.last().unwrap().features;
        let sides =
            [(a, last.a, found.point_a, found.point_b), (b, last.b, into_b(found.point_b), into_b(found.point_a))];
        for (hull, feature, own, other) in sides {
            let planes = hull.voronoi().region(feature);
            assert!(planes.len() >= 3 && planes.iter().all(|h| (h.normal.norm() - 1.0).abs() < 1e-12), "{planes:?}");
            for plane in &planes {
                assert!(plane.normal.dot(&other.coords) - plane.offset > -1e-9, "{feature:?} {plane:?} {other:?}");
                // From inside the region the walk would go on to where the plane leads: a feature that there is.
                assert!(plane.beyond.is_none_or(|f| !hull.voronoi().corners(f).is_empty()));
            }
            assert!(planes.iter().all(|h| h.normal.dot(&own.coords) - h.offset > -1e-9));
        }
    }
    assert!(apart > 100, "{apart}");
    assert!(shapes[0].voronoi().region(Feature::Vertex(99)).is_empty());
}
