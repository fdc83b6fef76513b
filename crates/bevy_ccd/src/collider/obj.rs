//! OBJ models as assets.

use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::prelude::*;
use ccd_core::io::obj::ObjError;

use super::{Collider, ColliderError};

/// An OBJ model whose triangles a body can have.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct ObjModel {
    /// The model as a collider: one, shared by all that use the asset.
    pub collider: Collider,
}

/// Why a file is no model.
#[derive(Debug, thiserror::Error)]
pub enum ObjModelError {
    /// It could not be read.
    #[error(transparent)]
    Read(#[from] std::io::Error),
    /// It is no OBJ text.
    #[error(transparent)]
    Obj(#[from] ObjError),
    /// Its triangles make no collider.
    #[error(transparent)]
    Collider(#[from] ColliderError),
}

/// Loads [`ObjModel`]s from `.obj` files.
#[derive(Clone, Copy, Debug, Default, TypePath)]
pub struct ObjLoader;

impl AssetLoader for ObjLoader {
    type Asset = ObjModel;
    type Settings = ();
    type Error = ObjModelError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        (): &(),
        context: &mut LoadContext<'_>,
    ) -> Result<ObjModel, ObjModelError> {
        let mut text = Vec::new();
        reader.read_to_end(&mut text).await?;
        let mesh = ccd_core::io::obj::parse_obj(text.as_slice(), &context.path().to_string())?.closed_by_welding();
        Ok(ObjModel { collider: Collider::from_trimesh(mesh)? })
    }

    fn extensions(&self) -> &[&str] {
        &["obj"]
    }
}
