use super::*;

fn kinds(text: &str) -> Vec<LexemeKind> {
    lex(text).lexemes.into_iter().map(|lexeme| lexeme.kind).collect()
}

fn value(text: &str) -> String {
    match kinds(text).as_slice() {
        [LexemeKind::Text(value)] => value.clone(),
        other => panic!("{text} is no string: {other:?}"),
    }
}

fn invalid(text: &str) -> Diagnostic {
    lex(text)
        .lexemes
        .into_iter()
        .find_map(|lexeme| match lexeme.kind {
            LexemeKind::Invalid(diagnostic) => Some(*diagnostic),
            _ => None,
        })
        .unwrap_or_else(|| panic!("{text} has no invalid lexeme"))
}

#[test]
fn strings_unescape_as_spark_does() {
    assert_eq!(value(r"'caf\u00e9'"), "café");
    assert_eq!(value(r"'\101\102'"), "AB");
    assert_eq!(value(r"'\q\w'"), "qw");
    assert_eq!(value(r"'ten\%a\_b'"), r"ten\%a\_b");
    assert_eq!(value(r"'it\'s'"), "it's");
    assert_eq!(value("'it''s'"), "it's");
    assert_eq!(value(r#""say ""ahoy""""#), "say \"ahoy\"");
    assert_eq!(value(r"'\\d+'"), r"\d+");
    assert_eq!(value(r"r'\d+\n'"), r"\d+\n");
    assert_eq!(value(r"'\ud83d\udc19\U0001F419'"), "🐙🐙");
    assert_eq!(value(r"'a\tb\0'"), "a\tb\0");
    assert_eq!(value("''"), "");
}

#[test]
fn an_open_end_is_noticed() {
    for (text, what) in [("SELECT 'a", "string"), ("/* a /* b */", "comment"), ("`a", "name"), (r"'a\'", "string")] {
        let unterminated = lex(text).unterminated.unwrap_or_else(|| panic!("{text} ends"));
        assert!(unterminated.message.contains(what), "{text}: {}", unterminated.message);
    }
    assert_eq!(lex("SELECT /* a /* b */ c */ 9 -- 'x").unterminated, None);
}

#[test]
fn numbers_take_the_longest_reading() {
    for number in
        ["42", "42L", "7Y", "300S", "2.5D", "4d", "2.50BD", "7bd", "0.1F", "1e-5", "1.5e10", "1.", ".5", "1E3D"]
    {
        assert_eq!(kinds(number), [LexemeKind::Number], "{number}");
    }
    for word in ["3LA", "2024_q1", "1a", "5x5"] {
        assert_eq!(kinds(word), [LexemeKind::Word], "{word}");
    }
    assert_eq!(kinds("t.1"), [LexemeKind::Word, LexemeKind::Symbol(Token::Period), LexemeKind::Number]);
    assert_eq!(kinds("(.5"), [LexemeKind::Symbol(Token::LParen), LexemeKind::Number]);
}

#[test]
fn hex_literals_are_even_and_checked() {
    assert_eq!(kinds("X'abc'"), [LexemeKind::Hex("0ABC".into())]);
    assert_eq!(invalid("x'zz'").class.condition, "INVALID_TYPED_LITERAL");
}

#[test]
fn placeholders_are_found_where_nothing_can_be_compared() {
    for text in
        ["USE CATALOG <your-catalog>", "USE SCHEMA <your schema>", "SELECT * FROM config.<table>", "DROP TABLE <t>"]
    {
        assert_eq!(invalid(text).class, ErrorClass::PLACEHOLDER_NOT_FILLED, "{text}");
    }
    for text in [
        "SELECT a <b> c",
        "SELECT a FROM t WHERE x <b AND c> d",
        "CAST(x AS ARRAY<INT>)",
        "SELECT 1 <b> 2",
        "SELECT f(x)<b> 2",
        "a < b AND c > d",
    ] {
        assert!(lex(text).lexemes.iter().all(|lexeme| !matches!(lexeme.kind, LexemeKind::Invalid(_))), "{text}");
    }
}

#[test]
fn typographic_quotes_are_named_and_no_break_spaces_are_blanks() {
    let diagnostic = invalid("SELECT “a b” FROM t");
    assert!(diagnostic.message.contains('“'));
    assert_eq!(diagnostic.suggestions[0].replacement, "'a b'");
    assert_eq!(diagnostic.span, Some(Span::new(7, 16)));
    assert_eq!(kinds("SELECT\u{A0}1"), kinds("SELECT 1"));
}

#[test]
fn unknown_characters_do_not_stop_the_lexer() {
    assert_eq!(lex("a $ b § c").lexemes.len(), 5);
    assert!(invalid("{{input.x}}").hint.is_some_and(|hint| hint.contains(":name")));
}
