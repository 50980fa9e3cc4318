use super::{expect_statement, parsed, refused};
use crate::parse_flow;
use crate::statement::*;

const TUTORIAL: &str = "CREATE OR REFRESH STREAMING TABLE products_history
SCHEDULE REFRESH EVERY 1 DAY
FLOW AUTO CDC
FROM (
  SELECT * FROM STREAM products WITH (readChangeFeed = true)
  WHERE _change_type != 'update_preimage'
)
KEYS (product_id)
APPLY AS DELETE WHEN _change_type = 'delete'
SEQUENCE BY _commit_timestamp
COLUMNS * EXCEPT (_change_type, _commit_version, _commit_timestamp)
STORED AS SCD TYPE 2";

fn auto_cdc(clauses: &str) -> AutoCdcFlow {
    let text = format!("CREATE STREAMING TABLE t FLOW AUTO CDC {clauses}");
    let table = expect_statement!(&text, Statement::CreateStreamingTable);
    match table.flow.expect("a flow").body {
        FlowBody::AutoCdc(flow) => *flow,
        other => panic!("{other:?}"),
    }
}

fn names(columns: &[(String, lakelet_base::Span)]) -> Vec<&str> {
    columns.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn the_tutorials_dimension_has_all_its_clauses() {
    let table = expect_statement!(TUTORIAL, Statement::CreateStreamingTable);
    assert_eq!(table.name.parts, ["products_history"]);
    assert!(table.or_refresh);
    assert_eq!(table.schedule, Some(Schedule::Every { count: 1, unit: IntervalUnit::Day }));
    let flow = table.flow.expect("a flow");
    assert!(flow.text.starts_with("FLOW AUTO CDC") && flow.text.ends_with("SCD TYPE 2"));
    let FlowBody::AutoCdc(cdc) = &flow.body else { panic!("{flow:?}") };
    assert_eq!(cdc.source.query.to_string(), "SELECT * FROM products WHERE _change_type <> 'update_preimage'");
    assert!(cdc.source.text.starts_with("SELECT * FROM STREAM products WITH"));
    assert_eq!(cdc.source.streams.len(), 1);
    assert_eq!(names(&cdc.keys), ["product_id"]);
    let (key, span) = &cdc.keys[0];
    assert_eq!(&TUTORIAL[span.start..span.end], key);
    let delete_when = cdc.apply_as_delete_when.as_ref().expect("a condition");
    assert_eq!(delete_when.text, "_change_type = 'delete'");
    assert_eq!(&TUTORIAL[delete_when.span.start..delete_when.span.end], delete_when.text);
    assert_eq!(cdc.sequence_by.text, "_commit_timestamp");
    let Some(ColumnSelection::Except(except)) = &cdc.columns else { panic!("{:?}", cdc.columns) };
    assert_eq!(names(except), ["_change_type", "_commit_version", "_commit_timestamp"]);
    assert_eq!(cdc.stored_as, Some(ScdType::Type2));
    assert!(parse_flow(&flow.text).is_ok());
}

#[test]
fn clauses_come_in_any_order_with_and_without_parentheses() {
    let flow = auto_cdc(
        "FROM STREAM(src) KEYS a, b STORED AS SCD TYPE 2 TRACK HISTORY ON * EXCEPT c, d COLUMNS (a, b, e) \
         SEQUENCE BY struct(x, y) IGNORE NULL UPDATES ON e APPLY AS DELETE WHEN op = 'd'",
    );
    assert_eq!(names(&flow.keys), ["a", "b"]);
    assert_eq!(flow.source.text, "SELECT * FROM STREAM(src)");
    assert_eq!(flow.source.query.to_string(), "SELECT * FROM src");
    assert_eq!(flow.source.streams.len(), 1);
    let Some(ColumnSelection::Except(except)) = &flow.track_history_on else { panic!("{flow:?}") };
    assert_eq!(names(except), ["c", "d"]);
    let Some(IgnoreNullUpdates::On(ColumnSelection::Only(only))) = &flow.ignore_null_updates else {
        panic!("{flow:?}")
    };
    assert_eq!(names(only), ["e"]);
    assert_eq!(flow.stored_as, Some(ScdType::Type2));
    assert!(!flow.once);
    let flow = auto_cdc("FROM src KEYS a APPLY AS TRUNCATE WHEN op = 't' SEQUENCE BY x STORED AS SCD TYPE 1");
    assert_eq!(flow.apply_as_truncate_when.map(|when| when.text).as_deref(), Some("op = 't'"));
}

#[test]
fn a_bare_source_becomes_a_query_that_can_be_read_again() {
    let flow = auto_cdc("FROM STREAM a.`b c` WITH (readChangeFeed = true)\n KEYS (id) SEQUENCE BY v");
    assert_eq!(flow.source.text, "SELECT * FROM STREAM a.`b c` WITH (readChangeFeed = true)");
    let again = crate::parse_query(&flow.source.text).expect("the text parses");
    assert_eq!(again.query.to_string(), flow.source.query.to_string());
    assert_eq!(again.streams[0].options, flow.source.streams[0].options);
    assert_eq!(auto_cdc("FROM src KEYS (id) SEQUENCE BY v").source.streams, []);
    assert_eq!(auto_cdc("FROM src KEYS (id) SEQUENCE BY v").stored_as, None);
}

#[test]
fn flows_of_their_own() {
    for text in [
        "CREATE FLOW f AS AUTO CDC INTO a.t FROM STREAM src KEYS (id) SEQUENCE BY v",
        "CREATE FLOW f COMMENT 'c' AS APPLY CHANGES INTO a.t FROM STREAM src KEYS (id) SEQUENCE BY v",
    ] {
        let flow = expect_statement!(text, Statement::CreateFlow);
        assert_eq!((flow.name.parts, flow.target.parts), (vec!["f".to_owned()], vec!["a".to_owned(), "t".to_owned()]));
        assert!(matches!(flow.flow.body, FlowBody::AutoCdc(_)));
        assert!(parse_flow(&flow.flow.text).is_ok(), "{}", flow.flow.text);
    }
    let flow = expect_statement!("APPLY CHANGES INTO t FROM src KEYS (id) SEQUENCE BY v", Statement::CreateFlow);
    assert_eq!(flow.name, flow.target);
    assert!(parse_flow(&flow.flow.text).is_ok(), "{}", flow.flow.text);
    let flow = expect_statement!(
        "CREATE FLOW f AS INSERT INTO t BY NAME REPLACE WHERE day >= 3 SELECT * FROM s",
        Statement::CreateFlow
    );
    let FlowBody::ReplaceWhere(body) = &flow.flow.body else { panic!("{flow:?}") };
    assert_eq!((body.predicate.text.as_str(), body.query.text.as_str()), ("day >= 3", "SELECT * FROM s"));
    assert!(parse_flow(&flow.flow.text).is_ok(), "{}", flow.flow.text);
    let flow = expect_statement!("CREATE FLOW f AS INSERT INTO ONCE t BY NAME SELECT * FROM s", Statement::CreateFlow);
    assert!(matches!(flow.flow.body, FlowBody::Append(AppendFlow { once: true, .. })));
}

#[test]
fn inline_replace_where_and_append_flows() {
    let text = "CREATE OR REFRESH STREAMING TABLE t (a INT, CONSTRAINT c EXPECT (a > 0) ON VIOLATION DROP ROW)
      COMMENT 'x' TBLPROPERTIES ('k' = 'v') CLUSTER BY (a) SCHEDULE CRON '0 0 * * * ?' AT TIME ZONE 'UTC'
      FLOW REPLACE WHERE a >= 3 BY NAME SELECT a FROM s WHERE b";
    let table = expect_statement!(text, Statement::CreateStreamingTable);
    assert_eq!(table.columns.len(), 1);
    assert_eq!(table.expectations[0].on_violation, OnViolation::DropRow);
    assert_eq!(table.expectations[0].condition.text, "a > 0");
    assert!(matches!(table.layout, Layout::ClusterBy(ref columns) if columns.len() == 1));
    assert!(matches!(table.schedule, Some(Schedule::Cron { time_zone: Some(_), .. })));
    let FlowBody::ReplaceWhere(flow) = table.flow.expect("a flow").body else { panic!("another flow") };
    assert_eq!((flow.predicate.text.as_str(), flow.query.text.as_str()), ("a >= 3", "SELECT a FROM s WHERE b"));

    let table =
        expect_statement!("CREATE STREAMING TABLE t AS SELECT * FROM STREAM(s)", Statement::CreateStreamingTable);
    let Some(Flow { body: FlowBody::Append(flow), text, .. }) = table.flow else { panic!("another flow") };
    assert_eq!((flow.query.streams.len(), text.as_str()), (1, "AS SELECT * FROM STREAM(s)"));
    assert!(parse_flow(&text).is_ok());
    assert!(expect_statement!("CREATE STREAMING TABLE t", Statement::CreateStreamingTable).flow.is_none());
}

#[test]
fn materialized_views_and_refreshes() {
    let text = "CREATE OR REPLACE MATERIALIZED VIEW v (a COMMENT 'x') REFRESH POLICY INCREMENTAL STRICT SCHEDULE EVERY 2 HOURS AS SELECT 1 AS a";
    let view = expect_statement!(text, Statement::CreateMaterializedView);
    assert_eq!(view.refresh_policy.as_deref(), Some("INCREMENTAL STRICT"));
    assert_eq!(view.schedule, Some(Schedule::Every { count: 2, unit: IntervalUnit::Hour }));
    assert_eq!(view.query.text, "SELECT 1 AS a");

    let refresh = expect_statement!("REFRESH STREAMING TABLE t FULL", Statement::Refresh);
    assert_eq!((refresh.target, refresh.full), (RefreshTarget::StreamingTable, true));
    let refresh = expect_statement!("REFRESH MATERIALIZED VIEW a.b.v", Statement::Refresh);
    assert_eq!(refresh.target, RefreshTarget::MaterializedView);
    let refresh = expect_statement!("REFRESH t WHERE day = 1", Statement::Refresh);
    assert_eq!(refresh.predicate.map(|predicate| predicate.text).as_deref(), Some("day = 1"));
}

#[test]
fn mistakes_in_auto_cdc_have_their_conditions() {
    let prefix = "CREATE STREAMING TABLE t FLOW AUTO CDC FROM src ";
    for (clauses, condition, part) in [
        ("KEYS (id) APPLY AS DELETE WHEN d", "MISSING_CLAUSES_FOR_OPERATION", "SEQUENCE BY"),
        ("KEYS () SEQUENCE BY v", "AUTOCDC_EMPTY_KEYS", "key"),
        ("SEQUENCE BY v", "AUTOCDC_EMPTY_KEYS", "key"),
        ("KEYS (a.b) SEQUENCE BY v", "AUTOCDC_MULTIPART_COLUMN_IDENTIFIER", "a.b"),
        ("KEYS (upper(a)) SEQUENCE BY v", "AUTOCDC_NON_COLUMN_IDENTIFIER", "upper(a)"),
        ("KEYS (id) SEQUENCE BY v SEQUENCE BY w", "DUPLICATE_CLAUSES", "SEQUENCE BY"),
        ("KEYS (id) SEQUENCE BY v COLUMNS (a) COLUMNS * EXCEPT (b)", "DUPLICATE_CLAUSES", "COLUMNS"),
        (
            "KEYS (id) SEQUENCE BY v TRACK HISTORY ON (a) TRACK HISTORY ON * EXCEPT (b)",
            "DUPLICATE_CLAUSES",
            "TRACK HISTORY",
        ),
        ("KEYS (id) KEYS (id) SEQUENCE BY v", "DUPLICATE_CLAUSES", "KEYS"),
        ("KEYS (id) SEQUENCE BY v TRACK HISTORY ON (a)", "AUTOCDC_TRACK_HISTORY_REQUIRES_SCD2", "type 2"),
        ("KEYS (id) APPLY AS TRUNCATE WHEN t SEQUENCE BY v STORED AS SCD TYPE 2", "TRUNCATE_REQUIRES_SCD1", "type 1"),
        ("KEYS (id) SEQUENCE BY v STORED AS SCD TYPE 3", "UNSUPPORTED_SCD_TYPE", "3"),
        ("KEYS (id) IGNORE NULL UPDATES ON () SEQUENCE BY v", "AUTOCDC_IGNORE_NULL_EMPTY_COLUMN_LIST", "column"),
        ("KEYS (id) SEQUENCE BY v SOMETHING ELSE", "PARSE_SYNTAX_ERROR", "SOMETHING"),
        ("KEYS (id) SEQUENC BY v", "PARSE_SYNTAX_ERROR", "SEQUENCE?"),
    ] {
        let diagnostic = refused(&format!("{prefix}{clauses}"));
        assert_eq!(diagnostic.class.condition, condition, "{clauses}: {diagnostic}");
        assert!(diagnostic.message.contains(part), "{clauses}: {diagnostic}");
        assert!(diagnostic.span.is_some(), "{clauses}");
    }
    let scd = refused(&format!("{prefix}KEYS (id) SEQUENCE BY v STORED AS SCD TYPE 3"));
    assert!(scd.message.contains('1') && scd.message.contains('2'));
}

#[test]
fn schedules_are_checked() {
    assert!(refused("CREATE STREAMING TABLE t SCHEDULE EVERY 0 DAYS").message.contains("from 1"));
    assert!(refused("CREATE STREAMING TABLE t SCHEDULE EVERY 1 FORTNIGHT").hint.expect("a hint").contains("DAYS"));
    assert_eq!(
        refused("CREATE STREAMING TABLE t SCHEDULE EVERY 1 DAY SCHEDULE EVERY 2 DAYS").class.condition,
        "DUPLICATE_CLAUSES"
    );
    parsed("ALTER STREAMING TABLE t ADD SCHEDULE EVERY 1 WEEK");
}
