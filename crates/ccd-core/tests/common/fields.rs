//! Solids given by functions and the others they meet, each with samples of its surface and a formula for its inside.

use std::sync::Arc;

use ccd_core::geometry::field::Operation;
use ccd_core::geometry::parametric::BezierPatch;
use ccd_core::math::{Point, Pose, Real, Vector};
use ccd_core::shape::{FieldShape, Shape};

use super::models::{self, Triangles, bent_sheet, corner, l_prism};
use super::patches::{pillow, point_of};
use super::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Torus,
    Ellipsoid,
    Superquadric,
    Hollow,
    RoundedBox,
    DrilledBlock,
    Lens,
    Dumbbell,
    Box,
    Ball,
    Capsule,
    Cylinder,
    Cone,
    HalfSpace,
    Hull,
    Mesh,
    Soup,
    Patches,
}

impl FieldKind {
    pub const FIELDS: [Self; 7] = [
        Self::Torus,
        Self::Ellipsoid,
        Self::Superquadric,
        Self::RoundedBox,
        Self::DrilledBlock,
        Self::Lens,
        Self::Dumbbell,
    ];
    pub const OTHERS: [Self; 10] = [
        Self::Box,
        Self::Ball,
        Self::Capsule,
        Self::Cylinder,
        Self::Cone,
        Self::HalfSpace,
        Self::Hull,
        Self::Mesh,
        Self::Soup,
        Self::Patches,
    ];
}

/// What is made of solids as one function of space, which a search over cells meets: unions are else met part by part.
pub fn as_one_field(made: &Shape) -> Shape {
    match made {
        Shape::Field(FieldShape::Csg(csg)) => Shape::Field(FieldShape::Implicit(Arc::new(csg.solid().clone()))),
        other => other.clone(),
    }
}

type Formula = Arc<dyn Fn(&Point) -> Real + Send + Sync>;

/// A solid as the library and as the oracle know it.
#[derive(Clone)]
pub struct Solid {
    pub shape: Shape,
    pub samples: Vec<Point>,
    /// Negative inside; of slope about one near the surface.
    formula: Option<Formula>,
    pub reach: Real,
    pub normal: Option<Vector>,
}

impl Solid {
    pub fn is_bounded(&self) -> bool {
        self.normal.is_none()
    }

    pub fn is_inside(&self, p: &Point) -> bool {
        self.formula.as_ref().is_some_and(|f| f(p) < -1e-9 * self.reach.max(1e-3))
    }

    /// How far a point is off the surface, to first order; zero for what has no formula.
    pub fn off_surface(&self, p: &Point) -> Real {
        let Some(f) = &self.formula else { return 0.0 };
        let step = 1e-6 * self.reach.max(1e-3);
        let slope = Vector::from_fn(|k, _| {
            let mut d = Vector::zeros();
            d[k] = step;
            (f(&(p + d)) - f(&(p - d))) / (2.0 * step)
        });
        f(p).abs() / slope.norm().max(0.2)
    }
}

fn superquadric(p: &Point, radii: &[Real; 3], [e1, e2]: [Real; 2]) -> Real {
    let power = |x: Real, r: Real, e: Real| (x / r).abs().powf(2.0 / e);
    let flat = power(p.x, radii[0], e2) + power(p.z, radii[2], e2);
    let all = flat.powf(e2 / e1) + power(p.y, radii[1], e1);
    // Of degree one, and in metres near the surface as far as the radii go.
    (all.powf(0.5 * e1) - 1.0) * radii.iter().fold(Real::INFINITY, |m, r| m.min(*r))
}

fn box_formula(p: &Point, half: &[Real; 3]) -> Real {
    (0..3).map(|k| p[k].abs() - half[k]).fold(Real::NEG_INFINITY, Real::max)
}

fn cylinder_formula(p: &Point, radius: Real, half: Real) -> Real {
    (p.x.hypot(p.z) - radius).max(p.y.abs() - half)
}

/// Points on the zero set along random rays and random lines, by bisection.
fn samples_of(r: &mut Random, formula: &Formula, reach: Real, count: usize) -> Vec<Point> {
    let mut samples = Vec::new();
    for _ in 0..40 * count {
        if samples.len() >= count {
            break;
        }
        let (p, q) = (Point::from(r.direction() * (reach * r.unit())), Point::from(r.direction() * (1.05 * reach)));
        let (mut low, mut high) = (p, q);
        if (formula(&low) < 0.0) == (formula(&high) < 0.0) {
            continue;
        }
        let inside_first = formula(&low) < 0.0;
        for _ in 0..60 {
            let middle = nalgebra::center(&low, &high);
            if (formula(&middle) < 0.0) == inside_first { low = middle } else { high = middle }
        }
        samples.push(nalgebra::center(&low, &high));
    }
    samples
}

