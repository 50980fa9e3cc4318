//! Functions that compute one row at a time from the values of its arguments.
//!
//! A function is a [`Definition`]: what it takes, what it gives, and how one row is computed. Everything that is the same
//! for all of them, coercion, NULL, constants, errors of number and type, is here once.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::new_empty_array;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, IntervalUnit};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};
use lakelet_base::{Diagnostic, ErrorClass};

/// What an argument has to be; other types are cast to it where Spark does so by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arg {
    Any,
    /// Any type, one and the same for all arguments of this kind.
    Common,
    Text,
    Binary,
    /// BINARY stays, everything else becomes text.
    TextOrBinary,
    Boolean,
    Int,
    Long,
    Double,
    /// Any number; text becomes DOUBLE.
    Number,
    /// A number or an ANSI interval; text becomes DOUBLE.
    Size,
    Date,
    Timestamp,
    TimestampNtz,
    List,
    /// An array with elements of the same type as all other arguments of this kind and of the kind `Element`.
    SameList,
    /// A value of the type of the elements of the arguments of the kind `SameList`.
    Element,
    Map,
    /// Arrays of one type, bytes if all are bytes, else text.
    Joined,
    /// Keys and values in turn: all keys of one type, all values of another.
    KeyOrValue,
}

/// What a function gives.
#[derive(Clone, Copy)]
pub(super) enum Returns {
    Int,
    Long,
    Double,
    Boolean,
    Text,
    Binary,
    Date,
    Timestamp,
    TimestampNtz,
    TextList,
    /// The type of the argument at this place.
    Argument(usize),
    /// Follows from types and constants.
    Of(fn(&[FieldRef], &[Option<&ScalarValue>]) -> Result<DataType>),
}

/// A function of one row.
pub(super) struct Definition {
    pub name: &'static str,
    /// Kinds of its arguments.
    pub args: &'static [Arg],
    /// How many of them must be there.
    pub required: usize,
    /// Whether the last kind may be repeated without end.
    pub is_variadic: bool,
    pub returns: Returns,
    /// Whether a NULL argument makes the result NULL.
    pub is_strict: bool,
    pub call: Call,
}

type Call = fn(&[ScalarValue], &DataType) -> Result<ScalarValue>;

/// A function that is NULL where an argument is.
pub(super) const fn strict(
    name: &'static str,
    args: &'static [Arg],
    required: usize,
    returns: Returns,
    call: Call,
) -> Definition {
    Definition { name, args, required, is_variadic: false, returns, is_strict: true, call }
}

/// A function that looks at NULLs itself.
pub(super) const fn lenient(
    name: &'static str,
    args: &'static [Arg],
    required: usize,
    returns: Returns,
    call: Call,
) -> Definition {
    Definition { is_strict: false, ..strict(name, args, required, returns, call) }
}

/// A function whose last argument may be repeated; it looks at NULLs itself.
pub(super) const fn variadic(
    name: &'static str,
    args: &'static [Arg],
    required: usize,
    returns: Returns,
    call: Call,
) -> Definition {
    Definition { is_variadic: true, ..lenient(name, args, required, returns, call) }
}

/// The function as DataFusion knows it.
pub(super) fn udf(definition: &'static Definition) -> Arc<ScalarUDF> {
    let signature = Signature::one_of(vec![TypeSignature::Nullary, TypeSignature::UserDefined], Volatility::Immutable);
    Arc::new(ScalarUDF::from(RowFunction { definition, signature }))
}

/// An error of the user's.
pub(crate) fn fail(condition: &'static str, sqlstate: &'static str, message: impl Into<String>) -> DataFusionError {
    DataFusionError::External(Box::new(Diagnostic::new(ErrorClass::new(condition, sqlstate), message)))
}

/// An argument has a type that its function does not take.
pub(super) fn wrong_type(name: &str, ordinal: usize, given: &DataType) -> DataFusionError {
    fail(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        "42K09",
        format!(
            "Argument {ordinal} of `{name}` cannot be of the type \"{}\".",
            lakelet_types::simple_string(given).to_uppercase()
        ),
    )
}

/// Arguments that should have one type have several.
pub(super) fn different_types(name: &str, given: &[DataType]) -> DataFusionError {
    let listed: Vec<String> = given.iter().map(|one| format!("\"{}\"", lakelet_types::sql_name(one))).collect();
    fail(
        "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
        "42K09",
        format!("Input to `{name}` should all be the same type, but it's ({}).", listed.join(" or ")),
    )
}

/// A call has too few or too many arguments.
pub(super) fn wrong_number(name: &str, expected: &str, given: usize) -> DataFusionError {
    fail(
        "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        "42605",
        format!("The `{name}` requires {expected} parameters but the actual number is {given}."),
    )
}

