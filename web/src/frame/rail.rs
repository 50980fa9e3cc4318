//! The main navigation: a rail at the side, a bar at the bottom of small screens.

use leptos::prelude::*;

use crate::components::icon::{Icon, icon};
use crate::messages::en::Frame;
use crate::messages::{t, tr};
use crate::route::{JobPlace, Route};
use crate::state::use_app;

/// An entry of the rail.
struct Entry {
    icon: Icon,
    text: fn(&Frame) -> &'static str,
    target: Route,
    is_here: fn(&Route) -> bool,
}

fn entries() -> [Entry; 8] {
    let entry = |icon, text, target, is_here| Entry { icon, text, target, is_here };
    [
        entry(Icon::Home, |texts| texts.home, Route::Home, |route| matches!(route, Route::Home)),
        entry(
            Icon::Learn,
            |texts| texts.learn,
            Route::Lessons,
            |route| matches!(route, Route::Lessons | Route::Lesson { .. }),
        ),
        entry(Icon::Sql, |texts| texts.sql, Route::Sql { tab: None }, |route| matches!(route, Route::Sql { .. })),
        entry(
            Icon::Notebook,
            |texts| texts.notebooks,
            Route::Notebook { path: None },
            |route| matches!(route, Route::Notebook { .. }),
        ),
        entry(Icon::Jobs, |texts| texts.jobs, Route::Jobs(JobPlace::List), |route| matches!(route, Route::Jobs(_))),
        entry(Icon::Flow, |texts| texts.flow, Route::Flow, |route| matches!(route, Route::Flow)),
        entry(Icon::Data, |texts| texts.data, Route::Data, |route| matches!(route, Route::Data | Route::Table { .. })),
        entry(
            Icon::More,
            |texts| texts.settings,
            Route::Settings,
            |route| matches!(route, Route::Settings | Route::Help { .. }),
        ),
    ]
}

/// The rail.
#[component]
pub fn Rail() -> impl IntoView {
    let app = use_app();
    let links = entries().map(|entry| {
        let Entry { icon: shape, text, target, is_here } = entry;
        let here = Memo::new(move |_| app.route.with(is_here));
        view! {
            <li>
                <a class="rail-link" href=target.to_string() aria-current=move || here.get().then_some("page")>
                    {icon(shape)}
                    <span>{move || text(&t().frame)}</span>
                </a>
            </li>
        }
    });
    view! { <nav class="rail" aria-label=tr!(frame.rail)><ul>{links.into_iter().collect_view()}</ul></nav> }
}
