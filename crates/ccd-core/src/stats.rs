//! Counters that the algorithms fill, so that cost is visible.

use std::ops::AddAssign;

/// Work done by detection queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryStats {
    /// Pairs of tree nodes looked at.
    pub nodes_visited: u64,
    /// Pairs of convex pieces or features tested.
    pub features_tested: u64,
    /// Distance computations (GJK runs).
    pub distance_queries: u64,
    /// Steps of time: certified advances or bisections.
    pub advances: u64,
}

impl QueryStats {
    /// Nodes, features and advances together, the measure of a query's budget; distances are part of an advance or a feature.
    pub fn total(&self) -> u64 {
        self.nodes_visited + self.features_tested + self.advances
    }
}

impl AddAssign for QueryStats {
    fn add_assign(&mut self, other: Self) {
        self.nodes_visited += other.nodes_visited;
        self.features_tested += other.features_tested;
        self.distance_queries += other.distance_queries;
        self.advances += other.advances;
    }
}
