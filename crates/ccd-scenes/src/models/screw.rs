//! A bolt and the nut that it turns in: true helical threads.

use std::f64::consts::{FRAC_PI_3, FRAC_PI_6, TAU};

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Real};

use super::{Model, ModelError, finished};
use crate::options::{Options, check_between, check_count, check_length, options};

options! {
    "bolt": "closed bolt with a right-handed thread around y and a hexagonal head"
    /// A bolt around the y axis: a right-handed trapezoid thread around the origin, a hexagonal head above it.
    ///
    /// The thread's crest crosses the middle of its height at the angle zero, as the groove of a [`Nut`] of the same
    /// sizes does: at the same pose the one is in the other, and it stays so when the bolt moves by a pitch a turn.
    Bolt {
        /// From the axis to the ground of the thread, metres.
        core_radius: Real = 0.08,
        /// From the ground of the thread to its crest, metres.
        depth: Real = 0.02,
        /// Of the thread: how far it comes in a turn, metres.
        pitch: Real = 0.05,
        /// Of the threaded part, metres.
        length: Real = 0.3,
        /// From the axis to a flat of the head, metres; more than the crest's radius.
        head_radius: Real = 0.16,
        /// Of the head, metres.
        head_height: Real = 0.06,
        /// Parts around the axis, for each of the six sides.
        side_segments: u32 = 5,
    }
}

options! {
    "nut": "closed hexagonal nut for the bolt, with a thread of its own"
    /// A hexagonal nut around the y axis, whose thread is that of a [`Bolt`] with room between.
    Nut {
        /// Of the bolt: from the axis to the ground of its thread, metres.
        core_radius: Real = 0.08,
        /// Of the bolt: from the ground of the thread to its crest, metres.
        depth: Real = 0.02,
        /// Of the thread: how far it comes in a turn, metres.
        pitch: Real = 0.05,
        /// Between the bolt's thread and this one's, along the radius, metres; more than chords take from it.
        clearance: Real = 0.003,
        /// Along the axis, metres.
        height: Real = 0.1,
        /// From the axis to a flat of the outside, metres.
        outer_radius: Real = 0.16,
        /// Parts around the axis, for each of the six sides.
        side_segments: u32 = 5,
    }
}

/// Where the outline of a thread turns, from one groove to the next: shares of the pitch, and of the depth.
const OUTLINE: [(Real, Real); 4] = [(-0.4, 0.0), (-0.1, 1.0), (0.1, 1.0), (0.4, 0.0)];

/// The share of the pitch over which a thread grows out of its end.
const FADE: Real = 0.5;

/// A thread from end to end.
struct Thread {
    /// Of the ground and of the crest, metres.
    radii: (Real, Real),
    /// The radius at both ends, metres: out of the way of the other's thread.
    end_radius: Real,
    pitch: Real,
    half_length: Real,
}

impl Thread {
    /// The outline at a share of a turn: radius and height, from the lower end to the upper, one place for each corner of the
    /// outline in each of so many turns that the first and the last lie beyond the ends and are put onto them.
    fn outline(&self, turned: Real) -> Vec<[Real; 2]> {
        let turns = (self.half_length / self.pitch).ceil() as i32 + 2;
        let corner = |turn: i32, (share, rise): (Real, Real)| {
            let y = self.pitch * (Real::from(turn) + share + turned);
            // What rounding leaves short of an end is at it.
            let beyond = y.abs() > self.half_length * (1.0 - 1e-9);
            let y = if beyond { self.half_length.copysign(y) } else { y };
            let grown = ((self.half_length - y.abs()) / (FADE * self.pitch)).min(1.0);
            let full = self.radii.0 + rise * (self.radii.1 - self.radii.0);
            [self.end_radius + grown * (full - self.end_radius), y]
        };
        (-turns..=turns).flat_map(|turn| OUTLINE.map(|point| corner(turn, point))).collect()
    }
}

/// How far a hexagon's side is from the axis at an angle, where its middle is `flat` away; a corner is at the angle zero.
fn hexagon(flat: Real, angle: Real) -> Real {
    flat / (angle.rem_euclid(FRAC_PI_3) - FRAC_PI_6).cos()
}

