//! The window of a REPLACE WHERE flow: which days a refresh computed again, and what the flow needs on Databricks.

use lakelet_base::Timestamp;
use lakelet_protocol::TableView;
use leptos::prelude::*;

use crate::data::table::insert_query;
use crate::messages::{fill, t, tr};
use crate::state::use_app;

const DAY_MS: i64 = 86_400_000;
/// The property that gives a flow the channel it needs.
const CHANNEL: &str = "pipelines.channel";

/// Days from the first that the predicate of a refresh held for to the day of the refresh, drawn with what lies outside.
/// Nothing where the predicate is of another form.
#[component]
pub fn WindowBar(
    /// The predicate with the clock's value filled in.
    predicate: String,
    /// When it was refreshed.
    at: Timestamp,
) -> impl IntoView {
    first_day(&predicate, at).map(|from| {
        let to = day(at);
        let words = {
            let (from, to) = (from.clone(), to.clone());
            move || fill(t().flow.window_days, &[("from", &from), ("to", &to)])
        };
        view! {
            <figure class="window-bar">
                <div class="window-axis" aria-hidden="true">
                    <span class="window-outside">{tr!(flow.window_outside)}</span>
                    <span class="window-inside"><span>{from}</span><span>{to}</span></span>
                </div>
                <figcaption>{words}</figcaption>
            </figure>
        }
    })
}

/// The first day for which a predicate holds that compares with the day of the refresh, or with a day: what stands behind
/// its `>=`, or the day after what stands behind its `>`.
fn first_day(predicate: &str, at: Timestamp) -> Option<String> {
    let (_, bound) = predicate.split_once('>')?;
    let (bound, later) = match bound.strip_prefix('=') {
        Some(bound) => (bound.trim(), 0),
        None => (bound.trim(), 1),
    };
    let (date, days) = match bound.strip_prefix("date_add(").or_else(|| bound.strip_prefix("date_sub(")) {
        Some(inside) => {
            let (date, days) = inside.strip_suffix(')')?.split_once(',')?;
            let days: i64 = days.trim().parse().ok()?;
            (date.trim(), if bound.starts_with("date_sub") { -days } else { days })
        }
        None => (bound, 0),
    };
    let date = date.trim_start_matches("DATE").trim().strip_prefix('\'')?.strip_suffix('\'')?;
    let start = Timestamp::parse_rfc3339(&format!("{date}T00:00:00Z")).ok()?;
    // The window ends with the refresh, so what begins after it is none.
    let first = Timestamp::from_millis(start.millis().checked_add((days + later).checked_mul(DAY_MS)?)?);
    (first <= at).then(|| day(first))
}

fn day(at: Timestamp) -> String {
    let (year, month, day) = at.date();
    format!("{year:04}-{month:02}-{day:02}")
}

/// Says that Databricks wants the preview channel for the table's flow, as long as its definition does not ask for it.
#[component]
pub fn ChannelNote(view: Signal<Option<TableView>>) -> impl IntoView {
    let app = use_app();
    let statement = Memo::new(move |_| {
        view.with(|view| {
            let view = view.as_ref()?;
            let has_channel = view.properties.iter().any(|(name, _)| name.eq_ignore_ascii_case(CHANNEL));
            with_channel(view.definition.as_ref()?).filter(|_| !has_channel)
        })
    });
    move || {
        statement.get().map(|statement| {
            view! {
                <div class="parity-note">
                    <p>{tr!(flow.channel_note)}</p>
                    <button type="button" class="button-small" on:click=move |_| insert_query(app, &statement)>
                        {tr!(flow.channel_insert)}
                    </button>
                </div>
            }
        })
    }
}

/// The definition of a table with a REPLACE WHERE flow, asking for the preview channel; `None` for other definitions.
fn with_channel(definition: &str) -> Option<String> {
    let upper = definition.to_ascii_uppercase();
    let place = upper.find("FLOW REPLACE WHERE")?;
    if upper.contains("TBLPROPERTIES") {
        return None;
    }
    let (head, flow) = definition.split_at(place);
    let end = if flow.trim_end().ends_with(';') { "" } else { ";" };
    Some(format!("{head}TBLPROPERTIES ({CHANNEL} = 'PREVIEW')\n{}{end}", flow.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_begin_where_their_predicate_says() {
        let at = Timestamp::parse_rfc3339("2026-03-02T09:00:00Z").unwrap();
        let first = |predicate: &str| first_day(predicate, at);
        assert_eq!(first("sale_date >= date_add('2026-03-02', -7)").as_deref(), Some("2026-02-23"));
        assert_eq!(first("sale_date > date_sub('2026-03-02', 7)").as_deref(), Some("2026-02-24"));
        assert_eq!(first("d >= DATE '2026-01-01'").as_deref(), Some("2026-01-01"));
        assert_eq!(first("d >= '2026-03-03'"), None, "after the refresh");
        for other in
            ["market = 'NL'", "d >= x", "d >= date_add('2026-03-02', n)", "d >= '2026-03-02' AND e < 3", "d > "]
        {
            assert_eq!(first(other), None, "{other}");
        }
    }

    #[test]
    fn the_channel_stands_before_the_flow() {
        let definition =
            "CREATE OR REFRESH STREAMING TABLE t\nSCHEDULE EVERY 1 DAY\nFLOW REPLACE WHERE d > 1 BY NAME SELECT 1";
        assert_eq!(
            with_channel(definition).as_deref(),
            Some(
                "CREATE OR REFRESH STREAMING TABLE t\nSCHEDULE EVERY 1 DAY\nTBLPROPERTIES (pipelines.channel = \
                 'PREVIEW')\nFLOW REPLACE WHERE d > 1 BY NAME SELECT 1;"
            )
        );
        assert_eq!(with_channel("CREATE MATERIALIZED VIEW v AS SELECT 1"), None);
    }
}