/// The type of an array of `item`.
pub(super) fn list_of(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(item, true)))
}

struct RowFunction {
    definition: &'static Definition,
    signature: Signature,
}

impl std::fmt::Debug for RowFunction {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.definition.name)
    }
}

impl PartialEq for RowFunction {
    fn eq(&self, other: &Self) -> bool {
        self.definition.name == other.definition.name
    }
}

impl Eq for RowFunction {}

impl Hash for RowFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.definition.name.hash(state);
    }
}

impl RowFunction {
    fn kind(&self, index: usize) -> Option<Arg> {
        let args = self.definition.args;
        args.get(index).or_else(|| if self.definition.is_variadic { args.last() } else { None }).copied()
    }

    fn check_number(&self, given: usize) -> Result<()> {
        let Definition { name, args, required, is_variadic, .. } = *self.definition;
        if given >= required && (is_variadic || given <= args.len()) {
            return Ok(());
        }
        let expected = match (is_variadic, required == args.len()) {
            (true, _) => format!("> {}", required.saturating_sub(1)),
            (false, true) => required.to_string(),
            (false, false) => format!("[{required}..{}]", args.len()),
        };
        Err(wrong_number(name, &expected, given))
    }
}

impl ScalarUDFImpl for RowFunction {
    fn name(&self) -> &str {
        self.definition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        datafusion::common::internal_err!("the type of {} follows from its fields", self.definition.name)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.check_number(args.arg_fields.len())?;
        let common: Vec<DataType> = (0..args.arg_fields.len())
            .filter(|index| self.kind(*index) == Some(Arg::Common))
            .filter_map(|index| args.arg_fields.get(index).map(|field| field.data_type().clone()))
            .collect();
        if !common.is_empty() && common_type(&common).is_none() {
            return Err(different_types(self.definition.name, &common));
        }
        for (index, field) in args.arg_fields.iter().enumerate() {
            let fits = self.kind(index).and_then(|kind| coerced(kind, field.data_type()));
            if fits.is_none() {
                return Err(wrong_type(self.definition.name, index + 1, field.data_type()));
            }
        }
        let data_type = match self.definition.returns {
            Returns::Int => DataType::Int32,
            Returns::Long => DataType::Int64,
            Returns::Double => DataType::Float64,
            Returns::Boolean => DataType::Boolean,
            Returns::Text => DataType::Utf8,
            Returns::Binary => DataType::Binary,
            Returns::Date => DataType::Date32,
            Returns::Timestamp => lakelet_types::timestamp_type(),
            Returns::TimestampNtz => lakelet_types::timestamp_ntz_type(),
            Returns::TextList => list_of(DataType::Utf8),
            Returns::Argument(index) => {
                args.arg_fields.get(index).map_or(DataType::Null, |field| field.data_type().clone())
            }
            Returns::Of(derive) => derive(args.arg_fields, args.scalar_arguments)?,
        };
        let field = Field::new(self.definition.name, data_type, true);
        Ok(Arc::new(match self.definition.returns {
            // The units of an interval stay.
            Returns::Argument(index) => match args.arg_fields.get(index) {
                Some(argument) => field.with_metadata(argument.metadata().clone()),
                None => field,
            },
            _ => field,
        }))
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        // What does not fit stays as it is: `return_field_from_args` says so in Spark's words.
        let mut types: Vec<DataType> = arg_types
            .iter()
            .enumerate()
            .map(|(index, given)| {
                self.kind(index).and_then(|kind| coerced(kind, given)).unwrap_or_else(|| given.clone())
            })
            .collect();
        let of_kind = |types: &[DataType], kinds: &[Arg]| -> Vec<usize> {
            (0..types.len()).filter(|index| self.kind(*index).is_some_and(|kind| kinds.contains(&kind))).collect()
        };
        let common = of_kind(&types, &[Arg::Common]);
        let given: Vec<DataType> = common.iter().map(|index| types[*index].clone()).collect();
        if let Some(common_type) = common_type(&given) {
            common.iter().for_each(|index| types[*index] = common_type.clone());
        }
        let joined = of_kind(&types, &[Arg::Joined]);
        let given: Vec<DataType> = joined.iter().map(|index| types[*index].clone()).collect();
        let together = if given.iter().any(DataType::is_nested) {
            common_type(&given)
        } else if given.iter().all(|one| matches!(one, DataType::Binary)) {
            None
        } else {
            Some(DataType::Utf8)
        };
        if let Some(together) = together {
            joined.iter().for_each(|index| types[*index] = together.clone());
        }
        let pairs = of_kind(&types, &[Arg::KeyOrValue]);
        for parity in [0, 1] {
            let places: Vec<usize> = pairs.iter().copied().filter(|index| index % 2 == parity).collect();
            let given: Vec<DataType> = places.iter().map(|index| types[*index].clone()).collect();
            if let Some(common_type) = common_type(&given) {
                places.iter().for_each(|index| types[*index] = common_type.clone());
            }
        }
        let lists = of_kind(&types, &[Arg::SameList]);
        let elements = of_kind(&types, &[Arg::Element]);
        let given: Vec<DataType> = lists
            .iter()
            .filter_map(|index| item_type(&types[*index]))
            .chain(elements.iter().map(|index| types[*index].clone()))
            .collect();
        if let Some(common_type) = common_type(&given) {
            lists.iter().for_each(|index| types[*index] = list_of(common_type.clone()));
            elements.iter().for_each(|index| types[*index] = common_type.clone());
        }
        Ok(types)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let n_rows = if is_constant { 1 } else { args.number_rows };
        let return_type = args.return_field.data_type();
        let mut results = Vec::with_capacity(n_rows);
        let mut values = Vec::with_capacity(args.args.len());
        for row in 0..n_rows {
            values.clear();
            for arg in &args.args {
                values.push(match arg {
                    ColumnarValue::Scalar(value) => value.clone(),
                    ColumnarValue::Array(array) => ScalarValue::try_from_array(array, row)?,
                });
            }
            results.push(if self.definition.is_strict && values.iter().any(ScalarValue::is_null) {
                ScalarValue::try_new_null(return_type)?
            } else {
                match (self.definition.call)(&values, return_type)? {
                    ScalarValue::Null => ScalarValue::try_new_null(return_type)?,
                    value => value,
                }
            });
        }
        if is_constant && let Some(value) = results.pop() {
            return Ok(ColumnarValue::Scalar(value));
        }
        if results.is_empty() {
            return Ok(ColumnarValue::Array(new_empty_array(return_type)));
        }
        let array = ScalarValue::iter_to_array(results)?;
        Ok(ColumnarValue::Array(if array.data_type() == return_type { array } else { cast(&array, return_type)? }))
    }
}

