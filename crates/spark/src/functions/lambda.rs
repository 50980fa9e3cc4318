//! Functions that take lambdas: `transform(xs, (x, i) -> …)` and its kin.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Int32Array, ListArray, UInt32Array, new_empty_array,
};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::compute::{cast, filter, take, take_arrays};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, HigherOrderFunctionArgs, HigherOrderReturnFieldArgs, HigherOrderSignature, HigherOrderUDF,
    HigherOrderUDFImpl, LambdaArgument, LambdaParametersProgress, ValueOrLambda, Volatility,
};

use super::row::{fail, item_type, list_of, wrong_number, wrong_type};
use super::value::{of_entries, scalars};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Transform,
    Filter,
    Exists,
    Forall,
    Aggregate,
    ZipWith,
    MapFilter,
    TransformKeys,
    TransformValues,
    MapZipWith,
    SortBy,
}

const FUNCTIONS: [(&str, Kind); 13] = [
    ("transform", Kind::Transform),
    ("filter", Kind::Filter),
    ("exists", Kind::Exists),
    ("any_match", Kind::Exists),
    ("forall", Kind::Forall),
    ("aggregate", Kind::Aggregate),
    ("reduce", Kind::Aggregate),
    ("zip_with", Kind::ZipWith),
    ("map_filter", Kind::MapFilter),
    ("transform_keys", Kind::TransformKeys),
    ("transform_values", Kind::TransformValues),
    ("map_zip_with", Kind::MapZipWith),
    ("array_sort", Kind::SortBy),
];

/// All of them, by name.
pub(super) fn functions() -> impl Iterator<Item = (&'static str, Arc<HigherOrderUDF>)> {
    FUNCTIONS.into_iter().map(|(name, kind)| {
        let signature = HigherOrderSignature::variadic_any(Volatility::Immutable);
        (name, Arc::new(HigherOrderUDF::new_from_impl(LambdaFunction { name, kind, signature })))
    })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct LambdaFunction {
    name: &'static str,
    kind: Kind,
    signature: HigherOrderSignature,
}

fn field(data_type: DataType) -> FieldRef {
    Arc::new(Field::new("", data_type, true))
}

fn key_and_value(name: &str, ordinal: usize, map: &DataType) -> Result<(DataType, DataType)> {
    if let DataType::Map(entries, _) = map
        && let DataType::Struct(fields) = entries.data_type()
        && let [key, value] = fields.as_ref()
    {
        return Ok((key.data_type().clone(), value.data_type().clone()));
    }
    Err(wrong_type(name, ordinal, map))
}

impl LambdaFunction {
    fn item(&self, ordinal: usize, list: &FieldRef) -> Result<DataType> {
        match list.data_type() {
            DataType::Null => Ok(DataType::Null),
            other => item_type(other).ok_or_else(|| wrong_type(self.name, ordinal, other)),
        }
    }

    fn values<'a, L>(&self, args: &'a [ValueOrLambda<FieldRef, L>]) -> Result<Vec<&'a FieldRef>> {
        let values: Vec<&FieldRef> = args
            .iter()
            .filter_map(|arg| match arg {
                ValueOrLambda::Value(field) => Some(field),
                ValueOrLambda::Lambda(_) => None,
            })
            .collect();
        let wanted = match self.kind {
            Kind::ZipWith | Kind::MapZipWith | Kind::Aggregate => 2,
            _ => 1,
        };
        let n_lambdas = args.len() - values.len();
        let fits = n_lambdas == 1 || (self.kind == Kind::Aggregate && n_lambdas == 2);
        if values.len() != wanted || !fits {
            return Err(wrong_number(self.name, &(wanted + 1).to_string(), args.len()));
        }
        Ok(values)
    }
}

impl HigherOrderUDFImpl for LambdaFunction {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &HigherOrderSignature {
        &self.signature
    }

