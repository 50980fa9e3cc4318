//! How far each source of a control table was copied.

use lakelet_base::Timestamp;
use lakelet_protocol::WatermarkView;
use leptos::prelude::*;

use crate::components::asked;
use crate::engine::calls;
use crate::messages::{clock_text, count, fill, t, tr};
use crate::state::use_app;

/// The region "Watermarks"; nothing where no control table has one.
#[component]
pub fn WatermarksCard() -> impl IntoView {
    let app = use_app();
    let answer = asked(move || app.catalog_changes.get(), |_| calls::watermarks());
    let known = Memo::new(move |_| {
        answer.with(|answer| answer.as_ref().and_then(|answer| answer.as_ref().ok().cloned())).unwrap_or_default()
    });
    view! {
        <Show when=move || !known.with(Vec::is_empty)>
            <section class="card watermarks" role="region" aria-label=tr!(watermarks.title)>
                <h2>{tr!(watermarks.title)}</h2>
                <p class="quiet">{tr!(watermarks.caption)}</p>
                <ul class="watermark-list">
                    {move || {
                        let marks = known.get();
                        let end = marks.iter().flat_map(|mark| [mark.watermark, mark.newest]).flatten().max().unwrap_or_default();
                        marks.into_iter().map(|mark| watermark_row(mark, end)).collect_view()
                    }}
                </ul>
            </section>
        </Show>
    }
}

fn watermark_row(mark: WatermarkView, end: Timestamp) -> impl IntoView {
    let WatermarkView { source, watermark, newest, n_ahead, n_behind } = mark;
    let share = |instant: Option<Timestamp>| instant.map_or(0.0, |instant| share_of(instant, end));
    let name = {
        let source = source.clone();
        move || {
            let words =
                |instant: Option<Timestamp>| instant.map_or_else(|| t().watermarks.never.to_owned(), clock_text);
            fill(
                t().watermarks.row,
                &[("source", &source), ("watermark", &words(watermark)), ("newest", &words(newest))],
            )
        }
    };
    let described = name.clone();
    view! {
        <li class="watermark">
            <p class="watermark-name"><code>{source}</code></p>
            <div class="watermark-bar" role="img" aria-label=described>
                <span class="watermark-filled" style:width=format!("{:.2}%", share(watermark))></span>
                <span class="watermark-newest" style:left=format!("{:.2}%", share(newest))></span>
            </div>
            <p class="watermark-ends quiet">
                <span>{tr!(watermarks.start_year)}</span>
                <span>{move || watermark.map_or_else(|| t().watermarks.never.to_owned(), clock_text)}</span>
            </p>
            <p class="watermark-counts">
                <span>{move || fill(t().watermarks.ahead, &[("n", &count(n_ahead))])}</span>
                {n_behind.map(|n| view! {
                    <span class:watermark-warns=move || { n > 0 }>{move || fill(t().watermarks.behind, &[("n", &count(n))])}</span>
                })}
            </p>
        </li>
    }
}

/// How far along from 1970 to `end` an instant is, in percent.
fn share_of(instant: Timestamp, end: Timestamp) -> f64 {
    if end.0 <= 0 {
        return 0.0;
    }
    (instant.0 as f64 / end.0 as f64 * 100.0).clamp(0.0, 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_run_from_1970_to_the_newest() {
        assert_eq!(share_of(Timestamp(0), Timestamp(100)), 0.0);
        assert_eq!(share_of(Timestamp(50), Timestamp(100)), 50.0);
        assert_eq!(share_of(Timestamp(-5), Timestamp(100)), 0.0);
        assert_eq!(share_of(Timestamp(5), Timestamp(0)), 0.0);
    }
}
