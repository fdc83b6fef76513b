//! The shapes of the format.

use serde::Serialize;

use super::error::{CaseError, CaseReason};
use super::json::{Fields, Node};
use super::read;
use crate::math::Real;

/// How deep shapes may be nested in shapes; far beyond any model, and safe for the stack.
const DEEPEST: usize = 64;

/// A shape as a case file states it, in its own frame; y is the axis of what has one; metres.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CaseShape {
    /// A box around the origin.
    Box {
        /// Half the edge lengths.
        half_extents: [Real; 3],
    },
    /// A sphere around the origin.
    Sphere {
        /// Its radius.
        radius: Real,
    },
    /// A cylinder with round ends.
    Capsule {
        /// Of the straight part and of the ends.
        radius: Real,
        /// Of the straight part.
        half_height: Real,
    },
    /// A cylinder.
    Cylinder {
        /// Of the caps.
        radius: Real,
        /// From the centre to a cap.
        half_height: Real,
    },
    /// A cone, its tip up.
    Cone {
        /// Of the base.
        radius: Real,
        /// From the middle to the tip.
        half_height: Real,
    },
    /// Everything below a plane through the origin.
    HalfSpace {
        /// Out of the solid; of any length but zero.
        normal: [Real; 3],
    },
    /// The convex hull of a file's vertices or of points.
    Convex {
        /// An OBJ file, relative to the case file.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The points, where there is no file.
        #[serde(skip_serializing_if = "Option::is_none")]
        points: Option<Vec<[Real; 3]>>,
        /// Factors along x, y, z.
        scale: [Real; 3],
    },
    /// A triangle mesh, closed or a soup.
    Mesh {
        /// An OBJ file, relative to the case file.
        file: String,
        /// Factors along x, y, z.
        scale: [Real; 3],
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Along x, y, z.
        radii: [Real; 3],
    },
    /// A torus around the y axis.
    Torus {
        /// Of the circle in the middle of the tube.
        major_radius: Real,
        /// Of the tube.
        minor_radius: Real,
    },
    /// A superquadric.
    Superquadric {
        /// Along x, y, z.
        radii: [Real; 3],
        /// Of the section along and across the axis.
        exponents: [Real; 2],
    },
    /// Parametric patches.
    Bezier {
        /// A file of patches, relative to the case file.
        file: String,
    },
    /// What is in any of the parts.
    Union {
        /// The parts.
        of: Vec<PlacedShape>,
    },
    /// What is in all of the parts.
    Intersection {
        /// The parts.
        of: Vec<PlacedShape>,
    },
    /// What is in the first part and in no other.
    Difference {
        /// The parts.
        of: Vec<PlacedShape>,
    },
    /// A shape as a grid of signed distances.
    Sdf {
        /// What is sampled.
        of: Box<CaseShape>,
        /// The edge of a grid cell.
        cell: Real,
    },
    /// Bounded shapes as one body.
    Compound {
        /// The parts.
        of: Vec<PlacedShape>,
    },
}

/// A part of a shape with its place in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlacedShape {
    /// The part, in its own frame.
    #[serde(flatten)]
    pub shape: CaseShape,
    /// The place of the part's origin in the whole, metres.
    pub position: [Real; 3],
    /// The rotation of the part in the whole, a unit quaternion `[x, y, z, w]`.
    pub rotation: [Real; 4],
}

impl CaseShape {
    /// Shows every file that the shape names to `visit`.
    pub(super) fn for_each_file(&mut self, visit: &mut impl FnMut(&mut String)) {
        match self {
            Self::Convex { file: Some(file), .. } | Self::Mesh { file, .. } | Self::Bezier { file } => visit(file),
            Self::Union { of } | Self::Intersection { of } | Self::Difference { of } | Self::Compound { of } => {
                for part in of {
                    part.shape.for_each_file(visit);
                }
            }
            Self::Sdf { of, .. } => of.for_each_file(visit),
            _ => {}
        }
    }

    /// The files that the shape names, as it names them.
    pub fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        self.clone().for_each_file(&mut |file| files.push(file.clone()));
        files
    }

    /// Reads a shape.
    pub(crate) fn read(node: &Node<'_>) -> Result<Self, CaseError> {
        let (shape, _) = read_type(node, &Keys::ALONE, 0)?;
        Ok(shape)
    }
}

