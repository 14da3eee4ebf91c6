//! x
mod archive;
