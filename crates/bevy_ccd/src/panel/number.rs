//! Numbers that are moved and typed, and stay as they are to the bit for as long as nobody does either.

use std::cell::{Cell, RefCell};
use std::ops::RangeInclusive;

use bevy_egui::egui::emath::Numeric;
use bevy_egui::egui::{DragValue, Response, Slider, SliderClamping, Ui};

/// How a number is written and read, where it is not as egui does it.
#[derive(Clone, Copy, Default)]
pub struct NumberText<'a> {
    /// Writes it.
    pub format: Option<&'a dyn Fn(f64) -> String>,
    /// Reads what was typed; `None` of what is no number.
    pub parse: Option<&'a dyn Fn(&str) -> Option<f64>>,
}

/// Shows a slider over a number; `settle` gives it its name, its unit and what else it has but its text, which is `text`.
///
/// What a person drags or types comes to lie within the range. A number that lies beyond it, or has more digits than are written, stays what it is,
/// also where its text is opened and left again: egui would put it into the range and cut its digits off.
pub fn exact_slider<N: Numeric>(
    ui: &mut Ui,
    value: &mut N,
    range: RangeInclusive<N>,
    settle: impl for<'a> FnOnce(Slider<'a>) -> Slider<'a>,
    text: NumberText<'_>,
) -> Response {
    let written = Written::of(value.to_f64(), text);
    let plain = ui.style().number_formatter.clone();
    let range = range.start().to_f64()..=range.end().to_f64();
    let slider = Slider::from_get_set(range, |new| {
        if let Some(new) = new.filter(|_| !written.is_left.get()) {
            *value = N::from_f64(new);
        }
        value.to_f64()
    });
    let slider = if N::INTEGRAL { slider.integer() } else { slider };
    let slider = settle(slider.clamping(SliderClamping::Edits))
        .custom_formatter(|value, decimals| written.write(value, || plain.format(value, decimals)))
        .custom_parser(|text| written.read(text));
    ui.add(slider)
}

/// What decimals would tell wrong by more than this share is told by its digits.
const COARSE: f64 = 5e-3;

/// Shows a number that is dragged or typed, with at most so many decimals (of one that they would show as another, its power of ten), and changes
/// by `speed` for each point that it is dragged. It is as exact as [`exact_slider`].
pub fn exact_drag<N: Numeric>(ui: &mut Ui, value: &mut N, speed: f64, decimals: usize) -> Response {
    let written = Written::of(value.to_f64(), NumberText::default());
    let plain = ui.style().number_formatter.clone();
    let plain = |value: f64, range: RangeInclusive<usize>| {
        let text = plain.format(value, range);
        if tells(&text, value) { text } else { format!("{value:.decimals$e}") }
    };
    let drag = DragValue::new(value)
        .speed(speed)
        .max_decimals(decimals)
        .custom_formatter(|value, range| written.write(value, || plain(value, range)))
        .custom_parser(|text| written.read(text));
    ui.add(drag)
}

/// Whether a text tells a number but for a share of [`COARSE`].
fn tells(text: &str, value: f64) -> bool {
    let told = text.replace('−', "-").parse().unwrap_or(value);
    (told - value).abs() <= COARSE * value.abs()
}

/// A number and its text, to be known again.
struct Written<'a> {
    number: f64,
    by: NumberText<'a>,
    shown: RefCell<String>,
    /// Whether the text was read as it had been written.
    is_left: Cell<bool>,
}

impl<'a> Written<'a> {
    fn of(number: f64, by: NumberText<'a>) -> Self {
        Self { number, by, shown: RefCell::default(), is_left: Cell::new(false) }
    }

    fn write(&self, value: f64, plain: impl FnOnce() -> String) -> String {
        let text = self.by.format.map_or_else(plain, |format| format(value));
        self.shown.borrow_mut().clone_from(&text);
        text
    }

