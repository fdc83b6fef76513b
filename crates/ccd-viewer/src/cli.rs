//! The command line: what to open, and whether to draw it in a window or into a picture.

use std::path::PathBuf;

use clap::{ArgGroup, Parser};

use crate::overlays::Overlay;

/// The lab for contact cases: opens a scene or a case file and shows bodies, motions and contacts.
///
/// Without arguments it opens on 100 bullets in front of a thin warped sheet with a hole.
#[derive(Clone, Debug, Default, PartialEq, Parser)]
#[command(name = "ccd-viewer", version, about)]
#[command(group = ArgGroup::new("played").args(["headless", "screenshot", "export"]).multiple(true))]
pub struct Cli {
    /// The case file to open (JSON, format `ccd-case/1`).
    #[arg(long, value_name = "FILE", conflicts_with = "scene")]
    pub case: Option<PathBuf>,

    /// The scene to open, or the case file of the list, by its name; `--list` names them.
    #[arg(long, value_name = "NAME")]
    pub scene: Option<String>,

    /// Print what `--scene` opens and end: the built-in scenes, and the case files of `assets/cases` and `cases` below the working folder.
    #[arg(long)]
    pub list: bool,

    /// Draw without a window: plays the frames on a clock of its own, saves the picture and ends. Needs a Vulkan
    /// driver (a software one will do), no display.
    #[arg(long)]
    pub headless: bool,

    /// How many frames of 1/60 s to play before the picture is taken or the case saved; with `--at`, in which time stands, they come after it. Where the
    /// simulation stops before, it ends with an error.
    #[arg(long, value_name = "N", default_value_t = 60, requires = "played")]
    #[arg(value_parser = clap::value_parser!(u32).range(..=MOST_FRAMES))]
    pub frames: u32,

    /// Save the last frame to this PNG file and end.
    #[arg(long, value_name = "FILE.png", value_parser = parse_png)]
    pub screenshot: Option<PathBuf>,

    /// Save the state that the last frame shows as a case for `ccd run` (JSON, its models beside it), and end; inside a step it is the
    /// step's start. A file of that name is replaced.
    #[arg(long, value_name = "FILE.json", value_parser = parse_json)]
    pub export: Option<PathBuf>,

    /// The size of the window or picture, pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    pub size: PictureSize,

    /// Simulated seconds per second of watching; each scene brings its own by default.
    #[arg(long, value_name = "RATE", value_parser = parse_speed, allow_negative_numbers = true)]
    pub speed: Option<f64>,

    /// Start paused at this simulated time, seconds. Without a window, or with a picture or case to be saved, it ends with an error where
    /// the simulation stops before.
    #[arg(long, value_name = "SECONDS", value_parser = parse_rate, allow_negative_numbers = true)]
    pub at: Option<f64>,

    /// Start paused.
    #[arg(long, conflicts_with = "headless")]
    pub paused: bool,

    /// Overlays to open with, separated by commas; `--show help` names them, and `none` first switches all others off. A hierarchy takes a level, the walk a step: `sphere-octree:3`, `walk:2`.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub show: Vec<Overlay>,

    /// The two bodies to look into, by their names. Without it, it is the scene's own pair; where an overlay needs one and the
    /// scene has none, the two with the smallest gap.
    #[arg(long, value_name = "A,B", value_parser = parse_pair)]
    pub pair: Option<(String, String)>,

    /// The body to look into, by its name: `brep-index` and `only-body` are about it. Without it, it is A of the pair, else the
    /// first body with faces.
    #[arg(long, value_name = "NAME")]
    pub body: Option<String>,

    /// A place of that body in its own frame, metres: it is followed through the B-rep index.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_place, allow_hyphen_values = true)]
    pub point: Option<[f32; 3]>,

    /// Draw the scene alone, without panels.
    #[arg(long)]
    pub no_panels: bool,
}

/// More frames than anybody waits for.
const MOST_FRAMES: i64 = 1_000_000_000;

/// The size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

impl Default for PictureSize {
    fn default() -> Self {
        Self { width: 1280, height: 720 }
    }
}

/// The range of sides that every Vulkan driver can draw into.
const SIDES: std::ops::RangeInclusive<u32> = 64..=8192;

fn parse_size(text: &str) -> Result<PictureSize, String> {
    let side = |part: &str| part.trim().parse::<u32>().ok().filter(|n| SIDES.contains(n));
    text.split_once(['x', 'X', '×'])
        .and_then(|(width, height)| Some(PictureSize { width: side(width)?, height: side(height)? }))
        .ok_or_else(|| format!("give width and height from {} to {}, such as 1280x720", SIDES.start(), SIDES.end()))
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    match text.split_once(',') {
        Some((a, b)) if !a.trim().is_empty() && !b.trim().is_empty() && a.trim() != b.trim() => {
            Ok((a.trim().into(), b.trim().into()))
        }
        _ => Err("give the names of two bodies with a comma between them".into()),
    }
}

