//! The methods of response.

use ccd_core::world::ResponseMethod;

/// All of them.
pub const METHODS: [ResponseMethod; 5] = [
    ResponseMethod::Shock,
    ResponseMethod::Pairwise,
    ResponseMethod::Penalty,
    ResponseMethod::Lcp,
    ResponseMethod::Svd,
];
