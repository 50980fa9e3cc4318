use super::*;
use crate::spec::ColumnSelection;

fn resolve(change: impl FnOnce(&mut AutoCdcSpec), key_type: DataType, sequence_type: &DataType) -> ResolvedSpec {
    let source = Schema::new(vec![
        Field::new("id", key_type, true),
        Field::new("org", DataType::Utf8, true),
        Field::new("name", DataType::Utf8, true),
    ]);
    let mut spec = AutoCdcSpec {
        keys: vec!["id".into()],
        sequence_by: Some("seq".into()),
        scd_type: ScdType::Type2,
        ..AutoCdcSpec::default()
    };
    change(&mut spec);
    spec.resolve(&source, sequence_type).unwrap()
}

#[test]
fn changed_definitions_need_a_full_refresh() {
    let int = DataType::Int64;
    let previous = resolve(|_| {}, int.clone(), &int).definition();
    let track_name = |spec: &mut AutoCdcSpec| spec.track_history_on = Some(ColumnSelection::Only(vec!["name".into()]));
    let changed = [
        (resolve(|spec| spec.keys.push("org".into()), int.clone(), &int), classes::KEY_SCHEMA_DRIFT),
        (resolve(|_| {}, DataType::Utf8, &int), classes::KEY_SCHEMA_DRIFT),
        (resolve(|spec| spec.scd_type = ScdType::Type1, int.clone(), &int), classes::SCD_TYPE_DRIFT),
        (resolve(|_| {}, int.clone(), &DataType::Utf8), classes::SEQUENCING_TYPE_DRIFT),
        (resolve(track_name, int.clone(), &int), classes::TRACK_HISTORY_DRIFT),
    ];
    for (spec, class) in changed {
        assert_eq!(spec.check_drift(&previous).unwrap_err().class, class);
    }
    resolve(|_| {}, int.clone(), &int).check_drift(&previous).unwrap();
}

#[test]
fn the_order_of_keys_and_the_case_of_names_are_no_drift() {
    let int = DataType::Int64;
    let previous = resolve(|spec| spec.keys = vec!["ID".into(), "org".into()], int.clone(), &int).definition();
    resolve(|spec| spec.keys = vec!["ORG".into(), "id".into()], int.clone(), &int).check_drift(&previous).unwrap();
}

#[test]
fn lost_columns_stay_behind_the_others() {
    let lost = [Arc::new(Field::new("city", DataType::Utf8, true)), Arc::new(Field::new("NAME", DataType::Utf8, true))];
    let spec = resolve(|spec| spec.scd_type = ScdType::Type1, DataType::Int64, &DataType::Int64);
    let spec = spec.with_lost_columns(&lost).unwrap();
    let names: Vec<&str> = spec.target_schema().fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["id", "org", "name", "city"]);
    assert_eq!(spec.source_schema().fields().len(), 3);
}
