//! A run of several checks: each is timed and counted, a failing one does not stop the others, and the last line sums
//! them up.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::outcome::Outcome;

/// How many checks of a stage held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Checks that held.
    pub passed: usize,
    /// Checks that did not.
    pub failed: usize,
}

impl Tally {
    /// One check that held.
    pub const ONE: Self = Self { passed: 1, failed: 0 };

    /// Adds the checks of another tally.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

struct Stage {
    name: &'static str,
    tally: Tally,
    time: Duration,
}

/// The stages run so far.
#[derive(Default)]
pub struct Stages {
    wanted: Vec<String>,
    done: Vec<Stage>,
}

impl Stages {
    /// Runs that leave out the stages whose names contain none of these words; without a word none is left out.
    pub fn only(wanted: Vec<String>) -> Self {
        Self { wanted, done: Vec::new() }
    }

    /// Runs a stage and prints its closing line. A stage that could not be carried out, or that checked nothing, has
    /// failed. Returns whether it held.
    pub fn run(&mut self, name: &'static str, stage: impl FnOnce() -> Outcome<Tally>) -> bool {
        if !self.wanted.is_empty() && !self.wanted.iter().any(|word| name.contains(word.as_str())) {
            return true;
        }
        println!("\n=== {name}");
        let started = Instant::now();
        let tally = match stage() {
            Ok(Tally { passed: 0, failed: 0 }) => {
                println!("{name}: nothing was checked");
                Tally { passed: 0, failed: 1 }
            }
            Ok(tally) => tally,
            Err(message) => {
                println!("{message}");
                Tally { passed: 0, failed: 1 }
            }
        };
        let time = started.elapsed();
        println!("{name}: {} passed, {} failed", tally.passed, tally.failed);
        // What a reader of a log sees must be in the order in which it happened.
        let flushed = io::stdout().flush().is_ok();
        self.done.push(Stage { name, tally, time });
        flushed && tally.failed == 0
    }

    /// Prints the time of each stage and the sum of all; the sum is the last line and stands alone on it. Returns
    /// whether everything held.
    pub fn finish(self) -> bool {
        println!("\n=== summary");
        let mut sum = Tally::default();
        let mut time = Duration::ZERO;
        for stage in &self.done {
            sum.add(stage.tally);
            time += stage.time;
            let mark = if stage.tally.failed == 0 { "ok    " } else { "FAILED" };
            println!("{mark} {:<14} {:>6.1} min", stage.name, stage.time.as_secs_f64() / 60.0);
        }
        println!("       {:<14} {:>6.1} min", "all", time.as_secs_f64() / 60.0);
        println!("{} passed, {} failed", sum.passed, sum.failed);
        sum.failed == 0 && sum.passed > 0
    }
}

#[cfg(test)]
mod tests {
    use super::{Stages, Tally};

    #[test]
    fn stage_that_checks_nothing_fails() {
        let mut stages = Stages::default();
        assert!(!stages.run("empty", || Ok(Tally::default())));
        assert!(!stages.finish());
    }

    #[test]
    fn unwanted_stages_are_left_out_and_a_run_without_any_fails() {
        let mut stages = Stages::only(vec!["tidy".to_owned()]);
        assert!(stages.run("format", || Err("not called".to_owned())));
        assert!(!stages.finish());
    }

    #[test]
    fn stage_that_cannot_be_carried_out_fails_and_the_next_still_runs() {
        let mut stages = Stages::default();
        assert!(!stages.run("broken", || Err("no compiler".to_owned())));
        assert!(stages.run("whole", || Ok(Tally { passed: 3, failed: 0 })));
        assert!(!stages.finish());
    }
}
