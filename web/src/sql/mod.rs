//! The SQL editor: tabs, a script, its parameters, what its statements did, what is wrong.

mod blanks;
mod parameter_bar;
mod parameters;
mod results;
mod run;

use lakelet_protocol::{RunRange, StatementReport, WireError, WireSuggestion};
use leptos::ev;
use leptos::prelude::*;

use crate::boundary::editor::{EditorDiagnostic, EditorLanguage, EditorMark, EditorNews};
use crate::components::error_card::ScriptActions;
use crate::components::icon::{Icon, icon};
use crate::components::text::{byte_at, replaced, utf16_at};
use crate::components::{CodeEditor, EditorControl, Problem, Problems, Splitter, TabList, TabPanel};
use crate::data::watermarks::WatermarksCard;
use crate::frame::keys::save;
use crate::messages::{fill, t, tr};
use crate::route::Route;
use crate::state::catalog::known_names;
use crate::state::layout::Panel;
use crate::state::{App, EditorTab, use_app};

pub use run::{cancel, run};

use blanks::BlanksBar;
use parameter_bar::ParameterBar;
use results::{Results, state_look};

const GROUP: &str = "editor";

/// The screen.
#[component]
pub fn SqlScreen() -> impl IntoView {
    let app = use_app();
    Effect::new(move || {
        if let Route::Sql { tab: Some(id) } = app.route.get()
            && app.tabs.find(&id).is_some()
        {
            app.tabs.current.set(id);
        }
    });
    let tabs = Memo::new(move |_| {
        app.tabs.list.with(|list| list.iter().map(|tab| (tab.id.clone(), tab.title.clone())).collect::<Vec<_>>())
    });
    let current = Memo::new(move |_| app.tabs.current.get());
    let control = EditorControl::new();
    view! {
        <section class="sql" on:keydown=move |event| problem_keys(app, control, &event)>
            <h1 class="for-ears">{tr!(sql.title)}</h1>
            <div class="tab-row">
                <TabList
                    label=Signal::derive(tr!(sql.tabs))
                    group=GROUP
                    tabs=tabs
                    selected=current
                    on_select=Callback::new(move |id: String| select_tab(app, id))
                />
                <button type="button" class="button-plain" aria-label=tr!(sql.new_tab) title=tr!(sql.new_tab) on:click=move |_| {
                    let tab = app.tabs.open_untitled();
                    select_tab(app, tab.id);
                }>
                    {icon(Icon::Plus)}
                </button>
                <button type="button" class="button-plain" aria-label=tr!(sql.close_tab) title=tr!(sql.close_tab) on:click=move |_| {
                    app.tabs.close(&app.tabs.current.get_untracked());
                    select_tab(app, app.tabs.current.get_untracked());
                }>
                    {icon(Icon::Close)}
                </button>
                <SchemaChip/>
            </div>
            <TabPanel group=GROUP selected=current>
                {move || {
                    // Another tab is another editor.
                    let tab = app.tabs.find(&current.get())?;
                    Some(view! { <Tab tab control/> })
                }}
            </TabPanel>
            <WatermarksCard/>
        </section>
    }
}

/// Shows a tab. The address follows where it names a tab already.
fn select_tab(app: App, id: String) {
    app.tabs.current.set(id.clone());
    app.tabs.save();
    if app.route.with_untracked(|route| matches!(route, Route::Sql { tab: Some(_) })) {
        app.go_instead(&Route::Sql { tab: Some(id) });
    }
}

/// Shows a tab on the SQL screen, from wherever the reader is.
pub fn show_tab(app: App, tab: &EditorTab) {
    app.tabs.current.set(tab.id.clone());
    let here = app.route.with_untracked(|route| matches!(route, Route::Sql { tab: None } | Route::Lesson { .. }));
    if !here {
        app.go(&Route::Sql { tab: Some(tab.id.clone()) });
    }
}

