//! Where surfaces bend: how a contact moves over them is told by their shape operators (`contact/kinematics.rs`).

use super::{Arms, Pivoting, Side, Surface};
use crate::contact::{ContactPoint, contact_motion};
use crate::geometry::feature::Feature;
use crate::geometry::field::shape_operator;
use crate::math::{Matrix, Point, Real, Rotation, Vector};
use crate::shape::Shape;

/// Bodies that touch along a line touch everywhere with normals whose cosine is above this, and beside it by less than this share of its length.
const ONE_NORMAL: Real = 1.0 - 1e-6;
const ASIDE: Real = 1e-2;
/// What is round fits into what is hollow where it has no more play than this share of its radius.
const FITS: Real = 0.25;
/// It hardly moves where it does so by no more than so many times what is no impact.
const SLOW: Real = 2.0;
/// How far above a surface its bending is looked at, as a share of the shorter way from a centre.
pub(super) const ABOVE: Real = 1e-2;

impl Pivoting<'_> {
    /// The shape operators of the two surfaces at a contact.
    pub(super) fn shape_operators(&self, p: &ContactPoint) -> Option<[Matrix; 2]> {
        let [a, b] = &self.sides;
        let height = ABOVE * self.size_at(p);
        let operator_a = a.shape_operator(p.features.a, &p.point_a, &p.normal, height)?;
        Some([operator_a, b.shape_operator(p.features.b, &p.point_b, &-p.normal, height)?])
    }

    /// Whether the two approach faster at a contact than contacts do.
    pub(super) fn strikes(&self, p: &ContactPoint) -> bool {
        let [a, b] = self.sides.each_ref().map(|side| side.velocity.at(&(p.midpoint() - side.centre())));
        (a - b).dot(&p.normal) > self.impact_speed
    }

    /// The shorter way from a centre to a contact, metres.
    pub(super) fn size_at(&self, p: &ContactPoint) -> Real {
        let [a, b] = &self.sides;
        a.way_to(&p.point_a).min(b.way_to(&p.point_b))
    }

    /// Where a contact is halfway, of which these are the arms at the beginning, where the surfaces bend and the normal turns.
    pub(super) fn arms_on_curves(&self, p: &ContactPoint, arms: [Vector; 2]) -> Option<Arms> {
        if self.strikes(p) {
            return None;
        }
        let [operator_a, operator_b] = match self.line {
            Some(operators) => operators,
            None => self.shape_operators(p)?,
        };
        self.arms_by_bends(p, arms, [&operator_a, &operator_b])
            .or_else(|| self.arms_in_bore(p, [&operator_a, &operator_b]))
    }

    /// Where a contact is halfway of what is round and fits into what is hollow, where its place moves further round within the step than can be
    /// followed, though the two hardly move: what pushes then keeps the middle of the one from leaving that of the other, and pushes against where
    /// it would go.
    fn arms_in_bore(&self, p: &ContactPoint, operators: [&Matrix; 2]) -> Option<Arms> {
        let bent = operators.map(|operator| operator.symmetric_eigen());
        let least = bent.each_ref().map(|of| of.eigenvalues.imin());
        let side = usize::from(bent[1].eigenvalues[least[1]] < bent[0].eigenvalues[least[0]]);
        let across = bent[side].eigenvectors.column(least[side]).into_owned();
        let bends = operators.map(|operator| across.dot(&(operator * across)));
        if bends[side] >= 0.0 || bends[1 - side] <= 0.0 {
            return None;
        }
        let hollow = -1.0 / bends[side];
        let play = hollow - 1.0 / bends[1 - side];
        if play <= 0.0 || play > FITS * hollow {
            return None;
        }
        // The middles of both, from where their bodies are seen.
        let middles = [p.point_a - p.normal / bends[0], p.point_b + p.normal / bends[1]];
        let arm = |k: usize| middles[k] - self.sides[k].centre();
        let turned = |k: usize, share: Real| Rotation::from_scaled_axis(self.sides[k].way.angular * share) * arm(k);
        let passing = |[r_a, r_b]: [Vector; 2]| self.sides[1].velocity.at(&r_b) - self.sides[0].velocity.at(&r_a);
        let goes = passing([turned(0, 1.0), turned(1, 1.0)]);
        let along = p.normal.cross(&across);
        let goes_across = goes - along * goes.dot(&along);
        if goes_across.norm() > SLOW * self.impact_speed {
            return None;
        }
        let normal = -goes_across.try_normalize(0.0)?;
        let arms = [turned(0, 0.5) + normal / bends[0], turned(1, 0.5) - normal / bends[1]];
        let gain = normal * (goes - passing(arms)).dot(&normal);
        // There is more room along it than where they touch.
        let room = play + (middles[1] - middles[0]).dot(&normal) - p.separation;
        Some(Arms { arms, normal, bends: true, gain, dip: room.max(0.0) / self.rest })
    }

    /// Where a contact is halfway of two surfaces with these shape operators.
    pub(super) fn arms_by_bends(&self, p: &ContactPoint, arms: [Vector; 2], operators: [&Matrix; 2]) -> Option<Arms> {
        let [a, b] = &self.sides;
        let slides = b.way.at(&arms[1]) - a.way.at(&arms[0]);
        let turns = [&a.way.angular, &b.way.angular];
        let motion = contact_motion(&p.normal, operators, turns, &slides, self.size_at(p))?;
        let share = self.share_on_faces(p, &arms, &motion.ways);
        let moves = [0, 1].map(|k| (self.sides[k].way.angular.cross(&arms[k]) + motion.ways[k]) * share);
        self.arms_on_the_way(p, arms, moves, motion.turn * share)
    }
}

