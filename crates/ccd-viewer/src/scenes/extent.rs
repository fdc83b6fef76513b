//! How large a scene is, and how long what is drawn in it is.

use bevy_ccd::convert::from_point;
use ccd_core::dynamics::BodyKind;
use ccd_core::shape::Shape;
use ccd_core::volume::Aabb;
use ccd_core::world::World as ContactWorld;

use crate::stage::StageExtent;

/// What is as many times as wide as all that moves, and what is near it, is no target.
pub(super) const WIDE: f32 = 3.0;

/// Whether a body that never moves reaches as low as all that moves; else the scene hangs, or floats.
pub(super) fn stands(world: &ContactWorld) -> bool {
    let (fixed, moving) = (box_of(world, false), box_of(world, true));
    fixed.min.y.is_finite() && fixed.min.y <= moving.min.y
}

/// The box of all bounded bodies that move, or that never do; empty, with infinite corners, where there are none.
pub(super) fn box_of(world: &ContactWorld, moving: bool) -> Aabb {
    boxes_of(world, moving).fold(Aabb::EMPTY, |all, one| all.merged(&one))
}

/// The boxes of these bodies.
fn boxes_of(world: &ContactWorld, moving: bool) -> impl Iterator<Item = Aabb> {
    world
        .bodies()
        .filter(move |(_, body)| (body.kind() != BodyKind::Static) == moving && body.shape().is_bounded())
        .map(|(_, body)| body.shape().as_solid().local_aabb().transformed(body.pose()))
}

/// How long forces are drawn, metres per newton: in a stack of n bodies they grow from one weight to n, and a body far heavier than the
/// others presses on few contacts.
pub(super) fn force_length(world: &ContactWorld, extent: &StageExtent) -> f32 {
    let gravity = world.settings().gravity.norm().max(1.0);
    let moving = world.bodies().filter(|(_, body)| body.kind() == BodyKind::Dynamic);
    let mut masses: Vec<f64> = moving.map(|(_, body)| body.mass_properties().mass).collect();
    masses.sort_unstable_by(f64::total_cmp);
    let (Some(middle), Some(heaviest)) = (masses.get(masses.len() / 2), masses.last()) else { return 1e-4 };
    let typical = gravity * (middle * (masses.len() as f64).sqrt()).max(heaviest / 6.0);
    if typical > 0.0 { 0.2 * extent.radius / typical as f32 } else { 1e-4 }
}

/// How long normals are drawn, metres: three quarters of what a body is high, so that those of a stack do not run into each other, and neither
/// lost nor in the way in the whole.
pub(super) fn normal_length(world: &ContactWorld, extent: &StageExtent) -> f32 {
    let moving = world.bodies().filter(|(_, body)| body.kind() != BodyKind::Static && body.shape().is_bounded());
    let mut sizes: Vec<f64> = moving
        .map(|(_, body)| {
            let half = body.shape().as_solid().local_aabb().half_extents();
            let mut sides = [half.x, half.y, half.z];
            sides.sort_unstable_by(f64::total_cmp);
            // A stack may be of bodies on their broad sides; that of cards has room between them.
            sides[0].max(0.5 * sides[1])
        })
        .collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let typical = sizes.get(sizes.len() / 2).map_or(extent.radius, |size| *size as f32);
    (1.5 * typical).clamp(0.03 * extent.radius, 0.13 * extent.radius)
}

/// What is lower than this share of its width is a floor.
const FLAT: f64 = 0.15;

/// The height of a unit normal from which on its plane is level.
const LEVEL: f64 = 0.999;

