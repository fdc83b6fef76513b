//! How reflection sees the core's choices, which know nothing of it: editors, scenes and consoles show and set them by the names of their
//! variants, as those of any other enumeration.

use bevy::prelude::*;
use bevy::reflect::reflect_remote;
use ccd_core::{bounds, contact, detection, dynamics, world};

/// The choices of one of the core's types.
macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident = $theirs:path { $($variant:ident,)* })*) => {$(
        $(#[$doc])*
        #[reflect_remote($theirs)]
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[reflect(Default, Debug, PartialEq)]
        pub(crate) enum $name {
            $($variant,)*
        }
    )*};
}

choices! {
    /// How times of contact are found.
    Detection = detection::toc::Method {
        Auto, ObbBisection, Segments, Advancement, Halving, Estimate, Samples,
    }
    /// How contacts are resolved.
    Response = world::ResponseMethod {
        Shock, Pairwise, Penalty, Lcp, Svd,
    }
    /// How forces change velocities.
    Integration = dynamics::Integrator {
        Euler, SemiImplicit, ImprovedEuler, Rk4,
    }
    /// How candidate pairs are found.
    BroadPhase = world::BroadPhaseMethod {
        Tree, Grid, Brute,
    }
    /// How contacts are thinned out.
    Reduction = contact::ReductionMethod {
        Manifold, Cluster, Average, None,
    }
    /// What to do with bodies that overlap when they are put somewhere.
    Overlap = world::InitialOverlap {
        Error, Separate,
    }
}

/// A hierarchy.
#[reflect_remote(bounds::HierarchyKind)]
#[derive(Clone, Copy, Debug, PartialEq)]
#[reflect(Debug, PartialEq)]
pub(crate) enum Hierarchy {
    AabbTree,
    ObbTree,
    KdopTree,
    SphereOctree,
    SphereMedialAxis,
}

/// A hierarchy, or none.
#[reflect_remote(Option<bounds::HierarchyKind>)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub(crate) enum HierarchyOrNone {
    None,
    Some(#[reflect(remote = Hierarchy)] bounds::HierarchyKind),
}
