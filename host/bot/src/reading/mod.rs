//! Content for people, the same at the command line and on the web page: which memories are current, and memories,
//! hits and answers as JSON.

pub mod answers;
pub mod hits;
pub mod items;
pub mod links;
pub mod memories;
pub mod memory_json;
pub mod times;
