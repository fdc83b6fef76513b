//! The B-rep index of one body: its cells, and the way of a point through it.

use bevy::prelude::*;
use bevy::tasks::futures::check_ready;
use bevy::tasks::{AsyncComputeTaskPool, Task};
use ccd_core::bounds::brep_index::{BrepIndex, BrepIndexOptions, IndexCell, IndexStep, PointTrace, Subtree};
use ccd_core::math::{Point, Pose};
use ccd_core::shape::Shape;

use super::source::{Source, mesh_of};
use super::{CcdInspect, shown_pose};
use crate::convert::to_point;
use crate::sync::CcdBody;
use crate::world::CcdWorld;

/// What is seen of the B-rep index of the body that is looked into. It is built beside the frames.
#[derive(Resource, Default)]
pub struct CcdIndexFindings {
    state: State,
    /// The regions of the level that is asked for, in the body's frame.
    pub cells: Vec<IndexCell>,
    /// Of which level they are.
    level: usize,
    /// The followed point in the body's frame, and its way.
    pub trace: Option<(Point, PointTrace)>,
    /// The steps of the way's longest walk, and for each the region that it leads to.
    pub steps: Vec<(IndexStep, IndexCell)>,
    /// Why there is no index.
    pub refused: Option<String>,
    /// Where the body is shown.
    pub frame: Pose,
}

#[derive(Default)]
enum State {
    #[default]
    None,
    Building(Key, Task<Result<BrepIndex, String>>),
    Ready(Key, Box<BrepIndex>),
    Refused(Key),
}

/// What an index was built of, and with which ε.
struct Key {
    source: Source,
    /// Metres.
    tolerance: f64,
}

impl CcdIndexFindings {
    /// The index, once it is there.
    pub fn index(&self) -> Option<&BrepIndex> {
        match &self.state {
            State::Ready(_, index) => Some(index),
            _ => None,
        }
    }

    /// Whether the index that is asked for is still being built, beside the frames.
    pub fn is_building(&self) -> bool {
        matches!(self.state, State::Building(..))
    }

    /// Whether it is that of this shape with this ε, metres, built or not.
    fn is_of(&self, shape: &Shape, tolerance: f64) -> bool {
        match &self.state {
            State::Building(known, _) | State::Ready(known, _) | State::Refused(known) => {
                known.source.is(shape) && known.tolerance == tolerance
            }
            State::None => false,
        }
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

/// Builds the index that is asked for, and follows the point through it.
pub(crate) fn look_into_index(
    inspect: Res<CcdInspect>,
    world: Res<CcdWorld>,
    bodies: Query<(&CcdBody, &GlobalTransform, &Transform)>,
    mut findings: ResMut<CcdIndexFindings>,
) {
    let wanted = inspect.index.then_some(inspect.body).flatten().and_then(|entity| {
        let (body, global, own) = bodies.get(entity).ok()?;
        Some((world.core().body(body.id())?, shown_pose(global, own)?))
    });
    let Some((body, shown)) = wanted else {
        if !matches!(findings.state, State::None) || findings.refused.is_some() {
            findings.forget();
        }
        return;
    };
    let Some(source) = Source::of(body.shape()) else {
        findings.forget();
        findings.refused = Some(format!("a {} has no B-rep", body.shape().as_solid().kind()));
        return;
    };
    let tolerance = world.core().settings().tolerance;
    if !findings.is_of(body.shape(), tolerance) {
        findings.forget();
        let (shape, key) = (body.shape().clone(), Key { source, tolerance });
        let Some(pool) = AsyncComputeTaskPool::try_get() else { return };
        let task = pool.spawn(async move {
            let mesh = mesh_of(&shape).ok_or("it has no triangles")?;
            BrepIndex::build(mesh, &BrepIndexOptions::with_tolerance(tolerance)).map_err(|error| error.to_string())
        });
        findings.state = State::Building(key, task);
    }
    // Looked at without claiming a change while the index is being built.
    let built = match &mut findings.bypass_change_detection().state {
        State::Building(_, task) => check_ready(task),
        _ => None,
    };
    if let Some(built) = built
        && let State::Building(key, _) = std::mem::take(&mut findings.state)
    {
        match built {
            Ok(index) => {
                findings.level = usize::MAX;
                findings.state = State::Ready(key, Box::new(index));
            }
            Err(why) => {
                findings.refused = Some(why);
                findings.state = State::Refused(key);
            }
        }
    }
    findings.frame = shown;
    follow_point(&inspect, &mut findings);
}

fn follow_point(inspect: &CcdInspect, findings: &mut CcdIndexFindings) {
    let (key, index) = match std::mem::take(&mut findings.state) {
        State::Ready(key, index) => (key, index),
        other => {
            findings.state = other;
            return;
        }
    };
    if findings.level != inspect.index_level {
        findings.level = inspect.index_level;
        findings.cells = index.cells(inspect.index_level);
    }
    let point = inspect.index_point.map(to_point);
    if point != findings.trace.as_ref().map(|(known, _)| *known) {
        findings.trace = point.map(|point| (point, index.trace_point(&point)));
        let walk = findings.trace.as_ref().and_then(|(_, trace)| trace.walks.iter().max_by_key(|w| w.steps.len()));
        findings.steps = walk.map_or_else(Vec::new, |walk| {
            walk.steps.iter().enumerate().map(|(i, step)| (*step, index.cell(&walk.way_to(i)))).collect()
        });
    }
    findings.state = State::Ready(key, index);
}

/// A subtree in words.
pub fn subtree_name(subtree: &Subtree) -> String {
    use ccd_core::bounds::brep_index::Leaf;
    match subtree {
        Subtree::Node(node) => format!("node {node}"),
        Subtree::Leaf(Leaf::Inside) => "inside".into(),
        Subtree::Leaf(Leaf::Outside) => "outside".into(),
        Subtree::Leaf(Leaf::Face(f)) => format!("face {f}"),
        Subtree::Leaf(Leaf::Edge(e)) => format!("edge {e}"),
        Subtree::Leaf(Leaf::Vertex(v)) => format!("vertex {v}"),
        Subtree::Leaf(Leaf::Extension) => "extension".into(),
        Subtree::Leaf(Leaf::Undecided) => "undecided".into(),
    }
}

#[cfg(test)]
mod tests {
    use bevy::tasks::TaskPool;

    use super::*;

    #[test]
    fn an_index_that_is_being_built_or_refused_stays_so_until_something_else_is_asked_for() {
        let pool = AsyncComputeTaskPool::get_or_init(TaskPool::default);
        let shape = Shape::cuboid([1.0, 2.0, 3.0]).unwrap();
        let key = || Key { source: Source::of(&shape).unwrap(), tolerance: 1e-4 };
        let building = State::Building(key(), pool.spawn(std::future::pending()));
        let mut findings = CcdIndexFindings { state: building, ..CcdIndexFindings::default() };
        follow_point(&CcdInspect::default(), &mut findings);
        assert!(findings.is_building() && findings.is_of(&shape, 1e-4));
        findings.state = State::Refused(key());
        follow_point(&CcdInspect::default(), &mut findings);
        assert!(!findings.is_building() && findings.is_of(&shape, 1e-4));
        assert!(!findings.is_of(&shape, 1e-5), "it tells other features apart");
    }
}
