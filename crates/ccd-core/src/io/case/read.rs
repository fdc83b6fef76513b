//! Reads a case from its text, and refuses what the format does not allow.

use std::collections::BTreeMap;

use super::error::{CaseError, CaseReason};
use super::json::{Fields, Node};
use super::shape::CaseShape;
use super::{Case, CaseBody, CaseMass, CaseWorld, FORMAT, Line};
use crate::dynamics::{BodyKind, LockedAxes};
use crate::io::expect::Expectation;
use crate::math::{Matrix, Real};
use crate::tolerance::QUATERNION_NORM;

/// How far a stated inertia may be from symmetric, relative to its largest entry: what rounding a text to seven digits
/// leaves.
const SYMMETRY: Real = 1e-6;

/// How far the square of a quaternion's norm may be from one and still be rounding, so that reading back what was
/// written changes no bit.
const ROUNDING: Real = 1e-14;

/// Reads the whole file.
pub(super) fn case(root: &Node<'_>) -> Result<Case, CaseError> {
    let fields = root.fields()?;
    // The format first: a file of another one should not be judged by this one's keys.
    fields.required("format")?.one_of(&[(FORMAT, ())])?;
    let fields = fields.only(&["format", "name", "source", "notes", "world", "bodies", "expect"])?;
    let name = fields.required("name")?.text()?;
    let source = fields.maybe("source", Node::text)?;
    let notes = fields.maybe("notes", Node::text)?;
    let world = world(&fields.required("world")?)?;

    let mut bodies = Vec::new();
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for node in fields.required("bodies")?.items()? {
        let body = body(&node)?;
        if let Some(first_line) = lines.insert(body.name.clone(), body.line.0) {
            let name = node.fields()?.required("name")?;
            return Err(name.fail(CaseReason::DuplicateBody { first_line }).of_body(&body.name));
        }
        bodies.push(body);
    }

    let is_body = |name: &str| lines.contains_key(name);
    let expect = match fields.optional("expect") {
        Some(node) => node.items()?.iter().map(|n| Expectation::read(n, &is_body)).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    Ok(Case { name, source, notes, world, bodies, expect })
}

/// The keys of `world`.
const WORLD: &[&str] = &[
    "gravity",
    "dt",
    "steps",
    "tolerance",
    "contact_threshold",
    "friction",
    "restitution",
    "detection",
    "response",
    "integrator",
    "broad_phase",
    "reduction",
    "sleeping",
    "initial_overlap",
];

/// The keys of a body.
const BODY: &[&str] = &[
    "name",
    "kind",
    "shape",
    "position",
    "rotation",
    "linear_velocity",
    "angular_velocity",
    "density",
    "mass",
    "mass_properties",
    "friction",
    "restitution",
    "force",
    "torque",
    "locked_dof",
    "no_collide_group",
];

fn world(node: &Node<'_>) -> Result<CaseWorld, CaseError> {
    let fields = node.fields()?.only(WORLD)?;
    let dt = fields.required("dt")?.positive()?;
    let steps_node = fields.required("steps")?;
    let steps = match u32::try_from(steps_node.whole()?) {
        Ok(steps) if steps > 0 => steps,
        _ => return Err(steps_node.expected("a whole number from 1 to 4294967295")),
    };
    let default = CaseWorld::new(dt, steps);
    let tolerance = fields.or("tolerance", default.tolerance, Node::positive)?;
    // A tolerance above the usual threshold takes the threshold with it, unless the file states one itself.
    let threshold_node = fields.optional("contact_threshold");
    let contact_threshold = match &threshold_node {
        Some(node) => node.number_that("a finite number of at least the tolerance", |x| x >= tolerance)?,
        None => default.contact_threshold.max(tolerance),
    };
    Ok(CaseWorld {
        gravity: fields.or("gravity", default.gravity, Node::vector)?,
        tolerance,
        contact_threshold,
        friction: fields.or("friction", default.friction, Node::non_negative)?,
        restitution: fields.or("restitution", default.restitution, restitution)?,
        detection: fields.or("detection", default.detection, Node::named)?,
        response: fields.or("response", default.response, Node::named)?,
        integrator: fields.or("integrator", default.integrator, Node::named)?,
        broad_phase: fields.or("broad_phase", default.broad_phase, Node::named)?,
        reduction: fields.or("reduction", default.reduction, Node::named)?,
        sleeping: fields.or("sleeping", default.sleeping, Node::flag)?,
        initial_overlap: fields.or("initial_overlap", default.initial_overlap, Node::named)?,
        ..default
    })
}

fn restitution(node: &Node<'_>) -> Result<Real, CaseError> {
    node.number_that("a number from 0 to 1", |x| (0.0..=1.0).contains(&x))
}

fn body(node: &Node<'_>) -> Result<CaseBody, CaseError> {
    let name_node = node.fields()?.required("name")?;
    let name = name_node.text()?;
    if name.is_empty() {
        return Err(name_node.expected("a name"));
    }
    // From here on errors name the body, so their keys need not say which one it is.
    named_body(&node.clone().with_path(""), name.clone()).map_err(|e| e.of_body(&name))
}

fn named_body(node: &Node<'_>, name: String) -> Result<CaseBody, CaseError> {
    let fields = node.fields()?.only(BODY)?;
    let kind_node = fields.required("kind")?;
    let (kind, shape) = (kind_node.named()?, fields.required("shape")?);
    let mut body = CaseBody::new(name, kind, CaseShape::read(&shape)?);
    body.kind_line = Line(kind_node.line());
    body.shape_line = Line(shape.line());
    let mass_node = ["mass_properties", "mass", "density"].into_iter().find_map(|key| fields.optional(key));
    body.mass_line = mass_node.map_or_else(Line::default, |node| Line(node.line()));
    body.line = Line(node.line());
    body.position = fields.or("position", body.position, Node::vector)?;
    body.rotation = fields.or("rotation", body.rotation, rotation)?;
    body.linear_velocity = moving(&fields, "linear_velocity", kind != BodyKind::Static)?;
    body.angular_velocity = moving(&fields, "angular_velocity", kind != BodyKind::Static)?;
    body.force = moving(&fields, "force", kind == BodyKind::Dynamic)?;
    body.torque = moving(&fields, "torque", kind == BodyKind::Dynamic)?;
    body.density = fields.maybe("density", Node::positive)?;
    body.mass = fields.maybe("mass", Node::positive)?;
    body.mass_properties = fields.maybe("mass_properties", mass)?;
    body.friction = fields.maybe("friction", Node::non_negative)?;
    body.restitution = fields.maybe("restitution", restitution)?;
    body.locked_dof = fields.or("locked_dof", LockedAxes::default(), locked_dof)?;
    body.no_collide_group = fields.maybe("no_collide_group", |n| {
        u32::try_from(n.whole()?).map_err(|_| n.expected("a whole number from 0 to 4294967295"))
    })?;
    Ok(body)
}

/// A velocity or force, which must be zero for a body of a kind that has none.
fn moving(fields: &Fields<'_>, key: &'static str, allowed: bool) -> Result<[Real; 3], CaseError> {
    let Some(node) = fields.optional(key) else { return Ok([0.0; 3]) };
    let v = node.vector()?;
    if allowed || v == [0.0; 3] { Ok(v) } else { Err(node.expected("zero or absent for a body of this kind")) }
}

/// A unit quaternion: what is slightly off is made unit, what is far off is refused.
pub(crate) fn rotation(node: &Node<'_>) -> Result<[Real; 4], CaseError> {
    let expected = "a unit quaternion [x, y, z, w]";
    let q: [Real; 4] = node.array(expected, Node::number)?;
    let norm = q.iter().fold(0.0, |sum, x| sum + x * x).sqrt();
    if (norm - 1.0).abs() > QUATERNION_NORM {
        return Err(node.expected(format!("{expected} (its norm is {norm})")));
    }
    Ok(unit(q))
}

/// The quaternion made unit; one that is unit already keeps its bits.
pub(crate) fn unit(q: [Real; 4]) -> [Real; 4] {
    let squared = q.iter().fold(0.0, |sum, x| sum + x * x);
    if (squared - 1.0).abs() <= ROUNDING { q } else { q.map(|x| x / squared.sqrt()) }
}

fn mass(node: &Node<'_>) -> Result<CaseMass, CaseError> {
    let fields = node.fields()?.only(&["mass", "com_local", "inertia_com_local"])?;
    let mass = fields.required("mass")?.positive()?;
    let com_local = fields.required("com_local")?.vector()?;
    let inertia_node = fields.required("inertia_com_local")?;
    let rows: [[Real; 3]; 3] = inertia_node.array("three rows of three numbers", Node::vector)?;
    let inertia = Matrix::from_fn(|r, c| rows[r][c]);
    if (inertia - inertia.transpose()).amax() > SYMMETRY * inertia.amax() {
        return Err(inertia_node.expected("a symmetric matrix"));
    }
    if inertia.cholesky().is_none() {
        return Err(inertia_node.expected("a positive definite matrix"));
    }
    Ok(CaseMass { mass, com_local, inertia_com_local: rows })
}

fn locked_dof(node: &Node<'_>) -> Result<LockedAxes, CaseError> {
    let three = |n: &Node<'_>| n.array("an array of three booleans", Node::flag);
    let fields = node.fields()?.only(&["translation", "rotation"])?;
    Ok(LockedAxes {
        translation: fields.or("translation", [false; 3], three)?,
        rotation: fields.or("rotation", [false; 3], three)?,
    })
}
