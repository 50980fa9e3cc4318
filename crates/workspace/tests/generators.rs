//! Rows and columns that are made of columns and rows: generators, LATERAL VIEW, PIVOT, UNPIVOT, and aliases that later
//! columns use.

mod support;

use serde_json::Map;
use support::{SharedLog, query, sql};

const SETUP: &str = "CREATE TABLE hives AS SELECT * FROM VALUES \
      (1, array(31, 35), map('queen', 1, 'drone', 40)), (2, array(), map()), (3, NULL, NULL) AS t(id, temps, census); \
    CREATE TABLE bread AS SELECT * FROM VALUES \
      ('Quay', 'rye', 3), ('Quay', 'spelt', 1), ('Quay', 'rye', 5), ('Hill', 'rye', 2) AS t(shop, item, qty)";

fn rows(text: &str) -> Vec<String> {
    let mut workspace = SharedLog::default().open();
    sql(&mut workspace, SETUP);
    let mut rows = query(&mut workspace, text);
    rows.sort();
    rows
}

fn condition(text: &str) -> &'static str {
    let mut workspace = SharedLog::default().open();
    sql(&mut workspace, SETUP);
    let ended = workspace.execute_script("test", text, &Map::new(), |_, _| {});
    ended.err().map(|error| error.diagnostic.class.condition).unwrap_or_default()
}

fn names(text: &str) -> Vec<String> {
    let mut workspace = SharedLog::default().open();
    sql(&mut workspace, SETUP);
    let mut names = Vec::new();
    let ended = workspace.execute_script("test", text, &Map::new(), |_, done| {
        if let Some(rows) = done.rows {
            names = rows.schema.fields().iter().map(|field| field.name().clone()).collect();
        }
    });
    assert!(ended.is_ok(), "{text}");
    names
}

#[test]
fn generators_give_a_row_several_rows() {
    assert_eq!(rows("SELECT id, explode(temps) AS t FROM hives"), ["1 31", "1 35"]);
    assert_eq!(rows("SELECT id, explode_outer(temps) AS t FROM hives"), ["1 31", "1 35", "2 NULL", "3 NULL"]);
    assert_eq!(rows("SELECT id, posexplode(temps) FROM hives"), ["1 0 31", "1 1 35"]);
    assert_eq!(rows("SELECT explode(census) AS (k, v) FROM hives"), ["drone 40", "queen 1"]);
    assert_eq!(rows("SELECT inline(array(struct(1 AS a, 'x' AS b), struct(2 AS a, 'y' AS b)))"), ["1 x", "2 y"]);
    assert_eq!(rows("SELECT stack(2, 1, 'a', 2)"), ["1 a", "2 NULL"]);
    assert_eq!(rows("SELECT id, json_tuple('{\"a\": 1}', 'a', 'b') FROM hives WHERE id = 1"), ["1 1 NULL"]);
    assert_eq!(rows("SELECT *, explode(temps) AS t FROM (SELECT id, temps FROM hives) WHERE id = 1").len(), 2);
    assert_eq!(
        rows("SELECT explode(sequence(1, 2)) AS a, explode(array('x', 'y')) AS b"),
        ["1 x", "1 y", "2 x", "2 y"]
    );
}

#[test]
fn lateral_views_come_one_after_the_other() {
    assert_eq!(
        rows(
            "SELECT h.id, t, k FROM hives h LATERAL VIEW explode(temps) a AS t LATERAL VIEW explode(map_keys(census)) b AS k"
        ),
        ["1 31 drone", "1 31 queen", "1 35 drone", "1 35 queen"]
    );
    assert_eq!(
        rows("SELECT id, t FROM hives LATERAL VIEW OUTER explode(temps) x AS t WHERE t IS NULL"),
        ["2 NULL", "3 NULL"]
    );
    assert_eq!(
        rows("SELECT t, count(*) FROM hives, (SELECT 1 AS one) LATERAL VIEW explode(temps) x AS t GROUP BY t"),
        ["31 1", "35 1"]
    );
    assert_eq!(
        rows(
            "SELECT n * t FROM hives LATERAL VIEW explode(temps) x AS t LATERAL VIEW explode(array(t, 2)) y AS n WHERE t = 31"
        ),
        ["62", "961"]
    );
}

#[test]
fn columns_of_generators_have_sparks_names() {
    assert_eq!(names("SELECT id, explode(census) FROM hives"), ["id", "key", "value"]);
    assert_eq!(names("SELECT explode(temps) FROM hives"), ["col"]);
    assert_eq!(names("SELECT posexplode(temps) FROM hives"), ["pos", "col"]);
    assert_eq!(names("SELECT stack(1, 1, 2)"), ["col0", "col1"]);
    assert_eq!(names("SELECT inline(array(struct(1 AS Aa)))"), ["Aa"]);
}

