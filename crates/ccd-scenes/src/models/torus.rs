//! Torus and ring.

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Real};

use super::{Model, ModelError, finished};
use crate::options::{Field, Options, check_count, check_length, check_less, options};

options! {
    "torus": "closed torus around y, 2000 triangles"
    /// A torus around the y axis.
    ///
    /// By default 1 m and 0.4 m, 2000 triangles.
    Torus {
        /// From the axis to the middle of the tube, metres.
        major_radius: Real = 1.0,
        /// Of the tube, metres; less than the major radius.
        minor_radius: Real = 0.4,
        /// Parts around the axis.
        major_segments: u32 = 50,
        /// Parts around the tube.
        minor_segments: u32 = 20,
    }
}

impl Model for Torus {
    fn build(&self) -> Result<TriMesh, ModelError> {
        tube::<Self>(self)
    }
}

/// A slender torus that interlocks with its like: the link of chains.
///
/// Two rings in planes at right angles, their middles 0.8 m apart, hang in each other with the default sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring(pub Torus);

impl Default for Ring {
    /// 0.5 m and 0.05 m, 500 triangles.
    fn default() -> Self {
        Self(Torus { major_radius: 0.5, minor_radius: 0.05, major_segments: 25, minor_segments: 10 })
    }
}

impl Options for Ring {
    const NAME: &'static str = "ring";
    const ABOUT: &'static str = "slender ring around y, 500 triangles, for chains";

    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)> {
        self.0.fields()
    }
}

impl Model for Ring {
    fn build(&self) -> Result<TriMesh, ModelError> {
        tube::<Self>(&self.0)
    }
}

/// The torus, with errors in the name of `M`.
fn tube<M: Model>(torus: &Torus) -> Result<TriMesh, ModelError> {
    check_length::<M>("major_radius", torus.major_radius)?;
    check_length::<M>("minor_radius", torus.minor_radius)?;
    check_less::<M>("minor_radius", torus.minor_radius, "the major radius", torus.major_radius)?;
    check_count::<M>("major_segments", torus.major_segments, 3, 4000)?;
    check_count::<M>("minor_segments", torus.minor_segments, 3, 4000)?;
    let (n, m) = (torus.major_segments, torus.minor_segments);
    let turn = |i: u32, of: u32| (Real::from(i) * std::f64::consts::TAU / Real::from(of)).sin_cos();
    let mut vertices = Vec::with_capacity((n * m) as usize);
    let mut triangles = Vec::with_capacity((2 * n * m) as usize);
    for i in 0..n {
        let (sin, cos) = turn(i, n);
        for j in 0..m {
            let (up, out) = turn(j, m);
            let r = torus.major_radius + torus.minor_radius * out;
            vertices.push(Point::new(r * cos, torus.minor_radius * up, -r * sin));
            let at = |i: u32, j: u32| i % n * m + j % m;
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    finished::<M>(TriMesh::try_new(vertices, triangles))
}
