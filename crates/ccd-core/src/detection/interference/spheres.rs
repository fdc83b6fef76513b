//! Two trees of spheres, here and now: the best answer that a budget allows.
//!
//! **Problem.** Some answer at a time that is fixed beforehand, the better the more time there is.
//! **Idea.** The pairs of spheres that overlap are refined level by level: each gives way to the pairs of its children that
//! overlap. Whatever is not refined when the budget ends stays in the answer as it is.
//! **Guarantee.** At any end the pairs cover all places where the surfaces could meet: no pairs, no contact, and then the surfaces are
//! at least [`SphereInterference::gap`] apart. Where there are pairs, the solids are within [`SphereInterference::error`] of each other.
//! The same trees and poses give the same answer, unless the budget is one of time.
//! **Limits.** The surfaces are covered, not what is inside: a small solid deep inside a large one can go unnoticed.
//! **Source.** Hubbard (1996); Closson, sections 2.1.2.3 and 2.3, with erratum E14 for the averaging.

use std::time::{Duration, Instant};

use crate::bounds::sphere_tree::SphereTree;
use crate::math::{Point, Pose, Real, Vector};
use crate::volume::Sphere;

/// Tests between two looks at the clock.
const TESTS_A_LOOK: u64 = 64;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SphereBudget {
    /// With the pairs of this level of both trees; beyond the last level, with those of the leaves.
    Level(usize),
    /// After this many tests of two spheres; the same answer on every machine.
    Tests(u64),
    /// After this much time. The clock is looked at between pairs, at the first and then after every 64 tests or the first pair beyond them, which is
    /// at most as many more as two nodes have pairs of children. The answer depends on the machine: for what is shown, not for what must be
    /// repeated.
    Time(Duration),
}

/// Two spheres that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpherePair {
    /// The node of A.
    pub node_a: u32,
    /// The node of B.
    pub node_b: u32,
    /// The distance between the spheres, metres: negative, or zero where they touch.
    pub separation: Real,
}

/// What [`find_sphere_interference`] finds.
#[derive(Clone, Debug, PartialEq)]
pub struct SphereInterference {
    /// The pairs of spheres that overlap, the finest that the budget allowed.
    pub pairs: Vec<SpherePair>,
    /// The finest level whose pairs have all been tested.
    pub level: usize,
    /// Whether the budget ended nothing: the pairs are those of leaves, or of the level asked for.
    pub is_complete: bool,
    /// The surfaces are at least this far apart, metres; zero where there are pairs.
    pub gap: Real,
    /// Where there are pairs, the solids (for open meshes the surfaces) are at most this far apart, metres: the errors of the
    /// best pair's spheres together. Infinite where there are none, and for trees whose errors are not known.
    pub error: Real,
    /// Tests of two spheres.
    pub tests: u64,
}

/// How many pairs become contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SphereReduction {
    /// Every pair is one.
    #[default]
    None,
    /// The pair that overlaps most, of equals the first.
    Deepest,
    /// All pairs averaged into one, as Closson does: the point may be where nothing touches (E14).
    Average,
}

/// A contact told by spheres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereContact {
    /// Where, world: in the middle of what the spheres have in common.
    pub point: Point,
    /// Unit, world, from A to B: along the spheres' middles.
    pub normal: Vector,
    /// The spheres' separation, metres, negative inside; of an average, the least.
    pub separation: Real,
}

/// The pairs of spheres of `a` and `b`, placed by finite poses, that overlap, as fine as the budget allows.
pub fn find_sphere_interference(
    a: &SphereTree,
    pose_a: &Pose,
    b: &SphereTree,
    pose_b: &Pose,
    budget: SphereBudget,
) -> SphereInterference {
    find_watched(a, pose_a, b, pose_b, budget, |_, _, _| {})
}

