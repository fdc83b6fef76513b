//! Distances and depths of boxes and of their meshes, from either side.

use ccd_core::detection::closest::{closest, closest_within, overlap};
use ccd_core::geometry::field::Operation;
use ccd_core::math::{Point, Pose, Rotation, Vector};
use ccd_core::shape::Shape;
use proptest::prelude::*;

use crate::common::brute::{Brute, Piece, gap};
use crate::common::models::{bent_sheet, box_mesh, corner, l_prism, mesh};
use crate::common::patches::pillow;
use crate::common::random::Random;

fn pose() -> impl Strategy<Value = Pose> {
    (prop::array::uniform3(-3.0..3.0), prop::array::uniform3(-3.0..3.0)).prop_map(|(at, turn)| {
        Pose::from_parts(Vector::from(at).into(), Rotation::from_scaled_axis(Vector::from(turn)))
    })
}

#[test]
fn a_mesh_that_is_just_as_far_as_the_limit_is_within_it_and_beyond_the_next_less() {
    let solids = [box_mesh([1.0; 3]), mesh(l_prism(1.0, 1.0, 1.0))];
    let others = [
        (box_mesh([0.5; 3]), 0.5),
        (Shape::cuboid([0.5; 3]).unwrap(), 0.5),
        (Shape::ball(0.75).unwrap(), 0.75),
        (Shape::capsule(0.1, 0.5).unwrap(), 0.1),
        (Shape::ball(40.0).unwrap(), 40.0),
    ];
    for (solid, (other, reach)) in solids.iter().flat_map(|solid| others.iter().map(move |other| (solid, other))) {
        for gap in [0.5, 0.25, 3.0, 1e-3] {
            let top = solid.as_solid().local_aabb().max.x;
            let (still, pose) = (Pose::identity(), Pose::translation(top + reach + gap, 0.125, 0.0625));
            let limit = closest(solid, &still, other, &pose).unwrap().distance;
            // Just that far where faces are across from each other, further over the prism's edges.
            assert!(limit >= gap - 1e-14 * reach.max(1.0), "{limit} {gap}");
            for (a, at_a, b, at_b) in [(solid, &still, other, &pose), (other, &pose, solid, &still)] {
                let found = closest_within(a, at_a, b, at_b, limit).unwrap();
                assert_eq!(found.map(|found| found.distance), Some(limit), "{} at {gap}", other.as_solid().kind());
                assert!(closest_within(a, at_a, b, at_b, limit.next_down()).unwrap().is_none());
            }
        }
    }
}

