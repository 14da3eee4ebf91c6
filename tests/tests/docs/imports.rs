//! Imports run downwards: files and folders that need each other can only be read together.
//!
//! A file may use its own modules and be used by them. Between the modules of one folder there is no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use myao_tests::project_file;
use syn::visit::Visit;
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree, Visibility};

/// A module, by the names on its way from the crate's root.
type Module = Vec<String>;

/// The crates whose files are looked at.
const CRATES: [&str; 14] = [
    "guest/src",
    "host/bot/src",
    "host/cli/src",
    "host/embed/src",
    "host/import/src",
    "host/llm/src",
    "host/page/src",
    "host/plugin/src",
    "host/secrets/src",
    "host/slack/src",
    "host/sql/src",
    "host/sqlite/src",
    "host/terms/src",
    "host/testkit/src",
];

#[test]
fn no_files_or_folders_need_each_other() {
    let mut circles = Vec::new();
    for folder in CRATES {
        let found = Sources::read(&project_file(folder)).circles();
        circles.extend(found.iter().map(|circle| format!("{folder}: {circle}")));
    }
    super::assert_none(&circles);
}

#[test]
fn circles_are_found() {
    let sources = Sources::of(&[
        ("", "mod a; mod b; mod c;"),
        ("a", "mod inner; use crate::b::B; pub struct A;"),
        ("a/inner", "use super::A;"),
        ("b", "use crate::c::C; pub struct B;"),
        (
            "c",
            "pub struct C; fn f() -> super::a::inner::I { todo!() }",
        ),
    ]);
    assert_eq!(sources.circles(), ["a, b, c"]);
    let without = Sources::of(&[
        ("a", "use crate::b::B; pub struct A;"),
        ("b", "#[cfg(test)] mod tests { use crate::a::A; }"),
    ]);
    assert!(without.circles().is_empty());
}

/// What the files of a crate use.
#[derive(Default)]
struct Sources {
    paths: BTreeMap<Module, Vec<Vec<String>>>,
    /// What a module hands on under a name of its own.
    exports: BTreeMap<Module, Module>,
}

impl Sources {
    fn read(root: &Path) -> Self {
        let mut sources = Self::default();
        sources.read_folder(root, &Vec::new());
        assert!(!sources.paths.is_empty(), "{} is read", root.display());
        sources
    }

    #[cfg(test)]
    fn of(files: &[(&str, &str)]) -> Self {
        let mut sources = Self::default();
        for (path, text) in files {
            let module = path.split_terminator('/').map(str::to_owned).collect();
            sources.add(module, text);
        }
        sources
    }

    fn read_folder(&mut self, folder: &Path, module: &Module) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let within = |name: &str| [module.as_slice(), &[name.to_owned()]].concat();
            let is_test = stem.ends_with("tests") || stem == "testing";
            if is_test {
                continue;
            } else if path.is_dir() {
                self.read_folder(&path, &within(&stem));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let own = match stem.as_str() {
                    "mod" | "lib" | "main" => module.clone(),
                    name => within(name),
                };
                self.add(own, &fs::read_to_string(&path).unwrap());
            }
        }
    }

    fn add(&mut self, module: Module, text: &str) {
        let mut paths = Paths::default();
        paths.visit_file(&syn::parse_file(text).unwrap());
        for (path, name) in paths.exports {
            if let Some(target) = absolute(&module, &path) {
                self.exports
                    .insert([module.as_slice(), &[name]].concat(), target);
            }
        }
        self.paths.entry(module).or_default().extend(paths.used);
    }

    /// The file that a path leads to, through re-exports.
    fn file_of(&self, mut path: Module) -> Module {
        for _ in 0..8 {
            let exported = (1..=path.len()).rev().find_map(|length| {
                let (name, rest) = path.split_at(length);
                let target = self.exports.get(name)?;
                (!self.paths.contains_key(name)).then(|| [target.as_slice(), rest].concat())
            });
            match exported {
                Some(target) => path = target,
                None => break,
            }
        }
        while !path.is_empty() && !self.paths.contains_key(&path) {
            path.pop();
        }
        path
    }

    /// The modules of each folder that need each other.
    fn circles(&self) -> Vec<String> {
        let mut needs: BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for (module, paths) in &self.paths {
            for path in paths.iter().filter_map(|path| absolute(module, path)) {
                let target = self.file_of(path);
                let common = module.iter().zip(&target).take_while(|(a, b)| a == b);
                let common = common.count();
                if let (Some(from), Some(to)) = (module.get(common), target.get(common)) {
                    let folder = needs.entry(module[..common].to_vec()).or_default();
                    folder.entry(from.clone()).or_default().insert(to.clone());
                }
            }
        }
        let mut circles = BTreeSet::new();
        for (folder, needs) in needs {
            for name in needs.keys() {
                let circle: Vec<String> = needs
                    .keys()
                    .filter(|other| reaches(&needs, name, other) && reaches(&needs, other, name))
                    .map(|other| {
                        [folder.as_slice(), std::slice::from_ref(other)]
                            .concat()
                            .join("/")
                    })
                    .collect();
                if circle.len() > 1 {
                    circles.insert(circle.join(", "));
                }
            }
        }
        circles.into_iter().collect()
    }
}

