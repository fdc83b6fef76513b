//! Characters: shapes that are moved by a velocity and slide along what they meet.

use std::time::Duration;

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use ccd_core::dynamics::Body;
use ccd_core::id::BodyId;
use ccd_core::math::cone::nearest_in_cone;
use ccd_core::math::{Pose, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{DEFAULT_GAP, DEFAULT_MEETINGS, OnMeeting, Slide, SlideError, SlideMeeting, SlideQuery};

use super::character::{CharacterGround, CharacterWalk};
use super::filter::SpatialQueryFilter;
use super::hits::SpatialQueryError;
use super::spatial::{SpatialQuery, finite_pose};
use crate::clock::CcdClock;
use crate::collider::Collider;
use crate::convert::{from_length, from_point, from_vector, to_vector};

/// How often a place is sought that rounding does not spoil; if none is found, the shape stays where it was.
const ROUNDINGS: usize = 3;

/// Moves a shape by a velocity and lets it slide along what it meets: what a character controller is made of. It moves no body itself:
/// write the place that it finds into the `Transform` of a kinematic body.
///
/// The shape goes straight until it meets something, exactly: it passes through nothing, at any speed. It stops a skin short of
/// it, and goes on with what is left of its velocity: along a surface, in the crease of two, not at all in the corner of three.
/// Sensors are no obstacle, one-way platforms only to what begins on their side, and the bodies are where they were after the last step. The body
/// of the character itself must be excluded by the filter.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// #[derive(Component)]
/// struct Walker {
///     velocity: Vec3,
///     stands: bool,
/// }
///
/// fn walk(
///     mut walkers: Query<(Entity, &Collider, &mut Transform, &mut Walker)>,
///     move_and_slide: MoveAndSlide,
///     time: Res<Time>,
/// ) -> Result {
///     // Slopes up to 45°, steps up to 0.3 m, and no hopping downstairs.
///     let config = MoveAndSlideConfig { walk: Some(CharacterWalk::default()), ..default() };
///     for (entity, collider, mut transform, mut walker) in &mut walkers {
///         let velocity = walker.velocity + Vec3::NEG_Y * 9.81 * time.delta_secs();
///         let moved = move_and_slide.move_and_slide(
///             &collider.scaled(transform.scale)?,
///             transform.translation,
///             transform.rotation,
///             velocity,
///             time.delta(),
///             &config,
///             &SpatialQueryFilter::from_excluded_entities([entity]),
///             |_| MoveAndSlideHitResponse::Accept,
///         )?;
///         transform.translation = moved.position;
///         *walker = Walker { velocity: moved.projected_velocity, stands: moved.ground.is_some() };
///     }
///     Ok(())
/// }
///
/// App::new().add_systems(FixedUpdate, walk);
/// ```
///
/// Keep the velocity in a component of your own, as here: a `LinearVelocity` would move the body once more. A system that has this
/// reads [`CcdClock`], and so cannot write it as well, but in a [`ParamSet`].
#[derive(SystemParam)]
pub struct MoveAndSlide<'w> {
    /// What it asks.
    pub spatial_query: SpatialQuery<'w>,
    clock: Res<'w, CcdClock>,
}

/// How [`MoveAndSlide::move_and_slide`] moves. With [`CharacterWalk`] it walks: climbs stairs, stays on the ground, stops at slopes that are too steep.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub struct MoveAndSlideConfig {
    /// How often it is turned aside at most; then it stops, and has time left.
    pub move_and_slide_iterations: u32,
    /// How far it stays from what it meets, metres: a millimetre, unless set. It is wider where `f32` is too coarse for it, from some two kilometres
    /// from the origin on.
    pub skin_width: f32,
    /// How it walks; without, as by default, all that it meets is alike, and there is no up and down.
    pub walk: Option<CharacterWalk>,
}

impl Default for MoveAndSlideConfig {
    fn default() -> Self {
        Self { move_and_slide_iterations: DEFAULT_MEETINGS, skin_width: DEFAULT_GAP as f32, walk: None }
    }
}