proptest! {
    #[test]
    fn boxes_and_their_meshes_are_equally_far_apart_or_overlap_alike(
        ha in prop::array::uniform3(0.2..1.5_f64), hb in prop::array::uniform3(0.2..1.5_f64), a in pose(), b in pose(),
    ) {
        let solids = [Shape::cuboid(ha).unwrap(), box_mesh(ha)];
        let others = [Shape::cuboid(hb).unwrap(), box_mesh(hb)];
        let exact = closest(&solids[0], &a, &others[0], &b).unwrap();
        for (s, o) in [(0, 1), (1, 0), (1, 1)] {
            let found = closest(&solids[s], &a, &others[o], &b).unwrap();
            if exact.distance > 0.0 {
                prop_assert!((found.distance - exact.distance).abs() < 1e-9, "{s} {o}: {found:?} {exact:?}");
                prop_assert!((found.normal - exact.normal).norm() < 1e-5 || exact.distance < 1e-5);
            } else {
                prop_assert!((found.distance - exact.distance).abs() < 1e-9, "{s} {o}: {found:?} {exact:?}");
            }
        }
    }

    #[test]
    fn within_a_limit_meshes_are_as_far_as_they_are_and_beyond_it_nowhere(
        half in prop::array::uniform3(0.02..1.5_f64), a in pose(), b in pose(), share in 0.1..3.0_f64,
    ) {
        let meshes = [box_mesh(half), mesh(l_prism(half[0], half[1], half[2]))];
        let capsule = Shape::capsule(half[0], half[1]).unwrap();
        let others = [Shape::cuboid(half).unwrap(), capsule, meshes[0].clone(), meshes[1].clone()];
        for (solid, other) in meshes.iter().flat_map(|solid| others.iter().map(move |other| (solid, other))) {
            for (one, two) in [(solid, other), (other, solid)] {
                let exact = closest(one, &a, two, &b).unwrap().distance;
                let limit = if exact > 0.0 { share * exact } else { share };
                match closest_within(one, &a, two, &b, limit).unwrap() {
                    None => prop_assert!(exact > limit * (1.0 - 1e-9), "{exact} {limit}"),
                    Some(found) => {
                        prop_assert!(found.distance <= limit);
                        prop_assert!((found.distance - exact).abs() < 1e-9 || exact < 0.0, "{found:?} {exact}");
                    }
                }
            }
        }
    }

    #[test]
    fn exchanging_the_sides_exchanges_the_answer(ha in prop::array::uniform3(0.2..1.5_f64), r in 0.1..1.0_f64, a in pose(), b in pose()) {
        let shapes = [Shape::cuboid(ha).unwrap(), Shape::ball(r).unwrap(), box_mesh(ha), Shape::half_space(Vector::y()).unwrap()];
        for one in &shapes {
            for other in &shapes {
                let answers = [closest(one, &a, other, &b), closest(other, &b, one, &a)];
                let both_have_no_end = [one, other].iter().all(|shape| matches!(shape, Shape::HalfSpace(_)));
                prop_assert!(answers.iter().all(|answer| answer.is_err() == both_have_no_end), "{answers:?}");
                let [Ok(f), Ok(g)] = answers else { continue };
                let overlap_of_meshes = f.distance < 0.0 && (matches!(one, Shape::Mesh(_)) || matches!(other, Shape::Mesh(_)));
                if !overlap_of_meshes {
                    prop_assert!((f.distance - g.distance).abs() < 1e-9, "{f:?} {g:?}");
                    prop_assert!(f.distance.abs() < 1e-5 || (f.normal + g.normal).norm() < 1e-5, "{f:?} {g:?}");
                }
            }
        }
    }
}

/// A solid, and the same as convex pieces.
type InPieces = (Shape, Brute);

fn of_boxes(boxes: &[[[f64; 3]; 2]]) -> InPieces {
    let half = |[min, max]: &[[f64; 3]; 2]| [0, 1, 2].map(|k| 0.5 * (max[k] - min[k]));
    let middle = |[min, max]: &[[f64; 3]; 2]| {
        Pose::translation(0.5 * (min[0] + max[0]), 0.5 * (min[1] + max[1]), 0.5 * (min[2] + max[2]))
    };
    let parts = boxes.iter().map(|b| (middle(b), Shape::cuboid(half(b)).unwrap()));
    let piece = |b: &[[f64; 3]; 2]| Piece::Points((0..8).map(|i| middle(b) * corner(i, &half(b))).collect(), 0.0);
    (Shape::compound(parts).unwrap(), Brute::Pieces(boxes.iter().map(piece).collect()))
}

/// By how much the depth of an overlap of solids that are not convex is above the least of some translations all around that part
/// them, as a share of it; to move by the depth parts them. `None` where they do not overlap.
fn excess(
    (a, pieces_a): &InPieces,
    pose_a: &Pose,
    (b, pieces_b): &InPieces,
    pose_b: &Pose,
    random: &mut Random,
) -> Option<f64> {
    let found = closest(a, pose_a, b, pose_b).unwrap();
    if found.distance >= 0.0 {
        return None;
    }
    let moved = |way: Vector| Pose::from_parts((pose_b.translation.vector + way).into(), pose_b.rotation);
    let is_free = |way: Vector| gap(pieces_a, pose_a, pieces_b, &moved(way)).distance > 0.0;
    let way = found.normal * -found.distance;
    assert!(is_free(way * (1.0 + 1e-9)), "not parted: {found:?} {pose_a} {pose_b}");
    let mut least = 1.0;
    for _ in 0..100 {
        let direction = random.direction() * way.norm();
        while is_free(direction * (least - 0.01)) {
            least -= 0.01;
        }
    }
    Some(1.0 - least)
}

