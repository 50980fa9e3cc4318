//! What several screens share: the place, the engine's status, the catalog, the clock, editor tabs, news.
//!
//! There is one [`App`], made at the start and found by [`use_app`]; it is a handful of signals and can be copied
//! anywhere. Events from the engine arrive in [`events`] and nowhere else.

pub mod catalog;
pub mod draft;
pub mod events;
pub mod layout;
pub mod news;
pub mod tabs;

use std::collections::BTreeMap;

use lakelet_protocol::{CatalogView, ClockView, NotebookView, RunView};
use leptos::prelude::*;

use crate::boundary::dom;
use crate::boundary::storage::StorageState;
use crate::engine::EngineStatus;
use crate::jobs::JobEditors;
use crate::learn::LessonState;
use crate::notebook::Seen;
use crate::route::Route;

pub use layout::Layout;
pub use news::News;
pub use tabs::{EditorTab, EditorTabs};

/// The state of the page.
#[derive(Clone, Copy)]
pub struct App {
    /// The place shown; changed by [`App::go`] and by the browser's Back and Forward.
    pub route: RwSignal<Route>,
    /// The last place in the workspace.
    pub last_place: RwSignal<Route>,
    /// The engine's status.
    pub engine: RwSignal<EngineStatus>,
    /// Why the engine was started again, until the reader has dismissed it.
    pub engine_stopped: RwSignal<Option<String>>,
    /// What the browser says about keeping things.
    pub storage: RwSignal<StorageState>,
    /// Everything in the catalog, once it is known.
    pub catalog: RwSignal<Option<CatalogView>>,
    /// Counts changes of tables, versions and definitions: what shows them asks again when it moves.
    pub catalog_changes: RwSignal<u64>,
    /// Counts changes of the project's files, those by this page too.
    pub files_changes: RwSignal<u64>,
    /// The clock, once it is known.
    pub clock: RwSignal<Option<ClockView>>,
    /// Newest view of each run that moved while the page was open, by run id.
    pub runs: RwSignal<BTreeMap<u64, RunView>>,
    /// Newest view of each notebook that ran while the page was open, by path.
    pub notebooks: RwSignal<BTreeMap<String, NotebookView>>,
    /// What was seen of notebooks' runs.
    pub seen: Seen,
    /// Rows seen by the running statement so far.
    pub progress: RwSignal<u64>,
    /// Something the reader started is running and can be stopped.
    pub running: RwSignal<u32>,
    /// Editor tabs.
    pub tabs: EditorTabs,
    /// Jobs on the reader's desk.
    pub jobs: JobEditors,
    /// The lesson.
    pub lesson: LessonState,
    /// Messages for the reader.
    pub news: News,
    /// Sizes of panels, open panels, theme.
    pub layout: Layout,
}

impl App {
    /// The state at the start: the place is the address', the drafts are those this browser kept.
    pub fn new() -> Self {
        let route = Route::parse(&dom::hash());
        Self {
            route: RwSignal::new(route),
            last_place: RwSignal::new(Route::Sql { tab: None }),
            engine: RwSignal::default(),
            engine_stopped: RwSignal::default(),
            storage: RwSignal::default(),
            catalog: RwSignal::default(),
            catalog_changes: RwSignal::default(),
            files_changes: RwSignal::default(),
            clock: RwSignal::default(),
            runs: RwSignal::default(),
            notebooks: RwSignal::default(),
            seen: Seen::restore(),
            progress: RwSignal::default(),
            running: RwSignal::default(),
            tabs: EditorTabs::restore(),
            jobs: JobEditors::new(),
            lesson: LessonState::new(),
            news: News::new(),
            layout: Layout::restore(),
        }
    }

    /// Goes to a place: a new entry in the browser's history.
    pub fn go(self, route: &Route) {
        dom::set_hash(&route.to_string(), false);
    }

    /// Goes to a place instead of the present one.
    pub fn go_instead(self, route: &Route) {
        dom::set_hash(&route.to_string(), true);
    }

    /// The workspace was emptied: forgets what screens remember of it. Editor tabs and the lesson are the caller's.
    pub fn forget_workspace(self) {
        self.jobs.forget_all();
        self.runs.set(BTreeMap::new());
        self.notebooks.set(BTreeMap::new());
        self.seen.forget();
    }

    /// Whether requests are taken. Reactive.
    pub fn is_ready(self) -> bool {
        self.engine.with(EngineStatus::is_ready)
    }
}

/// The state of the page, from inside a component.
pub fn use_app() -> App {
    expect_context::<App>()
}
