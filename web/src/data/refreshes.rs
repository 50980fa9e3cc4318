//! What refreshes did, one card for each.

use lakelet_base::TableName;
use lakelet_protocol::{RefreshGroup, RefreshMode, RefreshReport};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::icon::Icon;
use crate::components::{Chip, Failure, Tone, asked, loaded};
use crate::data::history::signed;
use crate::data::window::WindowBar;
use crate::engine::calls;
use crate::messages::{clock_text, count, fill, plural, t, tr};
use crate::names::short_name;
use crate::state::{App, use_app};

/// Refreshes a table now, and says what came of it.
pub fn refresh(app: App, table: String, full: bool) {
    spawn_local(async move {
        refresh_one(app, table, full).await;
        app.catalog_changed();
    });
}

/// Refreshes a table; whether it succeeded.
pub async fn refresh_one(app: App, table: String, full: bool) -> bool {
    app.news.say(fill(t().flow.refreshing, &[("table", &short_name(&table))]));
    app.running.update(|n| *n += 1);
    let answer = calls::refresh(table, full).await;
    app.running.update(|n| *n = n.saturating_sub(1));
    match answer {
        Ok(reports) => {
            if let Some(report) = reports.first() {
                app.news.say(fill(
                    t().flow.done,
                    &[
                        ("table", &short_name(&report.table)),
                        ("mode", mode_word(report.mode)),
                        ("n", &count(report.n_read)),
                        ("unit", &unit_word(&report.unit, report.n_read)),
                    ],
                ));
            }
            true
        }
        Err(error) => {
            app.news.fail(error);
            false
        }
    }
}

/// The tab "Refreshes".
#[component]
pub fn RefreshesTab(table: TableName) -> impl IntoView {
    let app = use_app();
    let name = table.to_string();
    let answer = asked(move || app.catalog_changes.get(), move |_| calls::refreshes(name.clone()));
    view! {
        {loaded(answer, |reports: Vec<RefreshReport>| {
            if reports.is_empty() {
                return view! { <p class="quiet">{tr!(flow.never_refreshed)}</p> }.into_any();
            }
            reports.into_iter().map(|report| view! { <RefreshCard report/> }).collect_view().into_any()
        })}
    }
}

/// The word of a mode. Reactive.
pub fn mode_word(mode: RefreshMode) -> &'static str {
    let texts = &t().flow;
    match mode {
        RefreshMode::Incremental => texts.mode_incremental,
        RefreshMode::Full => texts.mode_full,
        RefreshMode::NoChange => texts.mode_no_change,
        RefreshMode::Failed => texts.mode_failed,
    }
}

fn unit_word(unit: &str, n: u64) -> String {
    match unit {
        "events" => plural(t().flow.unit_events, n),
        "rows" => plural(t().flow.unit_rows, n),
        other => other.to_owned(),
    }
}

fn trigger_word(trigger: &str) -> String {
    let texts = &t().flow;
    match trigger {
        "statement" => texts.trigger_statement,
        "schedule" => texts.trigger_schedule,
        "create" => texts.trigger_create,
        other => other,
    }
    .to_owned()
}

