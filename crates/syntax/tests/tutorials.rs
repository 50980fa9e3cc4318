//! Every SQL statement of the three tutorials parses, but for the two whose placeholders the reader has to fill.

use lakelet_base::{ErrorClass, Limits, Span};
use lakelet_syntax::parse_script;

const TUTORIALS: &str = include_str!("data/tutorials.sql");

#[test]
fn all_statements_parse() {
    let filled = TUTORIALS.replace("<your-catalog>", "main").replace("<your-schema>", "default");
    let script = parse_script(&filled, &Limits::default());
    for statement in &script.statements {
        if let Err(diagnostic) = &statement.statement {
            panic!("{}\n{diagnostic} {:?}", statement.text(), diagnostic.span);
        }
    }
    assert_eq!(script.statements.len(), 45);
}

#[test]
fn placeholders_are_named_where_they_stand() {
    let script = parse_script(TUTORIALS, &Limits::default());
    let placeholders: Vec<(&str, ErrorClass)> = script
        .statements
        .iter()
        .filter_map(|statement| statement.statement.as_ref().err())
        .map(|diagnostic| {
            let Span { start, end } = diagnostic.span.expect("a place");
            (&TUTORIALS[start..end], diagnostic.class)
        })
        .collect();
    let expected = ErrorClass::PLACEHOLDER_NOT_FILLED;
    assert_eq!(placeholders, [("<your-catalog>", expected), ("<your-schema>", expected)]);
}
