//! The head of a run's page: how it went, what can be done with it.

use lakelet_protocol::RunState;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Map;

use crate::boundary::engine;
use crate::components::RunStateChip;
use crate::components::icon::{Icon, icon};
use crate::jobs::editor::JobEditor;
use crate::jobs::run::RunPlace;
use crate::jobs::run::as_of::n_attempts;
use crate::jobs::run::doubled::{doubled, half_done};
use crate::jobs::run::pace::Pace;
use crate::jobs::run::repair_dialog::RepairDialog;
use crate::jobs::run_now::{RunQuestion, start_run, unsaved_editor};
use crate::jobs::words::{duration, is_repaired, state_word};
use crate::messages::{clock_text, count, fill, t, tr};
use crate::names::short_name;
use crate::route::{JobPlace, Route};
use crate::state::use_app;

/// The head.
#[component]
pub fn RunHead(place: RunPlace) -> impl IntoView {
    let job = place.job.get_value();
    let address = Route::Jobs(JobPlace::Job { job: job.clone() }).to_string();
    let summary = Memo::new(move |_| place.shown.with(|run| run.as_ref().map(|run| run.summary.clone())));
    let number = place.number.to_string();
    let title = move || fill(t().runs.run_numbered, &[("n", &number)]);
    view! {
        <header class="job-head">
            <p class="quiet job-path">
                <a href=Route::Jobs(JobPlace::List).to_string()>{tr!(jobs.title)}</a> " / " <a href=address>{job}</a>
            </p>
            <div class="job-title">
                <h1 class="run-title">
                    <span>{title}</span>
                    " "
                    {move || summary.get().map(|summary| {
                        let (state, repaired) = (summary.state, is_repaired(&summary));
                        view! { <RunStateChip state repaired text=Signal::derive(move || state_word(state, repaired).to_owned())/> }
                    })}
                </h1>
            </div>
            <RunFacts place/>
            <div class="button-row job-actions">
                <RunActions place/>
                <AttemptSwitch place/>
                <PaceSwitch place/>
            </div>
        </header>
        <RepairDialog place/>
    }
}

/// When it started, how long it took by the workspace's clock and really.
#[component]
fn RunFacts(place: RunPlace) -> impl IntoView {
    let app = use_app();
    let facts = Memo::new(move |_| {
        place.shown.with(|run| {
            let run = run.as_ref()?;
            let texts = &t().runs;
            let simulated = app.clock.with(|clock| clock.as_ref().is_none_or(|clock| clock.simulated));
            let started = clock_text(run.summary.started);
            let mut facts =
                vec![fill(if simulated { texts.started_simulated } else { texts.started }, &[("at", &started)])];
            if let Some(ended) = run.summary.ended {
                let shown = duration((ended.0 - run.summary.started.0) as f64 / 1e3);
                let real = duration(run.elapsed_ms);
                let words = if simulated { texts.took_simulated } else { texts.took };
                facts.push(fill(words, &[("shown", &shown), ("real", &real)]));
            }
            if run.summary.repair_count > 0 {
                facts.push(crate::messages::plural(texts.n_repairs, run.summary.repair_count.into()));
            }
            Some(facts.join(" · "))
        })
    });
    view! { <p class="quiet run-facts">{move || facts.get()}</p> }
}

#[component]
fn RunActions(place: RunPlace) -> impl IntoView {
    let app = use_app();
    let starting = RwSignal::new(false);
    let state = Memo::new(move |_| place.shown.with(|run| run.as_ref().map(|run| run.summary.state)));
    let really_over =
        Memo::new(move |_| place.run.with(|run| run.as_ref().is_some_and(|run| run.summary.state.is_final())));
    let is_over = move || state.get().is_some_and(RunState::is_final);
    let repairable =
        Memo::new(move |_| place.shown.with(|run| run.as_ref().is_some_and(|run| !run.repairable.is_empty())));
    let asking = RwSignal::new(false);
    let unsaved = RwSignal::new(None::<JobEditor>);
    let start = move || {
        starting.set(true);
        spawn_local(async move {
            let answer = start_run(app, place.job.get_value(), Map::new(), Vec::new()).await;
            let _ = starting.try_set(false);
            if let Err(error) = answer {
                app.news.fail(error);
            }
        });
    };
    let again = move |_| match unsaved_editor(app, &place.job.get_value()) {
        Some(editor) => {
            unsaved.set(Some(editor));
            asking.set(true);
        }
        None => start(),
    };
    view! {
        <RunQuestion asking editor=unsaved.into() on_run=Callback::new(move |()| start())/>
        <Show when=move || is_over() && repairable.get()>
            <button
                type="button"
                class="button button-primary"
                disabled=move || !app.is_ready()
                on:click=move |_| place.repairing.set(Some(Vec::new()))
            >
                {icon(Icon::Repaired)}{tr!(runs.repair_run)}
            </button>
        </Show>
        <button
            type="button"
            class="button"
            disabled=move || starting.get() || !really_over.get() || !app.is_ready()
            on:click=again
        >
            {icon(Icon::Play)}{tr!(runs.run_again)}
        </button>
        <Show when=move || !really_over.get()>
            <button type="button" class="button" on:click=move |_| engine::cancel()>{icon(Icon::Stop)}{tr!(runs.cancel_run)}</button>
        </Show>
    }
}

