//! The table of contacts: impacts up to the watched instant and pairs that touch at it, with their numbers.

use bevy::prelude::Resource;
use bevy_ccd::panel::rule_name;
use bevy_egui::egui::{self, RichText, ScrollArea, Ui};
use ccd_core::contact::{ContactId, TrackingRule};
use ccd_core::geometry::feature::FeaturePair;
use ccd_core::id::{BodyId, PairKey};
use ccd_core::math::{Point, Vector};

use super::text::{direction, short, with_unit};
use crate::palette;
use crate::playback::Playback;
use crate::scenes::Scene;

/// What a row of the table tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A meeting within a step.
    Impact,
    /// A contact that lasts.
    Touch,
}

/// One contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Impact or lasting contact.
    pub kind: Kind,
    /// When, seconds of simulated time.
    pub time: f64,
    /// Who.
    pub pair: PairKey,
    /// By which features, where known.
    pub features: Option<FeaturePair>,
    /// The gap, metres.
    pub separation: Option<f64>,
    /// Where, world.
    pub point: Point,
    /// From A to B, unit, world.
    pub normal: Vector,
    /// N·s, on B.
    pub impulse: f64,
    /// Of a lasting contact: its number within the pair, and the rule that moves it.
    pub history: Option<(ContactId, TrackingRule)>,
}

impl Row {
    /// Whether it is the same contact as `other`, of which the numbers may have changed since.
    pub fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.pair == other.pair
            && match self.kind {
                Kind::Impact => self.time == other.time && self.point == other.point,
                // Its features change where it rolls or slides from one to the next; its number stays.
                Kind::Touch => match (self.history, other.history) {
                    (Some((number, _)), Some((others, _))) => number == others,
                    _ => self.features == other.features,
                },
            }
    }
}

/// What is selected: a contact, a body, or nothing.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Selection {
    /// The contact.
    pub contact: Option<Row>,
    /// The body.
    pub body: Option<BodyId>,
}

impl Selection {
    /// The contact as it is at the watched instant; `None` while it has not begun, or is over.
    pub fn contact_now(&self, playback: &Playback) -> Option<Row> {
        let selected = self.contact?;
        let rows = rows(playback, Filter::default(), f64::NEG_INFINITY, Some(selected.pair.a));
        rows.into_iter().find(|row| row.is_same(&selected))
    }
}

/// What the table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Impacts since the beginning.
    pub impacts: bool,
    /// Contacts that last.
    pub touches: bool,
}

impl Default for Filter {
    fn default() -> Self {
        Self { impacts: true, touches: true }
    }
}

/// More impacts than anybody reads; older ones are left out.
const MOST_IMPACTS: usize = 2_000;

/// The contacts at the watched instant, newest first, with impacts not before `since` (seconds); only those of `body` where one
/// is given.
pub fn rows(playback: &Playback, filter: Filter, since: f64, body: Option<BodyId>) -> Vec<Row> {
    let wanted = |pair: &PairKey| body.is_none_or(|body| pair.a == body || pair.b == body);
    let mut rows = Vec::new();
    let between = playback.tape.between();
    let state = if playback.tape.is_at_end() { between.to } else { between.from };
    if let Some(frame) = playback.tape.frame(state).filter(|_| filter.touches) {
        for (pair, contacts) in frame.state.world().contacts().filter(|(pair, _)| wanted(pair)) {
            for (index, (point, impulse)) in contacts.points.iter().zip(&contacts.impulses).enumerate() {
                let history = contacts.histories().get(index);
                rows.push(Row {
                    kind: Kind::Touch,
                    time: frame.time,
                    pair,
                    features: Some(point.features),
                    separation: Some(point.separation),
                    point: point.midpoint(),
                    normal: point.normal,
                    impulse: impulse.norm(),
                    history: history.map(|h| (h.id, h.rule())),
                });
            }
        }
    }
    let touches = rows.len();
    if filter.impacts {
        let watched = playback.tape.watched();
        for index in (1..=between.to).rev() {
            let (Some(before), Some(frame)) = (playback.tape.frame(index - 1), playback.tape.frame(index)) else {
                break;
            };
            if frame.time < since {
                break;
            }
            for impact in frame.state.report().impacts.iter().rev() {
                let time = before.time + impact.time;
                if (since..=watched).contains(&time) && wanted(&impact.pair) {
                    rows.push(Row {
                        kind: Kind::Impact,
                        time,
                        pair: impact.pair,
                        features: Some(impact.features),
                        separation: Some(impact.separation),
                        point: impact.point,
                        normal: impact.normal,
                        impulse: impact.impulse.norm(),
                        history: None,
                    });
                }
            }
            if rows.len() - touches >= MOST_IMPACTS {
                break;
            }
        }
    }
    rows.truncate(touches + MOST_IMPACTS);
    rows
}

