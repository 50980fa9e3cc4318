//! A run's page.
//!
//! The view of the run comes from the engine and is replaced whenever the run moves. What is shown of it is cut in two
//! ways: to the instant that a slower pace has reached (`pace`), and to an earlier attempt (`as_of`).

pub mod as_of;
mod changes_tab;
mod detail;
mod doubled;
mod head;
mod iteration_table;
pub mod iterations;
mod lanes;
mod log;
mod log_tab;
mod loop_panel;
pub mod output;
pub mod pace;
mod player;
mod repair;
mod repair_dialog;
#[cfg(test)]
pub mod samples;
mod timeline_tab;

use lakelet_protocol::{FaultsView, GraphNode, RunState, RunView, TaskRunView};
use leptos::prelude::*;

use crate::components::{Failure, TabList, TabPanel, asked};
use crate::engine::{Answer, calls};
use crate::jobs::fault_note::FaultNote;
use crate::jobs::graph::{FactsOf, TaskGraph};
use crate::jobs::node::{NodeFacts, progress_words};
use crate::jobs::words::{is_repaired, state_word};
use crate::messages::en::RunTexts;
use crate::messages::{fill, t, tr};
use crate::route::{JobPlace, Route};
use crate::state::{App, use_app};

use changes_tab::ChangesTab;
use detail::TaskDetail;
use head::{RunHead, RunNotices};
use log_tab::LogTab;
use loop_panel::LoopPanel;
use player::{Player, player};
use timeline_tab::TimelineTab;

const GROUP: &str = "run";
/// Progress is read out at most this often.
const PROGRESS_EVERY_MS: f64 = 2_000.0;

/// Key and title of a tab.
type Tab = (&'static str, fn(&RunTexts) -> &'static str);

/// The tabs.
const TABS: [Tab; 6] = [
    ("graph", |t| t.tab_graph),
    ("timeline", |t| t.tab_timeline),
    ("list", |t| t.tab_list),
    ("iterations", |t| t.tab_iterations),
    ("changes", |t| t.tab_changes),
    ("log", |t| t.tab_log),
];

/// What the parts of the page share.
#[derive(Clone, Copy)]
pub struct RunPlace {
    /// The job's name.
    job: StoredValue<String>,
    /// Number among the job's runs.
    number: u64,
    /// The run as it is, once it is here.
    run: Memo<Option<RunView>>,
    /// The run as it is shown: at a slower pace perhaps not to its end yet.
    shown: Memo<Option<RunView>>,
    /// The attempt up to which things are shown; the latest when absent.
    attempt: RwSignal<Option<u32>>,
    /// The task that the address names.
    task: Memo<Option<String>>,
    /// The iteration that the address names.
    iteration: Memo<Option<u32>>,
    /// Ticked iterations: task and 0-based index.
    ticked: RwSignal<Vec<(String, u32)>>,
    /// The dialog "Repair run" is open, for these iterations or, when there are none, for everything that failed.
    repairing: RwSignal<Option<Vec<(String, u32)>>>,
    /// Showing it slowly.
    player: Player,
}

impl RunPlace {
    /// The address of the run, of a task in it, of an iteration.
    fn address(self, task: Option<&str>, iteration: Option<u32>) -> Route {
        let job = self.job.get_value();
        Route::Jobs(JobPlace::Run { job, run: self.number, task: task.map(str::to_owned), iteration })
    }

    /// The task that is shown: the one in the address, else the first loop. A nested task is shown by its loop. Reactive.
    fn selected(self) -> Option<String> {
        let named = self.task.get();
        self.shown.with(|shown| {
            let tasks = &shown.as_ref()?.tasks;
            let by_name = |task: &&TaskRunView| {
                Some(&task.task_key) == named.as_ref() || (named.is_some() && task.nested_key == named)
            };
            let found = tasks.iter().find(by_name).or_else(|| tasks.iter().find(|task| is_loop(task)));
            found.map(|task| task.task_key.clone())
        })
    }

    /// Something of a task of the run. Reactive.
    fn with_task<T>(self, key: &str, read: impl FnOnce(&TaskRunView) -> T) -> Option<T> {
        self.shown.with(|shown| shown.as_ref()?.tasks.iter().find(|task| task.task_key == key).map(read))
    }
}

/// Whether a task is a For each.
fn is_loop(task: &TaskRunView) -> bool {
    task.nested_key.is_some() || task.iterations.is_some()
}

