//! The place of a grid's surface nearest to a point: from cell to cell.
//!
//! **Limits.** Within a cell by descent: where two places are about as near, it may be the other one.

use super::{BLOCK, Block, SignedDistanceGrid};
use crate::math::{Real, Vector};

/// A value, in cells, from which on no more steps are made along the slope.
const NEARLY: Real = 0.05;
/// Places are told apart by no less, cells.
const FINEST: Real = 1e-13;
/// Points nearer to the surface than so many cells find their nearest place among all; others from place to place, as far around each.
const AROUND: Real = 2.0;
/// Steps along the slope, or from the nearest place around one to that around the next.
const APPROACHES: usize = 24;

/// A place of the surface, in cells, and the slope there.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub place: Vector,
    pub slope: Vector,
}

/// What is looked for: places where the values times `sign` are at most zero.
#[derive(Clone, Copy)]
struct Wanted<'p> {
    /// Near this point, in cells.
    point: &'p Vector,
    sign: Real,
    /// As exact as this, cells.
    fine: Real,
}

impl SignedDistanceGrid {
    /// The place nearest to `point`, in cells, of those where the values times `sign` are at most zero; exact to `fine` cells.
    /// `None` where no way leads there.
    pub(super) fn nearest_place(&self, point: &Vector, sign: Real, fine: Real) -> Option<Place> {
        let wanted = Wanted { point, sign, fine: fine.max(FINEST) };
        let start = self.approach(point, sign)?;
        let mut best = self.nearest_in(self.cell_of(&start).0, &wanted);
        let away = |best: &Option<Place>| best.map_or(Real::INFINITY, |b| (b.place - point).norm());
        for _ in 0..APPROACHES {
            let known = away(&best);
            if known <= AROUND {
                return self.nearest_around(point, known, best, &wanted);
            }
            let next = self.nearest_around(&best.map_or(start, |b| b.place), AROUND, best, &wanted);
            let is_nearer = away(&next) < known;
            best = next;
            if !is_nearer {
                break;
            }
        }
        best
    }

    /// A place near the surface that steps along the slope lead to.
    fn approach(&self, point: &Vector, sign: Real) -> Option<Vector> {
        let last = Vector::from(self.blocks.map(|b| (b * BLOCK) as Real));
        let mut place = self.near_surface(point)?;
        for _ in 0..APPROACHES {
            let (cell, within) = self.cell_of(&place);
            let values = self.corners(cell).ok()?.times(sign);
            let (value, slope) = (values.value(&within), values.slopes(&within));
            if value <= NEARLY {
                break;
            }
            place -= slope * (value / slope.norm_squared());
            if !(0..3).all(|k| place[k] >= 0.0 && place[k] <= last[k]) {
                return None;
            }
        }
        Some(place)
    }

    /// The place nearest to `point`, all in cells, of the blocks near the surface.
    fn near_surface(&self, point: &Vector) -> Option<Vector> {
        let last = Vector::from(self.blocks.map(|b| (b * BLOCK) as Real));
        if (0..3).all(|k| point[k] >= 0.0 && point[k] <= last[k]) && self.corners(self.cell_of(point).0).is_ok() {
            return Some(*point);
        }
        let [across, up, _] = self.blocks;
        let nearest_of = |block: usize| {
            let low =
                Vector::from([block % across, block / across % up, block / (across * up)].map(|k| (k * BLOCK) as Real));
            // Within the block also once it is rounded to a cell.
            let high = low.add_scalar(BLOCK as Real - 1e-9);
            point.sup(&low).inf(&high)
        };
        let near = self.values.iter().enumerate().filter(|(_, block)| matches!(block, Block::Near(_)));
        let places = near.map(|(block, _)| nearest_of(block));
        places.min_by(|p, q| (p - point).norm_squared().total_cmp(&(q - point).norm_squared()))
    }

