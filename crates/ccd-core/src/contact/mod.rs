//! Contact points and manifolds. Contact knows no solver.

mod box_box;
mod buffer;
mod cluster;
mod compound;
mod convex;
mod convex_mesh;
mod event;
mod facing;
mod field;
mod growth;
mod half_space;
mod hull_patch;
mod lineage;
mod manifold;
mod mesh;
mod nearest;
mod patch;
mod patches;
mod piece;
mod plane;
mod point;
mod reduce;
mod set;
mod side;
mod tracked;
mod triangle;

pub use cluster::{Cluster, ClusterChoice, choose, find_clusters, keep_once};
pub use event::{ContactEvent, Hysteresis, HysteresisError, Transition};
pub use growth::{GrowthOptions, NewPair, next_new_pair};
pub use lineage::{ContactHistory, ContactId, Kinship, Lineage, Succession};
pub use manifold::{ContactCache, ContactSearch, ReductionMethod, find_all_contacts, find_contacts, find_contacts_by};
pub use plane::{TangentPlane, TouchingFeature, contact_normal};
pub use point::ContactPoint;
pub use reduce::{Reduction, reduce};
pub use set::{ContactSet, ContactSets, EndedContact, SetPoint};
pub use tracked::{Tracked, TrackingRule, track};
