//! Wrong queries: each is refused with Spark's condition, and never in the planner's words.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it cannot go on")]

mod support;

use lakelet_protocol::{RequestBody, ResponseBody, RunRange};
use lakelet_workspace::Workspace;
use serde_json::Map;
use support::{SharedLog, ask};

/// The condition and message of the last statement's error; empty where there is none.
fn failure(workspace: &mut Workspace, text: &str) -> (String, String) {
    let body = RequestBody::RunScript {
        tab: "test".to_owned(),
        text: text.to_owned(),
        range: RunRange::All,
        params: Map::new(),
        schema: None,
    };
    match ask(workspace, body).unwrap() {
        ResponseBody::Script(report) => {
            let error = report.statements.last().and_then(|statement| statement.error.clone());
            error.map(|error| (error.condition.to_string(), error.message.clone())).unwrap_or_default()
        }
        other => panic!("{other:?}"),
    }
}

const SETUP: &str = "CREATE TABLE boats (id INT, name STRING, built DATE, fare DECIMAL(6,2), tags ARRAY<STRING>); \
    CREATE TABLE trips (id INT, boat INT, pax INT); \
    INSERT INTO boats VALUES (1, 'Heron', DATE'2020-01-01', 1.50, array('a')), (2, NULL, NULL, NULL, NULL); \
    INSERT INTO trips VALUES (1, 1, 10), (2, 1, NULL), (3, 2, 7)";

