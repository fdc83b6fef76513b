//! Overlays by name, for the command line and for scenes that come with some.

use std::ops::RangeInclusive;
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

/// All overlays: what they are called, and what they show.
const ALL: [(&str, &str, Switch); 32] = [
    ("none", "nothing; before others, only those", Switch::Nothing),
    ("normals", "contact normals from A to B, as arrows", Switch::Debug(|d| d.contact_normals = true)),
    ("points", "contact points", Switch::Debug(|d| d.contact_points = true)),
    ("impacts", "impacts of the last step with their impulses", Switch::Debug(|d| d.impacts = true)),
    ("velocities", "linear and angular velocities", Switch::Debug(|d| d.velocities = true)),
    ("axes", "the frame and the centre of mass of each body", Switch::Debug(|d| d.axes = true)),
    ("colliders", "outlines of what bodies meet by", Switch::Debug(|d| d.colliders = true)),
    ("aabbs", "boxes along the axes", Switch::Debug(|d| d.aabbs = true)),
    ("obbs", "boxes in the frames of the bodies", Switch::Debug(|d| d.obbs = true)),
    ("swept-obbs", "boxes around what bodies sweep in the next step", Switch::Debug(|d| d.swept_obbs = true)),
    ("spheres", "bounding spheres", Switch::Debug(|d| d.spheres = true)),
    ("forces", "forces at contacts, and the friction in them", Switch::Debug(|d| d.forces = true)),
    ("cones", "friction cones", Switch::Debug(|d| d.friction_cones = true)),
    ("planes", "tangent planes of contacts", Switch::Debug(|d| d.tangent_planes = true)),
    ("clusters", "contacts of one place", Switch::Debug(|d| d.clusters = true)),
    ("graph", "who touches whom, with levels from the ground", Switch::Debug(|d| d.contact_graph = true)),
    ("closest", "closest points of the pair", Switch::Pair(|p| p.closest = true)),
    ("regions", "Voronoi regions of its closest features", Switch::Pair(|p| p.regions = true)),
    ("walk", "walk of V-Clip, from a cold start; :N up to step N", Switch::Pair(|p| p.walk = true)),
    (
        "far-walk",
        "the same from the far sides; :N up to step N",
        Switch::Pair(|p| (p.walk, p.walk_from_far) = (true, true)),
    ),
    ("trajectory", "boxes of Algorithm 2 for a vertex of A", Switch::Pair(|p| p.trajectory = true)),
    ("paper-bound", "what the paper's bound holds of its way (E1)", Switch::Pair(|p| p.paper_box = true)),
    ("visited", "of a hierarchy the nodes that a query of the pair visits", Switch::Pair(|p| p.visited = true)),
    ("only-body", "a hierarchy of the body alone", Switch::Pair(|p| p.only_body = true)),
    ("brep-index", "cells of the body's B-rep index; :N level", Switch::Pair(|p| p.index = true)),
    ("aabb-tree", "tree of boxes along the axes; :N level", Switch::Tree(HierarchyKind::AabbTree)),
    ("obb-tree", "tree of oriented boxes; :N level", Switch::Tree(HierarchyKind::ObbTree)),
    ("kdop-tree", "tree of polytopes; :N level", Switch::Tree(HierarchyKind::KdopTree)),
    ("sphere-octree", "octree of spheres; :N level", Switch::Tree(HierarchyKind::SphereOctree)),
    ("medial-axis", "spheres along the medial axis; :N level", Switch::Tree(HierarchyKind::SphereMedialAxis)),
    ("no-normals", "no contact normals", Switch::Debug(|d| d.contact_normals = false)),
    ("no-closest", "no closest points", Switch::Pair(|p| p.closest = false)),
];

/// No walk is longer; of one that is shorter its last step is shown.
const MOST_STEPS: usize = 10_000;

/// Asks for the list of overlays.
const HELP: &str = "help";

impl Overlay {
    /// The overlay of a scene, whose name is right by a test.
    pub const fn named(name: &'static str) -> Self {
        Self { name, level: None }
    }