/// The article "Refresh n of t".
#[component]
pub fn RefreshCard(report: RefreshReport) -> impl IntoView {
    let name = short_name(&report.table);
    let number = count(report.number);
    let title = move || fill(t().flow.refresh_of, &[("n", &number), ("table", &name)]);
    let heading = title.clone();
    let (tone, shape) = match report.mode {
        RefreshMode::Incremental => (Tone::Success, Icon::Check),
        RefreshMode::Full => (Tone::Warning, Icon::Refresh),
        RefreshMode::NoChange => (Tone::Neutral, Icon::Dash),
        RefreshMode::Failed => (Tone::Failure, Icon::Cross),
    };
    let mode = report.mode;
    let ending = match report.error.clone() {
        Some(error) => view! { <Failure error/> }.into_any(),
        None => {
            let report = report.clone();
            view! {
                <p>{report.reason.clone()}</p>
                <p class="refresh-facts">{move || facts(&report)}</p>
            }
            .into_any()
        }
    };
    let trigger = report.trigger.clone();
    // Events are keys being followed; rows are groups of a view.
    let of_keys = report.unit == "events";
    view! {
        <article class="card refresh" aria-label=title>
            <header class="refresh-head">
                <h3>{heading}</h3>
                <Chip tone shape text=Signal::derive(move || mode_word(mode).to_owned())/>
                <span class="quiet">{clock_text(report.at)} " · " {move || trigger_word(&trigger)}</span>
            </header>
            {ending}
            {report.window.map(|predicate| {
                let shown = predicate.clone();
                view! {
                    <p>{move || fill(t().flow.window, &[("predicate", &shown)])}</p>
                    <WindowBar predicate at=report.at/>
                }
            })}
            {(!report.groups.is_empty()).then(|| view! {
                <ul class="tiles" aria-label=tr!(flow.groups)>
                    {report.groups.into_iter().map(|group| tile(group, of_keys)).collect_view()}
                </ul>
            })}
        </article>
    }
}

fn facts(report: &RefreshReport) -> String {
    let texts = &t().flow;
    let unit = unit_word(&report.unit, report.n_read);
    let n_read = count(report.n_read);
    let read = if report.unit == "events" {
        fill(texts.read, &[("n", &n_read), ("unit", &unit)])
    } else {
        let all = count(report.n_source_rows);
        let unit = unit_word(&report.unit, report.n_source_rows);
        fill(texts.read_of, &[("n", &n_read), ("all", &all), ("unit", &unit)])
    };
    let mut facts = vec![read];
    if let Some((touched, all)) = report.touched {
        let text = if report.unit == "events" { texts.touched_keys } else { texts.touched_groups };
        facts.push(fill(text, &[("n", &count(touched)), ("all", &count(all))]));
    }
    let written: Vec<String> = [('+', report.n_inserted), ('~', report.n_updated), ('-', report.n_deleted)]
        .into_iter()
        .map(|(sign, n)| signed(sign, n))
        .filter(|text| !text.is_empty())
        .collect();
    facts.push(match written.is_empty() {
        true => texts.wrote_nothing.to_owned(),
        false => fill(texts.wrote, &[("rows", &written.join(" "))]),
    });
    facts.push(match report.version {
        Some(version) => fill(texts.made_version, &[("n", &count(version))]),
        None => texts.made_no_version.to_owned(),
    });
    facts.join(", ")
}

/// A group: recomputed, new, gone or untouched; in shape and words, not in color alone.
fn tile(group: RefreshGroup, of_keys: bool) -> impl IntoView {
    let RefreshGroup { label, before, after, touched } = group;
    let (class, sign) = match (touched, &before, &after) {
        (false, ..) => ("tile", ""),
        (true, None, Some(_)) => ("tile tile-new", "+"),
        (true, Some(_), None) => ("tile tile-gone", "−"),
        (true, None, None) => ("tile tile-touched", "~"),
        (true, before, after) if before == after => ("tile tile-same", "R="),
        (true, ..) => ("tile tile-touched", "R"),
    };
    let words = move || {
        let texts = &t().flow;
        match (touched, &before, &after) {
            (false, ..) => texts.group_untouched.to_owned(),
            (true, None, Some(after)) => fill(texts.group_new, &[("after", after)]),
            (true, Some(before), None) => fill(texts.group_gone, &[("before", before)]),
            (true, None, None) => texts.group_touched.to_owned(),
            (true, Some(before), Some(after)) if !of_keys => {
                fill(texts.group_recomputed, &[("before", before), ("after", after)])
            }
            (true, Some(before), Some(after)) => format!("{before} → {after}"),
        }
    };
    view! {
        <li class=class>
            <strong>{(!sign.is_empty()).then(|| view! { <span class="tile-sign" aria-hidden="true">{sign}</span> " " })} {label}</strong>
            <span class="tile-words">{words}</span>
        </li>
    }
}
