#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::*;
use crate::import::testing::{folder_of, zip_of};

fn read(archive: &mut Archive, name: &str) -> Result<String, ImportError> {
    let mut buffer = b"old".to_vec();
    archive.read(name, &mut buffer)?;
    Ok(String::from_utf8(buffer).unwrap())
}

#[test]
fn folder_and_zip_list_and_read_alike() {
    let files = [
        ("a.json", "one"),
        ("x/b.json", "two"),
        ("x/日本.json", "三"),
    ];
    let (folder, zip) = (folder_of(&files), zip_of(&files));
    for path in [folder.path(), zip.path()] {
        let mut archive = Archive::open(path).unwrap();
        assert_eq!(
            archive.names().collect::<Vec<_>>(),
            ["a.json", "x/b.json", "x/日本.json"]
        );
        assert_eq!(read(&mut archive, "x/日本.json").unwrap(), "三");
        assert_eq!(archive.descend("x").unwrap(), ["a.json"]);
        assert_eq!(archive.names().collect::<Vec<_>>(), ["b.json", "日本.json"]);
        assert_eq!(read(&mut archive, "b.json").unwrap(), "two");
    }
}

#[test]
fn a_folder_below_the_top_shows_its_folders_after_descending() {
    let folder = folder_of(&[
        ("top/a.json", "1"),
        ("top/x/b.json", "2"),
        ("top/x/y/c.json", "3"),
    ]);
    let mut archive = Archive::open(folder.path()).unwrap();
    assert_eq!(archive.names().collect::<Vec<_>>(), ["top/a.json"]);
    archive.descend("top").unwrap();
    assert_eq!(archive.names().collect::<Vec<_>>(), ["a.json", "x/b.json"]);
    assert_eq!(read(&mut archive, "x/b.json").unwrap(), "2");
}

#[test]
fn a_file_larger_than_the_limit_is_refused_and_named() {
    let files = [("big.json", "12345678")];
    let (folder, zip) = (folder_of(&files), zip_of(&files));
    for path in [folder.path(), zip.path()] {
        let mut archive = Archive::open(path).unwrap();
        archive.max_file_bytes = 8;
        assert_eq!(read(&mut archive, "big.json").unwrap(), "12345678");
        archive.max_file_bytes = 7;
        let error = read(&mut archive, "big.json").unwrap_err();
        assert!(
            matches!(&error, ImportError::TooLarge { file, limit: 7 } if file.ends_with("big.json")),
            "{error}"
        );
    }
}

#[test]
fn a_zip_that_was_cut_off_is_damaged() {
    let zip = zip_of(&[("users.json", "[]")]);
    let bytes = fs::read(zip.path()).unwrap();
    for keep in [bytes.len() - 10, bytes.len() / 2, 4] {
        fs::write(zip.path(), &bytes[..keep]).unwrap();
        let error = Archive::open(zip.path()).map(|_| ()).unwrap_err();
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
    let zip = zip_of(&[("users.json", "stored without compression")]);
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
