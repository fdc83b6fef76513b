//! How reflection sees the core's choices, which know nothing of it: editors, scenes and consoles show and set them by the names of their
//! variants, as those of any other enumeration.

use bevy::prelude::*;
use bevy::reflect::reflect_remote;
use ccd_core::{contact, detection, dynamics, world};

/// The choices of one of the core's types.
macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident = $theirs:path { $($(#[$of_variant:meta])* $variant:ident,)* })*) => {$(
        $(#[$doc])*
        #[reflect_remote($theirs)]
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[reflect(Default, Debug, PartialEq)]
        pub(crate) enum $name {
            $($(#[$of_variant])* $variant,)*
        }
    )*};
}

choices! {
    /// How times of contact are found.
    Detection = detection::toc::Method {
        Auto, ObbBisection, Segments, Advancement, Halving, Estimate,
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
