//! Contact normals as solid arrows: they stand out from any side, and have depth where lines have none.

use bevy::light::NotShadowCaster;
use bevy::prelude::*;
use bevy_ccd::CcdDebug;
use bevy_ccd::convert::{from_point, from_vector};

use crate::palette;
use crate::panels::contacts::{Filter, Kind, Row, Selection, rows};
use crate::playback::Playback;
use crate::stage::StageExtent;

/// The most arrows that are drawn; of more contacts every second one has one, or every third: more would hide each other.
const MOST: usize = 2_000;

/// How long the normal of an impact stays, seconds of watching: its bodies have gone elsewhere meanwhile.
const REMEMBERED: f64 = 3.0;
/// And no longer than this of simulated time: what is watched as fast as it happens would be hidden by what has long been over.
const REMEMBERED_SIMULATED: f64 = 0.2;

/// One of the arrows, kept and moved about.
#[derive(Component)]
pub struct Arrow(usize);

/// What arrows are made of.
#[derive(Resource)]
pub struct ArrowParts {
    mesh: Handle<Mesh>,
    impact: Handle<StandardMaterial>,
    touch: Handle<StandardMaterial>,
    selected: Handle<StandardMaterial>,
}

impl FromWorld for ArrowParts {
    fn from_world(world: &mut World) -> Self {
        let mesh = world.resource_mut::<Assets<Mesh>>().add(arrow());
        let mut materials = world.resource_mut::<Assets<StandardMaterial>>();
        let mut glowing = |colour: Color| {
            materials.add(StandardMaterial {
                base_color: colour,
                emissive: colour.to_linear() * 2.2,
                perceptual_roughness: 0.6,
                ..default()
            })
        };
        Self {
            mesh,
            impact: glowing(palette::IMPACT),
            touch: glowing(palette::TOUCH),
            selected: glowing(palette::SELECTED),
        }
    }
}

/// The radius of the shaft of an arrow of length one, and the least of one in a scene, as a share of the scene's radius.
const SHAFT: f32 = 0.035;
const LEAST_SHAFT: f32 = 0.0025;

/// An arrow of length one along +y from the origin: shaft and head.
fn arrow() -> Mesh {
    let shaft = Cylinder::new(SHAFT, 0.72).mesh().resolution(16).build().translated_by(Vec3::Y * 0.36);
    let head = Cone::new(0.105, 0.28).mesh().resolution(24).build().translated_by(Vec3::Y * 0.86);
    let foot = Sphere::new(0.07).mesh().ico(1).unwrap_or_else(|_| Sphere::new(0.07).into());
    let mut mesh = shaft;
    for part in [head, foot] {
        // The parts have the same attributes; were it otherwise, a bare shaft still shows the direction.
        let _ = mesh.merge(&part);
    }
    mesh
}

/// Keeps `most` of the rows, from all over them, where there are more.
fn thin_out(rows: &mut Vec<Row>, most: usize) {
    let each = rows.len().div_ceil(most);
    let mut index = 0;
    rows.retain(|_| {
        index += 1;
        each < 2 || index % each == 0
    });
}

