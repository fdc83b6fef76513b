//! `ccd inspect`: what a model is made of, and what its hierarchies cost.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use ccd_core::bounds::brep_index::{BrepIndex, BrepIndexError, BrepIndexOptions};
use ccd_core::bounds::sphere_tree::SphereTreeOptions;
use ccd_core::bounds::{Hierarchy as Built, HierarchyKind, IndexedMesh, NotSolid};
use ccd_core::geometry::mass::MassProperties;
use ccd_core::geometry::mesh::SurfaceKind;
use serde::Serialize;

use super::models::{Model, index_tolerance, load_model};
use crate::Ending;
use crate::failure::Failure;
use crate::output::{Answers, write_report};

/// Counts, topology, volume, mass and hierarchies of a model.
///
/// The model is what `run` makes of it: vertices that no face uses are left out, and vertices at the same place are joined where
/// that closes the surface; `joined_vertices` counts them. Vertices and faces keep the order of the file.
/// Mass and inertia are at 1 kg/m³ (1 kg/m² for an open surface, which is a sheet). Each hierarchy comes with its size and the
/// time to build it; trees of spheres with the count and the error of every level: how far its spheres stick out, metres. What
/// needs a closed solid says of another surface which edge or which two faces are in the way (vertices and faces counted
/// from zero). The index's ε is a millionth of half the model's diagonal, at most 0.1 mm. The medial axis takes the longest: about half a second of one thread.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The model.
    #[arg(value_name = "MODEL.obj")]
    model: PathBuf,
    /// Levels of the trees of spheres, 1 to 8.
    #[arg(long, value_name = "N", default_value_t = SphereTreeOptions::default().levels)]
    levels: usize,
    /// Answer as JSON.
    #[arg(long)]
    json: bool,
}

/// What is known of a model.
#[derive(Debug, Serialize)]
struct Inspection {
    file: String,
    vertices: usize,
    /// How many vertices of the file are one with another, which closes the surface.
    joined_vertices: usize,
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
    /// Two faces that meet where they share nothing, if the surface meets itself.
    meets_itself: Option<[u32; 2]>,
    /// Why the surface bounds no solid; `None` where it does.
    not_solid: Option<String>,
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
    /// Why it could not be built, or nothing else but this.
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<usize>,
    /// Nodes on the longest way down.
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<usize>,
    /// Nodes on the way down on average: to an item; in trees of spheres to a leaf.
    #[serde(skip_serializing_if = "Option::is_none")]
    average_height: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    build_ms: Option<f64>,
    /// ε of the B-rep index, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerance: Option<f64>,
    /// Of a tree of spheres, from the root on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    levels: Vec<Level>,
}

/// One level of a tree of spheres.
#[derive(Debug, Serialize)]
struct Level {
    spheres: usize,
    /// How far they stick out at most, metres.
    error: f64,
}

/// Inspects the model.
pub(crate) fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let mesh = load_model(&arguments.model)?;
    let inspection = inspect(arguments, mesh)?;
    if arguments.json {
        write_report(&inspection, None)?;
    } else {
        print(&inspection)?;
    }
    Ok(Ending::AsExpected)
}

fn inspect(arguments: &Arguments, Model { mesh, joined_vertices }: Model) -> Result<Inspection, Failure> {
    let mesh = IndexedMesh::new(mesh).map_err(|e| Failure::Model(format!("{}: {e}", arguments.model.display())))?;
    let options = SphereTreeOptions { levels: arguments.levels, ..SphereTreeOptions::default() };
    if !(1..=8).contains(&options.levels) {
        return Err(Failure::Arguments(format!("{} levels of spheres: 1 to 8 can be had", options.levels)));
    }
    let mesh = Arc::new(mesh);
    let mut hierarchies: Vec<Hierarchy> =
        HierarchyKind::ALL.into_iter().map(|kind| hierarchy(kind, &mesh, options)).collect();
    let (index, fault) = brep_index(&mesh);
    hierarchies.push(index);
    let meets_itself = match &fault {
        Some(BrepIndexError::NotSolid(NotSolid::MeetsItself { faces })) => Some(*faces),
        // What was found out before the index asked whether it does.
        Some(BrepIndexError::NotSolid(_)) => mesh.find_self_meeting(),
        _ => None,
    };
    // The index tells shells that lie in each other wrongly, too.
    let is_of_mesh = |e: &BrepIndexError| matches!(e, BrepIndexError::NotSolid(_) | BrepIndexError::Nested { .. });
    let not_solid = fault.filter(is_of_mesh).map(|e| e.to_string());
    let (topology, kind) = (mesh.topology(), mesh.surface_kind());
    let mesh = mesh.mesh();
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
        joined_vertices,
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
        meets_itself,
        not_solid,
        hierarchies,
    })
}

