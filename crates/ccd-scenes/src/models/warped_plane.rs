//! The warped sheet of the papers' example.

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Real};

use super::{Model, ModelError, finished};
use crate::options::{check_length, check_less, options};

/// Parts around the hole, and bands from the hole to the rim.
const SECTORS: u32 = 67;
const BANDS: u32 = 15;

options! {
    "warped-plane": "warped sheet without thickness over xz, with a hole, 2010 triangles"
    /// A warped square sheet of no thickness with a round hole in its middle: a soup of exactly 2010 triangles over the xz plane.
    ///
    /// It bulges towards +y, most at the hole, and is twisted a little, so that no two of its normals are alike.
    ///
    /// By default 3 m wide, with a hole of 0.33 m radius.
    WarpedPlane {
        /// The edge of the square, metres.
        width: Real = 3.0,
        /// Of the hole, metres; less than 0.45 widths.
        hole_radius: Real = 0.33,
        /// How far the middle bulges, metres.
        bulge: Real = 0.25,
        /// How far two opposite corners rise and the others sink, metres.
        twist: Real = 0.05,
    }
}

impl WarpedPlane {
    /// The height of the ideal sheet over a place of the plane, metres; its vertices lie on it.
    pub fn height(&self, x: Real, z: Real) -> Real {
        let (u, v) = (x / self.width, z / self.width);
        let (cos_u, cos_v) = ((std::f64::consts::PI * u).cos(), (std::f64::consts::PI * v).cos());
        self.bulge * cos_u * cos_v + 4.0 * self.twist * u * v
    }
}

impl Model for WarpedPlane {
    fn build(&self) -> Result<TriMesh, ModelError> {
        check_length::<Self>("width", self.width)?;
        check_length::<Self>("hole_radius", self.hole_radius)?;
        check_less::<Self>("hole_radius", self.hole_radius, "0.45 widths", 0.45 * self.width)?;
        for (option, value) in [("bulge", self.bulge), ("twist", self.twist)] {
            if value != 0.0 {
                check_length::<Self>(option, value)?;
            }
        }

        let mut vertices = Vec::with_capacity((SECTORS * (BANDS + 1)) as usize);
        for band in 0..=BANDS {
            let outwards = Real::from(band) / Real::from(BANDS);
            for sector in 0..SECTORS {
                let [rim_x, rim_z] = rim(sector).map(|c| 0.5 * self.width * c);
                // The hole's corners lie on the lines to the rim's, so that the bands never fold.
                let to_hole = self.hole_radius / rim_x.hypot(rim_z);
                let share = to_hole + (1.0 - to_hole) * outwards;
                let (x, z) = if band == BANDS { (rim_x, rim_z) } else { (rim_x * share, rim_z * share) };
                vertices.push(Point::new(x, self.height(x, z), z));
            }
        }
        let mut triangles = Vec::with_capacity((2 * SECTORS * BANDS) as usize);
        for band in 0..BANDS {
            for sector in 0..SECTORS {
                let at = |band: u32, sector: u32| band * SECTORS + sector % SECTORS;
                let (a, b, c, d) =
                    (at(band, sector), at(band + 1, sector), at(band + 1, sector + 1), at(band, sector + 1));
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        finished::<Self>(TriMesh::try_new(vertices, triangles))
    }
}

/// Corner `sector` of the square's outline from -1 to 1, counter-clockwise seen from +y; the square's own corners are among them.
fn rim(sector: u32) -> [Real; 2] {
    // 67 parts over four sides: 17, 17, 17 and 16, each side with the corner it starts from.
    let (side, first, parts) = match sector {
        0..17 => (0, 0, 17),
        17..34 => (1, 17, 17),
        34..51 => (2, 34, 17),
        _ => (3, 51, 16),
    };
    let along = 2.0 * Real::from(sector - first) / Real::from(parts) - 1.0;
    // Looking down -y with x to the right, z points down: counter-clockwise goes from +x towards -z.
    match side {
        0 => [1.0, -along],
        1 => [-along, -1.0],
        2 => [-1.0, along],
        _ => [along, 1.0],
    }
}
