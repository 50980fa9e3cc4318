// Marks in the editor's margin: where each statement stands.

import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { gutter, GutterMarker } from "@codemirror/view";

/** A state is told by a sign and its name, never by color alone. */
const SIGNS = { waiting: "·", running: "…", done: "✓", failed: "✕", canceled: "■", notRun: "–" };

class StatementMark extends GutterMarker {
  constructor({ state, label }) {
    super();
    this.state = state;
    this.label = label;
  }

  eq(other) {
    return other.state === this.state && other.label === this.label;
  }

  toDOM() {
    const mark = document.createElement("span");
    mark.className = `statement-mark statement-mark-${this.state}`;
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", this.label);
    mark.title = this.label;
    mark.textContent = SIGNS[this.state] ?? "";
    return mark;
  }
}

const setMarks = StateEffect.define();

const marks = StateField.define({
  create: () => RangeSet.empty,
  update(value, transaction) {
    let next = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setMarks)) next = effect.value;
    return next;
  },
});

/** The margin. It widens when there is something to show. */
export const statementMarks = [
  marks,
  gutter({
    class: "cm-statement-marks",
    markers: (view) => view.state.field(marks),
    initialSpacer: () => null,
  }),
];

/** The effect that replaces all marks: a list of `{ from, state, label }`. */
export function replaceMarks(state, list) {
  const ranges = list
    .filter(({ from }) => from <= state.doc.length)
    .map((mark) => new StatementMark(mark).range(state.doc.lineAt(mark.from).from));
  return setMarks.of(RangeSet.of(ranges, true));
}
