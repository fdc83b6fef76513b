//! How a body resists being pushed and turned.

use super::{Body, BodyKind};
use crate::dynamics::gyration::Gyration;
use crate::math::{Matrix, Pose, Real, Vector};

impl Body {
    /// The inverse mass, 1/kg per world axis: zero where it cannot move.
    pub fn inverse_mass(&self) -> Vector {
        let free = |i: usize| if self.locked.translation[i] { 0.0 } else { self.inverse_mass };
        Vector::new(free(0), free(1), free(2))
    }

    /// The inverse inertia about the centre of mass, 1/(kg·m²), world axes, for the given placement: of the axes that are free, whose
    /// torques those that are locked do not share; zero where it cannot turn.
    pub fn inverse_inertia(&self, pose: &Pose) -> Matrix {
        if self.kind != BodyKind::Dynamic {
            return Matrix::zeros();
        }
        let locked = self.locked.rotation;
        if locked == [false; 3] {
            let rotation = pose.rotation.to_rotation_matrix().into_inner();
            return rotation * self.inverse_inertia_local * rotation.transpose();
        }
        let mut inertia = self.inertia(pose);
        let without_locked = |matrix: &mut Matrix, diagonal: Real| {
            for i in (0..3).filter(|&i| locked[i]) {
                matrix.row_mut(i).fill(0.0);
                matrix.column_mut(i).fill(0.0);
                matrix[(i, i)] = diagonal;
            }
        };
        without_locked(&mut inertia, 1.0);
        let mut inverse = inertia.try_inverse().unwrap_or_else(Matrix::zeros);
        without_locked(&mut inverse, 0.0);
        inverse
    }

    /// How it turns by its angular momentum; `None` where axes are locked or its inertia is none.
    pub(in crate::dynamics) fn gyration(&self) -> Option<&Gyration> {
        self.gyration.as_ref().filter(|_| self.locked.rotation == [false; 3])
    }

    /// The angular momentum that the angular velocity `angular` has at `pose`; kg·m²/s, world axes.
    pub(crate) fn angular_momentum(&self, pose: &Pose, angular: &Vector) -> Vector {
        pose.rotation * (self.mass.inertia * pose.rotation.inverse_transform_vector(angular))
    }

    /// The kinetic energy that the angular velocity `angular` has at `pose`, joules.
    pub(crate) fn spin_energy(&self, pose: &Pose, angular: &Vector) -> Real {
        0.5 * angular.dot(&self.angular_momentum(pose, angular))
    }

    /// The angular acceleration that `torque` gives at `pose`, rad/s², world axes.
    pub(crate) fn angular_acceleration(&self, pose: &Pose, torque: &Vector) -> Vector {
        if self.kind == BodyKind::Dynamic && self.locked.rotation == [false; 3] {
            pose.rotation * (self.inverse_inertia_local * pose.rotation.inverse_transform_vector(torque))
        } else {
            self.inverse_inertia(pose) * torque
        }
    }

    /// The inertia about the centre of mass, kg·m², world axes, for the given placement, whatever axes are locked.
    pub fn inertia(&self, pose: &Pose) -> Matrix {
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        rotation * self.mass.inertia * rotation.transpose()
    }
}
