//! The text format of Bradshaw's sphere-tree toolkit, which Closson's programs read, too.
//!
//! The first line has the number of levels and the degree. Then come all places of a full tree, level by level, a line each: the
//! middle, the radius, and a fifth number (how much of the parent the sphere stands for, 1 here). The children of place `i`
//! stand at `degree · i + 1` and behind it; a place without a sphere has a radius below zero. Some files have another sphere behind,
//! and remarks after the last place: both are passed over.

use std::fmt::Write;

use super::{SphereNode, SphereTree};
use crate::math::{Point, Real, is_finite};
use crate::volume::Sphere;

/// The most places that are read or written: a million spheres are far beyond any use, and a wrong header, or a deep tree with few nodes, must not fill
/// the memory.
const MOST_PLACES: usize = 1 << 24;

/// Why a text is no tree of spheres, or a tree has no text. Lines are counted from one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TextError {
    /// The first line is not the number of levels and the degree.
    #[error("line 1: the number of levels and the degree are expected, not `{found}`")]
    Header {
        /// What is there.
        found: String,
    },
    /// More places than anybody uses.
    #[error("{levels} levels of degree {degree} have more than {MOST_PLACES} places")]
    TooLarge {
        /// Of the tree.
        levels: usize,
        /// Of the tree.
        degree: usize,
    },
    /// A line that is no sphere.
    #[error("line {line}: four finite numbers are expected, not `{found}`")]
    Sphere {
        /// Where.
        line: usize,
        /// What is there.
        found: String,
    },
    /// The text ends before the last place.
    #[error("the text ends after {found} of {expected} spheres")]
    Short {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A sphere whose parent is none, or no root.
    #[error("line {line}: the sphere has no parent")]
    Orphan {
        /// Where.
        line: usize,
    },
}

impl SphereTree {
    /// The tree as text, every number with all its digits. The format has a line for each place of a full tree of as many levels and this degree,
    /// whatever there is of it.
    ///
    /// # Errors
    /// [`TextError::TooLarge`] for more than 2²⁴ places, which [`SphereTree::from_text`] does not read: up to eight levels of degree eight have fewer,
    /// and four of degree 64.
    pub fn to_text(&self) -> Result<String, TextError> {
        place_count(self.level_count(), self.degree)?;
        let mut text = format!("{} {}\n", self.level_count(), self.degree);
        // The nodes at the places of a full level, by number.
        let mut level: Vec<Option<u32>> = vec![Some(0)];
        for depth in 0..self.level_count() {
            for place in &level {
                let line = match place.map(|i| self.node(i).sphere) {
                    Some(s) => format!("{} {} {} {} 1", s.centre.x, s.centre.y, s.centre.z, s.radius),
                    None => "0 0 0 -1 0".to_owned(),
                };
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{line}");
            }
            if depth + 1 < self.level_count() {
                level = level
                    .iter()
                    .flat_map(|place| {
                        let children = place.map_or(0..0, |i| self.children(i));
                        children.map(Some).chain(std::iter::repeat(None)).take(self.degree)
                    })
                    .collect();
            }
        }
        Ok(text)
    }

    /// The tree that a text describes. Its errors are not known (they are infinite), and that it covers anything is for
    /// [`SphereTree::check_cover`] to say.
    ///
    /// # Errors
    /// [`TextError`], with the line.
    pub fn from_text(text: &str) -> Result<Self, TextError> {
        let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        let header = lines.next().map_or("", |(line, _)| line);
        let bad_header = || TextError::Header { found: header.to_owned() };
        let mut numbers = header.split_whitespace().map(str::parse::<usize>);
        let (Some(Ok(levels)), Some(Ok(degree)), None) = (numbers.next(), numbers.next(), numbers.next()) else {
            return Err(bad_header());
        };
        if levels == 0 || degree == 0 {
            return Err(bad_header());
        }
        let expected = place_count(levels, degree)?;
        let mut found: Vec<Vec<(Sphere, Real, u32)>> = Vec::new();
        // For each place of the level before, which of its spheres it is.
        let mut above: Vec<Option<u32>> = vec![Some(0)];
        let mut read = 0;
        for depth in 0..levels {
            let places = if depth == 0 { 1 } else { above.len() * degree };
            let (mut level, mut here) = (Vec::new(), Vec::with_capacity(places));
            for place in 0..places {
                let Some((line, number)) = lines.next() else {
                    return Err(TextError::Short { found: read, expected });
                };
                read += 1;
                let Some(sphere) = sphere_of(line) else {
                    return Err(TextError::Sphere { line: number, found: line.to_owned() });
                };
                if sphere.radius < 0.0 {
                    here.push(None);
                    if depth == 0 {
                        return Err(TextError::Orphan { line: number });
                    }
                    continue;
                }
                let parent = above[if depth == 0 { 0 } else { place / degree }];
                let Some(parent) = parent else { return Err(TextError::Orphan { line: number }) };
                here.push(Some(level.len() as u32));
                level.push((sphere, Real::INFINITY, parent));
            }
            found.push(level);
            above = here;
        }
        Ok(Self::from_levels(&found, degree))
    }
}