/// A wrong query and the condition that Spark gives; empty where ours is another one that is named.
const WRONG: &[(&str, &str)] = &[
    ("SELECT nme FROM boats", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("SELECT b.nme FROM boats b", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("SELECT x.name FROM boats b", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("SELECT name FROM boats WHERE nope = 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("SELECT name FROM boats ORDER BY nope", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("SELECT name FROM boats GROUP BY nope", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("SELECT nope", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
    ("SELECT * FROM baots", "TABLE_OR_VIEW_NOT_FOUND"),
    ("SELECT * FROM nowhere.baots", "TABLE_OR_VIEW_NOT_FOUND"),
    ("SELECT uper(name) FROM boats", "UNRESOLVED_ROUTINE"),
    ("SELECT * FROM nofunction(1)", "UNRESOLVABLE_TABLE_VALUED_FUNCTION"),
    ("SELECT x.* FROM boats", "CANNOT_RESOLVE_STAR_EXPAND"),
    ("SELECT id FROM boats JOIN trips ON boats.id = trips.boat", "AMBIGUOUS_REFERENCE"),
    ("SELECT * FROM boats JOIN trips USING (pax)", "UNRESOLVED_USING_COLUMN_FOR_JOIN"),
    ("SELECT * FROM boats FULL JOIN trips USING (fare)", "UNRESOLVED_USING_COLUMN_FOR_JOIN"),
    ("SELECT name FROM boats WHERE sum(id) > 1", "INVALID_WHERE_CONDITION"),
    ("SELECT name FROM boats WHERE row_number() OVER (ORDER BY id) = 1", "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE"),
    ("SELECT name FROM boats ORDER BY row_number() OVER (ORDER BY id)", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
    ("SELECT * FROM boats JOIN trips ON sum(pax) = 1", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
    ("SELECT sum(sum(id)) FROM boats", "NESTED_AGGREGATE_FUNCTION"),
    ("SELECT name, sum(id) FROM boats", "MISSING_GROUP_BY"),
    ("SELECT name, sum(id) FROM boats GROUP BY id", "MISSING_AGGREGATION"),
    ("SELECT sum(id) AS s FROM boats GROUP BY s", "GROUP_BY_AGGREGATE"),
    ("SELECT sum(id) FROM boats GROUP BY 1", "GROUP_BY_AGGREGATE"),
    ("SELECT name FROM boats GROUP BY 2", "GROUP_BY_POS_OUT_OF_RANGE"),
    ("SELECT name FROM boats ORDER BY 2", "ORDER_BY_POS_OUT_OF_RANGE"),
    ("SELECT name FROM boats ORDER BY 0", "ORDER_BY_POS_OUT_OF_RANGE"),
    ("SELECT name, grouping(name) FROM boats GROUP BY name", "UNSUPPORTED_GROUPING_EXPRESSION"),
    ("SELECT grouping_id() FROM boats GROUP BY name", "UNSUPPORTED_GROUPING_EXPRESSION"),
    ("SELECT rank() FROM boats", "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE"),
    ("SELECT sum(id) OVER w FROM boats", "MISSING_WINDOW_SPECIFICATION"),
    ("SELECT lag(id, id) OVER (ORDER BY id) FROM boats", "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT"),
    ("SELECT ntile(0) OVER (ORDER BY id) FROM boats", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
    ("SELECT count(DISTINCT id) OVER () FROM boats", "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED"),
    ("SELECT name FROM boats LIMIT -1", "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE"),
    ("SELECT name FROM boats LIMIT 'x'", "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE"),
    ("SELECT name FROM boats LIMIT id", ""),
    (
        "SELECT (SELECT id, name FROM boats) AS r",
        "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
    ),
    ("SELECT (SELECT id FROM boats) AS r", "SCALAR_SUBQUERY_TOO_MANY_ROWS"),
    ("SELECT * FROM boats WHERE id IN (SELECT id, name FROM boats)", ""),
    ("SELECT (SELECT t.pax FROM trips t WHERE t.boat = b.id) FROM boats b", ""),
    ("SELECT id, EXISTS (SELECT 1 FROM trips t WHERE t.boat > b.id) AS x FROM boats b", ""),
    ("SELECT * FROM boats b, LATERAL (SELECT b.id + 1 AS n) x", ""),
    ("SELECT * FROM boats ORDER BY (SELECT max(pax) FROM trips WHERE boat > boats.id)", ""),
    ("SELECT id FROM boats UNION SELECT id, pax FROM trips", "NUM_COLUMNS_MISMATCH"),
    ("SELECT id FROM boats EXCEPT SELECT id, pax FROM trips", "NUM_COLUMNS_MISMATCH"),
    ("SELECT tags FROM boats UNION SELECT id FROM trips", "INCOMPATIBLE_COLUMN_TYPE"),
    ("SELECT tags FROM boats INTERSECT SELECT id FROM trips", ""),
    ("SELECT DISTINCT name FROM boats ORDER BY id", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a", "DUPLICATED_CTE_NAMES"),
    ("WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a", "TABLE_OR_VIEW_NOT_FOUND"),
    ("WITH RECURSIVE r AS (SELECT n + 1 FROM r) SELECT * FROM r", ""),
    ("SELECT * FROM VALUES (1, 2), (3) AS t(a, b)", "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH"),
    ("SELECT * FROM VALUES (1, 2) AS t(a)", "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH"),
    ("SELECT * FROM (SELECT 1, 2) AS t(a)", "ASSIGNMENT_ARITY_MISMATCH"),
    ("SELECT 1 AND 2", "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE"),
    ("SELECT NOT 5", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
    ("SELECT tags = 1 FROM boats", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"),
    ("SELECT tags + 1 FROM boats", ""),
    ("SELECT tags LIKE 'a' FROM boats", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
    ("SELECT id IN (tags) FROM boats", "DATATYPE_MISMATCH.DATA_DIFF_TYPES"),
    ("SELECT -tags FROM boats", ""),
    ("SELECT name FROM boats WHERE id", "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN"),
    ("SELECT CASE WHEN id THEN 1 END FROM boats", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
    ("SELECT named_struct('a')", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"),
    ("SELECT named_struct(1, 2)", "DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING"),
    ("SELECT map('a', 1, 'b')", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"),
    ("SELECT upper()", ""),
    ("SELECT upper('a', 'b')", ""),
    ("SELECT substring('a')", ""),
    ("SELECT sum() FROM boats", ""),
    ("SELECT sum(tags) FROM boats", ""),
    ("SELECT max(id, 2) FROM boats", ""),
    ("SELECT upper(x -> x)", "INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION"),
    ("SELECT transform(array(1), (x, y, z) -> x)", "INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH"),
    ("SELECT transform(1, x -> x)", ""),
    ("SELECT upper(str => 'a')", ""),
    ("SELECT (1, 2) = (1, 2, 3)", ""),
    ("SELECT name.first FROM boats", ""),
    ("SELECT name[0] FROM boats", ""),
    ("SELECT id[0] FROM boats", ""),
    (
        "SELECT sum(id) OVER (ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM boats",
        "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_INVALID_BOUND",
    ),
    (
        "SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING) FROM boats",
        "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON",
    ),
    (
        "SELECT sum(id) OVER (ORDER BY name RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM boats",
        "DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE",
    ),
    (
        "SELECT sum(id) OVER (ORDER BY id, name RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM boats",
        "DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER",
    ),
    ("SELECT * FROM boats QUALIFY id = 1", ""),
    ("SELECT * FROM boats HAVING id = 1", ""),
    ("SELECT INTERVAL '1' DAY / 0", ""),
    ("SELECT CAST(1 AS NOTYPE)", ""),
    ("SELECT CAST(1 AS DECIMAL(4,5))", ""),
    ("SELECT built + name FROM boats", ""),
    ("SELECT * EXCEPT (nope) FROM boats", ""),
    ("SELECT * EXCEPT (id, name, built, fare, tags) FROM boats", ""),
    ("SELECT * FROM boats TABLESAMPLE (10 PERCENT)", ""),
    ("INSERT INTO trips VALUES (1)", ""),
    ("INSERT INTO trips SELECT tags, 1, 2 FROM boats", ""),
    ("INSERT INTO trips (nope) VALUES (1)", ""),
    ("UPDATE trips SET nope = 1", ""),
    ("UPDATE trips SET pax = sum(pax)", ""),
    ("DELETE FROM trips WHERE sum(pax) > 1", ""),
    ("DELETE FROM trips WHERE nope", ""),
    ("MERGE INTO trips t USING boats b ON t.nope = b.id WHEN MATCHED THEN DELETE", ""),
    ("CREATE VIEW v AS SELECT nope FROM boats", ""),
    ("CREATE TABLE z AS SELECT 1, 1", ""),
];

#[test]
fn wrong_queries_are_refused_in_sparks_words() {
    let foreign = [
        "DataFusion",
        "Int32",
        "Int64",
        "Utf8",
        "logical expression",
        "LogicalPlan",
        "Arrow",
        "arrow",
        "ast node",
        "Expr",
        "schema error",
        "column1",
        "UDF",
        "\u{1}",
        "Ident {",
        "field:",
        "kernel",
        "coerce",
        "Plan",
        "internal",
    ];
    let mut workspace = SharedLog::default().open();
    assert_eq!(failure(&mut workspace, SETUP), Default::default());
    let mut problems = Vec::new();
    for (text, expected) in WRONG {
        let (condition, message) = failure(&mut workspace, text);
        let leaks: Vec<_> = foreign.iter().filter(|word| message.contains(**word)).collect();
        if condition.is_empty() || condition == "INTERNAL_ERROR" || !leaks.is_empty() {
            problems.push(format!("{text}: {condition}: {message} {leaks:?}"));
        } else if !expected.is_empty() && condition != *expected {
            problems.push(format!("{text}: {condition} in place of {expected}: {message}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