    fn lambda_parameters(
        &self,
        _step: usize,
        fields: &[ValueOrLambda<FieldRef, Option<FieldRef>>],
    ) -> Result<LambdaParametersProgress> {
        let values = self.values(fields)?;
        let mut parameters = match self.kind {
            Kind::Transform | Kind::Filter => vec![self.item(1, values[0])?, DataType::Int32],
            Kind::Exists | Kind::Forall => vec![self.item(1, values[0])?],
            Kind::SortBy => vec![self.item(1, values[0])?; 2],
            Kind::ZipWith => vec![self.item(1, values[0])?, self.item(2, values[1])?],
            Kind::Aggregate => vec![values[1].data_type().clone(), self.item(1, values[0])?],
            Kind::MapFilter | Kind::TransformKeys | Kind::TransformValues => {
                let (key, value) = key_and_value(self.name, 1, values[0].data_type())?;
                vec![key, value]
            }
            Kind::MapZipWith => {
                let (key, left) = key_and_value(self.name, 1, values[0].data_type())?;
                let (_, right) = key_and_value(self.name, 2, values[1].data_type())?;
                vec![key, left, right]
            }
        };
        let first: Vec<FieldRef> = parameters.drain(..).map(field).collect();
        let mut all = vec![first];
        if fields.len() - values.len() == 2 {
            all.push(vec![field(values[1].data_type().clone())]);
        }
        Ok(LambdaParametersProgress::Complete(all))
    }

    fn return_field_from_args(&self, args: HigherOrderReturnFieldArgs<'_>) -> Result<FieldRef> {
        let values = self.values(args.arg_fields)?;
        let lambdas: Vec<&DataType> = args
            .arg_fields
            .iter()
            .filter_map(|arg| match arg {
                ValueOrLambda::Lambda(field) => Some(field.data_type()),
                ValueOrLambda::Value(_) => None,
            })
            .collect();
        let result = lambdas[0].clone();
        let is_predicate = matches!(self.kind, Kind::Filter | Kind::Exists | Kind::Forall | Kind::MapFilter);
        if is_predicate && !matches!(result, DataType::Boolean | DataType::Null) {
            return Err(wrong_type(self.name, 2, &result));
        }
        Ok(field(match self.kind {
            Kind::Transform | Kind::ZipWith => list_of(result),
            Kind::Filter | Kind::MapFilter => values[0].data_type().clone(),
            Kind::Exists | Kind::Forall => DataType::Boolean,
            Kind::Aggregate => {
                if result != *values[1].data_type() && !result.is_null() {
                    return Err(wrong_type(self.name, 3, &result));
                }
                lambdas.get(1).map_or(result, |finished| (*finished).clone())
            }
            Kind::TransformKeys => {
                lakelet_types::map_type(result, key_and_value(self.name, 1, values[0].data_type())?.1)
            }
            Kind::TransformValues => {
                lakelet_types::map_type(key_and_value(self.name, 1, values[0].data_type())?.0, result)
            }
            Kind::MapZipWith => lakelet_types::map_type(key_and_value(self.name, 1, values[0].data_type())?.0, result),
            Kind::SortBy => {
                if !result.is_integer() {
                    return Err(wrong_type(self.name, 2, &result));
                }
                values[0].data_type().clone()
            }
        }))
    }

    fn invoke_with_args(&self, args: HigherOrderFunctionArgs) -> Result<ColumnarValue> {
        let n_rows = args.number_rows;
        let mut values = Vec::new();
        let mut lambdas = Vec::new();
        for arg in &args.args {
            match arg {
                ValueOrLambda::Value(value) => values.push(value.to_array(n_rows)?),
                ValueOrLambda::Lambda(lambda) => lambdas.push(lambda),
            }
        }
        let return_type = args.return_field.data_type();
        let Some(lambda) = lambdas.first() else { return exec_err!("{} without a lambda", self.name) };
        let result = match self.kind {
            Kind::Aggregate => aggregate(&values, &lambdas)?,
            Kind::SortBy => sorted(&values[0], lambda)?,
            _ => self.flat(&values, lambda, return_type)?,
        };
        let result = if result.data_type() == return_type { result } else { cast(&result, return_type)? };
        Ok(ColumnarValue::Array(result))
    }
}

/// Elements of all rows one after the other, with the row that each comes from.
struct Flat {
    columns: Vec<ArrayRef>,
    rows: Vec<u32>,
    lengths: Vec<Option<usize>>,
}

