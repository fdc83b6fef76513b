//! Contacts of fields that are not convex: every cell of the one solid that is within the margin of the other gives its nearest
//! points.
//!
//! **Guarantee.** The cells cover the solid, and only those that are proven further away than the margin are left out: no
//! place of contact larger than a cell is missed, and the nearest points are always among the contacts, up to a twentieth of their
//! separation and as far as descent finds them.
//! **Limits.** Contacts closer together than a cell are one. Of more than 4,096 cells within the margin, as where two sheets run along each
//! other all over, the first that many are asked, and the nearest points of the rest. Of solids that overlap by less than a cell's width there may be
//! none but those beside the overlap.

use super::ContactPoint;
use super::hole::hole_contacts;
use super::limits::Limits;
use super::side::ConvexSide;
use crate::detection::closest::field::FieldPair;
use crate::detection::closest::hulls::{ByHulls, by_hulls};
use crate::detection::closest::prover::Prover;
use crate::detection::closest::{Closest, closest_within, field_pair};
use crate::detection::dispatch::{Route, fields_and_polyhedra};
use crate::detection::field::cells::{Cell, Cells, Divided};
use crate::detection::field::witness::{Pair, Within, Witness};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::field::{Field, nearest_surface};
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;

/// Cells along the smaller solid.
const RESOLUTION: Real = 10.0;
/// Pairs of points whose normals are further from opposite are not yet nearest to each other (the cosine of a tenth of a degree): where a
/// round body slides on a floor, its places beside the lowest one would be slopes that hold it up.
const ALIGNED: Real = 0.999_998_5;
/// Nor do they lead there from here, if they are further from it (two degrees).
const NEARLY_ALIGNED: Real = 0.999_4;
/// Points that are nearer by less than this share of the margin are no nearer.
const NEARER: Real = 1e-3;
/// So are those that are nearer by less than this share of it.
const SHARE: Real = 0.05;
/// What leads further from a cell's centre than this many times its radius is another cell's contact.
const LEASH: Real = 2.0;
/// How exact points are on their surfaces while they are looked for, as a share of the margin.
const COARSE: Real = 1e-3;
/// After so many cells boxes are made of the other solid.
const EASY: usize = 64;
/// More cells than these within the margin are not asked: the solids then hold each other everywhere.
const MOST_CELLS: usize = 4096;

/// Appends the contacts of two solids of which one only cells know, in A's frame, before any reduction.
///
/// Cost: some microseconds for each cell within the margin.
pub(super) fn field_contacts(a: &Shape, b: &Shape, b_in_a: &Pose, limits: &Limits, out: &mut Vec<ContactPoint>) {
    let Some(Route::Field { divided, other, swapped }) = fields_and_polyhedra(a, b) else { return };
    if hole_contacts(a, b, b_in_a, limits, out) {
        return;
    }
    let pose = if swapped { b_in_a.inverse() } else { *b_in_a };
    let size = a.as_solid().bounding_sphere().radius.min(b.as_solid().bounding_sphere().radius);
    let search = Search { pair: FieldPair { divided, other, pose }, margin: limits.margin, cell: size / RESOLUTION };
    let start = out.len();
    let nearest_known = match by_hulls(a, b, b_in_a, limits.margin) {
        ByHulls::Beyond => return,
        ByHulls::Nearest(found) => Some(ContactPoint::from(found)),
        ByHulls::Unknown => None,
    };
    let mut cells = Cells::new(divided);
    let left = search.run(&mut cells, out);
    if swapped {
        out[start..].iter_mut().for_each(|c| *c = c.swapped().placed(b_in_a));
    }
    if let Some(nearest) = nearest_known {
        take_nearest(nearest, search.cell, start, out);
        return straighten([(a, &Pose::identity()), (b, b_in_a)], &mut out[start..]);
    }
    // Only what is nearer than all of them, by more than makes a difference, is worth a search.
    let known = out[start..].iter().map(|c| c.separation).reduce(Real::min).filter(|known| *known > 0.0);
    let slack = NEARER * limits.margin + known.map_or(0.0, |known| SHARE * known);
    let reach = known.map_or(limits.margin, |known| known - slack);
    if reach > 0.0
        && let Some((found, is_swapped)) =
            nearest((a, b, b_in_a), &search.pair, swapped, (&mut cells, &left), (reach, slack))
    {
        let nearest = ContactPoint::from(found);
        let nearest = if is_swapped { nearest.swapped().placed(b_in_a) } else { nearest };
        // The cell it lies in is its name over time.
        let near = |c: &&ContactPoint| (c.point_a - nearest.point_a).norm();
        let features = out[start..].iter().min_by(|c, d| near(c).total_cmp(&near(d))).map(|c| c.features);
        out.push(ContactPoint {
            separation: nearest.normal.dot(&(nearest.point_b - nearest.point_a)),
            features: features.unwrap_or(nearest.features),
            ..nearest
        });
    }
    straighten([(a, &Pose::identity()), (b, b_in_a)], &mut out[start..]);
}

