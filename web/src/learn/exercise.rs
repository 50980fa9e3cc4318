//! Questions and checks. Looking never changes the workspace, and a wrong answer never gives the right one away.

use lakelet_lessons::{
    Answer as RightAnswer, Check, Condition, ExpectedRun, Mismatch, Question, RowSource, check_clock, check_job,
    check_rows, check_run, check_version,
};
use lakelet_protocol::{RunRange, RunSummary, ScriptReport, TableSummary};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Map;

use crate::boundary::dom;
use crate::engine::{Answer, calls};
use crate::messages::{fill, t, tr};
use crate::state::catalog::tables;
use crate::state::{App, use_app};

/// Rows that a check reads at most.
const ROWS_MAX: u32 = 1_000;
/// The tab that checks ask their questions in: no reader's.
const CHECK_TAB: &str = "check";

/// What came of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    Right(Option<String>),
    NotYet(Option<String>),
}

#[component]
fn VerdictLine(verdict: RwSignal<Option<Verdict>>) -> impl IntoView {
    view! {
        <p class="verdict" role="status" aria-label=tr!(lesson.result_of_check)>
            {move || verdict.get().map(|verdict| match verdict {
                Verdict::Right(why) => format!("{} {}", t().lesson.right, why.unwrap_or_default()),
                Verdict::NotYet(why) => format!("{} {}", t().lesson.not_yet, why.unwrap_or_default()),
            })}
        </p>
    }
}

#[component]
fn Hints(hints: Vec<String>) -> impl IntoView {
    let shown = RwSignal::new(0_usize);
    let n_hints = hints.len();
    view! {
        <Show when=move || shown.get() < n_hints>
            <button type="button" class="button-small" on:click=move |_| shown.update(|n| *n += 1)>{tr!(lesson.hint)}</button>
        </Show>
        <ol class="hints">
            {move || hints.iter().take(shown.get()).map(|hint| view! { <li>{hint.clone()}</li> }).collect_view()}
        </ol>
    }
}

/// A question to answer before the run.
#[component]
pub fn PredictCard(question: Question) -> impl IntoView {
    let verdict = RwSignal::new(None);
    let given = RwSignal::new(first_answer(&question));
    let number = question.place.number.to_string();
    let label = move || fill(t().lesson.question, &[("n", &number)]);
    let ask = question.ask.clone();
    let hints = question.hints.clone();
    let fields = answer_fields(&question.answer, given);
    let check = move |_| {
        let right = given.with_untracked(|given| question.is_right(given));
        verdict.set(Some(if right { Verdict::Right(question.why.clone()) } else { Verdict::NotYet(None) }));
    };
    view! {
        <section class="exercise" role="group" aria-label=label>
            <p class="exercise-ask">{ask}</p>
            {fields}
            <div class="button-row">
                <button type="button" class="button-small" on:click=check>{tr!(lesson.check)}</button>
                <Hints hints/>
            </div>
            <VerdictLine verdict/>
        </section>
    }
}

/// Nothing chosen; things to order stand the other way round.
fn first_answer(question: &Question) -> Vec<String> {
    match &question.answer {
        RightAnswer::Text(_) => vec![String::new()],
        RightAnswer::Choice { .. } => Vec::new(),
        RightAnswer::Order(order) => order.iter().rev().cloned().collect(),
    }
}

fn answer_fields(answer: &RightAnswer, given: RwSignal<Vec<String>>) -> AnyView {
    match answer {
        RightAnswer::Text(_) => view! {
            <input
                class="input"
                type="text"
                aria-label=tr!(lesson.answer)
                on:input=move |event| given.set(vec![event_target_value(&event)])
            />
        }
        .into_any(),
        RightAnswer::Choice { choices, right } => {
            let (kind, single) = if right.len() == 1 { ("radio", true) } else { ("checkbox", false) };
            let name = format!("choice-{}", dom::unique_number());
            choices
                .iter()
                .map(|choice| {
                    let choice = choice.clone();
                    let shown = choice.clone();
                    let change = move |event| {
                        let on = event_target_checked(&event);
                        given.update(|given| {
                            given.retain(|other| !single && *other != choice);
                            if on {
                                given.push(choice.clone());
                            }
                        });
                    };
                    view! { <label class="choice"><input type=kind name=name.clone() on:change=change/> <span>{shown}</span></label> }
                })
                .collect_view()
                .into_any()
        }
        RightAnswer::Order(order) => {
            let last = order.len().saturating_sub(1);
            view! {
                <ol class="order">
                    <For each=move || numbered(given) key=Clone::clone let((index, thing))>
                        <li>
                            <span>{thing.clone()}</span>
                            <button type="button" class="button-small" disabled=index == 0 aria-label={
                                let thing = thing.clone();
                                move || fill(t().lesson.earlier, &[("thing", &thing)])
                            } on:click=move |_| given.update(|given| given.swap(index, index - 1))>"↑"</button>
                            <button type="button" class="button-small" disabled=index == last aria-label=move || {
                                fill(t().lesson.later, &[("thing", &thing)])
                            } on:click=move |_| given.update(|given| given.swap(index, index + 1))>"↓"</button>
                        </li>
                    </For>
                </ol>
            }
            .into_any()
        }
    }
}

fn numbered(things: RwSignal<Vec<String>>) -> Vec<(usize, String)> {
    things.get().into_iter().enumerate().collect()
}

