//! What a case file may hold, and what is said about one that holds something else.

use std::path::{Path, PathBuf};

use ccd_core::detection::toc::Method;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::geometry::parametric::{BezierPatch, PatchSurface};
use ccd_core::io::case::{Case, CaseError, CaseReason, CaseShape, PlacedShape, ShapeCache, build_world};
use ccd_core::io::expect::{Rule, Severity};
use ccd_core::math::Point;
use serde_json::json;

/// A case that uses most of the format, one key a line where a test asks for the line.
const FULL: &str = include_str!("full_case.json");

fn parse(text: &str) -> Result<Case, CaseError> {
    Case::parse(text, Path::new("slope.json"))
}

/// The error for `FULL` with `old` replaced by `new`, as line, key, body and text.
fn refusal(old: &str, new: &str) -> (usize, String, Option<String>, String) {
    assert!(FULL.contains(old), "the test replaces what is there: {old}");
    let error = parse(&FULL.replacen(old, new, 1)).expect_err("the case is wrong");
    assert_eq!(error.file(), Path::new("slope.json"));
    let text = error.to_string();
    assert!(text.starts_with("slope.json, line "), "{text}");
    let key = error.key().unwrap_or_default().to_owned();
    (error.line().expect("a line"), key, error.body().map(str::to_owned), text)
}

/// The line of `FULL` on which `text` stands first.
fn line_of(text: &str) -> usize {
    1 + FULL[..FULL.find(text).expect("the text")].matches('\n').count()
}

#[test]
fn a_full_case_is_read_as_it_is_written() {
    let case = parse(FULL).expect("a valid case");
    assert_eq!((case.name.as_str(), case.notes.as_deref()), ("slope", Some("none")));
    assert_eq!((case.world.steps, case.world.dt, case.world.detection), (600, 0.016667, Method::Auto));
    assert_eq!((case.world.tolerance, case.world.contact_threshold), (1e-4, 1e-3));
    let gear = &case.bodies[1];
    assert_eq!(gear.line.0, line_of("\"name\": \"gear\"") - 1);
    assert_eq!(gear.shape, CaseShape::Mesh { file: "gear.obj".into(), scale: [1.0; 3] });
    assert_eq!(gear.locked_dof.translation, [true, false, false]);
    assert_eq!(gear.mass_properties.map(|m| m.mass), Some(2.0));
    assert_eq!(case.expect[0].rule, Rule::NeverInterpenetrates { tol: 0.0 });
    assert_eq!(case.expect[0].other["pairs"], json!("all"));
    assert_eq!(case.expect[1].severity, Severity::Should);
    assert_eq!(case.expect[2].rule, Rule::Unknown { kind: "sings".into() });
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    for (old, new, key, body) in [
        ("\"notes\"", "\"note\"", "note", None),
        ("\"detection\"", "\"detecton\"", "world.detecton", None),
        ("\"position\"", "\"positon\"", "positon", Some("floor")),
        ("\"scale\"", "\"scael\"", "shape.scael", Some("gear")),
        ("\"com_local\"", "\"com\"", "mass_properties.com", Some("gear")),
        ("\"half_extents\"", "\"half_extent\"", "shape.half_extent", Some("floor")),
        ("\"steps\"", "\"step\"", "world.step", None),
        ("\"translation\"", "\"translate\"", "locked_dof.translate", Some("gear")),
    ] {
        let (line, found, of, text) = refusal(old, new);
        assert_eq!((line, found.as_str(), of.as_deref()), (line_of(old), key, body), "{text}");
        assert!(text.contains("unknown key"), "{text}");
    }
}