/// [`find_sphere_interference`], telling `watch` of every pair of spheres that is tested, and whether they overlap.
pub(super) fn find_watched(
    a: &SphereTree,
    pose_a: &Pose,
    b: &SphereTree,
    pose_b: &Pose,
    budget: SphereBudget,
    mut watch: impl FnMut(u32, u32, bool),
) -> SphereInterference {
    let clock = Instant::now();
    let mut next_look = 0;
    let mut spent = |tests: u64| match budget {
        SphereBudget::Level(_) => false,
        SphereBudget::Tests(most) => tests >= most,
        SphereBudget::Time(_) if tests < next_look => false,
        SphereBudget::Time(most) => {
            next_look = tests + TESTS_A_LOOK;
            clock.elapsed() >= most
        }
    };
    let last = a.level_count().max(b.level_count()) - 1;
    let deepest = match budget {
        SphereBudget::Level(level) => level.min(last),
        _ => last,
    };
    let separation = |i: u32, j: u32| {
        let (one, other) = (placed(a, pose_a, i), placed(b, pose_b, j));
        (other.centre - one.centre).norm() - one.radius - other.radius
    };
    // Rounding must not part spheres that touch.
    let slack = 16.0 * Real::EPSILON * (reach(a, pose_a) + reach(b, pose_b));

    let mut gap = Real::INFINITY;
    let (mut tests, mut level, mut is_complete) = (1, 0, true);
    let mut pairs = Vec::new();
    let mut keep = |pairs: &mut Vec<SpherePair>, node_a: u32, node_b: u32| {
        let separation = separation(node_a, node_b);
        watch(node_a, node_b, separation <= slack);
        if separation <= slack {
            pairs.push(SpherePair { node_a, node_b, separation: separation.min(0.0) });
        } else {
            gap = gap.min(separation - slack);
        }
    };
    keep(&mut pairs, 0, 0);
    while level < deepest && !pairs.is_empty() {
        let mut finer = Vec::new();
        for (done, pair) in pairs.iter().enumerate() {
            if spent(tests) {
                // The rest stays as coarse as it is.
                is_complete = false;
                finer.extend_from_slice(&pairs[done..]);
                break;
            }
            let own = |tree: &SphereTree, node: u32| {
                if tree.node(node).is_leaf() { node..node + 1 } else { tree.children(node) }
            };
            if a.node(pair.node_a).is_leaf() && b.node(pair.node_b).is_leaf() {
                finer.push(*pair);
                continue;
            }
            for i in own(a, pair.node_a) {
                for j in own(b, pair.node_b) {
                    tests += 1;
                    keep(&mut finer, i, j);
                }
            }
        }
        pairs = finer;
        if !is_complete {
            break;
        }
        level += 1;
    }
    let error_of = |pair: &SpherePair| a.node(pair.node_a).error + b.node(pair.node_b).error;
    let error = pairs.iter().map(error_of).fold(Real::INFINITY, Real::min);
    let gap = if pairs.is_empty() { gap.max(0.0) } else { 0.0 };
    SphereInterference { pairs, level, is_complete, gap, error, tests }
}

fn placed(tree: &SphereTree, pose: &Pose, node: u32) -> Sphere {
    let sphere = tree.node(node).sphere;
    Sphere { centre: pose * sphere.centre, radius: sphere.radius }
}

/// The largest number that takes part in placing a sphere.
fn reach(tree: &SphereTree, pose: &Pose) -> Real {
    let root = tree.node(0).sphere;
    root.centre.coords.amax() + root.radius + pose.translation.vector.amax()
}

impl SphereInterference {
    /// The contacts that the pairs stand for; `a`, `b` and the poses must be those of the search.
    pub fn contacts(
        &self,
        a: &SphereTree,
        pose_a: &Pose,
        b: &SphereTree,
        pose_b: &Pose,
        reduction: SphereReduction,
    ) -> Vec<SphereContact> {
        let contact = |pair: &SpherePair| {
            let (one, other) = (placed(a, pose_a, pair.node_a), placed(b, pose_b, pair.node_b));
            // Spheres with one middle have no direction of their own: up, then, as good as any.
            let normal = (other.centre - one.centre).try_normalize(0.0).unwrap_or_else(Vector::y);
            let point = one.centre + normal * (one.radius + 0.5 * pair.separation);
            SphereContact { point, normal, separation: pair.separation }
        };
        let all = self.pairs.iter().map(contact);
        match reduction {
            SphereReduction::None => all.collect(),
            SphereReduction::Deepest => all
                .reduce(|best, next| if next.separation < best.separation { next } else { best })
                .into_iter()
                .collect(),
            SphereReduction::Average => {
                let count = self.pairs.len() as Real;
                let sum = all.fold(None, |sum: Option<(Vector, Vector, SphereContact)>, next| {
                    Some(match sum {
                        None => (next.point.coords, next.normal, next),
                        Some((points, normals, first)) => {
                            let separation = first.separation.min(next.separation);
                            (points + next.point.coords, normals + next.normal, SphereContact { separation, ..first })
                        }
                    })
                });
                sum.map(|(points, normals, first)| SphereContact {
                    point: Point::from(points / count),
                    // Normals that cancel out leave the first.
                    normal: normals.try_normalize(1e-9 * count).unwrap_or(first.normal),
                    separation: first.separation,
                })
                .into_iter()
                .collect()
            }
        }
    }
}
