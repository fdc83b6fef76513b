//! Expectations as a case file writes them.

use super::rule::{Axis, DistanceBounds, Expectation, Measure, Region, Rule, Severity};
use crate::io::case::json::{Fields, Node};
use crate::io::case::{CaseError, CaseReason};
use crate::math::Real;

impl Expectation {
    /// Reads an expectation; `is_body` says whether a body has that name.
    pub(crate) fn read(node: &Node<'_>, is_body: &dyn Fn(&str) -> bool) -> Result<Self, CaseError> {
        let reader = Reader { fields: node.fields()?, is_body };
        let kind = reader.fields.required("kind")?.text()?;
        let severity = reader.fields.or("severity", Severity::Must, |n| n.one_of(Severity::NAMES))?;
        let rule = reader.rule(kind)?;
        let other = reader
            .fields
            .left_over()
            .map(|(key, value)| match serde_json::from_str(value.raw()) {
                Ok(parsed) => Ok((key.to_owned(), parsed)),
                Err(_) => Err(value.expected("a JSON value of ordinary size and depth")),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { rule, severity, other })
    }
}

impl Axis {
    fn read(node: &Node<'_>) -> Result<Self, CaseError> {
        if node.is_array() {
            return node.direction().map(Self::Direction);
        }
        match node.whole() {
            Ok(i @ 0..=2) => Ok(Self::Index(i as u8)),
            _ => Err(node.expected("0, 1, 2 or a direction")),
        }
    }
}

impl Region {
    fn read(node: &Node<'_>) -> Result<Self, CaseError> {
        let fields = node.fields()?;
        let max = fields.required("max")?;
        let region = Self { min: fields.required("min")?.vector()?, max: max.vector()? };
        // Nothing would ever be within it, and what is asked of that would hold.
        if (0..3).any(|k| region.min[k] > region.max[k]) {
            return Err(max.expected("coordinates of at least those of `min`"));
        }
        Ok(region)
    }
}

/// The keys of one entry.
struct Reader<'a, 'b> {
    fields: Fields<'a>,
    is_body: &'b dyn Fn(&str) -> bool,
}

impl<'a> Reader<'a, '_> {
    fn rule(&self, kind: String) -> Result<Rule, CaseError> {
        Ok(match kind.as_str() {
            "all_finite" => Rule::AllFinite {},
            "never_interpenetrates" => Rule::NeverInterpenetrates { tol: self.or_zero("tol")? },
            "energy_nonincreasing" => Rule::EnergyNonincreasing { rel_tol: self.tolerance("rel_tol")? },
            "energy_conserved" => Rule::EnergyConserved { rel_tol: self.tolerance("rel_tol")? },
            "angular_momentum_conserved" => Rule::AngularMomentumConserved { rel_tol: self.tolerance("rel_tol")? },
            "com_position" => Rule::ComPosition {
                bodies: self.bodies()?,
                t: self.tolerance("t")?,
                expected: self.components("expected", Node::number)?,
                tol: self.components("tol", Node::non_negative)?,
            },
            "com_drift" => {
                Rule::ComDrift { bodies: self.bodies()?, after: self.or_zero("after")?, max: self.tolerance("max")? }
            }
            "stands_still" => Rule::StandsStill {
                bodies: self.bodies()?,
                after: self.or_zero("after")?,
                max_drift: self.tolerance("max_drift")?,
                max_rotation: self.tolerance("max_rotation")?,
            },
            "rotation_from_start" => {
                Rule::RotationFromStart { bodies: self.bodies()?, t: self.tolerance("t")?, max: self.tolerance("max")? }
            }
            "position_bound" => {
                let (bodies, axis) = (self.bodies()?, self.axis("axis")?);
                let (min, max) = self.bounds(Node::number)?;
                Rule::PositionBound { bodies, axis, min, max }
            }
            "displacement_along" => Rule::DisplacementAlong {
                bodies: self.bodies()?,
                axis: self.axis("axis")?,
                t: self.tolerance("t")?,
                expected: self.fields.required("expected")?.number()?,
                rel_tol: self.or_zero("rel_tol")?,
                abs_tol: self.or_zero("abs_tol")?,
            },
            "linear_velocity" => Rule::LinearVelocity {
                bodies: self.bodies()?,
                t_from: self.or_zero("t_from")?,
                t_to: self.fields.maybe("t_to", Node::non_negative)?,
                expected: self.components("expected", Node::number)?,
                tol: self.components("tol", Node::non_negative)?,
            },
            "side_of_plane" => self.side_of_plane()?,
            "between" => Rule::Between {
                bodies: self.bodies()?,
                a: self.body("a")?,
                b: self.body("b")?,
                axis: self.axis("axis")?,
            },
            "distance_bounded" => Rule::DistanceBounded(self.distance_bounds()?),
            "origin_distance_bounded" => Rule::OriginDistanceBounded(self.distance_bounds()?),
            "flips" => {
                let bodies = self.bodies()?;
                let (body_axis, world_axis) = (self.axis("body_axis")?, self.axis("world_axis")?);
                let (min, max) = self.bounds(Node::whole)?;
                Rule::Flips { bodies, body_axis, world_axis, min, max }
            }
            "contact" => Rule::Contact {
                a: self.body("a")?,
                b: self.body("b")?,
                by: self.fields.maybe("by", Node::non_negative)?,
            },
            "no_contact" => Rule::NoContact { a: self.body("a")?, b: self.body("b")? },
            _ => Rule::Unknown { kind },
        })
    }

