//! Placeholders that a script was pasted with (`<your-catalog>`): found, and filled in at once.

use std::collections::BTreeMap;
use std::ops::Range;

use leptos::prelude::*;

use crate::messages::{t, tr};
use crate::sql::parameters::{is_part_of_name, plain_characters};
use crate::state::{App, EditorTab, use_app};

/// A field for each placeholder of the script, and the button that puts in what is written there.
#[component]
pub fn BlanksBar(tab: EditorTab) -> impl IntoView {
    let app = use_app();
    let text = tab.text.clone();
    let blanks = Memo::new(move |_| text.with(|text| distinct_blanks(text)));
    let typed = RwSignal::new(BTreeMap::<String, String>::new());
    let schema = tab.schema.clone();
    let schema = Memo::new(move |_| schema.get().or_else(|| current_schema(app)));
    let value = move |blank: &str| {
        let typed = typed.with(|typed| typed.get(blank).cloned());
        typed.or_else(|| proposed(blank, schema.get().as_deref()?)).unwrap_or_default()
    };
    let tab = StoredValue::new(tab);
    let fill_in = move |_| {
        let tab = tab.get_value();
        let filled = tab
            .text
            .with_untracked(|text| filled(text, |blank| Some(untrack(|| value(blank))).filter(|v| !v.is_empty())));
        tab.replace_text(filled);
        app.tabs.save();
        app.news.say(t().sql.blanks_filled);
    };
    let nothing = move || blanks.with(|blanks| blanks.iter().all(|blank| value(blank).is_empty()));
    view! {
        <Show when=move || !blanks.with(Vec::is_empty)>
            <div class="parameters" role="group" aria-label=tr!(sql.blanks)>
                <span class="parameters-head">{tr!(sql.blanks)}</span>
                <For each=move || blanks.get() key=Clone::clone let(blank)>
                    {
                        let (label, shown, key) = (blank.clone(), blank.clone(), blank);
                        view! {
                            <label class="parameter">
                                <span class="parameter-name">{label}</span>
                                <input
                                    class="input"
                                    type="text"
                                    spellcheck="false"
                                    prop:value=move || value(&shown)
                                    on:input=move |event| typed.update(|typed| {
                                        typed.insert(key.clone(), event_target_value(&event));
                                    })
                                />
                            </label>
                        }
                    }
                </For>
                <button type="button" class="button-small" disabled=nothing on:click=fill_in>{tr!(sql.fill_blanks)}</button>
            </div>
        </Show>
    }
}

fn current_schema(app: App) -> Option<String> {
    app.catalog.with(|catalog| catalog.as_ref().map(|catalog| catalog.current_schema.clone()))
}

/// What fits a placeholder that asks for a catalog or a schema: the one in force, of `catalog.schema`.
fn proposed(blank: &str, schema: &str) -> Option<String> {
    let (catalog, schema) = schema.split_once('.')?;
    let blank = blank.to_lowercase();
    let fits = if blank.contains("catalog") {
        catalog
    } else if blank.contains("schema") {
        schema
    } else {
        return None;
    };
    Some(fits.to_owned())
}

/// Where placeholders stand in a script: names in angle brackets, outside strings, quoted names and comments. Brackets
/// right behind a name belong to a type (`ARRAY<INT>`).
fn blanks(script: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (offset, before) in plain_characters(script) {
        let Some(inside) = script[offset..].strip_prefix('<') else { continue };
        let length = inside.find(|c: char| !(is_part_of_name(c) || matches!(c, '-' | ' '))).unwrap_or(inside.len());
        let name = &inside[..length];
        let is_name = name.starts_with(char::is_alphabetic) && !name.ends_with(' ');
        if is_name && inside[length..].starts_with('>') && !is_part_of_name(before) {
            found.push(offset..offset + length + 2);
        }
    }
    found
}

fn distinct_blanks(script: &str) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for range in blanks(script) {
        let blank = &script[range];
        if !distinct.iter().any(|known| known == blank) {
            distinct.push(blank.to_owned());
        }
    }
    distinct
}

/// The script with the placeholders for which there is a value replaced.
fn filled(script: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut text = script.to_owned();
    for range in blanks(script).into_iter().rev() {
        if let Some(value) = value(&script[range.clone()]) {
            text.replace_range(range, &value);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_where_names_may_stand() {
        let script =
            "USE CATALOG <your-catalog>; USE SCHEMA <your schema>; SELECT * FROM <your-catalog>.<x>.t -- <no>\n";
        assert_eq!(distinct_blanks(script), ["<your-catalog>", "<your schema>", "<x>"]);
        let others = "SELECT '<no>', \"<no>\", `<no>`, CAST(a AS ARRAY<INT>), a<b, a < b > c, a <> b /* <no> */";
        assert_eq!(distinct_blanks(others), [""; 0]);
        assert_eq!(distinct_blanks("<"), [""; 0]);
        assert_eq!(distinct_blanks("<é>"), ["<é>"]);
    }

    #[test]
    fn placeholders_are_filled_everywhere_they_stand() {
        let values = |blank: &str| (blank == "<your-catalog>").then(|| "playground".to_owned());
        let script = "USE CATALOG <your-catalog>;\nSELECT * FROM <your-catalog>.<your-schema>.t, '<your-catalog>'";
        let expected = "USE CATALOG playground;\nSELECT * FROM playground.<your-schema>.t, '<your-catalog>'";
        assert_eq!(filled(script, values), expected);
    }

    #[test]
    fn catalog_and_schema_in_force_are_proposed() {
        assert_eq!(proposed("<your-catalog>", "playground.etl").as_deref(), Some("playground"));
        assert_eq!(proposed("<your-SCHEMA>", "playground.etl").as_deref(), Some("etl"));
        assert_eq!(proposed("<username>", "playground.etl"), None);
    }
}