#[test]
fn overlaps_of_solids_that_are_not_convex_are_hardly_deeper_than_translations_all_around() {
    let random = &mut Random(7);
    // The L-shaped prism of the models is these two boxes.
    let (_, l) = of_boxes(&[[[-0.8, -1.1, -0.5], [0.8, -0.33, 0.5]], [[-0.8, -1.1, -0.5], [-0.24, 1.1, 0.5]]]);
    let (corners, triangles) = bent_sheet(|| 0.3, [1.0, 0.6, 0.9]);
    let sheet = triangles.iter().map(|t| Piece::Points(t.map(|k| corners[k as usize]).to_vec(), 0.0)).collect();
    let along = |h: f64| vec![Point::new(0.0, -h, 0.0), Point::new(0.0, h, 0.0)];
    let solids = [
        (mesh(l_prism(0.8, 1.1, 0.5)), l),
        of_boxes(&[[[-1.0, -0.2, -0.2], [1.0, 0.2, 0.2]], [[-0.1, -0.6, -0.25], [0.3, 1.2, 0.25]]]),
        (mesh((corners, triangles)), Brute::Pieces(sheet)),
        of_boxes(&[[[-0.3, -0.7, -0.4], [0.3, 0.7, 0.4]]]),
        (Shape::ball(0.4).unwrap(), Brute::Pieces(vec![Piece::Points(vec![Point::origin()], 0.4)])),
        (Shape::capsule(0.2, 0.6).unwrap(), Brute::Pieces(vec![Piece::Points(along(0.6), 0.2)])),
    ];
    let mut found = Vec::new();
    for _ in 0..12 {
        for (i, a) in solids[..3].iter().enumerate() {
            for b in &solids[i..] {
                let mut place =
                    || Pose::from_parts((random.direction() * random.between(0.0, 0.8)).into(), random.rotation());
                let (pose_a, pose_b) = (place(), place());
                found.extend(excess(a, &pose_a, b, &pose_b, random));
            }
        }
    }
    // Pockets that no direction leads into are missed.
    found.sort_by(f64::total_cmp);
    let count = found.len();
    assert!(count > 100 && found[count * 9 / 10] < 0.03 && found[count - 1] < 0.3, "{count}: {found:?}");
}

/// The least of the translations of B that part two solids, metres, that looks along directions all around find and steps aside of the best of them, if it is
/// less than `depth`.
fn least_way(a: &Shape, b: &Shape, pose: &Pose, depth: f64, random: &mut Random) -> f64 {
    const AROUND: usize = 1500;
    let is_free = |way: Vector| {
        let moved = Pose::from_parts((pose.translation.vector + way).into(), pose.rotation);
        !overlap(a, &Pose::identity(), b, &moved)
    };
    let shortened = |direction: &Vector, length: f64| {
        let (mut inside, mut outside) = (0.0, length);
        for _ in 0..30 {
            let middle = 0.5 * (inside + outside);
            *(if is_free(direction * middle) { &mut outside } else { &mut inside }) = middle;
        }
        outside
    };
    let (mut least, mut ways) = (depth, Vec::new());
    for _ in 0..AROUND {
        let direction = random.direction();
        if is_free(direction * (1.05 * least)) {
            let length = shortened(&direction, 1.05 * least);
            ways.push((length, direction));
            least = least.min(length);
        }
    }
    ways.sort_by(|one, other| one.0.total_cmp(&other.0));
    for (mut length, mut direction) in ways.into_iter().take(8) {
        let mut aside = 0.05;
        while aside > 1e-6 {
            let other = (0..12).map(|_| (direction + random.direction() * aside).normalize());
            match other.into_iter().find(|other| is_free(other * (length * (1.0 - 1e-7)))) {
                Some(other) => (length, direction) = (shortened(&other, length), other),
                None => aside *= 0.5,
            }
        }
        least = least.min(length);
    }
    least
}

