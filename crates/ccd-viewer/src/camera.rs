//! The two cameras: one that orbits the scene in the part of the canvas that the panels leave free, one for the panels.

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{CameraOutputMode, RenderTarget, Viewport};
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::input::mouse::MouseMotion;
use bevy::prelude::*;
use bevy::render::render_resource::BlendState;
use bevy::window::PrimaryWindow;
use bevy_ccd::convert::{from_point, from_vector};
use bevy_egui::{EguiGlobalSettings, PrimaryEguiContext};
use bevy_panorbit_camera::{PanOrbitCamera, PanOrbitCameraPlugin, PanOrbitCameraSystemSet};

use crate::hands::{Grab, REACH};
use crate::panels::contacts::Row;
use crate::stage::{Sky, StageExtent};

/// What the cameras draw into, and how large it is.
#[derive(Resource, Clone, Debug)]
pub struct Canvas {
    /// The window, or the picture of a headless run.
    pub target: RenderTarget,
}

/// The camera that looks at the scene.
#[derive(Component)]
pub struct SceneCamera;

/// From where to look at a scene when it opens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// What is in the middle of the picture, metres.
    pub focus: Vec3,
    /// The distance from it, metres, positive.
    pub distance: f32,
    /// Radians around the vertical: 0 looks along −z, a quarter turn from +x along −x.
    pub yaw: f32,
    /// Radians above the horizontal.
    pub pitch: f32,
}

impl View {
    /// The view of a whole scene.
    pub fn of_whole(extent: &StageExtent) -> Self {
        Self { focus: extent.centre, distance: extent.radius * 3.0, yaw: 0.55, pitch: 0.32 }
    }

    /// The view of a contact from near and from the side, so that its normal lies across the picture.
    pub fn at_contact(row: &Row, extent: &StageExtent) -> Self {
        let normal = from_vector(&row.normal);
        let yaw =
            if normal.xz().length() > 0.2 { normal.x.atan2(normal.z) + std::f32::consts::FRAC_PI_2 } else { 0.55 };
        Self { focus: from_point(&row.point), distance: extent.radius * 0.6, yaw, pitch: 0.25 }
    }
}

/// Asks the camera to go to a view.
#[derive(Message, Clone, Copy, Debug)]
pub struct LookFrom(pub View);

/// The part of the canvas that the panels leave to the scene, and whether the pointer is the panels' at the moment.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct FreeCanvas {
    /// Left, top, width and height, physical pixels; `None` for the whole canvas.
    pub rect: Option<URect>,
    /// The pointer belongs to the panels.
    pub pointer_taken: bool,
}

/// The cameras.
pub struct CameraPlugin;

impl Plugin for CameraPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(PanOrbitCameraPlugin)
            .init_resource::<FreeCanvas>()
            .add_message::<LookFrom>()
            .add_systems(Startup, spawn_cameras)
            .add_systems(Update, fit_clipping)
            .add_systems(
                PostUpdate,
                (look_from, keep_to_free_canvas, hear_pointer).chain().before(PanOrbitCameraSystemSet),
            );
    }
}

fn spawn_cameras(mut commands: Commands, canvas: Res<Canvas>, sky: Res<Sky>, mut egui: ResMut<EguiGlobalSettings>) {
    egui.auto_create_primary_context = false;
    commands.spawn((
        SceneCamera,
        Camera3d::default(),
        canvas.target.clone(),
        Tonemapping::TonyMcMapface,
        Msaa::Sample4,
        sky.light(),
        PanOrbitCamera {
            button_orbit: MouseButton::Left,
            button_pan: MouseButton::Right,
            orbit_smoothness: 0.4,
            pan_smoothness: 0.3,
            zoom_smoothness: 0.4,
            // The camera obeys while the simulation stands.
            use_real_time: true,
            ..default()
        },
    ));
    commands.spawn((
        PrimaryEguiContext,
        Camera2d,
        canvas.target.clone(),
        RenderLayers::none(),
        Msaa::Off,
        Camera {
            order: 1,
            output_mode: CameraOutputMode::Write {
                blend_state: Some(BlendState::ALPHA_BLENDING),
                clear_color: ClearColorConfig::None,
            },
            clear_color: ClearColorConfig::Custom(Color::NONE),
            ..default()
        },
    ));
}

/// What the camera hears of the pointer is how far it has gone over the window. Where pointers are absolute (remote desktops,
/// virtual machines, tablets) devices report places as if they were motions, and the camera would leap about.
fn hear_pointer(
    mut motions: ResMut<Messages<MouseMotion>>,
    mut places: MessageReader<CursorMoved>,
    mut last: Local<Option<Vec2>>,
) {
    motions.clear();
    for place in places.read() {
        if let Some(last) = last.replace(place.position) {
            motions.write(MouseMotion { delta: place.position - last });
        }
    }
}

/// The nearest that is drawn, as a share of the distance at which one looks.
const NEAREST: f32 = 0.01;

/// The clipping planes follow the size of the scene, so that millimetres and kilometres both keep their depth; who looks at something tiny from
/// near sees all of it.
fn fit_clipping(
    extent: Res<StageExtent>,
    mut cameras: Query<(&mut Projection, &mut PanOrbitCamera), With<SceneCamera>>,
) {
    for (mut projection, mut orbit) in &mut cameras {
        let least = extent.radius * 1e-3;
        let near = orbit.radius.map_or(least, |distance| least.min(NEAREST * distance));
        let is_as_it_was = matches!(&*projection, Projection::Perspective(now) if now.near == near);
        if is_as_it_was && !extent.is_changed() {
            continue;
        }
        orbit.zoom_lower_limit = least;
        orbit.zoom_upper_limit = Some(extent.radius * 20.0);
        if let Projection::Perspective(perspective) = &mut *projection {
            perspective.fov = 0.72;
            perspective.near = near;
            perspective.far = extent.radius * 60.0;
        }
    }
}