/// Which attempt is looked at. One choice for the whole page: what has fewer attempts shows its last.
#[component]
fn AttemptSwitch(place: RunPlace) -> impl IntoView {
    let n = Memo::new(move |_| place.shown.with(|run| run.as_ref().map_or(1, n_attempts)));
    // A repair shows what it does.
    Effect::new(move || {
        n.track();
        place.attempt.set(None);
    });
    view! {
        <Show when=move || n.get() != 1>
            <fieldset class="radio-row attempt-switch">
                <legend class="for-ears">{tr!(runs.attempts)}</legend>
                {move || (1..=n.get()).map(|number| {
                    let is_last = number == n.get_untracked();
                    view! {
                        <label>
                            <input
                                type="radio"
                                name="attempt"
                                prop:checked=move || place.attempt.get().map_or(is_last, |chosen| chosen == number)
                                on:change=move |_| place.attempt.set((!is_last).then_some(number))
                            />
                            <span>{move || fill(t().runs.attempt, &[("n", &number.to_string())])}</span>
                        </label>
                    }
                }).collect_view()}
            </fieldset>
        </Show>
    }
}

/// How fast the run is shown.
#[component]
fn PaceSwitch(place: RunPlace) -> impl IntoView {
    let app = use_app();
    let pace = app.jobs.pace;
    let player = place.player;
    let choose = move |event: leptos::ev::Event| {
        let chosen = Pace::from_key(&event_target_value(&event)).unwrap_or_default();
        pace.set(chosen);
        player.set_pace(chosen);
    };
    let word = |pace: Pace| match pace {
        Pace::Instant => t().runs.pace_instant,
        Pace::Watch => t().runs.pace_watch,
        Pace::Step => t().runs.pace_step,
    };
    let options = Pace::ALL.map(|choice| {
        view! { <option value=choice.key() prop:selected=move || pace.get() == choice>{move || word(choice)}</option> }
    });
    let slow = move || pace.get() != Pace::Instant;
    view! {
        <label class="field pace">
            <span>{tr!(runs.pace)}</span>
            <select class="input" on:change=choose>{options.into_iter().collect_view()}</select>
        </label>
        <Show when=slow>
            <span class="button-row">
                <button type="button" class="button-small" on:click=move |_| player.step(true)>{tr!(runs.step_back)}</button>
                <button type="button" class="button-small" disabled=move || player.is_at_end() on:click=move |_| player.step(false)>
                    {tr!(runs.step)}
                </button>
                <button
                    type="button"
                    class="button-small"
                    disabled=move || player.is_playing()
                    on:click=move |_| if player.is_at_end() { player.replay(Pace::Watch) } else { player.set_pace(Pace::Watch) }
                >
                    {tr!(runs.play)}
                </button>
            </span>
        </Show>
    }
}

/// What should be known about the run as a whole.
#[component]
pub fn RunNotices(place: RunPlace) -> impl IntoView {
    let notices = Memo::new(move |_| {
        place.shown.with(|run| {
            let run = run.as_ref()?;
            let mut notices = run.notices.clone();
            if run.settings_changed {
                notices.push(t().runs.settings_changed.to_owned());
            }
            Some(notices)
        })
    });
    // What should be known is no warning by itself: an empty list of inputs, for one.
    let tone = move || {
        let warned =
            place.shown.with(|run| run.as_ref().is_some_and(|run| run.summary.state == RunState::SuccessWithWarnings));
        if warned { "notice tone-warning run-notice" } else { "notice tone-neutral run-notice" }
    };
    let happened = Memo::new(move |_| place.shown.with(|run| run.as_ref().map(what_happened)).unwrap_or_default());
    view! {
        {move || notices.get().unwrap_or_default().into_iter().map(|notice| view! {
            <p class=tone>{icon(Icon::Warning)}<span>{notice}</span></p>
        }).collect_view()}
        <Show when=move || happened.with(|lines| !lines.is_empty())>
            <article class="card what-happened" aria-labelledby="what-happened">
                <h2 id="what-happened">{tr!(runs.what_happened)}</h2>
                {move || happened.get().into_iter().map(|line| view! { <p>{line}</p> }).collect_view()}
            </article>
        </Show>
    }
}

/// Work that stopped half way, and work that was then done twice. Reactive.
fn what_happened(run: &lakelet_protocol::RunView) -> Vec<String> {
    let texts = &t().runs;
    let whose = |task: &str, iteration: &Option<String>| iteration.clone().unwrap_or_else(|| task.to_owned());
    let half = half_done(run).into_iter().map(|change| {
        fill(
            texts.half_done,
            &[
                ("item", &whose(&change.task_key, &change.iteration)),
                ("operation", &change.operation),
                ("table", &short_name(&change.table)),
                ("version", &change.version_after.to_string()),
            ],
        )
    });
    let twice = doubled(run).into_iter().map(|found| {
        fill(
            texts.doubled,
            &[
                ("item", &whose(&found.task, &found.iteration)),
                ("table", &short_name(&found.table)),
                ("first", &found.first_attempt.to_string()),
                ("first_rows", &count(found.first_rows)),
                ("next", &found.next_attempt.to_string()),
                ("next_rows", &count(found.next_rows)),
            ],
        )
    });
    twice.chain(half).collect()
}