    /// The nearest of the cells within `reach` of `middle` along each axis, or `best` if none is nearer than that.
    fn nearest_around(
        &self,
        middle: &Vector,
        reach: Real,
        mut best: Option<Place>,
        wanted: &Wanted<'_>,
    ) -> Option<Place> {
        let last = self.blocks.map(|b| b * BLOCK);
        let from: [usize; 3] = std::array::from_fn(|k| (middle[k] - reach).max(0.0) as usize);
        let to: [usize; 3] = std::array::from_fn(|k| ((middle[k] + reach).max(0.0) as usize).min(last[k] - 1));
        let mut least = best.map_or(Real::INFINITY, |b| (b.place - wanted.point).norm_squared());
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                for x in from[0]..=to[0] {
                    let local = wanted.point - Vector::from([x, y, z].map(|k| k as Real));
                    if (local - local.map(|u| u.clamp(0.0, 1.0))).norm_squared() >= least {
                        continue;
                    }
                    let Some(found) = self.nearest_in([x, y, z], wanted) else { continue };
                    let away = (found.place - wanted.point).norm_squared();
                    if away < least {
                        (least, best) = (away, Some(found));
                    }
                }
            }
        }
        best
    }

    fn nearest_in(&self, cell: [usize; 3], wanted: &Wanted<'_>) -> Option<Place> {
        let values = self.corners(cell).ok()?.times(wanted.sign);
        let origin = Vector::from(cell.map(|k| k as Real));
        let place = values.nearest(&(wanted.point - origin), wanted.fine)?;
        Some(Place { place: origin + place, slope: values.slopes(&place) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::field::{Field, Implicit, Region, Torus, nearest_surface};
    use crate::geometry::primitive::Cuboid;
    use crate::math::Point;
    use proptest::prelude::*;

    fn grids() -> Vec<SignedDistanceGrid> {
        let torus = Implicit::new(Torus::try_new(0.5, 0.2).unwrap()).unwrap();
        let cuboid = Cuboid::try_new([0.5, 0.3, 0.4]).unwrap();
        vec![SignedDistanceGrid::new(&torus, 0.1).unwrap(), SignedDistanceGrid::new(&cuboid, 0.07).unwrap()]
    }

    proptest! {
        #[test]
        fn no_place_around_a_point_is_nearer_than_the_nearest_one_of_a_grid_by_a_twentieth(
            points in prop::collection::vec(prop::array::uniform3(-0.9..0.9_f64), 20),
            ways in prop::collection::vec((prop::array::uniform3(-1.0..1.0_f64), 0.0..0.95_f64), 60),
        ) {
            for grid in grids() {
                for point in points.iter().map(|p| Point::from(*p)) {
                    let is_inside = grid.contains(&point);
                    let found = nearest_surface(&grid, &point, 1e-9).unwrap();
                    prop_assert!(grid.distance(&found.point).abs() < 1e-8, "{point} {found:?}");
                    let away = (found.point - point).norm();
                    prop_assert!((found.normal.norm() - 1.0).abs() < 1e-9);
                    // From further off the way leads from place to place, to one that is the nearest around.
                    if away > AROUND * grid.cell {
                        continue;
                    }
                    for (way, share) in &ways {
                        let Some(way) = Vector::from(*way).try_normalize(1e-3) else { continue };
                        let other = point + way * (away * share);
                        prop_assert!(grid.contains(&other) == is_inside, "{other} is nearer to {point} than {found:?}");
                    }
                }
            }
        }

        #[test]
        fn from_far_off_the_nearest_place_of_a_grid_is_nearly_that_of_the_solid_it_was_made_from(
            d in prop::array::uniform3(-1.0..1.0_f64), away in 1.0..1e4_f64,
        ) {
            let Some(d) = Vector::from(d).try_normalize(1e-2) else { return Ok(()) };
            let cuboid = Cuboid::try_new([0.5, 0.3, 0.4]).unwrap();
            let grid = SignedDistanceGrid::new(&cuboid, 0.07).unwrap();
            let point = Point::from(d * away);
            let found = grid.nearest(&point, Region::Solid, 1e-9).unwrap();
            let exact = cuboid.nearest_outside(&point).unwrap();
            let (found, exact) = ((found.point - point).norm(), (exact.point - point).norm());
            prop_assert!((found - exact).abs() <= grid.error(), "{found} {exact}");
        }
    }
}
