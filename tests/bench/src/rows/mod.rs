//! The rows, by family. Each family is a module with a function that measures it.

mod context;
mod deletion;
mod generation;
mod hosts;
mod idle;
mod import;
mod instances;
mod loading;
mod postgres;
mod render;
mod search;
mod size;
pub mod waiting;

use anyhow::Result;

use crate::row::Row;

/// A family of rows.
pub struct Family {
    /// Its name on the command line.
    pub name: &'static str,
    /// Measures it.
    pub measure: fn() -> Result<Vec<Row>>,
}

/// All of them, in the order of the table.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "render",
        measure: render::measure,
    },
    Family {
        name: "instances",
        measure: instances::measure,
    },
    Family {
        name: "loading",
        measure: loading::measure,
    },
    Family {
        name: "context",
        measure: context::measure,
    },
    Family {
        name: "search",
        measure: search::measure,
    },
    Family {
        name: "generation",
        measure: generation::measure,
    },
    Family {
        name: "idle",
        measure: idle::measure,
    },
    Family {
        name: "deletion",
        measure: deletion::measure,
    },
    Family {
        name: "hosts",
        measure: hosts::measure,
    },
    Family {
        name: "import",
        measure: import::measure,
    },
    Family {
        name: "postgres",
        measure: postgres::measure_large,
    },
    Family {
        name: "postgres-context",
        measure: postgres::measure_context,
    },
    Family {
        name: "postgres-idle",
        measure: postgres::measure_idle,
    },
    Family {
        name: "waiting",
        measure: waiting::measure,
    },
    Family {
        name: "size",
        measure: size::measure,
    },
];
