use super::*;
use ResultState::{Canceled, Disabled, Excluded, Failed, Success, TimedOut, UpstreamCanceled, UpstreamFailed};

fn decided(run_if: RunIf, states: &[ResultState]) -> Decision {
    let dependencies: Vec<EndedDependency> = states.iter().map(|state| EndedDependency::new(*state)).collect();
    decide(run_if, &dependencies)
}

/// The words of a truth table: `run`, or the state the task ends in.
fn check(run_if: RunIf, table: &[(&[ResultState], &str)]) {
    for (states, expected) in table {
        let got = match decided(run_if, states) {
            Decision::Run => "run",
            Decision::End(state) => state.as_str(),
            Decision::FailForInputs => "fail",
        };
        assert_eq!(got, *expected, "{run_if:?} of {states:?}");
    }
}

#[test]
fn all_success_needs_every_dependency() {
    check(
        RunIf::AllSuccess,
        &[
            (&[], "run"),
            (&[Success, Excluded], "run"),
            (&[Success, Failed], "UPSTREAM_FAILED"),
            (&[TimedOut], "UPSTREAM_FAILED"),
            (&[Canceled], "UPSTREAM_CANCELED"),
            (&[UpstreamCanceled, Success], "UPSTREAM_CANCELED"),
            (&[Canceled, Failed], "UPSTREAM_FAILED"),
            (&[Success, Disabled], "DISABLED"),
            (&[Excluded, Excluded], "EXCLUDED"),
        ],
    );
}

#[test]
fn at_least_one_success_takes_exclusion_for_one() {
    check(
        RunIf::AtLeastOneSuccess,
        &[
            (&[Success, Failed], "run"),
            (&[Excluded, Failed], "run"),
            (&[Disabled, Success], "run"),
            (&[Failed, Failed], "UPSTREAM_FAILED"),
            (&[Disabled, Failed], "UPSTREAM_FAILED"),
            (&[Disabled], "DISABLED"),
        ],
    );
}

#[test]
fn none_failed_needs_something_that_ended() {
    check(
        RunIf::NoneFailed,
        &[
            (&[Success, Excluded], "run"),
            (&[Disabled, Excluded], "run"),
            (&[Success, Canceled], "UPSTREAM_CANCELED"),
            (&[Excluded], "EXCLUDED"),
            (&[Disabled, Disabled], "DISABLED"),
        ],
    );
}

#[test]
fn all_done_runs_unless_all_are_excluded() {
    check(
        RunIf::AllDone,
        &[
            (&[Failed, UpstreamFailed], "run"),
            (&[Disabled], "run"),
            (&[Excluded, Disabled], "run"),
            (&[Excluded], "EXCLUDED"),
        ],
    );
}

#[test]
fn failure_handlers_are_excluded_when_not_needed() {
    check(
        RunIf::AtLeastOneFailed,
        &[
            (&[Success, UpstreamFailed], "run"),
            (&[Canceled], "run"),
            (&[Success], "EXCLUDED"),
            (&[Success, Disabled], "EXCLUDED"),
            (&[Disabled], "DISABLED"),
        ],
    );
    check(
        RunIf::AllFailed,
        &[(&[Failed, TimedOut], "run"), (&[Failed, Excluded], "EXCLUDED"), (&[Failed, Disabled], "DISABLED")],
    );
}

#[test]
fn a_branch_that_was_not_taken_is_excluded() {
    let branch = |outcome, wanted| EndedDependency { branch: Some((outcome, wanted)), ..EndedDependency::new(Success) };
    assert_eq!(decide(RunIf::AllSuccess, &[branch(true, true)]), Decision::Run);
    assert_eq!(decide(RunIf::AllDone, &[branch(false, true)]), Decision::End(Excluded));
    assert_eq!(decide(RunIf::AllSuccess, &[branch(false, true), EndedDependency::new(Success)]), Decision::Run);
}

#[test]
fn inputs_from_a_disabled_task_fail_what_would_run() {
    let disabled = EndedDependency { provides_inputs: true, ..EndedDependency::new(Disabled) };
    assert_eq!(decide(RunIf::AllDone, &[disabled]), Decision::FailForInputs);
    assert_eq!(decide(RunIf::AllSuccess, &[disabled]), Decision::End(Disabled));
}

#[test]
fn the_last_tasks_decide_about_the_run() {
    let result = |tasks: &[(&'static str, ResultState, Vec<&'static str>)]| job_result(tasks);
    assert_eq!(result(&[("a", Failed, vec![]), ("b", Success, vec!["a"])]), ResultState::SuccessWithFailures);
    assert_eq!(result(&[("a", Success, vec![]), ("b", Failed, vec!["a"])]), Failed);
    assert_eq!(result(&[("a", Failed, vec![]), ("b", UpstreamFailed, vec!["a"])]), Failed);
    assert_eq!(result(&[("a", Success, vec![]), ("b", Excluded, vec!["a"])]), Success);
    assert_eq!(result(&[("a", Success, vec![]), ("b", Canceled, vec![])]), Canceled);
    assert_eq!(result(&[("a", Failed, vec![]), ("b", Canceled, vec![])]), Failed);
    assert_eq!(result(&[("a", Success, vec![]), ("b", Disabled, vec![])]), Success);
    assert_eq!(result(&[]), Success);
}
