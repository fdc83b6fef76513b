//! The triangulated convex hull of points: quickhull on exact predicates.
//!
//! Problem: a hull that rounding has made concave, open or twisted breaks every walk over it. Idea: the choice of the
//! next point is by distance in floating point, but whether a face sees a point is decided exactly, so the surface is
//! closed and weakly convex after every step, for any input. Guarantee: every given point is in the hull or at most
//! [`SKIP`] times the extent outside. Cost: O(n log n) expected. Source: Barber, Dobkin and Huhdanpaa (1996), with the
//! predicates of Shewchuk (1997).

use robust::orient3d;

use crate::geometry::mesh::triangle::coord;
use crate::math::{DoubleDouble, Point, Real, Scalar, Vector};

/// The largest coordinate of a hull's points, metres: products of three differences stay far within range.
pub const MAX_HULL_COORDINATE: Real = 1e30;

/// The smallest extent of a hull, metres, for the same reason.
const MIN_EXTENT: Real = 1e-12;

/// Points this little outside, in multiples of the extent, make no vertex: a thousand roundings of a coordinate, and
/// far below any contact tolerance.
pub(super) const SKIP: Real = 2e-13;

/// A hull thinner than this, in multiples of its extent, is a plane: merged faces (see `merge`) need room on both sides.
const FLAT: Real = 1e-10;

/// Why points have no solid hull. Points are counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum HullError {
    /// Fewer than four points.
    #[error("a hull needs at least 4 points, not {count}")]
    TooFewPoints {
        /// How many were given.
        count: usize,
    },
    /// More points than 32-bit numbers name.
    #[error("{count} points are too many for a hull")]
    TooManyPoints {
        /// How many were given.
        count: usize,
    },
    /// A point that is no place.
    #[error("point {point} is not finite")]
    NonFinite {
        /// Which.
        point: usize,
    },
    /// A point beyond [`MAX_HULL_COORDINATE`].
    #[error("point {point} lies beyond {MAX_HULL_COORDINATE:e} m")]
    TooFar {
        /// Which.
        point: usize,
    },
    /// All points are in one place.
    #[error("all points lie within {extent:e} m of each other")]
    Coincident {
        /// The largest side of their box, metres.
        extent: Real,
    },
    /// All points are on one line.
    #[error("all points lie on one line, to {width:e} m")]
    Collinear {
        /// The largest distance from the line, metres.
        width: Real,
    },
    /// All points are in one plane.
    #[error("all points lie in one plane, to {thickness:e} m")]
    Coplanar {
        /// The largest distance from the plane, metres.
        thickness: Real,
    },
}

/// One triangle of the growing hull, counter-clockwise from outside.
struct Face {
    vertices: [u32; 3],
    /// The face across the side from vertex `k` to the next.
    neighbours: [u32; 3],
    normal: Vector,
    /// Twice the area, to turn volumes into distances.
    double_area: Real,
    /// The points that see this face, each on the list of one face.
    outside: Vec<u32>,
    furthest: u32,
    height: Real,
    alive: bool,
}

/// The triangles of the hull, over the given points, counter-clockwise from outside, and the largest side of its box.
///
/// # Errors
/// [`HullError`], for points that are too few, not finite, or within a plane.
pub(super) fn hull_triangles(points: &[Point]) -> Result<(Vec<[u32; 3]>, Real), HullError> {
    let extent = check(points)?;
    let simplex = first_simplex(points, extent, FLAT)?;
    Ok((grown(points, simplex, extent, SKIP), extent))
}

/// The triangles of the exact hull of a hull's own vertices: none is passed over, however little it stands out. `None` if
/// they lie exactly in a plane.
pub(super) fn exact_triangles(points: &[Point]) -> Option<Vec<[u32; 3]>> {
    let extent = check(points).ok()?;
    let simplex = first_simplex(points, extent, 0.0).ok()?;
    Some(grown(points, simplex, extent, 0.0))
}

fn grown(points: &[Point], simplex: [u32; 4], extent: Real, skip: Real) -> Vec<[u32; 3]> {
    let mut hull = Growth {
        points,
        faces: Vec::new(),
        new_face_from: vec![u32::MAX; points.len()],
        skip: skip * extent,
        doubt: 64.0 * Real::EPSILON * extent,
    };
    hull.begin(simplex);
    let mut pending: Vec<u32> = vec![0, 1, 2, 3];
    while let Some(face) = pending.pop() {
        if let Some(point) = hull.next_vertex(face) {
            let first_new = hull.faces.len() as u32;
            hull.add(face, point);
            pending.extend(first_new..hull.faces.len() as u32);
        }
    }
    hull.faces.iter().filter(|f| f.alive).map(|f| f.vertices).collect()
}

