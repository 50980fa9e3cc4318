use std::sync::Arc;

use arrow_array::builder::{Int32Builder, MapBuilder, StringBuilder};
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    DurationMicrosecondArray, Float32Array, Float64Array, Int64Array, IntervalMonthDayNanoArray,
    IntervalYearMonthArray, ListArray, NullArray, RecordBatch, StringArray, StringViewArray, StructArray,
    TimestampMicrosecondArray, TimestampNanosecondArray, UInt64Array,
};
use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use serde_json::json;

use super::*;

#[test]
fn simple_strings_round_trip() {
    for text in [
        "tinyint",
        "smallint",
        "int",
        "bigint",
        "float",
        "double",
        "boolean",
        "string",
        "binary",
        "date",
        "timestamp",
        "timestamp_ntz",
        "void",
        "decimal(10,2)",
        "decimal(38,0)",
        "array<int>",
        "map<string,array<double>>",
        "struct<a:int,b:struct<c:string>>",
        "array<interval day to hour>",
        "map<int,interval month>",
        "time(6)",
        "interval day to second",
        "interval year to month",
        "struct<>",
    ] {
        assert_eq!(simple_string(&parse_type(text).unwrap()), text);
        let upper = parse_type(&text.to_uppercase().replace(":B", ": b")).unwrap();
        assert_eq!(simple_string(&upper).to_lowercase(), text);
        let data_type = parse_type(text).unwrap();
        assert_eq!(canonical_type(&data_type), data_type);
        assert_eq!(type_from_json(&type_to_json(&data_type)).unwrap(), data_type);
    }
}

#[test]
fn synonyms_and_sql_forms_are_read() {
    for (text, simple) in [
        ("INTEGER", "int"),
        ("long", "bigint"),
        ("BYTE", "tinyint"),
        ("Short", "smallint"),
        ("real", "float"),
        ("dec", "decimal(10,0)"),
        ("NUMERIC(5)", "decimal(5,0)"),
        ("varchar(10)", "string"),
        ("timestamp_ltz", "timestamp"),
        ("STRUCT<`a b`: INT NOT NULL COMMENT 'it''s', c STRING>", "struct<a b:int,c:string>"),
        ("ARRAY< MAP<STRING , INT> >", "array<map<string,int>>"),
    ] {
        assert_eq!(simple_string(&parse_type(text).unwrap()), simple, "{text}");
    }
    let field = parse_field("c", "VARCHAR(10)", true).unwrap();
    assert_eq!(field.metadata()[CHAR_LENGTH_KEY], "varchar(10)");
    assert_eq!(field_simple_string(&parse_field("i", "INTERVAL DAY", true).unwrap()), "interval day");
}

#[test]
fn what_is_no_type_is_a_named_error() {
    let condition = |text: &str| parse_type(text).unwrap_err().class.condition;
    assert_eq!(condition("TEXT"), "UNSUPPORTED_DATATYPE");
    assert_eq!(parse_type("strnig").unwrap_err().hint.as_deref(), Some("Did you mean STRING?"));
    assert_eq!(condition("DECIMAL(39,2)"), "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION");
    for text in ["", "array", "array<int", "decimal(2,5)", "int int", "struct<a>", "interval hour to day", "decimal(x)"]
    {
        assert!(parse_type(text).is_err(), "{text}");
    }
    assert_eq!(condition("CHAR"), "DATATYPE_MISSING_SIZE");
    let deep = format!("{}int{}", "array<".repeat(61), ">".repeat(61));
    assert_eq!(condition(&deep), "LAKELET_LIMIT_EXCEEDED");
    let deep = format!("{}int{}", "array<".repeat(60), ">".repeat(60));
    assert!(parse_type(&deep).is_ok());
}

#[test]
fn sql_names_are_those_of_error_messages() {
    for (simple, sql) in [
        ("int", "INT"),
        ("decimal(10,2)", "DECIMAL(10,2)"),
        ("array<int>", "ARRAY<INT>"),
        ("map<string,int>", "MAP<STRING, INT>"),
        ("struct<a:int,B c:string>", "STRUCT<a: INT, `B c`: STRING>"),
        ("interval day to second", "INTERVAL DAY TO SECOND"),
    ] {
        let data_type = parse_type(&simple.replace("B c", "`B c`")).unwrap();
        assert_eq!(sql_name(&data_type), sql);
    }
}

