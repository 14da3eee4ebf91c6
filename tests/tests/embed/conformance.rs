//! What the packages' stores have to print when the conformance component checks them.

use std::collections::BTreeMap;
use std::process::Output;

use serde_json::Value;

/// A host of another runtime printed what came of each check: these stores of its package keep the contract, and lack nothing.
pub(crate) fn assert_kept(printed: &Output, stores: &[&str]) {
    let outcomes: BTreeMap<String, BTreeMap<String, Value>> =
        serde_json::from_slice(&printed.stdout).unwrap();
    let names: Vec<&str> = outcomes.keys().map(String::as_str).collect();
    assert_eq!(names, stores);
    for (store, outcomes) in outcomes {
        assert!(outcomes.len() > 50, "{store}: {outcomes:#?}");
        for (check, outcome) in outcomes {
            assert_eq!(outcome, "passed", "{store}: {check}");
        }
    }
}
