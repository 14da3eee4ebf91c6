//! The public API of a library, an item a line, from the JSON that rustdoc writes.

use std::collections::HashSet;
use std::path::Path;

/// Implementations that say nothing to a reader: how values enter a component, and how they are printed while debugging.
const LEFT_OUT: [&str; 2] = ["impl wasmtime::", "impl core::fmt::Debug for "];
/// Long paths, and what people write for them. Types of the contract have the paths of the root's re-exports.
const SHORTER: [(&str, &str); 12] = [
    (
        "myao_plugin::bindings::myao::memory::types::",
        "myao_plugin::",
    ),
    ("myao_plugin::bindings::myao::memory::", "myao_plugin::"),
    ("core::result::Result", "Result"),
    ("core::option::Option", "Option"),
    ("core::convert::", ""),
    ("core::marker::", ""),
    ("core::ops::function::", ""),
    ("core::future::future::Future", "Future"),
    ("alloc::string::String", "String"),
    ("alloc::vec::Vec", "Vec"),
    ("alloc::boxed::Box", "Box"),
    ("alloc::sync::Arc", "Arc"),
];
/// What `#[async_trait]` makes of the type `R` that a function returns: `BOXED` + `R` + `END`.
const BOXED: &str = "core::pin::Pin<Box<(dyn Future<Output = ";
const END: &str = "> + Send + 'async_trait)>>";

/// The public API, sorted by path. Implementations that follow from others or from a `derive` are left out.
///
/// # Errors
/// The JSON cannot be read, or is of another version than the library reads.
pub fn listing(rustdoc_json: &Path) -> Result<String, public_api::Error> {
    let api = public_api::Builder::from_rustdoc_json(rustdoc_json)
        .omit_auto_derived_impls(true)
        .omit_auto_trait_impls(true)
        .omit_blanket_impls(true)
        .include_function_parameter_names(true)
        .build()?;
    let is_left_out = |line: &str| LEFT_OUT.iter().any(|start| line.starts_with(start));
    let left_out = api.items().filter(|item| is_left_out(&item.to_string()));
    let left_out: HashSet<_> = left_out.map(public_api::PublicItem::id).collect();
    let kept = api.items().filter(|item| {
        let is_of_left_out = item.parent_id().is_some_and(|id| left_out.contains(&id));
        !left_out.contains(&item.id()) && !is_of_left_out
    });
    let lines = kept.map(|item| readable(&item.to_string()) + "\n");
    Ok(lines.collect())
}

/// A line of the listing, with short paths and `async fn`.
fn readable(line: &str) -> String {
    let mut line = line.to_owned();
    for (path, shorter) in SHORTER {
        line = line.replace(path, shorter);
    }
    as_async(&line).unwrap_or(line)
}

/// Undoes `#[async_trait]`; `None` if there is nothing to undo.
fn as_async(line: &str) -> Option<String> {
    let (head, returned) = line.split_once(BOXED)?;
    let (returned, _lifetimes) = returned.split_once(END)?;
    let mut head = head.replacen("fn ", "async fn ", 1);
    for number in 0..9 {
        head = head.replace(&format!("&'life{number} "), "&");
        head = head.replace(&format!("'life{number}, "), "");
    }
    let head = head
        .replace("<'async_trait>", "")
        .replace(", 'async_trait>", ">");
    Some(format!("{head}{returned}"))
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn lines_are_as_people_write_them() {
        let line = "pub fn a::B::get<'life0, 'life1, 'async_trait>(&'life0 self, id: &'life1 str) -> core::pin::Pin<\
                    alloc::boxed::Box<(dyn core::future::future::Future<Output = core::option::Option<u8>> + \
                    core::marker::Send + 'async_trait)>> where Self: 'async_trait, 'life0: 'async_trait";
        assert_eq!(
            readable(line),
            "pub async fn a::B::get(&self, id: &str) -> Option<u8>"
        );
        let line = "pub struct a::B";
        assert_eq!(readable(line), line);
    }
}