/// The closed surface through outlines around the axis, each of the same number of places (radius and height, the outside to
/// the right of its way); `joins` tells which place of the first follows on a place of the last.
///
/// Places that follow each other at one point are one vertex, as is all that lies on the axis at one height.
fn around(outlines: &[Vec<[Real; 2]>], joins: impl Fn(usize) -> usize) -> (Vec<Point>, Vec<[u32; 3]>) {
    let mut vertices: Vec<Point> = Vec::new();
    let mut at: Vec<Vec<u32>> = Vec::with_capacity(outlines.len() + 1);
    for (i, outline) in outlines.iter().enumerate() {
        let (sin, cos) = (TAU * i as Real / outlines.len() as Real).sin_cos();
        let mut column: Vec<u32> = Vec::with_capacity(outline.len());
        for (k, place) in outline.iter().enumerate() {
            let known = match (k.checked_sub(1), at.first()) {
                (Some(before), _) if outline[before] == *place => Some(column[before]),
                (_, Some(first)) if place[0] == 0.0 => Some(first[k]),
                _ => None,
            };
            column.push(known.unwrap_or(vertices.len() as u32));
            if known.is_none() {
                vertices.push(Point::new(place[0] * cos, place[1], -place[0] * sin));
            }
        }
        at.push(column);
    }
    let places = at[0].len();
    at.push((0..places).map(|k| at[0][joins(k)]).collect());
    let mut triangles = Vec::new();
    for pair in at.windows(2) {
        for k in 0..places {
            let next = (k + 1) % places;
            let (a, b, c, d) = (pair[0][k], pair[1][k], pair[1][next], pair[0][next]);
            triangles.extend([[a, b, c], [a, c, d]].into_iter().filter(|[x, y, z]| x != y && y != z && z != x));
        }
    }
    (vertices, triangles)
}

/// The place in the outline of one turn further, kept within `count` places.
fn a_turn_on(k: usize, count: usize) -> usize {
    (k + OUTLINE.len()).min(count - 1)
}

fn check_thread<M: Options>(
    core: Real,
    depth: Real,
    pitch: Real,
    length: (&'static str, Real),
) -> Result<(), ModelError> {
    check_length::<M>("core_radius", core)?;
    check_between::<M>("depth", depth, 0.01 * core, 10.0 * core)?;
    check_between::<M>("pitch", pitch, 0.01 * core, 10.0 * core)?;
    Ok(check_between::<M>(length.0, length.1, pitch, 200.0 * pitch)?)
}

impl Model for Bolt {
    fn build(&self) -> Result<TriMesh, ModelError> {
        let crest = self.core_radius + self.depth;
        check_thread::<Self>(self.core_radius, self.depth, self.pitch, ("length", self.length))?;
        check_between::<Self>("head_radius", self.head_radius, 1.01 * crest, 100.0 * crest)?;
        check_between::<Self>("head_height", self.head_height, 0.01 * crest, 100.0 * crest)?;
        check_count::<Self>("side_segments", self.side_segments, 1, 100)?;
        let half = 0.5 * self.length;
        let thread = Thread {
            radii: (self.core_radius, crest),
            end_radius: self.core_radius,
            pitch: self.pitch,
            half_length: half,
        };
        let columns = 6 * self.side_segments;
        let threaded = thread.outline(0.0).len();
        let outlines: Vec<_> = (0..columns)
            .map(|i| {
                let turned = Real::from(i) / Real::from(columns);
                let rim = hexagon(self.head_radius, TAU * turned);
                let top = half + self.head_height;
                let mut outline = vec![[0.0, -half]];
                outline.extend(thread.outline(turned));
                outline.extend([[rim, half], [rim, top], [0.0, top]]);
                outline
            })
            .collect();
        let joins = |k: usize| if (1..=threaded).contains(&k) { 1 + a_turn_on(k - 1, threaded) } else { k };
        let (vertices, triangles) = around(&outlines, joins);
        finished::<Self>(TriMesh::try_new(vertices, triangles))
    }
}

impl Model for Nut {
    fn build(&self) -> Result<TriMesh, ModelError> {
        let crest = self.core_radius + self.depth;
        check_thread::<Self>(self.core_radius, self.depth, self.pitch, ("height", self.height))?;
        check_between::<Self>("clearance", self.clearance, 0.0, self.depth)?;
        check_between::<Self>("outer_radius", self.outer_radius, 1.01 * (crest + self.clearance), 100.0 * crest)?;
        check_count::<Self>("side_segments", self.side_segments, 1, 100)?;
        let half = 0.5 * self.height;
        let thread = Thread {
            radii: (self.core_radius + self.clearance, crest + self.clearance),
            end_radius: crest + self.clearance,
            pitch: self.pitch,
            half_length: half,
        };
        let columns = 6 * self.side_segments;
        let threaded = thread.outline(0.0).len();
        let outlines: Vec<_> = (0..columns)
            .map(|i| {
                let turned = Real::from(i) / Real::from(columns);
                let rim = hexagon(self.outer_radius, TAU * turned);
                let mut outline = vec![[rim, -half], [rim, half]];
                outline.extend(thread.outline(turned).into_iter().rev());
                outline
            })
            .collect();
        // The thread is run through from above: a turn on is that much earlier.
        let joins = |k: usize| if k < 2 { k } else { 2 + (threaded - 1 - a_turn_on(threaded + 1 - k, threaded)) };
        let (vertices, triangles) = around(&outlines, joins);
        finished::<Self>(TriMesh::try_new(vertices, triangles))
    }
}
