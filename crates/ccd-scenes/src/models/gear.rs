//! The gear.

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Real};

use super::{Model, ModelError, finished};
use crate::options::{check_count, check_length, check_less, options};

options! {
    "gear": "closed spur gear with a bore, around y, 32 triangles a tooth"
    /// A spur gear around the y axis: trapezoid teeth, a bore, 32 triangles a tooth.
    ///
    /// By default twelve teeth, 1 m wide.
    Gear {
        /// How many teeth.
        teeth: u32 = 12,
        /// To the tips of the teeth, metres.
        outer_radius: Real = 0.5,
        /// To the ground between the teeth, metres; less than the outer radius.
        root_radius: Real = 0.38,
        /// Of the bore, metres; less than the root radius.
        bore_radius: Real = 0.12,
        /// Along the axis, metres.
        thickness: Real = 0.2,
    }
}

/// Where a tooth's corners are, in shares of the pitch: foot, tip, tip, foot.
const TOOTH: [Real; 4] = [0.0, 0.17, 0.33, 0.5];

impl Model for Gear {
    fn build(&self) -> Result<TriMesh, ModelError> {
        check_count::<Self>("teeth", self.teeth, 3, 100_000)?;
        for (name, value) in [
            ("outer_radius", self.outer_radius),
            ("root_radius", self.root_radius),
            ("bore_radius", self.bore_radius),
            ("thickness", self.thickness),
        ] {
            check_length::<Self>(name, value)?;
        }
        check_less::<Self>("root_radius", self.root_radius, "the outer radius", self.outer_radius)?;
        // Chords between bore corners and between feet must not cross: half a pitch is the widest chord.
        let clear = self.root_radius * (std::f64::consts::FRAC_PI_2 / Real::from(self.teeth)).cos();
        check_less::<Self>("bore_radius", self.bore_radius, "the root circle less its chords' sagitta", clear)?;

        // Four walls around the axis, each a loop of the same corners: outer top, outer bottom, bore bottom, bore top.
        let corners = 4 * self.teeth;
        let half = 0.5 * self.thickness;
        let mut vertices = Vec::with_capacity(4 * corners as usize);
        for (on_rim, y) in [(true, half), (true, -half), (false, -half), (false, half)] {
            for i in 0..corners {
                let k = (i % 4) as usize;
                let angle = (Real::from(i / 4) + TOOTH[k]) * std::f64::consts::TAU / Real::from(self.teeth);
                let r = match (on_rim, k) {
                    (false, _) => self.bore_radius,
                    (true, 1 | 2) => self.outer_radius,
                    (true, _) => self.root_radius,
                };
                let (sin, cos) = angle.sin_cos();
                vertices.push(Point::new(r * cos, y, -r * sin));
            }
        }
        let mut triangles = Vec::with_capacity(32 * self.teeth as usize);
        for ring in 0..4 {
            for i in 0..corners {
                let at = |ring: u32, i: u32| ring % 4 * corners + i % corners;
                let (a, b, c, d) = (at(ring, i), at(ring + 1, i), at(ring + 1, i + 1), at(ring, i + 1));
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        finished::<Self>(TriMesh::try_new(vertices, triangles))
    }
}
