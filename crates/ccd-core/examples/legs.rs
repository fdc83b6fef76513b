//! What each method of response puts on the legs of a table: `cargo run --release -p ccd-core --example legs`.

use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification};
use ccd_core::math::{Pose, Real};
use ccd_core::shape::Shape;
use ccd_core::world::{ResponseMethod, World, WorldSettings};

const DT: Real = 1.0 / 60.0;
/// The legs, across the table.
const LEGS: [[Real; 2]; 4] = [[-0.4, -0.4], [0.4, -0.4], [-0.4, 0.4], [0.4, 0.4]];
const METHODS: [ResponseMethod; 5] = [
    ResponseMethod::Shock,
    ResponseMethod::Pairwise,
    ResponseMethod::Penalty,
    ResponseMethod::Lcp,
    ResponseMethod::Svd,
];

type Failure = Box<dyn std::error::Error>;

/// A table of 1 kg on the ground, with a crate of 1 kg on it or none. Returns what pushes each leg up after two seconds, N, and how far the table has
/// moved, metres.
fn stand(response: ResponseMethod, load: Option<[Real; 2]>) -> Result<([Real; 4], Real), Failure> {
    let mut world = World::new(WorldSettings { response, sleeping: false, ..WorldSettings::default() })?;
    let mut add = |kind, shape, place: [Real; 3]| {
        let mut body = BodyDefinition::new(kind, shape, Pose::translation(place[0], place[1], place[2]));
        body.mass = MassSpecification::Mass(1.0);
        world.add_body(body)
    };
    let ground = add(BodyKind::Static, Shape::cuboid([2.0, 0.1, 2.0])?, [0.0, -0.1, 0.0])?;
    let top = (Pose::translation(0.0, 0.75, 0.0), Shape::cuboid([0.5, 0.05, 0.5])?);
    let mut parts = vec![top];
    for [x, z] in LEGS {
        parts.push((Pose::translation(x, 0.35, z), Shape::cuboid([0.05, 0.35, 0.05])?));
    }
    let table = add(BodyKind::Dynamic, Shape::compound(parts)?, [0.0, 1e-5, 0.0])?;
    if let Some([x, z]) = load {
        add(BodyKind::Dynamic, Shape::cuboid([0.1; 3])?, [x, 0.9 + 2e-5, z])?;
    }
    let start = world.body(table).map(|body| *body.pose()).unwrap_or_default();
    for _ in 0..120 {
        world.step(DT)?;
    }
    let mut pushes = [0.0; 4];
    for (pair, contacts) in world.contacts().filter(|(pair, _)| pair.a == ground || pair.b == ground) {
        let up = if pair.a == ground { 1.0 } else { -1.0 };
        for (point, impulse) in contacts.points.iter().zip(&contacts.impulses) {
            let leg = usize::from(point.point_a.x > 0.0) + 2 * usize::from(point.point_a.z > 0.0);
            pushes[leg] += up * impulse.y / DT;
        }
    }
    let moved =
        world.body(table).map_or(0.0, |body| (body.pose().translation.vector - start.translation.vector).norm());
    Ok((pushes, moved))
}

fn main() -> Result<(), Failure> {
    for (name, load) in [("the table alone", None), ("a crate of 1 kg over one leg's quarter", Some([0.3, 0.3]))] {
        println!("{name}: legs (N), their sum, how far the table has moved (mm)");
        for method in METHODS {
            let (legs, moved) = stand(method, load)?;
            let told = legs.map(|leg| format!("{leg:7.3}")).join(" ");
            println!("{:>9} {told}  {:7.3}  {:9.2e}", format!("{method:?}"), legs.iter().sum::<Real>(), 1e3 * moved);
        }
    }
    Ok(())
}
