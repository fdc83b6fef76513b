//! Colliders that are built when what they need is there.

use bevy::asset::{AsAssetId, AssetPath, LoadState};
use bevy::mesh::Mesh3d;
use bevy::prelude::*;

use super::{Collider, ColliderError, ObjModel};
use crate::components::RigidBody;

/// Asks for a [`Collider`], which replaces it once it is built: at once for primitives, and when the asset is there for
/// meshes and models. Unlike a collider, it can be reflected and written into a scene.
///
/// When the collider is there the entity gets a [`ColliderConstructorReady`], and where it cannot be built a
/// [`ColliderConstructorFailed`]; the component is removed either way.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn setup(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) {
///     let torus = meshes.add(Torus::new(0.3, 1.0));
///     commands.spawn((RigidBody::Dynamic, Mesh3d(torus), ColliderConstructor::TrimeshFromMesh));
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, no_field_bounds)]
pub enum ColliderConstructor {
    /// A ball.
    Sphere {
        /// Metres.
        radius: f32,
    },
    /// A box.
    Cuboid {
        /// Metres, from end to end.
        x_length: f32,
        /// Metres, from end to end.
        y_length: f32,
        /// Metres, from end to end.
        z_length: f32,
    },
    /// A capsule along y.
    Capsule {
        /// Metres.
        radius: f32,
        /// Of the straight part, metres.
        height: f32,
    },
    /// A cylinder along y.
    Cylinder {
        /// Metres.
        radius: f32,
        /// Metres.
        height: f32,
    },
    /// A cone along y, its apex up.
    Cone {
        /// Metres.
        radius: f32,
        /// Metres.
        height: f32,
    },
    /// Everything below a plane through the origin.
    HalfSpace {
        /// Out of the solid, of any length but zero.
        outward_normal: Vec3,
    },
    /// The convex hull of points.
    ConvexHull {
        /// Metres.
        points: Vec<Vec3>,
    },
    /// Triangles.
    Trimesh {
        /// Metres.
        vertices: Vec<Vec3>,
        /// Counter-clockwise from outside.
        indices: Vec<[u32; 3]>,
    },
    /// A ground given by heights; see [`Collider::heightfield`].
    Heightfield {
        /// Row by row.
        heights: Vec<Vec<f32>>,
        /// How large it is along x and z, and what heights count, metres.
        scale: Vec3,
    },
    /// The triangles of the entity's [`Mesh3d`].
    #[default]
    TrimeshFromMesh,
    /// The convex hull of the entity's [`Mesh3d`].
    ConvexHullFromMesh,
    /// The triangles of the [`Mesh3d`]s that the entity's children have, as one mesh, each at its child's place: what has several materials
    /// comes so from a glTF file, a child of its node for each. See [`Collider::trimesh_from_meshes`]. Children that are bodies count for
    /// nothing.
    TrimeshFromChildren,
    /// The triangles of an OBJ model.
    Obj {
        /// Where the asset server finds it.
        path: String,
    },
    /// Several as one, each at its place: translation in metres and rotation, in the frame of the entity. It is built when all are there;
    /// see [`Collider::compound`].
    Compound(Vec<(Vec3, Quat, ColliderConstructor)>),
}

impl ColliderConstructor {
    /// Whether it, or a part of it, builds from the entity's [`Mesh3d`].
    pub fn requires_mesh(&self) -> bool {
        match self {
            Self::TrimeshFromMesh | Self::ConvexHullFromMesh => true,
            Self::Compound(parts) => parts.iter().any(|(_, _, part)| part.requires_mesh()),
            _ => false,
        }
    }
}

/// A [`ColliderConstructor`] has become a [`Collider`]: an event on the entity, and a message.
#[derive(EntityEvent, Message, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Debug, PartialEq)]
pub struct ColliderConstructorReady {
    /// Whose collider it is.
    pub entity: Entity,
}

/// A [`ColliderConstructor`] was refused and removed: an event on the entity, and a message.
#[derive(EntityEvent, Message, Clone, Debug)]
pub struct ColliderConstructorFailed {
    /// Whose collider it would have been.
    pub entity: Entity,
    /// Why there is none.
    pub error: ColliderConstructorError,
}

