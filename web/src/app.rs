//! The root: state, frame, and the screen of the place.

use leptos::prelude::*;

use crate::boundary::{dom, engine};
use crate::data::{DataScreen, TableScreen};
use crate::flow::FlowScreen;
use crate::frame::{Frame, keys};
use crate::home::HomeScreen;
use crate::jobs::JobsScreen;
use crate::learn::LessonsScreen;
use crate::messages::{Language, fill, language, set_language, t, tr};
use crate::notebook::NotebookScreen;
use crate::route::{Route, query_parameters};
use crate::settings::{HelpScreen, SettingsScreen};
use crate::sql::SqlScreen;
use crate::state::layout::{Theme, show_theme};
use crate::state::{App, events, use_app};

/// Every workspace of a lesson lives on a simulated clock that begins here.
const ENGINE_OPTIONS: &str = r#"{"clock":"2026-03-02T09:00:00Z"}"#;

/// Replaces the static shell by the page.
pub fn mount() {
    let Some(place) = dom::by_id("app") else { return };
    place.set_inner_html("");
    mount_to(place, Root).forget();
}

#[component]
fn Root() -> impl IntoView {
    let app = App::new();
    provide_context(app);
    take_query(app);
    Effect::new(move || show_theme(app.layout.theme()));
    Effect::new(move || {
        if let Some(root) = dom::root() {
            let _ = root.set_attribute("lang", language().tag());
        }
    });
    Effect::new(move || dom::set_title(&title(&app.route.get())));
    Effect::new(move || {
        let route = app.route.get();
        if matches!(route, Route::Workspace) {
            app.go_instead(&app.last_place.get_untracked());
        } else if route.is_in_workspace() {
            app.last_place.set(route);
        }
    });
    Effect::new(move |before: Option<Route>| {
        let route = app.route.get();
        if before.is_some_and(|before| before != route) {
            app.news.forget_failures();
        }
        route
    });
    crate::learn::follow_route(app);
    events::listen(app);
    keys::listen(app);
    engine::start(ENGINE_OPTIONS);
    view! { <Frame><Screen/></Frame> }
}

/// `?theme=` and `?lang=` of the page's address hold for this visit.
fn take_query(app: App) {
    for (name, value) in query_parameters(&dom::query()) {
        match name.as_str() {
            "theme" => {
                if let Some(theme) = Theme::from_key(&value) {
                    app.layout.set_theme(theme);
                }
            }
            "lang" => {
                if let Some(language) = Language::from_tag(&value) {
                    set_language(language);
                }
            }
            _ => {}
        }
    }
}

/// The screen of the place. A screen is kept while the place only changes within it.
#[component]
fn Screen() -> impl IntoView {
    let app = use_app();
    let kind = Memo::new(move |_| app.route.with(ScreenKind::of));
    move || match kind.get() {
        ScreenKind::Home => view! { <HomeScreen/> }.into_any(),
        ScreenKind::Lessons => view! { <LessonsScreen/> }.into_any(),
        ScreenKind::Sql => view! { <SqlScreen/> }.into_any(),
        ScreenKind::Notebook => view! { <NotebookScreen/> }.into_any(),
        ScreenKind::Jobs => view! { <JobsScreen/> }.into_any(),
        ScreenKind::Data => view! { <DataScreen/> }.into_any(),
        ScreenKind::Table => view! { <TableScreen/> }.into_any(),
        ScreenKind::Flow => view! { <FlowScreen/> }.into_any(),
        ScreenKind::Settings => view! { <SettingsScreen/> }.into_any(),
        ScreenKind::Help => view! { <HelpScreen/> }.into_any(),
        ScreenKind::Unknown => view! { <NotHere/> }.into_any(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScreenKind {
    Home,
    Lessons,
    Sql,
    Notebook,
    Jobs,
    Data,
    Table,
    Flow,
    Settings,
    Help,
    Unknown,
}

impl ScreenKind {
    fn of(route: &Route) -> Self {
        match route {
            Route::Home => Self::Home,
            Route::Lessons => Self::Lessons,
            // A lesson stands beside the editor until its reader goes elsewhere.
            Route::Lesson { .. } | Route::Workspace | Route::Sql { .. } => Self::Sql,
            Route::Notebook { .. } => Self::Notebook,
            Route::Jobs(_) => Self::Jobs,
            Route::Data => Self::Data,
            Route::Table { .. } => Self::Table,
            Route::Flow => Self::Flow,
            Route::Settings => Self::Settings,
            Route::Help { .. } => Self::Help,
            Route::Unknown { .. } => Self::Unknown,
        }
    }
}

fn title(route: &Route) -> String {
    let texts = t();
    let place = match route {
        Route::Home => return texts.common.product.to_owned(),
        Route::Lessons | Route::Lesson { .. } => texts.frame.learn,
        Route::Workspace | Route::Sql { .. } => texts.frame.sql,
        Route::Notebook { .. } => texts.frame.notebooks,
        Route::Jobs(_) => texts.frame.jobs,
        Route::Data => texts.frame.data,
        Route::Table { table, .. } => return format!("{} · {}", table.name, texts.common.product),
        Route::Flow => texts.frame.flow,
        Route::Settings | Route::Help { .. } => texts.frame.settings,
        Route::Unknown { .. } => texts.frame.not_here,
    };
    format!("{place} · {}", texts.common.product)
}

/// For addresses that name no place.
#[component]
fn NotHere() -> impl IntoView {
    let app = use_app();
    let text = move || {
        let address = app.route.with(ToString::to_string);
        fill(t().frame.not_here_text, &[("address", &address)])
    };
    view! {
        <section class="page">
            <h1>{tr!(frame.not_here)}</h1>
            <p>{text}</p>
            <p><a href="#/">{tr!(frame.go_home)}</a></p>
        </section>
    }
}
