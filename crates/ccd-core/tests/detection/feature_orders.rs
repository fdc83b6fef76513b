//! The linear feature queries where the points of two sides are equally near to the last digit, and before grazes: in every order of the
//! corners. Truths are exact, by the way the queries are made or by fractions.

use ccd_core::detection::toc::{LinearOptions, LinearToc, edge_edge, vertex_face};
use ccd_core::math::Point;

use crate::common::random::Random;

#[derive(Clone, Copy, Debug)]
struct Query {
    start: [Point; 4],
    end: [Point; 4],
    edges: bool,
}

impl Query {
    fn row(row: &[f64; 24], edges: bool) -> Self {
        let points = |from: usize| std::array::from_fn(|i| Point::from_slice(&row[from + 3 * i..from + 3 * i + 3]));
        Self { start: points(0), end: points(12), edges }
    }

    fn back(self) -> Self {
        Self { start: self.end, end: self.start, ..self }
    }

    /// The same query in every order of its corners.
    fn orders(self) -> impl Iterator<Item = Self> {
        const EDGES: [[usize; 4]; 8] = [
            [0, 1, 2, 3],
            [1, 0, 2, 3],
            [0, 1, 3, 2],
            [1, 0, 3, 2],
            [2, 3, 0, 1],
            [3, 2, 0, 1],
            [2, 3, 1, 0],
            [3, 2, 1, 0],
        ];
        const FACES: [[usize; 4]; 6] =
            [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 3, 2, 1]];
        let orders = if self.edges { &EDGES[..] } else { &FACES[..] };
        orders.iter().map(move |order| Self {
            start: order.map(|i| self.start[i]),
            end: order.map(|i| self.end[i]),
            ..self
        })
    }

    fn ask(&self) -> LinearToc {
        let ask = if self.edges { edge_edge } else { vertex_face };
        ask(&self.start, &self.end, &LinearOptions::default()).expect("finite input")
    }
}

/// Edges that pass beside the end of each other: at 1e-9, and at less than 1e-16.
#[rustfmt::skip]
const BESIDE_AN_END: [[f64; 24]; 2] = [
    [1.0, 0.62, -1e-9, 0.0, 0.62, 5e-9, 1.0, 0.5, 1.0, 1.0, 0.5, 0.0, 1.0, 0.34, -1e-9, 0.0, 0.34, 5e-9, 1.0, 0.5, 1.0, 1.0, 0.5, 0.0],
    [1.0, 0.2776264037844382, -1.7885926510186763e-18, -3.776272486293262e-17, 0.2776264037844383, 4.64503700492048e-17, 1.0, 0.5, 1.0, 1.0, 0.5, 0.0, 1.0, 0.5718259037844383, -7.851720716279914e-17, -2.200893605408073e-18, 0.5718259037844384, 9.28743093540892e-17, 1.0, 0.5, 1.0, 1.0, 0.5, 0.0],
];

/// A vertex that passes beside a corner of a triangle, at 8e-10 and 1.5e-9.
#[rustfmt::skip]
const BESIDE_A_CORNER: [[f64; 24]; 2] = [
    [1.0, 0.7469965632768432, -7.989531660079374e-10, 1.0, 0.5, 0.0, 1.0, 0.5, 1.0, 0.0, 0.5, -4.688482046552829e-09, 1.0, 0.4086975156710927, -7.989531660079374e-10, 1.0, 0.5, 0.0, 1.0, 0.5, 1.0, 0.0, 0.5, -4.688482046552829e-09],
    [1.0, 0.918865478019572, -1.5100694735954767e-09, 0.0, 0.5, -1.5862420339370352e-09, 1.0, 0.5, 1.0, 1.0, 0.5, 0.0, 1.0, 0.3891379197184548, -1.5100694735954767e-09, 0.0, 0.5, -1.5862420339370352e-09, 1.0, 0.5, 1.0, 1.0, 0.5, 0.0],
];

/// Edges that meet at the end, and are within 1e-9 of meeting ends before.
#[rustfmt::skip]
const MET_AT_THE_END: [f64; 24] = [
    0.0, 1.0, 1.000000000431961, -1.0, -1.0, 1.0, -1.0, -1.0, 0.0, 0.0, 1.0, 1.0,
    0.0, 1.0, 1.0, 0.0, 1.000000000397307, -4.96287326524617e-10, -1.0, -1.0, 0.0, 0.0, 1.0, 1.0,
];