fn check(points: &[Point]) -> Result<Real, HullError> {
    let count = points.len();
    if count < 4 {
        return Err(HullError::TooFewPoints { count });
    }
    if count >= u32::MAX as usize {
        return Err(HullError::TooManyPoints { count });
    }
    if let Some(point) = points.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        return Err(HullError::NonFinite { point });
    }
    if let Some(point) = points.iter().position(|p| p.coords.amax() > MAX_HULL_COORDINATE) {
        return Err(HullError::TooFar { point });
    }
    let aabb = crate::volume::Aabb::from_points(points);
    let extent = (aabb.max - aabb.min).amax();
    // Closer together than the rounding of their own coordinates, they have no shape.
    let rounding = 1e-12 * aabb.min.coords.amax().max(aabb.max.coords.amax());
    if extent < MIN_EXTENT.max(rounding) { Err(HullError::Coincident { extent }) } else { Ok(extent) }
}

/// Four points that span a volume, the first three counter-clockwise seen from outside; what is thinner than `flat`, in
/// multiples of the extent, has none.
fn first_simplex(points: &[Point], extent: Real, flat: Real) -> Result<[u32; 4], HullError> {
    let furthest = |distance: &dyn Fn(&Point) -> Real| {
        let mut best = (0, Real::NEG_INFINITY);
        for (i, p) in points.iter().enumerate() {
            let d = distance(p);
            if d > best.1 {
                best = (i as u32, d);
            }
        }
        best
    };
    let aabb = crate::volume::Aabb::from_points(points);
    let k = (aabb.max - aabb.min).iamax();
    let (a, _) = furthest(&|p| -p[k]);
    let (b, _) = furthest(&|p| p[k]);
    let (pa, pb) = (points[a as usize], points[b as usize]);
    let line = (pb - pa).normalize();
    let (c, width) = furthest(&|p| (p - pa).cross(&line).norm());
    if width <= flat * extent {
        return Err(HullError::Collinear { width });
    }
    let pc = points[c as usize];
    let normal = (pb - pa).cross(&(pc - pa)).normalize();
    let (d, thickness) = furthest(&|p| (p - pa).dot(&normal).abs());
    let side = orient3d(coord(pa), coord(pb), coord(pc), coord(points[d as usize]));
    if thickness <= flat * extent || side == 0.0 {
        return Err(HullError::Coplanar { thickness });
    }
    Ok(if side > 0.0 { [a, b, c, d] } else { [a, c, b, d] })
}

struct Growth<'a> {
    points: &'a [Point],
    faces: Vec<Face>,
    /// Scratch of [`Growth::add`]: the new face whose horizon edge starts at a vertex.
    new_face_from: Vec<u32>,
    skip: Real,
    /// Heights above this have the right sign in floating point: some ten roundings of the extent, and no difference of
    /// coordinates is rounded by more than its own size.
    doubt: Real,
}

