//! Things that stand by friction and balance alone: an arch, a house of cards, bricks that lean out.

use ccd_core::io::case::{CaseBody, CaseShape};
use ccd_core::math::{Real, Rotation, Vector};

use super::parts::{Compose, GAP, case, dynamic, floor, quaternion};
use super::stacks::stand;
use super::{CaseFiles, Scene, SceneError};
use crate::options::{check_between, check_count, options};

/// How long they must stand, seconds.
const SECONDS: Real = 10.0;

options! {
    "arch": "a half circle of loose stones that must stand"
    /// A half circle of wedge-shaped stones, 4 m in radius along its middle.
    Arch {
        /// How many stones.
        stones: u32 = 25,
        /// The thickness of the ring as a share of its radius. A half circle thinner than 0.107 cannot stand, however rough.
        thickness: Real = 0.25,
    }
}

impl Scene for Arch {
    const NAMED: &'static [&'static str] = &["stones"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        const RADIUS: Real = 4.0;
        check_count::<Self>("stones", self.stones, 3, 1000)?;
        check_between::<Self>("thickness", self.thickness, 0.11, 1.0)?;
        let mut case = case(format!("arch of {}", self.stones), "loose stones, held by their shape alone", SECONDS);
        case.world.friction = 0.7;
        case.add(floor(2.0 * RADIUS));
        let half_angle = 0.5 * std::f64::consts::PI / Real::from(self.stones);
        let half = [0.5 * RADIUS * self.thickness, 0.5];
        // A joint's gap is the same all along it: each flank is moved back by half of it.
        let corners: Vec<[Real; 3]> = [-1.0, 1.0]
            .iter()
            .flat_map(|side| [-1.0, 1.0].map(move |out| (*side, out)))
            .flat_map(|(side, out)| [-1.0, 1.0].map(move |along| (side, out, along)))
            .map(|(side, out, along): (Real, Real, Real)| {
                let radius = RADIUS + out * half[0];
                let (sin, cos) = (side * half_angle).sin_cos();
                let back = Vector::new(-cos, sin, 0.0) * (side * 0.5 * GAP);
                [radius * sin + back.x, radius * cos - RADIUS + back.y, along * half[1]]
            })
            .collect();
        for i in 0..self.stones {
            let angle = 0.5 * std::f64::consts::PI - (2.0 * Real::from(i) + 1.0) * half_angle;
            let turn = Rotation::from_axis_angle(&Vector::z_axis(), angle);
            let at = turn * Vector::new(0.0, RADIUS, 0.0);
            let shape = CaseShape::Convex { file: None, points: Some(corners.clone()), scale: [1.0; 3] };
            case.add(CaseBody {
                rotation: quaternion(&turn),
                // The feet have half of their gap from their own flank.
                ..dynamic(format!("stone-{i:03}"), shape, [at.x, at.y + 0.5 * GAP, 0.0])
            });
        }
        stand(&mut case, SECONDS, 5e-3);
        Ok(CaseFiles::of(format!("arch-{}.json", self.stones), case))
    }
}

options! {
    "card-house": "cards that lean on each other and must stand"
    /// Tents of two cards, with a card across each pair of tops, and a storey less of them above.
    CardHouse {
        /// How many storeys.
        storeys: u32 = 3,
    }
}

impl Scene for CardHouse {
    const NAMED: &'static [&'static str] = &["storeys"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("storeys", self.storeys, 1, 50)?;
        const HALF: [Real; 3] = [0.01, 0.5, 0.35];
        const LEAN: Real = 0.38;
        let mut case = case(format!("card house of {}", self.storeys), "cards of 2 cm by 1 m", SECONDS);
        case.world.friction = 0.7;
        case.add(floor(5.0 + Real::from(self.storeys)));
        let (sin, cos) = LEAN.sin_cos();
        // From the middle of a tent to the middle of its card, and from a card's middle to its highest corner.
        let aside = 0.5 * GAP + HALF[0] * cos + HALF[1] * sin;
        let up = HALF[1] * cos + HALF[0] * sin;
        let pitch = 2.0 * (aside + HALF[0] * cos + HALF[1] * sin) + 0.01;
        let storey = 2.0 * up + GAP + 2.0 * HALF[0] + GAP;
        for level in 0..self.storeys {
            let base = GAP + storey * Real::from(level);
            let tents = self.storeys - level;
            let place = |i: u32| pitch * (Real::from(i) - 0.5 * Real::from(tents - 1));
            for i in 0..tents {
                for (side, name) in [(-1.0, "left"), (1.0, "right")] {
                    let turn = Rotation::from_axis_angle(&Vector::z_axis(), side * LEAN);
                    let at = [place(i) + side * aside, base + up, 0.0];
                    let name = format!("{name}-{level}-{i}");
                    let card = dynamic(name, CaseShape::Box { half_extents: HALF }, at);
                    case.add(CaseBody { rotation: quaternion(&turn), ..card });
                }
            }
            for i in 1..tents {
                let at = [0.5 * (place(i - 1) + place(i)), base + 2.0 * up + GAP + HALF[0], 0.0];
                let half_extents = [0.5 * pitch - 0.5 * GAP, HALF[0], HALF[2]];
                case.add(dynamic(format!("deck-{level}-{i}"), CaseShape::Box { half_extents }, at));
            }
        }
        stand(&mut case, SECONDS, 5e-3);
        Ok(CaseFiles::of(format!("card-house-{}.json", self.storeys), case))
    }
}

options! {
    "overhang": "bricks that lean out as far as balance allows and must stand"
    /// Bricks of 1 m, each leaning out over the one below as far as balance lets the bricks above it, or a share of that.
    Overhang {
        /// How many bricks.
        bricks: u32 = 8,
        /// The share of the greatest overhang, less than 1 for a stack that stands.
        share: Real = 0.9,
    }
}

impl Scene for Overhang {
    const NAMED: &'static [&'static str] = &["bricks"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("bricks", self.bricks, 1, 100)?;
        check_between::<Self>("share", self.share, 0.0, 1.0 - 1e-3)?;
        const HALF: [Real; 3] = [0.5, 0.125, 0.25];
        let mut case = case(format!("overhang of {}", self.bricks), "each brick leans out over the one below", SECONDS);
        case.add(floor(10.0));
        let mut x = 0.0;
        for i in 0..self.bricks {
            let y = HALF[1] + GAP + (2.0 * HALF[1] + GAP) * Real::from(i);
            case.add(dynamic(format!("brick-{i:02}"), CaseShape::Box { half_extents: HALF }, [x, y, 0.0]));
            // With k bricks above, their common centre may stand over the edge: 1/(2k) of the length further out.
            let above = self.bricks - i - 1;
            if above > 0 {
                x += self.share * HALF[0] / Real::from(above);
            }
        }
        stand(&mut case, SECONDS, 1e-3);
        Ok(CaseFiles::of(format!("overhang-{}.json", self.bricks), case))
    }
}
