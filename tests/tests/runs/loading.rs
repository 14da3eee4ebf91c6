//! Files that are no component, or one for another host, and compiled code that is damaged or not ours.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use myao::component::{LoadError, LoadedComponent};
use myao_tests::project_file;
use tempfile::TempDir;

fn component() -> Vec<u8> {
    fs::read(project_file("target/component/faulty.wasm"))
        .unwrap_or_else(|error| panic!("{error}; run `scripts/build-component faulty` first"))
}

fn load(bytes: &[u8]) -> Result<LoadedComponent, LoadError> {
    LoadedComponent::from_bytes("plugin.wasm", bytes, None)
}

#[track_caller]
fn assert_broken(bytes: &[u8]) {
    let error = load(bytes).err().unwrap();
    assert!(matches!(error, LoadError::Broken { .. }), "{error}");
    assert!(
        error.to_string().starts_with("plugin.wasm is not"),
        "{error}"
    );
}

#[test]
fn a_corrupted_component_is_broken() {
    let whole = component();
    assert_broken(b"");
    assert_broken(b"not WebAssembly");
    assert_broken(&whole[..whole.len() - 1]);
    assert_broken(&[whole.as_slice(), b"more"].concat());
    let mut flipped = whole.clone();
    // The type of the first section.
    flipped[8] = 0x7f;
    assert_broken(&flipped);
    // A core module.
    assert_broken(b"\0asm\x01\0\0\0");
}

#[test]
fn a_component_of_another_version_is_told_apart_with_both_versions() {
    let text = b"@0.1.0";
    let mut other = component();
    for at in 0..other.len() - text.len() {
        if &other[at..at + text.len()] == text {
            other[at + 1..at + text.len()].copy_from_slice(b"0.9.0");
        }
    }
    let error = load(&other).err().unwrap();
    assert!(matches!(error, LoadError::Incompatible { .. }), "{error}");
    let told = error.to_string();
    for word in [
        "plugin.wasm",
        "myao:memory/memory-summarizer@0.9.0",
        "myao:memory 0.1.0",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
}

#[test]
fn a_foreign_component_is_told_apart() {
    // An empty component.
    let error = load(b"\0asm\x0d\0\x01\0").err().unwrap();
    assert!(matches!(error, LoadError::Incompatible { .. }), "{error}");
    assert!(
        error.to_string().contains("no interface of myao:memory"),
        "{error}"
    );
}

/// A cache with one compiled component.
struct Cache {
    top: TempDir,
    component: Vec<u8>,
}

impl Cache {
    fn filled() -> Self {
        let cache = Self {
            top: tempfile::tempdir().unwrap(),
            component: component(),
        };
        cache.load();
        cache
    }

    fn folder(&self) -> PathBuf {
        self.top.path().join("cache")
    }

    fn load(&self) {
        LoadedComponent::from_bytes("plugin.wasm", &self.component, Some(&self.folder())).unwrap();
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    fn file(&self) -> PathBuf {
        let files = self.files();
        assert_eq!(files.len(), 1, "{files:?}");
        files[0].clone()
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn compiled_code_is_private_and_leaves_no_parts() {
    let cache = Cache::filled();
    assert_eq!(mode(&cache.folder()), 0o700);
    assert_eq!(mode(&cache.file()), 0o600);
}

/// Whether a file was taken as it is: else it is written anew.
fn is_used(cache: &Cache) -> bool {
    let file = cache.file();
    let before = fs::read(&file).unwrap();
    let marked = fs::metadata(&file).unwrap().modified().unwrap();
    cache.load();
    let same_time = fs::metadata(&file).unwrap().modified().unwrap() == marked;
    same_time && fs::read(&file).unwrap() == before
}

#[test]
fn compiled_code_is_used_again() {
    assert!(is_used(&Cache::filled()));
}

#[test]
fn damaged_compiled_code_is_made_anew() {
    type Damage = fn(&mut Vec<u8>);
    let damages: [(&str, Damage); 4] = [
        ("empty", |bytes| bytes.clear()),
        ("truncated", |bytes| bytes.truncate(bytes.len() / 2)),
        ("one byte off", |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        }),
        ("another program's", |bytes| {
            *bytes = b"\x7fELF and nothing that anybody signed for".to_vec();
        }),
    ];
    for (name, damage) in damages {
        let cache = Cache::filled();
        let mut bytes = fs::read(cache.file()).unwrap();
        damage(&mut bytes);
        fs::write(cache.file(), &bytes).unwrap();
        assert!(!is_used(&cache), "{name}");
        // What was made in its place is good.
        assert!(is_used(&cache), "{name}");
    }
}

#[test]
fn compiled_code_that_others_may_write_is_made_anew() {
    let cache = Cache::filled();
    fs::set_permissions(cache.file(), fs::Permissions::from_mode(0o666)).unwrap();
    assert!(!is_used(&cache));
    assert_eq!(mode(&cache.file()), 0o600);
}

#[test]
fn compiled_code_in_a_folder_that_others_may_write_is_not_used() {
    let cache = Cache::filled();
    fs::set_permissions(cache.folder(), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(!is_used(&cache));
}

#[test]
fn precompiled_code_is_never_taken_for_a_component() {
    let cache = Cache::filled();
    let file = cache.file();
    let error = LoadedComponent::from_file(&file, None).err().unwrap();
    assert!(matches!(error, LoadError::Broken { .. }), "{error}");
    // Not even without our checksum behind it.
    let file = fs::read(&file).unwrap();
    assert_broken(&file[..file.len() - 32]);
}

#[test]
fn a_cache_that_cannot_be_written_costs_only_the_compilation() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a-file");
    fs::write(&file, "in the way").unwrap();
    assert!(LoadedComponent::from_bytes("plugin.wasm", &component(), Some(&file)).is_ok());
}