#[test]
fn operators_types_have_spark_names() {
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    for (data_type, simple) in [
        (DataType::Utf8View, "string"),
        (DataType::LargeUtf8, "string"),
        (DataType::UInt64, "bigint"),
        (DataType::Timestamp(TimeUnit::Nanosecond, Some("+00:00".into())), "timestamp"),
        (dictionary, "string"),
        (DataType::Decimal256(40, 2), "decimal(38,2)"),
        (DataType::LargeList(Arc::new(Field::new("x", DataType::BinaryView, false))), "array<binary>"),
    ] {
        assert_eq!(simple_string(&data_type), simple);
        assert_eq!(simple_string(&canonical_type(&data_type)), simple);
    }
}

#[test]
fn doubles_print_as_in_java() {
    for (value, text) in [
        (1.0, "1.0"),
        (1.5e10, "1.5E10"),
        (0.001, "0.001"),
        (1e-5, "1.0E-5"),
        (1_234_567.0, "1234567.0"),
        (12_345_678.0, "1.2345678E7"),
        (1e7, "1.0E7"),
        (9_999_999.5, "9999999.5"),
        (-0.0, "-0.0"),
        (0.0, "0.0"),
        (f64::NAN, "NaN"),
        (f64::NEG_INFINITY, "-Infinity"),
        (-0.012_34, "-0.01234"),
        (100.0, "100.0"),
        (123.456, "123.456"),
        (f64::MAX, "1.7976931348623157E308"),
        (1e20, "1.0E20"),
    ] {
        assert_eq!(double_text(value), text);
    }
    assert_eq!(float_text(0.1), "0.1");
    assert_eq!(float_text(3.4e38), "3.4E38");
}

fn check(array: impl Array + 'static, text: &str, json: serde_json::Value) {
    let array: ArrayRef = Arc::new(array);
    assert_eq!(cell_text(&array, 0).as_deref(), Some(text));
    assert_eq!(cell_json(&array, 0), json);
    assert_eq!(cell_text(&array, 9), None);
}

#[test]
fn scalars_have_text_and_json() {
    check(BooleanArray::from(vec![true]), "true", json!(true));
    check(Int64Array::from(vec![9_007_199_254_740_993]), "9007199254740993", json!("9007199254740993"));
    check(Int64Array::from(vec![9_007_199_254_740_992]), "9007199254740992", json!(9_007_199_254_740_992_i64));
    check(Int64Array::from(vec![i64::MIN]), "-9223372036854775808", json!("-9223372036854775808"));
    check(UInt64Array::from(vec![u64::MAX]), "18446744073709551615", json!("18446744073709551615"));
    let decimal = |unscaled, precision, scale| {
        Decimal128Array::from(vec![unscaled]).with_precision_and_scale(precision, scale).unwrap()
    };
    check(decimal(110, 3, 2), "1.10", json!("1.10"));
    check(decimal(-5, 10, 4), "-0.0005", json!("-0.0005"));
    check(decimal(0, 10, 0), "0", json!("0"));
    check(Float32Array::from(vec![0.1]), "0.1", json!(0.1));
    check(Float64Array::from(vec![f64::NAN]), "NaN", json!("NaN"));
    check(BinaryArray::from(vec![b"kelp".as_slice()]), "kelp", json!("6b656c70"));
    check(Date32Array::from(vec![19_782]), "2024-02-29", json!("2024-02-29"));
    check(Date32Array::from(vec![i32::MAX]), "+5881580-07-11", json!("+5881580-07-11"));
    check(StringViewArray::from(vec!["a"]), "a", json!("a"));
    let micros = 1_709_168_523_123_450;
    let instant = TimestampMicrosecondArray::from(vec![micros]);
    check(instant.clone().with_timezone("UTC"), "2024-02-29 01:02:03.12345", json!("2024-02-29T01:02:03.123450Z"));
    check(instant, "2024-02-29 01:02:03.12345", json!("2024-02-29T01:02:03.123450"));
    check(
        TimestampNanosecondArray::from(vec![-1]).with_timezone("+00:00"),
        "1969-12-31 23:59:59.999999",
        json!("1969-12-31T23:59:59.999999Z"),
    );
    let keys: DictionaryArray<Int32Type> = vec!["x"].into_iter().collect();
    check(keys, "x", json!("x"));
    let null: ArrayRef = Arc::new(NullArray::new(1));
    assert_eq!((cell_text(&null, 0), cell_json(&null, 0)), (None, json!(null)));
}

