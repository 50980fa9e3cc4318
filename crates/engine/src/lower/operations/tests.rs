use super::*;

/// The operations of a query, as kinds with their text.
fn found(text: &str) -> Vec<String> {
    let query = lakelet_syntax::parse_query(text).unwrap();
    let places = Places { text, lines: LineIndex::new(text) };
    let mut found = Vec::new();
    let _: ControlFlow<()> = visit_expressions(&query.query, |expr| {
        if let Some(kind) = kind(expr) {
            let span = places.of(expr);
            found.push(format!("{kind:?} {}", span.map_or("nowhere", |span| &text[span.start..])));
        }
        ControlFlow::Continue(())
    });
    found
}

#[test]
fn operations_begin_where_their_first_word_stands() {
    assert_eq!(found("SELECT 1/0"), ["Division 1/0"]);
    assert_eq!(found("SELECT 'é',\n  ( 1 ) % x AS m"), ["Division ( 1 ) % x AS m"]);
    assert_eq!(found("SELECT -(a) DIV 2"), ["Division -(a) DIV 2", "Arithmetic -(a) DIV 2"]);
    assert_eq!(found("SELECT cast ( 'x' AS integer)"), ["Cast(\"INT\") cast ( 'x' AS integer)"]);
    assert_eq!(found("SELECT 'x' :: decimal(10, 2)"), ["Cast(\"DECIMAL\") 'x' :: decimal(10, 2)"]);
    assert_eq!(found("SELECT abs(n)"), ["Call abs(n)"]);
    assert_eq!(found("SELECT try_cast('x' AS INT), n = 1, -1, n"), [""; 0]);
    // A comment in between hides the word; a wrong place would be worse than none.
    assert_eq!(found("SELECT CAST( /* c */ 'x' AS INT)"), ["Cast(\"INT\") nowhere"]);
}
