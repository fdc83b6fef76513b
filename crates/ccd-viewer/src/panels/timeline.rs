//! The transport: play, pause, steps back and forward, speed, and a timeline that reaches into each step.

use bevy_ccd::CcdClock;
use bevy_ccd::panel::{NumberText, exact_slider};
use bevy_egui::egui::{
    self, Align2, Color32, CornerRadius, FontId, Label, Pos2, Rect, Response, RichText, Sense, Stroke, Ui,
};

use super::text::with_unit;
use crate::palette;
use crate::playback::{Playback, Transport};

/// The part of time that the timeline shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// From and to, seconds; `None` for all that is recorded.
    pub shown: Option<(f64, f64)>,
    /// The instant that was watched when it was last drawn, seconds.
    watched: f64,
    /// The instant that was watched before the last click, seconds.
    before: Option<f64>,
}

impl Window {
    /// Shows this part of time.
    pub fn show(&mut self, part: Option<(f64, f64)>) {
        self.shown = part;
    }

    /// The instant that is asked for where `time` was clicked: a second click at once asks for something else, so that it goes back to where the
    /// first came from.
    pub fn clicked(&mut self, response: &Response, time: Option<f64>, watched: f64) -> Option<f64> {
        if response.double_clicked() {
            return self.before.take();
        }
        let asked = time.filter(|_| response.clicked())?;
        self.before = Some(watched);
        Some(asked)
    }

    /// Goes along with the watched instant when that leaves what is shown; whoever looks elsewhere while it stands is left alone.
    fn follow(&mut self, watched: f64) {
        let has_moved = self.watched != watched;
        self.watched = watched;
        let Some((from, to)) = self.shown.filter(|_| has_moved) else { return };
        let off = if watched > to { watched - to } else { (watched - from).min(0.0) };
        self.shown = Some((from + off, to + off));
    }

    /// Shows more or less of the time around `centre`, and never more than is recorded.
    fn zoom(&mut self, centre: f64, (from, to): (f64, f64), factor: f64, (oldest, newest): (f64, f64)) {
        let wanted = (centre + (from - centre) * factor, centre + (to - centre) * factor);
        let whole = wanted.1 - wanted.0 >= newest - oldest;
        if whole {
            self.shown = None;
        } else if wanted.1 - wanted.0 > SHORTEST {
            let off = (oldest - wanted.0).max(0.0) + (newest - wanted.1).min(0.0);
            self.shown = Some((wanted.0 + off, wanted.1 + off));
        }
    }
}

/// The shortest part of time that is shown, seconds.
const SHORTEST: f64 = 1e-9;
/// From the ends of the timeline to the sides, so that its handle is never cut, points.
const ENDS: f32 = 6.0;

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wish {
    /// Back to the beginning of the scene.
    Restart,
    /// Another instant, or to go on or stand.
    Transport(Transport),
}

/// Draws the row of buttons and the timeline.
pub fn show(ui: &mut Ui, playback: &mut Playback, clock: &CcdClock, step: f64, window: &mut Window) -> Option<Wish> {
    let mut wish = None;
    ui.horizontal_wrapped(|ui| {
        let mut button = |ui: &mut Ui, text: &str, hint: &str, asked: Wish| {
            if ui.button(RichText::new(text).size(15.0)).on_hover_text(hint).clicked() {
                wish = Some(asked);
            }
        };
        button(
            ui,
            "⏮",
            "start again with the settings of now (R); a click on the scene in the list brings its own back",
            Wish::Restart,
        );
        button(ui, "⏪", "one step back (,)", Wish::Transport(Transport::StepBack));
        let (symbol, hint) = if clock.paused { ("▶", "play (Space)") } else { ("⏸", "pause (Space)") };
        button(ui, symbol, hint, Wish::Transport(Transport::Toggle));
        button(ui, "⏩", "one step forward (.)", Wish::Transport(Transport::StepForward));
        ui.separator();
        ui.label("speed");
        let text = NumberText { format: Some(&rate_text), parse: Some(&parse_rate) };
        exact_slider(ui, &mut playback.rate, 1e-5..=2.0, |slider| slider.logarithmic(true), text)
            .on_hover_text("simulated seconds per second of watching");
        ui.separator();
        ui.add(Label::new(RichText::new(position(playback, step)).monospace()).extend());
        if looks_back(playback, clock.paused)
            && ui.button("✂ go on from here").on_hover_text("forget the later states").clicked()
        {
            wish = Some(Wish::Transport(Transport::Cut));
        }
    });
    timeline(ui, playback, step, window).or(wish)
}

/// Whether there are states after the watched instant that are not just being played up to.
fn looks_back(playback: &Playback, paused: bool) -> bool {
    let last = playback.tape.frames().len() - 1;
    !playback.tape.is_at_end() && (paused || playback.tape.between().to < last)
}

/// A speed of watching, as a multiple of that of real time.
pub(super) fn rate_text(rate: f64) -> String {
    if rate >= 0.1 { format!("{rate:.2} ×") } else { format!("1/{:.0}", 1.0 / rate) }
}

