//! What queries over several relations give, where a planner that is not Spark's would give something else.

mod support;

use support::{SharedLog, query, sql};

const SETUP: &str = "CREATE TABLE t (a INT, k INT); CREATE TABLE s (a INT, k INT); CREATE TABLE u (a INT, z INT); \
    INSERT INTO t VALUES (1, 1), (2, 1), (NULL, 1), (3, 2); INSERT INTO s VALUES (1, 1), (NULL, 1), (4, 2); \
    INSERT INTO u VALUES (1, 10), (4, 40), (9, 90)";

/// Rows in no order.
fn rows(text: &str) -> Vec<String> {
    let mut workspace = SharedLog::default().open();
    sql(&mut workspace, SETUP);
    let mut rows = query(&mut workspace, text);
    rows.sort();
    rows
}

#[test]
fn not_in_keeps_no_row_that_may_be_in() {
    assert_eq!(rows("SELECT * FROM t WHERE a NOT IN (SELECT a FROM s)"), Vec::<String>::new());
    assert_eq!(rows("SELECT * FROM t WHERE a NOT IN (SELECT a FROM s) OR k = 2"), ["3 2"]);
    assert_eq!(rows("SELECT * FROM t WHERE a NOT IN (SELECT a FROM s WHERE s.k = t.k)"), ["3 2"]);
    assert_eq!(
        rows("SELECT * FROM t WHERE a NOT IN (SELECT a FROM s WHERE s.k = t.k AND a IS NOT NULL)"),
        ["2 1", "3 2"]
    );
    assert_eq!(
        rows("SELECT * FROM t WHERE CASE WHEN a NOT IN (SELECT a FROM s WHERE a > 0) THEN true ELSE false END"),
        ["2 1", "3 2"]
    );
    assert_eq!(rows("SELECT * FROM t WHERE NOT (a NOT IN (SELECT a FROM s) AND k > 0)"), ["1 1"]);
}

#[test]
fn membership_is_a_value_with_three_states() {
    assert_eq!(
        rows("SELECT a, a IN (SELECT a FROM s), a NOT IN (SELECT a FROM s) FROM t"),
        ["1 true false", "2 NULL NULL", "3 NULL NULL", "NULL NULL NULL"]
    );
    assert_eq!(
        rows("SELECT a, a IN (SELECT a FROM s WHERE s.k = t.k) FROM t"),
        ["1 true", "2 NULL", "3 false", "NULL NULL"]
    );
    assert_eq!(
        rows("SELECT a, EXISTS (SELECT 1 FROM s WHERE s.k = t.k AND s.a = 4) FROM t"),
        ["1 false", "2 false", "3 true", "NULL false"]
    );
}

#[test]
fn shared_columns_come_first_and_are_those_of_the_side_that_is_kept() {
    assert_eq!(
        rows("SELECT * FROM t FULL JOIN u USING (a)"),
        ["1 1 10", "2 1 NULL", "3 2 NULL", "4 NULL 40", "9 NULL 90", "NULL 1 NULL"]
    );
    assert_eq!(rows("SELECT a, t.a, u.a, z FROM t RIGHT JOIN u USING (a)"), ["1 1 1 10", "4 NULL 4 40", "9 NULL 9 90"]);
    assert_eq!(rows("SELECT * FROM t NATURAL JOIN s NATURAL FULL JOIN u"), ["1 1 10", "4 NULL 40", "9 NULL 90"]);
    assert_eq!(
        rows("SELECT * FROM u JOIN t ON false RIGHT JOIN s USING (k)"),
        ["1 NULL NULL NULL 1", "1 NULL NULL NULL NULL", "2 NULL NULL NULL 4"]
    );
    assert_eq!(rows("SELECT a, count(*) FROM t FULL JOIN u USING (a) GROUP BY a HAVING a > 3"), ["4 1", "9 1"]);
    assert_eq!(rows("SELECT * FROM (SELECT z, a FROM u) JOIN t USING (a)"), ["1 10 1"]);
}

#[test]
fn a_common_table_expression_may_be_called_like_a_table() {
    assert_eq!(rows("WITH t AS (SELECT * FROM t WHERE k = 2) SELECT * FROM t"), ["3 2"]);
    assert_eq!(
        rows("WITH t AS (SELECT 1 AS x) SELECT * FROM t, (WITH t AS (SELECT 2 AS y) SELECT * FROM t) q"),
        ["1 2"]
    );
    assert_eq!(rows("SELECT count(*) FROM t, (WITH t AS (SELECT 2 AS y) SELECT * FROM t) q"), ["4"]);
}

#[test]
fn grouping_sets_say_which_they_are() {
    assert_eq!(
        rows("SELECT k, grouping_id(), count(*), count(1), mean(a), avg(a) FROM t GROUP BY ROLLUP (k)"),
        ["1 0 3 3 1.5 1.5", "2 0 1 1 3.0 3.0", "NULL 1 4 4 2.0 2.0"]
    );
    assert_eq!(rows("SELECT a FROM t WHERE k = 2 SORT BY a"), ["3"]);
}