/// How large the scene is: all that moves, and of the rest what is near it.
pub(super) fn extent_of(world: &ContactWorld) -> StageExtent {
    let (moving, fixed) = (box_of(world, true), box_of(world, false));
    let is_box = |aabb: &Aabb| aabb.min.x <= aabb.max.x;
    let whole = if is_box(&moving) {
        // A wide floor must not make what lies on it small; the stairs that it falls down are seen down to their foot.
        let size = moving.half_extents().norm();
        let near = moving.inflated(0.25 * size);
        let is_floor = |aabb: &Aabb| {
            let half = aabb.half_extents();
            half.y < FLAT * half.x.max(half.z) || half.norm() > f64::from(WIDE) * size
        };
        boxes_of(world, false).filter(|one| one.overlaps(&near)).fold(moving, |whole, one| {
            let part = Aabb { min: one.min.sup(&near.min), max: one.max.inf(&near.max) };
            whole.merged(if is_floor(&one) { &part } else { &one })
        })
    } else {
        fixed
    };
    if !is_box(&whole) {
        return StageExtent::default();
    }
    let radius = (whole.half_extents().norm() as f32).max(1e-4);
    let half_space = world.bodies().find_map(|(_, body)| match body.shape() {
        // A wall or a slope is no ground.
        Shape::HalfSpace(half_space) if (body.pose().rotation * half_space.normal()).y > LEVEL => {
            Some(body.pose().translation.vector.y as f32)
        }
        _ => None,
    });
    let lowest = if is_box(&fixed) { whole.min.y.min(fixed.min.y) } else { whole.min.y };
    // What hangs or floats has room to swing.
    let below = if stands(world) { 0.002 } else { 0.3 };
    let ground = half_space.unwrap_or(lowest as f32 - below * radius);
    StageExtent { centre: from_point(&whole.centre()), radius, ground: Some(ground) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::Source;
    use ccd_core::math::Pose;

    #[test]
    fn the_normals_of_a_stack_end_before_those_above_begin() {
        for (scene, height) in [("tower", 1.0), ("pyramid", 1.0), ("arch", 0.5), ("heap", 0.6)] {
            let set = Source::Built(scene.into()).load().unwrap();
            let length = normal_length(&set.world, &extent_of(&set.world));
            assert!((0.3..0.95).contains(&(length / height)), "{scene}: {length} m of {height} m");
        }
    }

    #[test]
    fn the_weight_of_a_light_box_is_drawn_to_be_seen_and_that_of_a_heavy_one_within_the_picture() {
        for (scene, least) in [("see-saw", 0.02), ("tower", 0.01), ("mass-ratio", 0.0)] {
            let set = Source::Built(scene.into()).load().unwrap();
            let extent = extent_of(&set.world);
            let weights = set.world.bodies().filter(|(_, body)| body.kind() == BodyKind::Dynamic);
            let weights: Vec<f64> = weights.map(|(_, body)| 9.81 * body.mass_properties().mass).collect();
            // A box stands on four contacts.
            let share = |weight: f64| force_length(&set.world, &extent) * (weight / 4.0) as f32 / extent.radius;
            let lightest = share(weights.iter().copied().fold(f64::INFINITY, f64::min));
            let heaviest = share(weights.iter().copied().fold(0.0, f64::max));
            assert!(lightest > least && heaviest < 0.4, "{scene}: {lightest} to {heaviest}");
        }
    }

    #[test]
    fn what_falls_off_the_floor_lands_on_the_ground_that_is_drawn() {
        let mut set = Source::Built("tower".into()).load().unwrap();
        let ground = f64::from(extent_of(&set.world).ground.unwrap());
        let (top, _) = set.world.bodies().filter(|(_, body)| body.kind() == BodyKind::Dynamic).last().unwrap();
        let beside = box_of(&set.world, false).max.x + 5.0;
        set.world.set_pose(top, Pose::translation(beside, ground + 2.0, 0.0)).unwrap();
        for _ in 0..90 {
            set.world.step(set.stated.dt).unwrap();
        }
        let lowest = box_of(&set.world, true).min.y - ground;
        assert!((0.0..0.01).contains(&lowest), "it lies {lowest} m over the ground");
    }

    #[test]
    fn the_ground_lies_in_the_half_space_that_is_a_floor_and_not_in_one_that_is_a_wall() {
        use ccd_core::dynamics::BodyDefinition;
        use ccd_core::math::{Rotation, Vector};

        let mut world = ContactWorld::default();
        let mut add = |kind, shape, pose| world.add_body(BodyDefinition::new(kind, shape, pose)).unwrap();
        let up = || Shape::half_space(Vector::y()).unwrap();
        let turned = Rotation::from_scaled_axis(Vector::z() * std::f64::consts::FRAC_PI_2);
        add(BodyKind::Static, Shape::half_space(Vector::x()).unwrap(), Pose::translation(-5.0, 7.0, 0.0));
        add(BodyKind::Static, up(), Pose::from_parts(Vector::new(5.0, 3.0, 0.0).into(), turned));
        add(BodyKind::Static, up(), Pose::translation(0.0, -1.0, 0.0));
        add(BodyKind::Dynamic, Shape::ball(0.5).unwrap(), Pose::identity());
        assert_eq!(extent_of(&world).ground, Some(-1.0));
    }

    #[test]
    fn a_chain_that_hangs_has_no_ground_to_lie_on() {
        let set = Source::Built("chain".into()).load().unwrap();
        assert!(set.world.bodies().all(|(_, body)| body.shape().is_bounded()));
        let below = box_of(&set.world, true).min.y - f64::from(extent_of(&set.world).ground.unwrap());
        assert!(below > 0.1 * f64::from(extent_of(&set.world).radius), "{below}");
    }

    #[test]
    fn stairs_that_bodies_fall_down_are_seen_whole() {
        let set = Source::Built("dumb-bells".into()).load().unwrap();
        let (_, stair) = set.world.bodies().nth(1).unwrap();
        let whole = stair.shape().as_solid().local_aabb().transformed(stair.pose());
        let (extent, end) = (extent_of(&set.world), from_point(&whole.max));
        assert!(whole.half_extents().norm() > 2.0, "it is the stair");
        assert!((end.with_y(0.0) - extent.centre.with_y(0.0)).length() < 1.01 * extent.radius, "{extent:?}, {end}");
        assert!(extent.radius < 6.0, "its floor is 60 m wide: {extent:?}");
    }

    #[test]
    fn a_wide_floor_does_not_make_a_small_scene_large() {
        let set = Source::Built("tower".into()).load().unwrap();
        let extent = extent_of(&set.world);
        // The tower is 20 m high; its floor is much wider.
        assert!(extent.radius < 15.0, "{extent:?}");
    }
}