#[test]
fn a_wrong_value_is_named_with_line_key_and_body() {
    for (old, new, key, body) in [
        ("\"ccd-case/1\"", "\"ccd-case/2\"", "format", None),
        ("\"dt\": 0.016667", "\"dt\": 0", "world.dt", None),
        ("\"dt\": 0.016667", "\"dt\": -1e-3", "world.dt", None),
        ("\"dt\": 0.016667", "\"dt\": 1e999", "world.dt", None),
        ("\"dt\": 0.016667", "\"dt\": \"fast\"", "world.dt", None),
        ("\"steps\": 600", "\"steps\": 0", "world.steps", None),
        ("\"steps\": 600", "\"steps\": 1.5", "world.steps", None),
        ("\"steps\": 600", "\"steps\": -3", "world.steps", None),
        ("\"steps\": 600", "\"steps\": 4294967296", "world.steps", None),
        ("[0, -9.81, 0]", "[0, -1e999, 0]", "world.gravity[1]", None),
        ("[0, -9.81, 0]", "[0, -9.81]", "world.gravity", None),
        ("[0, -9.81, 0]", "[0, null, 0]", "world.gravity[1]", None),
        ("\"auto\"", "\"magic\"", "world.detection", None),
        ("\"static\"", "\"fixed\"", "kind", Some("floor")),
        ("\"box\"", "\"boxx\"", "shape.type", Some("floor")),
        ("[10, 0.5, 10]", "[10, -0.5, 10]", "shape.half_extents[1]", Some("floor")),
        ("[10, 0.5, 10]", "[10, 0, 10]", "shape.half_extents[1]", Some("floor")),
        ("[0, -0.5, 0]", "[0, 1e308, 0]", "position[1]", Some("floor")),
        ("\"file\": \"gear.obj\"", "\"file\": 7", "shape.file", Some("gear")),
        ("\"scale\": [1, 1, 1]", "\"scale\": [1, 0, 1]", "shape.scale[1]", Some("gear")),
        ("\"scale\": [1, 1, 1]", "\"scale\": [1, -1, 1]", "shape.scale[1]", Some("gear")),
        ("\"density\": 1000", "\"density\": 0", "density", Some("gear")),
        ("\"density\": 1000", "\"density\": -1", "density", Some("gear")),
        ("\"density\": 1000", "\"mass\": 0", "mass", Some("gear")),
        ("\"density\": 1000", "\"friction\": -0.1", "friction", Some("gear")),
        ("\"density\": 1000", "\"restitution\": 1.1", "restitution", Some("gear")),
        ("\"density\": 1000", "\"no_collide_group\": -1", "no_collide_group", Some("gear")),
        ("\"rotation\": [0, 0, 0, 1]", "\"rotation\": [0, 0, 0, 1.1]", "rotation", Some("gear")),
        ("\"rotation\": [0, 0, 0, 1]", "\"rotation\": [0, 0, 0, 0]", "rotation", Some("gear")),
        ("{\"mass\": 2", "{\"mass\": -2", "mass_properties.mass", Some("gear")),
        ("[[1, 0, 0]", "[[1, 3, 0]", "mass_properties.inertia_com_local", Some("gear")),
        ("[[1, 0, 0]", "[[-1, 0, 0]", "mass_properties.inertia_com_local", Some("gear")),
        ("[true, false, false]", "[1, false, false]", "locked_dof.translation[0]", Some("gear")),
        ("[\"gear\"]", "[\"geer\"]", "expect[1].bodies[0]", None),
        ("\"after\": 1", "\"after\": -1", "expect[1].after", None),
        ("\"should\"", "\"maybe\"", "expect[1].severity", None),
    ] {
        let (line, found, of, text) = refusal(old, new);
        assert_eq!((line, found.as_str(), of.as_deref()), (line_of(old), key, body), "{text}");
    }
}

