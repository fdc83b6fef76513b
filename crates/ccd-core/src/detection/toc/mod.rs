//! Time of contact: when two moving solids first come within the tolerance of each other.

mod answer;

pub use answer::{Answered, FirstContact, Method, Moving, Toc, TocError, TocOptions};
