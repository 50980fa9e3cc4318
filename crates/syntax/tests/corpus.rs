//! What Spark parses, we parse; what it refuses as text, we refuse for the same reason.

mod common;

use lakelet_syntax::statement::Statement;
use lakelet_syntax::{parse_expression, parse_flow, parse_query, parse_statement};

#[test]
fn the_corpus_parses_as_in_spark() {
    let mut wrong = Vec::new();
    let cases = common::corpus();
    for (sql, error) in &cases {
        let condition = parse_statement(sql).err().map(|diagnostic| diagnostic.class.condition);
        if condition != error.as_deref() {
            wrong.push(format!("{sql}\n  expected {error:?}, got {condition:?}"));
        }
    }
    assert!(cases.len() > 900);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Stored definitions are kept as text: reading the text again gives the same tree.
#[test]
fn texts_of_parts_parse_again() {
    let same_query = |query: &lakelet_syntax::statement::Query| {
        let again = parse_query(&query.text).unwrap_or_else(|diagnostic| panic!("{}\n{diagnostic}", query.text));
        assert_eq!(again.query.to_string(), query.query.to_string());
        let tables = |query: &lakelet_syntax::statement::Query| {
            query.streams.iter().map(|stream| (stream.table.parts.clone(), stream.options.clone())).collect::<Vec<_>>()
        };
        assert_eq!(tables(&again), tables(query));
    };
    for (sql, _) in common::corpus() {
        match parse_statement(&sql) {
            Ok(Statement::Query(query)) => same_query(&query),
            Ok(Statement::CreateView(view)) => same_query(&view.query),
            Ok(Statement::Insert(insert)) => same_query(&insert.source),
            Ok(Statement::Update(update)) => {
                for (_, _, value) in update.assignments {
                    assert_eq!(
                        parse_expression(&value.text).map(|again| again.expr.to_string()),
                        Ok(value.expr.to_string())
                    );
                }
            }
            Ok(Statement::CreateStreamingTable(table)) => {
                let flow = table.flow.expect("the corpus has flows");
                assert!(parse_flow(&flow.text).is_ok(), "{}", flow.text);
            }
            _ => {}
        }
    }
}