/// Takes the nearest points down, in the place of a contact that is not quite as near.
fn take_nearest(nearest: ContactPoint, cell: Real, start: usize, out: &mut Vec<ContactPoint>) {
    match out[start..].iter_mut().find(|c| is_same(c, &nearest, cell)) {
        Some(twin) => *twin = ContactPoint { features: twin.features, ..nearest },
        None => out.push(nearest),
    }
}

/// Whether two contacts are one: cells of that size that are neighbours often lead to the same place.
fn is_same(one: &ContactPoint, other: &ContactPoint, cell: Real) -> bool {
    (one.point_a - other.point_a).norm() < 0.5 * cell && one.normal.dot(&other.normal) > 0.99
}

/// Contacts on a flat face have its normal, to rounding: what slides along it is not held up by how exactly points were found.
fn straighten(shapes: [(&Shape, &Pose); 2], contacts: &mut [ContactPoint]) {
    for (sign, (shape, pose)) in [1.0, -1.0].into_iter().zip(shapes) {
        let side = match shape {
            Shape::Box(_) | Shape::Convex(_) | Shape::Cylinder(_) | Shape::Cone(_) | Shape::Mesh(_) => {
                ConvexSide::new(shape, *pose, 0.0)
            }
            _ => None,
        };
        let faces = |outward: &Vector| match (shape, &side) {
            (Shape::HalfSpace(plane), _) => [Some(pose.rotation * plane.normal()), None],
            (_, Some(side)) => side.faces_towards(outward),
            _ => [None, None],
        };
        for c in &mut *contacts {
            let outward = c.normal * sign;
            let nearest =
                faces(&outward).into_iter().flatten().max_by(|m, n| m.dot(&outward).total_cmp(&n.dot(&outward)));
            if let Some(face) = nearest.filter(|face| face.dot(&outward) > ALIGNED) {
                c.normal = face * sign;
                c.separation = c.normal.dot(&(c.point_b - c.point_a));
            }
        }
    }
}

