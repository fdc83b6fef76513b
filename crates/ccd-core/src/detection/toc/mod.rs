//! Time of contact: when two moving solids first come within the tolerance of each other.

mod answer;
mod edge_edge;
mod edge_sweep;
pub mod features;
mod linear;
pub mod obb_bisection;
pub mod segments;
mod side;
mod vertex_face;
mod witness;

pub use answer::{Answered, FirstContact, Method, Moving, Toc, TocError, TocOptions};
pub use edge_edge::edge_edge;
pub use linear::{LinearContact, LinearError, LinearOptions, LinearToc, MAX_ADVANCES};
pub use vertex_face::vertex_face;
// SHIM
/// shim
pub fn time_of_contact(
    a: Moving<'_, crate::shape::Shape>,
    b: Moving<'_, crate::shape::Shape>,
    interval: crate::motion::TimeInterval,
    o: &TocOptions,
) -> Result<Answered<Toc>, TocError> {
    use crate::detection::closest::closest;
    let mut stats = crate::stats::QueryStats::default();
    let mut t = interval.start();
    let reach = |m: &Moving<'_, crate::shape::Shape>| {
        let r = m.solid.bounding_radius_about(&m.motion.local_centre);
        let w = m.motion.angular_velocity.norm();
        if w == 0.0 { 0.0 } else { r * w }
    };
    loop {
        stats.advances += 1;
        let c = closest(a.solid, &a.motion.pose_at(t), b.solid, &b.motion.pose_at(t)).unwrap();
        if c.distance <= o.tolerance {
            let f = FirstContact {
                time: t,
                point_a: c.point_a,
                point_b: c.point_b,
                normal: c.normal,
                separation: c.distance,
                features: c.features,
            };
            return Ok(Answered {
                answer: if t == interval.start() { Toc::Overlapping(f) } else { Toc::Contact(f) },
                stats,
            });
        }
        let v = (a.motion.linear_velocity - b.motion.linear_velocity).dot(&c.normal).max(0.0) + reach(&a) + reach(&b);
        if v <= 0.0 {
            return Ok(Answered { answer: Toc::Separated, stats });
        }
        t += (c.distance - 0.5 * o.tolerance) / v;
        if t >= interval.end() {
            return Ok(Answered { answer: Toc::Separated, stats });
        }
        if stats.advances > 100000 {
            return Ok(Answered { answer: Toc::Undecided { safe_until: t }, stats });
        }
    }
}