    /// Whether there is such an overlay.
    #[cfg(test)]
    pub fn exists(&self) -> bool {
        ALL.iter().any(|(name, ..)| *name == self.name)
    }

    /// Whether it is no overlay but asks what there are.
    pub fn asks_for_help(&self) -> bool {
        self.name == HELP
    }

    /// What there are, one a line.
    pub fn list() -> String {
        ALL.iter().map(|(name, about, _)| format!("{name:<14} {about}\n")).collect()
    }

    /// Whether it shows something of a pair, which must be chosen for it.
    pub fn needs_pair(&self) -> bool {
        ["closest", "regions", "walk", "far-walk", "trajectory", "paper-bound", "visited"].contains(&self.name)
    }

    /// What number it takes behind a colon, and from where to where: levels as far as the panel's.
    fn takes(&self) -> Option<(&'static str, RangeInclusive<usize>)> {
        match (self.name, ALL.iter().find(|(name, ..)| *name == self.name)) {
            ("brep-index", _) => Some(("level", 0..=64)),
            ("walk" | "far-walk", _) => Some(("step", 1..=MOST_STEPS)),
            (_, Some((.., Switch::Tree(_)))) => Some(("level", 0..=24)),
            _ => None,
        }
    }

    /// Switches it on.
    pub fn switch_on(&self, world: &mut World) {
        let Some((.., switch)) = ALL.iter().find(|(name, ..)| *name == self.name) else { return };
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
                if self.name == "visited" {
                    // They are nodes of a hierarchy.
                    world.resource_mut::<CcdDebug>().hierarchy.get_or_insert(HierarchyKind::ObbTree);
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
        let (name, number) = text.split_once(':').map_or((text, None), |(name, number)| (name, Some(number)));
        if name == HELP {
            return Ok(Self::named(HELP));
        }
        let (name, ..) = ALL.iter().find(|(known, ..)| *known == name).ok_or_else(|| {
            let names: Vec<&str> = ALL.iter().map(|(name, ..)| *name).collect();
            format!("there are: {}", names.join(", "))
        })?;
        let overlay = Self::named(name);
        let Some(number) = number else { return Ok(overlay) };
        let (what, range) = overlay.takes().ok_or_else(|| format!("{name} takes no number behind a colon"))?;
        let level = number.parse().ok().filter(|number| range.contains(number));
        let level =
            level.ok_or_else(|| format!("give a {what} from {} to {} behind the colon", range.start(), range.end()))?;
        Ok(Self { level: Some(level), ..overlay })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_are_visited_are_of_the_hierarchy_that_is_chosen_and_of_one_where_none_is() {
        for (shown, tree) in
            [("visited", HierarchyKind::ObbTree), ("sphere-octree,visited", HierarchyKind::SphereOctree)]
        {
            let mut world = World::new();
            world.init_resource::<CcdDebug>();
            world.init_resource::<CcdInspect>();
            shown.split(',').for_each(|name| name.parse::<Overlay>().unwrap().switch_on(&mut world));
            assert_eq!(world.resource::<CcdDebug>().hierarchy, Some(tree), "{shown}");
        }
    }

    #[test]
    fn every_overlay_is_found_by_its_name_and_others_are_refused_with_the_list() {
        for (name, ..) in &ALL {
            assert!(name.parse::<Overlay>().unwrap().exists());
        }
        assert_eq!("sphere-octree:3".parse::<Overlay>().unwrap().level, Some(3));
        assert_eq!("walk:2".parse::<Overlay>().unwrap().level, Some(2));
        assert_eq!("far-walk:30".parse::<Overlay>().unwrap().level, Some(30));
        assert_eq!("brep-index:64".parse::<Overlay>().unwrap().level, Some(64));
        assert!("sphere-octree:x".parse::<Overlay>().unwrap_err().contains("level from 0 to 24"));
        assert!("walk:0".parse::<Overlay>().unwrap_err().contains("step from 1"));
        assert!("graph:3".parse::<Overlay>().unwrap_err().contains("graph takes no number"));
        assert!("ghosts".parse::<Overlay>().unwrap_err().contains("regions"));
    }
}
