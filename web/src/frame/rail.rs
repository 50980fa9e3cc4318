//! The main navigation: a rail at the side, a bar at the bottom of small screens.

use leptos::prelude::*;

use crate::components::icon::{Icon, icon};
use crate::messages::en::Frame;
use crate::messages::{Choose, t, tr};
use crate::route::{JobPlace, Route};
use crate::state::use_app;

/// An entry of the rail.
struct Entry {
    /// Whether there is room for it at the bottom of a small screen; the others are reached through the last entry.
    on_small: bool,
    icon: Icon,
    text: Choose<Frame>,
    target: Route,
    is_here: fn(&Route) -> bool,
}

fn entries() -> [Entry; 8] {
    let entry = |on_small, icon, text, target, is_here| Entry { on_small, icon, text, target, is_here };
    [
        entry(false, Icon::Home, |texts| texts.home, Route::Home, |route| matches!(route, Route::Home)),
        entry(
            true,
            Icon::Learn,
            |texts| texts.learn,
            Route::Lessons,
            |route| matches!(route, Route::Lessons | Route::Lesson { .. }),
        ),
        entry(true, Icon::Sql, |texts| texts.sql, Route::Sql { tab: None }, |route| matches!(route, Route::Sql { .. })),
        entry(
            false,
            Icon::Notebook,
            |texts| texts.notebooks,
            Route::Notebook { path: None },
            |route| matches!(route, Route::Notebook { .. }),
        ),
        entry(
            true,
            Icon::Jobs,
            |texts| texts.jobs,
            Route::Jobs(JobPlace::List),
            |route| matches!(route, Route::Jobs(_)),
        ),
        entry(false, Icon::Flow, |texts| texts.flow, Route::Flow, |route| matches!(route, Route::Flow)),
        entry(
            true,
            Icon::Data,
            |texts| texts.data,
            Route::Data,
            |route| matches!(route, Route::Data | Route::Table { .. }),
        ),
        entry(
            true,
            Icon::More,
            |texts| texts.more,
            Route::Settings,
            |route| matches!(route, Route::Settings | Route::Help { .. }),
        ),
    ]
}

/// The place of the entry with this number, from 1 on: what Alt with a digit goes to.
pub fn numbered_place(number: usize) -> Option<Route> {
    entries().into_iter().nth(number.checked_sub(1)?).map(|entry| entry.target)
}

/// The rail.
#[component]
pub fn Rail() -> impl IntoView {
    let app = use_app();
    let links = entries().map(|entry| {
        let Entry { on_small, icon: shape, text, target, is_here } = entry;
        let here = Memo::new(move |_| app.route.with(is_here));
        view! {
            <li class:rail-wide=!on_small>
                <a class="rail-link" href=target.to_string() aria-current=move || here.get().then_some("page")>
                    {icon(shape)}
                    <span>{move || text(&t().frame)}</span>
                </a>
            </li>
        }
    });
    view! { <nav class="rail" aria-label=tr!(frame.rail)><ul>{links.into_iter().collect_view()}</ul></nav> }
}
