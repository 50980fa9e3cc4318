//! States of runs, tasks and attempts, in the words of the Jobs API.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How something ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ResultState {
    /// It did what it should.
    Success,
    /// A run some of whose tasks failed, but none of its last ones.
    SuccessWithFailures,
    /// It went wrong.
    Failed,
    /// It took longer than allowed.
    TimedOut,
    /// Somebody stopped it.
    Canceled,
    /// What must succeed before did not.
    UpstreamFailed,
    /// What must succeed before was stopped.
    UpstreamCanceled,
    /// Its condition was not met, or it is on a branch that was not taken. Counts as success.
    Excluded,
    /// It is switched off, or needs something that is.
    Disabled,
}

impl ResultState {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("SUCCESS", Self::Success),
        ("SUCCESS_WITH_FAILURES", Self::SuccessWithFailures),
        ("FAILED", Self::Failed),
        ("TIMEDOUT", Self::TimedOut),
        ("CANCELED", Self::Canceled),
        ("UPSTREAM_FAILED", Self::UpstreamFailed),
        ("UPSTREAM_CANCELED", Self::UpstreamCanceled),
        ("EXCLUDED", Self::Excluded),
        ("DISABLED", Self::Disabled),
    ];

    /// The API's word.
    pub fn as_str(self) -> &'static str {
        Self::WORDS.iter().find(|(_, state)| *state == self).map_or("", |(word, _)| word)
    }

    /// The state of the API's word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, state)| *state)
    }

    /// Whether dependents take it for a success; exclusion is one.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Success | Self::SuccessWithFailures | Self::Excluded)
    }

    /// Whether dependents take it for a failure; being stopped is one.
    pub fn is_failure(self) -> bool {
        match self {
            Self::Failed | Self::TimedOut | Self::Canceled | Self::UpstreamFailed | Self::UpstreamCanceled => true,
            Self::Success | Self::SuccessWithFailures | Self::Excluded | Self::Disabled => false,
        }
    }

    /// Whether it comes from somebody stopping something.
    pub fn is_cancel(self) -> bool {
        matches!(self, Self::Canceled | Self::UpstreamCanceled)
    }
}

impl fmt::Display for ResultState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// Waits for tasks before it.
    Blocked,
    /// Could run, waits for its turn.
    Pending,
    /// Runs.
    Running,
    /// Failed and will be tried again later.
    WaitingForRetry,
    /// Ended.
    Ended(ResultState),
}

impl State {
    /// The word of the API: of the result when it has ended, else of the life cycle.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blocked => "BLOCKED",
            Self::Pending => "PENDING",
            Self::Running => "RUNNING",
            Self::WaitingForRetry => "WAITING_FOR_RETRY",
            Self::Ended(result) => result.as_str(),
        }
    }

    /// How it ended, when it has.
    pub fn result(self) -> Option<ResultState> {
        match self {
            Self::Ended(result) => Some(result),
            Self::Blocked | Self::Pending | Self::Running | Self::WaitingForRetry => None,
        }
    }

    /// Whether it has ended.
    pub fn is_ended(self) -> bool {
        self.result().is_some()
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Instants in stored runs: microseconds since 1970.
pub(crate) mod micros {
    use lakelet_base::Timestamp;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(instant: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        instant.0.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        i64::deserialize(deserializer).map(Timestamp)
    }

    /// The same where there may be none.
    pub(crate) mod option {
        use super::{Deserialize, Deserializer, Serialize, Serializer, Timestamp};

        pub(crate) fn serialize<S: Serializer>(instant: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
            instant.map(|instant| instant.0).serialize(serializer)
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
            Ok(Option::<i64>::deserialize(deserializer)?.map(Timestamp))
        }
    }
}