fn reaches(needs: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut next = vec![from];
    while let Some(name) = next.pop() {
        for needed in needs.get(name).into_iter().flatten() {
            if needed == to {
                return true;
            }
            if seen.insert(needed) {
                next.push(needed);
            }
        }
    }
    false
}

/// A path from the crate's root; `None` if it leads to another crate.
fn absolute(module: &Module, path: &[String]) -> Option<Module> {
    let supers = path.iter().take_while(|name| *name == "super").count();
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module.as_slice(), &path[1..]].concat()),
        "super" => {
            let above = module.get(..module.len().checked_sub(supers)?)?;
            Some([above, &path[supers..]].concat())
        }
        _ => None,
    }
}

/// The paths in a file, code of tests left out.
#[derive(Default)]
struct Paths {
    used: Vec<Vec<String>>,
    exports: Vec<(Vec<String>, String)>,
    /// How many modules the place is within, in this file.
    depth: usize,
}

impl Paths {
    /// A path as the file itself would write it.
    fn push(&mut self, mut path: Vec<String>) {
        let supers = path.iter().take_while(|name| *name == "super").count();
        path.drain(..supers.min(self.depth));
        if supers > 0 && supers <= self.depth {
            path.insert(0, "self".to_owned());
        }
        self.used.push(path);
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            _ => &[],
        };
        if !attributes.iter().any(is_test) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.depth += 1;
        syn::visit::visit_item_mod(self, item);
        self.depth -= 1;
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let mut leaves = Vec::new();
        collect(&item.tree, &mut Vec::new(), &mut leaves);
        let is_export = !matches!(item.vis, Visibility::Inherited);
        for (path, name) in leaves {
            let is_own = !["crate", "self", "super"].contains(&path[0].as_str());
            if is_export && self.depth == 0 {
                let mut exported = path.clone();
                if is_own {
                    exported.insert(0, "self".to_owned());
                }
                self.exports.push((exported, name));
            }
            self.push(path);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter();
        self.push(names.map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }
}

/// The leaves of an import, each with the name that it brings.
fn collect(tree: &UseTree, path: &mut Vec<String>, leaves: &mut Vec<(Vec<String>, String)>) {
    match tree {
        UseTree::Path(inner) => {
            path.push(inner.ident.to_string());
            collect(&inner.tree, path, leaves);
            path.pop();
        }
        UseTree::Name(name) if name.ident == "self" => {
            leaves.push((path.clone(), path.last().cloned().unwrap_or_default()));
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            leaves.push((
                [path.as_slice(), std::slice::from_ref(&name)].concat(),
                name,
            ));
        }
        UseTree::Rename(rename) => {
            let target = [path.as_slice(), &[rename.ident.to_string()]].concat();
            leaves.push((target, rename.rename.to_string()));
        }
        UseTree::Glob(_) => leaves.push((path.clone(), "*".to_owned())),
        UseTree::Group(group) => {
            for tree in &group.items {
                collect(tree, path, leaves);
            }
        }
    }
}

fn is_test(attribute: &Attribute) -> bool {
    let mut is_test = false;
    if attribute.path().is_ident("cfg") {
        let _ = attribute.parse_nested_meta(|meta| {
            is_test |= meta.path.is_ident("test");
            Ok(())
        });
    }
    is_test
}