#[test]
fn a_depth_is_the_least_of_translations_all_around_and_beside_them() {
    let random = &mut Random(11);
    let prism = mesh(l_prism(0.8, 1.1, 0.5));
    let mut solids = |k: usize| {
        let mut compound = || {
            let parts = (0..3).map(|_| {
                let place = random.direction() * random.between(0.0, 0.6);
                let half_extents = [0; 3].map(|_| random.between(0.1, 0.6));
                (Pose::from_parts(place.into(), random.rotation()), Shape::cuboid(half_extents).unwrap())
            });
            Shape::compound(parts.collect::<Vec<_>>()).unwrap()
        };
        match k % 3 {
            0 => (compound(), compound()),
            1 => (prism.clone(), Shape::cuboid([0; 3].map(|_| random.between(0.1, 0.5))).unwrap()),
            _ => (prism.clone(), Shape::ball(random.between(0.05, 0.8)).unwrap()),
        }
    };
    let pairs: Vec<(Shape, Shape)> = (0..45).map(&mut solids).collect();
    let mut found = Vec::new();
    for (a, b) in &pairs {
        let pose = Pose::from_parts((random.direction() * random.between(0.2, 0.9)).into(), random.rotation());
        let depth = -closest(a, &Pose::identity(), b, &pose).unwrap().distance;
        if depth > 1e-2 {
            found.push(depth / least_way(a, b, &pose, depth, random) - 1.0);
        }
    }
    found.sort_by(f64::total_cmp);
    let count = found.len();
    assert!(count > 25 && found[count * 9 / 10] < 1e-6 && found[count - 1] < 5e-3, "{count}: {found:?}");
}

#[test]
fn a_triangle_leaves_a_capsule_over_its_edge() {
    let corners = [[-0.48, -1.36, 0.27], [-0.105, 0.39, 0.27], [-0.105, -1.36, 0.27]].map(Point::from);
    let triangle = mesh((corners.to_vec(), vec![[0, 1, 2]]));
    let capsule = Shape::capsule(0.37, 0.5).unwrap();
    let found = closest(&triangle, &Pose::identity(), &capsule, &Pose::identity()).unwrap();
    let from_axis = 0.105_f64.hypot(0.27);
    assert!((found.distance + 0.37 - from_axis).abs() < 1e-9, "{found:?}");
    assert!((found.normal - Vector::new(0.105, 0.0, -0.27) / from_axis).norm() < 1e-6, "{found:?}");
}

#[test]
fn ball_inside_a_closed_mesh_overlaps_it() {
    let (room, ball) = (box_mesh([2.0, 2.0, 2.0]), Shape::ball(0.1).unwrap());
    let found = closest(&room, &Pose::identity(), &ball, &Pose::translation(1.5, 0.0, 0.0)).unwrap();
    assert!((found.distance + 0.6).abs() < 1e-6 && (found.normal - Vector::x()).norm() < 1e-6, "{found:?}");
}

#[test]
fn mesh_depth_on_a_half_space_is_that_of_its_lowest_vertex() {
    let found = closest(
        &Shape::half_space(Vector::y()).unwrap(),
        &Pose::identity(),
        &box_mesh([1.0, 1.0, 1.0]),
        &Pose::translation(0.0, 0.9, 0.0),
    )
    .unwrap();
    assert!((found.distance + 0.1).abs() < 1e-12 && found.normal == Vector::y(), "{found:?}");
}

/// The ground below y = 0 with a pit of so large half extents around the origin: as what is left of a half-space, and of a block that is as good as one.
fn grounds_with_a_pit(half: [f64; 3]) -> [(Shape, Pose); 2] {
    let pit = (Shape::cuboid(half).unwrap(), Pose::identity());
    let grounds = [
        (Shape::half_space(Vector::y()).unwrap(), Pose::identity()),
        (Shape::cuboid([9.0; 3]).unwrap(), Pose::translation(0.0, -9.0, 0.0)),
    ];
    grounds.map(|ground| (Shape::csg(Operation::Difference, &[ground, pit.clone()]).unwrap(), Pose::identity()))
}

