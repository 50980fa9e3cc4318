//! The golden cases of an AUTO CDC flow, straight against this crate. The full set with parser, change feeds and stored
//! tables runs through SQL in the `golden` crate.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test code")]

mod support;

use support::Case;
use support::check::{check, check_all, check_arrival};

const CASES: &str = "../golden/cases/auto-cdc.jsonl";

#[test]
fn golden_cases_hold() {
    let cases = Case::read(CASES);
    assert!(cases.len() > 100, "{} cases", cases.len());
    check_all(&cases, |case| check(case, false));
}

#[test]
fn golden_cases_hold_across_restarts() {
    check_all(&Case::read(CASES), |case| check(case, true));
}

#[test]
fn golden_cases_do_not_depend_on_arrival() {
    check_all(&Case::read(CASES), |case| check_arrival(case, 12));
}

#[test]
fn wrong_expectations_fail() {
    let cases = Case::read("../golden/cases/auto-cdc/wrong/cases.jsonl");
    assert_eq!(cases.len(), 10);
    for case in &cases {
        assert!(check(case, false).is_err(), "{} passes", case.id());
    }
}
