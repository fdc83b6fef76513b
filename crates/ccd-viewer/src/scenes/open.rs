//! Opening a scene: its world, its actors on the stage, its tape, and the place to look at it from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bevy::ecs::message::MessageCursor;
use bevy::prelude::*;
use bevy_ccd::inspect::{first_with_faces, nearest_pair};
use bevy_ccd::panel::CcdCaseFile;
use bevy_ccd::{CcdDebug, CcdInspect, CcdSnapshot, CcdWorld};
use ccd_core::dynamics::{BodyDefinition, BodyKind, Material};
use ccd_core::io::case::{Case, build_world};
use ccd_core::math::{Pose, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{StepReport, World as ContactWorld};

use super::again::{Kept, Restart};
use super::catalogue::Catalogue;
use super::extent::{WIDE, extent_of, force_length, normal_length, stands};
use super::made::{Failure, Made, Play, SHOT_RATE, made};
use super::stated::{Stated, StatedBody};
use super::{Opening, Refusal, Scene, Shots, actors};
use crate::camera::{LookFrom, View};
use crate::hands::Grab;
use crate::overlays::Overlay;
use crate::panels::contacts::Selection;
use crate::playback::{self, Trouble};

/// What to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A built-in scene by name.
    Built(String),
    /// A case file.
    File(PathBuf),
}

/// Asks for a scene to be opened.
#[derive(Message, Clone, Debug)]
pub struct OpenScene(pub Source);

/// What opening needs to know of a scene, however it was made.
#[derive(Debug)]
pub struct Set {
    /// What was stated of the world.
    pub stated: Stated,
    /// The world at time zero; its bodies have the ids 0, 1, … in the order in which they are stated.
    pub world: ContactWorld,
    /// The scene's name.
    pub name: String,
    /// What it shows, in a line.
    pub about: String,
    /// How fast to watch it.
    pub rate: f64,
    /// From where to look; `None` to fit all that moves.
    pub view: Option<View>,
    /// The part of time that is worth watching, seconds.
    pub window: Option<(f64, f64)>,
    /// The pair to look into, as places in the list of bodies.
    pub pair: Option<(usize, usize)>,
    /// Overlays to open with.
    pub show: Vec<Overlay>,
}

impl Source {
    /// Makes the scene.
    ///
    /// # Errors
    /// A sentence that names the file, line and body, or the scene that is not there.
    pub fn load(&self) -> Result<Set, String> {
        match self {
            Self::Built(name) => {
                let made = made().into_iter().find(|made| made.name == name).ok_or_else(|| {
                    format!("there is no scene \"{name}\"; there are: {}", Catalogue::gather().names().join(", "))
                })?;
                build(&made).map_err(|error| format!("the scene \"{name}\" could not be made: {error}"))
            }
            Self::File(path) => load_case(path),
        }
    }

    fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Built(_) => None,
            Self::File(path) => Some(path.clone()),
        }
    }
}

fn build(made: &Made) -> Result<Set, Failure> {
    let Play { mut world, mut stated, rate, view, window, pair, show } = made.make()?;
    hold_up(&mut world, &mut stated)?;
    Ok(Set { stated, world, name: made.name.into(), about: made.about.into(), rate, view, window, pair, show })
}

/// Makes the drawn ground hold what falls off the scene's own floor, where the scene stands on it. Case files stay as they are
/// stated.
fn hold_up(world: &mut ContactWorld, stated: &mut Stated) -> Result<(), Failure> {
    let gravity = world.settings().gravity;
    let falls_straight = gravity.y < 0.0 && gravity.x == 0.0 && gravity.z == 0.0;
    let has_its_own = world.bodies().any(|(_, body)| !body.shape().is_bounded());
    let extent = extent_of(world);
    let Some(height) = extent.ground.filter(|_| falls_straight && !has_its_own && stands(world)) else { return Ok(()) };
    let pose = Pose::translation(0.0, height.into(), 0.0);
    world.add_body(BodyDefinition {
        material: Material { friction: stated.friction, restitution: stated.restitution, ..Material::default() },
        ..BodyDefinition::new(BodyKind::Static, Shape::half_space(Vector::y())?, pose)
    })?;
    stated.bodies.push(StatedBody { name: "ground".into(), ..StatedBody::default() });
    Ok(())
}

fn load_case(path: &Path) -> Result<Set, String> {
    let case = Case::load(path).map_err(|error| error.to_string())?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let (world, _) = build_world(&case, folder).map_err(|error| error.in_file(path).to_string())?;
    let shooting = case.bodies.iter().any(|body| body.name.starts_with("bullet"));
    Ok(Set {
        world,
        name: case.name.clone(),
        about: case.notes.clone().or(case.source.clone()).unwrap_or_default(),
        rate: if shooting { SHOT_RATE } else { 1.0 },
        view: None,
        window: None,
        pair: None,
        show: Vec::new(),
        stated: Stated::of(&case),
    })
}