/// The newer of a view that was fetched and the one that news brought. Reactive.
pub fn newest(app: App, fetched: RunView) -> RunView {
    app.runs.with(|runs| match runs.get(&fetched.summary.run_id) {
        // A workspace that was emptied counts its runs from the beginning: same number, another run.
        Some(known) if known.summary.started == fetched.summary.started && known.summary.job == fetched.summary.job => {
            let fetched_is_newer = fetched.summary.repair_count > known.summary.repair_count
                || (fetched.summary.repair_count == known.summary.repair_count
                    && fetched.summary.state.is_final()
                    && !known.summary.state.is_final());
            if fetched_is_newer { fetched } else { known.clone() }
        }
        _ => fetched,
    })
}

/// The page.
#[component]
pub fn RunPage(job: String, number: u64) -> impl IntoView {
    let app = use_app();
    let answer = asked(move || (), {
        let job = job.clone();
        move |()| fetch(job.clone(), number)
    });
    let run = Memo::new(move |_| answer.get().and_then(Result::ok).flatten().map(|fetched| newest(app, fetched)));
    let player = player(app, run);
    let task_and_iteration = Memo::new(move |_| match app.route.get() {
        Route::Jobs(JobPlace::Run { task, iteration, .. }) => (task, iteration),
        _ => (None, None),
    });
    let place = RunPlace {
        job: StoredValue::new(job),
        number,
        run,
        shown: player.shown,
        attempt: RwSignal::new(None),
        task: Memo::new(move |_| task_and_iteration.get().0),
        iteration: Memo::new(move |_| task_and_iteration.get().1),
        ticked: RwSignal::default(),
        repairing: RwSignal::default(),
        player,
    };
    follow_name(app, place);
    tell_progress(app, place);
    let has_run = Memo::new(move |_| place.shown.with(Option::is_some));
    view! {
        <section class="page run-page">
            <Show when=move || has_run.get() fallback=move || missing(answer, place)>
                <RunHead place/>
                <RunNotices place/>
                <RunFaults place/>
                <RunTabs place/>
            </Show>
        </section>
    }
}

/// A link from before the job was renamed leads to the run all the same.
fn follow_name(app: App, place: RunPlace) {
    Effect::new(move || {
        let job = place.run.with(|run| run.as_ref().map(|run| run.summary.job.clone()));
        if let Some(job) = job.filter(|job| *job != place.job.get_value()) {
            let (task, iteration) = (place.task.get_untracked(), place.iteration.get_untracked());
            app.go_instead(&Route::Jobs(JobPlace::Run { job, run: place.number, task, iteration }));
        }
    });
}

/// Faults that are on. What news of the run say holds while it goes on; after that the engine is asked.
#[component]
fn RunFaults(place: RunPlace) -> impl IntoView {
    let app = use_app();
    let over = Memo::new(move |_| {
        place.run.with(|run| run.as_ref().filter(|run| run.summary.state.is_final()).map(|run| run.summary.run_id))
    });
    let n_switched = RwSignal::new(0_u32);
    let answer = asked(
        move || {
            app.catalog_changes.track();
            n_switched.track();
            over.get()
        },
        faults_after,
    );
    let faults = Signal::derive(move || {
        let asked = answer.get().and_then(Result::ok).flatten();
        asked.or_else(|| place.run.with(|run| run.as_ref().map(|run| run.faults))).unwrap_or_default()
    });
    view! { <FaultNote faults on_off=Callback::new(move |()| n_switched.update(|n| *n += 1))/> }
}

async fn faults_after(run_id: Option<u64>) -> Answer<Option<FaultsView>> {
    match run_id {
        Some(run_id) => Ok(Some(calls::run(run_id).await?.faults)),
        None => Ok(None),
    }
}

fn missing(answer: RwSignal<Option<Answer<Option<RunView>>>>, place: RunPlace) -> AnyView {
    match answer.get() {
        None => view! { <p class="quiet">{tr!(common.loading)}</p> }.into_any(),
        Some(Err(error)) => view! { <Failure error/> }.into_any(),
        Some(Ok(_)) => {
            let job = place.job.get_value();
            let address = Route::Jobs(JobPlace::Job { job: job.clone() }).to_string();
            view! {
                <h1>{tr!(frame.not_here)}</h1>
                <p>{move || fill(t().runs.no_such_run, &[("n", &place.number.to_string()), ("job", &job)])}</p>
                <p><a href=address>{tr!(runs.to_job)}</a></p>
            }
            .into_any()
        }
    }
}

async fn fetch(job: String, number: u64) -> Answer<Option<RunView>> {
    let runs = calls::runs(job).await?;
    match runs.iter().find(|run| run.number == number) {
        Some(run) => calls::run(run.run_id).await.map(Some),
        None => Ok(None),
    }
}

