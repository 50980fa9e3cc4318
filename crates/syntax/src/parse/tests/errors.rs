use lakelet_base::{ErrorClass, Limits};

use super::refused;
use crate::parse_script;

#[track_caller]
fn at(text: &str, place: &str, parts: &[&str]) {
    let diagnostic = refused(text);
    assert_eq!(diagnostic.class, ErrorClass::PARSE_SYNTAX_ERROR, "{text}: {diagnostic}");
    let span = diagnostic.span.unwrap_or_else(|| panic!("{text} has no place"));
    assert_eq!(&text[span.start..span.end], place, "{text}: {diagnostic}");
    for part in parts {
        assert!(diagnostic.to_string().contains(part), "{text}: {diagnostic}");
    }
}

#[test]
fn misspelled_keywords_are_named() {
    at("SELECT a FORM t", "FORM", &["Syntax error at or near 'FORM'. Did you mean FROM?"]);
    at("SELCT a FROM t", "SELCT", &["SELECT?"]);
    at("SELECT * FROM t WEHRE a = 1", "WEHRE", &["WHERE?"]);
    at("SELECT a FROM t GRUOP BY a", "GRUOP", &["GROUP?"]);
    at("SELECT a FROM t ODER BY a", "ODER", &["ORDER?"]);
    at("SELECT a FROM t JION u ON x", "JION", &["JOIN?"]);
    at("CREATE TABEL t (a INT)", "TABEL", &["TABLE?"]);
    at("INSRET INTO t VALUES (1)", "INSRET", &["INSERT?"]);
    at("INSERT INTO t VALEUS (1)", "VALEUS", &["VALUES?"]);
    at("UPDATE t SET a = 1 WERE b", "WERE", &["WHERE?"]);
    at("DELETE FROM t WEHRE b", "WEHRE", &["WHERE?"]);
    let suggestion = &refused("SELECT a FORM t").suggestions[0];
    assert_eq!(suggestion.replacement, "FROM");
}

#[test]
fn errors_stand_where_reading_stopped() {
    at("SELECT , 1", ",", &["near ','", "an expression"]);
    at("SELECT (1 + 2", "", &["end of input", "closing parenthesis"]);
    at("SELECT 1 +", "", &["end of input"]);
    at("SELECT boat FROM trips ORDER BY boat GROUP BY boat", "GROUP", &["GROUP"]);
    at("SELECT * FROM (SELECT a FROM t WHERE) x", ")", &["')'"]);
    at("SELECT a FROM t WHERE b IN (SELECT c FROM u WHERE = 1)", "=", &["'='"]);
    at("SELECT f(a, (b c)) FROM t", "c", &["'c'"]);
    at("SELECT 1 2", "2", &["'2'"]);
    at("SELECT a FROM t; SELECT b", ";", &["';'"]);
    at("CREATE TABLE (a INT)", "(", &["a name"]);
    at("DROP", "", &["end of input"]);
    at("SELECT CASE WHEN a THEN 1", "", &["end of input", "END"]);
    at("SELECT INTERVAL 3 FORTNIGHTS", "FORTNIGHTS", &["FORTNIGHTS", "DAY"]);
    at("SELECT INTERVAL 3 FROM t", "FROM", &["unit"]);
    at("SELECT TOP 5 a FROM t", "5", &["'5'"]);
    at("SELECT * FROM STREAM t WITH (a 1)", "1", &["'='"]);
    at("SELECT * FROM t WITH (readChangeFeed = true)", "WITH", &["STREAM"]);
}

#[test]
fn habits_of_other_dialects_are_explained() {
    at("SELECT a AS \"total\" FROM t", "\"total\"", &["alias", "without quotes"]);
    at("SELECT a 'total' FROM t", "'total'", &["alias", "without quotes"]);
    at("SELECT count(*) 'total' FROM t", "'total'", &["alias"]);
    at("SELECT * FROM 'my table'", "'my table'", &["table's name"]);
    at("SELECT ‘a’", "‘a’", &["typographic"]);
    let hyphen = refused("USE CATALOG my-catalog");
    assert_eq!(hyphen.class.condition, "INVALID_IDENTIFIER");
    assert_eq!(hyphen.suggestions[0].replacement, "`my-catalog`");
    assert_eq!(refused("SELECT a, FROM t").class.condition, "TRAILING_COMMA_IN_SELECT");
    assert!(refused("SELECT '{{input.x}}', {{input.x}}").hint.expect("a hint").contains(":name"));
}

#[test]
fn empty_statements_and_open_ends() {
    for text in ["", " ", "-- x", ";", "/* a */ ;;"] {
        assert_eq!(refused(text).class.condition, "PARSE_EMPTY_STATEMENT", "{text:?}");
    }
    at("SELECT 'a", "'", &["string", "never closed"]);
    at("SELECT 1 /* a", "/*", &["comment", "never closed"]);
}

#[test]
fn what_spark_has_and_we_have_not_is_named() {
    for (text, name) in [
        ("GRANT SELECT ON TABLE <t> TO x", "GRANT"),
        ("CREATE OR REPLACE TEMPORARY FUNCTION f(x INT) RETURNS INT RETURN x", "CREATE FUNCTION"),
        ("CACHE TABLE t", "CACHE"),
        ("BEGIN SELECT 1; END", "scripting"),
        ("l: BEGIN SELECT 1; END", "scripting"),
        ("COPY INTO t FROM '/x' FILEFORMAT = CSV", "COPY INTO"),
        ("DECLARE VARIABLE x INT", "session variables"),
        ("OPTIMIZE t ZORDER BY (a)", "OPTIMIZE"),
        ("VACUUM t", "VACUUM"),
        ("CREATE TABLE t (a INT PRIMARY KEY)", "PRIMARY KEY"),
        ("CREATE TABLE t (a INT, CONSTRAINT pk PRIMARY KEY (a))", "PRIMARY KEY"),
        ("CREATE TABLE t (a INT) LOCATION '/x'", "location"),
        ("CREATE TABLE t (a BIGINT GENERATED ALWAYS AS IDENTITY)", "identity"),
        ("SHOW FUNCTIONS", "SHOW FUNCTIONS"),
        ("ALTER VIEW v AS SELECT 1", "ALTER VIEW"),
        ("DESCRIBE DETAIL t", "DESCRIBE DETAIL"),
    ] {
        let diagnostic = refused(text);
        assert_eq!(diagnostic.class, ErrorClass::UNSUPPORTED_FEATURE, "{text}: {diagnostic}");
        assert!(diagnostic.message.contains(name), "{text}: {diagnostic}");
        assert!(diagnostic.span.is_some(), "{text}");
    }
}

#[test]
fn an_error_leaves_the_other_statements_whole() {
    let text = "SELECT 1;\n-- second\nSELECT é FORM t;\nSELECT 3";
    let script = parse_script(text, &Limits::default());
    let [first, second, third] = script.statements.as_slice() else { panic!("{script:?}") };
    assert!(first.statement.is_ok() && third.statement.is_ok());
    let Err(diagnostic) = &second.statement else { panic!("{second:?}") };
    let span = diagnostic.span.expect("a place");
    assert_eq!(&text[span.start..span.end], "FORM");
    assert_eq!(second.text(), "SELECT é FORM t");
    assert_eq!(&text[second.offset()..second.offset() + 6], "SELECT");
    assert_eq!((first.index, second.index, third.index), (0, 1, 2));
}
