//! Case files from random cases and random damage: what is written is read back equal, and nothing panics.

use std::path::Path;

use ccd_core::dynamics::BodyKind;
use ccd_core::io::case::{Case, CaseBody, CaseError, CaseMass, CaseShape, CaseWorld, PlacedShape};
use ccd_core::io::expect::{Axis, Expectation, Measure, Region, Rule};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A valid case to damage.
const FULL: &str = include_str!("full_case.json");

fn parse(text: &str) -> Result<Case, CaseError> {
    Case::parse(text, Path::new("damaged.json"))
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![-10.0..10.0, Just(0.0), (-1e30..1e30), (-30i32..30).prop_map(|e| 10f64.powi(e) / 3.0)]
}

fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![0.01..10.0, (-30i32..30).prop_map(|e| 10f64.powi(e) / 3.0)]
}

fn vector() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(number())
}

fn sizes() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(positive())
}

fn quaternion() -> impl Strategy<Value = [f64; 4]> {
    prop::array::uniform4(-1.0..1.0f64).prop_map(|q| {
        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm < 0.1 { [0.0, 0.0, 0.0, 1.0] } else { q.map(|x| x / norm) }
    })
}

fn simple_shape() -> impl Strategy<Value = CaseShape> {
    let round = || (positive(), positive());
    prop_oneof![
        sizes().prop_map(|half_extents| CaseShape::Box { half_extents }),
        positive().prop_map(|radius| CaseShape::Sphere { radius }),
        round().prop_map(|(radius, half_height)| CaseShape::Capsule { radius, half_height }),
        round().prop_map(|(radius, half_height)| CaseShape::Cylinder { radius, half_height }),
        round().prop_map(|(radius, half_height)| CaseShape::Cone { radius, half_height }),
        Just(CaseShape::HalfSpace { normal: [0.0, 1.0, 0.5] }),
        (prop::collection::vec(vector(), 0..5), sizes()).prop_map(|(points, scale)| CaseShape::Convex {
            file: None,
            points: Some(points),
            scale
        }),
        ("[ -~]{1,8}", sizes()).prop_map(|(file, scale)| CaseShape::Convex { file: Some(file), points: None, scale }),
        ("\\PC{1,8}", sizes()).prop_map(|(file, scale)| CaseShape::Mesh { file, scale }),
        sizes().prop_map(|radii| CaseShape::Ellipsoid { radii }),
        round().prop_map(|(major_radius, minor_radius)| CaseShape::Torus { major_radius, minor_radius }),
        (sizes(), prop::array::uniform2(positive()))
            .prop_map(|(radii, exponents)| CaseShape::Superquadric { radii, exponents }),
        "[a-z\"\\\\/]{1,8}".prop_map(|file| CaseShape::Bezier { file }),
    ]
}

fn shape() -> impl Strategy<Value = CaseShape> {
    simple_shape().prop_recursive(3, 12, 3, |inner| {
        let placed = (inner.clone(), vector(), quaternion()).prop_map(|(shape, position, rotation)| PlacedShape {
            shape,
            position,
            rotation,
        });
        let placed = placed.boxed();
        let parts = || prop::collection::vec(placed.clone(), 1..3);
        prop_oneof![
            parts().prop_map(|of| CaseShape::Union { of }),
            parts().prop_map(|of| CaseShape::Intersection { of }),
            parts().prop_map(|of| CaseShape::Difference { of }),
            parts().prop_map(|of| CaseShape::Compound { of }),
            (inner, positive()).prop_map(|(of, cell)| CaseShape::Sdf { of: Box::new(of), cell }),
        ]
    })
}

fn body(name: String) -> impl Strategy<Value = CaseBody> {
    let places = (shape(), vector(), quaternion(), vector(), vector());
    let masses = (prop::option::of(positive()), prop::option::of(positive()), any::<bool>());
    let rest = (prop::option::of(0.0..2.0f64), prop::option::of(0.0..=1.0f64), vector(), prop::option::of(0u32..9));
    let locked = (prop::array::uniform3(any::<bool>()), prop::array::uniform3(any::<bool>()));
    (places, masses, rest, locked).prop_map(move |(places, masses, rest, locked)| {
        let mut body = CaseBody::new(name.clone(), BodyKind::Dynamic, places.0);
        (body.position, body.rotation) = (places.1, places.2);
        (body.linear_velocity, body.angular_velocity) = (places.3, places.4);
        (body.density, body.mass) = (masses.0, masses.1);
        body.mass_properties = masses.2.then_some(CaseMass {
            mass: 1.5,
            com_local: places.1,
            inertia_com_local: [[2.0, 0.5, 0.0], [0.5, 3.0, 0.0], [0.0, 0.0, 4.0]],
        });
        (body.friction, body.restitution, body.force, body.no_collide_group) = rest;
        (body.locked_dof.translation, body.locked_dof.rotation) = locked;
        body
    })
}

