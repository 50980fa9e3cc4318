//! Random workloads with the target that the reference model gave after each batch.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test code")]

mod support;

use support::Case;
use support::check::{check, check_all, check_arrival};

/// A sample is committed; a larger file can be named in `LAKELET_CDC_GENERATED`.
fn cases() -> Vec<Case> {
    Case::read(&std::env::var("LAKELET_CDC_GENERATED").unwrap_or_else(|_| "tests/generated.jsonl".to_owned()))
}

#[test]
fn generated_cases_hold() {
    let cases = cases();
    assert!(cases.len() > 50, "{} cases", cases.len());
    check_all(&cases, |case| check(case, false));
    check_all(&cases, |case| check(case, true));
}

#[test]
fn generated_cases_do_not_depend_on_arrival() {
    check_all(&cases(), |case| check_arrival(case, 4));
}
