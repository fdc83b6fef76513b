//! What the format calls the library's kinds and methods.

use serde::Serializer;
use serde::ser::Error;

use crate::contact::ReductionMethod;
use crate::detection::toc::Method;
use crate::dynamics::{BodyKind, Integrator};
use crate::world::{BroadPhaseMethod, InitialOverlap, ResponseMethod};

/// Values that the format knows by name.
pub(crate) trait Named: Copy + PartialEq + std::fmt::Debug + 'static {
    /// Every value that has a name, with it.
    const NAMES: &'static [(&'static str, Self)];
}

impl Named for BodyKind {
    const NAMES: &'static [(&'static str, Self)] =
        &[("static", Self::Static), ("dynamic", Self::Dynamic), ("kinematic", Self::Kinematic)];
}

impl Named for Method {
    const NAMES: &'static [(&'static str, Self)] = &{
        let [a, b, c, d, e, f, g] = Self::ALL;
        [(a.name(), a), (b.name(), b), (c.name(), c), (d.name(), d), (e.name(), e), (f.name(), f), (g.name(), g)]
    };
}

impl Named for ResponseMethod {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("shock", Self::Shock),
        ("pairwise", Self::Pairwise),
        ("penalty", Self::Penalty),
        ("lcp", Self::Lcp),
        ("svd", Self::Svd),
    ];
}

impl Named for Integrator {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("semi-implicit", Self::SemiImplicit),
        ("euler", Self::Euler),
        ("improved-euler", Self::ImprovedEuler),
        ("rk4", Self::Rk4),
    ];
}

/// The oracle has none: no case asks for it.
impl Named for BroadPhaseMethod {
    const NAMES: &'static [(&'static str, Self)] = &[("tree", Self::Tree), ("grid", Self::Grid)];
}

impl Named for ReductionMethod {
    const NAMES: &'static [(&'static str, Self)] =
        &[("manifold", Self::Manifold), ("cluster", Self::Cluster), ("average", Self::Average), ("none", Self::None)];
}

impl Named for InitialOverlap {
    const NAMES: &'static [(&'static str, Self)] = &[("error", Self::Error), ("separate", Self::Separate)];
}

/// Writes a value by its name.
///
/// # Errors
/// Of the serializer, and for a value that the format has no name for.
pub(super) fn by_name<T: Named, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    match T::NAMES.iter().find(|(_, named)| named == value) {
        Some((name, _)) => serializer.serialize_str(name),
        None => Err(S::Error::custom(format!("the format has no name for {value:?}"))),
    }
}
