//! The outlines of colliders: what bodies meet by, whatever is drawn of them.

use std::collections::{BTreeMap, BTreeSet};

use bevy::gizmos::config::GizmoConfigStore;
use bevy::gizmos::gizmos::Gizmos;
use bevy::prelude::*;
use bevy::tasks::futures::check_ready;
use bevy::tasks::{AsyncComputeTaskPool, Task};
use ccd_core::geometry::primitive::HalfSpace;
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose};
use ccd_core::shape::Shape;

use super::CcdGizmos;
use super::hierarchies::geometries;
use crate::components::{RigidBody, Sensor, Sleeping};
use crate::convert::{from_point, from_pose, from_vector};
use crate::debug::CcdDebug;
use crate::sync::{CcdBody, shown_at};
use crate::world::CcdWorld;

/// How far the lines of a curved solid may lie from it, as a share of its size.
const CURVE_ERROR: f64 = 1e-2;
/// How much of a half-space is drawn, metres, and in how many squares.
const PLANE_SIZE: f32 = 20.0;
const PLANE_SQUARES: u32 = 20;

/// A line of an outline, in the frame of its shape.
type Line = [Vec3; 2];

/// The outlines of surfaces that bend, found beside the frames, of each part of a body.
#[derive(Resource, Default)]
pub struct CcdOutlines(BTreeMap<Part, Entry>);

impl CcdOutlines {
    /// Whether any of them is still being found, beside the frames.
    pub fn is_building(&self) -> bool {
        self.0.values().any(|entry| matches!(entry.state, State::Building(_)))
    }
}

/// A part of a body: what the body is made of, for another world gives the same names again; its name, for in a state from before it was
/// built anew it was made of something else; and the number of the part.
type Part = (u64, BodyId, usize);

struct Entry {
    state: State,
    /// Whether a body had it in this frame.
    is_drawn: bool,
}

enum State {
    Building(Task<Vec<Line>>),
    Ready(Vec<Line>),
}

/// Draws each collider where its body is shown, in the colour of what the body does.
pub(super) fn draw_colliders(
    mut gizmos: Gizmos<CcdGizmos>,
    mut outlines: ResMut<CcdOutlines>,
    config: Res<GizmoConfigStore>,
    debug: Res<CcdDebug>,
    world: Res<CcdWorld>,
    bodies: Query<(&CcdBody, &GlobalTransform, &Transform, Option<&RigidBody>, Has<Sensor>, Has<Sleeping>)>,
) {
    if !debug.colliders {
        outlines.0.clear();
        return;
    }
    let (_, colours) = config.config::<CcdGizmos>();
    for (body, global, own, kind, is_sensor, sleeps) in &bodies {
        let (id, making) = (body.id(), body.making());
        let Some(body) = world.core().body(id) else { continue };
        let colour = match kind {
            None => colours.sensor,
            _ if is_sensor => colours.sensor,
            Some(RigidBody::Static) => colours.static_collider,
            Some(RigidBody::Kinematic) => colours.kinematic_collider,
            Some(RigidBody::Dynamic) if sleeps => colours.sleeping_collider,
            Some(RigidBody::Dynamic) => colours.collider,
        };
        let shown = shown_at(global, own);
        for (part, (shape, pose)) in geometries(body.shape(), &Pose::identity()).into_iter().enumerate() {
            let place = shown * from_pose(&pose);
            if !draw_simple(&mut gizmos, shape, place, colour) {
                for [from, to] in outlines.of((making, id, part), shape) {
                    gizmos.line(place * *from, place * *to, colour);
                }
            }
        }
    }
    outlines.0.retain(|_, entry| std::mem::take(&mut entry.is_drawn));
}

impl CcdOutlines {
    /// The lines of a surface that bends; none as long as they are being found.
    fn of(&mut self, part: Part, shape: &Shape) -> &[Line] {
        let find = || match AsyncComputeTaskPool::try_get() {
            Some(pool) => {
                let shape = shape.clone();
                State::Building(pool.spawn(async move { lines_of(&shape) }))
            }
            None => State::Ready(lines_of(shape)),
        };
        let entry = self.0.entry(part).or_insert_with(|| Entry { state: find(), is_drawn: true });
        entry.is_drawn = true;
        if let State::Building(task) = &mut entry.state
            && let Some(lines) = check_ready(task)
        {
            entry.state = State::Ready(lines);
        }
        match &entry.state {
            State::Building(_) => &[],
            State::Ready(lines) => lines,
        }
    }
}

