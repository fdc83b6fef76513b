//! The poses of every frame, as lines of JSON.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use ccd_core::id::BodyId;
use ccd_core::world::World;
use serde::Serialize;

use crate::failure::Failure;

/// One frame: each body is place, rotation, velocity of the centre of mass and angular velocity, thirteen numbers.
#[derive(Serialize)]
struct PoseLine {
    t: f64,
    bodies: Vec<[f64; 13]>,
}

/// Writes frames to a file.
#[derive(Debug)]
pub(super) struct PoseWriter {
    path: PathBuf,
    out: BufWriter<File>,
}

impl PoseWriter {
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let file = File::create(path).map_err(Failure::file(path))?;
        Ok(Self { path: path.to_owned(), out: BufWriter::new(file) })
    }

    /// Writes the frame at `t`, the bodies in the order of the case.
    pub(super) fn frame(&mut self, t: f64, world: &World, ids: &[BodyId]) -> Result<(), Failure> {
        let numbers = |id: &BodyId| {
            world.body(*id).map(|body| {
                let (x, q) = (body.pose().translation.vector, body.pose().rotation.coords);
                let (v, w) = (body.linear_velocity(), body.angular_velocity());
                [x.x, x.y, x.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]
            })
        };
        let line = PoseLine { t, bodies: ids.iter().filter_map(numbers).collect() };
        serde_json::to_writer(&mut self.out, &line)
            .map_err(std::io::Error::from)
            .and_then(|()| self.out.write_all(b"\n"))
            .map_err(Failure::file(&self.path))
    }

    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.out.flush().map_err(Failure::file(&self.path))
    }
}