/// The nearest points but for `slack` metres, if within `reach`, and whether they are in B's frame, as seen from B, and not in A's; of all cells
/// those that are left may have them.
fn nearest(
    (a, b, b_in_a): (&Shape, &Shape, &Pose),
    pair: &FieldPair<'_>,
    swapped: bool,
    (cells, left): (&mut Cells<'_>, &[u32]),
    (reach, slack): (Real, Real),
) -> Option<(Closest, bool)> {
    if [a, b].iter().any(|shape| matches!(shape, Shape::HalfSpace(_))) {
        return Some((closest_within(a, &Pose::identity(), b, b_in_a, reach).ok().flatten()?, false));
    }
    // A convex solid is not divided for this: where the other one bends within the reach, as the rim of a bore does, half-spaces prove nothing of
    // it, and the convex one's cells would have to be as small as the slack.
    let divides_other = |(other_way, is_swapped): &(FieldPair<'_>, bool)| {
        *is_swapped != swapped && !left.is_empty() && matches!(other_way.divided, Divided::Field(_))
    };
    Some(match field_pair(a, b, b_in_a).filter(divides_other) {
        Some((other_way, is_swapped)) => (other_way.nearly_closest_of_all(reach, slack)?, is_swapped),
        None => (pair.nearly_closest(cells, left, reach, slack)?, swapped),
    })
}

struct Search<'q> {
    pair: FieldPair<'q>,
    margin: Real,
    /// The radius of the cells that are asked, metres.
    cell: Real,
}

/// What a look from a cell gives.
enum Look {
    /// Where the two are locally nearest, or overlap.
    Contact(ContactPoint),
    /// A pair near such a place.
    Near(Pair),
    Nothing,
}