#[test]
fn bounds_that_nothing_could_hold_are_refused() {
    let old = r#"{"kind": "com_drift", "bodies": ["gear"], "after": 1, "max": 0.1, "severity": "should"}"#;
    for (kind, axes) in
        [("flips", r#""body_axis": [0, 1, 0], "world_axis": [0, 1, 0]"#), ("position_bound", r#""axis": [0, 1, 0]"#)]
    {
        let with = |min: u32| format!(r#"{{"kind": "{kind}", "bodies": ["gear"], {axes}, "min": {min}, "max": 2}}"#);
        let (line, key, _, text) = refusal(old, &with(3));
        assert_eq!((line, key.as_str()), (line_of(old), "expect[1].max"), "{text}");
        assert!(parse(&FULL.replacen(old, &with(2), 1)).is_ok());
    }
    let plane = r#""point": [0, 0, 0], "normal": [0, 1, 0], "measure": "com", "min": 0"#;
    let beside = |region: &str| format!(r#"{{"kind": "side_of_plane", "bodies": ["gear"], {plane}, {region}}}"#);
    let [held, none] = [0, 1].map(|y| beside(&format!(r#""within": {{"min": [0, {y}, 0], "max": [1, 0, 1]}}"#)));
    let (line, key, _, text) = refusal(old, &none);
    assert_eq!((line, key.as_str()), (line_of(old), "expect[1].within.max"), "{text}");
    assert!(parse(&FULL.replacen(old, &held, 1)).is_ok());
}

#[test]
fn a_value_on_several_lines_is_shown_on_one() {
    let (.., text) = refusal("[10, 0.5, 10]", "[\n  10,\n  0.5\n]");
    assert!(text.ends_with("an array of three numbers above zero, is [ 10, 0.5 ]"), "{text}");
}

#[test]
fn a_whole_number_may_be_spelt_with_a_point_or_an_exponent() {
    for spelling in ["600.0", "6e2", "600.000"] {
        let case =
            parse(&FULL.replacen("\"steps\": 600", &format!("\"steps\": {spelling}"), 1)).expect("a whole number");
        assert_eq!(case.world.steps, 600, "{spelling}");
    }
    for other in ["600.5", "-1.0", "1e300", "\"600\""] {
        let (_, key, ..) = refusal("\"steps\": 600", &format!("\"steps\": {other}"));
        assert_eq!(key, "world.steps", "{other}");
    }
}

#[test]
fn models_have_the_limits_of_other_solids_and_a_grid_has_cells_smaller_than_its_solid() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut cache = ShapeCache::new("");
    let tetrahedron =
        TriMesh::try_new(corners.map(Point::from).to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]);
    cache.insert_mesh("t.obj", tetrahedron.expect("a mesh"));
    for (scale, is_made) in [(1e25, false), (3e12, false), (1e12, true), (1e-11, true), (1e-13, false), (1e-30, false)]
    {
        let scale = [scale, scale, 0.1 * scale];
        let mesh = CaseShape::Mesh { file: "t.obj".into(), scale };
        let hull = CaseShape::Convex { file: None, points: Some(corners.to_vec()), scale };
        for shape in [mesh, hull] {
            match cache.shape(&shape) {
                Ok(_) => assert!(is_made, "{shape:?}"),
                Err(error) => {
                    assert!(!is_made && error.key() == Some("scale"), "{shape:?}: {error}");
                    assert!(error.to_string().contains("outside 1e-12 to 1e12 m"), "{error}");
                }
            }
        }
    }
    let grid = |cell| CaseShape::Sdf { of: Box::new(CaseShape::Sphere { radius: 0.5 }), cell };
    let error = cache.shape(&grid(1.5)).expect_err("a cell larger than the sphere");
    assert!(error.key() == Some("cell") && error.to_string().contains("larger than the solid"), "{error}");
    assert!(cache.shape(&grid(0.25)).is_ok());
}

#[test]
fn an_ellipsoid_is_called_one_and_a_superquadric_that() {
    let kind = |shape: &CaseShape| ShapeCache::new("").shape(shape).map(|s| s.as_solid().kind()).expect("a solid");
    let radii = [0.1, 0.2, 0.3];
    assert_eq!(kind(&CaseShape::Ellipsoid { radii }), "ellipsoid");
    assert_eq!(kind(&CaseShape::Superquadric { radii, exponents: [0.5, 1.0] }), "superquadric");
}

#[test]
fn a_missing_key_is_named_with_the_line_of_its_object() {
    let world = line_of("\"world\"");
    let gear = line_of("\"name\": \"gear\"") - 1;
    for (old, line, key, body) in [
        ("\"name\": \"slope\",", 1, "name", None),
        ("\"dt\": 0.016667,", world, "world.dt", None),
        ("\"name\": \"gear\",", gear, "bodies[1].name", None),
        ("\"file\": \"gear.obj\",", line_of("\"shape\": {\n"), "shape.file", Some("gear")),
        ("\"com_local\": [0, 0, 0],", line_of("\"com_local\""), "mass_properties.com_local", Some("gear")),
        (", \"max\": 0.1", line_of("\"com_drift\""), "expect[1].max", None),
        ("\"bodies\": [\"gear\"],", line_of("\"com_drift\""), "expect[1].body", None),
    ] {
        let (found_line, found, of, text) = refusal(old, "");
        assert_eq!((found_line, found.as_str(), of.as_deref()), (line, key, body), "{text}");
        assert!(text.contains("missing"), "{text}");
    }
}

#[test]
fn what_makes_no_body_is_named_with_the_line_of_its_key() {
    let case = |kind: &str, shape: &str, rest: &str| {
        format!(
            "{{\"format\": \"ccd-case/1\", \"name\": \"b\", \"world\": {{\"dt\": 0.01, \"steps\": 1}}, \"bodies\": [\n\
             {{\"name\": \"s\",\n\"kind\": \"{kind}\",\n\"shape\": {shape}{rest}}}]}}"
        )
    };
    let ball = "{\"type\": \"sphere\", \"radius\": 0.5}";
    // Solid, but thinner than its volume can tell.
    let no_volume = "{\"type\": \"box\", \"half_extents\": [1e-150, 1e-150, 1e-150]}";
    let floor = "{\"type\": \"half_space\", \"normal\": [0, 1, 0]}";
    let masses = ",\n\"mass_properties\": {\"mass\": 1, \"com_local\": [0, 0, 0], \
                  \"inertia_com_local\": [[1, 0, 0], [0, 1, 0], [0, 0, 3]]}";
    for (text, line, key) in [
        (case("dynamic", ball, masses), 5, "mass_properties"),
        (case("dynamic", floor, ""), 3, "kind"),
        (case("dynamic", no_volume, ""), 4, "shape"),
    ] {
        let case = parse(&text).expect("a case of the format");
        let error = build_world(&case, "").expect_err("no body");
        assert_eq!((error.line(), error.key()), (Some(line), Some(key)), "{error}");
    }
}

#[test]
fn a_name_or_key_given_twice_is_refused_where_it_stands_again() {
    let (line, key, body, text) = refusal("\"name\": \"gear\"", "\"name\": \"floor\"");
    let expected = (line_of("\"name\": \"gear\""), "bodies[1].name", Some("floor"));
    assert_eq!((line, key.as_str(), body.as_deref()), expected, "{text}");
    let (line, key, _, text) = refusal("\"steps\": 600", "\"dt\": 600");
    assert_eq!((line, key.as_str()), (line_of("\"steps\": 600"), "world.dt"), "{text}");
}

#[test]
fn text_that_is_no_json_is_refused_at_its_line() {
    let (line, _, _, text) = refusal("\"kind\": \"static\",", "\"kind\": \"static\"");
    assert_eq!(line, line_of("\"kind\": \"static\",") + 1, "{text}");
    for text in ["", "[", "{}", "null", "\u{feff}{}", "{\"format\": \"\\ud800\"}", "{\"\\ud800\": 1}"] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_file_that_is_missing_or_no_text_is_named() {
    let missing = Case::load("no/such/case.json").expect_err("there is none");
    assert!(missing.to_string().starts_with("no/such/case.json: "), "{missing}");
    assert!(matches!(missing.reason(), CaseReason::File(_)));
    let path = std::env::temp_dir().join(format!("ccd-case-not-utf8-{}.json", std::process::id()));
    std::fs::write(&path, b"{\n\xff}").expect("a temporary file");
    let error = Case::load(&path).expect_err("no text");
    std::fs::remove_file(&path).expect("the temporary file");
    assert!(matches!(error.reason(), CaseReason::NotUtf8));
    assert_eq!(error.line(), Some(2));
}

#[test]
fn a_quaternion_that_is_slightly_off_is_made_unit() {
    let text = FULL.replacen("\"rotation\": [0, 0, 0, 1]", "\"rotation\": [0, 0, 0.6002, 0.8]", 1);
    let q = parse(&text).expect("a valid case").bodies[1].rotation;
    let squared: f64 = q.iter().map(|x| x * x).sum();
    assert!((squared - 1.0).abs() < 1e-15, "{q:?}");
}

#[test]
fn shapes_nested_without_end_are_refused_and_do_not_exhaust_the_stack() {
    let nest = |depth: usize| {
        let sphere = "{\"type\": \"sphere\", \"radius\": 1}".to_owned();
        (0..depth).fold(sphere, |inner, _| format!("{{\"type\": \"union\", \"of\": [{inner}]}}"))
    };
    let with = |shape: String| parse(&FULL.replacen("{\"type\": \"box\", \"half_extents\": [10, 0.5, 10]}", &shape, 1));
    assert!(with(nest(20)).is_ok());
    let error = with(nest(5000)).expect_err("too deep");
    assert_eq!(error.body(), Some("floor"));
    assert!(with("[".repeat(100_000) + &"]".repeat(100_000)).is_err());
    let deep = FULL.replacen("440", &("[".repeat(50_000) + &"]".repeat(50_000)), 1);
    assert!(parse(&deep).is_err());
}

#[test]
fn a_case_that_could_not_be_read_back_is_not_written() {
    let mut case = parse(FULL).expect("a valid case");
    case.bodies[0].position[0] = f64::NAN;
    assert!(case.to_text().is_err());
    case.bodies[0].position[0] = 0.0;
    assert!(case.to_text().is_ok());
    case.bodies[0].name = "gear".into();
    assert!(case.to_text().is_err());
}

#[test]
fn files_follow_a_case_that_is_saved_elsewhere() {
    let file_after = |file: &str, from: &str, to: &str| {
        let mut case = parse(&FULL.replacen("gear.obj", file, 1)).expect("a valid case");
        case.rebase_files(Path::new(from), Path::new(to));
        match &case.bodies[1].shape {
            CaseShape::Mesh { file, .. } => file.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(file_after("gear.obj", "a", "a"), "gear.obj");
    assert_eq!(file_after("../m/gear.obj", "a/b", "a/c"), "../m/gear.obj");
    assert_eq!(file_after("gear.obj", "a/b", "c"), "../a/b/gear.obj");
    assert_eq!(file_after("../gear.obj", "/a/b", "/a"), "gear.obj");
    assert_eq!(file_after("/x/gear.obj", "a", "b"), "/x/gear.obj");
    assert_eq!(file_after("gear.obj", "../a", "../b"), "../a/gear.obj");
    assert_eq!(file_after("gear.obj", "../a", "b"), "../../a/gear.obj");
}

#[test]
fn files_follow_a_case_that_is_saved_above_the_working_folder_down_to_where_they_are() {
    let working = std::env::current_dir().expect("a working folder");
    let name = |up: usize| working.ancestors().nth(up).and_then(Path::file_name).expect("a name").to_string_lossy();
    let file_after = |from: &str, to: &str| {
        let mut case = parse(FULL).expect("a valid case");
        case.rebase_files(Path::new(from), Path::new(to));
        match &case.bodies[1].shape {
            CaseShape::Mesh { file, .. } => file.clone(),
            other => panic!("{other:?}"),
        }
    };
    let here = name(0);
    assert_eq!(file_after("cases", "../out"), format!("../{here}/cases/gear.obj"));
    assert_eq!(file_after("cases", ".."), format!("{here}/cases/gear.obj"));
    assert_eq!(file_after("", "x/../../out/of"), format!("../../{here}/gear.obj"));
    assert_eq!(file_after("../cases", "../../out"), format!("../{}/cases/gear.obj", name(1)));
    assert_eq!(file_after("cases", &format!("../{here}/cases")), "gear.obj");
}

#[test]
fn what_is_inserted_again_takes_the_place_of_what_was_there() {
    let tetrahedron = |size: f64| {
        let corners = [[0.0, 0.0, 0.0], [size, 0.0, 0.0], [0.0, size, 0.0], [0.0, 0.0, size]].map(Point::from);
        TriMesh::try_new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).expect("a mesh")
    };
    let sheet = |size: f64| {
        let control =
            std::array::from_fn(|k| Point::new((k / 4) as f64 * size / 3.0, (k % 4) as f64 * size / 3.0, 0.0));
        PatchSurface::new(vec![BezierPatch::new(control)]).expect("a surface")
    };
    // A model of which only the corners were read from a file before.
    let folder = std::env::temp_dir().join(format!("ccd-inserted-again-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("c.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n").expect("a file");
    let mut cache = ShapeCache::new(&folder);
    cache.insert_mesh("t.obj", tetrahedron(1.0));
    cache.insert_patches("p.bpt", sheet(1.0));
    let scale = [1.0; 3];
    let mesh = CaseShape::Mesh { file: "t.obj".into(), scale };
    let hull = CaseShape::Convex { file: Some("c.obj".into()), points: None, scale };
    let whole = CaseShape::Compound {
        of: vec![PlacedShape { shape: mesh.clone(), position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] }],
    };
    let shapes = [mesh, hull, whole, CaseShape::Bezier { file: "p.bpt".into() }];
    let reach = |cache: &mut ShapeCache| {
        shapes.each_ref().map(|shape| cache.shape(shape).expect("a shape").as_solid().local_aabb().max.x.round())
    };
    assert_eq!(reach(&mut cache), [1.0; 4]);
    cache.insert_mesh("t.obj", tetrahedron(2.0));
    assert_eq!(reach(&mut cache), [2.0, 1.0, 2.0, 1.0]);
    cache.insert_mesh("c.obj", tetrahedron(3.0));
    assert_eq!(reach(&mut cache), [2.0, 3.0, 2.0, 1.0]);
    cache.insert_patches("p.bpt", sheet(4.0));
    assert_eq!(reach(&mut cache), [2.0, 3.0, 2.0, 4.0]);
    std::fs::remove_dir_all(&folder).expect("the folder");
}

#[test]
fn every_case_of_the_corpus_is_read_and_written_back() {
    let Some(corpus) = std::env::var_os("CCD_CORPUS").map(PathBuf::from) else {
        eprintln!("skipped: CCD_CORPUS is not set");
        return;
    };
    let mut count = 0;
    for entry in std::fs::read_dir(corpus.join("scenes")).expect("the corpus has scenes") {
        let path = entry.expect("a file").path();
        let case = Case::load(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(parse(&case.to_text().expect("writable")).expect("readable"), case, "{}", path.display());
        assert!(case.expect.iter().all(|e| !matches!(e.rule, Rule::Unknown { .. })), "{}", path.display());
        count += 1;
    }
    assert!(count > 0);
}
