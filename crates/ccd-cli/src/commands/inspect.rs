//! `ccd inspect`: what a model is made of, and what its hierarchies cost.

use std::path::PathBuf;
use std::time::Instant;

use ccd_core::bounds::tree::{AabbTree, VolumeTree};
use ccd_core::geometry::mass::MassProperties;
use ccd_core::geometry::mesh::{SurfaceKind, Topology, TriMesh};
use ccd_core::io::obj::load_obj;
use serde::Serialize;

use crate::Ending;
use crate::failure::Failure;
use crate::output::{Answers, write_report};

/// Counts, topology, volume, mass and hierarchies of a model.
///
/// Mass and inertia are at 1 kg/m³ (1 kg/m² for an open surface, which is a sheet). The hierarchies are those that this
/// version builds; each with its size and the time to build it.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The model.
    #[arg(value_name = "MODEL.obj")]
    model: PathBuf,
    /// Answer as JSON.
    #[arg(long)]
    json: bool,
}

/// What is known of a model.
#[derive(Debug, Serialize)]
struct Inspection {
    file: String,
    vertices: usize,
    edges: usize,
    faces: usize,
    shells: usize,
    boundary_edges: usize,
    non_manifold_edges: usize,
    inconsistent_edges: usize,
    non_manifold_vertices: usize,
    closed: bool,
    manifold: bool,
    consistently_wound: bool,
    surface: &'static str,
    min: [f64; 3],
    max: [f64; 3],
    area: f64,
    /// m³; `None` for an open surface.
    volume: Option<f64>,
    mass: f64,
    centre_of_mass: [f64; 3],
    inertia: [[f64; 3]; 3],
    hierarchies: Vec<Hierarchy>,
}

/// One hierarchy over the model.
#[derive(Debug, Serialize)]
struct Hierarchy {
    name: &'static str,
    nodes: usize,
    height: usize,
    average_height: f64,
    bytes: usize,
    build_ms: f64,
}

/// Inspects the model.
pub(crate) fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let mesh = load_obj(&arguments.model).map_err(|e| Failure::Model(e.to_string()))?;
    let inspection = inspect(arguments, &mesh)?;
    if arguments.json {
        write_report(&inspection, None)?;
    } else {
        print(&inspection)?;
    }
    Ok(Ending::AsExpected)
}

fn inspect(arguments: &Arguments, mesh: &TriMesh) -> Result<Inspection, Failure> {
    let topology = Topology::of(mesh);
    let kind = topology.surface_kind(mesh);
    let is_open = kind == SurfaceKind::Soup;
    let mass = if is_open {
        MassProperties::of_sheet(mesh.vertices(), mesh.triangles(), 1.0)
    } else {
        MassProperties::of_closed_surface(mesh.vertices(), mesh.triangles(), 1.0)
    }
    .map_err(|e| Failure::Model(format!("{}: {e}", arguments.model.display())))?;
    let aabb = mesh.aabb();
    Ok(Inspection {
        file: arguments.model.display().to_string(),
        vertices: mesh.vertices().len(),
        edges: topology.edges().len(),
        faces: mesh.triangles().len(),
        shells: topology.shell_count(),
        boundary_edges: topology.boundary_edge_count(),
        non_manifold_edges: topology.non_manifold_edge_count(),
        inconsistent_edges: topology.inconsistent_edge_count(),
        non_manifold_vertices: topology.non_manifold_vertex_count(),
        closed: topology.is_closed(),
        manifold: topology.is_manifold(),
        consistently_wound: topology.is_consistently_wound(),
        surface: match kind {
            SurfaceKind::Solid => "solid",
            SurfaceKind::InsideOut => "solid, wound inside out",
            SurfaceKind::Soup => "soup: two-sided, without an inside",
        },
        min: aabb.min.into(),
        max: aabb.max.into(),
        area: mesh.area(),
        volume: (!is_open).then_some(mass.mass),
        mass: mass.mass,
        centre_of_mass: mass.com.into(),
        inertia: std::array::from_fn(|r| std::array::from_fn(|c| mass.inertia[(r, c)])),
        hierarchies: vec![aabb_tree(mesh)],
    })
}

fn aabb_tree(mesh: &TriMesh) -> Hierarchy {
    let clock = Instant::now();
    let tree = AabbTree::build(mesh);
    let build_ms = clock.elapsed().as_secs_f64() * 1e3;
    Hierarchy {
        name: "AABB tree",
        nodes: tree.node_count(),
        height: tree.height(),
        average_height: tree.average_height(),
        bytes: tree.size_bytes(),
        build_ms,
    }
}

fn print(i: &Inspection) -> Result<(), Failure> {
    let mut answers = Answers::new();
    let yes = |b: bool| if b { "yes" } else { "no" };
    answers.line(&i.file)?;
    answers
        .line(format_args!("  vertices {}, edges {}, faces {}, shells {}", i.vertices, i.edges, i.faces, i.shells))?;
    answers.line(format_args!(
        "  closed: {}, manifold: {}, consistently wound: {}: {}",
        yes(i.closed),
        yes(i.manifold),
        yes(i.consistently_wound),
        i.surface
    ))?;
    answers.line(format_args!(
        "  boundary edges {}, non-manifold edges {}, non-manifold vertices {}, edges wound inconsistently {}",
        i.boundary_edges, i.non_manifold_edges, i.non_manifold_vertices, i.inconsistent_edges
    ))?;
    answers.line(format_args!("  from {:?} to {:?} m, area {} m²", i.min, i.max, i.area))?;
    match i.volume {
        Some(volume) => answers.line(format_args!("  volume {volume} m³"))?,
        None => answers.line("  no volume: the surface is open")?,
    }
    answers.line(format_args!("  centre of mass {:?} m", i.centre_of_mass))?;
    answers.line(format_args!("  inertia at unit density {:?}", i.inertia))?;
    for h in &i.hierarchies {
        answers.line(format_args!(
            "  {}: {} nodes, height {} (average {:.1}), {} bytes, built in {:.3} ms",
            h.name, h.nodes, h.height, h.average_height, h.bytes, h.build_ms
        ))?;
    }
    answers.finish()
}