fn parse_rate(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('×').trim();
    match text.split_once('/') {
        Some((one, parts)) => Some(one.trim().parse::<f64>().ok()? / parts.trim().parse::<f64>().ok()?),
        None => text.parse().ok(),
    }
    .filter(|rate: &f64| rate.is_finite() && *rate > 0.0)
}

/// Which instant is watched, in words.
fn position(playback: &Playback, step: f64) -> String {
    let between = playback.tape.between();
    let newest = playback.tape.step_number(playback.tape.frames().len() - 1);
    // A state is that after its step, whether or not there is one after it.
    let (frame, within) = match between.share() {
        share if share > 0.0 => (between.to, format!(" ({:.0} %)", share * 100.0)),
        _ => (between.from, String::new()),
    };
    let number = playback.tape.step_number(frame);
    format!("step {number}{within} of {newest}   Δt {}", with_unit(step, "s"))
}

/// The range that is shown, of positive length.
fn shown(playback: &Playback, step: f64, window: &Window) -> (f64, f64) {
    let (from, to) = window.shown.unwrap_or((playback.tape.oldest(), playback.tape.newest()));
    let least = if step > 0.0 { step } else { 1e-6 };
    if to > from { (from, to) } else { (from, from + least) }
}

fn timeline(ui: &mut Ui, playback: &Playback, step: f64, window: &mut Window) -> Option<Wish> {
    let (whole, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), 30.0), Sense::click_and_drag());
    let rect = whole.shrink2(egui::vec2(ENDS, 0.0));
    window.follow(playback.tape.watched());
    let (from, to) = shown(playback, step, window);
    let at = |time: f64| rect.left() + rect.width() * ((time - from) / (to - from)) as f32;
    let time_at = |x: f32| from + (to - from) * f64::from((x - rect.left()) / rect.width());

    let painter = ui.painter_at(whole);
    let track =
        Rect::from_min_max(Pos2::new(rect.left(), rect.top() + 8.0), Pos2::new(rect.right(), rect.top() + 16.0));
    painter.rect_filled(track, CornerRadius::same(3), Color32::from_rgb(15, 18, 23));
    let recorded = Rect::from_min_max(
        Pos2::new(at(playback.tape.oldest()).max(track.left()), track.top()),
        Pos2::new(at(playback.tape.newest()).min(track.right()), track.bottom()),
    );
    if recorded.is_positive() {
        painter.rect_filled(recorded, CornerRadius::same(3), Color32::from_rgb(44, 66, 88));
    }
    mark_steps(&painter, playback, track, (from, to), &at);
    let handle = at(playback.tape.watched()).clamp(rect.left(), rect.right());
    let yellow = palette::in_panel(palette::SELECTED);
    painter.line_segment(
        [Pos2::new(handle, rect.top() + 3.0), Pos2::new(handle, rect.top() + 20.0)],
        Stroke::new(2.0, yellow),
    );
    painter.circle_filled(Pos2::new(handle, track.center().y), 5.0, yellow);
    for (place, align, time) in
        [(rect.left_bottom(), Align2::LEFT_BOTTOM, from), (rect.right_bottom(), Align2::RIGHT_BOTTOM, to)]
    {
        painter.text(place, align, with_unit(time, "s"), FontId::monospace(10.0), Color32::from_rgb(140, 150, 165));
    }

    let response = response.on_hover_text("drag to scrub, also inside a step · wheel: zoom · double click: all of it");
    if response.hovered() {
        let scroll = ui.input(|input| input.smooth_scroll_delta.y);
        if let Some(pointer) = response.hover_pos().filter(|_| scroll != 0.0) {
            let recorded = (playback.tape.oldest(), playback.tape.newest());
            window.zoom(time_at(pointer.x), (from, to), f64::from(-scroll * 0.005).exp(), recorded);
        }
    }
    if response.double_clicked() {
        window.shown = None;
    }
    let pointed = response.interact_pointer_pos().map(|pointer| time_at(pointer.x));
    let asked = if response.dragged() { pointed } else { window.clicked(&response, pointed, playback.tape.watched()) };
    asked.map(|time| Wish::Transport(Transport::Seek(time)))
}

