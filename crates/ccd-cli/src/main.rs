//! ccd
fn main() {}
