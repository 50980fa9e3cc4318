//! `value.name` and `value['key']`: a member of a struct, of a map, or of every struct in an array.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{Array, ArrayRef, AsArray, ListArray, StructArray, UInt32Array};
use datafusion::arrow::compute::{cast, take};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields};
use datafusion::common::{DataFusionError, Result, ScalarValue, exec_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use lakelet_base::{Diagnostic, ErrorClass, same_name};
use lakelet_types::sql_name;

use super::row::fail;

static MEMBER: LazyLock<Arc<ScalarUDF>> =
    LazyLock::new(|| Arc::new(ScalarUDF::from(Member { signature: Signature::any(2, Volatility::Immutable) })));

/// The function, for calls that the lowering makes.
pub(super) fn function() -> Arc<ScalarUDF> {
    Arc::clone(&MEMBER)
}

/// The member of `base` that `key` names.
pub(crate) fn member(base: Expr, key: Expr) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(function(), vec![base, key]))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Member {
    signature: Signature,
}

impl ScalarUDFImpl for Member {
    fn name(&self) -> &str {
        "spark_member"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        exec_err!("the type of a member follows from its name")
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let [base, _] = args.arg_fields else { return exec_err!("a value and a name") };
        let key = args.scalar_arguments.get(1).copied().flatten();
        let found = match base.data_type() {
            DataType::Struct(fields) => field(fields, key)?.1.as_ref().clone(),
            DataType::List(item) => match item.data_type() {
                DataType::Struct(fields) => {
                    let found = field(fields, key)?.1;
                    let item = found.as_ref().clone().with_name("item").with_nullable(true);
                    Field::new("", DataType::List(Arc::new(item)), true)
                }
                other => return Err(no_members(other)),
            },
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(fields) => match fields.get(1) {
                    Some(value) => value.as_ref().clone(),
                    None => return exec_err!("a map has values"),
                },
                _ => return exec_err!("a map has entries"),
            },
            other => return Err(no_members(other)),
        };
        Ok(Arc::new(found.with_name("member").with_nullable(true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let all_scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let n_rows = if all_scalar { 1 } else { args.number_rows };
        let [base, key] = args.args.as_slice() else { return exec_err!("a value and a name") };
        let base = base.clone().into_array(n_rows)?;
        let found = match (base.data_type(), key) {
            (DataType::Struct(fields), ColumnarValue::Scalar(key)) => {
                let index = field(fields, Some(key))?.0;
                with_nulls_of(base.as_struct(), index)?
            }
            (DataType::List(item), ColumnarValue::Scalar(key)) => {
                let DataType::Struct(fields) = item.data_type() else { return exec_err!("no structs") };
                let (index, found) = field(fields, Some(key))?;
                let lists = base.as_list::<i32>();
                let values = with_nulls_of(lists.values().as_struct(), index)?;
                let item = Arc::new(found.as_ref().clone().with_name("item").with_nullable(true));
                Arc::new(ListArray::try_new(item, lists.offsets().clone(), values, lists.nulls().cloned())?)
            }
            (DataType::Map(..), key) => map_values(&base, &key.clone().into_array(n_rows)?)?,
            _ => return exec_err!("no members"),
        };
        if all_scalar {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&found, 0)?));
        }
        Ok(ColumnarValue::Array(found))
    }
}

/// A NULL struct has NULL members.
fn with_nulls_of(structs: &StructArray, index: usize) -> Result<ArrayRef> {
    let column = Arc::clone(structs.column(index));
    let Some(nulls) = structs.nulls() else { return Ok(column) };
    let places: UInt32Array =
        (0..structs.len()).map(|row| if nulls.is_valid(row) { u32::try_from(row).ok() } else { None }).collect();
    Ok(take(&column, &places, None)?)
}

fn map_values(maps: &ArrayRef, keys: &ArrayRef) -> Result<ArrayRef> {
    let maps = maps.as_map();
    let keys = cast(keys, maps.keys().data_type())?;
    let offsets = maps.value_offsets();
    let mut places: Vec<Option<u32>> = Vec::with_capacity(maps.len());
    for row in 0..maps.len() {
        let mut found = None;
        if maps.is_valid(row) && keys.is_valid(row) {
            let wanted = keys.slice(row, 1);
            for place in offsets[row]..offsets[row + 1] {
                let Ok(place) = usize::try_from(place) else { continue };
                if maps.keys().slice(place, 1).to_data() == wanted.to_data() {
                    found = u32::try_from(place).ok();
                }
            }
        }
        places.push(found);
    }
    Ok(take(maps.values(), &UInt32Array::from(places), None)?)
}

fn field<'a>(fields: &'a Fields, key: Option<&ScalarValue>) -> Result<(usize, &'a FieldRef)> {
    let Some(ScalarValue::Utf8(Some(name))) = key else {
        return Err(DataFusionError::External(Box::new(Diagnostic::new(
            ErrorClass::new("INVALID_EXTRACT_FIELD_TYPE", "42000"),
            "Field name should be a non-null string literal.",
        ))));
    };
    let mut matching = fields.iter().enumerate().filter(|(_, field)| same_name(field.name(), name));
    match (matching.next(), matching.next()) {
        (Some(found), None) => Ok(found),
        (Some(_), Some(_)) => Err(fail(
            "AMBIGUOUS_REFERENCE_TO_FIELDS",
            "42000",
            format!("Ambiguous reference to the field `{name}`. It appears several times in the schema."),
        )),
        (None, _) => {
            let known: Vec<String> = fields.iter().map(|field| format!("`{}`", field.name())).collect();
            Err(fail("FIELD_NOT_FOUND", "42704", format!("No such struct field `{name}` in {}.", known.join(", "))))
        }
    }
}

fn no_members(found: &DataType) -> DataFusionError {
    fail(
        "INVALID_EXTRACT_BASE_FIELD_TYPE",
        "42000",
        format!(
            "Can't extract a value from this. Need a complex type [STRUCT, ARRAY, MAP] but got \"{}\".",
            sql_name(found)
        ),
    )
}
