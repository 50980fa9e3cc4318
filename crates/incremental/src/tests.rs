//! What is let through and what is not.

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::logical_plan::table_scan;
use datafusion::logical_expr::{JoinType, LogicalPlanBuilder, col, lit};

use super::{Incrementality, analyze};

fn scan(name: &str) -> LogicalPlanBuilder {
    let schema =
        Schema::new(vec![Field::new("id", DataType::Int32, true), Field::new("category", DataType::Utf8, true)]);
    table_scan(Some(name), &schema, None).unwrap()
}

#[test]
fn a_filtered_aggregate_is_recomputed_by_group() {
    let plan = scan("t")
        .filter(col("id").gt(lit(1)))
        .and_then(|plan| plan.aggregate([col("category")], [count(col("id")).alias("n")]))
        .and_then(|plan| plan.project([col("n"), col("category").alias("kind")]))
        .unwrap()
        .build()
        .unwrap();
    assert_eq!(analyze(&plan), Incrementality::Groups { keys: vec![1] });
}

#[test]
fn a_group_that_is_not_shown_needs_everything() {
    let plan = scan("t")
        .aggregate([col("category")], [count(col("id")).alias("n")])
        .and_then(|plan| plan.project([col("n")]))
        .unwrap()
        .build()
        .unwrap();
    assert!(matches!(analyze(&plan), Incrementality::Full(reason) if reason.contains("GROUP BY")));
}

#[test]
fn rows_that_stand_alone_are_mapped_and_the_rest_is_recomputed() {
    let rows = scan("t").filter(col("id").gt(lit(1))).unwrap().build().unwrap();
    assert_eq!(analyze(&rows), Incrementality::Rows);
    let joined = scan("t")
        .join_on(scan("u").build().unwrap(), JoinType::Inner, [col("t.id").eq(col("u.id"))])
        .unwrap()
        .build()
        .unwrap();
    assert!(matches!(analyze(&joined), Incrementality::Full(reason) if reason.contains("join")));
    let sorted = scan("t").sort(vec![col("id").sort(true, true)]).unwrap().build().unwrap();
    assert!(matches!(analyze(&sorted), Incrementality::Full(reason) if reason.contains("ORDER BY")));
}
