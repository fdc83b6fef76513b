//! Pictures of what is shown: counts frames on a clock of its own, saves the last one, or the case that it shows, and ends.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bevy::app::AppExit;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use bevy_ccd::CaseExport;
use ccd_core::io::numbered;

use crate::camera::Canvas;
use crate::cli::Cli;
use crate::export::save_as;
use crate::panels::hud::Notice;
use crate::playback::{Playback, StepsPerFrame, Trouble};
use crate::scenes::Scene;
use crate::unfinished::{Unfinished, UnfinishedPlugin};

/// How long a played frame lasts: the manual clock's step. Not longer than 1/60 s, so that as many frames never need one more step of that
/// length; the tape takes what is so little short of a state for that state.
pub const FRAME: Duration = Duration::from_nanos(16_666_666);

/// Frames before the clock starts, and as many are drawn before the picture: meshes, textures and panels settle in them.
const WARM_UP: u32 = 5;

/// Frames drawn with nothing unfinished before the picture is asked for: what is ready is drawn in the next frame, which the
/// renderer shows one later.
const SETTLED: u32 = 3;

/// Frames to wait for the driver's pipelines, and for the picture to come back, before giving up.
const PATIENCE: u32 = 600;

/// The order to take a picture.
#[derive(Resource, Clone, Debug)]
pub struct Order {
    /// How many frames to play first.
    pub frames: u32,
    /// Where to; `None` plays the frames and ends.
    pub file: Option<PathBuf>,
    /// Where to save the case of the last frame.
    pub export: Option<PathBuf>,
}

#[derive(Resource, Default)]
struct Progress {
    drawn: u32,
    /// Since when nothing is unfinished.
    settled: u32,
    /// Frames in which nothing was left to do but for the driver.
    waited: u32,
    asked: bool,
    exported: bool,
}

/// Whether the frames before the picture are played.
fn is_played(progress: Res<Progress>, order: Res<Order>, trouble: Res<Trouble>) -> bool {
    progress.drawn > WARM_UP + order.frames && trouble.0.is_none()
}

/// Plays the ordered number of frames, saves the picture and the case, and ends the program.
pub struct CapturePlugin {
    order: Order,
}

impl CapturePlugin {
    /// The capture that the command line orders, if it does.
    pub fn ordered_by(cli: &Cli) -> Option<Self> {
        let order = || Order { frames: cli.frames, file: cli.screenshot.clone(), export: cli.export.clone() };
        (cli.headless || cli.screenshot.is_some() || cli.export.is_some()).then(|| Self { order: order() })
    }
}

impl Plugin for CapturePlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(self.order.clone())
            .init_resource::<Progress>()
            .add_plugins(UnfinishedPlugin)
            .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO))
            .insert_resource(StepsPerFrame(u32::MAX))
            .add_systems(First, (count_frames, draw_the_last_frames).chain())
            .add_systems(
                Last,
                (give_up_where_it_stopped, (export_case, take_picture).chain().run_if(is_played)).chain(),
            );
    }
}

/// The clock stands while the pipelines warm up and once the picture is asked for, so that the same order always shows
/// the same instant. Frames are counted from the instant that the scene is to open at, however many it takes to get there.
fn count_frames(
    mut progress: ResMut<Progress>,
    order: Res<Order>,
    playback: Res<Playback>,
    mut clock: ResMut<TimeUpdateStrategy>,
) {
    let is_on_its_way = playback.stop_at.is_some();
    if !is_on_its_way {
        progress.drawn += 1;
    }
    let running = !is_on_its_way && progress.drawn > WARM_UP && progress.drawn <= WARM_UP + order.frames;
    *clock = TimeUpdateStrategy::ManualDuration(if running { FRAME } else { Duration::ZERO });
}

/// The frames before the picture are played, not drawn: on a software driver drawing is what takes the time.
fn draw_the_last_frames(
    progress: Res<Progress>,
    order: Res<Order>,
    playback: Res<Playback>,
    mut cameras: Query<&mut Camera>,
) {
    // As many as the warm-up: textures and panels need a few to settle.
    let drawing = progress.drawn > order.frames && playback.stop_at.is_none();
    for mut camera in &mut cameras {
        if camera.is_active != drawing {
            camera.is_active = drawing;
        }
    }
}

/// Neither a picture nor a case is of another instant than the one that was asked for, be it by its time or by a number of frames.
fn give_up_where_it_stopped(
    playback: Res<Playback>,
    trouble: Res<Trouble>,
    mut told: Local<bool>,
    mut exit: MessageWriter<AppExit>,
) {
    let Some(why) = trouble.0.as_deref().filter(|_| !std::mem::replace(&mut *told, true)) else { return };
    let short = playback.missed.map_or("the frames are not played".into(), |aim| format!("{aim} s is not reached"));
    eprintln!("ccd-viewer: {short}, for the simulation stopped at {} s: {why}", playback.tape.newest());
    exit.write(AppExit::from_code(1));
}