/// Why a [`ColliderConstructor`] was refused.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ColliderConstructorError {
    /// What was given makes no collider.
    #[error(transparent)]
    Collider(#[from] ColliderError),
    /// A mesh is asked for, and the entity has none.
    #[error("the entity has no Mesh3d")]
    NoMesh,
    /// The meshes of children are asked for, and there are none.
    #[error("no child of the entity has a Mesh3d")]
    NoChildMesh,
    /// The asset could not be loaded.
    #[error("the asset could not be loaded: {0}")]
    Asset(String),
    /// Assets are asked for in an app without them.
    #[error("the app has no asset server")]
    NoAssetServer,
    /// A part of a compound is refused.
    #[error("part {part} of the compound: {error}")]
    Part {
        /// Its number, from 0.
        part: usize,
        /// Why.
        error: Box<Self>,
    },
}

/// The models that an entity's constructor waits for, by their paths as it has them, kept alive meanwhile.
#[derive(Component, Clone, Default)]
pub(crate) struct AwaitedModels(Vec<(String, Handle<ObjModel>)>);

/// Builds what can be built. An observer of the game may despawn any of them before its turn comes.
pub(crate) fn build_colliders(
    mut commands: Commands,
    waiting: Query<(
        Entity,
        &ColliderConstructor,
        Option<&Mesh3d>,
        Option<&Children>,
        Option<&AwaitedModels>,
        Option<&Name>,
    )>,
    parts: Query<(&Transform, &Mesh3d), Without<RigidBody>>,
    meshes: Option<Res<Assets<Mesh>>>,
    models: Option<Res<Assets<ObjModel>>>,
    server: Option<Res<AssetServer>>,
    mut ready: MessageWriter<ColliderConstructorReady>,
    mut failed: MessageWriter<ColliderConstructorFailed>,
) {
    for (entity, constructor, mesh, children, awaited, name) in &waiting {
        let known = awaited.map_or(0, |awaited| awaited.0.len());
        let mut sources = Sources {
            mesh,
            below: children.map_or_else(Vec::new, |children| parts.iter_many(children).collect()),
            meshes: meshes.as_deref(),
            models: models.as_deref(),
            server: server.as_deref(),
            awaited: awaited.cloned().unwrap_or_default(),
        };
        match sources.build(constructor) {
            Ok(None) if sources.awaited.0.len() > known => {
                commands.entity(entity).try_insert(sources.awaited);
            }
            Ok(None) => {}
            Ok(Some(collider)) => {
                let event = ColliderConstructorReady { entity };
                commands.entity(entity).try_insert(collider).try_remove::<(ColliderConstructor, AwaitedModels)>();
                commands.trigger(event);
                ready.write(event);
            }
            Err(error) => {
                let who = name.map_or_else(|| format!("entity {entity}"), |name| format!("“{name}”, entity {entity}"));
                warn!("{who}: no collider: {error}");
                let event = ColliderConstructorFailed { entity, error };
                commands.entity(entity).try_remove::<(ColliderConstructor, AwaitedModels)>();
                commands.trigger(event.clone());
                failed.write(event);
            }
        }
    }
}

/// Where a constructor looks for what it needs.
struct Sources<'a> {
    mesh: Option<&'a Mesh3d>,
    /// Those of children, and where they are.
    below: Vec<(&'a Transform, &'a Mesh3d)>,
    meshes: Option<&'a Assets<Mesh>>,
    models: Option<&'a Assets<ObjModel>>,
    server: Option<&'a AssetServer>,
    awaited: AwaitedModels,
}