/// The one type that values of these types have in common.
pub(super) fn common_type(types: &[DataType]) -> Option<DataType> {
    if types.is_empty() {
        return None;
    }
    crate::coercion::common_type_of(types)
}

/// The type of an array's elements.
pub(super) fn item_type(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::List(item) => Some(item.data_type().clone()),
        _ => None,
    }
}

fn coerced(kind: Arg, given: &DataType) -> Option<DataType> {
    let is_text = matches!(given, DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8);
    let is_plain = !given.is_nested();
    let is_loose = is_text || given.is_null();
    match kind {
        Arg::Any | Arg::Common | Arg::Element | Arg::Joined | Arg::KeyOrValue => Some(given.clone()),
        Arg::Text => is_plain.then_some(DataType::Utf8),
        Arg::Binary => (is_loose || matches!(given, DataType::Binary)).then_some(DataType::Binary),
        Arg::TextOrBinary if matches!(given, DataType::Binary) => Some(DataType::Binary),
        Arg::TextOrBinary => is_plain.then_some(DataType::Utf8),
        Arg::Boolean => (is_loose || matches!(given, DataType::Boolean)).then_some(DataType::Boolean),
        Arg::Int => (is_loose || given.is_integer()).then_some(DataType::Int32),
        Arg::Long => (is_loose || given.is_integer()).then_some(DataType::Int64),
        Arg::Double => (is_loose || given.is_numeric()).then_some(DataType::Float64),
        Arg::Number | Arg::Size if is_loose => Some(DataType::Float64),
        Arg::Size => {
            let is_interval = matches!(given, DataType::Duration(_) | DataType::Interval(IntervalUnit::YearMonth));
            (given.is_numeric() || is_interval).then(|| given.clone())
        }
        Arg::Number => given.is_numeric().then(|| given.clone()),
        Arg::Date => {
            (is_loose || matches!(given, DataType::Date32 | DataType::Timestamp(..))).then_some(DataType::Date32)
        }
        Arg::Timestamp => (is_loose || matches!(given, DataType::Date32 | DataType::Timestamp(..)))
            .then(lakelet_types::timestamp_type),
        Arg::TimestampNtz => (is_loose || matches!(given, DataType::Date32 | DataType::Timestamp(..)))
            .then(lakelet_types::timestamp_ntz_type),
        Arg::List | Arg::SameList if given.is_null() => Some(list_of(DataType::Null)),
        Arg::List | Arg::SameList => matches!(given, DataType::List(_)).then(|| given.clone()),
        Arg::Map => matches!(given, DataType::Map(..)).then(|| given.clone()),
    }
}
