// How the editor looks where the page's style sheet says nothing else. Light and dark follow the page's color scheme;
// each color can be replaced by a custom property, and all text reaches a contrast of 4.5 on white and on #14181d.

import { EditorView } from "@codemirror/view";

const color = (name, light, dark) => `var(--${name}, light-dark(${light}, ${dark}))`;
const SURFACE = color("editor-surface", "#ffffff", "#1b2027");
const FAINT = color("editor-faint", "#57606a", "#9aa4af");

/** The theme of all editors. */
export const theme = EditorView.theme({
  "&": { height: "100%", color: "inherit" },
  "&.cm-focused": { outline: `2px solid ${color("focus-ring", "#0b63ce", "#7ab7ff")}`, outlineOffset: "-2px" },
  ".cm-scroller": { overflow: "auto", fontFamily: "var(--font-code, ui-monospace, monospace)" },
  ".cm-content": { caretColor: "currentColor" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "currentColor" },
  ".cm-gutters": { backgroundColor: "transparent", color: FAINT, border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "rgb(127 127 127 / 0.1)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: color("editor-selection", "#cfe3ff", "#24466e"),
  },
  ".cm-tooltip, .cm-panels": { backgroundColor: SURFACE, color: "inherit", border: `1px solid ${FAINT}` },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: color("editor-selection", "#cfe3ff", "#24466e"),
    color: "inherit",
  },
  ".cm-statement-marks .cm-gutterElement": { minWidth: "1.4em", textAlign: "center" },
  ".statement-mark-done": { color: color("state-done", "#1a7f37", "#57c27a") },
  ".statement-mark-failed": { color: color("state-failed", "#c4232e", "#ff8a84") },
  ".statement-mark-canceled": { color: color("state-canceled", "#8a5300", "#e0a95a") },
  ".code-keyword": { color: color("code-keyword", "#0b5394", "#82b7ff") },
  ".code-string": { color: color("code-string", "#216e39", "#8fd19e") },
  ".code-number": { color: color("code-number", "#8a4600", "#e8b07a") },
  ".code-comment": { color: color("code-comment", "#57606a", "#9aa4af"), fontStyle: "italic" },
  ".code-type": { color: color("code-type", "#6f3fa8", "#cdb0f5") },
  ".code-function": { color: color("code-function", "#6f3fa8", "#cdb0f5") },
  ".code-parameter": { color: color("code-parameter", "#9a1f5c", "#f2a0c8") },
  ".code-invalid": { color: color("state-failed", "#c4232e", "#ff8a84") },
});
