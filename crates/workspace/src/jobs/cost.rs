//! What things cost on a simulated clock: the durations that a reader is shown.
//!
//! They depend on the seed, the run and the place of the work alone, so that every replay gives equal ones.

use lakelet_base::Seed;
use lakelet_jobs::AttemptId;

/// A piece of work between two moments at which other iterations get their turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A statement.
    Statement,
    /// A Python cell.
    Cell,
    /// Nothing but saying that it cannot be done.
    Refusal,
}

/// Milliseconds of the `number`th unit of an attempt.
pub(super) fn millis(seed: Seed, run_id: u64, id: &AttemptId, number: u64, unit: Unit) -> i64 {
    let (least, spread) = match unit {
        Unit::Statement => (180, 440),
        Unit::Cell => (700, 900),
        Unit::Refusal => (20, 30),
    };
    let iteration = id.iteration.map_or(0, |index| index as u64 + 1);
    let mut state = seed.0;
    for part in [run_id, iteration, u64::from(id.attempt), number] {
        state = mix(state ^ part);
    }
    for byte in id.task_key.as_str().bytes() {
        state = mix(state ^ u64::from(byte));
    }
    least + i64::try_from(state % spread).unwrap_or(0)
}

/// One round of SplitMix64 (Steele, Lea, Flood 2014).
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_equal_in_every_replay_and_differ_between_iterations() {
        let id = |index| AttemptId { task_key: "copy".into(), iteration: Some(index), attempt: 0 };
        let cost = |index| millis(Seed(1), 1, &id(index), 0, Unit::Cell);
        assert_eq!(cost(0), cost(0));
        let costs: Vec<i64> = (0..50).map(cost).collect();
        assert!(costs.iter().all(|cost| (700..1_600).contains(cost)));
        assert!(costs.windows(2).any(|pair| pair[0] != pair[1]));
        assert_ne!(cost(0), millis(Seed(2), 1, &id(0), 0, Unit::Cell));
    }
}