#[component]
fn Tab(tab: EditorTab, control: EditorControl) -> impl IntoView {
    let app = use_app();
    let label = fill(untrack(t).sql.editor_name, &[("tab", &tab.title)]);
    let run_statement = {
        let tab = tab.clone();
        move || run_at_cursor(app, &tab, control)
    };
    let run_all = {
        let tab = tab.clone();
        move || run(app, &tab, RunRange::All)
    };
    let on_news = {
        let (tab, run_statement, run_all) = (tab.clone(), run_statement.clone(), run_all.clone());
        Callback::new(move |news| match news {
            EditorNews::Changed(text) => {
                tab.text.set(text);
                app.tabs.save();
            }
            EditorNews::Run => run_statement(),
            EditorNews::RunAll => run_all(),
            EditorNews::Cancel => cancel(),
            EditorNews::Save => {
                save(app);
            }
        })
    };
    let actions = script_actions(app, &tab, control);
    show_in_editor(&tab, control);
    offer_names(app, &tab, control);
    let running = tab.running.clone();
    let busy = Memo::new(move |_| running.get());
    let waiting = move || !app.is_ready();
    let problems = {
        let tab = tab.clone();
        Memo::new(move |_| problems_of(&tab))
    };
    let open_problem = {
        let tab = tab.clone();
        Callback::new(move |index: usize| {
            if let Some((start, end)) = places_of(&tab).get(index).copied().flatten() {
                actions.go_to.run((start, end));
            }
        })
    };
    let (parameters_tab, blanks_tab) = (tab.clone(), tab.clone());
    let text = tab.text.get_untracked();
    view! {
        <div class="toolbar" role="group">
            <button type="button" class="button button-primary" disabled=move || waiting() || busy.get() on:click=move |_| run_all()>
                {icon(Icon::PlayAll)}{tr!(sql.run_all)}
            </button>
            <button type="button" class="button" disabled=move || waiting() || busy.get() on:click=move |_| run_statement()>
                {icon(Icon::Play)}{tr!(sql.run_statement)}
            </button>
            <button type="button" class="button" disabled=move || app.running.get() == 0 on:click=move |_| cancel()>
                {icon(Icon::Stop)}{tr!(sql.cancel)}
            </button>
            <Show when=waiting><span class="quiet">{tr!(frame.waiting_for_engine)}</span></Show>
        </div>
        <BlanksBar tab=blanks_tab/>
        <ParameterBar tab=parameters_tab/>
        <div class="editor-place" style:height=move || format!("{}px", app.layout.size(Panel::Editor))>
            <CodeEditor label language=EditorLanguage::Sql text control=Some(control) on_news/>
        </div>
        <Splitter panel=Panel::Editor label=Signal::derive(tr!(sql.editor_height))/>
        <Problems problems on_open=Some(open_problem)/>
        <Results tab actions/>
    }
}

/// `catalog.schema` in force in the tab shown.
#[component]
fn SchemaChip() -> impl IntoView {
    let app = use_app();
    let schema = Memo::new(move |_| {
        let of_tab = app.tabs.shown().and_then(|tab| tab.schema.get());
        of_tab.or_else(|| app.catalog.with(|catalog| catalog.as_ref().map(|catalog| catalog.current_schema.clone())))
    });
    move || schema.get().map(|schema| view! { <span class="schema-chip" title=tr!(sql.schema_chip)>{schema}</span> })
}

/// Runs what is selected, or the statement at the cursor.
fn run_at_cursor(app: App, tab: &EditorTab, control: EditorControl) {
    let cursor = control.cursor().unwrap_or_default();
    let range = tab.text.with_untracked(|text| {
        if cursor.from == cursor.to {
            RunRange::At { offset: byte_at(text, cursor.head) }
        } else {
            RunRange::Selection { start: byte_at(text, cursor.from), end: byte_at(text, cursor.to) }
        }
    });
    run(app, tab, range);
}

fn script_actions(app: App, tab: &EditorTab, control: EditorControl) -> ScriptActions {
    let tab = StoredValue::new(tab.clone());
    let go_to = move |(start, end): (usize, usize)| {
        tab.with_value(|tab| {
            tab.text.with_untracked(|text| control.select(utf16_at(text, start), utf16_at(text, end)));
        });
    };
    let apply = move |suggestion: WireSuggestion| {
        let tab = tab.get_value();
        // Places count in the text that was run.
        let fits = tab.text.with_untracked(|text| tab.text_run.with_untracked(|run| text == run));
        let text = suggestion.range.filter(|_| fits).and_then(|(start, end)| {
            tab.text.with_untracked(|text| replaced(text, start, end, &suggestion.replacement))
        });
        let Some(text) = text else { return false };
        tab.replace_text(text);
        app.tabs.save();
        true
    };
    let insert = move |statement: String| {
        tab.with_value(|tab| tab.append(&statement));
        app.tabs.save();
    };
    ScriptActions { go_to: Callback::new(go_to), apply: Callback::new(apply), insert: Callback::new(insert) }
}

