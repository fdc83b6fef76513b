//! The touch of parts of compounds: along one direction that separates all that touch.

use super::super::flush::rounding;
use super::super::gjk::GjkCache;
use super::super::mesh_touch::{Spread, touching_triangles};
use super::super::touching::{Placed, ROUND, common_direction};
use super::super::{ClosestError, Local, convex_convex};
use super::Pairs;
use crate::bounds::IndexedMesh;
use crate::detection::compound_piece::CompoundPiece;
use crate::geometry::primitive::Triangle;
use crate::geometry::solid::SupportMap;
use crate::math::{Pose, Real, Vector};
use crate::shape::Shape;

/// What touches of a part: all of it, or a triangle.
enum Touching<'s> {
    Whole(&'s dyn SupportMap),
    Triangle(Triangle),
}

impl Touching<'_> {
    fn solid(&self) -> &dyn SupportMap {
        match self {
            Self::Whole(solid) => *solid,
            Self::Triangle(triangle) => triangle,
        }
    }
}

/// Two that touch, in A's frame, with the direction between them, and what was found of their parts.
struct Touch<'s> {
    sides: [Touching<'s>; 2],
    poses: [Pose; 2],
    normal: Vector,
    found: Local,
}

/// A part by what it touches with.
enum Form<'s> {
    Convex(&'s dyn SupportMap),
    Mesh(&'s IndexedMesh),
}

impl<'s> Form<'s> {
    fn of(shape: &'s Shape) -> Option<Self> {
        match shape {
            Shape::Mesh(mesh) => Some(mesh.as_convex().map_or(Self::Mesh(mesh), Self::Convex)),
            other => other.as_convex().map(Self::Convex),
        }
    }
}

impl<'s> Pairs<'_, 's> {
    /// The touch of all parts that touch, where the nearest ones do, which were `found`; `None` where they do not, or where two of them are neither
    /// convex nor a mesh and a convex solid.
    pub(super) fn touch(
        &self,
        found: &Local,
        pieces: [CompoundPiece; 2],
        but: Option<[u32; 2]>,
    ) -> Result<Option<Local>, ClosestError> {
        let Some(rounding) = self.rounding(pieces, &found.normal) else { return Ok(None) };
        if found.distance > rounding || found.distance < -ROUND * rounding {
            return Ok(None);
        }
        let (mut touches, mut are_told) = (Spread::new(), true);
        self.visit(rounding, |found, pieces| {
            if but != Some(pieces.map(CompoundPiece::number)) {
                are_told = self.see_touches(&found, pieces, rounding, &mut touches);
            }
            are_told.then_some(rounding)
        })?;
        let touches = touches.kept();
        let pairs: Vec<_> = touches
            .iter()
            .map(|t| (Placed { solids: [t.sides[0].solid(), t.sides[1].solid()], poses: t.poses }, t.normal))
            .collect();
        let common =
            common_direction(&pairs).filter(|common| are_told && (common.separates || found.distance >= -rounding));
        Ok(common.map(|common| Local {
            distance: found.distance.max(0.0),
            normal: common.normal,
            ..touches[common.pair].found
        }))
    }

    /// Two parts, and their places in A's frame; `None` of those that do not tell what of them touches.
    fn forms(&self, pieces: [CompoundPiece; 2]) -> Option<([Form<'s>; 2], [&'s Shape; 2], [Pose; 2])> {
        let ((shape_a, pose_a), (shape_b, pose_b)) = (self.a.placed(pieces[0]), self.b.placed(pieces[1]));
        let forms = [Form::of(shape_a)?, Form::of(shape_b)?];
        Some((forms, [shape_a, shape_b], [pose_a, self.b_in_a * pose_b]))
    }

    /// How near two parts touch, metres, which is along this direction.
    fn rounding(&self, pieces: [CompoundPiece; 2], normal: &Vector) -> Option<Real> {
        Some(match self.forms(pieces)? {
            ([Form::Convex(a), Form::Convex(b)], _, poses) => Placed { solids: [a, b], poses }.gap(normal).1,
            (_, shapes, poses) => {
                let boxes = shapes.map(|shape| shape.as_solid().local_aabb());
                rounding([&boxes[0], &boxes[1]], &poses[0].inv_mul(&poses[1]))
            }
        })
    }

    /// Remembers what of two parts touches, whose nearest points are `found`. Whether they tell.
    fn see_touches(
        &self,
        found: &Local,
        pieces: [CompoundPiece; 2],
        rounding: Real,
        touches: &mut Spread<Touch<'s>>,
    ) -> bool {
        let Some((forms, shapes, poses)) = self.forms(pieces) else { return false };
        // A convex part beside the triangles of the other, `side` telling whose these are.
        let mut see_triangles = |mesh: &IndexedMesh, convex: &'s dyn SupportMap, side: usize| {
            let own = shapes[1 - side].as_solid().local_aabb();
            let convex_in_mesh = poses[side].inv_mul(&poses[1 - side]);
            touching_triangles(mesh, (convex, &own), &convex_in_mesh, rounding, |triangle| {
                let touch = convex_convex(&triangle, convex, &convex_in_mesh, &mut GjkCache::default());
                let normal = poses[side].rotation * touch.normal;
                let (own, other) = (Touching::Triangle(triangle), Touching::Whole(convex));
                let (sides, normal) = if side == 0 { ([own, other], normal) } else { ([other, own], -normal) };
                touches.see(Touch { sides, poses, normal, found: *found });
            });
        };
        match forms {
            [Form::Convex(a), Form::Convex(b)] => {
                let sides = [a, b].map(Touching::Whole);
                touches.see(Touch { sides, poses, normal: found.normal, found: *found });
            }
            [Form::Mesh(mesh), Form::Convex(convex)] => see_triangles(mesh, convex, 0),
            [Form::Convex(convex), Form::Mesh(mesh)] => see_triangles(mesh, convex, 1),
            [Form::Mesh(_), Form::Mesh(_)] => return false,
        }
        true
    }
}