/// The keys of a type, alone and as a part of another shape.
struct Keys(fn(&'static Type) -> &'static [&'static str]);

impl Keys {
    const ALONE: Self = Self(|t| t.alone);
    const PLACED: Self = Self(|t| t.placed);
}

/// What a type's object may hold.
struct Type {
    name: &'static str,
    alone: &'static [&'static str],
    placed: &'static [&'static str],
}

/// Declares each type with its keys, once.
macro_rules! types {
    ($($name:literal: $($key:literal),+;)+) => {
        &[$(Type {
            name: $name,
            alone: &["type", $($key),+],
            placed: &["type", $($key,)+ "position", "rotation"],
        }),+]
    };
}

const TYPES: &[Type] = types! {
    "box": "half_extents";
    "sphere": "radius";
    "capsule": "radius", "half_height";
    "cylinder": "radius", "half_height";
    "cone": "radius", "half_height";
    "half_space": "normal";
    "convex": "file", "points", "scale";
    "mesh": "file", "scale";
    "ellipsoid": "radii";
    "torus": "major_radius", "minor_radius";
    "superquadric": "radii", "exponents";
    "bezier": "file";
    "union": "of";
    "intersection": "of";
    "difference": "of";
    "sdf": "of", "cell";
    "compound": "of";
};

/// Reads the keys of the type that the object states; answers with the object too, for the keys of its place.
fn read_type<'a>(node: &Node<'a>, keys: &Keys, depth: usize) -> Result<(CaseShape, Fields<'a>), CaseError> {
    let fields = node.fields()?;
    let type_node = fields.required("type")?;
    let names: Vec<_> = TYPES.iter().map(|t| (t.name, t)).collect();
    let known = type_node.one_of(&names)?;
    let fields = fields.only(keys.0(known))?;
    let shape = match known.name {
        "box" => CaseShape::Box { half_extents: fields.required("half_extents")?.sizes()? },
        "sphere" => CaseShape::Sphere { radius: fields.required("radius")?.positive()? },
        "capsule" => {
            // A capsule without a straight part is a sphere, and as well defined.
            let half_height = fields.required("half_height")?.non_negative()?;
            CaseShape::Capsule { radius: fields.required("radius")?.positive()?, half_height }
        }
        "cylinder" => {
            let (radius, half_height) = round(&fields)?;
            CaseShape::Cylinder { radius, half_height }
        }
        "cone" => {
            let (radius, half_height) = round(&fields)?;
            CaseShape::Cone { radius, half_height }
        }
        "half_space" => CaseShape::HalfSpace { normal: fields.required("normal")?.direction()? },
        "convex" => convex(&fields)?,
        "mesh" => CaseShape::Mesh { file: file(&fields.required("file")?)?, scale: scale(&fields)? },
        "ellipsoid" => CaseShape::Ellipsoid { radii: fields.required("radii")?.sizes()? },
        "torus" => CaseShape::Torus {
            major_radius: fields.required("major_radius")?.positive()?,
            minor_radius: fields.required("minor_radius")?.positive()?,
        },
        "superquadric" => CaseShape::Superquadric {
            radii: fields.required("radii")?.sizes()?,
            exponents: fields.required("exponents")?.array("an array of two numbers above zero", Node::positive)?,
        },
        "bezier" => CaseShape::Bezier { file: file(&fields.required("file")?)? },
        "union" => CaseShape::Union { of: parts(&fields, depth)? },
        "intersection" => CaseShape::Intersection { of: parts(&fields, depth)? },
        "difference" => CaseShape::Difference { of: parts(&fields, depth)? },
        "compound" => CaseShape::Compound { of: parts(&fields, depth)? },
        "sdf" => sdf(&fields, depth)?,
        _ => return Err(type_node.expected("a type of shape")),
    };
    Ok((shape, fields))
}

fn round(fields: &Fields<'_>) -> Result<(Real, Real), CaseError> {
    Ok((fields.required("radius")?.positive()?, fields.required("half_height")?.positive()?))
}

fn scale(fields: &Fields<'_>) -> Result<[Real; 3], CaseError> {
    fields.or("scale", [1.0; 3], Node::sizes)
}

fn file(node: &Node<'_>) -> Result<String, CaseError> {
    let file = node.text()?;
    if file.is_empty() { Err(node.expected("the name of a file")) } else { Ok(file) }
}

fn convex(fields: &Fields<'_>) -> Result<CaseShape, CaseError> {
    let file = fields.maybe("file", file)?;
    let points_node = fields.optional("points");
    let points = match &points_node {
        Some(node) => Some(node.items()?.iter().map(Node::vector).collect::<Result<Vec<_>, _>>()?),
        None => None,
    };
    match (&file, &points_node) {
        (Some(_), Some(node)) => {
            let text = "a convex shape takes its points from `file` or from `points`, not both".to_owned();
            Err(node.fail(CaseReason::Contradiction(text)))
        }
        (None, None) => Err(fields.missing("file")),
        _ => Ok(CaseShape::Convex { file, points, scale: scale(fields)? }),
    }
}

/// The parts of a shape that is made of shapes: at least one.
fn parts(fields: &Fields<'_>, depth: usize) -> Result<Vec<PlacedShape>, CaseError> {
    let of = fields.required("of")?;
    check_depth(&of, depth)?;
    let items = of.items()?;
    if items.is_empty() {
        return Err(of.expected("an array of at least one shape"));
    }
    items.iter().map(|node| part(node, depth + 1)).collect()
}

fn part(node: &Node<'_>, depth: usize) -> Result<PlacedShape, CaseError> {
    let (shape, fields) = read_type(node, &Keys::PLACED, depth)?;
    let position = fields.or("position", [0.0; 3], Node::vector)?;
    let rotation = fields.or("rotation", [0.0, 0.0, 0.0, 1.0], read::rotation)?;
    Ok(PlacedShape { shape, position, rotation })
}

fn sdf(fields: &Fields<'_>, depth: usize) -> Result<CaseShape, CaseError> {
    let of = fields.required("of")?;
    check_depth(&of, depth)?;
    let cell = fields.required("cell")?.positive()?;
    let (shape, _) = read_type(&of, &Keys::ALONE, depth + 1)?;
    Ok(CaseShape::Sdf { of: Box::new(shape), cell })
}

fn check_depth(node: &Node<'_>, depth: usize) -> Result<(), CaseError> {
    if depth < DEEPEST { Ok(()) } else { Err(node.expected(format!("nested at most {DEEPEST} deep"))) }
}
