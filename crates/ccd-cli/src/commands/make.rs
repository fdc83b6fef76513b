//! `ccd make`: models and cases from their generators.

use std::fmt::Write as _;
use std::path::PathBuf;

use ccd_core::io::obj::save_obj;
use ccd_core::math::Real;
use ccd_scenes::{cases, models};

use crate::Ending;
use crate::failure::Failure;
use crate::output::remark;

/// Writes a model as OBJ, or a case with its models, into a folder.
///
/// Sizes are options of the model, in metres or as counts: `ccd make torus --major-radius 2 --out assets`.
/// Without a name, or with `list`, it lists what there is.
#[derive(Debug, clap::Args)]
#[command(after_help = list())]
pub(crate) struct Arguments {
    /// What to make.
    #[arg(default_value = "list")]
    name: String,
    /// The folder to write into; it is made if need be.
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// `--size VALUE` pairs.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

/// Makes what is named.
pub(crate) fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let (out, options) = split_options(arguments)?;
    if arguments.name == "list" {
        list().lines().for_each(remark);
        return Ok(Ending::AsExpected);
    }
    let options: Vec<(&str, Real)> = options.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let refuse = |e: &dyn std::fmt::Display| Failure::Arguments(e.to_string());
    if let Some(entry) = models::find(&arguments.name) {
        let mesh = entry.make(&options).map_err(|e| refuse(&e))?;
        std::fs::create_dir_all(&out).map_err(Failure::file(&out))?;
        let path = out.join(format!("{}.obj", entry.name));
        save_obj(&mesh, &path).map_err(|e| Failure::Model(e.to_string()))?;
        let (vertices, triangles) = (mesh.vertices().len(), mesh.triangles().len());
        remark(format_args!("{}: {vertices} vertices, {triangles} triangles", path.display()));
    } else if let Some(entry) = cases::find(&arguments.name) {
        let files = entry.make(&options).map_err(|e| refuse(&e))?;
        std::fs::create_dir_all(&out).map_err(Failure::file(&out))?;
        for path in files.save(&out).map_err(|e| refuse(&e))? {
            remark(path.display());
        }
    } else {
        let name = &arguments.name;
        return Err(Failure::Arguments(format!(
            "there is nothing called `{name}` to make (`ccd make list` lists what is)"
        )));
    }
    Ok(Ending::AsExpected)
}

/// What can be made, with the options of each.
fn list() -> String {
    let mut text = String::from("Models:\n");
    for entry in models::ALL {
        describe(&mut text, entry.name, entry.about, &entry.options());
    }
    text.push_str("\nCases:\n");
    for entry in cases::ALL {
        describe(&mut text, entry.name, entry.about, &entry.options());
    }
    text
}

fn describe(text: &mut String, name: &str, about: &str, options: &[&str]) {
    let options: Vec<String> = options.iter().map(|option| format!("--{}", dashed(option))).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "  {name:<15} {about}\n{:<18}{}", "", options.join(" "));
}

fn dashed(name: &str) -> String {
    name.replace('_', "-")
}

/// The folder and the named numbers among the arguments: `--out` may stand before or after the sizes.
fn split_options(arguments: &Arguments) -> Result<(PathBuf, Vec<(String, Real)>), Failure> {
    let mut out = arguments.out.clone();
    let mut options = Vec::new();
    let mut rest = arguments.options.iter();
    while let Some(argument) = rest.next() {
        let Some(name) = argument.strip_prefix("--") else {
            return Err(Failure::Arguments(format!("`{argument}` is not an option: options are `--name value`")));
        };
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            // Numbers may be negative, but what begins as options do is the next one.
            None => match rest.next().filter(|value| !value.starts_with("--")) {
                Some(value) => (name, value.clone()),
                None => return Err(Failure::Arguments(format!("`--{name}` has no value"))),
            },
        };
        if name == "out" {
            out = PathBuf::from(value);
            continue;
        }
        let number: Real = value
            .parse()
            .ok()
            .filter(|x: &Real| x.is_finite())
            .ok_or_else(|| Failure::Arguments(format!("`--{name}`: `{value}` is not a finite number")))?;
        options.push((name.replace('-', "_"), number));
    }
    Ok((out, options))
}
