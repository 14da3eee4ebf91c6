//! Public enums of the libraries are `#[non_exhaustive]`, or say why each user must handle every case.

use std::fs;
use std::path::Path;

use myao_tests::project_file;
use syn::{Attribute, Expr, ExprLit, Item, Lit, Meta, Visibility};

/// The libraries.
const CRATES: [&str; 7] = [
    "host/bot/src",
    "host/import/src",
    "host/llm/src",
    "host/plugin/src",
    "host/slack/src",
    "host/sqlite/src",
    "host/testkit/src",
];
/// What begins the reason.
const REASON: &str = "Exhaustive on purpose: ";

#[test]
fn new_cases_of_public_enums_break_nobody() {
    let mut closed = Vec::new();
    for folder in CRATES {
        look_into(&project_file(folder), &mut closed);
    }
    super::assert_none(&closed);
}

#[test]
fn closed_enums_are_found() {
    let found = |text: &str| closed(&syn::parse_file(text).unwrap().items);
    assert_eq!(found("pub enum A { B }"), ["A"]);
    assert_eq!(found("/// Two cases.\npub enum A { B }"), ["A"]);
    assert_eq!(found("mod inner { pub enum A { B } }"), ["A"]);
    assert!(found("#[non_exhaustive] pub enum A { B }").is_empty());
    assert!(found("/// Exhaustive on purpose: a reason.\npub enum A { B }").is_empty());
    assert!(found("pub(crate) enum A { B }\nenum C { D }").is_empty());
}

fn look_into(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            look_into(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let file = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
            let names = closed(&file.items).into_iter();
            found.extend(names.map(|name| format!("{}: {name}", path.display())));
        }
    }
}

/// The names of public enums that have neither the attribute nor a reason.
fn closed(items: &[Item]) -> Vec<String> {
    let mut names = Vec::new();
    for item in items {
        match item {
            Item::Enum(item) if matches!(item.vis, Visibility::Public(_)) => {
                let is_open = item.attrs.iter().any(|attribute| {
                    attribute.path().is_ident("non_exhaustive") || is_reason(attribute)
                });
                if !is_open {
                    names.push(item.ident.to_string());
                }
            }
            Item::Mod(item) => {
                let content = item.content.as_ref();
                names.extend(content.map_or_else(Vec::new, |(_, items)| closed(items)));
            }
            _ => {}
        }
    }
    names
}

/// Whether a line of a documentation comment begins the reason.
fn is_reason(attribute: &Attribute) -> bool {
    let Meta::NameValue(meta) = &attribute.meta else {
        return false;
    };
    let Expr::Lit(ExprLit {
        lit: Lit::Str(text),
        ..
    }) = &meta.value
    else {
        return false;
    };
    meta.path.is_ident("doc") && text.value().trim_start().starts_with(REASON)
}