/// Scenes.
pub struct ScenesPlugin {
    /// What to open first.
    pub first: Source,
    /// How fast to watch every scene, instead of its own rate.
    pub speed: Option<f64>,
    /// Where to pause the first scene, seconds.
    pub at: Option<f64>,
    /// Overlays that the first scene opens with, besides its own.
    pub show: Vec<Overlay>,
    /// What to look into in the first scene.
    pub look: Look,
}

/// What to look into, by name.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The pair, instead of the scene's own.
    pub pair: Option<(String, String)>,
    /// The body.
    pub body: Option<String>,
    /// A place of it in its frame, to be followed through its B-rep index.
    pub point: Option<[f32; 3]>,
}

impl Look {
    /// The bodies that are named.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let pair = self.pair.iter().flat_map(|(a, b)| [a, b]);
        pair.chain(&self.body).map(String::as_str)
    }

    /// Whether the scene has all of them.
    ///
    /// # Errors
    /// A sentence that names the one that it has not, and those that it has.
    pub fn check(&self, set: &Set) -> Result<(), String> {
        let bodies = &set.stated.bodies;
        match self.names().find(|wanted| bodies.iter().all(|body| body.name != *wanted)) {
            None => Ok(()),
            Some(wanted) => {
                let names: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
                Err(format!("there is no body \"{wanted}\" in \"{}\"; there are: {}", set.name, names.join(", ")))
            }
        }
    }
}

/// What the command line said about watching.
#[derive(Resource, Clone, Debug, Default)]
struct Watching {
    speed: Option<f64>,
    /// These for the first scene alone.
    at: Option<f64>,
    show: Vec<Overlay>,
    look: Look,
}

impl Plugin for ScenesPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Scene>()
            .insert_resource(Watching {
                speed: self.speed,
                at: self.at,
                show: self.show.clone(),
                look: self.look.clone(),
            })
            .insert_resource(Catalogue::gather())
            .init_resource::<Refusal>()
            .init_resource::<Opening>()
            .add_message::<OpenScene>()
            .add_message::<Restart>()
            .add_systems(PreUpdate, (open_dropped_files, open_asked, restart_asked).chain());
        app.world_mut().write_message(OpenScene(self.first.clone()));
    }
}

fn open_dropped_files(mut dropped: MessageReader<FileDragAndDrop>, mut open: MessageWriter<OpenScene>) {
    for event in dropped.read() {
        if let FileDragAndDrop::DroppedFile { path_buf, .. } = event {
            open.write(OpenScene(Source::File(path_buf.clone())));
        }
    }
}

fn open_asked(world: &mut World, mut cursor: Local<MessageCursor<OpenScene>>) {
    let asked = world.get_resource::<Messages<OpenScene>>().and_then(|asked| cursor.read(asked).last().cloned());
    let Some(OpenScene(source)) = asked else { return };
    let source = world.resource::<Catalogue>().as_listed(source);
    if let Some(set) = load_or_refuse(world, &source) {
        let view = put_on_stage(world, set, &source);
        world.resource_mut::<Opening>().0 += 1;
        world.resource_mut::<CcdCaseFile>().outcome = None;
        world.write_message(LookFrom(view));
    }
}

/// Where one looks from stays as well.
fn restart_asked(world: &mut World, mut cursor: Local<MessageCursor<Restart>>) {
    let asked = world.get_resource::<Messages<Restart>>().is_some_and(|asked| cursor.read(asked).count() > 0);
    if !asked {
        return;
    }
    let source = world.resource::<Scene>().source();
    if let Some(set) = load_or_refuse(world, &source) {
        let kept = Kept::of(world);
        put_on_stage(world, set, &source);
        kept.give_back(world);
    }
}

/// The scene; where there is none the scene at hand stays, and the reason is shown.
fn load_or_refuse(world: &mut World, source: &Source) -> Option<Set> {
    match source.load() {
        Ok(set) => {
            world.insert_resource(Refusal::default());
            Some(set)
        }
        Err(reason) => {
            eprintln!("ccd-viewer: {reason}");
            world.insert_resource(Refusal(Some(reason)));
            None
        }
    }
}

