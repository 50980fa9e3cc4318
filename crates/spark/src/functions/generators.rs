//! Generators: functions that give a row several rows. Here each gives a list of structs, one for a row; the planner
//! of relations makes rows of it.

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields};
use datafusion::common::{Result, ScalarValue};

use super::row::{Arg, Definition, Returns, fail, item_type, lenient, list_of, variadic, wrong_number, wrong_type};
use super::value::{entries, integer, item_values, of_fields, of_int, of_items, scalars};

/// What stands before the name of a generator that the lowering has found.
const MARK: char = '\u{1}';
/// Most rows that `stack` makes of one.
const STACK_ROWS_MAX: i64 = 10_000;

pub(super) static FUNCTIONS: &[Definition] = &[
    lenient(
        "\u{1}explode",
        &[Arg::Any],
        1,
        Returns::Of(|fields, _| exploded(fields, "explode", false)),
        |values, to| rows(values, to, false),
    ),
    lenient(
        "\u{1}posexplode",
        &[Arg::Any],
        1,
        Returns::Of(|fields, _| exploded(fields, "posexplode", true)),
        |values, to| rows(values, to, true),
    ),
    lenient("\u{1}inline", &[Arg::Any], 1, Returns::Of(inlined), |values, _| {
        Ok(values.first().cloned().unwrap_or(ScalarValue::Null))
    }),
    STACK,
];

const STACK: Definition = variadic("\u{1}stack", &[Arg::Any], 2, Returns::Of(stacked), stack);

/// The definition of `stack`.
pub(super) fn stack_definition() -> &'static Definition {
    static DEFINITION: Definition = STACK;
    &DEFINITION
}

/// A list that is NULL or empty as a list of one NULL, so that its row stays.
pub(super) static OUTER: Definition =
    lenient("\u{1}outer", &[Arg::Any], 1, Returns::Argument(0), |values, to| match values.first() {
        Some(list) if !list.is_null() && !item_values(values, 0)?.is_empty() => Ok(list.clone()),
        _ => of_items(vec![ScalarValue::try_from(item_type(to).unwrap_or(DataType::Null))?], to),
    });

/// The name by which the planner knows a generator, and whether it keeps rows without any value (`explode_outer`).
pub fn generator(name: &str) -> Option<(String, bool)> {
    let (plain, is_outer) = match name.strip_suffix("_outer") {
        Some(plain) if plain != "stack" && plain != "json_tuple" => (plain, true),
        _ => (name, false),
    };
    match plain {
        "explode" | "posexplode" | "inline" | "stack" => Some((format!("{MARK}{plain}"), is_outer)),
        "json_tuple" => Some((plain.to_owned(), is_outer)),
        _ => None,
    }
}

fn column(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, true)
}

fn rows_of(columns: Vec<Field>) -> DataType {
    list_of(DataType::Struct(Fields::from(columns)))
}

fn exploded(fields: &[FieldRef], name: &str, has_position: bool) -> Result<DataType> {
    let mut columns = Vec::new();
    if has_position {
        columns.push(column("pos", DataType::Int32));
    }
    match fields.first().map(|field| field.data_type()) {
        Some(DataType::List(item)) => columns.push(item.as_ref().clone().with_name("col").with_nullable(true)),
        Some(DataType::Map(pairs, _)) => {
            if let DataType::Struct(pair) = pairs.data_type() {
                let named = pair.iter().zip(["key", "value"]);
                columns.extend(named.map(|(field, name)| field.as_ref().clone().with_name(name).with_nullable(true)));
            }
        }
        other => return Err(wrong_type(name, 1, other.unwrap_or(&DataType::Null))),
    }
    Ok(rows_of(columns))
}

fn inlined(fields: &[FieldRef], _: &[Option<&ScalarValue>]) -> Result<DataType> {
    match fields.first().map(|field| field.data_type()) {
        Some(list @ DataType::List(item)) if matches!(item.data_type(), DataType::Struct(_)) => Ok(list.clone()),
        other => Err(wrong_type("inline", 1, other.unwrap_or(&DataType::Null))),
    }
}

fn stacked(fields: &[FieldRef], constants: &[Option<&ScalarValue>]) -> Result<DataType> {
    let n_rows = match constants.first().copied().flatten() {
        Some(value) => integer(std::slice::from_ref(value), 0)?,
        None => {
            return Err(fail(
                "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                "42K09",
                "The number of rows of `stack` must be a literal.",
            ));
        }
    };
    if !(1..=STACK_ROWS_MAX).contains(&n_rows) {
        return Err(fail(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            "42K09",
            format!("The number of rows of `stack` goes from 1 to {STACK_ROWS_MAX}, and not {n_rows}."),
        ));
    }
    let values: Vec<&DataType> = fields.iter().skip(1).map(|field| field.data_type()).collect();
    if values.is_empty() {
        return Err(wrong_number("stack", "> 1", fields.len()));
    }
    let n_columns = values.len().div_ceil(usize::try_from(n_rows).unwrap_or(1));
    let mut columns = Vec::with_capacity(n_columns);
    for index in 0..n_columns {
        let given: Vec<DataType> = values.iter().skip(index).step_by(n_columns).map(|one| (*one).clone()).collect();
        let known: Vec<DataType> = given.iter().filter(|one| !one.is_null()).cloned().collect();
        if known.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(fail(
                "DATATYPE_MISMATCH.STACK_COLUMN_DIFF_TYPES",
                "42K09",
                format!("The values of column {index} of `stack` must be of one type."),
            ));
        }
        columns.push(column(&format!("col{index}"), known.into_iter().next().unwrap_or(DataType::Null)));
    }
    Ok(rows_of(columns))
}

/// The elements of an array, or the pairs of a map, each as a row.
fn rows(values: &[ScalarValue], to: &DataType, has_position: bool) -> Result<ScalarValue> {
    let Some(row_type) = item_type(to) else { return Ok(ScalarValue::Null) };
    let members: Vec<Vec<ScalarValue>> = match values.first() {
        None => return ScalarValue::try_from(to),
        Some(value) if value.is_null() => return ScalarValue::try_from(to),
        Some(ScalarValue::Map(_)) => {
            let (keys, found) = entries(values, 0)?;
            let pairs = scalars(&keys)?.into_iter().zip(scalars(&found)?);
            pairs.map(|(key, value)| vec![key, value]).collect()
        }
        Some(_) => item_values(values, 0)?.into_iter().map(|value| vec![value]).collect(),
    };
    let mut made = Vec::with_capacity(members.len());
    for (position, mut members) in members.into_iter().enumerate() {
        if has_position {
            members.insert(0, of_int(i64::try_from(position).unwrap_or(i64::MAX)));
        }
        made.push(of_fields(members, &row_type)?);
    }
    of_items(made, to)
}

fn stack(values: &[ScalarValue], to: &DataType) -> Result<ScalarValue> {
    let Some(row_type @ DataType::Struct(_)) = item_type(to) else { return Ok(ScalarValue::Null) };
    let n_columns = match &row_type {
        DataType::Struct(columns) => columns.len(),
        _ => 1,
    };
    let n_rows = usize::try_from(integer(values, 0)?).unwrap_or(1);
    let mut members = values.iter().skip(1).cloned();
    let mut made = Vec::with_capacity(n_rows);
    for _ in 0..n_rows {
        let row: Vec<ScalarValue> = (0..n_columns).map(|_| members.next().unwrap_or(ScalarValue::Null)).collect();
        made.push(of_fields(row, &row_type)?);
    }
    of_items(made, to)
}