/// Shows an arrow for each contact at the watched instant, from A to B, as long as the panel says.
pub fn show_arrows(
    mut commands: Commands,
    playback: Res<Playback>,
    switches: Res<CcdDebug>,
    selection: Res<Selection>,
    parts: Res<ArrowParts>,
    extent: Res<StageExtent>,
    mut arrows: Query<(&Arrow, &mut Transform, &mut Visibility, &mut MeshMaterial3d<StandardMaterial>)>,
) {
    let all = Filter { impacts: true, touches: true };
    let since = playback.tape.watched() - (REMEMBERED * playback.rate).min(REMEMBERED_SIMULATED);
    let mut wanted = if switches.contact_normals { rows(&playback, all, since, None) } else { Vec::new() };
    thin_out(&mut wanted, MOST);
    let selected = selection.contact_now(&playback);
    if let Some(selected) = selected
        && !wanted.iter().any(|row| row.is_same(&selected))
    {
        wanted.push(selected);
    }
    let length = switches.normal_length;
    // Short ones are thicker, or they would be hairs.
    let broad = length * (LEAST_SHAFT * extent.radius / (SHAFT * length)).clamp(1.0, 2.0);
    let placed = |row: &Row| {
        let (normal, grown) =
            (from_vector(&row.normal), if selected.is_some_and(|s| s.is_same(row)) { 1.5 } else { 1.0 });
        Transform {
            translation: from_point(&row.point),
            rotation: Quat::from_rotation_arc(Vec3::Y, normal.normalize_or(Vec3::Y)),
            scale: Vec3::new(broad, length, broad) * grown,
        }
    };
    let material = |row: &Row| match row.kind {
        _ if selected.is_some_and(|selected| selected.is_same(row)) => parts.selected.clone(),
        Kind::Impact => parts.impact.clone(),
        Kind::Touch => parts.touch.clone(),
    };
    let mut kept = 0;
    for (arrow, mut transform, mut visibility, mut painted) in &mut arrows {
        kept += 1;
        match wanted.get(arrow.0) {
            Some(row) => {
                transform.set_if_neq(placed(row));
                visibility.set_if_neq(Visibility::Inherited);
                painted.set_if_neq(MeshMaterial3d(material(row)));
            }
            None => {
                visibility.set_if_neq(Visibility::Hidden);
            }
        }
    }
    for (index, row) in wanted.iter().enumerate().skip(kept) {
        commands.spawn((
            Arrow(index),
            Mesh3d(parts.mesh.clone()),
            MeshMaterial3d(material(row)),
            placed(row),
            NotShadowCaster,
            Pickable::IGNORE,
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::Source;
    use bevy_ccd::CcdSnapshot;
    use ccd_core::world::StepReport;

    /// A viewer of this state that draws arrows, and nothing else.
    fn drawing(playback: Playback, selection: Selection) -> App {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, AssetPlugin::default()))
            .init_asset::<Mesh>()
            .init_asset::<StandardMaterial>()
            .insert_resource(playback)
            .insert_resource(CcdDebug::default())
            .insert_resource(selection)
            .init_resource::<StageExtent>()
            .init_resource::<ArrowParts>()
            .add_systems(Update, show_arrows);
        app.register_required_components::<Mesh3d, Visibility>();
        app
    }

    #[test]
    fn a_selected_contact_is_shown_by_whatever_features_it_is_one_and_no_longer_than_it_lasts() {
        let mut set = Source::Built("tower".into()).load().expect("it is built in");
        set.world.step(set.stated.dt).expect("a step");
        let playback = || Playback::of(CcdSnapshot::new(set.world.clone(), StepReport::default()), 1.0);
        let row = rows(&playback(), Filter::default(), 0.0, None)[0];
        let (number, rule) = row.history.expect("it is followed");
        let rolled_on = Row { features: None, ..row };
        let over = Row { history: Some((ccd_core::contact::ContactId(number.0 + 1000), rule)), ..row };
        for (contact, arrows) in [(row, 1), (rolled_on, 1), (over, 0)] {
            let selection = Selection { contact: Some(contact), body: None };
            assert_eq!(selection.contact_now(&playback()).is_some(), arrows == 1);
            let mut app = drawing(playback(), selection);
            app.update();
            app.update();
            assert_eq!(app.world_mut().query::<&Arrow>().iter(app.world()).count(), arrows, "{contact:?}");
        }
    }

    #[test]
    fn the_normals_of_a_wall_of_boxes_are_drawn_up_to_its_top() {
        let mut set = Source::Built("pyramid".into()).load().expect("it is built in");
        set.world.step(set.stated.dt).expect("a step");
        let start = CcdSnapshot::new(set.world, StepReport::default());
        let playback = Playback::of(start, 1.0);
        let mut drawn = rows(&playback, Filter::default(), 0.0, None);
        let top = |rows: &[Row]| rows.iter().map(|row| row.point.y).fold(f64::NEG_INFINITY, f64::max);
        let (highest, count) = (top(&drawn), drawn.len());
        assert!(highest > 12.0 && count > 600, "{count} up to {highest} m");
        thin_out(&mut drawn, MOST);
        assert_eq!((top(&drawn), drawn.len()), (highest, count));
        // And where there are too many, some are left everywhere.
        thin_out(&mut drawn, 100);
        assert!(drawn.len() <= 100 && drawn.len() > 50 && top(&drawn) > highest - 2.0, "{}", drawn.len());
    }
}
