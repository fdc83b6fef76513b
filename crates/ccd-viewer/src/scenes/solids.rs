//! A scene for each kind of solid: a few of the kind fall onto a step and a floor, drawn from the surface that collides.

use bevy::prelude::Vec3;
use ccd_core::dynamics::{BodyDefinition, BodyKind, Material};
use ccd_core::geometry::field::Operation;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World as ContactWorld, WorldSettings};
use ccd_scenes::cases::{Pots, Scene};
use ccd_scenes::models::{Model, Torus};

use super::made::{Failure, Made, Play};
use super::stated::{Stated, StatedBody};
use crate::camera::View;

/// One for each kind, in the order of the list.
pub const SCENES: [Made; 12] = [
    Made::own("solid-primitives", "sphere, capsule, cylinder, cone and box", primitives),
    Made::own("solid-convex", "convex polyhedra: hulls of points", convex),
    Made::own("solid-mesh", "triangle meshes that are not convex: rings", mesh),
    Made::own("solid-torus", "implicit tori", torus),
    Made::own("solid-ellipsoid", "implicit ellipsoids", ellipsoid),
    Made::own("solid-superquadric", "implicit superquadrics, from pillow to barrel", superquadric),
    Made::own("solid-rounded-box", "implicit boxes with rounded edges", rounded_box),
    Made::own("solid-gyroid", "balls on a sheet along a gyroid", gyroid),
    Made::own("solid-csg", "constructive geometry: a union, an intersection, differences", csg),
    Made::own("solid-distance-grid", "a grid of signed distances made from a mesh", distance_grid),
    Made::own("solid-bezier", "a pot of bicubic Bézier patches", bezier),
    Made::own("solid-compound", "compounds: several solids as one body", compound),
];

/// How far apart the falling bodies begin, metres: all kinds fit into a ball of half of it.
const PITCH: Real = 1.3;
const DT: Real = 1.0 / 60.0;

/// These shapes in a row, each turned otherwise, over a floor with a step in it.
fn falling(shapes: Vec<Shape>) -> Result<Play, Failure> {
    let mut cast = Cast::on_a_floor()?;
    let step = Shape::cuboid([0.6, 0.15, 1.2])?;
    cast.add("step", BodyKind::Static, step, Pose::translation(0.0, 0.15, 0.0))?;
    let middle = 0.5 * (shapes.len() as Real - 1.0);
    for (index, shape) in shapes.into_iter().enumerate() {
        let i = index as Real;
        let turn = Rotation::from_scaled_axis(Vector::new(0.5 + 0.3 * i, 0.4 * i, 0.35 - 0.2 * i));
        let place = Vector::new((i - middle) * PITCH * 0.8, 1.1 + 0.25 * i, 0.1 * i);
        let kind = shape.as_solid().kind();
        cast.add(&format!("{kind}-{index}"), BodyKind::Dynamic, shape, Pose::from_parts(place.into(), turn))?;
    }
    Ok(cast.play())
}

/// A world in the making, with what is stated of it.
struct Cast {
    world: ContactWorld,
    bodies: Vec<StatedBody>,
}

impl Cast {
    fn on_a_floor() -> Result<Self, Failure> {
        let mut cast = Self { world: ContactWorld::new(WorldSettings::default())?, bodies: Vec::new() };
        let floor = Shape::cuboid([4.0, 0.25, 3.0])?;
        cast.add("floor", BodyKind::Static, floor, Pose::translation(0.0, -0.25, 0.0))?;
        Ok(cast)
    }

    fn add(&mut self, name: &str, kind: BodyKind, shape: Shape, pose: Pose) -> Result<(), Failure> {
        self.world.add_body(BodyDefinition::new(kind, shape, pose))?;
        self.bodies.push(StatedBody { name: name.into(), ..StatedBody::default() });
        Ok(())
    }

    fn play(self) -> Play {
        let surface = Material::default();
        let stated =
            Stated { dt: DT, friction: surface.friction, restitution: surface.restitution, bodies: self.bodies };
        let view = View { focus: Vec3::new(0.0, 0.5, 0.0), distance: 6.0, yaw: 0.45, pitch: 0.35 };
        Play { world: self.world, stated, rate: 1.0, view: Some(view), window: None, pair: None, show: Vec::new() }
    }
}

