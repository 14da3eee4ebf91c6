#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::*;
use crate::testing::{folder_of, zip_of};

/// The names of all files, in order, with their numbers.
fn names(archive: &mut Archive) -> Vec<(String, FileNumber)> {
    let mut names = Vec::new();
    let visited = archive.visit(&mut |name, number| {
        names.push((name.to_owned(), number));
        Ok(true)
    });
    visited.unwrap();
    names.sort();
    names
}

fn only_names(archive: &mut Archive) -> Vec<String> {
    names(archive).into_iter().map(|(name, _)| name).collect()
}

/// The one text in the list that a file holds.
fn read(archive: &mut Archive, name: &str) -> Result<String, ImportError> {
    let found = names(archive).into_iter().find(|(found, _)| found == name);
    let mut list = archive.list(name, found.unwrap().1)?;
    let Some(Element::Value(text, _)) = list.next::<String>()? else {
        panic!("`{name}` holds no text");
    };
    assert!(list.next::<String>()?.is_none());
    Ok(text)
}

#[test]
fn folder_and_zip_list_and_read_alike() {
    let files = [
        ("a.json", r#"["one"]"#),
        ("x/b.json", r#"["two"]"#),
        ("x/日本.json", r#"["三"]"#),
    ];
    let (folder, zip) = (folder_of(&files), zip_of(&files));
    for path in [folder.path(), zip.path()] {
        let mut archive = Archive::open(path).unwrap();
        assert_eq!(
            only_names(&mut archive),
            ["a.json", "x/b.json", "x/日本.json"]
        );
        assert_eq!(read(&mut archive, "x/日本.json").unwrap(), "三");
        archive.descend("x");
        assert_eq!(only_names(&mut archive), ["b.json", "日本.json"]);
        assert_eq!(read(&mut archive, "b.json").unwrap(), "two");
    }
}

#[test]
fn a_folder_below_the_top_shows_its_folders_after_descending() {
    let folder = folder_of(&[
        ("top/a.json", "[]"),
        ("top/x/b.json", r#"["2"]"#),
        ("top/x/y/c.json", "[]"),
    ]);
    let mut archive = Archive::open(folder.path()).unwrap();
    assert_eq!(only_names(&mut archive), ["top/a.json"]);
    archive.descend("top");
    assert_eq!(only_names(&mut archive), ["a.json", "x/b.json"]);
    assert_eq!(read(&mut archive, "x/b.json").unwrap(), "2");
}

#[test]
fn a_file_larger_than_the_limit_is_refused_and_named() {
    let files = [("big.json", r#"["45678"]"#)];
    let (folder, zip) = (folder_of(&files), zip_of(&files));
    for path in [folder.path(), zip.path()] {
        let mut archive = Archive::open(path).unwrap();
        archive.max_file_bytes = 9;
        assert_eq!(read(&mut archive, "big.json").unwrap(), "45678");
        archive.max_file_bytes = 8;
        let error = read(&mut archive, "big.json").unwrap_err();
        assert!(
            matches!(&error, ImportError::TooLarge { file, limit: 8 } if file.ends_with("big.json")),
            "{error}"
        );
    }
}

#[test]
fn all_files_together_have_a_limit_for_each_reading() {
    let files = [("a.json", r#"["45678"]"#), ("b.json", r#"["45678"]"#)];
    let folder = folder_of(&files);
    let mut archive = Archive::open(folder.path()).unwrap();
    archive.max_bytes = 17;
    archive.read_again();
    read(&mut archive, "a.json").unwrap();
    let error = read(&mut archive, "b.json").unwrap_err();
    assert!(
        matches!(&error, ImportError::ExportTooLarge { path, limit: 17 } if path == folder.path()),
        "{error}"
    );
    archive.read_again();
    read(&mut archive, "b.json").unwrap();
}

#[test]
fn a_small_zip_file_may_unpack_to_a_gigabyte_and_a_large_one_to_a_hundred_times_its_size() {
    let zip = zip_of(&[("a.json", "[]")]);
    assert_eq!(Archive::open(zip.path()).unwrap().max_bytes, 1 << 30);
    let bytes = fs::read(zip.path()).unwrap();
    let mut large = vec![0; 50_000_000];
    large.extend(bytes);
    fs::write(zip.path(), &large).unwrap();
    let expected = 100 * large.len() as u64;
    assert_eq!(Archive::open(zip.path()).unwrap().max_bytes, expected);
}

#[cfg(unix)]
#[test]
fn links_pipes_and_sockets_are_refused_by_name_and_not_opened() {
    type Make<'a> = &'a dyn Fn(&Path);
    let secret = folder_of(&[("secret", "root:x:0")]);
    let make: [(&str, Make<'_>); 4] = [
        ("a symbolic link", &|path| {
            std::os::unix::fs::symlink(secret.path().join("secret"), path).unwrap();
        }),
        ("a symbolic link", &|path| {
            std::os::unix::fs::symlink(secret.path(), path).unwrap();
        }),
        ("a named pipe", &|path| {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        }),
        ("a socket", &|path| {
            std::os::unix::net::UnixListener::bind(path).unwrap();
        }),
    ];
    for (expected, make) in make {
        let folder = folder_of(&[("general/2024-03-02.json", "[]")]);
        let mut archive = Archive::open(folder.path()).unwrap();
        let path = folder.path().join("general/2024-03-01.json");
        make(&path);
        for error in [
            archive.visit(&mut |_, _| Ok(true)).unwrap_err(),
            archive
                .list("general/2024-03-01.json", FileNumber::default())
                .map(|_| ())
                .unwrap_err(),
        ] {
            assert!(
                matches!(&error, ImportError::Special { path: found, kind } if *found == path && *kind == expected),
                "{error}"
            );
        }
    }
}

#[test]
fn a_zip_that_was_cut_off_is_damaged() {
    let zip = zip_of(&[("users.json", "[]")]);
    let bytes = fs::read(zip.path()).unwrap();
    for keep in [bytes.len() - 10, bytes.len() / 2, 4] {
        fs::write(zip.path(), &bytes[..keep]).unwrap();
        let mut archive = Archive::open(zip.path());
        let error = match &mut archive {
            Ok(archive) => archive.visit(&mut |_, _| Ok(true)).unwrap_err(),
            Err(_) => archive.map(|_| ()).unwrap_err(),
        };
        assert!(matches!(&error, ImportError::DamagedZip { .. }), "{error}");
        assert!(
            error
                .to_string()
                .contains(&zip.path().display().to_string())
        );
    }
}

#[test]
fn a_changed_byte_in_a_zip_entry_is_damage_and_names_the_entry() {
    let zip = zip_of(&[("users.json", r#"["stored without compression"]"#)]);
    let mut bytes = fs::read(zip.path()).unwrap();
    let at = bytes
        .windows(6)
        .position(|window| window == b"stored")
        .unwrap();
    bytes[at] = b'S';
    fs::write(zip.path(), bytes).unwrap();
    let mut archive = Archive::open(zip.path()).unwrap();
    let error = read(&mut archive, "users.json").unwrap_err();
    assert!(
        matches!(&error, ImportError::DamagedZip { file, .. } if file.ends_with(": users.json")),
        "{error}"
    );
}

#[test]
fn an_encrypted_entry_says_so() {
    let zip = zip_of(&[("users.json", "[]")]);
    let mut bytes = fs::read(zip.path()).unwrap();
    // Bit 0 of the flags, 6 bytes into the local header and 8 into the central one.
    let central = bytes
        .windows(4)
        .position(|window| window == b"PK\x01\x02")
        .unwrap();
    bytes[6] |= 1;
    bytes[central + 8] |= 1;
    fs::write(zip.path(), bytes).unwrap();
    let mut archive = Archive::open(zip.path()).unwrap();
    let error = read(&mut archive, "users.json").unwrap_err();
    assert!(
        matches!(&error, ImportError::Encrypted { file } if file.ends_with(": users.json")),
        "{error}"
    );
}
