// Text editors for SQL, Python, YAML and JSON: CodeMirror behind a few calls.
//
// Options, diagnostics, marks and cursors cross as JSON text; all positions count UTF-16 code units.

import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, Prec } from "@codemirror/state";
import {
  crosshairCursor,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from "@codemirror/view";

import { typingOverSelections } from "./editor-input.mjs";
import { coloring, languageSupport } from "./editor-languages.mjs";
import { replaceMarks, statementMarks } from "./editor-marks.mjs";
import { theme } from "./editor-theme.mjs";

/** The nonce of the page's policy: the editor makes a `<style>` element. */
const STYLE_NONCE = "lakelet";

/** Marks a change that the page made: it hears of the reader's only. */
const fromPage = Annotation.define();

let editors = 0;

/**
 * Puts an editor into `parent`.
 *
 * @param parent the element that it fills
 * @param optionsJson `{ label, description, language, text, readOnly }`: the accessible name, the words that say how to
 *   leave by keyboard, `sql`, `python`, `yaml` or `json`, the first text, and whether it only shows
 * @param callbacks any of `onChange(text)`, `onCursor(json)`, `onRun()` (Mod-Enter), `onRunAll()` (Mod-Shift-Enter),
 *   `onStep()` (Alt-Enter), `onCancel()` (Mod-.), `onSave()` (Mod-s)
 * @returns the editor's handle
 */
export function createEditor(parent, optionsJson, callbacks) {
  const { label, description, language, text, readOnly } = JSON.parse(optionsJson);
  editors += 1;
  const hint = document.createElement("p");
  hint.id = `editor-hint-${editors}`;
  hint.className = "editor-hint";
  hint.textContent = description;
  const names = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(STYLE_NONCE),
        EditorView.contentAttributes.of({
          "aria-label": label,
          "aria-describedby": hint.id,
          "aria-readonly": String(readOnly),
        }),
        EditorState.readOnly.of(readOnly),
        names.of(languageSupport(language, {})),
        keys(callbacks),
        appearance(language),
        editing(language),
        EditorView.updateListener.of((update) => report(update, callbacks)),
      ],
    }),
  });
  exposeMarks(view);
  parent.append(hint);
  return handle(view, hint, language, names);
}

function report(update, callbacks) {
  if (update.docChanged && !update.transactions.every((transaction) => transaction.annotation(fromPage))) {
    callbacks.onChange?.(update.state.doc.toString());
  }
  if (update.selectionSet || update.docChanged) callbacks.onCursor?.(cursor(update.state));
}

function cursor(state) {
  const { from, to, head } = state.selection.main;
  return JSON.stringify({ from, to, head });
}

function handle(view, hint, language, names) {
  const clamp = (position) => Math.max(0, Math.min(position, view.state.doc.length));
  return {
    /** The whole text. */
    getText: () => view.state.doc.toString(),
    /** Replaces the whole text; the cursor stays as near as it can. An equal text changes nothing. */
    setText(text) {
      if (text === view.state.doc.toString()) return;
      const head = Math.min(view.state.selection.main.head, text.length);
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: head },
        annotations: fromPage.of(true),
      });
    },
    /** Replaces a range, as one step of the history, and puts the cursor behind it. */
    replaceRange(from, to, text) {
      const start = clamp(from);
      view.dispatch({
        changes: { from: start, to: Math.max(start, clamp(to)), insert: text },
        selection: { anchor: start + text.length },
        scrollIntoView: true,
        userEvent: "input",
      });
    },
    /** Replaces what is underlined: a list of `{ from, to, severity, message }`. */
    setDiagnostics(json) {
      const diagnostics = JSON.parse(json).map(({ from, to, severity, message }) => {
        const start = clamp(from);
        return { from: start, to: Math.max(start, clamp(to)), severity, message };
      });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    /** Replaces the marks in the margin: a list of `{ from, state, label }`. */
    setStatementMarks(json) {
      view.dispatch({ effects: replaceMarks(view.state, JSON.parse(json)) });
    },
    /** Offers names while the reader types SQL: table → list of columns. */
    setNames(json) {
      view.dispatch({ effects: names.reconfigure(languageSupport(language, JSON.parse(json))) });
    },
    /** Where the selection is, `{ from, to, head }`. */
    cursor: () => cursor(view.state),
    /** Selects a range and shows it. */
    select(from, to) {
      view.dispatch({ selection: { anchor: clamp(from), head: clamp(to) }, scrollIntoView: true });
    },
    /** Moves the focus into the text. */
    focus: () => view.focus(),
    /** Takes the editor out of the page. */
    destroy() {
      view.destroy();
      hint.remove();
    },
  };
}

function appearance(language) {
  return [
    theme,
    coloring,
    language === "sql" ? statementMarks : [],
    lineNumbers(),
    foldGutter(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    highlightSelectionMatches(),
    bracketMatching(),
    drawSelection(),
    dropCursor(),
    rectangularSelection(),
    crosshairCursor(),
    lintGutter(),
    EditorView.lineWrapping,
  ];
}

function editing(language) {
  return [
    history(),
    typingOverSelections,
    closeBrackets(),
    indentOnInput(),
    indentUnit.of(language === "python" ? "    " : "  "),
    EditorState.allowMultipleSelections.of(true),
    // A name is taken with Enter or Tab, never by going on typing.
    autocompletion({ defaultKeymap: true, activateOnTyping: language === "sql" }),
    search({ top: true }),
  ];
}

/**
 * The keys. Tab moves through the page as it does everywhere, until the reader works in the text by a click or with
 * Enter; then Tab indents, and Esc gives Tab back to the page.
 */
function keys(callbacks) {
  let working = false;
  const told = (name) => () => {
    if (callbacks[name] === undefined) return false;
    callbacks[name]();
    return true;
  };
  return [
    Prec.highest(
      keymap.of([
        { key: "Mod-Enter", run: told("onRun"), preventDefault: true },
        { key: "Shift-Mod-Enter", run: told("onRunAll"), preventDefault: true },
        { key: "Alt-Enter", run: told("onStep") },
        { key: "Mod-.", run: told("onCancel") },
        { key: "Mod-s", run: told("onSave"), preventDefault: true },
      ]),
    ),
    EditorView.domEventHandlers({
      pointerdown: () => {
        working = true;
        return false;
      },
      blur: () => {
        working = false;
        return false;
      },
    }),
    keymap.of([
      {
        key: "Tab",
        run: (view) => acceptCompletion(view) || (working && indentMore(view)),
        shift: (view) => working && indentLess(view),
      },
      {
        key: "Enter",
        run: () => {
          working = true;
          return false;
        },
      },
    ]),
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...defaultKeymap,
    ]),
    // Last, so that Esc first closes what is open: a list of names, the search.
    Prec.lowest(
      keymap.of([
        {
          key: "Escape",
          run: () => {
            working = false;
            return false;
          },
        },
      ]),
    ),
  ];
}

/** CodeMirror hides its whole margin from assistive technology. The marks of statements say something: they stay. */
function exposeMarks(view) {
  const margin = view.dom.querySelector(".cm-gutters");
  margin.removeAttribute("aria-hidden");
  for (const column of margin.querySelectorAll(".cm-gutter:not(.cm-statement-marks)"))
    column.setAttribute("aria-hidden", "true");
}
