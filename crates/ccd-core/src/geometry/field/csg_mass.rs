//! The mass of what solids are combined to.

use std::collections::BTreeMap;

use super::CsgError;
use super::csg::{Csg, Operation};
use super::csg_part::{CsgPart, Placed};
use super::mass::by_subdivision;
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::geometry::solid::Solid;
use crate::math::{DisjointSets, Real};

/// Boxes that share no more than this share of their size along an axis only touch.
const TOUCHING: Real = 1e-12;

/// The mass at a density of one.
///
/// Of a union each group of parts that may share volume is weighed by itself, and a part on its own in its own way: cells over a box that holds
/// small parts far apart would see little of them.
pub(super) fn unit_mass(solid: &Csg) -> Result<(MassProperties, MassKind), MassError> {
    let groups = if solid.operation() == Operation::Union { groups_of(&solid.parts) } else { Vec::new() };
    if groups.len() < 2 {
        return by_subdivision(solid, 1.0);
    }
    let mut whole: Option<(MassProperties, MassKind)> = None;
    let mut without_volume = MassError::Massless { kind: solid.kind() };
    for group in groups {
        let (mass, kind) = match mass_of_group(group) {
            Ok(found) => found,
            // One that is empty adds nothing.
            Err(error @ MassError::NotPositive { what: "volume", .. }) => {
                without_volume = error;
                continue;
            }
            Err(error) => return Err(error),
        };
        whole = Some(match whole {
            None => (mass, kind),
            Some((sum, of_sum)) => (sum.combined(&mass), MassKind::of_sum((of_sum, sum.mass), (kind, mass.mass))),
        });
    }
    whole.ok_or(without_volume)
}

fn mass_of_group(group: Vec<CsgPart>) -> Result<(MassProperties, MassKind), MassError> {
    if let [alone] = group.as_slice()
        && let Ok((mass, kind)) = alone.solid.mass_properties(1.0)
    {
        return Ok((mass.transformed(&alone.pose), kind));
    }
    let no_union = |_: CsgError| MassError::Massless { kind: "union" };
    by_subdivision(&Csg::new(Operation::Union, group).map_err(no_union)?, 1.0)
}

/// The parts in groups, in their order; the boxes of parts of two groups share no more than rounding makes of boxes that touch.
fn groups_of(parts: &[Placed]) -> Vec<Vec<CsgPart>> {
    let mut sets = DisjointSets::new(parts.len());
    for (i, one) in (0..).zip(parts) {
        for (j, other) in (0..i).zip(parts) {
            let (one, other) = (&one.aabb, &other.aabb);
            let shared = one.max.coords.inf(&other.max.coords) - one.min.coords.sup(&other.min.coords);
            let size = one.half_extents().sup(&other.half_extents());
            if (0..3).all(|k| shared[k] > TOUCHING * size[k]) {
                sets.join(i, j);
            }
        }
    }
    let mut groups: BTreeMap<u32, Vec<CsgPart>> = BTreeMap::new();
    for (i, placed) in (0..).zip(parts) {
        groups.entry(sets.find(i)).or_default().push(placed.part.clone());
    }
    groups.into_values().collect()
}