#[test]
fn what_is_wider_than_a_pit_in_the_ground_leaves_it_upwards() {
    let bar = |x: f64| (Pose::translation(x, 0.0, 0.0), Shape::cuboid([0.6, 0.2, 0.2]).unwrap());
    let long = Shape::compound([bar(0.5), bar(-0.45)]).unwrap();
    for (ground, pose) in &grounds_with_a_pit([1.0; 3]) {
        let found = closest(ground, pose, &long, &Pose::translation(0.0, -0.3, 0.0)).unwrap();
        assert!((found.distance + 0.5).abs() < 1e-5 && (found.normal - Vector::y()).norm() < 1e-5, "{found:?}");
    }
}

#[test]
fn the_way_out_of_a_ground_with_a_pit_parts_the_two_and_is_no_longer_than_out_of_a_block_with_one() {
    let mut random = Random(0x917);
    for case in 0..12 {
        let grounds = grounds_with_a_pit(std::array::from_fn(|_| random.between(0.5, 1.0)));
        let parts = (0..3).map(|k| {
            let half = std::array::from_fn(|_| random.between(0.1, 0.5));
            let shape = if k == 0 { Shape::ball(half[0]).unwrap() } else { Shape::cuboid(half).unwrap() };
            let place = random.direction() * random.between(0.0, 0.5);
            (Pose::from_parts(place.into(), random.rotation()), shape)
        });
        let parts = Shape::compound(parts.collect::<Vec<_>>()).unwrap();
        let place = Vector::new(random.between(-0.6, 0.6), random.between(-0.8, 0.2), random.between(-0.6, 0.6));
        let pose = Pose::from_parts(place.into(), random.rotation());
        let found = grounds.each_ref().map(|(ground, at)| closest(ground, at, &parts, &pose).unwrap());
        for (found, (ground, at)) in found.iter().zip(&grounds) {
            let out = Pose::from_parts((place + found.normal * (1e-5 - found.distance.min(0.0))).into(), pose.rotation);
            assert!(!overlap(ground, at, &parts, &out), "{case}: {found:?}");
        }
        let [depth, of_block] = found.map(|found| found.distance.min(0.0));
        assert!(depth > 1.01 * of_block - 1e-5, "{case}: {depth} {of_block}");
    }
}

#[test]
fn patches_overlap_a_half_space_however_deep_they_are_in_it() {
    let (ground, home) = (Shape::half_space(Vector::y()).unwrap(), Pose::identity());
    let patches = Shape::patches(pillow([0.5, 0.25, 0.5], 0.0));
    let beside = (Pose::translation(1.0, 0.0, 0.0), Shape::ball(0.1).unwrap());
    let solids = [Shape::compound([(home, patches.clone()), beside]).unwrap(), patches];
    for solid in &solids {
        for (height, expected) in [(0.26, false), (0.24, true), (0.0, true), (-0.3, true), (-5.0, true)] {
            let pose = Pose::translation(0.0, height, 0.0);
            assert_eq!(overlap(&ground, &home, solid, &pose), expected, "{height}: {solid:?}");
            assert_eq!(overlap(solid, &pose, &ground, &home), expected, "{height}: {solid:?}");
        }
    }
}

#[test]
fn parts_that_touch_overlap_as_the_solids_do_that_they_are() {
    let cube = Shape::cuboid([0.5; 3]).unwrap();
    let part = Shape::compound([(Pose::identity(), cube.clone())]).unwrap();
    for (gap, expected) in [(0.0, true), (-1e-6, true), (1e-6, false)] {
        let (home, beside) = (Pose::identity(), Pose::translation(1.0 + gap, 0.0, 0.0));
        for (a, b) in [(&cube, &cube), (&part, &cube), (&cube, &part), (&part, &part)] {
            assert_eq!(overlap(a, &home, b, &beside), expected, "{gap}: {a:?} {b:?}");
        }
    }
}
