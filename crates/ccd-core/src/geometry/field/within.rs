//! Points of a field's solid, wherever that is in its box.

use std::collections::{BTreeMap, VecDeque};

use super::{Enclosure, Facet, Field, Region, Sphere};
use crate::math::{DisjointSets, Matrix, Point, Real, Vector};
use crate::volume::{Aabb, Obb};

/// Places that are kept of a solid.
const PLACES: usize = 48;
/// Places of its box that are looked at for these.
const LOOKS: u32 = 256;

/// Boxes that are looked at: enough for shells of a hundredth of their size.
const MOST_BOXES: usize = 1 << 15;
/// The same of a piece that no middle of a cell is in.
const MOST_OF_PIECE: usize = 1 << 12;

/// Places all over a box that are in a solid: up to 48 of 256 that are looked at; of a box without end none.
pub(crate) fn places_within(aabb: &Aabb, contains: impl Fn(&Point) -> bool) -> Vec<Point> {
    /// One over powers of the root of x⁴ = x + 1: sums of these fill a cube evenly (Roberts, 2018).
    const STEPS: [Real; 3] = [0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_971_2];
    let size = aabb.max - aabb.min;
    if !size.amax().is_finite() {
        return Vec::new();
    }
    let places = (1..=LOOKS).map(|k| {
        let share = Vector::from(STEPS.map(|step| (Real::from(k) * step).fract()));
        aabb.min + size.component_mul(&share)
    });
    places.filter(|place| contains(place)).take(PLACES).collect()
}

/// What a search for a point of a solid found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Within {
    /// This one.
    Point(Point),
    /// That there is none.
    Nothing,
    /// Neither, of what is unbounded or thin.
    Unknown,
}

/// The middle of a box, of the solid's own and what comes of halving it, that is in the solid. Cost: an enclosure for each box, most
/// of which are where the surface is.
pub(super) fn point_within(field: &dyn Field) -> Within {
    let aabb = field.local_aabb();
    if !aabb.half_extents().amax().is_finite() {
        return Within::Unknown;
    }
    point_among(field, [(aabb.centre(), aabb.half_extents())], MOST_BOXES)
}

/// The same among boxes, given by their middles and half of their extents, of which at most so many are looked at: by turns the largest that is
/// left, which finds what is thick wherever that is, and what comes of one of them, the nearest first, which leads into what is thin. Boxes are halved
/// across their longest side: those of a thin solid stay few.
fn point_among(field: &dyn Field, boxes: impl IntoIterator<Item = (Point, Vector)>, most: usize) -> Within {
    let mut largest = VecDeque::from_iter(boxes);
    let mut inmost: Vec<(Point, Vector)> = Vec::new();
    let mut enclosure = Enclosure::default();
    for look in 0..most {
        let is_inmost = !inmost.is_empty() && (look % 2 == 1 || largest.is_empty());
        let next = if is_inmost { inmost.pop() } else { largest.pop_front() };
        let Some((centre, half)) = next else { return Within::Nothing };
        if field.contains(&centre) {
            return Within::Point(centre);
        }
        if !may_hold(field, &centre, &half, &mut enclosure) {
            continue;
        }
        let [further, nearer] = halves(field, &centre, &half);
        if is_inmost {
            inmost.extend([further, nearer]);
        } else {
            largest.push_back(further);
            if inmost.is_empty() { inmost.push(nearer) } else { largest.push_back(nearer) }
        }
    }
    Within::Unknown
}

/// The halves of a box across its longest side, the one whose middle is nearer to the solid last.
fn halves(field: &dyn Field, centre: &Point, half: &Vector) -> [(Point, Vector); 2] {
    let axis = half.imax();
    let mut part = *half;
    part[axis] *= 0.5;
    let mut way = Vector::zeros();
    way[axis] = part[axis];
    let (one, other) = ((centre - way, part), (centre + way, part));
    if field.distance(&one.0) < field.distance(&other.0) { [other, one] } else { [one, other] }
}

