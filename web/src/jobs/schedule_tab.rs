//! The tab "Schedule": what starts the job by itself.

use lakelet_protocol::ProblemView;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::Switch;
use crate::engine::calls;
use crate::jobs::editor::JobEditor;
use crate::jobs::form::ProblemLine;
use crate::jobs::schedule::{ScheduleForm, TriggerKind, UNITS, is_about_triggers};
use crate::messages::{clock_text, fill, t, tr};
use crate::state::use_app;

const KINDS: [(TriggerKind, &str); 5] = [
    (TriggerKind::None, "none"),
    (TriggerKind::Cron, "cron"),
    (TriggerKind::Periodic, "periodic"),
    (TriggerKind::Tables, "tables"),
    (TriggerKind::Other, "other"),
];

/// The tab.
#[component]
pub fn ScheduleTab(editor: JobEditor) -> impl IntoView {
    let app = use_app();
    let saved = Memo::new(move |_| ScheduleForm::read(&editor.saved_settings()));
    let form = RwSignal::new(saved.get_untracked());
    let problems = RwSignal::new(Vec::<ProblemView>::new());
    Effect::new(move || form.set(saved.get()));
    let is_changed = Memo::new(move |_| form.with(|form| saved.with(|saved| form != saved)));
    let save = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        spawn_local(async move {
            let settings = untrack(|| form.with(|form| form.write(&editor.saved_settings())));
            let found = match calls::validate_job(settings.clone()).await {
                Ok(view) => view.problems.into_iter().filter(|problem| is_about_triggers(&problem.path)).collect(),
                Err(error) => return app.news.fail(error),
            };
            let is_wrong = |found: &Vec<ProblemView>| found.iter().any(|problem| problem.severity == "error");
            problems.set(found);
            if !problems.with_untracked(is_wrong) && editor.save(app, settings, None).await {
                app.news.say(t().jobs.schedule_saved.to_owned());
            }
        });
    };
    let kind = Memo::new(move |_| form.with(|form| form.kind));
    let fields = move || match kind.get() {
        TriggerKind::Cron => view! { <CronFields form/> }.into_any(),
        TriggerKind::Periodic => view! { <PeriodicFields form/> }.into_any(),
        TriggerKind::Tables => view! { <TableFields form/> }.into_any(),
        TriggerKind::Other => view! { <p>{tr!(jobs.schedule_other_hint)}</p> }.into_any(),
        TriggerKind::None => view! { <p class="quiet">{tr!(jobs.schedule_none_hint)}</p> }.into_any(),
    };
    view! {
        <form class="job-schedule" on:submit=save>
            <NextRun editor/>
            <KindField form/>
            {fields}
            <Show when=move || !matches!(kind.get(), TriggerKind::None | TriggerKind::Other)>
                <PausedSwitch form/>
            </Show>
            <div class="task-problems" role="alert">
                {move || problems.get().into_iter().map(|problem| view! {
                    <ProblemLine is_error={problem.severity == "error"} words=problem.message/>
                }).collect_view()}
            </div>
            <div class="button-row">
                <button type="submit" class="button button-primary" disabled=move || !app.is_ready() || !is_changed.get()>
                    {tr!(jobs.schedule_save)}
                </button>
                <button type="button" class="button" disabled=move || !is_changed.get() on:click=move |_| {
                    form.set(saved.get_untracked());
                    problems.set(Vec::new());
                }>
                    {tr!(jobs.discard_json)}
                </button>
            </div>
        </form>
    }
}

/// What is in force, in the words of the engine.
#[component]
fn NextRun(editor: JobEditor) -> impl IntoView {
    let saved = Memo::new(move |_| {
        editor.saved.with(|saved| saved.as_ref().map(|saved| (saved.triggers.clone(), saved.next_due)))
    });
    move || {
        let (triggers, next_due) = saved.get().unwrap_or_default();
        let texts = &t().jobs;
        if triggers.is_empty() {
            return view! { <p class="quiet">{texts.schedule_by_hand}</p> }.into_any();
        }
        let next = match next_due {
            Some(at) => fill(texts.schedule_next, &[("at", &clock_text(at))]),
            None => texts.schedule_next_unknown.to_owned(),
        };
        let items = triggers.into_iter().map(|words| view! { <li><code>{words}</code></li> }).collect_view();
        view! { <ul class="schedule-list">{items}</ul><p>{next}</p> }.into_any()
    }
}

