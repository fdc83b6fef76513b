//! Growing faces, cutting the borders between them into straight edges, and linking the half-edges.

use super::super::triangle::unit_normal;
use super::super::{HalfEdgeMesh, Topology, TriMesh};
use super::{Brep, BrepEdge, NONE, Plane};
use crate::math::{Point, Real, Vector};

/// A triangle joins a face only if its normal is within about 25° of the face's: a sliver in the plane has any normal, and
/// one that is folded back over its neighbour is no part of a flat face.
const SAME_SIDE: Real = 0.9;

pub(super) fn build(mesh: &TriMesh, topology: &Topology, half_edges: &HalfEdgeMesh, flatness: Real) -> Brep {
    let (planes, triangle_faces) = grow_faces(mesh, half_edges, flatness);
    let mut face_starts = vec![0_u32; planes.len() + 1];
    for &f in &triangle_faces {
        face_starts[f as usize + 1] += 1;
    }
    for f in 0..planes.len() {
        face_starts[f + 1] += face_starts[f];
    }
    let mut next_place = face_starts.clone();
    let mut face_triangles = vec![0; triangle_faces.len()];
    for (&f, t) in triangle_faces.iter().zip(0_u32..) {
        face_triangles[next_place[f as usize] as usize] = t;
        next_place[f as usize] += 1;
    }

    let borders = Borders::new(mesh, topology, &triangle_faces);
    let mut brep = Brep {
        flatness,
        planes,
        face_starts,
        face_triangles,
        triangle_faces,
        edges: Vec::new(),
        edge_starts: vec![0],
        edge_parts: Vec::new(),
        mesh_edges: vec![NONE; topology.edges().len()],
        is_corner: vec![false; mesh.vertices().len()],
        next: Vec::new(),
        loop_starts: Vec::new(),
        loops: Vec::new(),
    };
    for chain in borders.chains() {
        cut_chain(&mut brep, mesh, topology, &chain);
    }
    link(&mut brep, topology, half_edges);
    brep
}

/// The plane of each face and the face of each triangle. Faces start from the largest triangle that has none, whose plane
/// is known best; equal areas go by number.
fn grow_faces(mesh: &TriMesh, half_edges: &HalfEdgeMesh, flatness: Real) -> (Vec<Plane>, Vec<u32>) {
    let count = mesh.triangles().len();
    let areas: Vec<Real> = (0..count)
        .map(|t| {
            let [a, b, c] = mesh.triangle(t);
            (b - a).cross(&(c - a)).norm_squared()
        })
        .collect();
    let normals: Vec<Vector> = (0..count)
        .map(|t| {
            let [a, b, c] = mesh.triangle(t);
            unit_normal(&a, &b, &c)
        })
        .collect();
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by(|&s, &t| areas[t as usize].total_cmp(&areas[s as usize]).then(s.cmp(&t)));

    let mut faces = vec![NONE; count];
    let mut planes = Vec::new();
    let mut open = Vec::new();
    for seed in order {
        if faces[seed as usize] != NONE {
            continue;
        }
        let face = planes.len() as u32;
        let [a, b, c] = mesh.triangle(seed as usize);
        let normal = normals[seed as usize];
        let plane = Plane::through(&Point::from((a.coords + b.coords + c.coords) / 3.0), normal);
        planes.push(plane);
        faces[seed as usize] = face;
        open.push(seed);
        while let Some(t) = open.pop() {
            for k in 0..3 {
                let Some(twin) = half_edges.twin(3 * t + k) else { continue };
                let other = half_edges.face(twin);
                let joins = faces[other as usize] == NONE
                    && normals[other as usize].dot(&normal) > SAME_SIDE
                    && mesh.triangle(other as usize).iter().all(|p| plane.height(p).abs() <= flatness);
                if joins {
                    faces[other as usize] = face;
                    open.push(other);
                }
            }
        }
    }
    number_by_triangles(planes, faces)
}

/// Numbers faces in the order of their first triangles, so that they follow the model and not the areas.
fn number_by_triangles(planes: Vec<Plane>, mut faces: Vec<u32>) -> (Vec<Plane>, Vec<u32>) {
    let mut renumbered = vec![NONE; planes.len()];
    let mut ordered = Vec::with_capacity(planes.len());
    for face in &mut faces {
        let old = *face as usize;
        if renumbered[old] == NONE {
            renumbered[old] = ordered.len() as u32;
            ordered.push(planes[old]);
        }
        *face = renumbered[old];
    }
    (ordered, faces)
}

