//! Tabs after the pattern of the same name: one stop for Tab, arrow keys between them.

use leptos::html;
use leptos::prelude::*;

use crate::boundary::dom::{self, SizeObserver};

/// A row of tabs. `group` names it within the document and ties it to its [`TabPanel`].
#[component]
pub fn TabList(
    /// Accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// Unique within the document.
    group: &'static str,
    /// Key and title of each tab.
    #[prop(into)]
    tabs: Signal<Vec<(String, String)>>,
    /// Key of the selected one.
    #[prop(into)]
    selected: Signal<String>,
    /// Called with the key of the one that is chosen.
    on_select: Callback<String>,
) -> impl IntoView {
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let keys: Vec<String> = tabs.with_untracked(|tabs| tabs.iter().map(|(key, _)| key.clone()).collect());
        let present = selected.get_untracked();
        let Some(index) = keys.iter().position(|key| *key == present) else { return };
        let Some(next) = neighbor(&event.key(), index, keys.len()).and_then(|next| keys.get(next)) else { return };
        event.prevent_default();
        on_select.run(next.clone());
        let id = tab_id(group, next);
        request_animation_frame(move || dom::focus(&id));
    };
    // In a row that is longer than its place the selected tab is brought into sight, also when the place changes.
    let row = NodeRef::<html::Div>::new();
    let room = RwSignal::new(0.0);
    let observer = StoredValue::new_local(None::<SizeObserver>);
    Effect::new(move || {
        if let Some(row) = row.get() {
            observer.set_value(SizeObserver::watch(&row, move |width, _| {
                let _ = room.try_set(width);
            }));
        }
    });
    Effect::new(move || {
        tabs.track();
        room.track();
        let id = tab_id(group, &selected.get());
        request_animation_frame(move || dom::show_in_row(&id));
    });
    view! {
        <div class="tab-list" role="tablist" aria-label=label node_ref=row on:keydown=on_key>
            <For each=move || tabs.get() key=Clone::clone let((key, title))>
                {
                    let id = tab_id(group, &key);
                    let is_selected = Memo::new({
                        let key = key.clone();
                        move |_| selected.with(|selected| *selected == key)
                    });
                    view! {
                        <button
                            type="button"
                            role="tab"
                            class="tab"
                            id=id
                            aria-selected=move || is_selected.get().to_string()
                            aria-controls=move || is_selected.get().then(|| panel_id(group))
                            tabindex=move || if is_selected.get() { "0" } else { "-1" }
                            on:click=move |_| on_select.run(key.clone())
                        >
                            {title}
                        </button>
                    }
                }
            </For>
        </div>
    }
}

/// What belongs to the selected tab of a [`TabList`].
#[component]
pub fn TabPanel(
    /// The group of the tabs.
    group: &'static str,
    /// Key of the selected tab.
    #[prop(into)]
    selected: Signal<String>,
    /// Content.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="tab-panel" role="tabpanel" id=panel_id(group) aria-labelledby=move || tab_id(group, &selected.get())>
            {children()}
        </div>
    }
}

fn panel_id(group: &str) -> String {
    format!("panel-{group}")
}

/// Ids must not hold blanks; keys may.
fn tab_id(group: &str, key: &str) -> String {
    let key: String = key.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    format!("tab-{group}-{key}")
}

/// The tab a key leads to; `None` for keys that lead nowhere.
fn neighbor(key: &str, index: usize, n_tabs: usize) -> Option<usize> {
    match key {
        "ArrowRight" => Some((index + 1) % n_tabs),
        "ArrowLeft" => Some((index + n_tabs - 1) % n_tabs),
        "Home" => Some(0),
        "End" => n_tabs.checked_sub(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrow_keys_go_around() {
        assert_eq!(neighbor("ArrowRight", 2, 3), Some(0));
        assert_eq!(neighbor("ArrowLeft", 0, 3), Some(2));
        assert_eq!(neighbor("Home", 2, 3), Some(0));
        assert_eq!(neighbor("End", 0, 3), Some(2));
        assert_eq!(neighbor("Enter", 0, 3), None);
    }

    #[test]
    fn ids_hold_no_blanks() {
        assert_eq!(tab_id("editor", "1 control table"), "tab-editor-1-control-table");
    }
}
