//! The bullet of the papers' example.

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Real};
use robust::{Coord3D, orient3d};

use super::{Model, ModelError, finished};
use crate::options::{check_length, check_less, options};

/// Corners of each ring.
const SIDES: u32 = 20;
/// Rings from the base to the shoulder, and from there to the tip.
const TAIL_RINGS: u32 = 6;
const NOSE_RINGS: u32 = 10;

options! {
    "bullet": "convex bullet of 640 triangles along y, tip up"
    /// A rifle bullet: a strictly convex polyhedron of 322 vertices and 640 triangles, tip at +y, its length's middle at the origin.
    ///
    /// From the base (a flat cone, so that its middle is a vertex of the hull) the tail widens along a shallow arc to the
    /// shoulder, and the nose narrows along a tangent ogive to the tip. The profile bends everywhere, so that no ring
    /// lies in the hull of the others; the diagonal of each side is chosen by an exact predicate, so that no edge is
    /// dented even by rounding.
    ///
    /// By default 5 cm long, 12 mm thick.
    Bullet {
        /// From base to tip, metres.
        length: Real = 0.05,
        /// At the shoulder, metres; less than half the length.
        radius: Real = 0.006,
    }
}

impl Bullet {
    /// The rings from base to tip, as (y, radius).
    fn profile(&self) -> Vec<(Real, Real)> {
        let Self { length, radius } = *self;
        let (base, shoulder, tip) = (-0.48 * length, -0.15 * length, 0.5 * length);
        const BASE_SHARE: Real = 0.85;
        // A tangent ogive: the arc that leaves the shoulder straight on and ends on the axis at the tip.
        let nose = tip - shoulder;
        let arc = (radius * radius + nose * nose) / (2.0 * radius);
        let tail_rings = (0..TAIL_RINGS).map(|i| {
            let back = 1.0 - Real::from(i) / Real::from(TAIL_RINGS);
            (shoulder - (shoulder - base) * back, radius * (1.0 - (1.0 - BASE_SHARE) * back * back))
        });
        let nose_rings = (0..NOSE_RINGS).map(|i| {
            let y = nose * Real::from(i) / Real::from(NOSE_RINGS);
            (shoulder + y, (arc * arc - y * y).sqrt() - (arc - radius))
        });
        tail_rings.chain(nose_rings).collect()
    }
}

impl Model for Bullet {
    fn build(&self) -> Result<TriMesh, ModelError> {
        check_length::<Self>("length", self.length)?;
        check_length::<Self>("radius", self.radius)?;
        check_less::<Self>("radius", self.radius, "half the length", 0.5 * self.length)?;

        let mut vertices = vec![Point::new(0.0, -0.5 * self.length, 0.0)];
        for (y, r) in self.profile() {
            for i in 0..SIDES {
                let (sin, cos) = (Real::from(i) * std::f64::consts::TAU / Real::from(SIDES)).sin_cos();
                vertices.push(Point::new(r * cos, y, -r * sin));
            }
        }
        vertices.push(Point::new(0.0, 0.5 * self.length, 0.0));

        let rings = TAIL_RINGS + NOSE_RINGS;
        let at = |ring: u32, i: u32| 1 + ring * SIDES + i % SIDES;
        let tip = 1 + rings * SIDES;
        let place = |v: u32| {
            let p = vertices[v as usize];
            Coord3D { x: p.x, y: p.y, z: p.z }
        };
        let mut triangles = Vec::with_capacity(640);
        for i in 0..SIDES {
            triangles.push([0, at(0, i + 1), at(0, i)]);
            for ring in 0..rings - 1 {
                let (a, b, c, d) = (at(ring, i), at(ring, i + 1), at(ring + 1, i + 1), at(ring + 1, i));
                // Positive: d lies below the plane of a, b, c as seen from outside, so the diagonal from a to c bulges.
                if orient3d(place(a), place(b), place(c), place(d)) >= 0.0 {
                    triangles.extend([[a, b, c], [a, c, d]]);
                } else {
                    triangles.extend([[a, b, d], [b, c, d]]);
                }
            }
            triangles.push([at(rings - 1, i), at(rings - 1, i + 1), tip]);
        }
        finished::<Self>(TriMesh::try_new(vertices, triangles))
    }
}