#[test]
fn what_passes_beside_an_end_is_told_apart_in_every_order_of_the_corners() {
    let rows = BESIDE_AN_END.iter().map(|row| (row, true)).chain(BESIDE_A_CORNER.iter().map(|row| (row, false)));
    for query in rows.map(|(row, edges)| Query::row(row, edges)) {
        for query in query.orders().chain(query.back().orders()) {
            assert_eq!(query.ask(), LinearToc::Separated, "{query:?}");
        }
    }
}

#[test]
fn a_meeting_at_the_end_is_told_there_in_every_order_of_the_corners() {
    for query in Query::row(&MET_AT_THE_END, true).orders() {
        let answer = query.ask();
        let LinearToc::Contact(contact) = answer else { panic!("{answer:?}: {query:?}") };
        assert!((1.0 - 1e-9..=1.0).contains(&contact.time), "{contact:?}: {query:?}");
    }
}

/// Apart by the way it is made: all of the first feature is on one side of the plane x = 1 but for its end, which is below the
/// side of the second that lies in it, and so for the vertex and the triangle.
fn beside_an_end(r: &mut Random, edges: bool) -> Query {
    let (gap, thin) = (r.magnitude(1e-18, 1e-7), r.magnitude(1e-18, 1e-7));
    let (from, to) = (r.between(0.5, 1.0), r.between(0.0, 0.5));
    let far = if r.chance(0.5) { thin } else { -thin };
    let fixed = [Point::new(1.0, 0.5, 0.0), Point::new(1.0, 0.5, 1.0)];
    let at = |y: f64| {
        let end = Point::new(1.0, y, -gap);
        if edges {
            [end, Point::new(0.0, y, far), fixed[0], fixed[1]]
        } else {
            [end, fixed[0], fixed[1], Point::new(0.0, 0.5, far)]
        }
    };
    Query { start: at(from), end: at(to), edges }
}

#[test]
fn flat_features_that_pass_beside_an_end_are_apart_at_gaps_below_the_last_place() {
    let mut random = Random(0x7e1);
    for i in 0..2_000 {
        let query = beside_an_end(&mut random, i % 2 == 0);
        for query in query.orders().chain(query.back().orders()) {
            assert_eq!(query.ask(), LinearToc::Separated, "{query:?}");
        }
    }
}

/// A vertex, or an edge, that slides along y above the turning plane z = t y + x, by (t - `middle`)² + `gap`.
fn graze(middle: f64, gap: f64, edges: bool) -> Query {
    let at = |t: f64| {
        let (y, z) = (2.0 * middle - t, middle * middle);
        if edges {
            let cross = [Point::new(0.0, -9.0, -9.0 * t), Point::new(0.0, 9.0, 9.0 * t)];
            [Point::new(-3.0 - gap, y, z - 3.0), Point::new(3.0 - gap, y, z + 3.0), cross[0], cross[1]]
        } else {
            let corner = |x: f64, y: f64| Point::new(x, y, t * y + x);
            [Point::new(-gap, y, z), corner(-9.0, -9.0), corner(9.0, -9.0), corner(0.0, 9.0)]
        }
    };
    Query { start: at(0.0), end: at(1.0), edges }
}

#[test]
fn a_graze_of_a_turning_plane_is_met_on_time_and_is_none_where_a_gap_is_left() {
    for middle in [0.125, 0.375, 0.5, 0.625, 0.8125] {
        // With a gap the vertex is not rounded; an edge's ends would be.
        for gap in [1e-8, 1e-10, 1e-12, 1e-16, 1e-20, 1e-24] {
            for query in graze(middle, gap, false).orders() {
                assert_eq!(query.ask(), LinearToc::Separated, "{query:?}");
            }
        }
        for query in [false, true].into_iter().flat_map(|edges| graze(middle, 0.0, edges).orders()) {
            let answer = query.ask();
            let LinearToc::Contact(contact) = answer else { panic!("{answer:?}: {query:?}") };
            assert!((middle - 1e-12..=middle).contains(&contact.time), "{contact:?}, truly at {middle}: {query:?}");
        }
    }
}