/// Something that is met on the way. Of what it says only the normal may be changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveAndSlideHitData {
    /// Which body.
    pub entity: Entity,
    /// Whose collider: the body's own, or a child's.
    pub collider: Entity,
    /// Where on the body's surface, world.
    pub point: Vec3,
    /// Along which plane it slides: out of the surface, world. Another direction may be put here, such as that of an invisible wall: then that is all that
    /// is done about the surface, also by what walks.
    pub normal: Dir3,
    /// When, from the start of the whole.
    pub time: Duration,
    position: Vec3,
    velocity: Vec3,
}

impl MoveAndSlideHitData {
    /// Where the shape is when it stops short of it, world.
    pub fn position(&self) -> Vec3 {
        self.position
    }

    /// With what velocity it came, m/s.
    pub fn velocity(&self) -> Vec3 {
        self.velocity
    }
}

/// What is done about something that is met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MoveAndSlideHitResponse {
    /// Slides along it.
    #[default]
    Accept,
    /// Goes through all of that body until the end of this move. Where it may end within it, the next move has to exclude the body by its filter.
    Ignore,
    /// Stops here, with the velocity that it came with.
    Abort,
}

/// Where a moved shape ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveAndSlideOutput {
    /// Where. It is turned as it was, and overlaps nothing, once what carries it has gone on.
    pub position: Vec3,
    /// What is left of its velocity, m/s: it leads into nothing that is met there, but for the edge of a step that is being climbed.
    pub projected_velocity: Vec3,
    /// What is left of the time: not zero where nothing of the velocity was left, where it was stopped, or had met too much.
    pub remaining_time: Duration,
    /// A body that it overlaps from the start and could not be moved out of. It has not moved at all.
    pub stuck_in: Option<Entity>,
    /// What it stands on: of what walks, unless it was stopped or leaves the ground.
    pub ground: Option<CharacterGround>,
    /// By how much that has carried it, metres: the position holds it already. Zero for what does not ride ([`CharacterWalk::rides`]).
    pub carried: Vec3,
}

/// What a straight move meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveHitData {
    /// Which body.
    pub entity: Entity,
    /// Whose collider: the body's own, or a child's.
    pub collider: Entity,
    /// How far it can go and keep the skin, metres.
    pub distance: f32,
    /// How far it is until it would touch, metres.
    pub collision_distance: f32,
    /// Where it would touch, on the moved shape, world.
    pub point1: Vec3,
    /// Where it would touch, on the body, world.
    pub point2: Vec3,
    /// From the moved shape to the body, unit, world.
    pub normal: Vec3,
}

impl MoveAndSlideOutput {
    /// Of what has not moved at all, and is in nothing.
    fn unmoved(position: Vec3, delta_time: Duration) -> Self {
        Self {
            position,
            projected_velocity: Vec3::ZERO,
            remaining_time: delta_time,
            stuck_in: None,
            ground: None,
            carried: Vec3::ZERO,
        }
    }
}

