//! Good files, bad files, and any bytes.

use super::*;
use crate::geometry::mesh::polygon::PolygonError;
use crate::math::Point;
use proptest::prelude::*;

fn parse(text: &str) -> Result<TriMesh, ObjError> {
    parse_obj(text.as_bytes(), "model.obj")
}

fn reason(text: &str) -> (usize, LineError) {
    match parse(text) {
        Err(ObjError::Line { line, reason, .. }) => (line, reason),
        other => panic!("{text:?} gives {other:?}"),
    }
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn polygons_groups_colours_comments_and_continued_lines_are_read() {
    let plain = parse(&format!("{SQUARE}f 1 2 3 4\n")).unwrap();
    assert_eq!(plain.triangles(), &[[0, 1, 2], [0, 2, 3]]);
    for same in [
        "\u{feff}# caf\u{e9}\r\nmtllib a b.mtl\r\no two words\r\nv 0 0 0 1\r\nv 1 0 0 1\r\nv 1 1 0 1\r\nv 0 1 0 1\r\ng a b c\r\nusemtl x y\r\ns off\r\nf -4 -3 -2 -1\r\n",
        "v 0 0 0 .5 .5 .5\nv 1 0 0 .5 .5 .5\nv 1 1 0 .5 .5 .5\nv 0 1 \\\n 0 .5 .5 .5 # colour\nvt 0 0\nvn 0 0 1\nl 1 2\np 3\nf 1/1/1 2/1/1 \\ \n 3/1/1 4/1/1",
        "v 0 0 0\nv 7 7 7\nv 1 0 0\nv 1 1 0\nvn 0 0 1\nv 0 1 0\nf 1//1 3//-1 4//1 5//1\n",
    ] {
        assert_eq!(parse(same).unwrap(), plain, "{same}");
    }
    let latin = [b"# caf\xe9\no \xff\xfe\n".as_slice(), SQUARE.as_bytes(), b"f 1 2 3 4"].concat();
    assert_eq!(parse_obj(&*latin, "latin").unwrap(), plain);
}

#[test]
fn positions_keep_the_digits_that_single_precision_would_lose() {
    let mesh = parse("v 0.1 0.123456789012345 1e-9\nv 0.1000000000001 0 0\nv 0 1 0\nf 1 2 3").unwrap();
    assert_eq!(mesh.vertices()[0], Point::new(0.1, 0.123456789012345, 1e-9));
    assert_eq!(mesh.vertices()[1].x, 0.1000000000001);
}

#[test]
fn whatever_is_wrong_is_named_with_its_line() {
    use LineError::*;
    let with = |tail: &str| reason(&format!("{SQUARE}{tail}"));
    assert_eq!(with("f 1 2 5"), (5, IndexOutOfRange { corner: 3, what: "vertex", index: 5, count: 4 }));
    assert_eq!(with("f 1 0 2"), (5, IndexOutOfRange { corner: 2, what: "vertex", index: 0, count: 4 }));
    assert_eq!(with("\nf 1 2 -5"), (6, IndexOutOfRange { corner: 3, what: "vertex", index: -5, count: 4 }));
    assert_eq!(with("f 1//1 2//1 3//1"), (5, IndexOutOfRange { corner: 1, what: "normal", index: 1, count: 0 }));
    assert_eq!(with("f 1 2 2"), (5, RepeatedVertex { vertex: 2 }));
    assert_eq!(with("f 1 2 -3"), (5, RepeatedVertex { vertex: 2 }));
    assert_eq!(with("f 1 2"), (5, FewCorners(2)));
    assert_eq!(with("f 1 2 3/"), (5, BadCorner("3/".into())));
    assert_eq!(with("f 1 2 x"), (5, BadCorner("x".into())));
    assert_eq!(with("f 1 2 99999999999999999999"), (5, BadCorner("99999999999999999999".into())));
    assert_eq!(with("f 1 3 2 4"), (5, Polygon(PolygonError::NoArea)));
    assert_eq!(with("v 2 0 0\nf 1 2 3\nf 1 2 5"), (7, ZeroArea([1, 2, 5])));
    assert_eq!(with("v nan 0 0"), (5, BadVertex { vertex: 5 }));
    assert_eq!(with("v 0 1e999 0"), (5, BadVertex { vertex: 5 }));
    assert_eq!(with("v 0 0"), (5, VertexLength(2)));
    assert_eq!(with("v 0 0 0 0 0"), (5, VertexLength(5)));
    assert_eq!(with("v 0 zero 0"), (5, NotANumber("zero".into())));
    assert_eq!(with("cstype bezier"), (5, FreeForm("cstype".into())));
    assert_eq!(with("hello"), (5, UnknownStatement("hello".into())));
    assert_eq!(with("f 1 2 \\"), (5, Unfinished));
    assert!(matches!(parse(SQUARE), Err(ObjError::Mesh { source: MeshError::Empty, .. })));
    assert!(matches!(parse(""), Err(ObjError::Mesh { source: MeshError::Empty, .. })));
    let message = parse(&format!("{SQUARE}f 1 2 5")).unwrap_err().to_string();
    assert_eq!(message, "model.obj, line 5: corner 3 uses vertex 5 of 4");
    let missing = load_obj("no/such/file.obj").unwrap_err().to_string();
    assert!(missing.starts_with("no/such/file.obj: "), "{missing}");
}

#[test]
fn points_are_the_corners_of_faces_and_all_vertices_where_there_are_none() {
    let points = |text: &str| parse_obj_points(text.as_bytes(), "model.obj").map(|points| points.len());
    assert_eq!(points(SQUARE).unwrap(), 4);
    assert_eq!(points(&format!("{SQUARE}f 1 2 3")).unwrap(), 3);
    assert_eq!(points(&format!("{SQUARE}v 1 1 0\nf 1 2 5")).unwrap(), 3, "a face without area has corners");
    assert_eq!(points("").unwrap(), 0);
    let message = points(&format!("{SQUARE}f 1 2 5")).unwrap_err().to_string();
    assert_eq!(message, "model.obj, line 5: corner 3 uses vertex 5 of 4");
}

/// Words from which files are made that are often almost right.
fn word() -> impl Strategy<Value = String> {
    let fixed = [
        "v",
        "v",
        "v",
        "f",
        "f",
        "f",
        "vn",
        "vt",
        "g",
        "usemtl",
        "s",
        "cstype",
        "l",
        "1",
        "2",
        "3",
        "-1",
        "-2",
        "-3",
        "0",
        "1//1",
        "1/2/3",
        "/",
        "//",
        "nan",
        "inf",
        "1e400",
        "-0",
        "0.5",
        "1e-320",
        "#",
        "\\",
        "\n",
        "\n",
        "\n",
        "\r\n",
        "9223372036854775807",
        "-9223372036854775808",
    ];
    prop_oneof![4 => prop::sample::select(fixed.to_vec()).prop_map(str::to_owned), 1 => (-2..3_i32).prop_map(|i| i.to_string())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_obj(&*bytes, "bytes");
    }

    #[test]
    fn no_statements_make_the_reader_panic(words in prop::collection::vec(word(), 0..80)) {
        let result = parse(&words.join(" "));
        prop_assert!(!matches!(result, Err(ObjError::Parser { .. })), "{result:?}");
    }

    #[test]
    fn random_faces_over_random_places_give_a_mesh_or_a_line(
        places in prop::collection::vec([-2..=2, -2..=2, -1..=1_i32], 3..9),
        faces in prop::collection::vec(prop::collection::vec(-9..9_i32, 2..7), 1..5),
    ) {
        let mut text = String::new();
        for [x, y, z] in &places {
            text += &format!("v {x} {y} {z}\n");
        }
        for face in &faces {
            text += "f";
            for i in face {
                text += &format!(" {i}");
            }
            text += "\n";
        }
        match parse(&text) {
            Ok(mesh) => prop_assert_eq!(&TriMesh::try_new(mesh.vertices().to_vec(), mesh.triangles().to_vec()).unwrap(), &mesh),
            Err(ObjError::Line { line, .. }) => prop_assert!(line > places.len() && line <= places.len() + faces.len()),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }

    #[test]
    fn what_is_written_reads_back_bit_for_bit(digits in prop::collection::vec(-1.0..1.0_f64, 9), exponent in -70..30_i32) {
        let coordinates: Vec<f64> = digits.iter().map(|d| d * 10.0_f64.powi(exponent)).collect();
        let vertices = coordinates.chunks(3).map(|c| Point::new(c[0], c[1], c[2])).collect();
        if let Ok(mesh) = TriMesh::try_new(vertices, vec![[2, 0, 1]]) {
            let mut text = Vec::new();
            write_obj(&mesh, &mut text).unwrap();
            let back = parse_obj(&*text, "written").unwrap();
            prop_assert_eq!(back.triangles(), mesh.triangles());
            for (p, q) in back.vertices().iter().zip(mesh.vertices()) {
                for k in 0..3 {
                    prop_assert_eq!(p[k].to_bits(), q[k].to_bits());
                }
            }
        }
    }
}
