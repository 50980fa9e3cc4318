//! The hand on the run's clock: shows a run as slowly as the reader wants.

use std::time::Duration;

use lakelet_base::Timestamp;
use lakelet_protocol::RunView;
use leptos::prelude::*;

use crate::jobs::run::pace::{Pace, at, moments};
use crate::state::App;

const TICK: Duration = Duration::from_millis(100);
/// Longer runs are shown faster, so that nobody waits longer than this.
const LENGTH_MS_MAX: f64 = 15_000.0;

/// A run that may be shown slowly.
#[derive(Clone, Copy)]
pub struct Player {
    /// The run as it is.
    run: Memo<Option<RunView>>,
    /// The instant that is shown; the end when absent.
    now: RwSignal<Option<Timestamp>>,
    /// The instant from which it is shown.
    from: RwSignal<Option<Timestamp>>,
    /// The clock goes on by itself.
    playing: RwSignal<bool>,
    /// What is shown.
    pub shown: Memo<Option<RunView>>,
}

/// A player for a run. One that was just started or repaired begins at once, at the pace that is chosen.
pub fn player(app: App, run: Memo<Option<RunView>>) -> Player {
    let now = RwSignal::new(None);
    let player = Player {
        run,
        now,
        from: RwSignal::new(None),
        playing: RwSignal::new(false),
        shown: Memo::new(move |_| {
            let run = run.get()?;
            Some(match now.get() {
                Some(now) => at(&run, now),
                None => run,
            })
        }),
    };
    Effect::new(move || {
        let Some((run_id, from)) = app.jobs.play.get() else { return };
        if run.with(|run| run.as_ref().is_some_and(|run| run.summary.run_id == run_id)) {
            app.jobs.play.set(None);
            player.begin(app.jobs.pace.get_untracked(), from);
        }
    });
    let ticking = StoredValue::new(None::<IntervalHandle>);
    let stop = move || {
        if let Some(handle) = ticking.try_update_value(Option::take).flatten() {
            handle.clear();
        }
    };
    Effect::new(move || {
        stop();
        if player.playing.get()
            && let Ok(handle) = set_interval_with_handle(move || player.tick(), TICK)
        {
            ticking.set_value(Some(handle));
        }
    });
    on_cleanup(stop);
    player
}

impl Player {
    /// Shows the run from an instant on.
    fn begin(self, pace: Pace, from: Timestamp) {
        self.from.set(Some(from));
        self.playing.set(pace == Pace::Watch);
        self.now.set((pace != Pace::Instant).then_some(from));
    }

    /// Shows the run from its beginning, or from its last repair.
    pub fn replay(self, pace: Pace) {
        let start = self.run.with_untracked(|run| run.as_ref().map(|run| run.summary.started));
        if let Some(start) = self.from.get_untracked().or(start) {
            self.begin(pace, start);
        }
    }

    /// Changes the pace of what is shown now.
    pub fn set_pace(self, pace: Pace) {
        match pace {
            Pace::Instant => {
                self.playing.set(false);
                self.now.set(None);
            }
            Pace::Watch => self.playing.set(self.now.with_untracked(Option::is_some)),
            Pace::Step => self.playing.set(false),
        }
    }

    /// Goes to the next change, or back to the one before.
    pub fn step(self, back: bool) {
        self.playing.set(false);
        self.run.with_untracked(|run| {
            let Some(run) = run else { return };
            let moments = moments(run);
            let now = self.now.get_untracked();
            let next = match (now, back) {
                (None, true) => moments.iter().rev().nth(1).copied().or(Some(run.summary.started)),
                (None, false) => None,
                (Some(now), true) => {
                    moments.iter().rev().find(|moment| **moment < now).copied().or(Some(run.summary.started))
                }
                (Some(now), false) => moments.iter().find(|moment| **moment > now).copied(),
            };
            let is_end = next.is_some() && next == run.summary.ended;
            self.now.set(next.filter(|_| !is_end));
        });
    }

    /// Whether the run is shown to its end. Reactive.
    pub fn is_at_end(self) -> bool {
        self.now.with(Option::is_none)
    }

    /// Whether it goes on by itself. Reactive.
    pub fn is_playing(self) -> bool {
        self.playing.get()
    }

    fn tick(self) {
        let Some(now) = self.now.get_untracked() else { return self.playing.set(false) };
        self.run.with_untracked(|run| {
            let Some(run) = run else { return };
            let latest = moments(run).last().copied().unwrap_or(run.summary.started);
            let from = self.from.get_untracked().unwrap_or(run.summary.started);
            let length_ms = (latest.0 - from.0) as f64 / 1e3;
            let speed = (length_ms / LENGTH_MS_MAX).max(1.0);
            let next = now.plus_millis((TICK.as_millis() as f64 * speed) as i64);
            match run.summary.ended {
                Some(ended) if next >= ended => {
                    self.playing.set(false);
                    self.now.set(None);
                }
                // What has not happened yet cannot be shown.
                _ => self.now.set(Some(next.min(latest.max(now)))),
            }
        });
    }
}