#[test]
fn generators_stand_where_spark_takes_them() {
    assert_eq!(condition("SELECT explode(temps) + 1 FROM hives"), "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS");
    assert_eq!(
        condition("SELECT explode(explode(array(temps))) FROM hives"),
        "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS"
    );
    assert_eq!(condition("SELECT 1 FROM hives WHERE explode(temps) = 1"), "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT");
    assert_eq!(condition("SELECT 1 FROM hives LATERAL VIEW upper('a') x AS t"), "UNSUPPORTED_GENERATOR.NOT_GENERATOR");
    assert_eq!(condition("SELECT explode(id) FROM hives"), "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE");
    assert_eq!(condition("SELECT explode(temps) AS (a, b) FROM hives"), "UDTF_ALIAS_NUMBER_MISMATCH");
    assert_eq!(condition("SELECT stack(id, 1, 2) FROM hives"), "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT");
    assert_eq!(condition("SELECT stack(10001, 1)"), "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE");
    assert_eq!(condition("SELECT stack(10000, 1)"), "");
}

#[test]
fn pivot_groups_by_what_is_left() {
    assert_eq!(
        rows("SELECT * FROM bread PIVOT (sum(qty) FOR item IN ('rye', 'spelt' AS s, 'oat'))"),
        ["Hill 2 NULL NULL", "Quay 8 1 NULL"]
    );
    assert_eq!(
        names("SELECT * FROM bread PIVOT (sum(qty) AS total, count(*) FOR item IN ('rye', 'spelt' AS s))"),
        ["shop", "rye_total", "rye_count(1)", "s_total", "s_count(1)"]
    );
    assert_eq!(rows("SELECT rq FROM bread PIVOT (max(qty) FOR (shop, item) IN (('Quay', 'rye') AS rq))"), ["5"]);
    assert_eq!(condition("SELECT * FROM bread PIVOT (upper(item) FOR item IN ('rye'))"), "UNSUPPORTED_FEATURE");
}

#[test]
fn unpivot_makes_rows_of_columns() {
    let t = "(SELECT * FROM VALUES (1, 10, 20), (2, 30, NULL) AS t(id, jan, feb))";
    assert_eq!(
        rows(&format!("SELECT * FROM {t} UNPIVOT (amount FOR mon IN (jan, feb AS F))")),
        ["1 F 20", "1 jan 10", "2 jan 30"]
    );
    assert_eq!(
        rows(&format!("SELECT * FROM {t} UNPIVOT INCLUDE NULLS (amount FOR mon IN (feb))")),
        ["1 10 feb 20", "2 30 feb NULL"]
    );
    assert_eq!(names(&format!("SELECT * FROM {t} UNPIVOT (Amount FOR Mon IN (jan, feb))")), ["id", "Mon", "Amount"]);
    assert_eq!(
        condition("SELECT * FROM VALUES (1, 'a') AS t(p, q) UNPIVOT (v FOR k IN (p, q))"),
        "UNPIVOT_VALUE_DATA_TYPE_MISMATCH"
    );
}

#[test]
fn an_alias_can_be_used_by_later_columns() {
    assert_eq!(rows("SELECT 3 AS a, a + 1 AS b, b * 2 AS c"), ["3 4 8"]);
    assert_eq!(names("SELECT 3 AS a, a + 1"), ["a", "(a + 1)"]);
    assert_eq!(
        rows("SELECT shop, sum(qty) AS p, p / 2 AS half FROM bread GROUP BY shop"),
        ["Hill 2 1.0", "Quay 9 4.5"]
    );
    assert_eq!(rows("SELECT 'x' AS item, item FROM bread WHERE qty = 2"), ["x rye"], "a column comes before an alias");
    assert_eq!(rows("SELECT b FROM (SELECT qty AS a, a + 1 AS b FROM bread WHERE qty = 2)"), ["3"]);
    assert_eq!(condition("SELECT b + 1 AS a, 2 AS b"), "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION");
    assert_eq!(condition("SELECT rand() AS a, a + 1 AS b"), "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION");
}

#[test]
fn members_are_reached_in_brackets_and_nested_values_compared() {
    assert_eq!(rows("SELECT census['drone'] FROM hives WHERE id = 1"), ["40"]);
    assert_eq!(rows("SELECT s['a'] FROM (SELECT named_struct('a', 7) AS s)"), ["7"]);
    assert_eq!(
        rows("SELECT max(struct(a, b)).b, min(array(a, b))[1] FROM VALUES (4, 1), (NULL, 2), (6, 3) AS t(a, b)"),
        ["3 2"]
    );
    assert_eq!(rows("SELECT ~5, ~CAST(5 AS TINYINT), pmod(-7, 3), pmod(7, -3)"), ["-6 -6 2 1"]);
    assert_eq!(condition("SELECT pmod(1, 0)"), "REMAINDER_BY_ZERO");
    assert_eq!(condition("SELECT map(1, 'a', DATE'2024-01-01', 'b')"), "DATATYPE_MISMATCH.CREATE_MAP_KEY_DIFF_TYPES");
}