#[component]
fn KindField(form: RwSignal<ScheduleForm>) -> impl IntoView {
    let present = move || form.with(|form| form.kind);
    // What only the JSON shows can be kept, not chosen.
    let had_other = present() == TriggerKind::Other;
    let options =
        KINDS.into_iter().filter(move |(kind, _)| *kind != TriggerKind::Other || had_other).map(|(kind, key)| {
            let words = move || {
                let texts = &t().jobs;
                match kind {
                    TriggerKind::None => texts.schedule_none,
                    TriggerKind::Cron => texts.schedule_cron,
                    TriggerKind::Periodic => texts.schedule_periodic,
                    TriggerKind::Tables => texts.schedule_tables,
                    TriggerKind::Other => texts.schedule_other,
                }
            };
            view! { <option value=key prop:selected=move || present() == kind>{words}</option> }
        });
    let choose = move |event: leptos::ev::Event| {
        let chosen = event_target_value(&event);
        if let Some((kind, _)) = KINDS.iter().find(|(_, key)| *key == chosen) {
            form.update(|form| form.kind = *kind);
        }
    };
    view! {
        <div class="task-field">
            <label for="schedule-kind">{tr!(jobs.schedule_kind)}</label>
            <select class="input" id="schedule-kind" on:change=choose>{options.collect_view()}</select>
        </div>
    }
}

/// A field of one line.
#[component]
fn LineField(
    form: RwSignal<ScheduleForm>,
    id: &'static str,
    label: Signal<&'static str>,
    of: fn(&mut ScheduleForm) -> &mut String,
    #[prop(optional)] is_code: bool,
) -> impl IntoView {
    let value = move || of(&mut form.get()).clone();
    view! {
        <div class="task-field">
            <label for=id>{label}</label>
            <input
                type="text"
                class="input"
                class:input-code=is_code
                id=id
                autocomplete="off"
                spellcheck="false"
                prop:value=value
                on:input=move |event| form.update(|form| *of(form) = event_target_value(&event))
            />
        </div>
    }
}

#[component]
fn CronFields(form: RwSignal<ScheduleForm>) -> impl IntoView {
    view! {
        <LineField form id="schedule-cron" label=Signal::derive(|| t().jobs.schedule_expression) of=|form| &mut form.expression is_code=true/>
        <p class="task-hint">{tr!(jobs.schedule_cron_hint)}</p>
        <LineField form id="schedule-zone" label=Signal::derive(|| t().jobs.schedule_zone) of=|form| &mut form.time_zone/>
    }
}

#[component]
fn PeriodicFields(form: RwSignal<ScheduleForm>) -> impl IntoView {
    let options = UNITS.map(|unit| {
        let words = move || {
            let texts = &t().jobs;
            match unit {
                "MINUTES" => texts.schedule_minutes,
                "HOURS" => texts.schedule_hours,
                "DAYS" => texts.schedule_days,
                _ => texts.schedule_weeks,
            }
        };
        view! { <option value=unit prop:selected=move || form.with(|form| form.unit == unit)>{words}</option> }
    });
    view! {
        <LineField form id="schedule-interval" label=Signal::derive(|| t().jobs.schedule_interval) of=|form| &mut form.interval/>
        <div class="task-field">
            <label for="schedule-unit">{tr!(jobs.schedule_unit)}</label>
            <select class="input" id="schedule-unit" on:change=move |event| {
                let unit = event_target_value(&event);
                form.update(|form| form.unit = unit);
            }>
                {options.into_iter().collect_view()}
            </select>
        </div>
    }
}

#[component]
fn TableFields(form: RwSignal<ScheduleForm>) -> impl IntoView {
    let all = RwSignal::new(form.with_untracked(|form| form.all));
    follow(form, all, |form| &mut form.all);
    view! {
        <div class="task-field">
            <label for="schedule-tables">{tr!(jobs.schedule_table_names)}</label>
            <textarea
                class="input input-code"
                id="schedule-tables"
                rows="3"
                spellcheck="false"
                prop:value=move || form.with(|form| form.tables.clone())
                on:input=move |event| form.update(|form| form.tables = event_target_value(&event))
            ></textarea>
            <p class="task-hint">{tr!(jobs.schedule_tables_hint)}</p>
        </div>
        <Switch label=Signal::derive(tr!(jobs.schedule_all)) on=all/>
    }
}

#[component]
fn PausedSwitch(form: RwSignal<ScheduleForm>) -> impl IntoView {
    let paused = RwSignal::new(form.with_untracked(|form| form.paused));
    follow(form, paused, |form| &mut form.paused);
    view! { <Switch label=Signal::derive(tr!(jobs.schedule_paused)) on=paused/> }
}

/// Keeps a switch and its field equal.
fn follow(form: RwSignal<ScheduleForm>, on: RwSignal<bool>, of: fn(&mut ScheduleForm) -> &mut bool) {
    Effect::new(move || {
        let value = *of(&mut form.get());
        if on.get_untracked() != value {
            on.set(value);
        }
    });
    Effect::new(move || {
        let value = on.get();
        if *of(&mut form.get_untracked()) != value {
            form.update(|form| *of(form) = value);
        }
    });
}
