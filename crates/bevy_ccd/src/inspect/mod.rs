//! Looking into one pair of bodies: what its closest features are, how they were found, and how its way is searched.
//!
//! [`CcdInspect`] says which pair and what to look at, [`CcdFindings`] what there is to see. The panel and the gizmos show
//! both; a game can read them as well.

mod choose;
mod graph;
mod index;
mod nearest;
mod pair;
mod region;
mod source;
mod trajectory;

use bevy::prelude::*;
use ccd_core::math::Pose;

use crate::convert::to_pose;
use crate::settings::CcdSettings;
use crate::sync::{CcdBody, shown_at};
use crate::world::CcdWorld;

#[cfg(feature = "debug")]
pub(crate) use nearest::nearest_places;
#[cfg(feature = "debug")]
pub(crate) use source::{Source, mesh_of};

pub use choose::{first_with_faces, nearest_pair};
pub use graph::{ContactGraph, GraphLink, GraphNode};
pub(crate) use index::look_into_index;
pub use index::{CcdIndexFindings, subtree_name};
pub use pair::{CcdFindings, Walk};
pub use region::{FeatureRegion, region_of};
pub use trajectory::{PaperBox, Trajectory};

/// Which pair of bodies is looked into, and what of it is drawn. Nothing is computed without a pair.
#[derive(Resource, Reflect, Clone, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct CcdInspect {
    /// The pair: A and B.
    pub pair: Option<(Entity, Entity)>,
    /// The closest points and the features that have them.
    pub closest: bool,
    /// The Voronoi regions of those features.
    pub regions: bool,
    /// The walk of V-Clip over the features, from a cold start.
    pub walk: bool,
    /// The walk starts at the sides that look away from each other, instead of where a query without a memory does: over both bodies.
    pub walk_from_far: bool,
    /// Which step of the walk is shown; beyond the last it is the last.
    pub walk_step: usize,
    /// The boxes of Algorithm 2 around the way of a point of A against B.
    pub trajectory: bool,
    /// Which vertex of A's features is followed; `None` for the one nearest to B.
    pub trajectory_vertex: Option<u32>,
    /// How many of the boxes are shown, in the order in which they are made.
    pub trajectory_boxes: usize,
    /// What the paper's own bound would hold of the same way (erratum E1).
    pub paper_box: bool,
    /// Of the hierarchies of both, instead of a whole level, the nodes that a query of the pair visits. The kind and the level
    /// are those of [`CcdDebug`](crate::CcdDebug).
    pub visited: bool,
    /// The single body that is looked into: of its hierarchy and B-rep index.
    pub body: Option<Entity>,
    /// Draw the hierarchy of that body alone.
    pub only_body: bool,
    /// The cells of that body's B-rep index.
    pub index: bool,
    /// Of which level, 0 for all of space.
    pub index_level: usize,
    /// A point whose way through the index is followed, in the body's frame.
    pub index_point: Option<Vec3>,
    /// Which step of that way is shown; beyond the last it is the last.
    pub index_step: usize,
}

impl Default for CcdInspect {
    fn default() -> Self {
        Self {
            pair: None,
            closest: true,
            regions: false,
            walk: false,
            walk_from_far: false,
            walk_step: usize::MAX,
            trajectory: false,
            trajectory_vertex: None,
            trajectory_boxes: usize::MAX,
            paper_box: false,
            visited: false,
            body: None,
            only_body: false,
            index: false,
            index_level: 3,
            index_point: None,
            index_step: usize::MAX,
        }
    }
}

impl CcdInspect {
    /// The pair, with everything of it switched off but the closest points.
    pub fn pair(a: Entity, b: Entity) -> Self {
        Self { pair: Some((a, b)), ..Self::default() }
    }
}

/// Where a body is shown, in the numbers of the core.
pub(crate) fn shown_pose(global: &GlobalTransform, own: &Transform) -> Option<Pose> {
    let shown = shown_at(global, own);
    to_pose(shown.translation.into(), shown.rotation)
}

/// Looks into the pair where it is shown.
pub(crate) fn look_into_pair(
    inspect: Res<CcdInspect>,
    settings: Res<CcdSettings>,
    world: Res<CcdWorld>,
    clock: Res<crate::CcdClock>,
    fixed: Option<Res<Time<Fixed>>>,
    bodies: Query<(&CcdBody, &GlobalTransform, &Transform)>,
    mut findings: ResMut<CcdFindings>,
) {
    let found = inspect.pair.and_then(|(a, b)| {
        let (a, b) = (bodies.get(a).ok()?, bodies.get(b).ok()?);
        let side = |(body, global, own): (&CcdBody, &GlobalTransform, &Transform)| {
            let (id, shown) = (body.id(), shown_pose(global, own)?);
            Some(pair::Side { body: world.core().body(id)?.clone(), motion: world.core().motion_of(id)?, shown })
        };
        let fixed = fixed.map_or_else(|| Time::<Fixed>::default().timestep(), |fixed| fixed.timestep());
        let dt = clock.next_step_length(world.report().dt, fixed);
        Some(pair::look(&inspect, &side(a)?, &side(b)?, settings.tolerance, dt))
    });
    // Nothing is claimed to have changed while there is nothing to see.
    if let Some(found) = found {
        *findings = found;
    } else if *findings != CcdFindings::default() {
        *findings = CcdFindings::default();
    }
}
