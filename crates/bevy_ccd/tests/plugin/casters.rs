//! Rays and shapes that are cast at every step.

use crate::common::*;

fn ray_hits(app: &App, entity: Entity) -> Vec<Entity> {
    app.world().get::<RayHits>(entity).expect("hits").iter().map(|hit| hit.entity).collect()
}

fn shape_hits(app: &App, entity: Entity) -> Vec<Entity> {
    app.world().get::<ShapeHits>(entity).expect("hits").iter().map(|hit| hit.entity).collect()
}

/// Static balls of radius ½ at these places on the x axis.
fn row(app: &mut App, at: &[f32]) -> Vec<Entity> {
    let ball = |x: &f32| (RigidBody::Static, Collider::sphere(0.5), Transform::from_xyz(*x, 0.0, 0.0));
    at.iter().map(|x| app.world_mut().spawn(ball(x)).id()).collect()
}

#[test]
fn a_ray_meets_each_body_once_the_nearest_first_and_no_more_than_asked_for() {
    let mut app = still_app();
    let row = row(&mut app, &[5.0, 3.0, 9.0]);
    let caster = app.world_mut().spawn(RayCaster::new(Vec3::ZERO, Dir3::X)).id();
    run(&mut app, 1);
    assert_eq!(ray_hits(&app, caster), [row[1], row[0], row[2]]);
    let first = app.world().get::<RayHits>(caster).expect("hits")[0];
    assert!((first.distance - 2.5).abs() < 1e-5 && (first.normal + Vec3::X).length() < 1e-5);
    assert_eq!(first.collider, row[1]);
    let mut set = |change: &dyn Fn(RayCaster) -> RayCaster, expected: &[Entity]| {
        app.world_mut().entity_mut(caster).insert(change(RayCaster::new(Vec3::ZERO, Dir3::X)));
        run(&mut app, 1);
        assert_eq!(ray_hits(&app, caster), expected);
    };
    set(&|ray| ray.with_max_hits(2), &[row[1], row[0]]);
    set(&|ray| ray.with_max_hits(1), &[row[1]]);
    set(&|ray| ray.with_max_hits(0), &[]);
    set(&|ray| ray.with_max_distance(5.0), &[row[1], row[0]]);
    set(&|ray| ray.with_origin(Vec3::X * 4.0).with_max_distance(5.0), &[row[0], row[2]]);
    set(&|ray| ray.with_direction(Dir3::Y), &[]);
    set(&|ray| ray.with_query_filter(SpatialQueryFilter::from_excluded_entities([row[0]])), &[row[1], row[2]]);
    let disabled = |mut ray: RayCaster| {
        ray.disable();
        ray
    };
    set(&disabled, &[]);
    app.world_mut().get_mut::<RayCaster>(caster).expect("a caster").enable();
    run(&mut app, 1);
    assert_eq!(ray_hits(&app, caster), [row[1], row[0], row[2]]);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_caster_meets_its_own_body_where_it_is_not_told_to_pass_over_it() {
    let mut app = still_app();
    let row = row(&mut app, &[0.0, 3.0]);
    for (ignores, expected) in [(true, &row[1..]), (false, &row[..])] {
        let ray = RayCaster::new(Vec3::ZERO, Dir3::X).with_ignore_self(ignores);
        let shape = ShapeCaster::new(Sphere::new(0.1), Vec3::ZERO, Quat::IDENTITY, Dir3::X).with_max_hits(9);
        app.world_mut().entity_mut(row[0]).insert((ray, shape.with_ignore_self(ignores)));
        run(&mut app, 1);
        assert_eq!(ray_hits(&app, row[0]), expected);
        assert_eq!(shape_hits(&app, row[0]), expected);
    }
}

#[test]
fn a_ray_goes_with_the_body_that_it_is_on_and_passes_over_it_and_its_sensors() {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let walker = (RigidBody::Dynamic, Collider::capsule(0.3, 1.0), LockedAxes::ROTATION_LOCKED);
    let walker = (walker, Transform::from_xyz(0.0, 5.0, 0.0).with_rotation(Quat::from_rotation_y(1.0)));
    let walker = app.world_mut().spawn((walker, RayCaster::new(Vec3::ZERO, Dir3::NEG_Y))).id();
    let feet = (Collider::sphere(0.2), Sensor, Transform::from_xyz(0.0, -0.8, 0.0), ChildOf(walker));
    let feet = app.world_mut().spawn(feet).id();
    let eye = (RayCaster::new(Vec3::Z, Dir3::NEG_Y), Transform::from_xyz(0.0, 0.5, 0.0), ChildOf(walker));
    let eye = app.world_mut().spawn(eye).id();
    for _ in 0..90 {
        run(&mut app, 1);
        for (caster, above) in [(walker, 0.0), (eye, 0.5)] {
            let hits = app.world().get::<RayHits>(caster).expect("hits");
            assert_eq!(ray_hits(&app, caster), [floor]);
            // The poses after this step, not those before it.
            assert!((hits[0].distance - place(&app, walker).y - above).abs() < 1e-5, "{hits:?}");
        }
    }
    let from = app.world().get::<RayCaster>(eye).expect("a caster").global_origin();
    let expected = place(&app, walker) + Vec3::Y * 0.5 + Quat::from_rotation_y(1.0) * Vec3::Z;
    assert!((from - expected).length() < 1e-4, "{from} and not {expected}");
    app.world_mut().get_mut::<RayCaster>(eye).expect("a caster").ignore_self = false;
    app.world_mut().get_mut::<RayCaster>(eye).expect("a caster").origin = Vec3::ZERO;
    run(&mut app, 1);
    assert_eq!(ray_hits(&app, eye), [walker, feet, floor]);
}

#[test]
fn hits_are_changed_only_where_they_are_others() {
    #[derive(Resource, Default)]
    struct Seen(u32);
    let mut app = still_app();
    app.init_resource::<Seen>();
    app.add_systems(
        Last,
        (|changed: Query<(), Or<(Changed<RayHits>, Changed<RayCaster>, Changed<ShapeHits>, Changed<ShapeCaster>)>>,
          mut seen: ResMut<Seen>| { seen.0 += u32::from(!changed.is_empty()) })
        .ambiguous_with_all(),
    );
    let row = row(&mut app, &[3.0]);
    let casters = (
        RayCaster::new(Vec3::ZERO, Dir3::X),
        ShapeCaster::new(Collider::sphere(0.1), Vec3::ZERO, Quat::IDENTITY, Dir3::X),
    );
    app.world_mut().spawn(casters);
    run(&mut app, 20);
    assert_eq!(app.world().resource::<Seen>().0, 1);
    app.world_mut().despawn(row[0]);
    run(&mut app, 20);
    assert_eq!(app.world().resource::<Seen>().0, 2);
}

#[test]
fn a_shape_meets_what_a_ray_would_miss_and_comes_no_further_than_it_can() {
    let mut app = still_app();
    let row = row(&mut app, &[5.0, 3.0]);
    let shape = ShapeCaster::new(Collider::cuboid(0.2, 2.0, 2.0), Vec3::Y * 1.2, Quat::IDENTITY, Dir3::X);
    let caster = app.world_mut().spawn((shape.clone(), RayCaster::new(Vec3::Y * 1.2, Dir3::X))).id();
    run(&mut app, 1);
    assert_eq!(ray_hits(&app, caster), []);
    assert_eq!(shape_hits(&app, caster), [row[1]]);
    let hit = app.world().get::<ShapeHits>(caster).expect("hits")[0];
    let expected = 3.0 - 0.1 - (0.5_f32.powi(2) - 0.2_f32.powi(2)).sqrt();
    assert!(hit.distance <= expected && hit.distance > expected - 1e-3, "{} of {expected}", hit.distance);
    app.world_mut().entity_mut(caster).insert(shape.clone().with_max_hits(5));
    run(&mut app, 1);
    assert_eq!(shape_hits(&app, caster), [row[1], row[0]]);
    app.world_mut().entity_mut(caster).insert(shape.with_max_distance(2.0));
    run(&mut app, 1);
    assert_eq!(shape_hits(&app, caster), []);
}

#[test]
fn a_shape_that_cannot_be_cast_is_told_of_once_and_has_no_hits() {
    let mut app = still_app();
    row(&mut app, &[3.0]);
    let caster = ShapeCaster::new(Collider::sphere(-1.0), Vec3::ZERO, Quat::IDENTITY, Dir3::X);
    let caster = app.world_mut().spawn(caster).id();
    run(&mut app, 5);
    let problems = take::<CcdProblem>(&mut app);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].entity, Some(caster));
    assert_eq!(shape_hits(&app, caster), []);
}