/// How many places a full tree has.
fn place_count(levels: usize, degree: usize) -> Result<usize, TextError> {
    let too_large = TextError::TooLarge { levels, degree };
    let (mut count, mut size) = (0, 1_usize);
    for depth in 0..levels {
        if depth > 0 {
            size = size.checked_mul(degree).filter(|n| *n <= MOST_PLACES).ok_or_else(|| too_large.clone())?;
        }
        count += size;
        if count > MOST_PLACES {
            return Err(too_large);
        }
    }
    Ok(count)
}

/// The first four numbers of a line.
fn sphere_of(line: &str) -> Option<Sphere> {
    let mut numbers = line.split_whitespace().map(str::parse::<Real>);
    let mut next = || numbers.next()?.ok();
    let centre = Point::new(next()?, next()?, next()?);
    let radius = next()?;
    (is_finite(&centre.coords) && radius.is_finite()).then_some(Sphere { centre, radius })
}

impl SphereNode {
    /// Whether the node has no children.
    pub fn is_leaf(&self) -> bool {
        self.child_count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str =
        "2 3\n0 0 0 2 1.0\n1 0 0 1 1.0 9 9 9 9 9\n\n-1 0.5 0 1.25 0.5\n0 0 0 -1 1\n\nOptions :\n  branch = 3\n";

    #[test]
    fn a_text_with_gaps_and_remarks_is_read_and_comes_back_the_same() {
        let tree = SphereTree::from_text(SMALL).unwrap();
        assert_eq!((tree.level_count(), tree.degree(), tree.node_count()), (2, 3, 3));
        assert_eq!(tree.node(2).sphere, Sphere { centre: Point::new(-1.0, 0.5, 0.0), radius: 1.25 });
        assert_eq!(tree.children(0), 1..3);
        assert_eq!(SphereTree::from_text(&tree.to_text().unwrap()).unwrap(), tree);
    }

    #[test]
    fn a_tree_of_more_places_than_are_read_is_not_written() {
        let chain = |levels: usize, degree: usize| {
            let node = (Sphere { centre: Point::origin(), radius: 1.0 }, Real::INFINITY, 0);
            SphereTree::from_levels(&vec![vec![node]; levels], degree)
        };
        assert_eq!(chain(5, 64).to_text(), Err(TextError::TooLarge { levels: 5, degree: 64 }));
        assert_eq!(
            chain(8, 64).to_text().unwrap_err().to_string(),
            "8 levels of degree 64 have more than 16777216 places"
        );
        for (levels, degree) in [(4, 64), (8, 8)] {
            let tree = chain(levels, degree);
            assert_eq!(SphereTree::from_text(&tree.to_text().unwrap()).unwrap(), tree);
        }
    }

    #[test]
    fn what_is_no_tree_is_refused_with_its_line() {
        let error = |text: &str| SphereTree::from_text(text).unwrap_err();
        assert!(matches!(error(""), TextError::Header { .. }));
        assert!(matches!(error("4\n"), TextError::Header { .. }));
        assert!(matches!(error("0 8\n"), TextError::Header { .. }));
        assert_eq!(error("40 8\n"), TextError::TooLarge { levels: 40, degree: 8 });
        assert_eq!(error("2 2\n0 0 0 1\n0 0 x 1\n"), TextError::Sphere { line: 3, found: "0 0 x 1".into() });
        assert!(matches!(error("1 2\n0 0 0 NaN\n"), TextError::Sphere { line: 2, .. }));
        assert_eq!(error("2 2\n0 0 0 1\n0 0 0 1\n"), TextError::Short { found: 2, expected: 3 });
        assert_eq!(error("1 2\n0 0 0 -1\n"), TextError::Orphan { line: 2 });
        let orphan = "3 2\n0 0 0 1\n0 0 0 -1\n0 0 0 1\n0 0 0 1\n0 0 0 -1\n0 0 0 -1\n0 0 0 -1\n";
        assert_eq!(error(orphan), TextError::Orphan { line: 5 });
    }
}
