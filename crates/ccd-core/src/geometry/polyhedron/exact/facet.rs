//! A convex polygon in a plane, and its two parts beside another plane.

use std::cmp::Ordering::{Equal, Greater, Less};

use super::arena::Planes;

/// A convex polygon: its plane, and going around counter-clockwise as the plane's normal sees it, each corner with the plane
/// that the side from it to the next lies in.
#[derive(Clone, Debug)]
pub(crate) struct Facet {
    /// The plane that it lies in.
    pub plane: u32,
    /// What it belongs to, as the user of it numbers that.
    pub source: u32,
    /// Corner, and the plane of the side that begins there.
    pub rim: Vec<(u32, u32)>,
}

/// What a plane makes of a facet.
#[derive(Clone, Debug)]
pub(crate) enum Parts {
    /// In the plane.
    On,
    /// Not above it.
    Below(Facet),
    /// Not below it.
    Above(Facet),
    /// Some of it on each side: below, above.
    Both(Facet, Facet),
}

impl Facet {
    /// Cuts by a plane. `None` where the facet is none: a side that lies in no line.
    pub fn cut(self, plane: u32, planes: &mut Planes) -> Option<Parts> {
        let sides: Vec<_> = self.rim.iter().map(|(v, _)| planes.side(*v, plane)).collect();
        match (sides.contains(&Less), sides.contains(&Greater)) {
            (false, false) => return Some(Parts::On),
            (true, false) => return Some(Parts::Below(self)),
            (false, true) => return Some(Parts::Above(self)),
            (true, true) => {}
        }
        let mut halves = [Less, Greater].map(|_| Facet { plane: self.plane, source: self.source, rim: Vec::new() });
        let n = self.rim.len();
        for i in 0..n {
            let (corner, side) = self.rim[i];
            let (here, next) = (sides[i], sides[(i + 1) % n]);
            let crossed = here != Equal && next == here.reverse();
            let middle = if crossed { Some(planes.crossing([self.plane, side, plane])?) } else { None };
            for (half, kept) in halves.iter_mut().zip([Less, Greater]) {
                if here == kept.reverse() {
                    if let Some(middle) = middle {
                        half.rim.push((middle, side));
                    }
                    continue;
                }
                // From a corner on the plane the part leaves along the plane where the next corner is beyond.
                let leaves = here == Equal && next == kept.reverse();
                half.rim.push((corner, if leaves { plane } else { side }));
                if let Some(middle) = middle {
                    half.rim.push((middle, plane));
                }
            }
        }
        let [below, above] = halves;
        Some(Parts::Both(below, above))
    }
}