/// A check of the workspace.
#[component]
pub fn CheckCard(check: Check) -> impl IntoView {
    let app = use_app();
    let verdict = RwSignal::new(None);
    let looking = RwSignal::new(false);
    let (say, hints) = (check.say.clone(), check.hints.clone());
    let look = move |_| {
        let check = check.clone();
        // What was found before says nothing any more.
        verdict.set(None);
        looking.set(true);
        spawn_local(async move {
            let mut found = Verdict::Right(None);
            for condition in &check.conditions {
                match holds(app, condition).await {
                    Ok(Ok(())) => {}
                    Ok(Err(mismatch)) => {
                        found = Verdict::NotYet(Some(mismatch));
                        break;
                    }
                    Err(error) => {
                        found = Verdict::NotYet(Some(error.message));
                        break;
                    }
                }
            }
            let _ = looking.try_set(false);
            let _ = verdict.try_set(Some(found));
        });
    };
    view! {
        <section class="exercise" role="group" aria-label=tr!(lesson.check)>
            {say.map(|say| view! { <p class="exercise-ask">{say}</p> })}
            <div class="button-row">
                <button type="button" class="button-small" disabled=move || !app.is_ready() || looking.get() on:click=look>{tr!(lesson.check)}</button>
                <Hints hints/>
            </div>
            <VerdictLine verdict/>
        </section>
    }
}

/// Whether a condition holds, or the sentence that says what is missing.
async fn holds(app: App, condition: &Condition) -> Answer<Result<(), String>> {
    let told = |result: Result<(), Mismatch>| result.map_err(|mismatch| mismatch.hint);
    Ok(match condition {
        Condition::Rows { source, expected } => {
            let Some((columns, rows)) = rows_of(app, source).await? else {
                return Ok(Err(t().lesson.no_result.to_owned()));
            };
            told(check_rows(expected, &columns, &rows))
        }
        Condition::Exists { table, exists } => match find_table(app, table).await?.is_some() == *exists {
            true => Ok(()),
            false => {
                let text = if *exists { t().lesson.table_missing } else { t().lesson.table_there };
                Err(fill(text, &[("table", table)]))
            }
        },
        Condition::Version { table, version } => {
            let found = find_table(app, table).await?;
            told(check_version(table, *version, found.map(|table| table.version)))
        }
        Condition::Job(expected) => {
            let job = calls::job(expected.name.clone()).await.ok();
            told(check_job(expected, job.as_ref()))
        }
        Condition::Run(expected) => {
            let run = match find_run(expected).await? {
                Some(run_id) => Some(calls::run(run_id).await?),
                None => None,
            };
            told(check_run(expected, run.as_ref()))
        }
        Condition::File(path) => match calls::files().await?.contains(path) {
            true => Ok(()),
            false => Err(fill(t().lesson.file_missing, &[("path", path)])),
        },
        Condition::Clock(at_least) => told(check_clock(*at_least, calls::clock().await?.now)),
    })
}

/// The run that is meant: of the job, or of any; with the number, or the newest.
async fn find_run(expected: &ExpectedRun) -> Answer<Option<u64>> {
    let jobs = match &expected.job {
        Some(job) => vec![job.clone()],
        None => calls::jobs().await?.into_iter().map(|job| job.name).collect(),
    };
    let mut newest: Option<RunSummary> = None;
    for job in jobs {
        // A job that is not there has no runs; the comparison says so.
        for run in calls::runs(job).await.unwrap_or_default() {
            let fits = expected.number.is_none_or(|number| number == run.number);
            if fits && newest.as_ref().is_none_or(|newest| newest.run_id < run.run_id) {
                newest = Some(run);
            }
        }
    }
    Ok(newest.map(|run| run.run_id))
}

type Rows = (Vec<String>, Vec<Vec<Option<String>>>);

async fn rows_of(app: App, source: &RowSource) -> Answer<Option<Rows>> {
    let (header, close) = match source {
        RowSource::LastResult => {
            let tab = app.tabs.shown_untracked();
            let last = tab
                .and_then(|tab| tab.statements.with_untracked(|all| all.iter().rev().find_map(|s| s.result.clone())));
            (last, false)
        }
        RowSource::Query(query) => (last_result(app, query.clone()).await?, true),
        RowSource::Table(table) => (last_result(app, format!("SELECT * FROM {table}")).await?, true),
    };
    let Some(header) = header else { return Ok(None) };
    let page = calls::fetch_page(header.result, 0, ROWS_MAX).await?;
    if close {
        calls::close_result(header.result).await?;
    }
    Ok(Some((header.columns.into_iter().map(|column| column.name).collect(), page.rows)))
}

/// Runs a query in the tab of the checks, in the schema that the reader works in.
async fn last_result(app: App, query: String) -> Answer<Option<lakelet_protocol::ResultHeader>> {
    let ScriptReport { statements, .. } =
        calls::run_script(CHECK_TAB.to_owned(), query, RunRange::All, Map::new(), reader_schema(app)).await?;
    let mut last = None;
    for statement in statements {
        if let Some(error) = statement.error {
            return Err(error);
        }
        last = statement.result.or(last);
    }
    Ok(last)
}

/// `catalog.schema` of the tab that the reader sees, or saw last.
fn reader_schema(app: App) -> Option<String> {
    app.tabs.shown_untracked().and_then(|tab| tab.schema.get_untracked())
}

/// A table by its name as in SQL: its last parts must fit.
async fn find_table(app: App, name: &str) -> Answer<Option<TableSummary>> {
    let catalog = calls::catalog().await?;
    let wanted = name.to_lowercase();
    let schema = reader_schema(app).unwrap_or_else(|| catalog.current_schema.clone());
    let qualified = match wanted.matches('.').count() {
        0 => format!("{}.{wanted}", schema.to_lowercase()),
        _ => wanted,
    };
    Ok(tables(&catalog)
        .find(|table| {
            let known = table.name.to_lowercase();
            known == qualified || known.ends_with(&format!(".{qualified}"))
        })
        .cloned())
}