/// Ticks at the ends of steps, red marks at impacts.
fn mark_steps(
    painter: &egui::Painter,
    playback: &Playback,
    track: Rect,
    (from, to): (f64, f64),
    at: &impl Fn(f64) -> f32,
) {
    let red = palette::in_panel(palette::HIT);
    let tick = Color32::from_rgb(96, 112, 132);
    let seen = from..=to;
    let mut last = f32::NEG_INFINITY;
    let mut last_impact = f32::NEG_INFINITY;
    let mut before = playback.tape.oldest();
    for frame in playback.tape.frames() {
        // Marks that would fall on the same pixel are drawn once.
        let x = at(frame.time);
        if seen.contains(&frame.time) && x - last >= 3.0 {
            last = x;
            painter.line_segment([Pos2::new(x, track.top()), Pos2::new(x, track.bottom())], Stroke::new(1.0, tick));
        }
        for impact in &frame.state.report().impacts {
            let time = before + impact.time;
            let x = at(time);
            if seen.contains(&time) && (x - last_impact).abs() >= 1.5 {
                last_impact = x;
                painter
                    .line_segment([Pos2::new(x, track.top() - 5.0), Pos2::new(x, track.top())], Stroke::new(1.5, red));
            }
        }
        before = frame.time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shown_part_goes_along_with_what_is_watched_and_stays_where_one_looks() {
        let mut window = Window { shown: Some((0.0, 5.0)), ..Window::default() };
        window.follow(4.0);
        assert_eq!(window.shown, Some((0.0, 5.0)));
        window.follow(6.0);
        assert_eq!(window.shown, Some((1.0, 6.0)));
        window.follow(0.5);
        assert_eq!(window.shown, Some((0.5, 5.5)));
        window.show(Some((2.0, 3.0)));
        window.follow(0.5);
        assert_eq!(window.shown, Some((2.0, 3.0)), "the watched instant has not moved");
    }

    #[test]
    fn a_double_click_shows_all_of_it_and_watches_what_was_watched_before() {
        let context = egui::Context::default();
        let mut playback = Playback::default();
        for _ in 0..10 {
            playback.tape.push(0.5, crate::playback::Recorded::default());
        }
        playback.tape.seek(1.0);
        let mut window = Window { shown: Some((0.0, 4.0)), ..Window::default() };
        let mut place = Pos2::ZERO;
        let mut asked = Vec::new();
        let press = |pos: Pos2, pressed: bool| egui::Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        for frame in 0..6 {
            let events = match frame {
                0 => vec![],
                1 => vec![egui::Event::PointerMoved(place)],
                _ => vec![press(place, frame % 2 == 0)],
            };
            let input = egui::RawInput { events, time: Some(0.05 * f64::from(frame)), ..egui::RawInput::default() };
            _ = context.run_ui(input, |ui| {
                place = Pos2::new(0.5 * ui.available_width(), ui.cursor().top() + 12.0);
                if let Some(Wish::Transport(Transport::Seek(time))) = timeline(ui, &playback, 0.5, &mut window) {
                    asked.push(time);
                    playback.tape.seek(time);
                }
            });
        }
        assert!(asked.len() == 2 && asked[0] > 1.1 && asked[1] == 1.0, "{asked:?}");
        assert_eq!(window.shown, None);
    }

    #[test]
    fn a_state_is_told_by_its_own_step_and_what_is_between_two_by_the_one_that_leads_on() {
        let mut playback = Playback::default();
        for _ in 0..10 {
            playback.tape.push(0.5, crate::playback::Recorded::default());
        }
        let mut told = |time: f64| {
            playback.tape.seek(time);
            position(&playback, 0.5).split("  ").next().unwrap_or_default().to_owned()
        };
        let newest = told(5.0).split(" of ").last().unwrap_or_default().to_owned();
        let number = |text: &str| text.split(' ').nth(1).and_then(|n| n.parse::<u32>().ok()).unwrap();
        assert_eq!(number(&told(5.0)).to_string(), newest);
        assert_eq!(number(&told(4.5)) + 1, number(&told(5.0)), "one step back");
        assert!(!told(4.5).contains('%') && told(4.75).contains("(50 %)"), "{} {}", told(4.5), told(4.75));
        assert_eq!(number(&told(4.75)), number(&told(5.0)));
    }

    #[test]
    fn zooming_out_ends_at_what_is_recorded() {
        let mut window = Window { shown: Some((1.0, 2.0)), ..Window::default() };
        window.zoom(1.0, (1.0, 2.0), 4.0, (0.0, 4.5));
        assert_eq!(window.shown, Some((0.5, 4.5)));
        window.zoom(1.0, (0.5, 4.5), 2.0, (0.0, 4.5));
        assert_eq!(window.shown, None, "all of it");
    }

    #[test]
    fn showing_the_transport_leaves_a_speed_that_lies_beyond_its_slider() {
        let context = egui::Context::default();
        for rate in [5.0, 1e-7, 0.123_456_789] {
            let mut playback = Playback { rate, ..Playback::default() };
            for _ in 0..3 {
                _ = context.run_ui(egui::RawInput::default(), |ui| {
                    show(ui, &mut playback, &CcdClock::default(), 0.01, &mut Window::default());
                });
            }
            assert_eq!(playback.rate, rate);
        }
    }

    #[test]
    fn speeds_are_read_as_they_are_written() {
        assert_eq!(parse_rate("1/500"), Some(0.002));
        assert_eq!(parse_rate("0.25 ×"), Some(0.25));
        for wrong in ["0", "-1", "1/0", "fast", "nan"] {
            assert_eq!(parse_rate(wrong), None, "{wrong}");
        }
    }
}