    fn read(&self, text: &str) -> Option<f64> {
        self.is_left.set(*self.shown.borrow() == text);
        if self.is_left.get() {
            return Some(self.number);
        }
        match self.by.parse {
            Some(parse) => parse(text),
            None => text.replace('−', "-").split_whitespace().collect::<String>().parse().ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_egui::egui::{Context, Event, Modifiers, PointerButton, Pos2, RawInput, Rect, Shape};

    /// Shows `add` and hands it these events, one frame each; returns where it was.
    fn play(context: &Context, events: Vec<Event>, add: &mut dyn FnMut(&mut Ui) -> Response) -> Rect {
        let mut place = Rect::NOTHING;
        for event in events {
            let input = RawInput { events: vec![event], ..RawInput::default() };
            _ = context.run_ui(input, |ui| place = add(ui).rect);
        }
        place
    }

    fn pressed(pos: Pos2, pressed: bool) -> Event {
        Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE }
    }

    /// Clicks on the text, types `typed` in its place, and leaves.
    fn open_and_leave(typed: Option<&str>, add: &mut dyn FnMut(&mut Ui) -> Response) {
        let context = Context::default();
        let nothing = || Event::PointerMoved(Pos2::new(500.0, 500.0));
        let place = play(&context, vec![nothing(), nothing()], add);
        // A slider has its text at its end.
        let at = place.right_center() - bevy_egui::egui::vec2(6.0, 0.0);
        play(&context, vec![Event::PointerMoved(at), pressed(at, true), pressed(at, false), nothing()], add);
        assert!(context.memory(|memory| memory.focused().is_some()), "the text is open");
        if let Some(typed) = typed {
            play(&context, vec![Event::Text(typed.into())], add);
        }
        let away = Pos2::new(500.0, 500.0);
        play(&context, vec![nothing(), pressed(away, true), pressed(away, false), nothing()], add);
        assert!(context.memory(|memory| memory.focused().is_none()), "the text is left");
    }

    #[test]
    fn a_number_keeps_its_digits_and_stays_beyond_the_range_where_its_text_is_opened_and_left() {
        for exact in [0.123_456_789_012_345, 500.0, -3.0] {
            let mut value = exact;
            open_and_leave(None, &mut |ui| {
                exact_slider(ui, &mut value, 0.1..=200.0, |slider| slider.suffix(" ms"), NumberText::default())
            });
            assert_eq!(value, exact);
            open_and_leave(None, &mut |ui| exact_drag(ui, &mut value, 0.05, 2));
            assert_eq!(value, exact);
        }
        let mut count = 70_000_u32;
        open_and_leave(None, &mut |ui| exact_slider(ui, &mut count, 1..=16384, |slider| slider, NumberText::default()));
        assert_eq!(count, 70_000);
    }

    #[test]
    fn what_is_typed_is_taken_and_comes_to_lie_within_the_range() {
        for (typed, taken) in [("2.5", 2.5), ("700", 200.0), ("1e-9", 0.1), ("many", 500.0)] {
            let mut value = 500.0;
            open_and_leave(Some(typed), &mut |ui| {
                exact_slider(ui, &mut value, 0.1..=200.0, |slider| slider.suffix(" ms"), NumberText::default())
            });
            assert_eq!(value, taken, "{typed}");
        }
        let mut value = -9.81_f32;
        open_and_leave(Some("−1.625"), &mut |ui| exact_drag(ui, &mut value, 0.05, 2));
        assert_eq!(value, -1.625);
    }

    fn texts(shape: &Shape) -> Vec<String> {
        match shape {
            Shape::Text(text) => vec![text.galley.text().to_owned()],
            Shape::Vec(shapes) => shapes.iter().flat_map(texts).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn a_small_number_does_not_look_like_zero() {
        for (value, text) in
            [(-1e-5_f32, "-1.00e-5"), (3e-3, "3.00e-3"), (0.0, "0.00"), (-9.81, "-9.81"), (0.05, "0.05")]
        {
            let mut now = value;
            let output = Context::default().run_ui(RawInput::default(), |ui| _ = exact_drag(ui, &mut now, 0.05, 2));
            let shown: Vec<String> = output.shapes.iter().flat_map(|clipped| texts(&clipped.shape)).collect();
            assert_eq!((shown, now), (vec![text.to_owned()], value));
        }
    }

    #[test]
    fn a_text_tells_a_number_unless_it_is_another_by_a_half_of_a_hundredth() {
        assert!(tells("−9.81", -9.81) && tells("0.00", 0.0) && tells("0.33", 1.0 / 3.0 - 3e-3));
        assert!(!tells("−0.01", -0.00981) && !tells("0.00", 1e-3) && !tells("0.33", 0.334));
    }
}