/// Keeps the editor's text, marks and underlines as the tab says.
fn show_in_editor(tab: &EditorTab, control: EditorControl) {
    let shown = tab.clone();
    Effect::new(move |before: Option<u32>| {
        control.track();
        let replaced = shown.replaced.get();
        if before.is_some_and(|before| before != replaced) {
            shown.text.with_untracked(|text| control.set_text(text));
        }
        if shown.put_in.get().is_some() {
            show_put_in(&shown, control);
        }
        replaced
    });
    let shown = tab.clone();
    Effect::new(move || {
        control.track();
        let text = shown.text_run.get();
        let current = shown.text.get_untracked() == text;
        shown.statements.with(|statements| {
            let marks: Vec<EditorMark> = statements.iter().map(|statement| mark(&text, statement)).collect();
            control.set_statement_marks(&marks);
            let diagnostics: Vec<EditorDiagnostic> = if current { diagnostics(&text, statements) } else { Vec::new() };
            control.set_diagnostics(&diagnostics);
        });
    });
}

/// Lets the editor offer the tables there are, and their columns, as long as they are there.
fn offer_names(app: App, tab: &EditorTab, control: EditorControl) {
    let schema = tab.schema.clone();
    let names = Memo::new(move |_| {
        let schema = schema.get();
        app.catalog.with(|catalog| catalog.as_ref().map(|catalog| known_names(catalog, schema.as_deref())))
    });
    Effect::new(move || {
        control.track();
        names.with(|names| {
            if let Some(names) = names {
                control.set_names(names);
            }
        });
    });
}

/// Selects what was put in from elsewhere, so that its reader sees it and can run it alone.
fn show_put_in(tab: &EditorTab, control: EditorControl) {
    let Some((start, end)) = tab.put_in.get_untracked() else { return };
    if tab.text.with_untracked(|text| control.show(utf16_at(text, start), utf16_at(text, end))) {
        tab.put_in.set(None);
    }
}

fn mark(text: &str, statement: &StatementReport) -> EditorMark {
    let (word, _, _, class) = state_look(statement.state);
    let texts = &t().sql;
    let label = fill(texts.mark, &[("n", &(statement.index + 1).to_string()), ("state", word(texts))]);
    EditorMark { from: utf16_at(text, statement.start), state: class, label }
}

fn diagnostics(text: &str, statements: &[StatementReport]) -> Vec<EditorDiagnostic> {
    findings(statements)
        .filter_map(|(error, warning, statement)| {
            let (start, end) = error.start.zip(error.end).unwrap_or((statement.start, statement.start));
            let (from, to) = (utf16_at(text, start), utf16_at(text, end));
            (!warning || error.start.is_some()).then(|| EditorDiagnostic {
                from,
                to,
                severity: if warning { "warning" } else { "error" },
                message: format!("{}: {}", error.condition, error.message),
            })
        })
        .collect()
}

/// All errors and warnings of statements, whether each is a warning, and its statement.
fn findings(statements: &[StatementReport]) -> impl Iterator<Item = (&WireError, bool, &StatementReport)> {
    statements.iter().flat_map(|statement| {
        let errors = statement.error.iter().map(move |error| (error, false, statement));
        errors.chain(statement.warnings.iter().map(move |warning| (warning, true, statement)))
    })
}

fn problems_of(tab: &EditorTab) -> Vec<Problem> {
    tab.statements.with(|statements| {
        findings(statements)
            .map(|(error, warning, statement)| Problem {
                warning,
                place: match error.line {
                    Some(line) => fill(t().sql.problem_place, &[("line", &line.to_string())]),
                    None => fill(t().sql.statement, &[("n", &(statement.index + 1).to_string())]),
                },
                kind: error.condition.clone(),
                message: error.message.clone(),
                suggestion: error.suggestions.first().map(|suggestion| suggestion.label.clone()),
            })
            .collect()
    })
}

/// The byte ranges of [`problems_of`]; a statement's start where an error has no place.
fn places_of(tab: &EditorTab) -> Vec<Option<(usize, usize)>> {
    tab.statements.with_untracked(|statements| {
        findings(statements)
            .map(|(error, _, statement)| Some(error.start.zip(error.end).unwrap_or((statement.start, statement.start))))
            .collect()
    })
}

/// F8 and Shift+F8 walk through the problems.
fn problem_keys(app: App, control: EditorControl, event: &ev::KeyboardEvent) {
    if event.key() != "F8" {
        return;
    }
    let Some(tab) = app.tabs.shown_untracked() else { return };
    let mut places: Vec<(usize, usize)> = places_of(&tab).into_iter().flatten().collect();
    places.sort_unstable();
    let here = tab.text.with_untracked(|text| byte_at(text, control.cursor().unwrap_or_default().from));
    let next = if event.shift_key() {
        places.iter().rev().find(|(start, _)| *start < here).or(places.last())
    } else {
        places.iter().find(|(start, _)| *start > here).or(places.first())
    };
    if let Some((start, end)) = next.copied() {
        event.prevent_default();
        tab.text.with_untracked(|text| control.select(utf16_at(text, start), utf16_at(text, end)));
    }
}
