//! What may change in the contract, and under which version.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;

use myao_contract::released::{Compared, ReleaseError, check};
use tempfile::TempDir;

const CONTRACT: &str = "package myao:kettle@0.1.0;

/// What the kettle needs.
interface water {
    /// So much water.
    record amount {
        /// In litres.
        litres: u32,
    }

    /// Draws water.
    draw: func(amount: amount) -> result<amount, string>;
}

/// What the kettle does.
interface tea {
    /// Makes tea.
    make: func() -> string;
}

world kettle {
    import water;
    export tea;
}
";

/// The contract as it is now, against what was released.
fn check_against(released: &[(&str, &str)], now: &str) -> Result<Compared, ReleaseError> {
    let folder = TempDir::new().unwrap();
    let wit = folder.path().join("wit");
    fs::create_dir(&wit).unwrap();
    fs::write(wit.join("kettle.wit"), now).unwrap();
    let copies = folder.path().join("released");
    fs::create_dir(&copies).unwrap();
    for (version, contract) in released {
        let copy = copies.join(version);
        fs::create_dir(&copy).unwrap();
        fs::write(copy.join("kettle.wit"), contract).unwrap();
    }
    check(&wit, &copies)
}

/// The contract with one text in place of another, under a version.
fn changed(version: &str, from: &str, to: &str) -> String {
    assert!(CONTRACT.contains(from));
    CONTRACT
        .replace(from, to)
        .replace("@0.1.0", &format!("@{version}"))
}

/// With the later version released too.
fn check_later(version: &str, from: &str, to: &str) -> Result<Compared, ReleaseError> {
    let now = changed(version, from, to);
    check_against(&[("0.1.0", CONTRACT), (version, &now)], &now)
}

#[test]
fn what_was_released_fits() {
    let compared = check_against(&[("0.1.0", CONTRACT)], CONTRACT).unwrap();
    assert_eq!(compared, Compared::Fits);
}

#[test]
fn documentation_may_change() {
    let now = changed(
        "0.1.0",
        "So much water.",
        "An amount of water, hot or cold.",
    );
    check_against(&[("0.1.0", CONTRACT)], &now).unwrap();
}

#[test]
fn meaning_may_not_change_under_a_version() {
    let now = changed("0.1.0", "litres: u32", "litres: u64");
    let refused = check_against(&[("0.1.0", CONTRACT)], &now).unwrap_err();
    let told = refused.to_string();
    assert!(matches!(refused, ReleaseError::Changed { .. }), "{told}");
    for part in [
        "it has `litres: u64,` instead of `litres: u32,`",
        "0.2.0",
        "scripts/freeze-wit",
    ] {
        assert!(told.contains(part), "{part} is not in: {told}");
    }
}

#[test]
fn what_is_removed_at_the_end_is_seen() {
    let now = changed("0.1.0", "    export tea;\n", "");
    let refused = check_against(&[("0.1.0", CONTRACT)], &now).unwrap_err();
    assert!(matches!(refused, ReleaseError::Changed { .. }), "{refused}");
}

#[test]
fn before_the_first_release_there_is_nothing_to_compare_with() {
    assert_eq!(
        check_against(&[], CONTRACT).unwrap(),
        Compared::NothingReleased
    );
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("kettle.wit"), CONTRACT).unwrap();
    let missing = folder.path().join("released");
    assert_eq!(
        check(folder.path(), &missing).unwrap(),
        Compared::NothingReleased
    );
}

#[test]
fn a_version_without_a_copy_is_to_be_frozen() {
    let now = changed("0.1.1", "So much", "So much");
    let refused = check_against(&[("0.1.0", CONTRACT)], &now).unwrap_err();
    assert!(
        matches!(refused, ReleaseError::NotFrozen { .. }),
        "{refused}"
    );
}

#[test]
fn a_patch_may_offer_more() {
    let more = "make: func() -> string;\n    /// Makes coffee.\n    brew: func() -> string;";
    check_later("0.1.1", "make: func() -> string;", more).unwrap();
}

#[test]
fn a_patch_may_need_less() {
    check_later("0.1.1", "    import water;\n", "").unwrap();
}

#[test]
fn a_patch_may_not_need_more() {
    let more = "draw: func(amount: amount) -> result<amount, string>;\n    boil: func();";
    let draw = "draw: func(amount: amount) -> result<amount, string>;";
    let refused = check_later("0.1.1", draw, more).unwrap_err();
    let told = refused.to_string();
    assert!(
        matches!(refused, ReleaseError::Incompatible { .. }),
        "{told}"
    );
    assert!(
        told.contains("`kettle`") && told.contains("0.2.0"),
        "{told}"
    );
}

#[test]
fn a_patch_may_not_change_a_type() {
    let refused = check_later("0.1.1", "litres: u32", "litres: u64").unwrap_err();
    assert!(
        matches!(refused, ReleaseError::Incompatible { .. }),
        "{refused}"
    );
}

#[test]
fn a_patch_may_not_drop_a_world() {
    let refused = check_later("0.1.1", "world kettle", "world pot").unwrap_err();
    assert!(
        matches!(refused, ReleaseError::Incompatible { .. }),
        "{refused}"
    );
}

#[test]
fn the_next_minor_version_before_1_may_change_everything() {
    check_later("0.2.0", "litres: u32", "litres: u64").unwrap();
}

#[test]
fn versions_go_up() {
    let refused = check_against(&[("0.1.0", CONTRACT)], &changed("0.0.9", "So", "So")).unwrap_err();
    assert!(matches!(refused, ReleaseError::Older { .. }), "{refused}");
}

#[test]
fn a_folder_is_named_by_its_version() {
    let refused = check_against(&[("0.1.1", CONTRACT)], CONTRACT).unwrap_err();
    assert!(
        matches!(refused, ReleaseError::Misnamed { .. }),
        "{refused}"
    );
}