impl Search<'_> {
    /// Appends what it finds. Returns the cells that are not proven further away than the margin.
    fn run(&self, cells: &mut Cells<'_>, out: &mut Vec<ContactPoint>) -> Vec<u32> {
        let mut left = Vec::new();
        let mut prover = Prover::new(self.pair.other, &self.pair.pose);
        let mut waiting: Vec<u32> = cells.root().into_iter().collect();
        let mut parts = Vec::new();
        let start = out.len();
        let mut asked = 0;
        let mut near = Vec::new();
        while let Some(number) = waiting.pop() {
            let cell = cells.get(number);
            if prover.distance(&cell) > self.margin || prover.is_beyond(cells, &cell, self.margin) {
                continue;
            }
            if cell.radius > self.cell || Cells::is_node(&cell) {
                parts.clear();
                cells.split(number, Cells::long_sides(&cell), &mut parts);
                waiting.extend(parts.iter().rev());
                continue;
            }
            if asked > EASY && prover.is_beyond_boxes(&cell, self.margin) {
                continue;
            }
            left.push(number);
            if cell.is_inside {
                continue;
            }
            asked += 1;
            if asked > MOST_CELLS {
                left.append(&mut waiting);
                break;
            }
            match self.look(cells, &cell) {
                Look::Contact(contact) => self.keep(contact, start, out),
                Look::Near(pair) => near.push((number, pair)),
                Look::Nothing => {}
            }
        }
        self.settle(cells, near, start, out);
        left
    }

    /// Takes a contact down, or for one that is known, if it is nearer.
    fn keep(&self, contact: ContactPoint, start: usize, out: &mut Vec<ContactPoint>) {
        match out[start..].iter_mut().find(|c| is_same(c, &contact, self.cell)) {
            Some(twin) if contact.separation < twin.separation => *twin = contact,
            Some(_) => {}
            None => out.push(contact),
        }
    }

    /// Moves pairs to where the solids are locally nearest, the nearest first: what is within a cell of a known contact leads there.
    fn settle(&self, cells: &mut Cells<'_>, mut near: Vec<(u32, Pair)>, start: usize, out: &mut Vec<ContactPoint>) {
        near.sort_by(|(i, p), (j, q)| p.distance.total_cmp(&q.distance).then(i.cmp(j)));
        let mut tried = Vec::new();
        for (number, pair) in near {
            let leads_to =
                |c: &ContactPoint| (c.point_a - pair.point_a).norm() < self.cell && c.normal.dot(&pair.normal) > 0.99;
            // Nor does one lead elsewhere that begins where another was.
            let is_tried = tried.iter().any(|place: &Point| (place - pair.point_a).norm() < self.cell);
            if is_tried || out[start..].iter().any(leads_to) {
                continue;
            }
            tried.push(pair.point_a);
            let cell = cells.get(number);
            let settled = self.witness(cells).settled(&cell, pair, RESOLUTION * self.cell);
            let is_here = (settled.point_a - cell.centre).norm() <= LEASH * cell.radius;
            if is_here && settled.distance <= self.margin && settled.alignment > NEARLY_ALIGNED {
                self.keep(self.contact(cells, &cell, &settled), start, out);
            }
        }
    }

    fn witness<'s, 'q>(&'s self, cells: &'s Cells<'q>) -> Witness<'s, 'q> {
        let fine = 1e-7 * self.margin + 1e-13 * self.cell;
        Witness { cells, other: self.pair.other, other_pose: self.pair.pose, fine, within: Within::Face }
    }

    /// A contact along the normal, which may be a little off the way between the points.
    fn contact(&self, cells: &Cells<'_>, cell: &Cell, pair: &Pair) -> ContactPoint {
        ContactPoint {
            point_a: pair.point_a,
            point_b: pair.point_b,
            normal: pair.normal,
            separation: pair.normal.dot(&(pair.point_b - pair.point_a)),
            features: FeaturePair { a: self.name(cells, cell), b: Feature::Face(0) },
        }
    }

    /// What a cell leads to that is near it.
    fn look(&self, cells: &Cells<'_>, cell: &Cell) -> Look {
        let witness = self.witness(cells);
        let coarse = Witness { fine: witness.fine.max(COARSE * self.margin), ..self.witness(cells) };
        let Some(coarse) = coarse.near_here(cell, LEASH * cell.radius) else { return Look::Nothing };
        if coarse.distance <= 0.0 {
            let overlap = self.overlap(cells, cell, witness.fine);
            return overlap.map_or(Look::Nothing, |pair| Look::Contact(self.contact(cells, cell, &pair)));
        }
        let Some(pair) = witness.refined(cell, &coarse) else { return Look::Nothing };
        if pair.distance <= 0.0 {
            let overlap = self.overlap(cells, cell, witness.fine);
            return overlap.map_or(Look::Nothing, |pair| Look::Contact(self.contact(cells, cell, &pair)));
        }
        if pair.distance > self.margin || pair.alignment <= NEARLY_ALIGNED {
            // Places that lead elsewhere touch there.
            Look::Nothing
        } else if pair.alignment <= ALIGNED {
            Look::Near(pair)
        } else {
            Look::Contact(self.contact(cells, cell, &pair))
        }
    }

    /// The surface of the divided solid at the cell, inside the other: as deep as it is there.
    fn overlap(&self, cells: &Cells<'_>, cell: &Cell, fine: Real) -> Option<Pair> {
        let point_a: Point = match self.pair.divided {
            Divided::Field(field) => nearest_surface(field, &cell.centre, fine)?.point,
            Divided::Mesh(_) | Divided::Patches(_) => cells.nearest_on_part(cell, &cell.centre)?,
        };
        let local = self.pair.pose.inverse_transform_point(&point_a);
        let other: &dyn Field = self.pair.other;
        if !other.contains(&local) {
            return None;
        }
        let found = nearest_surface(other, &local, fine)?;
        let point_b = self.pair.pose * found.point;
        let normal = -(self.pair.pose.rotation * found.normal);
        Some(Pair { point_a, point_b, normal, distance: (point_b - point_a).norm(), alignment: 1.0 })
    }

    /// A name for the contact of a cell that stays the same while the bodies creep.
    fn name(&self, cells: &Cells<'_>, cell: &Cell) -> Feature {
        match self.pair.divided {
            Divided::Mesh(_) | Divided::Patches(_) => cells.feature(cell),
            Divided::Field(field) => {
                let low = field.local_aabb().min;
                let place = (cell.centre - low) / (0.5 * self.cell);
                let digit = |x: Real| (x.max(0.0) as u32).min(1023);
                Feature::Face(1 + digit(place.x) + (digit(place.y) << 10) + (digit(place.z) << 20))
            }
        }
    }
}