fn primitives() -> Result<Play, Failure> {
    falling(vec![
        Shape::ball(0.35)?,
        Shape::capsule(0.2, 0.3)?,
        Shape::cylinder(0.3, 0.25)?,
        Shape::cone(0.4, 0.35)?,
        Shape::cuboid([0.3, 0.2, 0.35])?,
    ])
}

fn convex() -> Result<Play, Failure> {
    // An octahedron, a prism over a pentagon, and a cut gem.
    let octahedron: Vec<Point> = [[0.45, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.4]]
        .into_iter()
        .flat_map(|p| [Point::from(p), Point::from(p.map(|c| -c))])
        .collect();
    let ring = |corners: u32, radius: Real, height: Real| {
        (0..corners).map(move |i| {
            let angle = std::f64::consts::TAU * Real::from(i) / Real::from(corners);
            Point::new(radius * angle.cos(), height, radius * angle.sin())
        })
    };
    let prism: Vec<Point> = ring(5, 0.4, -0.25).chain(ring(5, 0.4, 0.25)).collect();
    let gem: Vec<Point> = ring(12, 0.3, 0.25).chain(ring(12, 0.5, 0.1)).chain([Point::new(0.0, -0.4, 0.0)]).collect();
    falling(vec![Shape::convex_hull(&octahedron)?, Shape::convex_hull(&prism)?, Shape::convex_hull(&gem)?])
}

fn ring_mesh() -> Result<Shape, Failure> {
    let ring = Torus { major_radius: 0.4, minor_radius: 0.13, ..Torus::default() };
    Ok(Shape::mesh(ring.build()?)?)
}

fn mesh() -> Result<Play, Failure> {
    let ring = ring_mesh()?;
    falling(vec![ring.clone(), ring.clone(), ring])
}

fn torus() -> Result<Play, Failure> {
    falling(vec![Shape::torus(0.4, 0.13)?, Shape::torus(0.3, 0.2)?, Shape::torus(0.45, 0.08)?])
}

fn ellipsoid() -> Result<Play, Failure> {
    falling(vec![
        Shape::ellipsoid([0.5, 0.2, 0.35])?,
        Shape::ellipsoid([0.25, 0.5, 0.25])?,
        Shape::ellipsoid([0.5, 0.12, 0.5])?,
    ])
}

fn superquadric() -> Result<Play, Failure> {
    falling(vec![
        Shape::superquadric([0.4, 0.3, 0.4], [0.4, 0.4])?,
        Shape::superquadric([0.4, 0.4, 0.3], [0.5, 1.0])?,
        Shape::superquadric([0.45, 0.45, 0.45], [1.5, 1.0])?,
    ])
}

fn rounded_box() -> Result<Play, Failure> {
    falling(vec![
        Shape::rounded_box([0.25, 0.15, 0.2], 0.1)?,
        Shape::rounded_box([0.1, 0.35, 0.1], 0.12)?,
        Shape::rounded_box([0.35, 0.02, 0.35], 0.06)?,
    ])
}

fn gyroid() -> Result<Play, Failure> {
    let mut cast = Cast::on_a_floor()?;
    let sheet = Shape::gyroid_sheet([0.6, 0.3, 0.6], 1.2, 0.4)?;
    cast.add("gyroid", BodyKind::Static, sheet, Pose::translation(0.0, 0.35, 0.0))?;
    for index in 0..3_i32 {
        let i = Real::from(index);
        let place = Pose::translation(0.36 * (i - 1.0), 0.95 + 0.1 * i, 0.2 * (i * 2.4).sin());
        cast.add(&format!("ball-{index}"), BodyKind::Dynamic, Shape::ball(0.14)?, place)?;
    }
    Ok(cast.play())
}

fn csg() -> Result<Play, Failure> {
    let here = Pose::identity();
    let across =
        Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(Vector::x() * std::f64::consts::FRAC_PI_2));
    let drilled = Shape::csg(
        Operation::Difference,
        &[(Shape::cuboid([0.35; 3])?, here), (Shape::cylinder(0.2, 0.5)?, here), (Shape::cylinder(0.2, 0.5)?, across)],
    )?;
    let rounded =
        Shape::csg(Operation::Intersection, &[(Shape::cuboid([0.35; 3])?, here), (Shape::ball(0.45)?, here)])?;
    let snowman = Shape::csg(
        Operation::Union,
        &[
            (Shape::ball(0.32)?, Pose::translation(0.0, -0.15, 0.0)),
            (Shape::ball(0.22)?, Pose::translation(0.0, 0.28, 0.0)),
        ],
    )?;
    falling(vec![drilled, rounded, snowman])
}