fn parse_place(text: &str) -> Result<[f32; 3], String> {
    let numbers: Vec<f32> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    match <[f32; 3]>::try_from(numbers) {
        Ok(place) if text.split(',').count() == 3 && place.iter().all(|x| x.is_finite()) => Ok(place),
        _ => Err("give three numbers with commas between them".into()),
    }
}

fn parse_png(text: &str) -> Result<PathBuf, String> {
    ending_in("png", text).ok_or_else(|| "the picture is written as PNG: give a name that ends in .png".into())
}

fn parse_json(text: &str) -> Result<PathBuf, String> {
    ending_in("json", text).ok_or_else(|| "a case is written as JSON: give a name that ends in .json".into())
}

fn ending_in(wanted: &str, text: &str) -> Option<PathBuf> {
    let path = PathBuf::from(text);
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted)).then_some(path)
}

fn parse_rate(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|rate| rate.is_finite() && *rate >= 0.0)
        .ok_or_else(|| "give a number that is not negative".into())
}

fn parse_speed(text: &str) -> Result<f64, String> {
    parse_rate(text).ok().filter(|rate| *rate > 0.0).ok_or_else(|| "give a positive number".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(std::iter::once("ccd-viewer").chain(line.split_whitespace()))
    }

    #[test]
    fn without_arguments_a_window_of_1280_by_720_opens_on_the_default_scene() {
        let cli = parse("").unwrap();
        assert_eq!((cli.case, cli.scene, cli.headless, cli.screenshot), (None, None, false, None));
        assert_eq!(cli.size, PictureSize { width: 1280, height: 720 });
    }

    #[test]
    fn the_headless_command_of_the_manual_is_understood() {
        let cli = parse("--scene bullets --headless --frames 90 --screenshot out.png --size 640x360").unwrap();
        assert_eq!(cli.scene.as_deref(), Some("bullets"));
        assert!(cli.headless);
        assert_eq!((cli.frames, cli.screenshot), (90, Some("out.png".into())));
        assert_eq!(cli.size, PictureSize { width: 640, height: 360 });
    }

    #[test]
    fn a_case_and_a_scene_at_once_are_refused() {
        assert!(parse("--case a.json --scene bullets").is_err());
    }

    #[test]
    fn a_size_that_no_driver_draws_is_refused_with_the_range() {
        for size in ["0x0", "1280", "1280x", "99999x720", "-5x5", "axb"] {
            let message = parse(&format!("--size={size}")).unwrap_err().to_string();
            assert!(message.contains("64 to 8192"), "{size}: {message}");
        }
    }

    #[test]
    fn overlays_and_a_pair_are_understood_and_wrong_ones_refused() {
        let cli = parse("--show graph,sphere-octree:3 --pair crate-1,floor").unwrap();
        assert_eq!(cli.show.len(), 2);
        assert_eq!(cli.pair, Some(("crate-1".into(), "floor".into())));
        assert!(parse("--show help").unwrap().show.iter().all(Overlay::asks_for_help));
        assert!(parse("--show ghosts").unwrap_err().to_string().contains("paper-bound"));
        assert!(parse("--speed 0").unwrap_err().to_string().contains("positive"));
        for pair in ["alone", "same,same", "one,"] {
            assert!(parse(&format!("--pair {pair}")).unwrap_err().to_string().contains("two bodies"), "{pair}");
        }
    }

    #[test]
    fn frames_are_counted_where_they_are_played_and_no_more_than_can_be_counted() {
        for order in
            ["--headless", "--screenshot a.png", "--export a.json", "--headless --screenshot a.png --export a.json"]
        {
            assert_eq!(parse(&format!("--frames 3 {order}")).unwrap().frames, 3, "{order}");
        }
        assert!(parse("--frames 3").unwrap_err().to_string().contains("--headless"));
        assert!(parse("--headless --frames 4294967295").is_err());
    }

    #[test]
    fn a_place_is_three_finite_numbers() {
        assert_eq!(parse("--point -1,0.5,2e-3").unwrap().point, Some([-1.0, 0.5, 2e-3]));
        for place in ["1,2", "1,2,3,4", "1,2,x", "1,2,inf", "1,,2,3"] {
            assert!(parse(&format!("--point={place}")).unwrap_err().to_string().contains("three numbers"), "{place}");
        }
    }

    #[test]
    fn a_picture_that_is_no_png_and_a_case_that_is_no_json_are_refused() {
        assert!(parse("--screenshot out.jpg").unwrap_err().to_string().contains(".png"));
        assert!(parse("--export out").unwrap_err().to_string().contains(".json"));
        assert_eq!(parse("--headless --export out.json").unwrap().export, Some("out.json".into()));
    }

    #[test]
    fn a_speed_or_instant_that_is_not_finite_or_negative_is_refused_with_what_is_wanted() {
        for rate in ["nan", "inf", "-1", "-0.5", "fast"] {
            for (option, sign) in [("--speed", "positive"), ("--at", "not negative")] {
                let message = parse(&format!("{option} {rate}")).unwrap_err().to_string();
                assert!(message.contains(sign), "{option} {rate}: {message}");
            }
        }
    }
}