/// The mesh edges between different faces.
struct Borders<'m> {
    topology: &'m Topology,
    /// The two faces of each border edge, by where the edge's lower vertex has them: left, right. `NONE` inside a face.
    sides: Vec<[u32; 2]>,
    /// `around[starts[v]..starts[v + 1]]` are the border edges at vertex `v`, ascending.
    starts: Vec<u32>,
    around: Vec<u32>,
}

/// Border edges one after the other: `vertices[i]` to `vertices[i + 1]` is `edges[i]`.
struct Chain {
    vertices: Vec<u32>,
    edges: Vec<u32>,
}

impl<'m> Borders<'m> {
    fn new(mesh: &TriMesh, topology: &'m Topology, triangle_faces: &[u32]) -> Self {
        let mut sides = vec![[NONE; 2]; topology.edges().len()];
        let mut starts = vec![0_u32; mesh.vertices().len() + 1];
        for (e, &[low, high]) in topology.edges().iter().enumerate() {
            let &[s, t] = topology.faces_of_edge(e) else { continue };
            let [f, g] = [s, t].map(|t| triangle_faces[t as usize]);
            if f == g {
                continue;
            }
            sides[e] = if runs(mesh.triangles()[s as usize], low, high) { [f, g] } else { [g, f] };
            starts[low as usize + 1] += 1;
            starts[high as usize + 1] += 1;
        }
        for v in 0..mesh.vertices().len() {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut around = vec![0; starts.last().map_or(0, |&n| n as usize)];
        for (e, ends) in topology.edges().iter().enumerate().filter(|(e, _)| sides[*e][0] != NONE) {
            for &v in ends {
                around[next[v as usize] as usize] = e as u32;
                next[v as usize] += 1;
            }
        }
        Self { topology, sides, starts, around }
    }

    fn at(&self, vertex: u32) -> &[u32] {
        &self.around[self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize]
    }

    /// The faces left and right of `edge`, walking from `vertex`.
    fn sides_from(&self, edge: u32, vertex: u32) -> [u32; 2] {
        let [left, right] = self.sides[edge as usize];
        if self.topology.edges()[edge as usize][0] == vertex { [left, right] } else { [right, left] }
    }

    fn other_end(&self, edge: u32, vertex: u32) -> u32 {
        let [low, high] = self.topology.edges()[edge as usize];
        if low == vertex { high } else { low }
    }

    /// The border edge that goes on behind `edge` at `vertex` between the same two faces, if only that one does.
    fn continuation(&self, edge: u32, vertex: u32) -> Option<u32> {
        let &[e, f] = self.at(vertex) else { return None };
        let other = if e == edge { f } else { e };
        let [left, right] = self.sides_from(edge, vertex);
        (self.sides_from(other, vertex) == [right, left]).then_some(other)
    }

    /// All border edges in chains, each between the same two faces: from where edges must end to where they must end,
    /// then the closed ones.
    fn chains(&self) -> Vec<Chain> {
        let mut used = vec![false; self.sides.len()];
        let mut chains = Vec::new();
        let vertex_count = self.starts.len() as u32 - 1;
        for closed in [false, true] {
            for v in 0..vertex_count {
                for &first in self.at(v) {
                    let ends_here = self.continuation(first, v).is_none();
                    if !used[first as usize] && (ends_here || closed) {
                        chains.push(self.chain(v, first, &mut used));
                    }
                }
            }
        }
        chains
    }

    fn chain(&self, start: u32, first: u32, used: &mut [bool]) -> Chain {
        let mut chain = Chain { vertices: vec![start], edges: Vec::new() };
        let (mut vertex, mut edge) = (start, first);
        loop {
            used[edge as usize] = true;
            vertex = self.other_end(edge, vertex);
            chain.edges.push(edge);
            chain.vertices.push(vertex);
            match self.continuation(edge, vertex) {
                Some(next) if !used[next as usize] => edge = next,
                _ => return chain,
            }
        }
    }
}

/// Whether the triangle has the side from `from` to `to`.
fn runs(triangle: [u32; 3], from: u32, to: u32) -> bool {
    (0..3).any(|k| triangle[k] == from && triangle[(k + 1) % 3] == to)
}

/// Cuts a chain into pieces as long as they are straight within the flatness, and adds them as edges.
fn cut_chain(brep: &mut Brep, mesh: &TriMesh, topology: &Topology, chain: &Chain) {
    let place = |i: usize| mesh.vertices()[chain.vertices[i] as usize];
    let is_straight = |from: usize, to: usize| {
        let (start, along) = (place(from), place(to) - place(from));
        let length = along.norm();
        length > 0.0
            && (from + 1..to).all(|i| {
                let t = (place(i) - start).dot(&along) / length;
                t > 0.0 && t < length && (place(i) - start - along * (t / length)).norm() <= brep.flatness
            })
    };
    let mut cuts = vec![0];
    let mut from = 0;
    for to in 1..chain.vertices.len() {
        if to > from + 1 && !is_straight(from, to) {
            cuts.push(to - 1);
            from = to - 1;
        }
    }
    cuts.push(chain.vertices.len() - 1);
    for piece in cuts.windows(2) {
        let (from, to) = (piece[0], piece[1]);
        let ends = [chain.vertices[from], chain.vertices[to]];
        let first = chain.edges[from];
        let &[s, t] = topology.faces_of_edge(first as usize) else { continue };
        let faces = [s, t].map(|t| brep.triangle_faces[t as usize]);
        let leaves = runs(mesh.triangles()[s as usize], ends[0], chain.vertices[from + 1]);
        let edge = brep.edges.len() as u32;
        brep.edges.push(BrepEdge { ends, faces: if leaves { faces } else { [faces[1], faces[0]] } });
        for &part in &chain.edges[from..to] {
            brep.edge_parts.push(part);
            brep.mesh_edges[part as usize] = edge;
        }
        brep.edge_starts.push(brep.edge_parts.len() as u32);
        for v in ends {
            brep.is_corner[v as usize] = true;
        }
    }
}

/// Finds what follows each half-edge around its face, and the loops.
fn link(brep: &mut Brep, topology: &Topology, half_edges: &HalfEdgeMesh) {
    let count = 2 * brep.edges.len() as u32;
    let edge_of = |h: u32| topology.triangle_edges()[half_edges.face(h) as usize][h as usize % 3];
    brep.next = (0..count)
        .map(|h| {
            let edge = h / 2;
            let face = brep.face_of_half_edge(h);
            let end = brep.origin(h ^ 1);
            let parts = brep.parts_of_edge(edge);
            let last = if h.is_multiple_of(2) { parts.last() } else { parts.first() };
            let side = last.into_iter().flat_map(|&e| topology.faces_of_edge(e as usize).iter().map(move |&t| (e, t)));
            // The mesh's half-edge that arrives at the end with the face to its left.
            let arriving = side
                .filter(|&(_, t)| brep.triangle_faces[t as usize] == face)
                .flat_map(|(e, t)| (3 * t..3 * t + 3).filter(move |&m| edge_of(m) == e))
                .find(|&m| half_edges.target(m) == end);
            let mut turning = half_edges.next(arriving.unwrap_or(0));
            // Turn about the end, inside the face, up to the next border.
            while let (NONE, Some(twin)) = (brep.mesh_edges[edge_of(turning) as usize], half_edges.twin(turning)) {
                turning = half_edges.next(twin);
            }
            let mesh_edge = edge_of(turning);
            let next = brep.mesh_edges[mesh_edge as usize];
            let starts =
                brep.edges[next as usize].ends[0] == end && brep.parts_of_edge(next).first() == Some(&mesh_edge);
            if starts { 2 * next } else { 2 * next + 1 }
        })
        .collect();

    let mut loops: Vec<(u32, u32)> = Vec::new();
    let mut seen = vec![false; count as usize];
    for first in 0..count {
        if !seen[first as usize] {
            loops.push((brep.face_of_half_edge(first), first));
            let mut h = first;
            while !seen[h as usize] {
                seen[h as usize] = true;
                h = brep.next[h as usize];
            }
        }
    }
    loops.sort_unstable();
    brep.loop_starts = vec![0; brep.planes.len() + 1];
    for &(face, _) in &loops {
        brep.loop_starts[face as usize + 1] += 1;
    }
    for f in 0..brep.planes.len() {
        brep.loop_starts[f + 1] += brep.loop_starts[f];
    }
    brep.loops = loops.into_iter().map(|(_, first)| first).collect();
}
