//! Whatever the text, parsing ends, does not panic, and names places inside of the text.

mod common;

use std::sync::LazyLock;

use lakelet_base::{Limits, Span};
use lakelet_syntax::{complete, parse_script, split, statement_at};
use proptest::prelude::*;

static CORPUS: LazyLock<Vec<String>> = LazyLock::new(|| common::corpus().into_iter().map(|(sql, _)| sql).collect());

/// Pieces that make the parser take turns.
const PIECES: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "HAVING",
    "LIMIT",
    "JOIN",
    "ON",
    "USING",
    "LATERAL VIEW",
    "UNION",
    "EXCEPT",
    "MINUS",
    "WITH",
    "AS",
    "VALUES",
    "TABLE",
    "PIVOT",
    "UNPIVOT",
    "FOR",
    "IN",
    "QUALIFY",
    "WINDOW",
    "OVER",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "CAST",
    "INTERVAL",
    "DAY",
    "HOURS",
    "TO",
    "DATE",
    "EXISTS",
    "NOT",
    "BETWEEN",
    "AND",
    "OR",
    "IS",
    "NULL",
    "LIKE",
    "ANY",
    "ALL",
    "DISTINCT",
    "TRIM",
    "BOTH",
    "SUBSTRING",
    "POSITION",
    "EXTRACT",
    "STRUCT",
    "ARRAY",
    "MAP",
    "STREAM",
    "IDENTIFIER",
    "VERSION AS OF",
    "TIMESTAMP AS OF",
    "DIV",
    "CREATE",
    "OR REPLACE",
    "OR REFRESH",
    "STREAMING TABLE",
    "MATERIALIZED VIEW",
    "VIEW",
    "FLOW",
    "AUTO CDC",
    "APPLY CHANGES",
    "INTO",
    "KEYS",
    "SEQUENCE BY",
    "COLUMNS",
    "STORED AS SCD TYPE",
    "TRACK HISTORY ON",
    "APPLY AS DELETE WHEN",
    "IGNORE NULL UPDATES",
    "REPLACE WHERE",
    "BY NAME",
    "SCHEDULE",
    "EVERY",
    "CRON",
    "REFRESH",
    "INSERT",
    "OVERWRITE",
    "PARTITION",
    "UPDATE",
    "SET",
    "DELETE",
    "MERGE",
    "MATCHED",
    "TRUNCATE",
    "ALTER",
    "ADD COLUMN",
    "CONSTRAINT",
    "CHECK",
    "DROP",
    "USE",
    "SHOW",
    "DESCRIBE",
    "HISTORY",
    "RESTORE",
    "EXPLAIN",
    "BEGIN",
    "DEFAULT",
    "COMMENT",
    "TBLPROPERTIES",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ">>",
    ",",
    ";",
    ".",
    ":",
    "::",
    "+",
    "-",
    "*",
    "/",
    "%",
    "=",
    "==",
    "<=>",
    "!=",
    "!",
    "~",
    "|",
    "||",
    "|>",
    "&",
    "^",
    "@",
    "@v1",
    "?",
    "->",
    "=>",
    "a",
    "b.c",
    "`q`",
    "x1",
    "1",
    "2.5D",
    "3L",
    "1e9",
    ".5",
    "'s'",
    "\"d\"",
    "r'\\d'",
    "X'0A'",
    "'",
    "\"",
    "`",
    "/*",
    "*/",
    "--",
    "\n",
    "“",
    "é",
    "🐙",
    "\u{a0}",
    "<your-catalog>",
    "{{x}}",
    "\\",
    "$",
    "\0",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec((prop::sample::select(PIECES), prop::bool::weighted(0.85)), 0..40).prop_map(|pieces| {
        pieces.into_iter().map(|(piece, space)| format!("{piece}{}", if space { " " } else { "" })).collect()
    })
}

/// A statement of the corpus with pieces taken out, put in and doubled.
fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0..3u8, prop::sample::select(PIECES));
    (any::<prop::sample::Index>(), prop::collection::vec(edit, 1..6)).prop_map(|(which, edits)| {
        let mut words: Vec<String> =
            which.get(&CORPUS).split_inclusive([' ', '(', ')', ',', '.']).map(str::to_owned).collect();
        for (place, kind, piece) in edits {
            if words.is_empty() {
                break;
            }
            let index = place.index(words.len());
            match kind {
                0 => {
                    words.remove(index);
                }
                1 => words.insert(index, format!("{piece} ")),
                _ => words.insert(index, words[index].clone()),
            }
        }
        words.concat()
    })
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let limits = Limits::default();
    let inside = |span: Span| {
        span.start <= span.end
            && span.end <= text.len()
            && text.is_char_boundary(span.start)
            && text.is_char_boundary(span.end)
    };
    let script = parse_script(text, &limits);
    let spans = split(text);
    prop_assert_eq!(script.statements.iter().map(|statement| statement.span).collect::<Vec<_>>(), spans.clone());
    let mut end = 0;
    for statement in &script.statements {
        prop_assert!(inside(statement.span) && inside(statement.text_range), "{:?}", statement.span);
        prop_assert!(
            statement.text_range.start <= statement.span.start && statement.span.end <= statement.text_range.end
        );
        prop_assert!(statement.span.start >= end, "statements overlap");
        end = statement.span.end;
        prop_assert_eq!(statement.text(), &text[statement.span.start..statement.span.end]);
        match &statement.statement {
            Ok(parsed) => {
                let printed = format!("{parsed:?}");
                prop_assert!(!printed.is_empty());
            }
            Err(diagnostic) => {
                prop_assert!(!diagnostic.message.is_empty());
                let places = diagnostic.span.into_iter().chain(diagnostic.suggestions.iter().filter_map(|s| s.span));
                for span in places {
                    prop_assert!(inside(span), "{span:?} in {text:?}: {diagnostic}");
                }
                prop_assert!(diagnostic.span.is_some(), "no place: {diagnostic}");
            }
        }
    }
    let middle = text.len() / 2;
    if let Some(span) = statement_at(text, middle) {
        prop_assert!(spans.contains(&span));
    }
    for completion in complete(text, middle, &NoNames) {
        prop_assert!(inside(completion.span));
    }
    Ok(())
}

struct NoNames;

impl lakelet_syntax::NameSource for NoNames {
    fn tables(&self, _: &[String]) -> Vec<String> {
        vec!["t".to_owned()]
    }

    fn schemas(&self, _: &[String]) -> Vec<String> {
        Vec::new()
    }

    fn catalogs(&self) -> Vec<String> {
        Vec::new()
    }

    fn columns(&self, _: &[String]) -> Vec<String> {
        vec!["c".to_owned()]
    }

    fn functions(&self) -> Vec<String> {
        Vec::new()
    }
}

proptest! {
    #[test]
    fn token_soup_never_panics(text in soup()) {
        check(&text)?;
    }

    #[test]
    fn mutated_statements_never_panic(text in mutated()) {
        check(&text)?;
    }

    #[test]
    fn any_text_never_panics(text in "\\PC{0,80}") {
        check(&text)?;
    }
}

/// Cutting a statement anywhere leaves a text that is parsed or refused, never worse.
#[test]
fn truncated_statements_never_panic() {
    for text in CORPUS.iter().step_by(17) {
        for (index, _) in text.char_indices() {
            check(&text[..index]).unwrap_or_else(|error| panic!("{}: {error}", &text[..index]));
        }
    }
}