/// Whether there may be points of the solid in a box.
fn may_hold(field: &dyn Field, centre: &Point, half: &Vector, enclosure: &mut Enclosure) -> bool {
    let obb = Obb { centre: *centre, axes: Matrix::identity(), half_extents: *half };
    // Boxes side by side share a face but for rounding.
    let rounding = 16.0 * Real::EPSILON * (centre.coords.norm() + half.norm());
    let radius = half.norm() + rounding;
    enclosure.clear();
    if field.distance(centre) <= radius {
        field.enclose_within(&Sphere { centre: *centre, radius }, &obb, Region::Solid, enclosure);
    }
    let is_beyond = |f: &Facet| f.value - obb.radius_along(&f.normal) > f.error + rounding;
    enclosure.alternatives().any(|facets| !facets.iter().any(is_beyond))
}

/// How many times the box of a solid is halved along each axis to see into how many pieces it falls.
const HALVINGS: u32 = 5;
const CELLS: usize = 1 << HALVINGS;

/// A point of each piece that a solid falls into. What is nearer to each other than a 32nd of the solid's box may count as one piece, and a piece
/// may have several points. Empty for a solid without an end, and where none was found. Cost: an enclosure for each cell that the solid's surface
/// passes.
pub(super) fn pieces_within(field: &dyn Field) -> Vec<Point> {
    let aabb = field.local_aabb();
    if !aabb.half_extents().amax().is_finite() {
        return Vec::new();
    }
    let mut grid = Grid { field, aabb, kept: vec![None; CELLS * CELLS * CELLS] };
    grid.keep([0; 3], 0, false);
    grid.pieces()
}

/// The cells of a solid's box in which it may have points.
struct Grid<'f> {
    field: &'f dyn Field,
    aabb: Aabb,
    /// For each cell in which there may be any whether its middle is one.
    kept: Vec<Option<bool>>,
}