/// Puts the scene on the stage; returns from where it is best looked at.
fn put_on_stage(world: &mut World, set: Set, source: &Source) -> View {
    world.insert_resource(Grab::default());
    actors::clear(world);
    let refused = actors::enter(world, &set.stated, &set.world);
    let names: BTreeMap<_, _> =
        set.world.bodies().map(|(id, _)| id).zip(set.stated.bodies.iter().map(|body| body.name.clone())).collect();
    let names_in_order: Vec<String> = set.stated.bodies.iter().map(|body| body.name.clone()).collect();
    let shots = Shots::of(&set.world, names.iter().map(|(id, name)| (*id, name.as_str())));
    let whole = extent_of(&set.world);
    // Shots may come from far away; a wide floor among what they fly at is nothing to look at.
    let aimed_at = shots.as_ref().map(|shots| (shots.extent(whole.ground), shots.view()));
    let aimed_at = aimed_at.filter(|(extent, _)| set.view.is_none() && extent.radius < WIDE * whole.radius);
    let (extent, view, normal_length) = match aimed_at {
        Some((extent, view)) => (extent, view, 0.08 * extent.radius),
        None => {
            let length = if shots.is_some() { 0.21 * whole.radius } else { normal_length(&set.world, &whole) };
            (whole, set.view.unwrap_or_else(|| View::of_whole(&whole)), length)
        }
    };
    world.insert_resource(Scene {
        name: set.name,
        about: set.about,
        names,
        shots,
        window: set.window,
        file: source.file(),
    });
    // Long enough to stand out of the bodies, short enough to tell neighbours apart.
    let force_length = force_length(&set.world, &extent);
    let mut debug = world.resource_mut::<CcdDebug>();
    (debug.normal_length, debug.force_length) = (normal_length, force_length);
    debug.point_size = 0.02 * extent.radius;
    world.insert_resource(extent);
    world.insert_resource(Selection::default());
    look_into(world, set.pair, &set.show, &names_in_order);
    let mut watching = world.resource_mut::<Watching>();
    let (rate, stop_at) = (watching.speed.unwrap_or(set.rate), watching.at.take());
    let start = match refused {
        Ok(()) => world.resource::<CcdWorld>().snapshot(),
        Err(_) => CcdSnapshot::new(set.world, StepReport::default()),
    };
    playback::begin(world, start, rate, stop_at);
    if let Err(reason) = refused {
        world.insert_resource(Trouble(Some(reason)));
    }
    view
}

/// Chooses the pair and the body to look into, and switches on what is to be seen of them and of the scene.
fn look_into(world: &mut World, own: Option<(usize, usize)>, show: &[Overlay], names: &[String]) {
    let mut watching = world.resource_mut::<Watching>();
    let (asked, more) = (std::mem::take(&mut watching.look), std::mem::take(&mut watching.show));
    let place = |wanted: &String| names.iter().position(|name| name == wanted);
    let pair = match &asked.pair {
        Some((a, b)) => place(a).zip(place(b)),
        None => own,
    };
    let body = asked.body.as_ref().and_then(place);
    let ccd = world.resource::<CcdWorld>();
    let entity = |index: usize| {
        let (id, _) = ccd.core().bodies().nth(index)?;
        ccd.entity(id)
    };
    let overlays = || show.iter().chain(&more);
    let nearest = || overlays().any(Overlay::needs_pair).then(|| nearest_pair(ccd)).flatten();
    let pair = pair.and_then(|(a, b)| Some((entity(a)?, entity(b)?))).or_else(nearest);
    let body = body.and_then(entity).or(pair.map(|(a, _)| a)).or_else(|| first_with_faces(ccd));
    world.insert_resource(CcdInspect { pair, body, ..CcdInspect::default() });
    for overlay in overlays() {
        overlay.switch_on(world);
    }
    if let Some(point) = asked.point {
        let mut inspect = world.resource_mut::<CcdInspect>();
        (inspect.index, inspect.index_point) = (true, Some(point.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_or_file_that_is_not_there_is_refused_with_its_name() {
        let missing = Source::Built("nothing".into()).load().unwrap_err();
        assert!(missing.contains("\"nothing\"") && missing.contains("bullets"), "{missing}");
        let missing = Source::File("no/such/case.json".into()).load().unwrap_err();
        assert!(missing.contains("no/such/case.json"), "{missing}");
    }

    #[test]
    fn every_built_in_scene_can_be_made_and_makes_its_first_step() {
        for made in made() {
            let mut set = build(&made).unwrap_or_else(|error| panic!("{}: {error}", made.name));
            assert_eq!(set.stated.bodies.len(), set.world.bodies().count(), "{}", made.name);
            set.world.step(set.stated.dt).unwrap_or_else(|error| panic!("{}: {error}", made.name));
        }
    }

    #[test]
    fn shots_from_far_away_are_seen_where_they_hit() {
        let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/cases");
        let set = Source::File(cases.join("bullets-dt16ms.json")).load().unwrap();
        let names: Vec<_> = set.world.bodies().map(|(id, _)| id).zip(&set.stated.bodies).collect();
        let shots = Shots::of(&set.world, names.iter().map(|(id, body)| (*id, body.name.as_str()))).unwrap();
        // The sheet is two metres wide and at the origin; the bullets come from ten metres away, along x.
        let (extent, view) = (shots.extent(None), shots.view());
        assert!(extent.centre.length() < 0.3 && (1.0..3.0).contains(&extent.radius), "{extent:?}");
        assert!(view.yaw.sin() < -0.5 && view.focus == extent.centre, "{view:?}");
    }
}
