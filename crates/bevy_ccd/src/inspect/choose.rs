//! What to look into where nobody has chosen yet.

use bevy::prelude::*;
use ccd_core::dynamics::BodyKind;
use ccd_core::shape::Shape;

use crate::world::CcdWorld;

/// The pair with the smallest gap among those in contact, else of bounding spheres; `None` where nothing can move.
///
/// # Cost
/// O(n²) for n bodies of which no two are in contact.
pub fn nearest_pair(world: &CcdWorld) -> Option<(Entity, Entity)> {
    let touching = world.core().contacts().filter(|(_, contacts)| !contacts.points.is_empty());
    let touching = touching.min_by(|(_, one), (_, other)| one.separation.total_cmp(&other.separation));
    if let Some((pair, _)) = touching {
        return world.entities(pair);
    }
    let bodies: Vec<_> = world
        .bodies()
        .filter(|(_, _, body)| body.shape().is_bounded())
        .map(|(entity, _, body)| {
            let sphere = body.shape().as_solid().bounding_sphere();
            (entity, body.pose() * sphere.centre, sphere.radius, body.kind() != BodyKind::Static)
        })
        .collect();
    let mut best: Option<(f64, (Entity, Entity))> = None;
    for (i, (a, at, radius, movable)) in bodies.iter().enumerate() {
        for (b, other, other_radius, other_movable) in &bodies[i + 1..] {
            let gap = (at - other).norm() - radius - other_radius;
            if (*movable || *other_movable) && best.is_none_or(|(least, _)| gap < least) {
                best = Some((gap, (*a, *b)));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

/// The first body with a surface of faces: a mesh, else a convex polyhedron, else a box; `None` where all are curved.
pub fn first_with_faces(world: &CcdWorld) -> Option<Entity> {
    let rank = |shape: &Shape| match shape {
        Shape::Mesh(_) => Some(0),
        Shape::Convex(_) => Some(1),
        Shape::Box(_) => Some(2),
        _ => None,
    };
    let ranked = world.bodies().filter_map(|(entity, _, body)| Some((rank(body.shape())?, entity)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, entity)| entity)
}