fn triangles_samples(r: &mut Random, vertices: &[Point], triangles: &[[u32; 3]]) -> Vec<Point> {
    let mut samples = vertices.to_vec();
    for t in triangles {
        let [a, b, c] = t.map(|v| vertices[v as usize]);
        for k in 0..12 {
            let (mut u, mut v) = (r.unit(), if k < 6 { 0.0 } else { r.unit() });
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            samples.push(a + (b - a) * u + (c - a) * v);
        }
    }
    samples
}

pub fn solid(r: &mut Random, kind: FieldKind, size: Real) -> Solid {
    let (s, t, u) = (size * r.between(0.4, 1.0), size * r.between(0.3, 1.0), size * r.between(0.3, 1.0));
    let here = Pose::identity();
    let mut normal = None;
    let (shape, formula): (Shape, Option<Formula>) = match kind {
        FieldKind::Torus => {
            let (major, minor) = (0.7 * size, size * r.between(0.08, 0.3));
            let f = move |p: &Point| ((p.x * p.x + p.z * p.z).sqrt() - major).hypot(p.y) - minor;
            (Shape::torus(major, minor).expect("a valid shape"), Some(Arc::new(f)))
        }
        FieldKind::Ellipsoid => {
            let radii = [s, t, u];
            (
                Shape::ellipsoid(radii).expect("a valid shape"),
                Some(Arc::new(move |p| superquadric(p, &radii, [1.0, 1.0]))),
            )
        }
        FieldKind::Superquadric => {
            let (radii, e) = ([s, t, u], [r.between(0.3, 1.9), r.between(0.3, 1.9)]);
            (Shape::superquadric(radii, e).expect("a valid shape"), Some(Arc::new(move |p| superquadric(p, &radii, e))))
        }
        FieldKind::Hollow => {
            let (radii, e) = ([s, t, u], [r.between(2.1, 3.0), r.between(1.0, 3.0)]);
            (Shape::superquadric(radii, e).expect("a valid shape"), Some(Arc::new(move |p| superquadric(p, &radii, e))))
        }
        FieldKind::RoundedBox => {
            let (half, radius) = ([0.6 * s, 0.6 * t, 0.6 * u], 0.2 * size * r.between(0.2, 1.0));
            let f = move |p: &Point| {
                let d = Vector::from_fn(|k, _| p[k].abs() - half[k]);
                d.sup(&Vector::zeros()).norm() + d.max().min(0.0) - radius
            };
            (Shape::rounded_box(half, radius).expect("a valid shape"), Some(Arc::new(f)))
        }
        FieldKind::DrilledBlock => {
            let half = [0.6 * s, 0.5 * t, 0.6 * u];
            let radius = 0.5 * half[0].min(half[2]);
            let block = (Shape::cuboid(half).expect("a valid shape"), here);
            let drill = (Shape::cylinder(radius, 2.0 * half[1]).expect("a valid shape"), here);
            let shape = Shape::csg(Operation::Difference, &[block, drill]).expect("a valid shape");
            (shape, Some(Arc::new(move |p| box_formula(p, &half).max(-cylinder_formula(p, radius, 2.0 * half[1])))))
        }
        FieldKind::Lens => {
            let (radius, off) = (0.8 * size, 0.5 * size);
            let ball = |x: Real| (Shape::ball(radius).expect("a valid shape"), Pose::translation(x, 0.0, 0.0));
            let shape = Shape::csg(Operation::Intersection, &[ball(-off), ball(off)]).expect("a valid shape");
            let f = move |p: &Point| ((p.x.abs() + off).powi(2) + p.y * p.y + p.z * p.z).sqrt() - radius;
            (shape, Some(Arc::new(f)))
        }
        FieldKind::Dumbbell => {
            let (radius, half, off) = (0.3 * size, 0.1 * size, 0.6 * size);
            let ball = |y: Real| (Shape::ball(radius).expect("a valid shape"), Pose::translation(0.0, y, 0.0));
            let bar = (Shape::cylinder(half, off).expect("a valid shape"), here);
            let shape = Shape::csg(Operation::Union, &[ball(-off), ball(off), bar]).expect("a valid shape");
            let shape = if s < t { shape } else { as_one_field(&shape) };
            let f = move |p: &Point| {
                let ball = ((p.y.abs() - off).powi(2) + p.x * p.x + p.z * p.z).sqrt() - radius;
                ball.min(cylinder_formula(p, half, off))
            };
            (shape, Some(Arc::new(f)))
        }
        FieldKind::Box => {
            let half = [0.6 * s, 0.6 * t, 0.6 * u];
            (Shape::cuboid(half).expect("a valid shape"), Some(Arc::new(move |p| box_formula(p, &half))))
        }
        FieldKind::Ball => (Shape::ball(s).expect("a valid shape"), Some(Arc::new(move |p| p.coords.norm() - s))),
        FieldKind::Capsule => {
            let (radius, half) = (0.4 * s, 0.6 * t);
            let f = move |p: &Point| Vector::new(p.x, (p.y.abs() - half).max(0.0), p.z).norm() - radius;
            (Shape::capsule(radius, half).expect("a valid shape"), Some(Arc::new(f)))
        }
        FieldKind::Cylinder => {
            let (radius, half) = (0.6 * s, 0.6 * t);
            (
                Shape::cylinder(radius, half).expect("a valid shape"),
                Some(Arc::new(move |p| cylinder_formula(p, radius, half))),
            )
        }
        FieldKind::Cone => {
            let (radius, half) = (0.6 * s, 0.6 * t);
            let slant = radius.hypot(2.0 * half);
            let f = move |p: &Point| ((2.0 * half * p.x.hypot(p.z) + radius * (p.y - half)) / slant).max(-p.y - half);
            (Shape::cone(radius, half).expect("a valid shape"), Some(Arc::new(f)))
        }
        FieldKind::HalfSpace => {
            let n = r.direction();
            normal = Some(n);
            (Shape::half_space(n).expect("a valid shape"), Some(Arc::new(move |p| p.coords.dot(&n))))
        }
        FieldKind::Hull => {
            // A sheared box has planes that are known.
            let shear = r.between(-0.5, 0.5);
            let half = [0.5 * s, 0.5 * t, 0.5 * u];
            let corners: Vec<Point> = (0..8)
                .map(|i| {
                    let p = corner(i, &half);
                    Point::new(p.x + shear * p.y, p.y, p.z)
                })
                .collect();
            let steep = 1.0 + shear * shear;
            let f = move |p: &Point| {
                let q = Point::new(p.x - shear * p.y, p.y, p.z);
                ((q.x.abs() - half[0]) / steep.sqrt()).max(q.y.abs() - half[1]).max(q.z.abs() - half[2])
            };
            (Shape::convex_hull(&corners).expect("a valid shape"), Some(Arc::new(f)))
        }
        FieldKind::Patches => {
            let surface = pillow([0.6 * s, 0.6 * t, 0.6 * u], r.between(0.0, 0.4));
            let at = |i: usize| i as Real / 6.0;
            let of = |p: &BezierPatch| (0..49).map(|i| point_of(p, at(i / 7), at(i % 7))).collect::<Vec<_>>();
            let samples: Vec<Point> = surface.patches().iter().flat_map(of).collect();
            let reach = samples.iter().map(|p| p.coords.norm()).fold(0.0, Real::max);
            return Solid { shape: Shape::patches(surface), samples, formula: None, reach, normal: None };
        }
        FieldKind::Mesh | FieldKind::Soup => return mesh_solid(r, kind == FieldKind::Mesh, [s, t, u]),
    };
    let reach = match &normal {
        Some(_) => 0.0,
        None => {
            let aabb = shape.as_solid().local_aabb();
            aabb.half_extents().norm()
        }
    };
    let formula = formula.expect("a valid shape");
    let samples = if normal.is_some() { Vec::new() } else { samples_of(r, &formula, reach, 300) };
    Solid { shape, samples, formula: Some(formula), reach, normal }
}

/// An L-shaped prism, or a bent sheet.
fn mesh_solid(r: &mut Random, closed: bool, [x, y, z]: [Real; 3]) -> Solid {
    let (model, formula): (Triangles, Option<Formula>) = if closed {
        let f = move |p: &Point| {
            let (u, v) = (p.x / x, p.y / y);
            let notch = (0.3 + u).min(0.3 + v);
            (p.x.abs() - x).max(p.y.abs() - y).max(p.z.abs() - z).max(notch * x.min(y))
        };
        (l_prism(x, y, z), Some(Arc::new(f)))
    } else {
        (bent_sheet(|| r.between(-1.0, 1.0), [x, y, z]), None)
    };
    let samples = triangles_samples(r, &model.0, &model.1);
    let reach = model.0.iter().map(|p| p.coords.norm()).fold(0.0, Real::max);
    Solid { shape: models::mesh(model), samples, formula, reach, normal: None }
}
