//! Puts the engine together, with a window or without.

use std::process::ExitCode;

use bevy::app::{AppExit, ScheduleRunnerPlugin};
use bevy::camera::RenderTarget;
use bevy::diagnostic::FrameTimeDiagnosticsPlugin;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::render_resource::TextureFormat;
use bevy::render::settings::{Backends, RenderCreation, WgpuSettings};
use bevy::window::{ExitCondition, PresentMode, WindowRef, WindowResizeConstraints, WindowResolution};
use bevy::winit::WinitPlugin;
use bevy_ccd::{CcdClock, CcdDebug, CcdPlugins};
use bevy_egui::EguiPlugin;

use crate::camera::{CameraPlugin, Canvas};
use crate::capture::{CapturePlugin, PicturesPlugin};
use crate::cli::Cli;
use crate::draw::bodies::BodiesPlugin;
use crate::export::ExportPlugin;
use crate::hands::HandsPlugin;
use crate::panels::{PanelsPlugin, PanelsShown};
use crate::playback::{PlaybackPlugin, Simulate};
use crate::scenes::{Catalogue, Look, ScenesPlugin, Source};
use crate::stage::StagePlugin;

/// Runs the viewer until it is closed or its picture is taken.
pub fn run(cli: &Cli) -> ExitCode {
    match assemble(cli).run() {
        AppExit::Success => ExitCode::SUCCESS,
        AppExit::Error(code) => ExitCode::from(code.get()),
    }
}

fn assemble(cli: &Cli) -> App {
    let mut app = App::new();
    let render = RenderPlugin {
        // A picture must not depend on how fast pipelines compile.
        synchronous_pipeline_compilation: CapturePlugin::ordered_by(cli).is_some(),
        render_creation: RenderCreation::Automatic(Box::new(WgpuSettings {
            backends: Some(Backends::from_env().unwrap_or(Backends::PRIMARY)),
            ..default()
        })),
        ..default()
    };
    let log = LogPlugin {
        filter:
            "warn,wgpu=error,wgpu_core=error,wgpu_hal=error,naga=error,bevy_render=error,bevy_egui=error,winit=error"
                .into(),
        ..default()
    };
    let engine = DefaultPlugins.set(render).set(log);
    if cli.headless {
        let no_window = WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() };
        app.add_plugins(engine.set(no_window).disable::<WinitPlugin>())
            .add_plugins(ScheduleRunnerPlugin::run_loop(std::time::Duration::ZERO));
        let picture = Image::new_target_texture(cli.size.width, cli.size.height, TextureFormat::Rgba8UnormSrgb, None);
        let picture = app.world_mut().resource_mut::<Assets<Image>>().add(picture);
        app.insert_resource(Canvas { target: RenderTarget::Image(picture.into()) });
    } else {
        let window = Window {
            title: "ccd-viewer".into(),
            resolution: WindowResolution::new(cli.size.width, cli.size.height),
            present_mode: PresentMode::AutoVsync,
            // Smaller, the panels leave nothing of the scene.
            resize_constraints: WindowResizeConstraints { min_width: 640.0, min_height: 480.0, ..default() },
            ..default()
        };
        app.add_plugins(engine.set(WindowPlugin { primary_window: Some(window), ..default() }))
            // Pictures tell nothing of the machine that drew them.
            .add_plugins(FrameTimeDiagnosticsPlugin::default());
        app.insert_resource(Canvas { target: RenderTarget::Window(WindowRef::Primary) });
    }
    app.init_schedule(Simulate)
        .add_plugins((
            EguiPlugin::default(),
            CcdPlugins::new(Simulate),
            MeshPickingPlugin,
            StagePlugin,
            CameraPlugin,
            PanelsPlugin,
            BodiesPlugin,
            HandsPlugin,
            PicturesPlugin,
            ExportPlugin,
            PlaybackPlugin,
        ))
        .insert_resource(if cli.paused { CcdClock::paused() } else { CcdClock::default() })
        .insert_resource(CcdDebug { contact_normals: true, ..default() })
        .add_plugins(ScenesPlugin {
            first: first_scene(cli),
            speed: cli.speed,
            at: cli.at,
            show: cli.show.clone(),
            look: look(cli),
        })
        .insert_resource(PanelsShown(!cli.no_panels));
    if let Some(capture) = CapturePlugin::ordered_by(cli) {
        app.add_plugins(capture);
    }
    app
}

/// What the command line asks to be looked into.
pub fn look(cli: &Cli) -> Look {
    Look { pair: cli.pair.clone(), body: cli.body.clone(), point: cli.point }
}

/// What the command line asks to be opened.
pub fn first_scene(cli: &Cli) -> Source {
    match (&cli.case, &cli.scene) {
        (Some(file), _) => Source::File(file.clone()),
        (None, Some(name)) => Catalogue::gather().named(name),
        (None, None) => Source::Built("bullets".into()),
    }
}
