//! Vectors of numbers that know whether their sign is certain, and distances of points, segments and triangles as fractions.

use std::cmp::Ordering::{Equal, Greater, Less};

use crate::math::Certain;

pub(super) type V<N> = [N; 3];

pub(super) fn minus<N: Certain>(p: &V<N>, q: &V<N>) -> V<N> {
    [0, 1, 2].map(|k| p[k].minus(&q[k]))
}

pub(super) fn dot<N: Certain>(p: &V<N>, q: &V<N>) -> N {
    p[0].times(&q[0]).plus(&p[1].times(&q[1])).plus(&p[2].times(&q[2]))
}

pub(super) fn cross<N: Certain>(p: &V<N>, q: &V<N>) -> V<N> {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| p[i].times(&q[j]).minus(&p[j].times(&q[i])))
}

/// How far a point, relative to the tail, is on the side of a triangle of the plane square to it through its edge `e`:
/// positive above the face. `f` leads from the tail to the third corner.
pub(super) fn into_face<N: Certain>(p: &V<N>, e: &V<N>, f: &V<N>) -> N {
    dot(p, f).times(&dot(e, e)).minus(&dot(p, e).times(&dot(e, f)))
}

/// Whether a segment and a triangle, both with their rims, have a point in common; not if the segment lies in the triangle's plane.
pub(super) fn crosses_triangle<N: Certain>([tail, head]: &[V<N>; 2], corners: &[V<N>; 3]) -> Option<bool> {
    let normal = cross(&minus(&corners[1], &corners[0]), &minus(&corners[2], &corners[0]));
    let heights = [tail, head].map(|p| dot(&minus(p, &corners[0]), &normal));
    let (low, high) = (heights[0].sign()?, heights[1].sign()?);
    if low == high {
        return Some(false);
    }
    // The line passes all three sides on the same side of it.
    let along = minus(head, tail);
    let way = corners.each_ref().map(|c| minus(c, tail));
    let mut turns = [false; 2];
    for k in 0..3 {
        match dot(&along, &cross(&way[k], &way[(k + 1) % 3])).sign()? {
            Less => turns[0] = true,
            Equal => {}
            Greater => turns[1] = true,
        }
    }
    Some(turns != [true; 2])
}

/// The squared distance of a point from a segment, as a fraction with a positive denominator.
pub(super) fn squared_to_segment<N: Certain>(p: &V<N>, [tail, head]: [&V<N>; 2]) -> Option<(N, N)> {
    let (along, way) = (minus(head, tail), minus(p, tail));
    let (reach, length) = (dot(&way, &along), dot(&along, &along));
    if reach.sign()? != Greater {
        return Some((dot(&way, &way), N::of(1.0)));
    }
    if reach.order(&length)? != Less {
        let way = minus(p, head);
        return Some((dot(&way, &way), N::of(1.0)));
    }
    Some((dot(&way, &way).times(&length).minus(&reach.times(&reach)), length))
}

/// The squared distance of two segments, as a fraction with a positive denominator.
pub(super) fn squared_between_segments<N: Certain>(one: [&V<N>; 2], other: [&V<N>; 2]) -> Option<(N, N)> {
    let (u, v, w) = (minus(one[1], one[0]), minus(other[1], other[0]), minus(one[0], other[0]));
    let (uu, uv, vv, uw, vw) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&u, &w), dot(&v, &w));
    let square = uu.times(&vv).minus(&uv.times(&uv));
    if square.sign()? == Greater {
        let s = uv.times(&vw).minus(&vv.times(&uw));
        let t = uu.times(&vw).minus(&uv.times(&uw));
        if s.sign()? == Greater && s.order(&square)? == Less && t.sign()? == Greater && t.order(&square)? == Less {
            let volume = dot(&w, &cross(&u, &v));
            return Some((volume.times(&volume), square));
        }
    }
    let mut best: Option<(N, N)> = None;
    for (point, segment) in [(one[0], other), (one[1], other), (other[0], one), (other[1], one)] {
        let found = squared_to_segment(point, segment)?;
        let nearer = match &best {
            Some(least) => found.0.times(&least.1).order(&least.0.times(&found.1))? == Less,
            None => true,
        };
        if nearer {
            best = Some(found);
        }
    }
    best
}

/// The edge of a triangle that holds its nearest point to `p`, if `p` is outside of some edge.
pub(super) fn beside<N: Certain>(p: &V<N>, corners: &[V<N>; 3]) -> Option<Option<usize>> {
    let side = |k: usize| (k % 3, (k + 1) % 3, (k + 2) % 3);
    let mut outside = [false; 3];
    for (k, outside) in outside.iter_mut().enumerate() {
        let (i, j, l) = side(k);
        let (e, third) = (minus(&corners[j], &corners[i]), minus(&corners[l], &corners[i]));
        *outside = into_face(&minus(p, &corners[i]), &e, &third).sign()? == Less;
    }
    if outside == [false; 3] {
        return Some(None);
    }
    // Before the tail, and behind the head, of each side.
    let mut ends = [[Equal; 2]; 3];
    for (k, ends) in ends.iter_mut().enumerate() {
        let (i, j, _) = side(k);
        let e = minus(&corners[j], &corners[i]);
        *ends = [dot(&minus(p, &corners[i]), &e).sign()?, dot(&minus(p, &corners[j]), &e).sign()?];
    }
    // The foot is on the side, or the nearest point is the corner between this side and the next or last.
    let holds = |k: usize| match ends[k] {
        [Less, _] => ends[(k + 2) % 3][1] != Less,
        [_, Greater] => ends[(k + 1) % 3][0] != Greater,
        _ => true,
    };
    Some((0..3).filter(|&k| outside[k]).find(|&k| holds(k)).or_else(|| outside.iter().position(|o| *o)))
}

/// The side of a triangle that is nearest to a segment which does not meet the triangle's inside.
pub(super) fn nearest_side<N: Certain>(tail: &V<N>, head: &V<N>, corners: &[V<N>; 3]) -> Option<usize> {
    let mut best: Option<(usize, (N, N))> = None;
    for k in 0..3 {
        let found = squared_between_segments([tail, head], [&corners[k], &corners[(k + 1) % 3]])?;
        let nearer = match &best {
            Some((_, least)) => found.0.times(&least.1).order(&least.0.times(&found.1))? == Less,
            None => true,
        };
        if nearer {
            best = Some((k, found));
        }
    }
    best.map(|(k, _)| k)
}

pub(super) fn squared_to_triangle<N: Certain>(p: &V<N>, corners: &[V<N>; 3]) -> Option<(N, N)> {
    Some(match beside(p, corners)? {
        Some(k) => squared_to_segment(p, [&corners[k], &corners[(k + 1) % 3]])?,
        None => {
            let normal = cross(&minus(&corners[1], &corners[0]), &minus(&corners[2], &corners[0]));
            let height = dot(&minus(p, &corners[0]), &normal);
            (height.times(&height), dot(&normal, &normal))
        }
    })
}