impl LambdaFunction {
    fn flat(&self, values: &[ArrayRef], lambda: &LambdaArgument, return_type: &DataType) -> Result<ArrayRef> {
        let flat = match self.kind {
            Kind::ZipWith => zipped(values)?,
            Kind::MapZipWith => zipped_maps(values)?,
            Kind::MapFilter | Kind::TransformKeys | Kind::TransformValues => flat_map(&values[0])?,
            _ => flat_list(&values[0])?,
        };
        let evaluated = evaluate(lambda, &flat.columns, &flat.rows)?;
        let mut lists = Vec::with_capacity(flat.lengths.len());
        match self.kind {
            Kind::Transform | Kind::ZipWith => {
                let DataType::List(item) = return_type else { return exec_err!("no array") };
                let evaluated = if evaluated.data_type() == item.data_type() {
                    evaluated
                } else {
                    cast(&evaluated, item.data_type())?
                };
                return relisted(&evaluated, &flat.lengths, item);
            }
            Kind::Filter => {
                let keeps = evaluated
                    .as_boolean_opt()
                    .cloned()
                    .unwrap_or_else(|| BooleanArray::from(vec![false; evaluated.len()]));
                let DataType::List(item) = return_type else { return exec_err!("no array") };
                let mut start = 0;
                let lengths: Vec<Option<usize>> = flat
                    .lengths
                    .iter()
                    .map(|length| {
                        let length = (*length)?;
                        let kept = (start..start + length).filter(|row| keeps.is_valid(*row) && keeps.value(*row));
                        let n_kept = kept.count();
                        start += length;
                        Some(n_kept)
                    })
                    .collect();
                return relisted(&filter(&flat.columns[0], &keeps)?, &lengths, item);
            }
            Kind::Exists | Kind::Forall => {
                let decisive = self.kind == Kind::Exists;
                let mut start = 0;
                let results = flat.lengths.iter().map(|length| {
                    let length = (*length)?;
                    let mut outcome = Some(!decisive);
                    for row in start..start + length {
                        let value = match evaluated.as_boolean_opt() {
                            Some(values) if values.is_valid(row) => Some(values.value(row)),
                            _ => None,
                        };
                        match value {
                            Some(value) if value == decisive => {
                                outcome = Some(decisive);
                                break;
                            }
                            None => outcome = None,
                            Some(_) => {}
                        }
                    }
                    start += length;
                    outcome
                });
                return Ok(Arc::new(results.collect::<BooleanArray>()));
            }
            _ => {}
        }
        let mut start = 0;
        for length in &flat.lengths {
            let Some(length) = length else {
                lists.push(ScalarValue::try_new_null(return_type)?);
                continue;
            };
            let keys = scalars(&flat.columns[0].slice(start, *length))?;
            let made = scalars(&evaluated.slice(start, *length))?;
            lists.push(match self.kind {
                Kind::TransformKeys => of_entries(made, scalars(&flat.columns[1].slice(start, *length))?, return_type)?,
                Kind::MapFilter => {
                    let found = scalars(&flat.columns[1].slice(start, *length))?;
                    let keeps = |index: usize| made[index] == ScalarValue::Boolean(Some(true));
                    let kept = |all: Vec<ScalarValue>| -> Vec<ScalarValue> {
                        all.into_iter().enumerate().filter(|(index, _)| keeps(*index)).map(|(_, value)| value).collect()
                    };
                    of_entries(kept(keys), kept(found), return_type)?
                }
                _ => of_entries(keys, made, return_type)?,
            });
            start += length;
        }
        if lists.is_empty() { Ok(new_empty_array(return_type)) } else { ScalarValue::iter_to_array(lists) }
    }
}

fn evaluate(lambda: &LambdaArgument, columns: &[ArrayRef], rows: &[u32]) -> Result<ArrayRef> {
    let getters: Vec<Box<dyn Fn() -> Result<ArrayRef>>> = columns
        .iter()
        .map(|column| {
            let column = Arc::clone(column);
            Box::new(move || Ok(Arc::clone(&column))) as Box<dyn Fn() -> Result<ArrayRef>>
        })
        .collect();
    let borrowed: Vec<&dyn Fn() -> Result<ArrayRef>> = getters.iter().map(|getter| getter.as_ref()).collect();
    let indices = UInt32Array::from(rows.to_vec());
    lambda.evaluate(&borrowed, |captures| Ok(take_arrays(captures, &indices, None)?))?.into_array(rows.len())
}