#[test]
fn a_ray_that_is_none_is_told_of_once_and_has_no_hits_until_it_is_one_again() {
    let mut app = still_app();
    let row = row(&mut app, &[3.0]);
    let caster = app.world_mut().spawn(RayCaster::new(Vec3::ZERO, Dir3::X).with_max_hits(1)).id();
    run(&mut app, 1);
    assert_eq!(ray_hits(&app, caster), [row[0]]);
    // By another number, and after it was one again.
    for (max_hits, y, problems) in [(1, f32::NAN, 1), (u32::MAX, f32::INFINITY, 0), (1, 0.0, 0), (1, f32::NAN, 1)] {
        let mut ray = app.world_mut().get_mut::<RayCaster>(caster).expect("a caster");
        (ray.max_hits, ray.origin) = (max_hits, Vec3::Y * y);
        run(&mut app, 5);
        assert_eq!(ray_hits(&app, caster).is_empty(), y != 0.0);
        let told = take::<CcdProblem>(&mut app);
        assert_eq!(told.len(), problems, "{y}: {told:?}");
        assert!(told.iter().all(|problem| problem.entity == Some(caster)));
    }
    app.world_mut().get_mut::<RayCaster>(caster).expect("a caster").origin = Vec3::ZERO;
    run(&mut app, 1);
    assert_eq!(ray_hits(&app, caster), [row[0]]);
}

