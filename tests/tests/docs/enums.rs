//! Public enums and settings of the libraries are `#[non_exhaustive]`, or say why each user must handle every case.

use std::fs;
use std::path::Path;

use myao_tests::project_file;
use syn::{Attribute, Expr, ExprLit, Item, ItemStruct, Lit, Meta, Visibility};

/// The libraries.
const CRATES: [&str; 9] = [
    "host/bot/src",
    "host/import/src",
    "host/llm/src",
    "host/page/src",
    "host/plugin/src",
    "host/slack/src",
    "host/sql/src",
    "host/sqlite/src",
    "host/testkit/src",
];
/// How the names of settings end.
const SETTINGS: [&str; 3] = ["Settings", "Limits", "Options"];
/// What begins the reason.
const REASON: &str = "Exhaustive on purpose: ";

#[test]
fn new_cases_of_public_enums_and_new_settings_break_nobody() {
    let mut closed = Vec::new();
    for folder in CRATES {
        look_into(&project_file(folder), &mut closed);
    }
    super::assert_none(&closed);
}

#[test]
fn closed_enums_and_settings_are_found() {
    let found = |text: &str| closed(&syn::parse_file(text).unwrap().items);
    assert_eq!(found("pub enum A { B }"), ["A"]);
    assert_eq!(found("/// Two cases.\npub enum A { B }"), ["A"]);
    assert_eq!(found("mod inner { pub enum A { B } }"), ["A"]);
    assert!(found("#[non_exhaustive] pub enum A { B }").is_empty());
    assert!(found("/// Exhaustive on purpose: a reason.\npub enum A { B }").is_empty());
    assert!(found("pub(crate) enum A { B }\nenum C { D }").is_empty());
    assert_eq!(found("pub struct ALimits { pub b: u8 }"), ["ALimits"]);
    assert!(found("#[non_exhaustive] pub struct ALimits { pub b: u8 }").is_empty());
    assert!(found("pub struct ALimits { b: u8 }\npub struct C { pub d: u8 }").is_empty());
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

/// The names of public enums and settings that have neither the attribute nor a reason.
fn closed(items: &[Item]) -> Vec<String> {
    let mut names = Vec::new();
    for item in items {
        match item {
            Item::Enum(item) if is_closed(&item.vis, &item.attrs) => {
                names.push(item.ident.to_string());
            }
            Item::Struct(item) if is_settings(item) && is_closed(&item.vis, &item.attrs) => {
                names.push(item.ident.to_string());
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

fn is_closed(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    let is_open =
        |attribute: &Attribute| attribute.path().is_ident("non_exhaustive") || is_reason(attribute);
    matches!(visibility, Visibility::Public(_)) && !attributes.iter().any(is_open)
}

/// Whether this is a struct of settings that others could write field by field.
fn is_settings(item: &ItemStruct) -> bool {
    let name = item.ident.to_string();
    let mut fields = item.fields.iter();
    SETTINGS.iter().any(|end| name.ends_with(*end))
        && fields.all(|field| matches!(field.vis, Visibility::Public(_)))
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