#[test]
fn json_numbers_keep_their_text() {
    let text = |array: &dyn Array| cell_json(array, 0).to_string();
    assert_eq!(text(&Float64Array::from(vec![5.0])), "5.0");
    assert_eq!(text(&Float64Array::from(vec![-0.0])), "-0.0");
    assert_eq!(text(&Float32Array::from(vec![0.3])), "0.3");
    assert_eq!(cell_json(&Float64Array::from(vec![1e300]), 0).as_f64(), Some(1e300));
}

#[test]
fn intervals_print_their_units() {
    let units = |text: &str| parse_field("i", text, true).unwrap();
    let day_time = |text: &str, micros: i64| {
        field_cell_text(&units(text), &DurationMicrosecondArray::from(vec![micros]), 0).unwrap()
    };
    let hour = 3_600_000_000;
    assert_eq!(day_time("interval day", 5 * 24 * hour), "INTERVAL '5' DAY");
    assert_eq!(day_time("interval day to hour", 60 * hour), "INTERVAL '2 12' DAY TO HOUR");
    assert_eq!(day_time("interval day to second", 30 * hour), "INTERVAL '1 06:00:00' DAY TO SECOND");
    assert_eq!(day_time("interval hour", -5 * hour), "INTERVAL '-05' HOUR");
    assert_eq!(day_time("interval minute to second", 61_500_000), "INTERVAL '01:01.5' MINUTE TO SECOND");
    assert_eq!(day_time("interval day to second", i64::MIN), "INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND");
    let months = IntervalYearMonthArray::from(vec![-15]);
    assert_eq!(field_cell_json(&units("interval month"), &months, 0), json!("INTERVAL '-15' MONTH"));
    assert_eq!(cell_json(&months, 0), json!("INTERVAL '-1-3' YEAR TO MONTH"));
    let calendar = IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(14, 3, 3_606_500_000_000)]);
    assert_eq!(cell_text(&calendar, 0).unwrap(), "1 years 2 months 3 days 1 hours 6.5 seconds");
}

#[test]
fn nested_values_have_text_and_json() {
    let list = ListArray::from_iter_primitive::<Int64Type, _, _>(vec![Some(vec![Some(1), None, Some(3)])]);
    check(list, "[1, null, 3]", json!([1, null, 3]));
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for (key, value) in [("b", Some(2)), ("a", None)] {
        map.keys().append_value(key);
        map.values().append_option(value);
    }
    map.append(true).unwrap();
    check(map.finish(), "{b -> 2, a -> null}", json!([["a", null], ["b", 2]]));
    let record = StructArray::from(vec![
        (Arc::new(Field::new("a", DataType::Int64, true)), Arc::new(Int64Array::from(vec![1])) as ArrayRef),
        (Arc::new(Field::new("b", DataType::Utf8, true)), Arc::new(StringArray::from(vec!["x"])) as ArrayRef),
    ]);
    check(record, "{1, x}", json!({"a": 1, "b": "x"}));
}

#[test]
fn batches_come_to_canonical_types() {
    let schema = Schema::new(vec![
        Field::new("s", DataType::Utf8View, false),
        Field::new("t", DataType::Timestamp(TimeUnit::Nanosecond, Some("+00:00".into())), true),
        Field::new("n", DataType::UInt64, true),
    ]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringViewArray::from(vec!["a"])),
        Arc::new(TimestampNanosecondArray::from(vec![1_500]).with_timezone("+00:00")),
        Arc::new(UInt64Array::from(vec![7])),
    ];
    let batch = to_canonical_batch(&RecordBatch::try_new(Arc::new(schema), columns).unwrap()).unwrap();
    assert_eq!(
        simple_string(&DataType::Struct(batch.schema().fields().clone())),
        "struct<s:string,t:timestamp,n:bigint>"
    );
    assert_eq!(batch.column(1).data_type(), &timestamp_type());
    assert!(!batch.schema().field(0).is_nullable());
    assert_eq!(cell_text(batch.column(1), 0).unwrap(), "1970-01-01 00:00:00.000001");
    let too_large: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX]));
    assert_eq!(to_canonical(&too_large).unwrap_err().class.condition, "INTERNAL_ERROR");
}

#[test]
fn fields_survive_schema_json() {
    for text in ["interval day", "array<interval hour>", "varchar(3)", "struct<`x y`: int not null, m: map<int, date>>"]
    {
        let field = parse_field("c", text, false).unwrap();
        assert_eq!(field_from_json(&field_to_json(&field)).unwrap(), field, "{text}");
    }
    assert_eq!(type_to_json(&DataType::Int32), json!("integer"));
    assert!(type_from_json(&json!({"type": "array"})).is_err());
}
