//! The papers' example on every engine: wall time for one simulated second, and how many bullets end on the wrong side.

use std::path::PathBuf;
use std::time::Duration;

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::io::case::Case;
use ccd_scenes::cases::{Bullets, Scene};
use ccd_scenes::models::WarpedPlane;

/// The example as every engine takes it.
pub struct Volley {
    pub case: Case,
    pub folder: PathBuf,
    pub bullet: TriMesh,
    pub sheet: TriMesh,
}

/// One engine's answer.
pub struct Outcome {
    pub wall: Duration,
    /// Where each bullet is in the end along the direction of fire, in the order of the case, metres.
    pub ends: Vec<f64>,
}

impl Volley {
    /// Whether the bullet's straight path lies in the hole.
    fn passes(&self, index: usize) -> bool {
        let [_, y, z] = self.case.bodies[index + 1].position;
        y.hypot(z) < WarpedPlane::default().hole_radius
    }

    /// Bullets behind the sheet that should have met it, and before it that should have passed.
    fn wrong(&self, ends: &[f64]) -> (usize, usize) {
        let behind = |x: f64| x > 0.5;
        let tunnelled = ends.iter().enumerate().filter(|(i, x)| behind(**x) && !self.passes(*i)).count();
        let blocked = ends.iter().enumerate().filter(|(i, x)| !behind(**x) && self.passes(*i)).count();
        (tunnelled, blocked)
    }
}

pub fn run(runs: usize) -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join("ccd-bench-bullets");
    std::fs::create_dir_all(&folder)?;
    let files = Bullets::default().build()?;
    files.save(&folder)?;
    let model = |name: &str| files.models.iter().find(|(file, _)| file.starts_with(name)).map(|(_, m)| m.clone());
    let (Some(bullet), Some(sheet)) = (model("bullet"), model("warped-plane")) else {
        return Err("the example lost its models".into());
    };
    // One thread for all; avian takes its own.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    println!("{:<24} {:<34} {:>10} {:>8} {:>10} {:>8}", "case", "engine", "ms", "ratio", "tunnelled", "blocked");
    for (_, case) in files.cases {
        let volley = Volley { case, folder: folder.clone(), bullet: bullet.clone(), sheet: sheet.clone() };
        type Engine = (&'static str, fn(&Volley) -> Outcome);
        let engines: [Engine; 5] = [
            ("ccd-core, f64", crate::ours::bullets),
            ("rapier3d, f32, as it comes", crate::rapier::single::bullets_default),
            ("rapier3d, f32, speed uncapped", crate::rapier::single::bullets_uncapped),
            ("rapier3d, f64, speed uncapped", crate::rapier::double::bullets_uncapped),
            ("avian3d, f32, swept nonlinear", crate::avian::bullets),
        ];
        let mut ours = f64::NAN;
        for (name, engine) in engines {
            let outcomes: Vec<Outcome> = (0..runs.max(1)).map(|_| pool.install(|| engine(&volley))).collect();
            let best = outcomes.iter().map(|o| o.wall.as_secs_f64() * 1e3).fold(f64::INFINITY, f64::min);
            if ours.is_nan() {
                ours = best;
            }
            let (tunnelled, blocked) = volley.wrong(&outcomes[0].ends);
            println!(
                "{:<24} {:<34} {:>10.2} {:>8.2} {:>10} {:>8}",
                volley.case.name,
                name,
                best,
                best / ours,
                tunnelled,
                blocked
            );
        }
    }
    Ok(())
}
