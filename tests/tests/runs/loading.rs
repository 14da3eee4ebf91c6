//! Files that are no component, or one for another host, and compiled code that is damaged or not ours.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use myao_plugin::{LoadError, LoadedComponent};
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
    let text = b"@0.2.0";
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
        "myao:memory 0.2.0",
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
        let cache = Self::of(component());
        cache.load();
        cache
    }

    fn of(component: Vec<u8>) -> Self {
        Self {
            top: tempfile::tempdir().unwrap(),
            component,
        }
    }

    fn folder(&self) -> PathBuf {
        self.top.path().join("cache")
    }

    fn load(&self) {
        self.try_load().unwrap();
    }

    fn try_load(&self) -> Result<LoadedComponent, LoadError> {
        LoadedComponent::from_bytes("plugin.wasm", &self.component, Some(&self.folder()))
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

/// The user that owns nothing.
const NOBODY: u32 = 65534;

/// Whether files can be given to another user. Only root can do that: without, the test says that it is skipped.
#[must_use]
fn is_root(test: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let is_root = chown(folder.path(), Some(NOBODY), None).is_ok();
    if !is_root {
        eprintln!("!!!!!!!! SKIPPED: {test}: only root can give a file to another user");
    }
    is_root
}

/// A cache in which the code of an empty component is in the place of the component's.
fn with_planted_code() -> Cache {
    let empty = Cache::of(b"\0asm\x0d\0\x01\0".to_vec());
    // It does not fit this host, and is kept all the same.
    assert!(empty.try_load().is_err());
    let cache = Cache::filled();
    fs::write(cache.file(), fs::read(empty.file()).unwrap()).unwrap();
    cache
}

#[test]
fn compiled_code_of_another_user_is_not_run() {
    let cache = with_planted_code();
    assert!(cache.try_load().is_err(), "what is ours is run");
    if !is_root("compiled_code_of_another_user_is_not_run") {
        return;
    }
    // Nobody's file, in a folder of ours or of nobody's; our file in a folder of nobody's; and all of it below nobody's.
    let whose = |path: &Path| chown(path, Some(NOBODY), None).unwrap();
    let plants: [fn(&Cache) -> Vec<PathBuf>; 4] = [
        |cache| vec![cache.file()],
        |cache| vec![cache.file(), cache.folder()],
        |cache| vec![cache.folder()],
        |cache| vec![cache.top.path().to_owned()],
    ];
    for plant in plants {
        let cache = with_planted_code();
        let planted = plant(&cache);
        planted.iter().for_each(|path| whose(path));
        assert!(cache.try_load().is_ok(), "{planted:?}");
    }
}

#[test]
fn compiled_code_below_a_folder_that_others_may_exchange_is_not_used() {
    let cache = Cache::filled();
    fs::set_permissions(cache.top.path(), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(!is_used(&cache));
    // As `/tmp` is: others may add to it, and take nothing away.
    fs::set_permissions(cache.top.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    assert!(is_used(&cache));
    if is_root("compiled_code_below_a_folder_that_others_may_exchange_is_not_used") {
        chown(cache.top.path(), Some(NOBODY), None).unwrap();
        assert!(!is_used(&cache));
    }
}

#[test]
fn links_and_pipes_are_not_followed() {
    // A link to code that is ours.
    let cache = with_planted_code();
    let (name, elsewhere) = (cache.file(), cache.top.path().join("elsewhere"));
    fs::rename(&name, &elsewhere).unwrap();
    symlink(&elsewhere, &name).unwrap();
    cache.load();
    assert!(fs::symlink_metadata(&name).unwrap().is_file(), "made anew");

    // A pipe that nobody writes to.
    fs::remove_file(&name).unwrap();
    let made = Command::new("mkfifo").arg("-m600").arg(&name).status();
    assert!(made.unwrap().success());
    cache.load();
    assert!(fs::symlink_metadata(&name).unwrap().is_file(), "made anew");

    // A link in the place of the folder.
    let cache = with_planted_code();
    let elsewhere = cache.top.path().join("elsewhere");
    fs::rename(cache.folder(), &elsewhere).unwrap();
    symlink(&elsewhere, cache.folder()).unwrap();
    cache.load();
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