#[component]
fn RunTabs(place: RunPlace) -> impl IntoView {
    let selected = RwSignal::new("graph".to_owned());
    let tabs = Memo::new(move |_| TABS.map(|(key, title)| (key.to_owned(), title(&t().runs).to_owned())).to_vec());
    let content = move || match selected.get().as_str() {
        "timeline" => view! { <TimelineTab place/> }.into_any(),
        "list" => view! { <GraphTab place listed=true/> }.into_any(),
        "iterations" => view! { <IterationsTab place/> }.into_any(),
        "changes" => view! { <ChangesTab place/> }.into_any(),
        "log" => view! { <LogTab place/> }.into_any(),
        _ => view! { <GraphTab place listed=false/> }.into_any(),
    };
    view! {
        <TabList
            label=Signal::derive(tr!(runs.tabs))
            group=GROUP
            tabs=tabs
            selected=selected
            on_select=Callback::new(move |key| selected.set(key))
        />
        <TabPanel group=GROUP selected=selected>{content}</TabPanel>
    }
}

/// The tasks as boxes or as a list, and below them what the chosen one did.
#[component]
fn GraphTab(place: RunPlace, listed: bool) -> impl IntoView {
    let app = use_app();
    let graph = Signal::derive(move || {
        place.shown.get().map(|run| run.graph).unwrap_or_else(|| lakelet_protocol::GraphView {
            nodes: Vec::new(),
            edges: Vec::new(),
            width: 0.0,
            height: 0.0,
        })
    });
    let facts = FactsOf::new(move |(node, outer): (GraphNode, Option<String>)| {
        let limit = place.attempt.get();
        place.shown.with(|run| match (run, outer) {
            (Some(run), None) => NodeFacts::in_run(&node, run, limit),
            (Some(run), Some(outer)) => NodeFacts::nested_in_run(&node, &outer, run, limit),
            (None, _) => NodeFacts::not_run(&node),
        })
    });
    let selected = Signal::derive(move || place.selected());
    let open = Callback::new(move |task: String| app.go(&place.address(Some(&task), None)));
    view! {
        <TaskGraph graph facts selected on_open=open as_list=RwSignal::new(listed)/>
        <SelectedTask place/>
    }
}

/// What the chosen task did.
#[component]
fn SelectedTask(place: RunPlace) -> impl IntoView {
    let selected = Memo::new(move |_| {
        let key = place.selected()?;
        let looped = place.with_task(&key, is_loop)?;
        Some((key, looped))
    });
    move || {
        selected.get().map(|(task, looped)| match looped {
            true => view! { <LoopPanel place task/> }.into_any(),
            false => view! { <TaskDetail place task/> }.into_any(),
        })
    }
}

/// The iterations of the chosen loop, or of the first one.
#[component]
fn IterationsTab(place: RunPlace) -> impl IntoView {
    let task = Memo::new(move |_| {
        let selected = place.selected();
        place.shown.with(|shown| {
            let tasks = &shown.as_ref()?.tasks;
            let chosen = tasks.iter().find(|task| Some(&task.task_key) == selected.as_ref() && is_loop(task));
            chosen.or_else(|| tasks.iter().find(|task| is_loop(task))).map(|task| task.task_key.clone())
        })
    });
    move || match task.get() {
        Some(task) => view! { <LoopPanel place task/> }.into_any(),
        None => view! { <p class="quiet">{tr!(runs.no_loop)}</p> }.into_any(),
    }
}

/// Says how the run goes on, not too often, and how it ended.
fn tell_progress(app: App, place: RunPlace) {
    let told_at = StoredValue::new(0.0_f64);
    let words = Memo::new(move |_| {
        place.shown.with(|run| {
            let run = run.as_ref()?;
            let name = fill(t().runs.run_numbered, &[("n", &run.summary.number.to_string())]);
            let state = run.summary.state;
            if state.is_final() {
                return Some((format!("{name}: {}", state_word(state, is_repaired(&run.summary))), Some(state)));
            }
            let running = run.tasks.iter().find(|task| task.state == RunState::Running)?;
            let limit = None;
            let done = running.iterations.as_deref().map(|all| progress_words(iterations::progress(all, limit)));
            Some((format!("{name}: {} {}", running.task_key, done.unwrap_or_default()).trim_end().to_owned(), None))
        })
    });
    Effect::new(move |before: Option<bool>| {
        let Some((words, state)) = words.get() else { return before.unwrap_or(false) };
        let was_running = before.unwrap_or(false);
        match state {
            // A run that had ended before is read, not told.
            Some(_) if !was_running => {}
            Some(RunState::Failed | RunState::Timedout | RunState::Interrupted) => {
                app.news.say(words.clone());
                app.news.say_urgently(words);
            }
            Some(_) => app.news.say(words),
            None => {
                let now = crate::boundary::dom::now_ms();
                if now - told_at.get_value() >= PROGRESS_EVERY_MS {
                    told_at.set_value(now);
                    app.news.say(words);
                }
            }
        }
        state.is_none()
    });
}
