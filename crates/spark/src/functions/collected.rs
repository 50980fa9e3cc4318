//! Aggregate functions that look at all values of a group at its end.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, TypeSignature, Volatility};

use super::row::list_of;
use super::value::{of_items, scalars};

/// The rows of a group: the arguments of each, in the order that was asked for.
pub(super) struct Group {
    pub rows: Vec<Vec<ScalarValue>>,
    /// Whether ORDER BY goes down.
    pub is_descending: bool,
}

/// Casts of the arguments, and the type of the result.
pub(super) type Types = (Vec<DataType>, DataType);

/// What such a function is.
pub(super) struct Aggregate {
    pub name: &'static str,
    /// Casts of the arguments, and the type of the result; an error of number or type.
    pub types: fn(&[DataType]) -> Result<Types>,
    pub finish: fn(&Group, &DataType) -> Result<ScalarValue>,
}

/// The function as DataFusion knows it.
pub(super) fn udaf(definition: &'static Aggregate) -> Arc<AggregateUDF> {
    let signature = Signature::one_of(vec![TypeSignature::Nullary, TypeSignature::UserDefined], Volatility::Immutable);
    Arc::new(AggregateUDF::from(Collecting { definition, signature }))
}

struct Collecting {
    definition: &'static Aggregate,
    signature: Signature,
}

impl std::fmt::Debug for Collecting {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.definition.name)
    }
}

impl PartialEq for Collecting {
    fn eq(&self, other: &Self) -> bool {
        self.definition.name == other.definition.name
    }
}

impl Eq for Collecting {}

impl Hash for Collecting {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.definition.name.hash(state);
    }
}

impl AggregateUDFImpl for Collecting {
    fn name(&self) -> &str {
        self.definition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        Ok((self.definition.types)(arg_types)?.1)
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        // What does not fit is said by `return_type`, in Spark's words.
        Ok((self.definition.types)(arg_types).map_or_else(|_| arg_types.to_vec(), |(types, _)| types))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::SoftRequirement
    }

    /// Rows are ordered at the end, so that it does not matter how they come.
    fn with_beneficial_ordering(
        self: Arc<Self>,
        _beneficial_ordering: bool,
    ) -> Result<Option<Arc<dyn AggregateUDFImpl>>> {
        Ok(Some(self))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let types = args.input_fields.iter().map(|field| field.data_type());
        let orders = args.ordering_fields.iter().map(|field| field.data_type());
        Ok(types
            .chain(orders)
            .enumerate()
            .map(|(index, data_type)| {
                Arc::new(Field::new(format!("{}[{index}]", args.name), list_of(data_type.clone()), true))
            })
            .collect())
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let mut types: Vec<DataType> = args.expr_fields.iter().map(|field| field.data_type().clone()).collect();
        for order in args.order_bys {
            types.push(order.expr.data_type(args.schema)?);
        }
        Ok(Box::new(Collected {
            definition: self.definition,
            n_args: args.expr_fields.len(),
            types,
            orders: args.order_bys.iter().map(|order| order.options).collect(),
            is_distinct: args.is_distinct,
            return_type: args.return_field.data_type().clone(),
            rows: VecDeque::new(),
            n_bytes: 0,
        }))
    }
}

#[derive(Debug)]
struct Collected {
    definition: &'static Aggregate,
    n_args: usize,
    /// Of the arguments, then of what is ordered by.
    types: Vec<DataType>,
    orders: Vec<SortOptions>,
    is_distinct: bool,
    return_type: DataType,
    rows: VecDeque<Vec<ScalarValue>>,
    n_bytes: usize,
}

impl std::fmt::Debug for Aggregate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

impl Collected {
    fn push(&mut self, columns: &[ArrayRef]) -> Result<()> {
        let n_rows = columns.first().map_or(0, |column| column.len());
        for row in 0..n_rows {
            let values: Vec<ScalarValue> =
                columns.iter().map(|column| ScalarValue::try_from_array(column, row)).collect::<Result<_>>()?;
            self.n_bytes += values.iter().map(ScalarValue::size).sum::<usize>();
            self.rows.push_back(values);
        }
        Ok(())
    }

    fn order(&self, left: &[ScalarValue], right: &[ScalarValue]) -> Ordering {
        for (index, options) in self.orders.iter().enumerate() {
            let place = self.n_args + index;
            let (Some(left), Some(right)) = (left.get(place), right.get(place)) else { continue };
            let order = match (left.is_null(), right.is_null()) {
                (true, true) => Ordering::Equal,
                (true, false) if options.nulls_first => Ordering::Less,
                (true, false) => Ordering::Greater,
                (false, true) if options.nulls_first => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => {
                    let order = left.partial_cmp(right).unwrap_or(Ordering::Equal);
                    if options.descending { order.reverse() } else { order }
                }
            };
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }
}

impl Accumulator for Collected {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.push(values)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let mut rows: Vec<Vec<ScalarValue>> = self.rows.iter().cloned().collect();
        if !self.orders.is_empty() {
            rows.sort_by(|left, right| self.order(left, right));
        }
        rows.iter_mut().for_each(|row| row.truncate(self.n_args));
        if self.is_distinct {
            let mut seen = std::collections::HashSet::new();
            rows.retain(|row| seen.insert(row.clone()));
        }
        let is_descending = self.orders.first().is_some_and(|options| options.descending);
        match (self.definition.finish)(&Group { rows, is_descending }, &self.return_type)? {
            ScalarValue::Null => ScalarValue::try_new_null(&self.return_type),
            value => Ok(value),
        }
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.n_bytes
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        (0..self.types.len())
            .map(|index| {
                let column = self.rows.iter().filter_map(|row| row.get(index).cloned()).collect();
                of_items(column, &list_of(self.types[index].clone()))
            })
            .collect()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let n_groups = states.first().map_or(0, |state| state.len());
        for group in 0..n_groups {
            let mut columns = Vec::with_capacity(states.len());
            for state in states {
                let [list] = scalars(&state.slice(group, 1))?.try_into().unwrap_or([ScalarValue::Null]);
                columns.push(super::value::items(&[list], 0)?);
            }
            self.push(&columns)?;
        }
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let n_rows = values.first().map_or(0, |column| column.len());
        for _ in 0..n_rows {
            let Some(row) = self.rows.pop_front() else { return internal_err!("a row that never came leaves a frame") };
            self.n_bytes = self.n_bytes.saturating_sub(row.iter().map(ScalarValue::size).sum::<usize>());
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }
}