/// Saves the case once the frames are played; without it there is no success.
fn export_case(mut progress: ResMut<Progress>, order: Res<Order>, case: CaseExport, mut exit: MessageWriter<AppExit>) {
    let Some(file) = order.export.as_deref().filter(|_| !progress.exported) else { return };
    progress.exported = true;
    if let Err(reason) = save_as(&case, file) {
        eprintln!("ccd-viewer: the case {} could not be saved: {reason}", file.display());
        exit.write(AppExit::from_code(1));
    }
}

fn take_picture(
    mut commands: Commands,
    mut progress: ResMut<Progress>,
    order: Res<Order>,
    canvas: Res<Canvas>,
    unfinished: Unfinished,
    mut exit: MessageWriter<AppExit>,
) {
    let Some(file) = order.file.clone() else {
        exit.write(AppExit::Success);
        return;
    };
    progress.waited = if unfinished.builds() { 0 } else { progress.waited + 1 };
    if unfinished.any() && progress.waited <= PATIENCE {
        progress.settled = 0;
        return;
    }
    progress.settled += 1;
    if progress.settled < SETTLED {
        return;
    }
    if !progress.asked {
        if unfinished.any() {
            eprintln!("ccd-viewer: some pipelines of the driver did not become ready; the picture may lack something");
        }
        progress.asked = true;
        commands.spawn(Screenshot(canvas.target.clone())).observe(
            move |captured: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
                exit.write(match save(&captured.image, &file) {
                    Ok(()) => AppExit::Success,
                    Err(reason) => {
                        eprintln!("ccd-viewer: the picture {} could not be written: {reason}", file.display());
                        AppExit::from_code(1)
                    }
                });
            },
        );
    } else if progress.settled > SETTLED + PATIENCE {
        eprintln!("ccd-viewer: the driver did not hand the picture back");
        exit.write(AppExit::from_code(1));
    }
}

/// Asks for a picture of what is seen now, into the working folder.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakePicture;

/// Takes pictures when asked, while the viewer goes on.
pub struct PicturesPlugin;

impl Plugin for PicturesPlugin {
    fn build(&self, app: &mut App) {
        app.add_message::<TakePicture>().add_systems(Update, take_asked);
    }
}

fn take_asked(
    mut commands: Commands,
    mut asked: MessageReader<TakePicture>,
    scene: Res<Scene>,
    playback: Res<Playback>,
    canvas: Res<Canvas>,
) {
    if asked.read().count() == 0 {
        return;
    }
    let wanted = PathBuf::from(scene.file_name(playback.tape.watched(), "png"));
    commands.spawn(Screenshot(canvas.target.clone())).observe(
        move |captured: On<ScreenshotCaptured>, mut notice: ResMut<Notice>, time: Res<Time<Real>>| {
            let told = match save_new(&captured.image, &wanted) {
                Ok(file) => format!("saved as {}", file.display()),
                Err(reason) => format!("{} could not be written: {reason}", wanted.display()),
            };
            notice.tell(told, time.elapsed());
        },
    );
}

/// Saves the picture under this name, or with the first number that is free, as in `tower-1.5s-2.png`; returns its name.
fn save_new(image: &Image, wanted: &Path) -> Result<PathBuf, String> {
    let file = claim_new(wanted).map_err(|error| error.to_string())?;
    match save(image, &file) {
        Ok(()) => Ok(file),
        Err(reason) => {
            // What cannot be removed stays; the reason is the one to be told.
            _ = std::fs::remove_file(&file);
            Err(reason)
        }
    }
}

/// Makes an empty file of this name, or with the first number that is free, and returns its name: nobody else takes it meanwhile.
fn claim_new(wanted: &Path) -> io::Result<PathBuf> {
    for name in numbered(wanted) {
        match File::create_new(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|_| name),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Saves the picture in the place of what was there.
fn save(image: &Image, file: &Path) -> Result<(), String> {
    let picture = image.clone().try_into_dynamic().map_err(|error| error.to_string())?;
    // The alpha channel holds what the panels were blended with, which no viewer of PNGs should see.
    picture.to_rgb8().save(file).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_of_the_same_instant_gets_a_number_and_replaces_none() {
        let folder = std::env::temp_dir().join(format!("ccd-viewer-pictures-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let names = [(); 3].map(|()| claim_new(&folder.join("tower-1.500000s.png")).unwrap());
        std::fs::remove_dir_all(&folder).unwrap();
        let wanted = ["tower-1.500000s.png", "tower-1.500000s-2.png", "tower-1.500000s-3.png"];
        assert_eq!(names, wanted.map(|name| folder.join(name)));
        assert!(claim_new(&folder.join("no/folder.png")).is_err());
    }
}
