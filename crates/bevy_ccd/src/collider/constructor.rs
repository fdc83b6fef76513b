//! Colliders that are built when what they need is there.

use bevy::asset::{AsAssetId, AssetPath, LoadState};
use bevy::mesh::Mesh3d;
use bevy::prelude::*;

use super::{Collider, ColliderError, ObjModel};

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
#[reflect(Component, Default, Debug, PartialEq)]
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
    /// The triangles of the entity's [`Mesh3d`].
    #[default]
    TrimeshFromMesh,
    /// The convex hull of the entity's [`Mesh3d`].
    ConvexHullFromMesh,
    /// The triangles of an OBJ model.
    Obj {
        /// Where the asset server finds it.
        path: String,
    },
}

impl ColliderConstructor {
    /// Whether it builds from the entity's [`Mesh3d`].
    pub fn requires_mesh(&self) -> bool {
        matches!(self, Self::TrimeshFromMesh | Self::ConvexHullFromMesh)
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
    /// The asset could not be loaded.
    #[error("the asset could not be loaded: {0}")]
    Asset(String),
    /// Assets are asked for in an app without them.
    #[error("the app has no asset server")]
    NoAssetServer,
}

/// What has become of a constructor.
enum Progress {
    Done(Collider),
    Waiting,
}

/// The model that an entity's constructor waits for, kept alive meanwhile.
#[derive(Component)]
pub(crate) struct AwaitedModel {
    /// As the constructor had it.
    path: String,
    model: Handle<ObjModel>,
}

/// Builds what can be built.
pub(crate) fn build_colliders(
    mut commands: Commands,
    waiting: Query<(Entity, &ColliderConstructor, Option<&Mesh3d>, Option<&AwaitedModel>, Option<&Name>)>,
    meshes: Option<Res<Assets<Mesh>>>,
    models: Option<Res<Assets<ObjModel>>>,
    server: Option<Res<AssetServer>>,
    mut ready: MessageWriter<ColliderConstructorReady>,
    mut failed: MessageWriter<ColliderConstructorFailed>,
) {
    for (entity, constructor, mesh, awaited, name) in &waiting {
        let assets = Sources { meshes: meshes.as_deref(), models: models.as_deref(), server: server.as_deref() };
        let progress = match constructor {
            // Another constructor may have taken the place of the one that the model was asked for by.
            ColliderConstructor::Obj { path } => match awaited.filter(|awaited| awaited.path == *path) {
                Some(awaited) => assets.model(&awaited.model),
                None => match assets.request_model(path) {
                    Ok(model) => {
                        commands.entity(entity).insert(AwaitedModel { path: path.clone(), model });
                        Ok(Progress::Waiting)
                    }
                    Err(error) => Err(error),
                },
            },
            ColliderConstructor::TrimeshFromMesh => assets.build_from_mesh(mesh, Collider::trimesh_from_mesh),
            ColliderConstructor::ConvexHullFromMesh => assets.build_from_mesh(mesh, Collider::convex_hull_from_mesh),
            given => build_given(given).map(Progress::Done).map_err(Into::into),
        };
        match progress {
            Ok(Progress::Waiting) => {}
            Ok(Progress::Done(collider)) => {
                let event = ColliderConstructorReady { entity };
                commands.entity(entity).insert(collider).remove::<(ColliderConstructor, AwaitedModel)>();
                commands.trigger(event);
                ready.write(event);
            }
            Err(error) => {
                let who = name.map_or_else(|| format!("entity {entity}"), |name| format!("“{name}”, entity {entity}"));
                warn!("{who}: no collider: {error}");
                let event = ColliderConstructorFailed { entity, error };
                commands.entity(entity).remove::<(ColliderConstructor, AwaitedModel)>();
                commands.trigger(event.clone());
                failed.write(event);
            }
        }
    }
}

/// Constructors that need no asset.
fn build_given(constructor: &ColliderConstructor) -> Result<Collider, ColliderError> {
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
        ColliderConstructor::TrimeshFromMesh
        | ColliderConstructor::ConvexHullFromMesh
        | ColliderConstructor::Obj { .. } => {
            unreachable!("constructors that need an asset are resolved with it")
        }
    };
    collider.shape(Vec3::ONE)?;
    Ok(collider)
}

/// Where constructors look for what they need.
struct Sources<'a> {
    meshes: Option<&'a Assets<Mesh>>,
    models: Option<&'a Assets<ObjModel>>,
    server: Option<&'a AssetServer>,
}

impl Sources<'_> {
    fn build_from_mesh(
        &self,
        mesh: Option<&Mesh3d>,
        build: impl FnOnce(&Mesh) -> Result<Collider, ColliderError>,
    ) -> Result<Progress, ColliderConstructorError> {
        let handle = mesh.ok_or(ColliderConstructorError::NoMesh)?;
        if let Some(mesh) = self.meshes.and_then(|meshes| meshes.get(handle.as_asset_id())) {
            return Ok(Progress::Done(build(mesh)?));
        }
        self.still_loading(handle.0.id())
    }

    fn request_model(&self, path: &str) -> Result<Handle<ObjModel>, ColliderConstructorError> {
        let server = self.server.ok_or(ColliderConstructorError::NoAssetServer)?;
        let path = AssetPath::try_parse(path).map_err(|error| ColliderConstructorError::Asset(error.to_string()))?;
        Ok(server.load(path.into_owned()))
    }

    fn model(&self, handle: &Handle<ObjModel>) -> Result<Progress, ColliderConstructorError> {
        match self.models.and_then(|models| models.get(handle)) {
            Some(model) => Ok(Progress::Done(model.collider.clone())),
            None => self.still_loading(handle.id()),
        }
    }

    /// An asset that is not there: it comes, or it failed to.
    fn still_loading<A: Asset>(&self, id: AssetId<A>) -> Result<Progress, ColliderConstructorError> {
        match self.server.and_then(|server| server.get_load_state(id)) {
            Some(LoadState::Failed(error)) => Err(ColliderConstructorError::Asset(error.to_string())),
            _ => Ok(Progress::Waiting),
        }
    }
}