#[test]
fn casters_may_pass_over_what_they_begin_in() {
    let mut app = still_app();
    let row = row(&mut app, &[0.2, 3.0]);
    let filter = SpatialQueryFilter::default().with_ignore_origin_penetration(true);
    let casters = (
        RayCaster::new(Vec3::ZERO, Dir3::X),
        ShapeCaster::new(Collider::sphere(0.1), Vec3::ZERO, Quat::IDENTITY, Dir3::X),
    );
    let caster = app.world_mut().spawn(casters.clone()).id();
    run(&mut app, 1);
    assert_eq!((ray_hits(&app, caster), shape_hits(&app, caster)), (vec![row[0], row[1]], vec![row[0]]));
    let (ray, shape) = (casters.0.with_query_filter(filter.clone()), casters.1.with_query_filter(filter));
    app.world_mut().entity_mut(caster).insert((ray, shape));
    run(&mut app, 1);
    assert_eq!((ray_hits(&app, caster), shape_hits(&app, caster)), (vec![row[1]], vec![row[1]]));
}

#[test]
fn a_caster_looks_along_its_axes_whatever_its_own_scale_and_along_mirrored_ones_below_what_is_mirrored() {
    let mut app = still_app();
    let floor = app.world_mut().spawn(floor()).id();
    let scales = [Vec3::new(1.0, -1.0, 1.0), Vec3::new(-1.0, 1.0, 1.0), Vec3::new(1.0, 2.0, -3.0), Vec3::ZERO];
    for scale in scales {
        let place = Transform::from_xyz(0.0, 5.0, 0.0).with_rotation(Quat::from_rotation_y(0.7)).with_scale(scale);
        let down = app.world_mut().spawn((RayCaster::new(Vec3::ZERO, Dir3::NEG_Y), place)).id();
        let shape = ShapeCaster::new(Collider::sphere(0.1), Vec3::ZERO, Quat::IDENTITY, Dir3::NEG_Y);
        let falling = app.world_mut().spawn((shape, place)).id();
        run(&mut app, 1);
        assert_eq!((ray_hits(&app, down), shape_hits(&app, falling)), (vec![floor], vec![floor]), "{scale}");
        if scale == Vec3::ZERO {
            continue;
        }
        let own = Transform::from_xyz(0.1, 0.2, 0.3).with_rotation(Quat::from_scaled_axis(Vec3::new(0.3, 0.5, -0.4)));
        let even = place.with_scale(scale.signum());
        let above = app.world_mut().spawn(even).id();
        for direction in [Dir3::X, Dir3::Y, Dir3::Z] {
            let caster = (RayCaster::new(Vec3::X, direction), own, ChildOf(above));
            let caster = app.world_mut().spawn(caster).id();
            run(&mut app, 1);
            let global = *app.world().get::<GlobalTransform>(caster).expect("propagated");
            let caster = app.world().get::<RayCaster>(caster).expect("a caster");
            let wanted = global.affine().transform_vector3(*direction);
            let found = *caster.global_direction();
            assert!((found - wanted).length() < 1e-5, "below {scale} {direction:?} is {found} and not {wanted}");
            let (found, wanted) = (caster.global_origin(), global.transform_point(Vec3::X));
            assert!((found - wanted).length() < 1e-5, "below {scale} it is at {found} and not {wanted}");
        }
    }
}
