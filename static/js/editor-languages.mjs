// The languages of the editor and how their parts are colored.

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { python } from "@codemirror/lang-python";
import { sql, SQLDialect } from "@codemirror/lang-sql";
import { yaml } from "@codemirror/lang-yaml";
import { tags } from "@lezer/highlight";

const KEYWORDS = `add after all alter analyze and anti any append apply as asc at auto before between bottom by cascade case
cast catalog catalogs cdc change changes check cluster clustered column columns comment constraint constraints copy create
cross cube current database databases day days default delete deleted deletes desc describe detail distinct drop else end
escape every except exclude execute exists explain extended external extract false feed filter first flow following for
foreign format from full function functions generated global grant group grouping having history hour hours identifier if
ignore immediate in incremental inner insert intersect interval into is join key keys lateral left like ilike limit live
location map matched materialized merge minute minutes minus month months natural no not null nulls of offset on once only
optimize options or order outer over overwrite partition partitioned partitions pivot policy preceding primary private
properties qualify range recursive references refresh rename replace reset restore restrict revoke right rlike rollup row
rows scd schedule schema schemas second seconds select semi sequence set sets show source sort start stored stream streaming
struct sync system_time table tables tablesample tblproperties temp temporary test then time timestamp to track
trigger true truncate try_cast type unbounded union unique unpivot unset update updates use using values version versioned
view views volume watermark week weeks when where window with within write year years zorder`;

const TYPES = `array bigint binary boolean byte char date dec decimal double float int integer long map numeric real short
smallint string struct timestamp timestamp_ltz timestamp_ntz tinyint varchar variant void`;

/** SQL as Spark and Databricks write it. */
export const sparkSql = SQLDialect.define({
  keywords: KEYWORDS,
  types: TYPES,
  backslashEscapes: true,
  doubleQuotedStrings: true,
  identifierQuotes: "`",
  operatorChars: "*+-%<>!=&|~^/",
  specialVar: ":",
});

/**
 * The support of a language: `sql`, `python`, `yaml` or `json`.
 *
 * @param names what SQL may name: table → list of columns
 */
export function languageSupport(language, names) {
  switch (language) {
    case "sql": {
      const columns = sparkSql.language.data.of({ autocomplete: (context) => columnsInScope(context, names) });
      return [sql({ dialect: sparkSql, upperCaseKeywords: true, schema: names }), columns];
    }
    case "python":
      return python();
    case "yaml":
    // JSON is YAML, and what the editor wants of it is colors and indentation.
    case "json":
      return yaml();
    default:
      throw new Error(`The editor knows no language "${language}".`);
  }
}

/** Offers the columns of the tables that the statement around the cursor names, without a table before them. */
function columnsInScope(context, names) {
  const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_]*$/u);
  if (word === null || context.state.sliceDoc(word.from - 1, word.from) === ".") return null;
  const text = context.state.doc.toString();
  const start = text.lastIndexOf(";", word.from - 1) + 1;
  const end = text.indexOf(";", context.pos);
  const statement = text.slice(start, end === -1 ? undefined : end).toLowerCase();
  const mentioned = new Set(statement.match(/[\p{L}\p{N}_.]+/gu));
  const tables = Object.keys(names).filter((table) => mentioned.has(table.toLowerCase()));
  const columns = [...new Set(tables.flatMap((table) => names[table]))];
  if (columns.length === 0) return null;
  return { from: word.from, options: columns.map((label) => ({ label, type: "property" })), validFor: /^[\p{L}\p{N}_]*$/u };
}

// Colors come from the page's style sheet, so that themes change them: the editor only names the parts.
const PARTS = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], class: "code-keyword" },
  { tag: [tags.string, tags.special(tags.string)], class: "code-string" },
  { tag: [tags.number, tags.bool, tags.null], class: "code-number" },
  { tag: [tags.comment, tags.meta], class: "code-comment" },
  { tag: [tags.typeName, tags.className, tags.standard(tags.name)], class: "code-type" },
  { tag: [tags.function(tags.variableName), tags.definition(tags.variableName)], class: "code-function" },
  { tag: [tags.special(tags.name), tags.propertyName, tags.atom], class: "code-parameter" },
  { tag: tags.invalid, class: "code-invalid" },
]);

/** The coloring of all languages. */
export const coloring = syntaxHighlighting(PARTS);
