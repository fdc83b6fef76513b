//! Grounds that are given by heights.

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::Point;

use super::ColliderError;

/// A rectangle about the origin, `size[0]` by `size[2]` metres, of which the rows of heights divide x and their numbers z into equal parts;
/// heights count `size[1]` metres. The diagonals of all cells run the same way.
pub(super) fn ground_of(heights: &[Vec<f64>], size: [f64; 3]) -> Result<TriMesh, ColliderError> {
    let (rows, columns) = (heights.len(), heights.first().map_or(0, Vec::len));
    if rows < 2 || columns < 2 {
        return Err(ColliderError::FewHeights { rows, columns });
    }
    if let Some(row) = heights.iter().position(|row| row.len() != columns) {
        return Err(ColliderError::UnevenHeights { row, count: heights[row].len(), columns });
    }
    let at = |number: usize, of: usize, size: f64| (number as f64 / (of - 1) as f64 - 0.5) * size;
    let vertices = heights.iter().enumerate().flat_map(|(row, heights)| {
        let x = at(row, rows, size[0]);
        heights
            .iter()
            .enumerate()
            .map(move |(column, height)| Point::new(x, height * size[1], at(column, columns, size[2])))
    });
    // More than a mesh can number are refused by it.
    let number = |row: usize, column: usize| u32::try_from(row * columns + column).unwrap_or(u32::MAX);
    let cells = (1..rows).flat_map(|row| (1..columns).map(move |column| (row, column)));
    // Counter-clockwise seen from above, unless the size mirrors it.
    let triangles = cells.flat_map(|(row, column)| {
        let [a, b] = [column - 1, column].map(|column| number(row - 1, column));
        let [c, d] = [column - 1, column].map(|column| number(row, column));
        [[a, b, c], [b, d, c]]
    });
    Ok(TriMesh::try_new(vertices.collect(), triangles.collect())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_height_is_a_vertex_at_its_place_and_every_triangle_faces_up() {
        let heights = [vec![0.0, 1.0, 0.5], vec![2.0, -1.0, 0.0]];
        let mesh = ground_of(&heights, [4.0, 0.5, 6.0]).expect("a ground");
        let expected = [[-2.0, 0.0, -3.0], [-2.0, 0.5, 0.0], [-2.0, 0.25, 3.0], [2.0, 1.0, -3.0], [2.0, -0.5, 0.0]];
        for (vertex, expected) in mesh.vertices().iter().zip(expected) {
            assert_eq!(*vertex, Point::from(expected));
        }
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (6, 4));
        for triangle in mesh.triangles() {
            let [a, b, c] = triangle.map(|k| mesh.vertices()[k as usize]);
            assert!((b - a).cross(&(c - a)).y > 0.0, "{triangle:?}");
        }
    }

    #[test]
    fn what_is_no_grid_is_refused() {
        let refusal = |heights: &[Vec<f64>]| ground_of(heights, [1.0; 3]).expect_err("no ground").to_string();
        assert!(refusal(&[]).contains("0 by 0") && refusal(&[vec![1.0, 2.0]]).contains("1 by 2"));
        assert!(refusal(&[vec![1.0, 2.0], vec![1.0]]).contains("row 1 has 1"));
        assert!(refusal(&[vec![1.0, 2.0], vec![1.0, f64::NAN]]).contains("vertex 3"));
    }
}