fn distance_grid() -> Result<Play, Failure> {
    let ring = Shape::distance_grid(&ring_mesh()?, 0.03)?;
    let block = Shape::distance_grid(&Shape::cuboid([0.3, 0.2, 0.25])?, 0.04)?;
    falling(vec![ring, block, Shape::ball(0.25)?])
}

fn bezier() -> Result<Play, Failure> {
    let pots = Pots { count: 1, foot_radius: 0.2 }.build()?;
    let (_, surface) = pots.patches.into_iter().next().ok_or("the builder makes no pot")?;
    falling(vec![Shape::ball(0.25)?, Shape::patches(surface), Shape::cuboid([0.2; 3])?])
}

fn compound() -> Result<Play, Failure> {
    let at = Pose::translation;
    let bar = || Shape::capsule(0.08, 0.35);
    let lying =
        Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(Vector::z() * std::f64::consts::FRAC_PI_2));
    let dumb_bell =
        [(lying, bar()?), (at(0.35, 0.0, 0.0), Shape::ball(0.18)?), (at(-0.35, 0.0, 0.0), Shape::ball(0.18)?)];
    let cross = [(Pose::identity(), bar()?), (lying, bar()?)];
    let chair = [
        (at(0.0, 0.0, 0.0), Shape::cuboid([0.25, 0.04, 0.25])?),
        (at(0.0, 0.3, -0.21), Shape::cuboid([0.25, 0.26, 0.04])?),
        (at(0.2, -0.24, 0.2), Shape::cuboid([0.04, 0.2, 0.04])?),
        (at(-0.2, -0.24, 0.2), Shape::cuboid([0.04, 0.2, 0.04])?),
        (at(0.2, -0.24, -0.2), Shape::cuboid([0.04, 0.2, 0.04])?),
        (at(-0.2, -0.24, -0.2), Shape::cuboid([0.04, 0.2, 0.04])?),
    ];
    falling(vec![Shape::compound(dumb_bell)?, Shape::compound(cross)?, Shape::compound(chair)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::shapes::{CURVE_ERROR, mesh_of};
    use bevy::mesh::VertexAttributeValues;
    use bevy_ccd::convert::to_point;
    use ccd_core::detection::closest::closest;

    /// Whether the surface of a shape is within `reach` of a place; of a compound, whether the place is no further outside it,
    /// for its parts reach into each other.
    fn is_near_the_surface(shape: &Shape, at: &Point, reach: Real) -> bool {
        if let Shape::Field(field) = shape {
            // Between a place inside and one outside there is a surface.
            let field = field.as_field();
            let steps = || (-1..=1).map(Real::from);
            let around = steps().flat_map(|x| steps().flat_map(move |y| steps().map(move |z| Vector::new(x, y, z))));
            let ways = around.filter_map(|way| way.try_normalize(0.5));
            let inside = field.contains(at);
            return ways.map(|way| at + way * reach).any(|other| field.contains(&other) != inside);
        }
        let found = closest(shape, &Pose::identity(), &Shape::ball(1e-9).unwrap(), &Pose::from(*at)).unwrap();
        let off = if matches!(shape, Shape::Compound(_)) { found.distance } else { found.distance.abs() };
        off <= reach
    }

    #[test]
    fn what_is_drawn_is_the_surface_that_collides_up_to_its_stated_error() {
        for made in SCENES {
            let play = made.make().unwrap_or_else(|error| panic!("{}: {error}", made.name));
            for (id, body) in play.world.bodies() {
                let Some(mesh) = mesh_of(body.shape()) else { continue };
                let Some(VertexAttributeValues::Float32x3(corners)) =
                    mesh.attribute(bevy::mesh::Mesh::ATTRIBUTE_POSITION)
                else {
                    panic!("{}: {id} has no positions", made.name)
                };
                let radius = body.shape().as_solid().bounding_sphere().radius;
                for corner in corners.iter().step_by(corners.len() / 30 + 1) {
                    let at = to_point(Vec3::from(*corner));
                    let near = is_near_the_surface(body.shape(), &at, CURVE_ERROR * radius);
                    assert!(near, "{}: {id} is drawn off its surface at {at}", made.name);
                }
            }
        }
    }
}