fn look_from(
    mut requests: MessageReader<LookFrom>,
    mut cameras: Query<(&mut PanOrbitCamera, &mut Transform), With<SceneCamera>>,
) {
    let Some(LookFrom(view)) = requests.read().last() else { return };
    for (mut orbit, mut transform) in &mut cameras {
        // Both the aim and the present place: a new scene opens where it should be seen from, without a flight.
        (orbit.target_focus, orbit.focus) = (view.focus, view.focus);
        (orbit.target_radius, orbit.radius) = (view.distance, Some(view.distance));
        (orbit.target_yaw, orbit.yaw) = (view.yaw, Some(view.yaw));
        (orbit.target_pitch, orbit.pitch) = (view.pitch, Some(view.pitch));
        orbit.initialized = true;
        orbit.force_update = true;
        let rotation = Quat::from_rotation_y(view.yaw) * Quat::from_rotation_x(-view.pitch);
        *transform =
            Transform::from_translation(view.focus + rotation * Vec3::Z * view.distance).with_rotation(rotation);
    }
}

/// What of the free canvas is still there in a window of this size, physical pixels: the panels have not been laid out anew yet when it shrinks,
/// and a camera that draws beyond its window ends the program. `None` for all of the window.
fn within(free: Option<URect>, window: Option<UVec2>) -> Option<URect> {
    let (free, Some(size)) = (free?, window) else { return free };
    let rest = free.intersect(URect::from_corners(UVec2::ZERO, size));
    (!rest.is_empty()).then_some(rest)
}

fn keep_to_free_canvas(
    free: Res<FreeCanvas>,
    windows: Query<&Window, With<PrimaryWindow>>,
    grab: Res<Grab>,
    buttons: Option<Res<ButtonInput<MouseButton>>>,
    keys: Option<Res<ButtonInput<KeyCode>>>,
    mut cameras: Query<(&mut Camera, &mut PanOrbitCamera), With<SceneCamera>>,
) {
    // Who reaches for a body and misses it does not turn the view.
    let reaches = keys.is_some_and(|keys| keys.any_pressed(REACH));
    let dragging = buttons.is_some_and(|buttons| buttons.get_pressed().next().is_some());
    let rect = within(free.rect, windows.single().ok().map(|window| window.physical_size()));
    for (mut camera, mut orbit) in &mut cameras {
        let wanted = rect.map(|rect| (rect.min, rect.size()));
        let present = camera.viewport.as_ref().map(|viewport| (viewport.physical_position, viewport.physical_size));
        if wanted != present {
            camera.viewport = wanted.map(|(physical_position, physical_size)| Viewport {
                physical_position,
                physical_size,
                ..default()
            });
        }
        // A drag that began in the scene goes on over the panels, and the other way round.
        let enabled = !free.pointer_taken && grab.0.is_none() && !reaches;
        if (!dragging || grab.0.is_some()) && orbit.enabled != enabled {
            orbit.enabled = enabled;
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::window::WindowResolution;

    use super::*;

    #[test]
    fn what_is_looked_at_from_near_is_not_cut_by_the_near_plane() {
        let mut app = App::new();
        app.init_resource::<StageExtent>().add_systems(Update, fit_clipping);
        let orbit = PanOrbitCamera { radius: Some(15.0), ..default() };
        let camera = app.world_mut().spawn((SceneCamera, Projection::Perspective(default()), orbit)).id();
        for distance in [15.0, 0.006, 15.0] {
            app.world_mut().get_mut::<PanOrbitCamera>(camera).expect("it is one").radius = Some(distance);
            app.update();
            let Some(Projection::Perspective(now)) = app.world().get::<Projection>(camera) else { panic!("it is one") };
            // A body that is looked at is a sixth of the distance in radius.
            assert!(
                now.near < distance / 2.0 && now.near >= 1e-3 * distance.min(5.0),
                "{} m at {distance} m",
                now.near
            );
        }
    }

    #[test]
    fn the_scene_is_drawn_within_a_window_that_has_just_become_smaller() {
        let mut app = App::new();
        let laid_out = FreeCanvas { rect: Some(URect::new(150, 0, 954, 515)), pointer_taken: false };
        app.insert_resource(laid_out).init_resource::<Grab>().add_systems(Update, keep_to_free_canvas);
        let window = app.world_mut().spawn((Window::default(), PrimaryWindow)).id();
        let camera = app.world_mut().spawn((SceneCamera, Camera::default(), PanOrbitCamera::default())).id();
        for (size, drawn) in [
            ((1280, 720), Some(URect::new(150, 0, 954, 515))),
            ((800, 500), Some(URect::new(150, 0, 800, 500))),
            // Nothing of it is left: all of the window, until the panels are laid out.
            ((120, 500), None),
        ] {
            let mut entity = app.world_mut().entity_mut(window);
            entity.get_mut::<Window>().expect("it is one").resolution = WindowResolution::new(size.0, size.1);
            app.update();
            let viewport = app.world().get::<Camera>(camera).expect("it is one").viewport.as_ref();
            let rect =
                viewport.map(|v| URect::from_corners(v.physical_position, v.physical_position + v.physical_size));
            assert_eq!(rect, drawn, "in a window of {size:?}");
        }
    }
}