impl Sources<'_> {
    /// The collider, if all is there that it needs.
    fn build(&mut self, constructor: &ColliderConstructor) -> Result<Option<Collider>, ColliderConstructorError> {
        let wide = |v: &Vec3| v.to_array().map(f64::from);
        let collider = match constructor {
            ColliderConstructor::Sphere { radius } => Collider::sphere(*radius),
            ColliderConstructor::Cuboid { x_length, y_length, z_length } => {
                Collider::cuboid(*x_length, *y_length, *z_length)
            }
            ColliderConstructor::Capsule { radius, height } => Collider::capsule(*radius, *height),
            ColliderConstructor::Cylinder { radius, height } => Collider::cylinder(*radius, *height),
            ColliderConstructor::Cone { radius, height } => Collider::cone(*radius, *height),
            ColliderConstructor::HalfSpace { outward_normal } => Collider::half_space(*outward_normal),
            ColliderConstructor::ConvexHull { points } => Collider::convex_hull(points.iter().map(wide))?,
            ColliderConstructor::Trimesh { vertices, indices } => {
                Collider::trimesh(vertices.iter().map(wide), indices.clone())?
            }
            ColliderConstructor::Heightfield { heights, scale } => Collider::heightfield(heights.clone(), *scale)?,
            ColliderConstructor::TrimeshFromMesh => {
                return Ok(self.own_mesh()?.map(Collider::trimesh_from_mesh).transpose()?);
            }
            ColliderConstructor::ConvexHullFromMesh => {
                return Ok(self.own_mesh()?.map(Collider::convex_hull_from_mesh).transpose()?);
            }
            ColliderConstructor::TrimeshFromChildren => return self.of_children(),
            ColliderConstructor::Obj { path } => return self.model(path),
            ColliderConstructor::Compound(parts) => return self.compound(parts),
        };
        collider.shape(Vec3::ONE)?;
        Ok(Some(collider))
    }

    fn compound(
        &mut self,
        parts: &[(Vec3, Quat, ColliderConstructor)],
    ) -> Result<Option<Collider>, ColliderConstructorError> {
        // Each is asked for, so that the models of all are loaded at once.
        let built = parts.iter().enumerate().map(|(part, (translation, rotation, constructor))| {
            match self.build(constructor) {
                Ok(collider) => Ok(collider.map(|collider| (*translation, *rotation, collider))),
                Err(error) => Err(ColliderConstructorError::Part { part, error: Box::new(error) }),
            }
        });
        let built: Vec<_> = built.collect::<Result<_, _>>()?;
        let all: Option<Vec<_>> = built.into_iter().collect();
        Ok(all.map(Collider::compound).transpose()?)
    }

    /// The entity's mesh, if it is there.
    fn own_mesh(&self) -> Result<Option<&'_ Mesh>, ColliderConstructorError> {
        self.loaded(self.mesh.ok_or(ColliderConstructorError::NoMesh)?)
    }

    /// One mesh of those of all children, if they are there.
    fn of_children(&self) -> Result<Option<Collider>, ColliderConstructorError> {
        if self.below.is_empty() {
            return Err(ColliderConstructorError::NoChildMesh);
        }
        let loaded = self.below.iter().map(|(place, mesh)| Ok(self.loaded(mesh)?.map(|mesh| (**place, mesh))));
        let all: Option<Vec<_>> = loaded.collect::<Result<_, ColliderConstructorError>>()?;
        Ok(all.map(Collider::trimesh_from_meshes).transpose()?)
    }

    fn loaded(&self, handle: &Mesh3d) -> Result<Option<&'_ Mesh>, ColliderConstructorError> {
        match self.meshes.and_then(|meshes| meshes.get(handle.as_asset_id())) {
            None => self.still_loading(handle.0.id()),
            mesh => Ok(mesh),
        }
    }

    fn model(&mut self, path: &str) -> Result<Option<Collider>, ColliderConstructorError> {
        let awaited = self.awaited.0.iter().find(|(known, _)| known == path);
        let handle = match awaited {
            Some((_, handle)) => handle.clone(),
            None => {
                let server = self.server.ok_or(ColliderConstructorError::NoAssetServer)?;
                let parsed =
                    AssetPath::try_parse(path).map_err(|error| ColliderConstructorError::Asset(error.to_string()))?;
                let handle = server.load(parsed.into_owned());
                self.awaited.0.push((path.to_owned(), handle.clone()));
                handle
            }
        };
        match self.models.and_then(|models| models.get(&handle)) {
            Some(model) => Ok(Some(model.collider.clone())),
            None => self.still_loading(handle.id()),
        }
    }

    /// An asset that is not there: it comes, or it failed to.
    fn still_loading<A: Asset, T>(&self, id: AssetId<A>) -> Result<Option<T>, ColliderConstructorError> {
        match self.server.and_then(|server| server.get_load_state(id)) {
            Some(LoadState::Failed(error)) => Err(ColliderConstructorError::Asset(error.to_string())),
            _ => Ok(None),
        }
    }
}
