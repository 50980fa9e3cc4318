//! Keys that work everywhere in the page.

use leptos::ev;
use leptos::prelude::*;
use web_sys::Element;

use crate::boundary::dom;
use crate::frame::rail::numbered_place;
use crate::messages::t;
use crate::state::App;

/// Panels in the order in which F6 goes through them.
const PANELS: [&str; 5] = [".rail", ".catalog", "#main", "#lesson", ".status-bar"];

/// Begins to listen, for as long as the page lives.
pub fn listen(app: App) {
    window_event_listener(ev::keydown, move |event| {
        let handled = match event.key().as_str() {
            "s" if event.ctrl_key() || event.meta_key() => {
                save(app);
                true
            }
            "F6" => focus_panel(event.shift_key()),
            // By the key's place: with Alt some systems make other characters of digits.
            _ if event.alt_key() => match digit(&event.code()).and_then(numbered_place) {
                Some(place) => {
                    app.go(&place);
                    true
                }
                None => false,
            },
            _ => false,
        };
        if handled {
            event.prevent_default();
        }
    });
}

/// Keeps what stands in the SQL editor, and says what came of it.
pub fn save(app: App) {
    let saved = app.tabs.save();
    app.news.say(if saved { t().settings.saved } else { t().settings.not_saved });
}

fn digit(code: &str) -> Option<usize> {
    code.strip_prefix("Digit")?.parse().ok()
}

/// Moves the focus into the next panel, or the one before; whether there is one.
fn focus_panel(back: bool) -> bool {
    let Some(root) = dom::root() else { return false };
    let panels: Vec<_> = PANELS.iter().filter_map(|selector| dom::find(&root, selector)).collect();
    let active = dom::focused();
    let inside = |panel: &Element| active.as_ref().is_some_and(|active| panel.contains(Some(active)));
    let n_panels = panels.len();
    if n_panels == 0 {
        return false;
    }
    let next = match panels.iter().position(|panel| inside(panel)) {
        Some(here) if back => (here + n_panels - 1) % n_panels,
        Some(here) => (here + 1) % n_panels,
        None => 0,
    };
    let Some(panel) = panels.get(next) else { return false };
    // A panel that cannot take the focus itself gives it to what can.
    let target = dom::find(panel, "a[href], button:not(:disabled), input, [tabindex='0']");
    let element = if panel.has_attribute("tabindex") { panel.clone() } else { target.unwrap_or_else(|| panel.clone()) };
    element.focus().is_ok()
}
