use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema};

use super::*;

fn source() -> Schema {
    let text = |name| Field::new(name, DataType::Utf8, true);
    Schema::new(vec![Field::new("Id", DataType::Int64, false), text("name"), text("City"), text("op")])
}

fn spec() -> AutoCdcSpec {
    AutoCdcSpec { keys: vec!["id".into()], sequence_by: Some("seq".into()), ..AutoCdcSpec::default() }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn error_of(spec: &AutoCdcSpec) -> Diagnostic {
    *spec.resolve(&source(), &DataType::Int64).unwrap_err()
}

#[test]
fn target_has_source_order_and_spelling_and_bounds_of_the_sequence_type() {
    let sequence = DataType::Struct(Fields::from(vec![Field::new("a", DataType::Int32, true)]));
    let spec = AutoCdcSpec {
        scd_type: ScdType::Type2,
        columns: Some(ColumnSelection::Only(names(&["CITY", "ID"]))),
        ..spec()
    };
    let resolved = spec.resolve(&source(), &sequence).unwrap();
    let fields = resolved.target_schema().fields();
    assert_eq!(
        fields.iter().map(|field| field.name().as_str()).collect::<Vec<_>>(),
        ["Id", "City", "__START_AT", "__END_AT"]
    );
    assert!(fields.iter().all(|field| field.is_nullable()));
    assert_eq!((fields[2].data_type(), fields[3].data_type()), (&sequence, &sequence));
    assert_eq!(resolved.tracked_names(), ["City"]);
    assert_eq!(resolved.key_names(), ["Id"]);
}

#[test]
fn missing_columns_are_named_with_the_available_ones() {
    let error = error_of(&AutoCdcSpec { columns: Some(ColumnSelection::Except(names(&["op", "Nmae"]))), ..spec() });
    assert_eq!(error.class, classes::COLUMNS_NOT_FOUND_IN_SCHEMA);
    assert!(error.message.contains("Nmae, not found in the source: Id, name, City, op"), "{}", error.message);
    assert_eq!(error.hint.as_deref(), Some("Did you mean name?"));
}

#[test]
fn track_history_knows_neither_keys_nor_dropped_columns() {
    for column in ["id", "op"] {
        let spec = AutoCdcSpec {
            scd_type: ScdType::Type2,
            columns: Some(ColumnSelection::Except(names(&["op"]))),
            track_history_on: Some(ColumnSelection::Only(names(&[column]))),
            ..spec()
        };
        let error = error_of(&spec);
        assert_eq!(error.class, classes::COLUMNS_NOT_FOUND_IN_SCHEMA);
        assert!(error.message.contains(column), "{}", error.message);
    }
}

#[test]
fn a_key_that_is_dropped_reads_otherwise_than_one_that_is_not_there() {
    let dropped = error_of(&AutoCdcSpec { columns: Some(ColumnSelection::Only(names(&["name"]))), ..spec() });
    let unknown = error_of(&AutoCdcSpec { keys: names(&["uid"]), ..spec() });
    assert_eq!(
        (dropped.class, unknown.class),
        (classes::KEY_NOT_IN_SELECTED_SCHEMA, classes::KEY_NOT_IN_SELECTED_SCHEMA)
    );
    assert!(dropped.message.contains("`id` is not among"), "{}", dropped.message);
    assert!(unknown.message.contains("`uid` is not a column"), "{}", unknown.message);
}

#[test]
fn truncate_needs_type_1() {
    assert!(AutoCdcSpec { has_truncate: true, ..spec() }.resolve(&source(), &DataType::Int64).is_ok());
    let error = error_of(&AutoCdcSpec { has_truncate: true, scd_type: ScdType::Type2, ..spec() });
    assert_eq!(error.class, classes::TRUNCATE_REQUIRES_SCD1);
    assert!(error.message.contains("SCD type 1"));
}

#[test]
fn types_without_order_are_refused_at_any_depth() {
    let entries =
        Fields::from(vec![Field::new("key", DataType::Utf8, false), Field::new("value", DataType::Utf8, true)]);
    let map = DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entries), false)), false);
    let list = DataType::List(Arc::new(Field::new("item", map.clone(), true)));
    let nested = DataType::Struct(Fields::from(vec![Field::new("m", list, true)]));
    for data_type in [map.clone(), nested] {
        let error = spec().resolve(&source(), &data_type).unwrap_err();
        assert_eq!(error.class, classes::NON_ORDERABLE_SEQUENCE);
    }
    let source = Schema::new(vec![Field::new("id", map, true)]);
    assert_eq!(spec().resolve(&source, &DataType::Int64).unwrap_err().class, classes::KEY_NOT_COMPARABLE);
}

#[test]
fn both_forms_of_a_list_are_one_too_many() {
    let clauses = [
        (ColumnClause::Columns, classes::BOTH_COLUMN_LISTS),
        (ColumnClause::TrackHistory, classes::BOTH_TRACK_HISTORY_LISTS),
        (ColumnClause::IgnoreNullUpdates, classes::BOTH_IGNORE_NULL_LISTS),
    ];
    for (clause, class) in clauses {
        let error = ColumnSelection::from_lists(clause, Some(names(&["a"])), Some(names(&["b"]))).unwrap_err();
        assert_eq!(error.class, class);
    }
    assert_eq!(ColumnSelection::from_lists(ColumnClause::Columns, None, None).unwrap(), None);
}

#[test]
fn a_key_named_twice_counts_once() {
    let resolved = AutoCdcSpec { keys: names(&["id", "ID"]), ..spec() }.resolve(&source(), &DataType::Int64).unwrap();
    assert_eq!(resolved.key_names(), ["Id"]);
}