fn relisted(values: &ArrayRef, lengths: &[Option<usize>], item: &FieldRef) -> Result<ArrayRef> {
    let offsets = OffsetBuffer::from_lengths(lengths.iter().map(|length| length.unwrap_or(0)));
    let nulls = lengths.iter().map(Option::is_some).collect::<Vec<bool>>().into();
    let item = Arc::new(item.as_ref().clone().with_nullable(true));
    Ok(Arc::new(ListArray::try_new(item, offsets, Arc::clone(values), Some(nulls))?))
}

/// Where the elements of each row stand among all elements.
fn places(offsets: &[i32], is_valid: impl Fn(usize) -> bool) -> (Vec<u32>, Vec<u32>, Vec<i32>, Vec<Option<usize>>) {
    let (mut elements, mut rows, mut positions, mut lengths) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (row, bounds) in offsets.windows(2).enumerate() {
        if !is_valid(row) {
            lengths.push(None);
            continue;
        }
        lengths.push(Some((bounds[1] - bounds[0]) as usize));
        for element in bounds[0]..bounds[1] {
            elements.push(element as u32);
            rows.push(row as u32);
            positions.push(element - bounds[0]);
        }
    }
    (elements, rows, positions, lengths)
}

fn flat_list(array: &ArrayRef) -> Result<Flat> {
    let Some(list) = array.as_list_opt::<i32>() else { return Ok(only_nulls(array.len())) };
    let (elements, rows, positions, lengths) = places(list.value_offsets(), |row| list.is_valid(row));
    let items = take(list.values(), &UInt32Array::from(elements), None)?;
    Ok(Flat { columns: vec![items, Arc::new(Int32Array::from(positions))], rows, lengths })
}

fn only_nulls(n_rows: usize) -> Flat {
    let columns = vec![new_empty_array(&DataType::Null), new_empty_array(&DataType::Int32)];
    Flat { columns, rows: Vec::new(), lengths: vec![None; n_rows] }
}

fn flat_map(array: &ArrayRef) -> Result<Flat> {
    let Some(map) = array.as_map_opt() else { return Ok(only_nulls(array.len())) };
    let (elements, rows, _, lengths) = places(map.value_offsets(), |row| map.is_valid(row));
    let elements = UInt32Array::from(elements);
    Ok(Flat { columns: vec![take(map.keys(), &elements, None)?, take(map.values(), &elements, None)?], rows, lengths })
}

/// The shorter of two arrays is filled up with NULL.
fn zipped(values: &[ArrayRef]) -> Result<Flat> {
    let (Some(left), Some(right)) = (values[0].as_list_opt::<i32>(), values[1].as_list_opt::<i32>()) else {
        return Ok(only_nulls(values[0].len()));
    };
    let (mut rows, mut lengths) = (Vec::new(), Vec::new());
    let (mut lefts, mut rights): (Vec<Option<u32>>, Vec<Option<u32>>) = (Vec::new(), Vec::new());
    for row in 0..left.len() {
        if left.is_null(row) || right.is_null(row) {
            lengths.push(None);
            continue;
        }
        let (n_left, n_right) = (left.value_length(row), right.value_length(row));
        let length = n_left.max(n_right);
        for index in 0..length {
            lefts.push((index < n_left).then_some((left.value_offsets()[row] + index) as u32));
            rights.push((index < n_right).then_some((right.value_offsets()[row] + index) as u32));
            rows.push(row as u32);
        }
        lengths.push(Some(length as usize));
    }
    let columns = vec![
        take(left.values(), &UInt32Array::from(lefts), None)?,
        take(right.values(), &UInt32Array::from(rights), None)?,
    ];
    Ok(Flat { columns, rows, lengths })
}

/// The keys of both maps, each once, with the values that they have in either.
fn zipped_maps(values: &[ArrayRef]) -> Result<Flat> {
    let (Some(left), Some(right)) = (values[0].as_map_opt(), values[1].as_map_opt()) else {
        return Ok(only_nulls(values[0].len()));
    };
    let (mut rows, mut lengths) = (Vec::new(), Vec::new());
    let (mut keys, mut lefts, mut rights) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..left.len() {
        if left.is_null(row) || right.is_null(row) {
            lengths.push(None);
            continue;
        }
        let (left, right) = (left.value(row), right.value(row));
        let (left_keys, right_keys) = (scalars(left.column(0))?, scalars(right.column(0))?);
        let mut all = left_keys.clone();
        all.extend(right_keys.iter().filter(|key| !left_keys.contains(key)).cloned());
        lengths.push(Some(all.len()));
        for key in all {
            let found = |keys: &[ScalarValue], column: &ArrayRef| match keys.iter().position(|other| *other == key) {
                Some(place) => ScalarValue::try_from_array(column, place),
                None => ScalarValue::try_new_null(column.data_type()),
            };
            lefts.push(found(&left_keys, left.column(1))?);
            rights.push(found(&right_keys, right.column(1))?);
            keys.push(key);
            rows.push(row as u32);
        }
    }
    let column = |values: Vec<ScalarValue>, empty: &ArrayRef| {
        if values.is_empty() { Ok(new_empty_array(empty.data_type())) } else { ScalarValue::iter_to_array(values) }
    };
    let columns = vec![column(keys, left.keys())?, column(lefts, left.values())?, column(rights, right.values())?];
    Ok(Flat { columns, rows, lengths })
}