impl Side<'_> {
    /// From its centre to a place, world, metres.
    fn way_to(&self, place: &Point) -> Real {
        (place - self.centre()).norm()
    }

    /// The shape operator of its surface where the feature has a place and faces along `outward`, all world; see [`shape_operator`].
    pub(super) fn shape_operator(
        &self,
        feature: Feature,
        place: &Point,
        outward: &Vector,
        height: Real,
    ) -> Option<Matrix> {
        let (shape, pose, own) = self.part(feature)?;
        if let Shape::Ball(ball) = shape {
            return Some((Matrix::identity() - outward * outward.transpose()) / ball.radius());
        }
        let Some(field) = shape.as_field() else {
            // Of a mesh that has no inside, its faces alone are known.
            return (Surface::at(shape, own) == Surface::Flat).then(Matrix::zeros);
        };
        let outward = pose.inverse_transform_vector(outward);
        let own = shape_operator(field, &pose.inverse_transform_point(place), &outward, height)?;
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        Some(rotation * own * rotation.transpose())
    }
}

/// Whether two surfaces touch of which one bends, and whether it is known how the other does: as far as their kinds tell.
pub(super) fn are_curved([a, b]: [&Shape; 2], p: &ContactPoint) -> bool {
    let surfaces = [Surface::at(a, p.features.a), Surface::at(b, p.features.b)];
    surfaces.iter().any(|surface| matches!(surface, Surface::Round | Surface::Smooth))
        && surfaces.iter().all(|surface| *surface != Surface::Other)
}

/// Whether several contacts have one normal and lie on one line.
pub(super) fn lie_on_a_line(points: &[ContactPoint]) -> bool {
    let Some((first, others)) = points.split_first() else { return false };
    let way = |p: &ContactPoint| p.point_a - first.point_a;
    let Some(longest) = others.iter().map(way).max_by(|v, w| v.norm_squared().total_cmp(&w.norm_squared())) else {
        return false;
    };
    let aside = |p: &ContactPoint| way(p).cross(&longest).norm() / longest.norm_squared();
    have_one_normal(points) && others.iter().all(|p| aside(p) < ASIDE)
}

/// Whether several contacts have one normal.
pub(super) fn have_one_normal(points: &[ContactPoint]) -> bool {
    points.iter().all(|p| p.normal.dot(&points[0].normal) > ONE_NORMAL)
}

/// Between the contacts of one line.
pub(super) fn middle(points: &[ContactPoint]) -> ContactPoint {
    let mean = |place: fn(&ContactPoint) -> Point| {
        Point::from(points.iter().map(|p| place(p).coords).sum::<Vector>() / points.len() as Real)
    };
    ContactPoint { point_a: mean(|p| p.point_a), point_b: mean(|p| p.point_b), ..points[0] }
}