/// When a row's bodies met there, seconds of simulated time, and its age in steps: of an impact its time of contact, of a lasting
/// contact the first state, of those that are kept, since which the pair has had it.
fn met(playback: &Playback, row: &Row) -> (f64, Option<usize>) {
    let Some((id, _)) = row.history else { return (row.time, None) };
    let frames = playback.tape.frames().rev().skip_while(|frame| frame.time > row.time);
    let since = frames.take_while(|frame| frame.state.has(row.pair, id));
    let (steps, time) = since.fold((0, row.time), |(steps, _), frame| (steps + 1, frame.time));
    (time, Some(steps.max(1) - 1))
}

/// What was done with the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowWish {
    /// Look at this contact from near.
    LookAt(Row),
    /// Look into this pair.
    LookInto(PairKey),
}

/// What the table is to show.
pub fn filter_ui(ui: &mut Ui, scene: &Scene, filter: &mut Filter, selection: &mut Selection) {
    ui.checkbox(&mut filter.impacts, "impacts so far");
    ui.checkbox(&mut filter.touches, "touching now");
    if let Some(body) = selection.body {
        ui.label(format!("of {}", scene.name_of(body)));
        if ui.small_button("all bodies").clicked() {
            selection.body = None;
        }
    }
}

/// As low as letters allow: there is little room under the scene.
const ROW_HEIGHT: f32 = 17.0;

/// Draws the table.
pub fn show(
    ui: &mut Ui,
    playback: &Playback,
    scene: &Scene,
    filter: Filter,
    selection: &mut Selection,
) -> Option<RowWish> {
    let mut wish = None;
    let rows = rows(playback, filter, f64::NEG_INFINITY, selection.body);
    let header = format!(
        "{:<8} {:<11} {:<11} {:<10} {:<10} {:>9} {:^19} {:>9} {:>3} {:>4} {:<7}",
        "met at",
        "body A",
        "body B",
        "feature A",
        "feature B",
        "separation",
        "normal A→B",
        "impulse",
        "no.",
        "age",
        "rule"
    );
    ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
    let spacing = ui.spacing_mut();
    (spacing.interact_size.y, spacing.item_spacing.y, spacing.button_padding.y) = (ROW_HEIGHT, 1.0, 0.0);
    let inset = spacing.button_padding.x;
    let (top, _) = ui.allocate_exact_size(egui::vec2(ui.available_width(), ROW_HEIGHT), egui::Sense::hover());
    let table = ScrollArea::both().auto_shrink(false).show_rows(ui, ROW_HEIGHT, rows.len(), |ui, visible| {
        for row in rows.get(visible).unwrap_or_default() {
            let selected = selection.contact.is_some_and(|contact| contact.is_same(row));
            let response =
                ui.selectable_label(selected, RichText::new(line(row, met(playback, row), scene)).monospace());
            if response.clicked() {
                selection.contact = (!selected).then_some(*row);
                wish = (!selected).then_some(RowWish::LookInto(row.pair));
            }
            if response.double_clicked() {
                selection.contact = Some(*row);
                wish = Some(RowWish::LookAt(*row));
            }
            let rule = row.history.map_or("", |(_, rule)| rule_name(rule));
            response.on_hover_text(format!(
                "{rule}\nclick: highlight it in the scene · double click: look at it from near"
            ));
        }
    });
    // The headings go along sideways.
    let place = top.left_center() + egui::vec2(inset - table.state.offset.x, 0.0);
    let font = egui::TextStyle::Monospace.resolve(ui.style());
    let colour = palette::in_panel(palette::FLYING);
    ui.painter_at(top).text(place, egui::Align2::LEFT_CENTER, header, font, colour);
    wish
}

/// The rule that moves a contact, by the first letters of what meets.
fn sign(rule: TrackingRule) -> &'static str {
    match rule {
        TrackingRule::VertexEdge => "V–E",
        TrackingRule::VertexFace => "V–F",
        TrackingRule::EdgeEdge => "E–E",
        TrackingRule::VertexVertex => "V–V",
        TrackingRule::Surface => "surface",
    }
}

fn line(row: &Row, (met, age): (f64, Option<usize>), scene: &Scene) -> String {
    let [feature_a, feature_b] =
        row.features.map_or(["–".into(), "–".into()], |pair| [pair.a.to_string(), pair.b.to_string()]);
    let dash = || String::from("–");
    let (number, rule) = row.history.map_or_else(|| (dash(), "–"), |(id, rule)| (id.0.to_string(), sign(rule)));
    let age = age.map_or_else(dash, |age| age.to_string());
    format!(
        "{:<8} {:<11} {:<11} {:<10} {:<10} {:>9} {} {:>9} {number:>3} {age:>4} {rule:<7}",
        with_unit(met, "s"),
        short(&scene.name_of(row.pair.a), 11),
        short(&scene.name_of(row.pair.b), 11),
        short(&feature_a, 10),
        short(&feature_b, 10),
        row.separation.map_or_else(|| "–".into(), |gap| with_unit(gap, "m")),
        direction(&row.normal),
        with_unit(row.impulse, "N·s"),
    )
}