/// Draws what its sizes or its edges tell all of. Returns whether it was such.
fn draw_simple(gizmos: &mut Gizmos<CcdGizmos>, shape: &Shape, place: Isometry3d, colour: Color) -> bool {
    let mut edges = |vertices: &[Point], edges: &mut dyn Iterator<Item = [u32; 2]>| {
        for [from, to] in edges {
            let end = |vertex: u32| vertices.get(vertex as usize).map(|vertex| place * from_point(vertex));
            if let (Some(from), Some(to)) = (end(from), end(to)) {
                gizmos.line(from, to, colour);
            }
        }
    };
    match shape {
        Shape::Convex(hull) => edges(hull.vertices(), &mut hull.edges().iter().map(|edge| edge.vertices)),
        Shape::Mesh(mesh) => edges(mesh.mesh().vertices(), &mut mesh.topology().edges().iter().copied()),
        Shape::Box(cuboid) => {
            let size = 2.0 * from_vector(&cuboid.half_extents());
            gizmos.cube(Transform::from_isometry(place).with_scale(size), colour);
        }
        Shape::Ball(ball) => _ = gizmos.sphere(place, ball.radius() as f32, colour),
        Shape::Capsule(capsule) => {
            let capsule = Capsule3d::new(capsule.radius() as f32, 2.0 * capsule.half_height() as f32);
            gizmos.primitive_3d(&capsule, place, colour);
        }
        Shape::Cylinder(cylinder) => {
            let cylinder = Cylinder::new(cylinder.radius() as f32, 2.0 * cylinder.half_height() as f32);
            gizmos.primitive_3d(&cylinder, place, colour);
        }
        Shape::Cone(cone) => {
            let cone = Cone::new(cone.radius() as f32, 2.0 * cone.half_height() as f32);
            gizmos.primitive_3d(&cone, place, colour);
        }
        Shape::HalfSpace(half_space) => {
            let squares = Vec2::splat(PLANE_SIZE / PLANE_SQUARES as f32);
            let plane = place * Isometry3d::from_rotation(plane_of(half_space));
            gizmos.grid(plane, UVec2::splat(PLANE_SQUARES), squares, colour).outer_edges();
        }
        Shape::Field(_) | Shape::Patches(_) | Shape::Custom(_) | Shape::Compound(_) => return false,
    }
    true
}

/// Turns z to the half-space's normal.
fn plane_of(half_space: &HalfSpace) -> Quat {
    Quat::from_rotation_arc(Vec3::Z, from_vector(&half_space.normal()).normalize_or(Vec3::Z))
}

/// The edges of a surface that bends, or of its facets where it names none; none of an unbounded one.
fn lines_of(shape: &Shape) -> Vec<Line> {
    let solid = shape.as_solid();
    let radius = solid.bounding_sphere().radius;
    if !radius.is_finite() {
        return Vec::new();
    }
    let features = solid.features(radius * CURVE_ERROR);
    let of_faces = features.faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let edges: BTreeSet<[u32; 2]> =
        features.edges.iter().copied().chain(of_faces).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    let vertex = |index: u32| features.vertices.get(index as usize).map(from_point);
    edges.into_iter().filter_map(|[a, b]| Some([vertex(a)?, vertex(b)?])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_curved_solid_lie_on_it_and_each_is_drawn_once() {
        let ellipsoid = Shape::ellipsoid([1.0, 2.0, 0.5]).expect("an ellipsoid");
        let lines = lines_of(&ellipsoid);
        assert!(lines.len() > 50, "{} lines", lines.len());
        for end in lines.iter().flatten() {
            let off = (*end / Vec3::new(1.0, 2.0, 0.5)).length() - 1.0;
            assert!(off.abs() < 0.1, "{end} is {off} off");
        }
        let named: BTreeSet<[[u32; 3]; 2]> =
            lines.iter().map(|line| line.map(|end| end.to_array().map(f32::to_bits))).collect();
        assert_eq!(named.len(), lines.len());
    }

    #[test]
    fn a_half_space_is_drawn_as_its_plane_and_has_no_lines_of_its_own() {
        let half_space = Shape::half_space([1.0, 1.0, 0.0].into()).expect("a half-space");
        assert!(lines_of(&half_space).is_empty());
        let Shape::HalfSpace(plane) = half_space else { panic!("it is one") };
        let normal = plane_of(&plane) * Vec3::Z;
        assert!((normal - Vec3::new(1.0, 1.0, 0.0).normalize()).length() < 1e-6, "{normal}");
    }

    /// The lines of the only outline there is, once they are found.
    fn found(app: &mut App) -> Vec<Line> {
        for _ in 0..1000 {
            app.update();
            let outlines = app.world().resource::<CcdOutlines>();
            assert_eq!(outlines.0.len(), 1);
            if let Some(Entry { state: State::Ready(lines), .. }) = outlines.0.values().next() {
                return lines.clone();
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("the outline is not found");
    }

    #[test]
    fn what_is_in_the_place_of_another_body_has_its_own_outline() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default()))
            .add_plugins((bevy::mesh::MeshPlugin, bevy::gizmos::GizmoPlugin, crate::CcdPlugins::new(Update)))
            .insert_resource(CcdDebug::colliders());
        app.finish();
        app.cleanup();
        let spawn = |app: &mut App, shape: Shape| {
            app.world_mut().spawn((RigidBody::Static, crate::Collider::from(shape), Transform::default())).id()
        };
        let torus = Shape::torus(1.0, 0.25).expect("a torus");
        let body = spawn(&mut app, torus.clone());
        assert_eq!(found(&mut app), lines_of(&torus));
        let id = app.world().resource::<CcdWorld>().body_id(body);
        // Another world gives the same name again.
        app.world_mut().despawn(body);
        app.world_mut().resource_mut::<CcdWorld>().restore(crate::CcdSnapshot::default());
        let ellipsoid = Shape::ellipsoid([1.0, 2.0, 0.5]).expect("an ellipsoid");
        let body = spawn(&mut app, ellipsoid.clone());
        assert_eq!(found(&mut app), lines_of(&ellipsoid));
        assert_eq!(app.world().resource::<CcdWorld>().body_id(body), id);
    }
}
