//! How far a gap can leave its chord, or fall below its tangent, whose bend is bounded.

use crate::detection::toc::kinematics::Turning;
use crate::math::Real;
use crate::motion::bound::chord_deviation;

/// By how much a point's distance along a fixed direction may leave the chord of its ends, metres.
#[derive(Clone, Copy)]
pub(super) struct Swing {
    /// In the middle, by a bend that is the same all along.
    bend: Real,
    /// Anywhere.
    play: Real,
}

impl Swing {
    /// Of the points of a body within `reach` of its axis, which has the sine `across` to the direction.
    #[inline]
    pub(super) fn of(turning: &Turning, reach: Real, across: Real, stretch: Real) -> Self {
        let most = chord_deviation(turning.speed, reach, stretch) * across;
        let angle = turning.speed * stretch;
        // Beyond, it is the diameter of the circle.
        if 0.125 * angle * angle <= 2.0 { Self { bend: most, play: 0.0 } } else { Self { bend: 0.0, play: most } }
    }

    #[inline]
    pub(super) fn and(&self, other: &Self) -> Self {
        Self { bend: self.bend + other.bend, play: self.play + other.play }
    }

    /// The least that the distance can be over the stretch, of what it is at its ends, metres.
    #[inline]
    pub(super) fn least_between(&self, start: Real, end: Real) -> Real {
        least_between(start, end, self.bend) - self.play
    }
}

/// The least that a function can be over a stretch of time of which it has the values `start` and `end` at the ends, where its
/// second derivative is nowhere above `8 swing / stretch²`.
///
/// Less ½ G t² the function is concave, so that it is above its chord; x = t / stretch of the way the function is therefore at least
/// start + (end − start) x − 4 swing x (1 − x), whose lowest point is (4 swing − |end − start|)² / (16 swing) below the lower end
/// if it lies between the ends at all.
#[inline]
pub(super) fn least_between(start: Real, end: Real, swing: Real) -> Real {
    let over = 4.0 * swing - (end - start).abs();
    let lower = start.min(end);
    if over <= 0.0 { lower } else { lower - over * over / (16.0 * swing) }
}

/// The least that a function which is zero at first and has the derivative `rate` there gains within `stretch`, where its second
/// derivative is nowhere below `bend`, which is not below zero: it is above its tangent by ½ bend t² at least.
#[inline]
pub(super) fn least_beyond(rate: Real, bend: Real, stretch: Real) -> Real {
    if rate >= 0.0 {
        0.0
    } else if bend * stretch <= -rate {
        stretch * (rate + 0.5 * bend * stretch)
    } else {
        -0.5 * rate * rate / bend
    }
}

/// When a gap of `room` metres that closes at `closing` m/s at first, and bends away by `own` m/s², is no longer certain for one who
/// knows its end and that it bends away by no more than `most`, seconds: an estimate.
pub(in crate::detection::toc) fn used_up(room: Real, closing: Real, own: Real, most: Real) -> Real {
    // Where the gap closes faster than it bends, its end is its least, and that is used up when it is.
    let square = closing * closing - 2.0 * own * room;
    let end = 2.0 * room / (closing + square.sqrt());
    // (A root of what is below zero is no number, and compares as false.)
    if end > 0.0 && 0.5 * most * end <= closing - 0.5 * own * end {
        return end;
    }
    let unknown = most - own;
    let least = 2.0 * ((2.0 * most * room).max(0.0).sqrt() - closing) / unknown;
    if unknown > 0.0 && least >= 0.0 { least } else { Real::INFINITY }
}