fn hierarchy(kind: HierarchyKind, mesh: &IndexedMesh, options: SphereTreeOptions) -> Hierarchy {
    let clock = Instant::now();
    let built = Built::build_sized(kind, mesh, options);
    let build_ms = clock.elapsed().as_secs_f64() * 1e3;
    let built = match built {
        Ok(built) => built,
        Err(error) => return Hierarchy::missing(kind.name(), &error),
    };
    let level = |level| built.level_error(level).map(|error| Level { spheres: built.level_nodes(level), error });
    Hierarchy {
        name: kind.name(),
        error: None,
        nodes: Some(built.node_count()),
        height: Some(built.level_count()),
        average_height: Some(built.average_height()),
        bytes: Some(built.size_bytes()),
        build_ms: Some(build_ms),
        tolerance: None,
        levels: (0..built.level_count()).map_while(level).collect(),
    }
}

/// The B-rep index, and why there is none: heights are of inner nodes, averaged over all leaves.
fn brep_index(mesh: &Arc<IndexedMesh>) -> (Hierarchy, Option<BrepIndexError>) {
    const NAME: &str = "B-rep index";
    let clock = Instant::now();
    let options = BrepIndexOptions::with_tolerance(index_tolerance(mesh.mesh()));
    let built = BrepIndex::build(Arc::clone(mesh), &options);
    let build_ms = clock.elapsed().as_secs_f64() * 1e3;
    let built = match built {
        Ok(built) => built,
        Err(error) => return (Hierarchy::missing(NAME, &error), Some(error)),
    };
    let shape = built.shape();
    let index = Hierarchy {
        name: NAME,
        error: None,
        nodes: Some(shape.node_count()),
        height: Some(shape.height),
        average_height: Some(shape.average_height),
        bytes: Some(built.size_bytes()),
        build_ms: Some(build_ms),
        tolerance: Some(options.tolerance),
        levels: Vec::new(),
    };
    (index, None)
}

impl Hierarchy {
    /// One that could not be built.
    fn missing(name: &'static str, error: &dyn std::fmt::Display) -> Self {
        Self {
            name,
            error: Some(error.to_string()),
            nodes: None,
            height: None,
            average_height: None,
            bytes: None,
            build_ms: None,
            tolerance: None,
            levels: Vec::new(),
        }
    }
}

fn print(i: &Inspection) -> Result<(), Failure> {
    let mut answers = Answers::new();
    let yes = |b: bool| if b { "yes" } else { "no" };
    answers.line(&i.file)?;
    answers
        .line(format_args!("  vertices {}, edges {}, faces {}, shells {}", i.vertices, i.edges, i.faces, i.shells))?;
    if i.joined_vertices > 0 {
        answers
            .line(format_args!("  closed by joining {} vertices with others at the same place", i.joined_vertices))?;
    }
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
        None => answers.line("  no volume: the surface has no inside")?,
    }
    answers.line(format_args!("  centre of mass {:?} m", i.centre_of_mass))?;
    answers.line(format_args!("  inertia at unit density {:?}", i.inertia))?;
    if let Some([one, other]) = i.meets_itself {
        answers.line(format_args!("  meets itself: face {one} and face {other}"))?;
    }
    if let Some(why) = &i.not_solid {
        answers.line(format_args!("  no solid: {why}"))?;
    }
    for h in &i.hierarchies {
        match (h.nodes, h.height, h.average_height, h.bytes, h.build_ms) {
            (Some(nodes), Some(height), Some(average), Some(bytes), Some(ms)) => answers.line(format_args!(
                "  {}: {nodes} nodes, height {height} (average {average:.1}), {bytes} bytes, built in {ms:.3} ms",
                h.name
            ))?,
            _ => answers.line(format_args!("  {}: none: {}", h.name, h.error.as_deref().unwrap_or_default()))?,
        }
        for (depth, level) in h.levels.iter().enumerate() {
            let Level { spheres, error } = level;
            answers.line(format_args!("    level {depth}: {spheres} spheres, error {error:.6} m"))?;
        }
    }
    answers.finish()
}
