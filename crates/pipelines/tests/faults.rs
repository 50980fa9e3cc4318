//! What scripts of pipeline statements come to: an error's condition, or the rows of the last statement; and that a
//! refreshed view equals its query, whatever changed before.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]

mod lake;

use lake::Lake;
use lakelet_pipelines::{definition_of, freshness};

/// What a script ends with.
enum End {
    /// An error that names this condition.
    Error(&'static str),
    /// These rows, in any order.
    Rows(&'static [&'static str]),
}
use End::{Error, Rows};

const TABLE: &str = "CREATE TABLE t (id INT, v INT) TBLPROPERTIES (delta.enableChangeDataFeed = true);
    INSERT INTO t VALUES (1, 10), (2, 20);";
const STREAM: &str = "CREATE OR REFRESH STREAMING TABLE s AS SELECT * FROM STREAM t;";
const CDC: &str = "CREATE OR REFRESH STREAMING TABLE s FLOW AUTO CDC FROM STREAM t KEYS (id) SEQUENCE BY v;";

#[test]
fn scripts_end_as_they_should() {
    let cases: &[(&str, &[&str], End)] = &[
        (
            "DROP SCHEMA leaves a table of that name and its definition",
            &[
                TABLE,
                STREAM,
                "CREATE SCHEMA s; DROP SCHEMA s; INSERT INTO t VALUES (3, 30); REFRESH STREAMING TABLE s; SELECT id FROM s;",
            ],
            Rows(&["1", "2", "3"]),
        ),
        (
            "DROP SCHEMA … CASCADE takes the events of AUTO CDC with it",
            &[
                "CREATE SCHEMA x; USE SCHEMA x;",
                TABLE,
                CDC,
                "USE SCHEMA default; DROP SCHEMA x CASCADE; CREATE SCHEMA x; USE SCHEMA x;",
                TABLE,
                CDC,
                "SELECT id FROM s;",
            ],
            Rows(&["1", "2"]),
        ),
        (
            "R75: FULL takes no predicate",
            &[
                TABLE,
                "CREATE OR REFRESH STREAMING TABLE s FLOW REPLACE WHERE id > 0 BY NAME SELECT * FROM t;",
                "REFRESH STREAMING TABLE s FULL WHERE id = 1;",
            ],
            Error("INVALID_REFRESH_PREDICATE"),
        ),
        (
            "R75: only a REPLACE WHERE flow takes a predicate",
            &[TABLE, STREAM, "REFRESH STREAMING TABLE s WHERE id = 1;"],
            Error("INVALID_REFRESH_PREDICATE"),
        ),
        (
            "a materialized view sees changes under a plain view",
            &[
                TABLE,
                "CREATE VIEW w AS SELECT * FROM t; CREATE MATERIALIZED VIEW m AS SELECT id FROM w; INSERT INTO t VALUES (3, 30); REFRESH MATERIALIZED VIEW m; SELECT * FROM m;",
            ],
            Rows(&["1", "2", "3"]),
        ),
        (
            "a materialized view sees changes under an aggregating view",
            &[
                TABLE,
                "CREATE VIEW w AS SELECT sum(v) AS total FROM t; CREATE MATERIALIZED VIEW m AS SELECT total FROM w; INSERT INTO t VALUES (3, 30); REFRESH MATERIALIZED VIEW m; SELECT * FROM m;",
            ],
            Rows(&["60"]),
        ),
        (
            "a view that is defined anew is read anew",
            &[
                TABLE,
                "CREATE VIEW w AS SELECT id FROM t; CREATE MATERIALIZED VIEW m AS SELECT * FROM w; CREATE OR REPLACE VIEW w AS SELECT id + 1 AS id FROM t; REFRESH MATERIALIZED VIEW m; SELECT * FROM m;",
            ],
            Rows(&["2", "3"]),
        ),
        (
            "a CTE of a table's name hides no change",
            &[
                TABLE,
                "CREATE MATERIALIZED VIEW m AS WITH t AS (SELECT * FROM default.t) SELECT id FROM t; INSERT INTO t VALUES (3, 30); REFRESH MATERIALIZED VIEW m; SELECT * FROM m;",
            ],
            Rows(&["1", "2", "3"]),
        ),
        (
            "a change feed is followed",
            &[
                TABLE,
                "CREATE MATERIALIZED VIEW m AS SELECT id FROM table_changes('t', 1); INSERT INTO t VALUES (3, 30); REFRESH MATERIALIZED VIEW m; SELECT * FROM m;",
            ],
            Rows(&["1", "2", "3"]),
        ),
        (
            "a fixed version gains no rows",
            &[
                TABLE,
                "CREATE MATERIALIZED VIEW m AS SELECT id FROM t VERSION AS OF 1; INSERT INTO t VALUES (3, 30); REFRESH MATERIALIZED VIEW m; SELECT * FROM m;",
            ],
            Rows(&["1", "2"]),
        ),
        (
            "STRICT refuses what a fixed version or the clock makes full",
            &[
                TABLE,
                "CREATE MATERIALIZED VIEW m REFRESH POLICY INCREMENTAL STRICT AS SELECT id, current_date() AS d FROM t;",
            ],
            Error("MATERIALIZED_VIEW_NOT_INCREMENTALIZABLE"),
        ),
        (
            "a table is not read as a stream and as a table",
            &[TABLE, "CREATE OR REFRESH STREAMING TABLE s AS SELECT a.id FROM STREAM t a JOIN t b ON a.id = b.id;"],
            Error("UNSUPPORTED_FEATURE"),
        ),
        (
            "not through a view either",
            &[
                TABLE,
                "CREATE VIEW w AS SELECT * FROM t; CREATE OR REFRESH STREAMING TABLE s AS SELECT a.id FROM STREAM t a JOIN w b ON a.id = b.id;",
            ],
            Error("UNSUPPORTED_FEATURE"),
        ),
        ("a flow's kind stays", &[TABLE, CDC, STREAM], Error("UNSUPPORTED_FEATURE")),
        (
            "CREATE OR REFRESH takes properties over",
            &[
                TABLE,
                STREAM,
                "CREATE OR REFRESH STREAMING TABLE s TBLPROPERTIES (delta.enableChangeDataFeed = true) AS SELECT * FROM STREAM t; INSERT INTO t VALUES (3, 30); REFRESH STREAMING TABLE s; SELECT id FROM table_changes('s', 2);",
            ],
            Rows(&["3"]),
        ),
        (
            "CREATE OR REFRESH with other declared columns",
            &[TABLE, STREAM, "CREATE OR REFRESH STREAMING TABLE s (id STRING, v INT) AS SELECT * FROM STREAM t;"],
            Error("STREAMING_TABLE_SCHEMA_CHANGED"),
        ),
        (
            "declared columns are those of the flow",
            &[TABLE, "CREATE OR REFRESH STREAMING TABLE s (id STRING, v INT) AS SELECT * FROM STREAM t;"],
            Error("USER_SPECIFIED_AND_INFERRED_SCHEMA_NOT_COMPATIBLE"),
        ),
        (
            "types are for all columns or for none",
            &[TABLE, "CREATE OR REFRESH STREAMING TABLE s (id INT, v) AS SELECT * FROM STREAM t;"],
            Error("UNSUPPORTED_FEATURE"),
        ),
        (
            "AUTO CDC takes no list of names",
            &[TABLE, "CREATE OR REFRESH STREAMING TABLE s (a, b) FLOW AUTO CDC FROM STREAM t KEYS (id) SEQUENCE BY v;"],
            Error("UNSUPPORTED_FEATURE"),
        ),
        (
            "another source is read from its beginning",
            &[
                TABLE,
                STREAM,
                "CREATE TABLE u (id INT, v INT); INSERT INTO u VALUES (7, 70); CREATE OR REFRESH STREAMING TABLE s AS SELECT * FROM STREAM u; SELECT id FROM s;",
            ],
            Rows(&["1", "2", "7"]),
        ),
        (
            "another source is read although the first is gone",
            &[TABLE, STREAM, "DROP TABLE t; CREATE TABLE u (id INT, v INT); INSERT INTO u VALUES (7, 70); CREATE OR REFRESH STREAMING TABLE s AS SELECT * FROM STREAM u; SELECT id FROM s;"],
            Rows(&["1", "2", "7"]),
        ),
        (
            "a source that was made anew is refused",
            &[TABLE, STREAM, "DROP TABLE t;", TABLE, "REFRESH STREAMING TABLE s;"],
            Error("DELTA_SOURCE_TABLE_CHANGED"),
        ),
        (
            "startingVersion without a change feed",
            &[
                TABLE,
                "INSERT INTO t VALUES (3, 30); CREATE OR REFRESH STREAMING TABLE s AS SELECT id FROM STREAM t WITH (startingVersion = 2); SELECT * FROM s;",
            ],
            Rows(&["3"]),
        ),
        (
            "ignoreChanges is not skipChangeCommits",
            &[TABLE, "CREATE OR REFRESH STREAMING TABLE s AS SELECT id FROM STREAM t WITH (ignoreChanges = true);"],
            Error("UNSUPPORTED_FEATURE"),
        ),
        (
            "an option is true or false",
            &[
                TABLE,
                "CREATE OR REFRESH STREAMING TABLE s AS SELECT id FROM STREAM t WITH (skipChangeCommits = 'yes');",
            ],
            Error("DELTA_ILLEGAL_OPTION"),
        ),
        (
            "skipChangeCommits passes over commits that change rows",
            &[
                TABLE,
                "CREATE OR REFRESH STREAMING TABLE s AS SELECT id FROM STREAM t WITH (skipChangeCommits = true); DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (3, 30); REFRESH STREAMING TABLE s; SELECT * FROM s;",
            ],
            Rows(&["1", "2", "3"]),
        ),
        (
            "R60: a plain stream fails on deleted rows",
            &[TABLE, STREAM, "DELETE FROM t WHERE id = 1; REFRESH STREAMING TABLE s;"],
            Error("DELTA_SOURCE_IGNORE_DELETE"),
        ),
        (
            "R60: a plain stream fails on changed rows",
            &[TABLE, STREAM, "UPDATE t SET v = 11 WHERE id = 1; REFRESH STREAMING TABLE s;"],
            Error("DELTA_SOURCE_TABLE_IGNORE_CHANGES"),
        ),
        (
            "AUTO CDC: a new column of the source is a drift",
            &[TABLE, CDC, "ALTER TABLE t ADD COLUMN w INT; REFRESH STREAMING TABLE s;"],
            Error("TARGET_SCHEMA_DRIFT"),
        ),
        (
            "AUTO CDC: FULL takes a new column",
            &[
                TABLE,
                CDC,
                "ALTER TABLE t ADD COLUMN w INT; INSERT INTO t VALUES (3, 30, 5); REFRESH STREAMING TABLE s FULL; INSERT INTO t VALUES (4, 40, 6); REFRESH STREAMING TABLE s; SELECT id, w FROM s;",
            ],
            Rows(&["1|NULL", "2|NULL", "3|5", "4|6"]),
        ),
        (
            "STRICT refuses at a refresh what a new view under it made full",
            &[TABLE, "CREATE VIEW w AS SELECT id FROM t; CREATE MATERIALIZED VIEW m REFRESH POLICY INCREMENTAL STRICT AS SELECT * FROM w; CREATE OR REPLACE VIEW w AS SELECT DISTINCT id FROM t; REFRESH MATERIALIZED VIEW m;"],
            Error("MATERIALIZED_VIEW_NOT_INCREMENTALIZABLE"),
        ),
        (
            "R59: keys stay",
            &[TABLE, CDC, "CREATE OR REFRESH STREAMING TABLE s FLOW AUTO CDC FROM STREAM t KEYS (v) SEQUENCE BY id;"],
            Error("KEY_SCHEMA_DRIFT"),
        ),
        (
            "R59: the SCD type stays",
            &[TABLE, CDC, "CREATE OR REFRESH STREAMING TABLE s FLOW AUTO CDC FROM STREAM t KEYS (id) SEQUENCE BY v STORED AS SCD TYPE 2;"],
            Error("SCD_TYPE_DRIFT"),
        ),
        (
            "R59: the type of the sequence stays",
            &[TABLE, CDC, "CREATE OR REFRESH STREAMING TABLE s FLOW AUTO CDC FROM STREAM t KEYS (id) SEQUENCE BY string(v);"],
            Error("SEQUENCING_TYPE_DRIFT"),
        ),
        (
            "R59: the tracked columns stay",
            &["CREATE TABLE t (id INT, a INT, v INT); INSERT INTO t VALUES (1, 1, 1);
               CREATE OR REFRESH STREAMING TABLE s FLOW AUTO CDC FROM STREAM t KEYS (id) SEQUENCE BY v STORED AS SCD TYPE 2 TRACK HISTORY ON (a);
               CREATE OR REFRESH STREAMING TABLE s FLOW AUTO CDC FROM STREAM t KEYS (id) SEQUENCE BY v STORED AS SCD TYPE 2 TRACK HISTORY ON (a, v);"],
            Error("TRACK_HISTORY_DRIFT"),
        ),
        (
            "R59: the same definition again is no drift, also with a struct as sequence",
            &[TABLE, "CREATE OR REFRESH STREAMING TABLE s FLOW AUTO CDC FROM STREAM t KEYS (id) SEQUENCE BY struct(v, id);
               CREATE OR REFRESH STREAMING TABLE s FLOW AUTO CDC FROM STREAM t KEYS (id) SEQUENCE BY struct(v, id); SELECT id FROM s;"],
            Rows(&["1", "2"]),
        ),
        (
            "a ONCE flow runs once",
            &[TABLE, "CREATE STREAMING TABLE s; CREATE FLOW f AS INSERT INTO ONCE s BY NAME SELECT * FROM t; INSERT INTO t VALUES (3, 30); REFRESH STREAMING TABLE s; SELECT id FROM s;"],
            Rows(&["1", "2"]),
        ),
        (
            "a second AUTO CDC flow is refused",
            &[TABLE, CDC, "CREATE FLOW f AS AUTO CDC INTO s FROM STREAM t KEYS (id) SEQUENCE BY v;"],
            Error("AUTOCDC_MULTIPLE_FLOWS_TO_TARGET"),
        ),
        (
            "a second flow is refused",
            &[TABLE, STREAM, "CREATE FLOW f AS INSERT INTO s BY NAME SELECT * FROM STREAM t;"],
            Error("UNSUPPORTED_FEATURE"),
        ),
    ];
    let mut wrong = Vec::new();
    for (rule, script, end) in cases {
        let got = Lake::new().try_run(&script.join("\n"));
        let holds = match (end, &got) {
            (Error(condition), Err(message)) => message.contains(condition),
            (Rows(expected), Ok(rows)) => {
                let mut rows = rows.clone();
                rows.sort();
                rows == *expected
            }
            _ => false,
        };
        if !holds {
            wrong.push(format!("{rule}: {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_update_by_merge_is_one_unread_change() {
    let mut lake = Lake::new();
    lake.run(TABLE);
    lake.run(
        "CREATE OR REFRESH STREAMING TABLE s FLOW AUTO CDC FROM STREAM t WITH (readChangeFeed = true)
         KEYS (id) SEQUENCE BY _commit_version COLUMNS * EXCEPT (_change_type, _commit_version, _commit_timestamp);
         MERGE INTO t USING (SELECT 1 AS id, 11 AS v) AS n ON t.id = n.id
         WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;",
    );
    assert_eq!(n_unread(&lake), 1);
}

#[test]
fn changes_before_the_feed_was_on_are_unread_too() {
    let mut lake = Lake::new();
    lake.run("CREATE TABLE t (id INT, v INT); INSERT INTO t VALUES (1, 10);");
    lake.run(CDC);
    lake.run(
        "INSERT INTO t VALUES (2, 20); ALTER TABLE t SET TBLPROPERTIES (delta.enableChangeDataFeed = true);
         INSERT INTO t VALUES (3, 30);",
    );
    assert_eq!(n_unread(&lake), 2);
}

fn n_unread(lake: &Lake) -> u64 {
    let table = lake.store.table(&lake.session.qualify(&["s".to_owned()])).unwrap();
    let definition = definition_of(&lake.store, table.id).unwrap().unwrap();
    freshness(&lake.store, &definition).unwrap().n_unread()
}

const VIEWS: &[&str] = &[
    "SELECT v % 3 AS k, count(*) AS n, sum(v) AS total FROM t GROUP BY v % 3",
    "SELECT id, v FROM t WHERE v > 4",
    "SELECT id, v FROM plain",
    "SELECT k, n FROM grouped WHERE n > 1",
    "WITH t AS (SELECT * FROM default.t WHERE id > 2) SELECT id FROM t",
    "SELECT id FROM t VERSION AS OF 1",
    "SELECT t.id, u.v FROM t JOIN u ON t.id = u.id",
    "SELECT DISTINCT v FROM t",
    "SELECT id FROM t UNION ALL SELECT id FROM u",
    "SELECT count(*) AS n, max(v) AS most FROM t",
];

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn change(&mut self) -> String {
        let table = ["t", "t", "u"][self.below(3) as usize];
        let (id, v) = (self.below(6), self.below(9));
        match self.below(4) {
            0 => format!("DELETE FROM {table} WHERE id = {id};"),
            1 => format!("UPDATE {table} SET v = {v} WHERE id = {id};"),
            2 => format!("INSERT INTO {table} VALUES ({id}, {v}), ({id}, {v});"),
            _ => format!("INSERT INTO {table} VALUES ({id}, NULL), (NULL, {v});"),
        }
    }
}

#[test]
fn a_refreshed_view_equals_its_query() {
    for seed in 1..=3 {
        let mut numbers = Numbers(seed);
        let mut lake = Lake::new();
        lake.run(
            "CREATE TABLE t (id INT, v INT); INSERT INTO t VALUES (1, 1), (2, 5), (3, 5);
             CREATE TABLE u (id INT, v INT); INSERT INTO u VALUES (1, 2), (4, 8);
             CREATE VIEW plain AS SELECT id, v FROM t WHERE v > 2;
             CREATE VIEW grouped AS SELECT v AS k, count(*) AS n FROM t GROUP BY v;",
        );
        for (index, query) in VIEWS.iter().enumerate() {
            lake.run(&format!("CREATE MATERIALIZED VIEW m{index} AS {query};"));
        }
        for _ in 0..5 {
            let script: String = (0..=numbers.below(3)).map(|_| numbers.change()).collect();
            lake.run(&script);
            for (index, query) in VIEWS.iter().enumerate() {
                let mut got = lake.run(&format!("REFRESH MATERIALIZED VIEW m{index}; SELECT * FROM m{index};"));
                let mut expected = lake.run(query);
                got.sort();
                expected.sort();
                assert_eq!(got, expected, "seed {seed}, after {script}: {query}");
            }
        }
    }
}