fn rule() -> impl Strategy<Value = Rule> {
    let one = || vec!["body 0".to_owned()];
    let name = || "body 0".to_owned();
    let components = || prop::array::uniform3(prop::option::of(0.0..9.0f64));
    prop_oneof![
        Just(Rule::AllFinite {}),
        positive().prop_map(|tol| Rule::NeverInterpenetrates { tol }),
        positive().prop_map(|rel_tol| Rule::EnergyNonincreasing { rel_tol }),
        (components(), components()).prop_map(move |(expected, tol)| Rule::ComPosition {
            bodies: one(),
            t: 1.0,
            expected,
            tol
        }),
        (number(), any::<bool>()).prop_map(move |(min, index)| Rule::PositionBound {
            bodies: one(),
            axis: if index { Axis::Index(2) } else { Axis::Direction([0.0, 0.1, 0.2]) },
            min: Some(min),
            max: None,
        }),
        (number(), any::<bool>()).prop_map(move |(min, within)| Rule::SideOfPlane {
            bodies: one(),
            point: [0.0, 1.0, 2.0],
            normal: [0.0, 1.0, 0.0],
            measure: Measure::Vertices,
            min,
            within: within.then_some(Region { min: [-1.0; 3], max: [1.0; 3] }),
            within_t: (!within).then_some([0.0, 2.0]),
        }),
        (0u64..5).prop_map(move |max| Rule::Flips {
            bodies: one(),
            body_axis: Axis::Index(0),
            world_axis: Axis::Index(1),
            min: None,
            max: Some(max),
        }),
        positive().prop_map(move |by| Rule::Contact { a: name(), b: name(), by: Some(by) }),
        "[a-z]{20}".prop_map(|kind| Rule::Unknown { kind }),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    let bodies = (1usize..4).prop_flat_map(|n| (0..n).map(|i| body(format!("body {i}"))).collect::<Vec<_>>());
    let expect = prop::collection::vec((rule(), any::<bool>()), 0..4);
    ("\\PC{0,12}", bodies, expect, positive(), 1u32..1000).prop_map(|(name, bodies, expect, dt, steps)| {
        let made = |(rule, must)| if must { Expectation::must(rule) } else { Expectation::should(rule) };
        let expect = expect.into_iter().map(made).collect();
        Case { name, source: None, notes: None, world: CaseWorld::new(dt, steps), bodies, expect }
    })
}

/// Every place of a JSON value, as pointers.
fn places(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(i, v)| places(v, &format!("{at}/{i}"), out)),
        Value::Object(map) => map.iter().for_each(|(k, v)| places(v, &format!("{at}/{k}"), out)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_case_that_is_written_is_read_back_equal(case in case()) {
        let text = case.to_text().expect("writable");
        let again = parse(&text).expect("readable");
        prop_assert_eq!(&again, &case);
        prop_assert_eq!(again.to_text().expect("writable"), text);
    }

    #[test]
    fn a_value_put_anywhere_is_read_or_refused_with_its_line(
        place in any::<prop::sample::Index>(),
        value in prop_oneof![
            Just(json!(null)), Just(json!(-1)), Just(json!(1e300)), Just(json!([])), Just(json!({})), Just(json!("x")),
            Just(json!([[[]]])), Just(json!({"type": "union", "of": [{"type": "sphere"}]})), Just(json!(true)),
            any::<f64>().prop_map(|x| json!(x)), any::<u64>().prop_map(|x| json!(x)),
        ],
    ) {
        let mut root: Value = serde_json::from_str(FULL).expect("JSON");
        let mut all = Vec::new();
        places(&root, "", &mut all);
        *root.pointer_mut(&all[place.index(all.len())]).expect("a place") = value;
        match parse(&serde_json::to_string_pretty(&root).expect("JSON")) {
            Ok(case) => prop_assert_eq!(&parse(&case.to_text().expect("writable")).expect("readable"), &case),
            Err(error) => prop_assert!(error.line().is_some(), "{}", error),
        }
    }

    #[test]
    fn bytes_changed_anywhere_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..3), 1..6),
    ) {
        let mut bytes = FULL.as_bytes().to_vec();
        for (place, byte, what) in changes {
            let i = place.index(bytes.len());
            match what {
                0 => bytes[i] = byte,
                1 => bytes.insert(i, byte),
                _ => { bytes.remove(i); }
            }
        }
        if let Err(error) = parse(&String::from_utf8_lossy(&bytes)) {
            prop_assert!(error.line().is_some(), "{}", error);
        }
    }
}
