//! Errors and warnings with their place, and what can be done about them.

use lakelet_protocol::{WireError, WireSuggestion};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::boundary::dom;
use crate::components::icon::{Icon, icon};
use crate::components::snippet::snippet;
use crate::messages::{fill, t, tr};
use crate::state::use_app;

/// What a card can do in the script that its error is about.
#[derive(Clone, Copy)]
pub struct ScriptActions {
    /// Shows a byte range in the editor.
    pub go_to: Callback<(usize, usize)>,
    /// Applies a suggestion with a range; whether it still fitted the text.
    pub apply: Callback<WireSuggestion, bool>,
    /// Puts a suggestion without a range behind the script.
    pub insert: Callback<String>,
}

/// An error, or a warning, about a script.
#[component]
pub fn ErrorCard(
    /// What is wrong.
    error: WireError,
    /// The script as it was run.
    #[prop(into)]
    text: String,
    /// A warning rather than an error.
    #[prop(optional)]
    warning: bool,
    /// What can be done; without them the card only shows.
    #[prop(optional_no_strip)]
    actions: Option<ScriptActions>,
) -> impl IntoView {
    let app = use_app();
    let place = error.start.zip(error.end);
    let found = place.and_then(|(start, end)| snippet(&text, start, end));
    let for_clipboard = clipboard_text(&error);
    // What Python raises has no SQLSTATE.
    let sqlstate = (!error.sqlstate.is_empty()).then(|| format!("SQLSTATE {}", error.sqlstate));
    let copy = move |_| {
        let text = for_clipboard.clone();
        spawn_local(async move {
            let copied = dom::copy(&text).await;
            let texts = untrack(t);
            app.news.say(if copied { texts.common.copied } else { texts.common.not_copied });
        });
    };
    let line = error.line;
    view! {
        <div class="error-card" class:warning=warning>
            <p class="error-head">
                {icon(if warning { Icon::Warning } else { Icon::Cross })}
                <strong class="error-condition">{error.condition}</strong>
                {sqlstate.map(|sqlstate| view! { <span class="quiet">{sqlstate}</span> })}
            </p>
            <p class="error-message">{error.message}</p>
            {found.map(|found| view! {
                <pre class="snippet"><span class="snippet-line" aria-hidden="true">{found.line}</span>
                    <code>{found.before}<mark>{found.place}</mark>{found.after}</code>
                </pre>
            })}
            {error.hint.map(|hint| view! { <p class="error-hint">{hint}</p> })}
            {actions.map(|actions| view! {
                <div class="error-suggestions">
                    {error.suggestions.into_iter().map(|suggestion| view! { <SuggestionRow suggestion actions/> }).collect_view()}
                </div>
            })}
            <div class="button-row">
                {actions.zip(place).map(|(actions, (start, end))| view! {
                    <button type="button" class="button-small" on:click=move |_| actions.go_to.run((start, end))>
                        {move || fill(t().sql.go_to_line, &[("line", &line.unwrap_or(1).to_string())])}
                    </button>
                })}
                <button type="button" class="button-small" on:click=copy>{icon(Icon::Copy)}{tr!(common.copy)}</button>
            </div>
        </div>
    }
}

fn clipboard_text(error: &WireError) -> String {
    match error.sqlstate.as_str() {
        "" => format!("{}: {}", error.condition, error.message),
        sqlstate => format!("{} (SQLSTATE {sqlstate}): {}", error.condition, error.message),
    }
}

#[component]
fn SuggestionRow(suggestion: WireSuggestion, actions: ScriptActions) -> impl IntoView {
    let stale = RwSignal::new(false);
    let label = suggestion.label.clone();
    let in_place = suggestion.range.is_some();
    let on_click = move |_| {
        if in_place {
            stale.set(!actions.apply.run(suggestion.clone()));
        } else {
            actions.insert.run(suggestion.replacement.clone());
        }
    };
    view! {
        <p class="suggestion">
            <span>{label}</span>
            <button type="button" class="button-small" on:click=on_click>
                {move || if in_place { t().sql.apply_suggestion } else { t().sql.insert_steps }}
            </button>
            <Show when=move || stale.get()><span class="quiet">{tr!(sql.suggestion_stale)}</span></Show>
        </p>
    }
}

/// An error that is about no script.
#[component]
pub fn Failure(
    /// What is wrong.
    error: WireError,
) -> impl IntoView {
    view! { <ErrorCard error text=""/> }
}
