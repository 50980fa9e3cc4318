use lakelet_base::{Limits, Span};
use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};

use crate::statement::{Name, Statement};
use crate::{parse_expression, parse_query, parse_script_with_parameters};

/// The query as sqlparser prints it.
fn printed(text: &str) -> String {
    match parse_query(text) {
        Ok(query) => query.query.to_string(),
        Err(diagnostic) => panic!("{text}\n{diagnostic} {:?}", diagnostic.span),
    }
}

/// The expression with a pair of parentheses around every operator.
fn grouped(expr: &Expr) -> String {
    match expr {
        Expr::BinaryOp { left, op: BinaryOperator::MyIntegerDivide, right } => {
            format!("({} DIV {})", grouped(left), grouped(right))
        }
        Expr::BinaryOp { left, op, right } => format!("({} {op} {})", grouped(left), grouped(right)),
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => format!("NOT {}", grouped(expr)),
        Expr::UnaryOp { op, expr } => format!("{op}{}", grouped(expr)),
        Expr::IsNull(expr) => format!("{} IS NULL", grouped(expr)),
        Expr::IsDistinctFrom(left, right) => format!("({} IS DISTINCT FROM {})", grouped(left), grouped(right)),
        Expr::Between { expr, low, high, .. } => {
            format!("({} BETWEEN {} AND {})", grouped(expr), grouped(low), grouped(high))
        }
        Expr::Like { expr, pattern, .. } => format!("({} LIKE {})", grouped(expr), grouped(pattern)),
        Expr::Cast { expr, data_type, .. } => format!("({}::{data_type})", grouped(expr)),
        other => other.to_string(),
    }
}

#[track_caller]
fn prints(written: &str, expected: &str) {
    assert_eq!(printed(written), expected, "{written}");
}

#[track_caller]
fn same(written: &str, read: &str) {
    assert_eq!(printed(written), printed(read), "{written}");
}

#[test]
fn calls_with_words_between_arguments_become_plain_calls() {
    same("SELECT substring('abc' FROM 2 FOR 1)", "SELECT substring('abc', 2, 1)");
    same("SELECT substr((SELECT a FROM t) FROM 2)", "SELECT substr((SELECT a FROM t), 2)");
    same("SELECT position('a' IN b)", "SELECT position('a', b)");
    same("SELECT position(1 IN (2, 3))", "SELECT position(1, (2, 3))");
    same("SELECT overlay(a PLACING 'x' FROM 2 FOR 3)", "SELECT overlay(a, 'x', 2, 3)");
    prints(
        "SELECT trim(BOTH FROM a), trim(a), trim('x' FROM a)",
        "SELECT TRIM(BOTH ' ' FROM a), trim(a), TRIM('x' FROM a)",
    );
    prints("SELECT ceil(a, -2), floor(a)", "SELECT ceil(a, -2), floor(a)");
    prints("SELECT x FROM t WHERE NOT exists(a, x -> x > 1)", "SELECT x FROM t WHERE NOT exists(a, x -> x > 1)");
    prints("SELECT 1 WHERE NOT EXISTS (SELECT 1)", "SELECT 1 WHERE NOT EXISTS (SELECT 1)");
}

#[test]
fn operators_bind_as_in_spark() {
    for (written, read) in [
        (
            "a OR b AND NOT c = d | e ^ f & g << h + i * -j",
            "(a OR (b AND NOT (c = (d | (e ^ (f & (g << (h + (i * -j)))))))))",
        ),
        ("a = b IS NULL", "(a = b) IS NULL"),
        ("a || b + c * d", "((a || b) + (c * d))"),
        ("a + b || c", "((a + b) || c)"),
        ("a - b - c", "((a - b) - c)"),
        ("a DIV b / c % d", "(((a DIV b) / c) % d)"),
        ("NOT a = b AND c", "(NOT (a = b) AND c)"),
        ("- a.b::INT", "-(a.b::INT)"),
        ("a < b AND c > d OR e", "(((a < b) AND (c > d)) OR e)"),
        ("a IS DISTINCT FROM b AND c", "((a IS DISTINCT FROM b) AND c)"),
        ("a BETWEEN b AND c AND d", "((a BETWEEN b AND c) AND d)"),
        ("a LIKE b || c OR d", "((a LIKE (b || c)) OR d)"),
        ("a = b + raw:owner.name::STRING", "(a = (b + (raw:owner.name::STRING)))"),
    ] {
        assert_eq!(grouped(&parse_expression(written).unwrap().expr), read, "{written}");
    }
    prints("SELECT div(7, 2), a.div FROM t", "SELECT div(7, 2), a.div FROM t");
    prints(
        "SELECT -1 >>> 28, 16 >> 2, CAST(x AS ARRAY<ARRAY<ARRAY<INT>>>)",
        "SELECT -1 >>> 28, 16 >> 2, CAST(x AS ARRAY<ARRAY<ARRAY<INT>>>)",
    );
    prints(
        "SELECT a LIKE ANY ('x', 'y'), b NOT ILIKE ALL ('z', 'w')",
        "SELECT (a LIKE 'x' OR a LIKE 'y'), (b NOT ILIKE 'z' AND b NOT ILIKE 'w')",
    );
    prints("SELECT 1 !< 2, 1 <=> 2, ! a", "SELECT 1 >= 2, 1 <=> 2, !a");
}

