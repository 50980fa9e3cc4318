//! How the engine is.

use serde::Deserialize;

/// What the engine is busy with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// Not started.
    #[default]
    Idle,
    /// Its module is on the way.
    Downloading {
        /// Bytes here.
        done: u64,
        /// Bytes in all; 0 when not known.
        total: u64,
    },
    /// Its module is being compiled.
    Compiling,
    /// The workspace is being read from its log.
    Recovering,
    /// It takes requests.
    Ready,
    /// It could not start.
    Failed {
        /// Why.
        message: String,
    },
}

/// What Python is busy with, once a notebook has asked for it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum PythonPhase {
    /// It is on the way.
    Downloading {
        /// Bytes here.
        done: u64,
        /// Bytes in all; 0 when not known.
        total: u64,
    },
    /// It is being started.
    Starting,
    /// It runs cells.
    Ready,
}

/// A status as the loader tells it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EngineStatus {
    /// What it is busy with.
    #[serde(flatten)]
    pub phase: Phase,
    /// Threads it runs on.
    #[serde(default = "one")]
    pub threads: u32,
    /// How often it was started again because it had stopped.
    #[serde(default)]
    pub restarts: u32,
    /// Why it was started again last, in words, if it was.
    #[serde(default)]
    pub reason: Option<String>,
    /// How Python is, once a notebook has asked for it.
    #[serde(default)]
    pub python: Option<PythonPhase>,
}

fn one() -> u32 {
    1
}

impl Default for EngineStatus {
    fn default() -> Self {
        Self { phase: Phase::default(), threads: 1, restarts: 0, reason: None, python: None }
    }
}

impl EngineStatus {
    /// Reads a status; what cannot be read is a failure that says so.
    pub fn parse(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_else(|error| Self {
            phase: Phase::Failed { message: format!("unknown status {json}: {error}") },
            ..Self::default()
        })
    }

    /// Whether requests are taken.
    pub fn is_ready(&self) -> bool {
        self.phase == Phase::Ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_read_from_json() {
        let status = EngineStatus::parse(r#"{"phase":"downloading","done":5,"total":9,"threads":1}"#);
        assert_eq!(status.phase, Phase::Downloading { done: 5, total: 9 });
        let status = EngineStatus::parse(r#"{"phase":"ready","threads":1,"restarts":2}"#);
        assert!(status.is_ready());
        assert_eq!(status.restarts, 2);
        let status = EngineStatus::parse(r#"{"phase":"ready","python":{"phase":"downloading","done":1,"total":2}}"#);
        assert_eq!(status.python, Some(PythonPhase::Downloading { done: 1, total: 2 }));
        assert!(matches!(EngineStatus::parse("{}").phase, Phase::Failed { .. }));
        assert_eq!(
            EngineStatus::parse(r#"{"phase":"failed","message":"no"}"#).phase,
            Phase::Failed { message: "no".into() }
        );
    }
}
