//! The dialog "Repair run": what would run again and what is kept, before it is done.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::icon::{Icon, icon};
use crate::components::{Dialog, Failure, RunStateChip};
use crate::engine::calls;
use crate::jobs::editor::JobEditor;
use crate::jobs::run::RunPlace;
use crate::jobs::run::repair::{RepairItem, RepairPlan, plan};
use crate::jobs::run_now::{RunQuestion, take_run, unsaved_editor};
use crate::jobs::words::state_word;
use crate::messages::{count, fill, t, tr};
use crate::state::use_app;

/// The dialog.
#[component]
pub fn RepairDialog(place: RunPlace) -> impl IntoView {
    let app = use_app();
    let open = RwSignal::new(false);
    let sending = RwSignal::new(false);
    let failure = RwSignal::new(None);
    let asking = RwSignal::new(false);
    let unsaved = RwSignal::new(None::<JobEditor>);
    // What is to be repaired while the reader is asked, and that they have answered.
    let asked_for = StoredValue::new(Vec::<(String, u32)>::new());
    let answered = StoredValue::new(false);
    // Each of the two follows the other; setting what is already so would wake the other for ever.
    Effect::new(move || {
        let wanted = place.repairing.get();
        if open.get_untracked() == wanted.is_some() {
            return;
        }
        let editor = wanted.as_ref().and_then(|_| unsaved_editor(app, &place.job.get_value()));
        match editor.filter(|_| !answered.get_value()) {
            // A repair goes by what is saved: whoever has more on the desk is asked first.
            Some(editor) => {
                asked_for.set_value(wanted.unwrap_or_default());
                unsaved.set(Some(editor));
                place.repairing.set(None);
                asking.set(true);
            }
            None => {
                answered.set_value(false);
                open.set(wanted.is_some());
            }
        }
    });
    let go_on = Callback::new(move |()| {
        answered.set_value(true);
        place.repairing.set(Some(asked_for.get_value()));
    });
    Effect::new(move || {
        if !open.get() && place.repairing.with_untracked(Option::is_some) {
            place.repairing.set(None);
            failure.set(None);
        }
    });
    let planned = Memo::new(move |_| {
        let selected = place.repairing.get()?;
        place.run.with(|run| run.as_ref().map(|run| plan(run, &selected)))
    });
    let changed = Memo::new(move |_| place.run.with(|run| run.as_ref().is_some_and(|run| run.settings_changed)));
    let repair = move |_| {
        let Some((plan, run)) = planned.get_untracked().zip(place.run.get_untracked()) else { return };
        sending.set(true);
        let from = run.summary.ended.unwrap_or(run.summary.started);
        spawn_local(async move {
            let answer = calls::repair(run.summary.run_id, plan.request).await;
            let _ = sending.try_set(false);
            match answer {
                Ok(run) => {
                    place.ticked.set(Vec::new());
                    place.attempt.set(None);
                    app.jobs.play.set(Some((run.summary.run_id, from)));
                    take_run(app, run);
                    open.set(false);
                }
                Err(error) => failure.set(Some(error)),
            }
        });
    };
    let can_repair = move || {
        !sending.get()
            && app.is_ready()
            && planned.with(|plan| plan.as_ref().is_some_and(|plan| !plan.again.is_empty()))
    };
    view! {
        <RunQuestion asking editor=unsaved.into() on_run=go_on repair=true/>
        <Dialog open title=Signal::derive(tr!(runs.repair_run))>
            {move || planned.get().map(plan_view)}
            <p class="quiet">{move || if changed.get() { t().runs.repair_changed } else { t().runs.repair_definition }}</p>
            {move || failure.get().map(|error| view! { <Failure error/> })}
            <div class="button-row">
                <button type="button" class="button button-primary" disabled=move || !can_repair() on:click=repair>
                    {icon(Icon::Repaired)}{tr!(runs.repair)}
                </button>
                <button type="button" class="button" on:click=move |_| open.set(false)>{tr!(common.cancel)}</button>
            </div>
        </Dialog>
    }
}

fn plan_view(plan: RepairPlan) -> impl IntoView {
    let RepairPlan { again, kept, kept_tasks, .. } = plan;
    let has_iterations = again.iter().any(|item| item.iteration.is_some());
    let n_again = again.len();
    let n_kept = kept.len();
    view! {
        <h3>{move || fill(t().runs.will_run_again, &[("n", &count(n_again as u64))])}</h3>
        {item_list(again, tr!(runs.will_run_again_list))}
        {(n_kept > 0).then(|| view! {
            <h3>{move || fill(t().runs.kept, &[("n", &count(n_kept as u64))])}</h3>
            {item_list(kept, tr!(runs.kept_list))}
        })}
        {(!kept_tasks.is_empty()).then(|| {
            let tasks = kept_tasks.join(t().jobs.and);
            view! { <p>{move || fill(t().runs.kept_tasks, &[("tasks", &tasks)])}</p> }
        })}
        {has_iterations.then(|| view! { <p>{tr!(runs.inputs_kept)}</p> })}
    }
}

fn item_list(items: Vec<RepairItem>, name: impl Fn() -> &'static str + Send + 'static) -> impl IntoView {
    let entries = items
        .into_iter()
        .map(|item| {
            let RepairItem { task, iteration, state, unplanned } = item;
            let title = match iteration {
                Some((index, label)) => format!("{task} #{index} {label}"),
                None => task,
            };
            view! {
                <li>
                    <span>{title}</span>
                    " "
                    <RunStateChip state text=Signal::derive(move || state_word(state, false).to_owned())/>
                    {unplanned.then(|| view! { " " <span class="quiet">{tr!(runs.unplanned)}</span> })}
                </li>
            }
        })
        .collect_view();
    view! { <ul class="repair-list" aria-label=name>{entries}</ul> }
}