impl Growth<'_> {
    fn begin(&mut self, [a, b, c, d]: [u32; 4]) {
        self.push_face([a, b, c], [1, 2, 3]);
        self.push_face([b, a, d], [0, 3, 2]);
        self.push_face([c, b, d], [0, 1, 3]);
        self.push_face([a, c, d], [0, 2, 1]);
        let all = (0..self.points.len() as u32).collect();
        self.assign(all, 0);
    }

    fn push_face(&mut self, vertices: [u32; 3], neighbours: [u32; 3]) {
        let area = area_vector(self.points, vertices);
        self.faces.push(Face {
            vertices,
            neighbours,
            normal: area.try_normalize(0.0).unwrap_or_else(Vector::zeros),
            double_area: area.norm(),
            outside: Vec::new(),
            furthest: 0,
            height: 0.0,
            alive: true,
        });
    }

    /// How far `point` is above the face, metres; the sign is exact.
    fn height(&self, face: &Face, point: u32) -> Real {
        let place = self.points[point as usize];
        let height = face.normal.dot(&(place - self.points[face.vertices[0] as usize]));
        if height.abs() > self.doubt {
            return height;
        }
        let [a, b, c] = face.vertices.map(|v| coord(self.points[v as usize]));
        let volume = -orient3d(a, b, c, coord(place));
        if volume == 0.0 { 0.0 } else { volume / face.double_area.max(Real::MIN_POSITIVE) }
    }

    /// Gives each point to the face from number `first` on that it is highest above; drops those that are inside.
    fn assign(&mut self, points: Vec<u32>, first: usize) {
        for point in points {
            let mut best = (0, 0.0);
            for (i, face) in self.faces.iter().enumerate().skip(first) {
                let height = self.height(face, point);
                if height > best.1 {
                    best = (i, height);
                }
            }
            if best.1 > 0.0 {
                let face = &mut self.faces[best.0];
                face.outside.push(point);
                if best.1 > face.height {
                    (face.furthest, face.height) = (point, best.1);
                }
            }
        }
    }

    /// The next point to add of those that see `face`, if one is worth adding.
    ///
    /// A point a hair above this face may be far above another (beside a face, nearly in its plane): so a point is only
    /// passed over when it is a hair above all the faces it sees.
    fn next_vertex(&self, face: u32) -> Option<u32> {
        let f = &self.faces[face as usize];
        if !f.alive || f.outside.is_empty() {
            return None;
        }
        if f.height > self.skip {
            return Some(f.furthest);
        }
        f.outside.iter().copied().find(|&point| self.stands_out(face, point))
    }

    /// Whether the point is clearly above some face that it sees, `face` being one.
    fn stands_out(&self, face: u32, point: u32) -> bool {
        let mut seen = vec![face];
        let mut next = 0;
        while next < seen.len() {
            for beyond in self.faces[seen[next] as usize].neighbours {
                let height = self.height(&self.faces[beyond as usize], point);
                if height > self.skip {
                    return true;
                }
                if height > 0.0 && !seen.contains(&beyond) {
                    seen.push(beyond);
                }
            }
            next += 1;
        }
        false
    }

    /// Makes `point`, which `seen` sees, a vertex: the faces that see it give way to a fan around it.
    fn add(&mut self, seen: u32, point: u32) {
        let mut visible = vec![seen];
        self.faces[seen as usize].alive = false;
        // (face beyond, from, to) of each edge between seen and unseen; `alive` doubles as the visited mark.
        let mut horizon = Vec::new();
        let mut next = 0;
        while next < visible.len() {
            let face = visible[next];
            next += 1;
            for k in 0..3 {
                let beyond = self.faces[face as usize].neighbours[k];
                if !self.faces[beyond as usize].alive {
                    continue;
                }
                if self.height(&self.faces[beyond as usize], point) > 0.0 {
                    self.faces[beyond as usize].alive = false;
                    visible.push(beyond);
                }
            }
        }
        for &face in &visible {
            let f = &self.faces[face as usize];
            for k in 0..3 {
                if self.faces[f.neighbours[k] as usize].alive {
                    horizon.push((f.neighbours[k], f.vertices[k], f.vertices[(k + 1) % 3]));
                }
            }
        }

        let first_new = self.faces.len();
        for (i, &(beyond, from, to)) in horizon.iter().enumerate() {
            let face = (first_new + i) as u32;
            self.new_face_from[from as usize] = face;
            self.push_face([from, to, point], [beyond, u32::MAX, u32::MAX]);
            let outer = &mut self.faces[beyond as usize];
            for k in 0..3 {
                if outer.vertices[k] == to && outer.vertices[(k + 1) % 3] == from {
                    outer.neighbours[k] = face;
                }
            }
        }
        for face in first_new..self.faces.len() {
            let to = self.faces[face].vertices[1];
            let follower = self.new_face_from[to as usize];
            self.faces[face].neighbours[1] = follower;
            self.faces[follower as usize].neighbours[2] = face as u32;
        }

        for face in visible {
            let orphans = std::mem::take(&mut self.faces[face as usize].outside);
            self.assign(orphans, first_new);
        }
    }
}

/// The vector along the normal of a triangle, of twice its area, rounded once: the normal of a sliver is as good as any.
pub(super) fn area_vector(points: &[Point], [a, b, c]: [u32; 3]) -> Vector {
    let (pa, pb, pc) = (points[a as usize], points[b as usize], points[c as usize]);
    let difference = |p: &Point, k: usize| DoubleDouble::difference(p[k], pa[k]);
    Vector::from_fn(|k, _| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        (difference(&pb, i) * difference(&pc, j) - difference(&pb, j) * difference(&pc, i)).to_real()
    })
}
