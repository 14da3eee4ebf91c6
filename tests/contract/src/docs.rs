//! The contract as a page, made of the documentation in the WIT files.

use wit_bindgen_core::Files;
use wit_bindgen_markdown::Opts;

use crate::wit::Contract;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
#[error("the page of world `{world}`: {detail}")]
pub struct DocsError {
    world: String,
    detail: String,
}

/// The world that holds all interfaces.
const WHOLE: &str = "bot";
/// Those that hold some of them.
const PARTS: [&str; 2] = ["summarizer", "memory"];

const HEAD: &str = include_str!("page_head.md");

/// The page: the whole contract, and what other worlds have of it.
///
/// # Errors
/// [`DocsError`].
pub fn page(contract: &Contract) -> Result<String, DocsError> {
    let head = HEAD.replace("VERSION", &contract.version().unwrap_or_default());
    let mut page = head;
    for part in PARTS {
        let part = world(contract, part)?;
        // Its interfaces are described once, below.
        let part = part.split("\n## ").next().unwrap_or_default();
        page.push_str(part.trim_end());
        page.push_str("\n\n");
    }
    page.push_str(world(contract, WHOLE)?.trim_end());
    page.push('\n');
    Ok(page)
}

fn world(contract: &Contract, name: &str) -> Result<String, DocsError> {
    let refused = |detail: String| DocsError {
        world: name.to_owned(),
        detail,
    };
    let mut resolve = contract.resolve.clone();
    let world = resolve.select_world(&[contract.package], Some(name));
    let world = world.map_err(|error| refused(format!("{error:#}")))?;
    let mut files = Files::default();
    Opts::default()
        .build()
        .generate(&mut resolve, world, &mut files)
        .map_err(|error| refused(format!("{error:#}")))?;
    let page = files.iter().find(|(file, _)| file.ends_with(".md"));
    let (_, page) = page.ok_or_else(|| refused("no Markdown was made".to_owned()))?;
    Ok(String::from_utf8_lossy(page).into_owned())
}
