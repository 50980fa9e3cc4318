//! Words for states, times and origins, in the language in force.

use lakelet_base::Timestamp;
use lakelet_protocol::{ParameterOrigin, RunState, RunSummary};

use crate::messages::{duration_ms, t};

/// The word for a state; `repaired` is a success that was not one at once. Reactive.
pub fn state_word(state: RunState, repaired: bool) -> &'static str {
    let texts = &t().runs;
    match state {
        RunState::NotRun => texts.state_not_run,
        RunState::Blocked => texts.state_blocked,
        RunState::Queued => texts.state_queued,
        RunState::Waiting => texts.state_waiting,
        RunState::WaitingForRetry => texts.state_waiting_for_retry,
        RunState::Running => texts.state_running,
        RunState::Success if repaired => texts.state_repaired,
        RunState::Success => texts.state_success,
        RunState::SuccessWithWarnings => texts.state_success_with_warnings,
        RunState::SuccessWithFailures => texts.state_success_with_failures,
        RunState::Failed => texts.state_failed,
        RunState::Timedout => texts.state_timedout,
        RunState::Skipped => texts.state_skipped,
        RunState::Excluded => texts.state_excluded,
        RunState::Disabled => texts.state_disabled,
        RunState::Canceled => texts.state_canceled,
        RunState::UpstreamFailed => texts.state_upstream_failed,
        RunState::UpstreamCanceled => texts.state_upstream_canceled,
        RunState::Interrupted => texts.state_interrupted,
    }
}

/// Whether a run succeeded after a repair.
pub fn is_repaired(run: &RunSummary) -> bool {
    run.state == RunState::Success && run.repair_count > 0
}

/// A time span in words.
pub fn duration(ms: f64) -> String {
    duration_ms(ms.max(0.0))
}

/// The time of day, `09:30:05`.
pub fn time_of_day(instant: Timestamp) -> String {
    let (hour, minute, second) = instant.time_of_day();
    format!("{hour:02}:{minute:02}:{second:02}")
}

/// Where a value came from, in words. Reactive.
pub fn origin_word(origin: ParameterOrigin) -> &'static str {
    let texts = &t().runs;
    match origin {
        ParameterOrigin::Job | ParameterOrigin::Task => texts.origin_job,
        ParameterOrigin::Run => texts.origin_run,
        ParameterOrigin::Default => texts.origin_default,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATES: [RunState; 18] = [
        RunState::NotRun,
        RunState::Blocked,
        RunState::Queued,
        RunState::Waiting,
        RunState::WaitingForRetry,
        RunState::Running,
        RunState::Success,
        RunState::SuccessWithWarnings,
        RunState::SuccessWithFailures,
        RunState::Failed,
        RunState::Timedout,
        RunState::Skipped,
        RunState::Excluded,
        RunState::Disabled,
        RunState::Canceled,
        RunState::UpstreamFailed,
        RunState::UpstreamCanceled,
        RunState::Interrupted,
    ];

    #[test]
    fn english_words_are_those_that_names_use() {
        for state in STATES {
            assert_eq!(state_word(state, false), state.word());
        }
        assert_eq!(state_word(RunState::Success, true), "Succeeded (repaired)");
        assert_eq!(state_word(RunState::Failed, true), "Failed");
    }

    #[test]
    fn times_of_day_have_seconds() {
        assert_eq!(time_of_day(Timestamp::LESSON_START.plus_millis(65_900)), "09:01:05");
        assert_eq!(duration(-5.0), "< 1 ms");
    }
}
