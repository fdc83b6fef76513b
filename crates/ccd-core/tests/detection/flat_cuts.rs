//! Solids with flat sides that others were cut out of: as far away as the convex pieces that are left of them.

use ccd_core::detection::closest::{closest, overlap};
use ccd_core::geometry::field::{Operation, nearest_surface};
use ccd_core::math::{Point, Pose, Real, Vector};
use ccd_core::shape::Shape;

use crate::common::environment::from_environment;
use crate::common::models::box_mesh;
use crate::common::random::Random;

/// A box, by its least and its largest coordinates.
#[derive(Clone, Copy, Debug)]
struct Block {
    low: Vector,
    high: Vector,
}

impl Block {
    fn new(low: [Real; 3], high: [Real; 3]) -> Self {
        Self { low: low.into(), high: high.into() }
    }

    fn placed(&self) -> (Shape, Pose) {
        let middle = 0.5 * (self.low + self.high);
        let half = 0.5 * (self.high - self.low);
        (Shape::cuboid(half.into()).unwrap(), Pose::translation(middle.x, middle.y, middle.z))
    }

    fn distance(&self, p: &Point) -> Real {
        (p.coords - p.coords.sup(&self.low).inf(&self.high)).norm()
    }
}

/// A box less a box, and the boxes that are left of it.
fn cut(whole: Block, cutter: Block, left: &[Block]) -> (Shape, Vec<Block>) {
    (Shape::csg(Operation::Difference, &[whole.placed(), cutter.placed()]).unwrap(), left.to_vec())
}

/// A prism with an L for its base, or a box of which one end was cut off; the cutter ends in the faces of what it is cut out of, or sticks out of them.
fn random_cut(random: &mut Random) -> (Shape, Vec<Block>) {
    let [x, y, z]: [Real; 3] = std::array::from_fn(|_| random.between(0.3, 1.0));
    let (a, b) = (x * random.between(-0.6, 0.6), y * random.between(-0.6, 0.6));
    let is_l = random.chance(0.5);
    let is_flush = random.chance(0.5);
    let mut out = || if is_flush { 0.0 } else { random.between(0.01, 0.5) };
    let whole = Block::new([-x, -y, -z], [x, y, z]);
    let low_y = if is_l { b } else { -y - out() };
    let cutter = Block::new([a, low_y, -z - out()], [x + out(), y + out(), z + out()]);
    let beside = Block::new([-x, -y, -z], [a, y, z]);
    let below = Block::new([-x, -y, -z], [x, b, z]);
    let left = [beside, below];
    cut(whole, cutter, if is_l { &left } else { &left[..1] })
}

#[test]
fn the_nearest_place_of_what_a_cut_leaves_is_found_however_far_along_a_flat_side_it_is() {
    let (whole, cutter) =
        (Block::new([-0.5, -0.5, -0.5], [1.5, 0.5, 0.5]), Block::new([0.5, -0.5, -0.5], [1.5, 0.5, 0.5]));
    let (shape, _) = cut(whole, cutter, &[]);
    let from = Point::new(3.0, 0.0, 0.0);
    let found = nearest_surface(shape.as_field().unwrap(), &from, 1e-9).unwrap();
    assert!((found.point - Point::new(0.5, 0.0, 0.0)).norm() < 1e-8, "{found:?}");
}

#[test]
fn what_is_left_of_a_box_that_a_box_was_cut_out_of_is_as_far_away_as_its_pieces() {
    for seed in 0..from_environment("CCD_SCALE", 1) as u64 * 150 {
        let mut random = Random(seed);
        let (shape, left) = random_cut(&mut random);
        let from = Point::from(random.direction() * random.between(0.5, 4.0));
        let distance = left.iter().map(|block| block.distance(&from)).fold(Real::INFINITY, Real::min);
        let ball = Shape::ball(0.05).unwrap();
        if distance > 0.06 {
            let at = Pose::translation(from.x, from.y, from.z);
            let found = closest(&shape, &Pose::identity(), &ball, &at).unwrap().distance;
            assert!(
                (found - (distance - 0.05)).abs() < 1e-6 * distance,
                "{seed}: a ball, {found} of {}",
                distance - 0.05
            );
        }
        let half = std::array::from_fn(|_| random.between(0.1, 0.8));
        let other = if random.chance(0.5) { box_mesh(half) } else { Shape::cuboid(half).unwrap() };
        let pose = Pose::from_parts((random.direction() * random.between(0.5, 3.0)).into(), random.rotation());
        let at = Pose::from_parts((random.direction() * random.between(0.0, 0.3)).into(), random.rotation());
        let pieces: Vec<(Shape, Pose)> = left.iter().map(Block::placed).collect();
        if pieces.iter().any(|(piece, place)| overlap(piece, &(at * place), &other, &pose)) {
            continue;
        }
        let distance = |(piece, place): &(Shape, Pose)| closest(piece, &(at * place), &other, &pose).unwrap().distance;
        let least = pieces.iter().map(distance).fold(Real::INFINITY, Real::min);
        let found = closest(&shape, &at, &other, &pose).unwrap().distance;
        assert!((found - least).abs() < 1e-6 * least.max(0.01), "{seed}: {found} of {least}");
    }
}
