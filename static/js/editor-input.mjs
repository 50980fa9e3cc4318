// Typing over a selection, done by the editor and not by the browser: where a selection spans lines, Chromium joins them
// with a `style` attribute, which the page's policy refuses with a complaint in the console.

import { EditorView } from "@codemirror/view";

/** Inputs that put text in the place of the selection, and those that only take the selection away. */
const WRITES = new Set(["insertText"]);
const DELETES = new Set(["deleteContentBackward", "deleteContentForward"]);

/** The handler. What an input method composes is left to the browser, which must see it through. */
export const typingOverSelections = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { state } = view;
    if (!event.cancelable || event.isComposing || view.composing || state.readOnly) return false;
    if (state.selection.ranges.every((range) => range.empty)) return false;
    if (WRITES.has(event.inputType) && event.data !== null) {
      write(view, event.data);
      return true;
    }
    if (DELETES.has(event.inputType)) {
      view.dispatch(state.replaceSelection(""), { userEvent: "delete.selection", scrollIntoView: true });
      return true;
    }
    return false;
  },
});

/** As CodeMirror does it: those who listen for what is typed (brackets that close) come first. */
function write(view, text) {
  const { from, to } = view.state.selection.main;
  const typed = () =>
    view.state.update(view.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
  const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, typed));
  if (!isHandled) view.dispatch(typed());
}