impl MoveAndSlide<'_> {
    /// Moves a shape, as large as it was made ([`Collider::scaled`]), by `velocity` over `delta_time`. All that it meets is told to `on_hit`, in order, and may be
    /// met several times.
    ///
    /// A shape that overlaps something is moved out of it first, as by [`MoveAndSlide::depenetrate`].
    ///
    /// # Errors
    /// [`SpatialQueryError`] for numbers that are not finite, a skin that is not positive, a walk that cannot be, a shape that cannot be built, and one that
    /// a body in its way cannot be asked against.
    pub fn move_and_slide(
        &self,
        shape: &Collider,
        position: Vec3,
        rotation: Quat,
        velocity: Vec3,
        delta_time: Duration,
        config: &MoveAndSlideConfig,
        filter: &SpatialQueryFilter,
        mut on_hit: impl FnMut(&mut MoveAndSlideHitData) -> MoveAndSlideHitResponse,
    ) -> Result<MoveAndSlideOutput, SpatialQueryError> {
        let duration = delta_time.as_secs_f64();
        let (shape, pose, gap) = mover(shape, (position, rotation), config.skin_width)?;
        let query = SlideQuery {
            gap,
            max_meetings: config.move_and_slide_iterations,
            walk: config.walk.map(|walk| CharacterWalk { rides: walk.rides && self.goes_on(), ..walk }.to_core()),
            ..SlideQuery::new(&shape, pose, to_vector(velocity), duration)
        };
        let takes = self.spatial_query.takes(filter, &|_| true);
        let mut passed = Vec::new();
        let told = |meeting: &mut SlideMeeting| {
            let choice = self.tell(meeting, &mut on_hit);
            passed.extend((choice == OnMeeting::Pass).then_some(meeting.body));
            choice
        };
        let slide = self.world().slide(&query, &takes, told).map_err(|error| self.error(error))?;
        let Slide { translation, velocity, time_left, stuck_in, ground, carried } = slide;
        // The same place is the same to the bit.
        let is_moved = translation != pose.translation.vector;
        let end = if is_moved {
            // What carries it is still to go on.
            let carrier = ground.filter(|_| carried != Vector::zeros()).map(|ground| ground.body);
            let asked = |id, body: &Body| takes(id, body) && !passed.contains(&id) && carrier != Some(id);
            self.rounded(&query, &translation, asked).map_err(|error| self.error(error))?
        } else {
            Some(position)
        };
        let Some(position) = end else { return Ok(MoveAndSlideOutput::unmoved(position, delta_time)) };
        Ok(MoveAndSlideOutput {
            position,
            projected_velocity: from_vector(&velocity),
            remaining_time: Duration::try_from_secs_f64(time_left).unwrap_or_default().min(delta_time),
            stuck_in: stuck_in.and_then(|id| self.spatial_query.world.entity(id)),
            ground: ground.and_then(|ground| CharacterGround::of(&ground, &self.spatial_query.world)),
            carried: from_vector(&carried),
        })
    }

    /// How far a shape can be moved straight along `movement` and keep the skin; `None` if it meets nothing. One that starts in touch can leave,
    /// or go along what it touches; one that overlaps a body can go nowhere.
    ///
    /// # Errors
    /// As [`MoveAndSlide::move_and_slide`].
    pub fn cast_move(
        &self,
        shape: &Collider,
        position: Vec3,
        rotation: Quat,
        movement: Vec3,
        skin_width: f32,
        filter: &SpatialQueryFilter,
    ) -> Result<Option<MoveHitData>, SpatialQueryError> {
        let (shape, pose, gap) = mover(shape, (position, rotation), skin_width)?;
        let takes = self.spatial_query.takes(filter, &|_| true);
        let approach = self.world().approach(&shape, &pose, &to_vector(movement), gap, takes);
        Ok(approach.map_err(|error| self.error(error))?.and_then(|approach| {
            let hit = self.spatial_query.shape_hit(&approach.hit)?;
            Some(MoveHitData {
                entity: hit.entity,
                collider: hit.collider,
                distance: from_length(approach.distance),
                collision_distance: hit.distance,
                point1: hit.point1,
                point2: hit.point2,
                normal: hit.normal,
            })
        }))
    }

    /// A short translation that moves a shape out of all that it overlaps, a skin away where there is room: zero for one that overlaps
    /// nothing, `None` where no way out was found. It leads through nothing but what the shape overlaps.
    ///
    /// # Errors
    /// As [`MoveAndSlide::move_and_slide`].
    pub fn depenetrate(
        &self,
        shape: &Collider,
        position: Vec3,
        rotation: Quat,
        skin_width: f32,
        filter: &SpatialQueryFilter,
    ) -> Result<Option<Vec3>, SpatialQueryError> {
        let (shape, pose, gap) = mover(shape, (position, rotation), skin_width)?;
        let out = self.world().way_out(&shape, &pose, gap, self.spatial_query.takes(filter, &|_| true));
        let out = out.map_err(|error| self.error(error))?;
        Ok(out.stuck_in.is_none().then(|| from_vector(&out.way)))
    }

    /// What of a velocity leads into none of the planes through the origin with these normals: the nearest to it that does not. Zero for one
    /// that is not finite.
    pub fn project_velocity(velocity: Vec3, normals: &[Dir3]) -> Vec3 {
        let normals: Vec<Vector> = normals.iter().map(|normal| to_vector(normal.as_vec3()).normalize()).collect();
        from_vector(&nearest_in_cone(&to_vector(velocity), &normals))
    }

    /// A place in `f32` where the moved shape overlaps nothing either: the nearest, unless rounding to it leads into something.
    fn rounded(
        &self,
        moved: &SlideQuery,
        translation: &Vector,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<Option<Vec3>, SlideError> {
        let mut place = from_vector(translation);
        for _ in 0..ROUNDINGS {
            let pose = Pose::from_parts(to_vector(place).into(), moved.pose.rotation);
            let out = self.world().way_out(moved.shape, &pose, wide_enough(moved.gap, place), &takes)?;
            if out.stuck_in.is_some() {
                return Ok(None);
            }
            if out.way == Vector::zeros() {
                return Ok(Some(place));
            }
            place = from_vector(&(pose.translation.vector + out.way));
        }
        Ok(None)
    }

    /// Whether the world is about to step: what stands carries nobody.
    fn goes_on(&self) -> bool {
        self.clock.goes_on() && self.spatial_query.world.refusal().is_none()
    }

    fn world(&self) -> &ccd_core::world::World {
        self.spatial_query.world.core()
    }

    fn tell(
        &self,
        meeting: &mut SlideMeeting,
        on_hit: &mut impl FnMut(&mut MoveAndSlideHitData) -> MoveAndSlideHitResponse,
    ) -> OnMeeting {
        let world = &self.spatial_query.world;
        let (Some(entity), Some(collider), Ok(normal)) = (
            world.entity(meeting.body),
            world.collider(meeting.body, meeting.contact.features.b),
            Dir3::new(from_vector(&meeting.normal)),
        ) else {
            // No body is asked that is no entity's.
            return OnMeeting::Slide;
        };
        let mut hit = MoveAndSlideHitData {
            entity,
            collider,
            point: from_point(&meeting.contact.point_b),
            normal,
            position: from_vector(&meeting.translation),
            velocity: from_vector(&meeting.velocity),
            time: Duration::try_from_secs_f64(meeting.contact.time).unwrap_or_default(),
        };
        let response = on_hit(&mut hit);
        // Kept in all its digits where it is the same.
        if hit.normal != normal {
            meeting.normal = to_vector(hit.normal.as_vec3());
        }
        match response {
            MoveAndSlideHitResponse::Accept => OnMeeting::Slide,
            MoveAndSlideHitResponse::Ignore => OnMeeting::Pass,
            MoveAndSlideHitResponse::Abort => OnMeeting::Stop,
        }
    }

    fn error(&self, error: SlideError) -> SpatialQueryError {
        match error {
            SlideError::NonFinite { what } => SpatialQueryError::NonFinite { what },
            SlideError::BadGap { gap } => SpatialQueryError::SkinWidth { skin_width: gap as f32 },
            SlideError::BadWalk { what, value } => SpatialQueryError::Walk { what, value: value as f32 },
            SlideError::Query(error) => self.spatial_query.error(error),
        }
    }
}

/// What the core moves: the shape, its pose, and the gap that it keeps.
fn mover(
    shape: &Collider,
    (position, rotation): (Vec3, Quat),
    skin_width: f32,
) -> Result<(Shape, Pose, f64), SpatialQueryError> {
    if !(skin_width.is_finite() && skin_width > 0.0) {
        return Err(SpatialQueryError::SkinWidth { skin_width });
    }
    let pose = finite_pose(position, rotation)?;
    Ok((shape.shape(Vec3::ONE)?, pose, wide_enough(skin_width.into(), position)))
}

/// A gap that is not lost where numbers in `f32` are coarse: some times what rounding moves a place by.
fn wide_enough(gap: f64, place: Vec3) -> f64 {
    gap.max(f64::from(4.0 * f32::EPSILON) * f64::from(place.abs().max_element()))
}