#[test]
fn intervals_take_signs_and_several_units() {
    prints("SELECT INTERVAL 1 DAY 2 HOURS - x", "SELECT INTERVAL '1 DAY 2 HOURS' - x");
    prints(
        "SELECT INTERVAL -'5' HOUR, INTERVAL - 2 DAY, INTERVAL '1 year 3 months'",
        "SELECT INTERVAL '-5' HOUR, INTERVAL '-2' DAY, INTERVAL '1 year 3 months'",
    );
    prints(
        "SELECT interval, t.interval, interval('1 day') FROM t",
        "SELECT interval, t.interval, interval('1 day') FROM t",
    );
    prints("SELECT INTERVAL '1 2' DAY TO HOUR + d", "SELECT INTERVAL '1 2' DAY TO HOUR + d");
    prints("SELECT CAST(x AS INTERVAL YEAR TO MONTH)", "SELECT CAST(x AS INTERVAL YEAR TO MONTH)");
}

#[test]
fn versions_reach_the_tree() {
    for written in [
        "SELECT * FROM t VERSION AS OF 2 AS a",
        "SELECT * FROM t FOR VERSION AS OF 2 AS a",
        "SELECT * FROM t FOR SYSTEM_VERSION AS OF 2 AS a",
        "SELECT * FROM t@v2 AS a",
    ] {
        // sqlparser prints the alias first.
        prints(written, "SELECT * FROM t AS a VERSION AS OF 2");
    }
    prints(
        "SELECT * FROM a.b.t FOR SYSTEM_TIME AS OF '2026-03-02' x",
        "SELECT * FROM a.b.t x TIMESTAMP AS OF '2026-03-02'",
    );
    prints("SELECT * FROM t@20260302090000123", "SELECT * FROM t TIMESTAMP AS OF '2026-03-02 09:00:00.123'");
    prints("SELECT * FROM t VERSION AS OF :v", "SELECT * FROM t VERSION AS OF :v");
    prints("SELECT version, timestamp FROM t changes", "SELECT version, timestamp FROM t changes");
}

#[test]
fn queries_in_other_clothes() {
    prints("TABLE a.b.c", "SELECT * FROM a.b.c");
    prints("SELECT a FROM x UNION ALL TABLE y", "SELECT a FROM x UNION ALL SELECT * FROM y");
    prints("SELECT a FROM x MINUS SELECT b FROM y", "SELECT a FROM x EXCEPT SELECT b FROM y");
    prints("SELECT minus FROM x", "SELECT minus FROM x");
    prints("SELECT t.* EXCEPT (t.a, b) FROM t", "SELECT t.* EXCEPT (a, b) FROM t");
    prints(
        "SELECT * FROM VALUES (1, 2), (3, 4) AS t(a, b) UNPIVOT (v FOR k IN (a, b))",
        "SELECT * FROM (VALUES (1, 2), (3, 4)) AS t (a, b) UNPIVOT(v FOR k IN (a, b))",
    );
    prints("SELECT count(*) FILTER (WHERE a), filter FROM t", "SELECT count(*) FILTER (WHERE a), filter FROM t");
    prints(
        "SELECT current_user, left(a, 1), window.end FROM t",
        "SELECT current_user(), left(a, 1), window.end FROM t",
    );
    prints("SELECT top, start, value FROM fetch", "SELECT top, start, value FROM fetch");
}

