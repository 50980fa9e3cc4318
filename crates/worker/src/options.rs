//! What the page decides about a workspace.

use lakelet_base::{Limits, Seed, Timestamp};
use lakelet_workspace::{ClockMode, WorkspaceOptions};
use serde::Deserialize;

use crate::host;

/// The options as the page writes them; all may be left out.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EngineOptions {
    /// RFC 3339: a simulated clock that starts there. `null`: real time. Left out: the lessons' clock.
    #[serde(deserialize_with = "given")]
    clock: Option<Option<String>>,
    /// Seed of everything that looks random.
    seed: u64,
    /// Bounds for small machines.
    limits: SmallLimits,
    /// Workers of this page before this one.
    restarts: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SmallLimits {
    store_bytes_max: Option<usize>,
    statement_memory_bytes_max: Option<usize>,
}

/// Reads the options; with them how many workers of the page there were before.
///
/// # Errors
/// A sentence that says what makes no sense.
pub fn read(json: &str) -> Result<(WorkspaceOptions, u32), String> {
    let options: EngineOptions =
        serde_json::from_str(json).map_err(|error| format!("The options are wrong: {error}."))?;
    let clock = match options.clock {
        None => ClockMode::Simulated { start: Timestamp::LESSON_START },
        Some(None) => ClockMode::Real { system: Box::new(host::system_time) },
        Some(Some(text)) => {
            let start = Timestamp::parse_rfc3339(&text).map_err(|error| format!("The clock is wrong: {error}."))?;
            ClockMode::Simulated { start }
        }
    };
    let mut limits = Limits::default();
    if let Some(bytes) = options.limits.store_bytes_max {
        limits.store_bytes_max = bytes;
    }
    if let Some(bytes) = options.limits.statement_memory_bytes_max {
        limits.statement_memory_bytes_max = bytes;
    }
    let workspace =
        WorkspaceOptions { clock, limits, seed: Seed(options.seed), measured_ms: Box::new(host::measured_ms) };
    Ok((workspace, options.restarts))
}

/// Tells `null` from a field that is not there.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_is_that_of_the_lessons_unless_told() {
        let starts_at = |json: &str| match read(json).unwrap().0.clock {
            ClockMode::Simulated { start } => Some(start.to_string()),
            ClockMode::Real { .. } => None,
        };
        assert_eq!(starts_at("{}").as_deref(), Some("2026-03-02T09:00:00Z"));
        assert_eq!(starts_at(r#"{"clock":"2025-01-01T00:00:00Z"}"#).as_deref(), Some("2025-01-01T00:00:00Z"));
        assert_eq!(starts_at(r#"{"clock":null}"#), None);
    }

    #[test]
    fn limits_and_seed_are_taken_over() {
        let (options, restarts) = read(r#"{"seed":7,"limits":{"store_bytes_max":1000},"restarts":2}"#).unwrap();
        assert_eq!(restarts, 2);
        assert_eq!(options.seed, Seed(7));
        assert_eq!(options.limits.store_bytes_max, 1000);
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        for (json, part) in [
            ("", "options"),
            (r#"{"clok":null}"#, "clok"),
            (r#"{"clock":"yesterday"}"#, "yesterday"),
            (r#"{"limits":{"rows":1}}"#, "rows"),
        ] {
            let Err(message) = read(json) else { panic!("{json} was taken") };
            assert!(message.contains(part), "{message}");
        }
    }
}
