//! Proofs that what a cell holds is far from another solid.
//!
//! **Idea.** Half-spaces hold what the cell holds of its own solid, and others what is near of the other one: where no place of the cell is
//! within a reach of all of them, the two are further apart there. Large reaches ask for half-spaces of large balls, which say little where the other solid
//! bends the wrong way; from the points of a pair near the cell they are exact at these.

use super::cover::Cover;
use crate::detection::field::beyond::prove_beyond;
use crate::detection::field::cells::{Cell, Cells, Divided};
use crate::detection::field::separate::Plane;
use crate::detection::field::witness::Pair;
use crate::geometry::field::{Enclosure, Field, Region};
use crate::math::{Matrix, Pose, Real};
use crate::volume::{Obb, Sphere};

/// Boxes are asked for cells that are so many times smaller than the reach.
const SMALL: Real = 4.0;

/// Proves that what a cell holds is far from the other solid.
pub(crate) struct Prover<'q> {
    other: &'q dyn Field,
    pose: Pose,
    rotation: Matrix,
    enclosure: Enclosure,
    own: Enclosure,
    planes: Vec<Plane>,
    cover: Cover<'q>,
}

impl<'q> Prover<'q> {
    pub fn new(other: &'q dyn Field, pose: &Pose) -> Self {
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        let (enclosure, own) = (Enclosure::default(), Enclosure::default());
        Self { other, pose: *pose, rotation, enclosure, own, planes: Vec::new(), cover: Cover::new(other) }
    }

    /// A lower bound of the distance of the cell from the other solid, by distance alone.
    pub fn distance(&self, cell: &Cell) -> Real {
        self.other.distance(&self.pose.inverse_transform_point(&cell.centre)) - cell.radius
    }

    /// Whether what the cell holds is certainly further than `reach` metres from the other solid.
    pub fn is_beyond(&mut self, cells: &Cells<'_>, cell: &Cell, reach: Real) -> bool {
        if !reach.is_finite() {
            return false;
        }
        self.enclosure.clear();
        let centre = self.pose.inverse_transform_point(&cell.centre);
        let radius = (cell.radius + reach) * (1.0 + 1e-9);
        let ball = Sphere { centre, radius };
        if Cells::is_in_its_box(cell) && self.other.tells_boxes() {
            let half_extents = cell.half.add_scalar(reach) * (1.0 + 1e-9);
            let around = Obb { centre, axes: self.rotation.transpose(), half_extents };
            self.other.enclose_within(&ball, &around, Region::Solid, &mut self.enclosure);
        } else {
            self.other.enclose(&ball, Region::Solid, &mut self.enclosure);
        }
        let rounding = 16.0 * Real::EPSILON * (centre.coords.amax() + cell.centre.coords.amax() + radius);
        for facets in self.enclosure.alternatives() {
            for alternative in 0..Cells::alternatives(cell) {
                self.planes.clear();
                cells.planes(cell, alternative, &mut self.planes);
                self.planes.extend(facets.iter().map(|f| Plane {
                    height: f.value - f.error - rounding,
                    error: f.error,
                    normal: self.rotation * f.normal,
                    rate: 0.0,
                    bend: 0.0,
                    of_other: true,
                }));
                if prove_beyond(&self.planes, &cells.extent(cell), cell.radius, reach, 0.0).gap <= 0.0 {
                    return false;
                }
            }
        }
        true
    }
}

impl Prover<'_> {
    /// [`Prover::is_beyond`] by boxes that hold the other solid: for cells that are much smaller than the reach, of what half-spaces say little about,
    /// and not much smaller than boxes get.
    pub fn is_beyond_boxes(&mut self, cell: &Cell, reach: Real) -> bool {
        reach > SMALL * cell.radius
            && 2.0 * cell.radius > self.cover.finest()
            && self.cover.is_beyond(&self.pose.inverse_transform_point(&cell.centre), cell.radius + reach, cell.radius)
    }

    /// [`Prover::is_beyond`] by half-spaces at the points of a pair near the cell, which are exact at them.
    pub(super) fn is_beyond_from(&mut self, cells: &Cells<'_>, cell: &Cell, reach: Real, pair: &Pair) -> bool {
        let (off_a, off_b) = (cell.centre - pair.point_a, cell.centre - pair.point_b);
        let cover = 1.0 + 1e-9;
        let centre = self.pose.inverse_transform_point(&pair.point_b);
        let radius = (off_b.norm() + cell.radius + reach) * cover;
        self.enclosure.clear();
        self.other.enclose(&Sphere { centre, radius }, Region::Solid, &mut self.enclosure);
        self.own.clear();
        let own = match cells.divided {
            Divided::Field(field) => {
                let ball = Sphere { centre: pair.point_a, radius: (off_a.norm() + cell.radius) * cover };
                field.enclose(&ball, Region::Solid, &mut self.own);
                self.own.len() as u32
            }
            Divided::Mesh(_) | Divided::Patches(_) => Cells::alternatives(cell),
        };
        let rounding = 16.0 * Real::EPSILON * (centre.coords.amax() + cell.centre.coords.amax() + radius);
        for facets in self.enclosure.alternatives() {
            for alternative in 0..own {
                self.planes.clear();
                match cells.divided {
                    Divided::Field(_) => {
                        self.planes.extend(self.own.alternative(alternative as usize).iter().map(|f| Plane {
                            height: f.value - f.error + f.normal.dot(&off_a) - rounding,
                            error: f.error,
                            normal: f.normal,
                            rate: 0.0,
                            bend: 0.0,
                            of_other: false,
                        }))
                    }
                    Divided::Mesh(_) | Divided::Patches(_) => cells.planes(cell, alternative, &mut self.planes),
                }
                self.planes.extend(facets.iter().map(|f| {
                    let normal = self.rotation * f.normal;
                    let height = f.value - f.error + normal.dot(&off_b) - rounding;
                    Plane { height, error: f.error, normal, rate: 0.0, bend: 0.0, of_other: true }
                }));
                if prove_beyond(&self.planes, &cells.extent(cell), cell.radius, reach, 0.0).gap <= 0.0 {
                    return false;
                }
            }
        }
        true
    }
}
