//! Overlays by name, for the command line and for scenes that come with some.

use std::str::FromStr;

use bevy::prelude::World;
use bevy_ccd::{CcdDebug, CcdInspect};
use ccd_core::bounds::HierarchyKind;

/// An overlay of the plugin, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlay {
    name: &'static str,
    /// The level of a hierarchy or the B-rep index; of the walk the step, from 1.
    level: Option<usize>,
}

enum Switch {
    Debug(fn(&mut CcdDebug)),
    Pair(fn(&mut CcdInspect)),
    Tree(HierarchyKind),
    Nothing,
}

/// All overlays, with what they are called.
const ALL: [(&str, Switch); 32] = [
    ("none", Switch::Nothing),
    ("normals", Switch::Debug(|d| d.contact_normals = true)),
    ("points", Switch::Debug(|d| d.contact_points = true)),
    ("impacts", Switch::Debug(|d| d.impacts = true)),
    ("velocities", Switch::Debug(|d| d.velocities = true)),
    ("axes", Switch::Debug(|d| d.axes = true)),
    ("colliders", Switch::Debug(|d| d.colliders = true)),
    ("aabbs", Switch::Debug(|d| d.aabbs = true)),
    ("obbs", Switch::Debug(|d| d.obbs = true)),
    ("swept-obbs", Switch::Debug(|d| d.swept_obbs = true)),
    ("spheres", Switch::Debug(|d| d.spheres = true)),
    ("forces", Switch::Debug(|d| d.forces = true)),
    ("cones", Switch::Debug(|d| d.friction_cones = true)),
    ("planes", Switch::Debug(|d| d.tangent_planes = true)),
    ("clusters", Switch::Debug(|d| d.clusters = true)),
    ("graph", Switch::Debug(|d| d.contact_graph = true)),
    ("closest", Switch::Pair(|p| p.closest = true)),
    ("regions", Switch::Pair(|p| p.regions = true)),
    ("walk", Switch::Pair(|p| p.walk = true)),
    ("far-walk", Switch::Pair(|p| (p.walk, p.walk_from_far) = (true, true))),
    ("trajectory", Switch::Pair(|p| p.trajectory = true)),
    ("paper-bound", Switch::Pair(|p| p.paper_box = true)),
    ("visited", Switch::Pair(|p| p.visited = true)),
    ("only-body", Switch::Pair(|p| p.only_body = true)),
    ("brep-index", Switch::Pair(|p| p.index = true)),
    ("aabb-tree", Switch::Tree(HierarchyKind::AabbTree)),
    ("obb-tree", Switch::Tree(HierarchyKind::ObbTree)),
    ("kdop-tree", Switch::Tree(HierarchyKind::KdopTree)),
    ("sphere-octree", Switch::Tree(HierarchyKind::SphereOctree)),
    ("medial-axis", Switch::Tree(HierarchyKind::SphereMedialAxis)),
    ("no-normals", Switch::Debug(|d| d.contact_normals = false)),
    ("no-closest", Switch::Pair(|p| p.closest = false)),
];

impl Overlay {
    /// The overlay of a scene, whose name is right by a test.
    pub const fn named(name: &'static str) -> Self {
        Self { name, level: None }
    }

    /// Whether there is such an overlay.
    #[cfg(test)]
    pub fn exists(&self) -> bool {
        ALL.iter().any(|(name, _)| *name == self.name)
    }

    /// Whether it shows something of a pair, which must be chosen for it.
    pub fn needs_pair(&self) -> bool {
        ["closest", "regions", "walk", "far-walk", "trajectory", "paper-bound", "visited"].contains(&self.name)
    }

    /// Switches it on.
    pub fn switch_on(&self, world: &mut World) {
        let Some((_, switch)) = ALL.iter().find(|(name, _)| *name == self.name) else { return };
        match switch {
            Switch::Debug(set) => set(&mut world.resource_mut::<CcdDebug>()),
            Switch::Pair(set) => {
                let mut inspect = world.resource_mut::<CcdInspect>();
                set(&mut inspect);
                match (self.name, self.level) {
                    ("brep-index", Some(level)) => inspect.index_level = level,
                    ("walk" | "far-walk", Some(step)) => inspect.walk_step = step.saturating_sub(1),
                    _ => {}
                }
            }
            Switch::Nothing => {
                let debug = world.resource::<CcdDebug>();
                let (normal_length, point_size) = (debug.normal_length, debug.point_size);
                let force_length = debug.force_length;
                world.insert_resource(CcdDebug { normal_length, point_size, force_length, ..CcdDebug::default() });
                let CcdInspect { pair, body, .. } = *world.resource::<CcdInspect>();
                world.insert_resource(CcdInspect { pair, body, closest: false, ..CcdInspect::default() });
            }
            Switch::Tree(kind) => {
                let mut debug = world.resource_mut::<CcdDebug>();
                debug.hierarchy = Some(*kind);
                if let Some(level) = self.level {
                    debug.hierarchy_level = level;
                }
            }
        }
    }
}

impl FromStr for Overlay {
    type Err = String;

    /// A name, and behind a colon a level for hierarchies, a step for the walk: `graph`, `sphere-octree:3`, `walk:2`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, level) = match text.split_once(':') {
            Some((name, level)) => {
                let level = level.parse::<usize>().ok().filter(|level| *level <= 24);
                (name, Some(level.ok_or("give a level from 0 to 24 behind the colon")?))
            }
            None => (text, None),
        };
        ALL.iter().find(|(known, _)| *known == name).map(|(name, _)| Self { name, level }).ok_or_else(|| {
            let names: Vec<&str> = ALL.iter().map(|(name, _)| *name).collect();
            format!("there are: {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_overlay_is_found_by_its_name_and_others_are_refused_with_the_list() {
        for (name, _) in &ALL {
            assert!(name.parse::<Overlay>().unwrap().exists());
        }
        assert_eq!("sphere-octree:3".parse::<Overlay>().unwrap().level, Some(3));
        assert_eq!("walk:2".parse::<Overlay>().unwrap().level, Some(2));
        assert!("sphere-octree:x".parse::<Overlay>().unwrap_err().contains("level"));
        assert!("ghosts".parse::<Overlay>().unwrap_err().contains("regions"));
    }
}