/// Folds all rows at once: the first elements of all arrays, then the second ones, and so on.
fn aggregate(values: &[ArrayRef], lambdas: &[&LambdaArgument]) -> Result<ArrayRef> {
    let [lists, start] = values else { return exec_err!("an array and a start") };
    let mut state = scalars(start)?;
    let all_rows: Vec<u32> = (0..start.len() as u32).collect();
    if let Some(lists) = lists.as_list_opt::<i32>() {
        let longest = (0..lists.len()).filter(|row| lists.is_valid(*row)).map(|row| lists.value_length(row)).max();
        for step in 0..longest.unwrap_or(0) {
            let rows: Vec<u32> = (0..lists.len())
                .filter(|row| lists.is_valid(*row) && lists.value_length(*row) > step)
                .map(|row| row as u32)
                .collect();
            let elements = rows.iter().map(|row| (lists.value_offsets()[*row as usize] + step) as u32);
            let items = take(lists.values(), &UInt32Array::from_iter_values(elements), None)?;
            let kept = ScalarValue::iter_to_array(rows.iter().map(|row| state[*row as usize].clone()))?;
            let next = scalars(&evaluate(lambdas[0], &[kept, items], &rows)?)?;
            for (row, value) in rows.iter().zip(next) {
                state[*row as usize] = value.cast_to(start.data_type())?;
            }
        }
    }
    let folded = if state.is_empty() { new_empty_array(start.data_type()) } else { ScalarValue::iter_to_array(state)? };
    let finished = match lambdas.get(1) {
        Some(finish) => evaluate(finish, &[folded], &all_rows)?,
        None => folded,
    };
    let kept: Vec<Option<u32>> = all_rows.iter().map(|row| lists.is_valid(*row as usize).then_some(*row)).collect();
    Ok(take(&finished, &UInt32Array::from(kept), None)?)
}

/// Sorts by a comparator; it is asked for pairs.
fn sorted(lists: &ArrayRef, lambda: &LambdaArgument) -> Result<ArrayRef> {
    let Some(list) = lists.as_list_opt::<i32>() else { return Ok(Arc::clone(lists)) };
    let mut order: Vec<u32> = Vec::new();
    let mut lengths = Vec::new();
    for row in 0..list.len() {
        if list.is_null(row) {
            lengths.push(None);
            continue;
        }
        let start = list.value_offsets()[row] as u32;
        let mut placed: Vec<u32> = Vec::new();
        for element in start..start + list.value_length(row) as u32 {
            // Insertion with binary search: stable, and as few questions as can be.
            let (mut low, mut high) = (0, placed.len());
            while low < high {
                let middle = (low + high) / 2;
                let one = |place: u32| list.values().slice(place as usize, 1);
                let answer = evaluate(lambda, &[one(placed[middle]), one(element)], &[row as u32])?;
                let answer = ScalarValue::try_from_array(&cast(&answer, &DataType::Int64)?, 0)?;
                let ScalarValue::Int64(Some(answer)) = answer else {
                    return Err(fail(
                        "COMPARATOR_RETURNS_NULL",
                        "22004",
                        "The comparator has returned a NULL for a comparison of two values.",
                    ));
                };
                if answer <= 0 { low = middle + 1 } else { high = middle }
            }
            placed.insert(low, element);
        }
        lengths.push(Some(placed.len()));
        order.extend(placed);
    }
    let DataType::List(item) = list.data_type() else { return exec_err!("no array") };
    relisted(&take(list.values(), &UInt32Array::from(order), None)?, &lengths, item)
}
