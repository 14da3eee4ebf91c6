//! What a component imports.

use std::path::Path;

use wit_component::DecodedWasm;

/// Why the imports cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {detail}; run `make component`")]
pub struct ImportsError {
    path: String,
    detail: String,
}

/// The names of a component's imports, in order.
///
/// # Errors
/// [`ImportsError`] where the file is no component.
pub fn imports(component: &Path) -> Result<Vec<String>, ImportsError> {
    let refused = |detail: String| ImportsError {
        path: component.display().to_string(),
        detail,
    };
    let bytes = std::fs::read(component).map_err(|error| refused(error.to_string()))?;
    let decoded = wit_component::decode(&bytes).map_err(|error| refused(format!("{error:#}")))?;
    let DecodedWasm::Component(resolve, world) = decoded else {
        return Err(refused("it is a WIT package".to_owned()));
    };
    let world = resolve.worlds.get(world);
    let imports = world.into_iter().flat_map(|world| world.imports.keys());
    let mut names: Vec<String> = imports.map(|key| resolve.name_world_key(key)).collect();
    names.sort();
    Ok(names)
}