#[test]
fn lateral_views_and_samples() {
    prints(
        "SELECT k FROM h LATERAL VIEW explode(m) x ORDER BY k",
        "SELECT k FROM h LATERAL VIEW explode(m) x WHERE true ORDER BY k",
    );
    prints(
        "SELECT a, b FROM h LATERAL VIEW OUTER posexplode(f(m)) x AS a, b LIMIT 1",
        "SELECT a, b FROM h LATERAL VIEW OUTER posexplode(f(m)) x AS a, b LIMIT 1",
    );
    prints("SELECT * FROM t TABLESAMPLE (10 PERCENT) s", "SELECT * FROM t TABLESAMPLE (10 PERCENT) s");
    prints("SELECT a FROM (t JOIN u ON a = b)", "SELECT a FROM (t JOIN u ON a = b)");
}

#[test]
fn strings_and_numbers_are_sparks() {
    prints(r#"SELECT "salt", 'fog' 'horn', r'\d', X'abc'"#, r"SELECT 'salt', 'foghorn', '\d', X'0ABC'");
    prints("SELECT 5L, 5y, 2.5bd, 1e3", "SELECT 5L, 5Y, 2.5BD, 1E3");
    prints(
        "SELECT CAST(x AS TIMESTAMP_LTZ), TIMESTAMP_LTZ'2020-01-01'",
        "SELECT CAST(x AS TIMESTAMP), TIMESTAMP '2020-01-01'",
    );
    prints(
        "SELECT CAST(x AS BYTE), CAST(y AS SHORT), CAST(z AS LONG), byte FROM t",
        "SELECT CAST(x AS TINYINT), CAST(y AS SMALLINT), CAST(z AS BIGINT), byte FROM t",
    );
}

#[test]
fn streams_are_plain_tables_with_a_note() {
    let query = parse_query(
        "SELECT * FROM STREAM a.t WITH (readChangeFeed = true, 'startingVersion' = 3) x JOIN STREAM(u) ON x.k = u.k",
    )
    .unwrap();
    assert_eq!(query.query.to_string(), "SELECT * FROM a.t x JOIN u ON x.k = u.k");
    let [first, second] = query.streams.as_slice() else { panic!("{:?}", query.streams) };
    assert_eq!(first.table, Name { parts: vec!["a".into(), "t".into()], span: Span::new(21, 24) });
    assert_eq!(first.options, [("readchangefeed".into(), "true".into()), ("startingversion".into(), "3".into())]);
    assert_eq!(second.table.parts, ["u"]);
    for plain in
        ["SELECT * FROM stream", "SELECT * FROM stream WHERE a", "SELECT stream FROM t", "SELECT * FROM stream AS s"]
    {
        assert!(parse_query(plain).unwrap().streams.is_empty(), "{plain}");
    }
    let inner = parse_query("SELECT * FROM (SELECT * FROM STREAM t)").unwrap();
    assert_eq!(inner.streams.len(), 1);
}

#[test]
fn identifier_is_resolved_where_its_text_is_known() {
    prints(
        "SELECT * FROM IDENTIFIER('a.' || 'b c'.d)".replace("'b c'.d", "'`b c`'").as_str(),
        "SELECT * FROM `a`.`b c`",
    );
    prints("SELECT IDENTIFIER('abs')(x) FROM IDENTIFIER(:t)", "SELECT `abs`(x) FROM IDENTIFIER(:t)");
    let script = "SELECT * FROM IDENTIFIER(:t); TRUNCATE TABLE IDENTIFIER(:s || '.x'); DROP TABLE IDENTIFIER(:missing)";
    let value = |name: &str| match name {
        "t" => Some("c.t".to_owned()),
        "s" => Some("s".to_owned()),
        _ => None,
    };
    let script = parse_script_with_parameters(script, &Limits::default(), &value);
    let parsed: Vec<_> = script.statements.iter().map(|statement| &statement.statement).collect();
    let Ok(Statement::Query(query)) = parsed[0] else { panic!("{:?}", parsed[0]) };
    assert_eq!(query.query.to_string(), "SELECT * FROM `c`.`t`");
    let Ok(Statement::Truncate(truncate)) = parsed[1] else { panic!("{:?}", parsed[1]) };
    assert_eq!(truncate.table.parts, ["s", "x"]);
    let Err(unbound) = parsed[2] else { panic!("{:?}", parsed[2]) };
    assert_eq!(unbound.class.condition, "UNBOUND_SQL_PARAMETER");
    assert!(unbound.message.contains("missing"));
}

#[test]
fn parameters_are_placeholders() {
    let query = parse_query("SELECT :a, ? FROM t WHERE x BETWEEN :b AND :c LIMIT :n").unwrap();
    let tree = format!("{:?}", query.query);
    for placeholder in [":a", "?", ":b", ":c", ":n"] {
        assert!(tree.contains(&format!("Placeholder({placeholder:?})")), "{placeholder}: {tree}");
    }
}