impl Grid<'_> {
    fn number([i, j, k]: [usize; 3]) -> usize {
        (i * CELLS + j) * CELLS + k
    }

    /// A block after so many halvings: its middle and half of its extents.
    fn block(&self, at: [usize; 3], halvings: u32) -> (Point, Vector) {
        let size = (self.aabb.max - self.aabb.min) * Real::powi(0.5, halvings as i32);
        let shares = Vector::from(at.map(|k| k as Real + 0.5));
        (self.aabb.min + size.component_mul(&shares), size * 0.5)
    }

    /// Keeps those cells of a block in which there may be points of the solid; of one that is `within` it, all.
    fn keep(&mut self, at: [usize; 3], halvings: u32, within: bool) {
        let (centre, half) = self.block(at, halvings);
        let ball = Sphere { centre, radius: half.norm() };
        let mut enclosure = Enclosure::default();
        let mut is_in = |region: Region| {
            enclosure.clear();
            self.field.enclose(&ball, region, &mut enclosure);
            !enclosure.is_empty()
        };
        if !within && !is_in(Region::Solid) {
            return;
        }
        if halvings == HALVINGS {
            self.kept[Self::number(at)] = Some(within || self.field.contains(&centre));
            return;
        }
        let within = within || !is_in(Region::Complement);
        for eighth in 0..8 {
            self.keep(std::array::from_fn(|axis| 2 * at[axis] + (eighth >> axis & 1)), halvings + 1, within);
        }
    }

    /// A point of each piece: cells that share a face hang together.
    fn pieces(&self) -> Vec<Point> {
        let mut sets = DisjointSets::new(self.kept.len());
        let cells = || (0..CELLS).flat_map(|i| (0..CELLS).flat_map(move |j| (0..CELLS).map(move |k| [i, j, k])));
        let is_kept = |cell: [usize; 3]| self.kept[Self::number(cell)].is_some();
        for cell in cells().filter(|cell| is_kept(*cell)) {
            for axis in 0..3 {
                let mut next = cell;
                next[axis] += 1;
                if next[axis] < CELLS && is_kept(next) {
                    sets.join(Self::number(cell) as u32, Self::number(next) as u32);
                }
            }
        }
        // Of each set its cells, those first whose middle is a point.
        let mut pieces: BTreeMap<u32, Vec<[usize; 3]>> = BTreeMap::new();
        for cell in cells().filter(|cell| is_kept(*cell)) {
            pieces.entry(sets.find(Self::number(cell) as u32)).or_default().push(cell);
        }
        let point_of = |piece: Vec<[usize; 3]>| {
            let middle = |cell: &[usize; 3]| self.block(*cell, HALVINGS);
            let is_point = |cell: &&[usize; 3]| self.kept[Self::number(**cell)] == Some(true);
            let known = piece.iter().find(is_point).map(|cell| middle(cell).0);
            known.or_else(|| match point_among(self.field, piece.iter().map(middle), MOST_OF_PIECE) {
                Within::Point(point) => Some(point),
                Within::Nothing | Within::Unknown => None,
            })
        };
        pieces.into_values().filter_map(point_of).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot build its scene has failed")]

    use std::sync::Arc;

    use super::*;
    use crate::geometry::field::{Csg, CsgPart, Operation};
    use crate::geometry::primitive::{Ball, Cuboid, Cylinder, HalfSpace};
    use crate::math::{Pose, Real};

    fn part(solid: impl Field + 'static) -> CsgPart {
        CsgPart::new(Arc::new(solid), Pose::identity())
    }

    fn cylinder(radius: Real, half_height: Real) -> CsgPart {
        part(Cylinder::try_new(radius, half_height).unwrap())
    }

    #[test]
    fn a_point_is_found_of_rings_and_thin_shells_whose_middles_are_empty() {
        let ring = Csg::new(Operation::Difference, vec![cylinder(0.3, 0.05), cylinder(0.25, 0.2)]).unwrap();
        assert!(ring.some_point().is_some_and(|point| ring.contains(&point)) && !ring.has_no_point());
        let balls = [1.0, 0.99].map(|radius| part(Ball::try_new(radius).unwrap()));
        let shell = Csg::new(Operation::Difference, balls.to_vec()).unwrap();
        assert!(shell.some_point().is_some_and(|point| shell.contains(&point)) && !shell.has_no_point());
        assert_eq!(point_within(&shell), Within::Point(shell.some_point().unwrap()));
    }

    fn block(half: [Real; 3], x: Real) -> CsgPart {
        CsgPart::new(Arc::new(Cuboid::try_new(half).unwrap()), Pose::translation(x, 0.0, 0.0))
    }

    #[test]
    fn a_point_is_found_of_a_plate_however_thin_and_that_a_slender_solid_has_none() {
        for thin in [1e-2, 1e-3, 1e-6, 1e-9] {
            let plate =
                Csg::new(Operation::Difference, vec![block([1.0; 3], 0.0), block([1.0, 2.0, 2.0], thin)]).unwrap();
            assert!(plate.some_point().is_some_and(|point| plate.contains(&point)), "{thin}");
            let taken = vec![block([1.0, thin, 1.0], 0.0), block([2.0, 2.0 * thin, 2.0], 0.0)];
            assert!(Csg::new(Operation::Difference, taken).unwrap().has_no_point(), "{thin}");
        }
    }

    #[test]
    fn what_is_thick_is_found_beside_a_lid_without_thickness() {
        // Of the block on the left a lid is left, which is no point of it; the other stands aside.
        let lid = Csg::new(Operation::Difference, vec![block([1.0; 3], 0.0), block([1.0; 3], 0.0)]).unwrap();
        let lid = CsgPart::new(Arc::new(lid), Pose::identity());
        let both = Csg::new(Operation::Union, vec![lid, block([0.01; 3], 5.0)]).unwrap();
        assert!(matches!(point_within(&both), Within::Point(point) if point.x > 4.9));
    }

    #[test]
    fn what_has_no_point_is_known_to_have_none_and_of_what_has_no_end_nothing_is() {
        let nothing = Csg::new(Operation::Difference, vec![cylinder(0.3, 0.05), cylinder(0.4, 0.2)]).unwrap();
        assert!(nothing.some_point().is_none() && nothing.has_no_point());
        let aside = |x: Real| CsgPart::new(Arc::new(Ball::try_new(0.3).unwrap()), Pose::translation(x, x, x));
        let nothing = Csg::new(Operation::Intersection, vec![aside(0.0), aside(0.4)]).unwrap();
        assert!(nothing.some_point().is_none() && nothing.has_no_point());
        assert_eq!(point_within(&HalfSpace::try_new(Vector::y()).unwrap()), Within::Unknown);
    }
}