    fn side_of_plane(&self) -> Result<Rule, CaseError> {
        Ok(Rule::SideOfPlane {
            bodies: self.bodies()?,
            point: self.fields.required("point")?.vector()?,
            normal: self.fields.required("normal")?.direction()?,
            measure: self.fields.required("measure")?.one_of(Measure::NAMES)?,
            min: self.fields.required("min")?.number()?,
            within: self.fields.maybe("within", Region::read)?,
            within_t: self.fields.maybe("within_t", |n| n.array("an array of two times", Node::number))?,
        })
    }

    /// A tolerance, bound or time: at least zero.
    fn tolerance(&self, key: &'static str) -> Result<Real, CaseError> {
        self.fields.required(key)?.non_negative()
    }

    fn or_zero(&self, key: &'static str) -> Result<Real, CaseError> {
        self.fields.or(key, 0.0, Node::non_negative)
    }

    fn axis(&self, key: &'static str) -> Result<Axis, CaseError> {
        Axis::read(&self.fields.required(key)?)
    }

    fn distance_bounds(&self) -> Result<DistanceBounds, CaseError> {
        let (a, b) = (self.body("a")?, self.body("b")?);
        let (min, max) = self.bounds(Node::number)?;
        Ok(DistanceBounds { a, b, min, max })
    }

    /// `min` and `max`, of which at least one must be given.
    fn bounds<T: PartialOrd>(
        &self,
        read: fn(&Node<'a>) -> Result<T, CaseError>,
    ) -> Result<(Option<T>, Option<T>), CaseError> {
        let min = self.fields.maybe("min", read)?;
        let max = self.fields.maybe("max", read)?;
        match (&min, &max, self.fields.optional("max")) {
            (None, None, _) => Err(self.fields.missing("min")),
            // Nothing could hold it.
            (Some(least), Some(most), Some(node)) if least > most => Err(node.expected("a number of at least `min`")),
            _ => Ok((min, max)),
        }
    }

    /// Three components, each of which may be `null`; one number stands for all three.
    fn components(
        &self,
        key: &'static str,
        read: fn(&Node<'a>) -> Result<Real, CaseError>,
    ) -> Result<[Option<Real>; 3], CaseError> {
        let node = self.fields.required(key)?;
        if !node.is_array() {
            return read(&node).map(|x| [Some(x); 3]);
        }
        node.array("an array of three numbers or nulls", |n| if n.is_null() { Ok(None) } else { read(n).map(Some) })
    }

    fn body(&self, key: &'static str) -> Result<String, CaseError> {
        let node = self.fields.required(key)?;
        self.name(&node)
    }

    /// The names under `body` and `bodies`, each of which may be one name or an array.
    fn bodies(&self) -> Result<Vec<String>, CaseError> {
        let mut names = Vec::new();
        for node in [self.fields.optional("body"), self.fields.optional("bodies")].into_iter().flatten() {
            if node.is_text() {
                names.push(self.name(&node)?);
            } else if node.is_array() {
                for item in node.items()? {
                    names.push(self.name(&item)?);
                }
            } else {
                return Err(node.expected("the name of a body, or an array of names"));
            }
        }
        if names.is_empty() { Err(self.fields.missing("body")) } else { Ok(names) }
    }

    fn name(&self, node: &Node<'_>) -> Result<String, CaseError> {
        let name = node.text()?;
        if (self.is_body)(&name) { Ok(name) } else { Err(node.fail(CaseReason::UnknownBody { name })) }
    }
}
