//! Replayable random numbers: SplitMix64 (Steele, Lea, Flood 2014).

use ccd_core::math::{Rotation, Vector};

/// A generator whose whole state is its seed.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Evenly in the exponent.
    pub fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub fn direction(&mut self) -> Vector {
        loop {
            let v = Vector::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            let norm = v.norm();
            if norm > 0.1 && norm <= 1.0 {
                return v / norm;
            }
        }
    }

    pub fn rotation(&mut self) -> Rotation {
        Rotation::from_scaled_axis(self.direction() * self.between(0.0, std::f64::consts::PI))
    }
}
