//! What keeps exact sums: of all rows, of different values, of every group.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Decimal128Array, Int64Array};
use datafusion::arrow::datatypes::{DataType, Decimal128Type, Int64Type};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::{Accumulator, EmitTo, GroupsAccumulator};

use super::super::row::list_of;
use super::super::value::of_items;
use super::{Exact, PRECISION_MAX, for_each};

#[derive(Debug)]
pub(super) struct ExactTotal {
    pub total: Exact,
    pub sum: i128,
    pub count: i64,
    pub has_overflowed: bool,
}

impl Accumulator for ExactTotal {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let Some(values) = values.first() else { return internal_err!("a sum has an argument") };
        for_each(values, |_, value| {
            let (sum, has_overflowed) = self.sum.overflowing_add(value);
            self.sum = sum;
            self.has_overflowed |= has_overflowed;
            self.count += 1;
            Ok(())
        })
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let sum = (!self.has_overflowed).then_some(self.sum);
        self.total.scalar(self.total.value(sum, self.count)?)
    }

    fn size(&self) -> usize {
        size_of_val(self)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let sum = (!self.has_overflowed).then_some(self.sum);
        Ok(vec![ScalarValue::Decimal128(sum, PRECISION_MAX, 0), ScalarValue::Int64(Some(self.count))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [sums, counts] = states else { return internal_err!("a sum and a count") };
        let (sums, counts) = (sums.as_primitive::<Decimal128Type>(), counts.as_primitive::<Int64Type>());
        for (sum, count) in sums.iter().zip(counts.iter()) {
            match sum.and_then(|sum| self.sum.checked_add(sum)) {
                Some(sum) => self.sum = sum,
                None => self.has_overflowed = true,
            }
            self.count += count.unwrap_or(0);
        }
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let Some(values) = values.first() else { return internal_err!("a sum has an argument") };
        for_each(values, |_, value| {
            self.sum = self.sum.wrapping_sub(value);
            self.count -= 1;
            Ok(())
        })
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }
}

#[derive(Debug)]
pub(super) struct DistinctTotal {
    pub total: Exact,
    pub input: DataType,
    pub seen: HashSet<i128>,
}

impl DistinctTotal {
    fn values(&self) -> Result<Vec<ScalarValue>> {
        let input = Exact { result: self.input.clone(), ..self.total.clone() };
        self.seen.iter().map(|value| input.scalar(Some(*value))).collect()
    }
}

impl Accumulator for DistinctTotal {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let Some(values) = values.first() else { return internal_err!("a sum has an argument") };
        for_each(values, |_, value| {
            self.seen.insert(value);
            Ok(())
        })
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let sum = self.seen.iter().try_fold(0_i128, |sum, value| sum.checked_add(*value));
        let count = i64::try_from(self.seen.len()).unwrap_or(i64::MAX);
        self.total.scalar(self.total.value(sum, count)?)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.seen.capacity() * size_of::<i128>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![of_items(self.values()?, &list_of(self.input.clone()))?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let Some(lists) = states.first() else { return internal_err!("the values of a sum") };
        for list in lists.as_list::<i32>().iter().flatten() {
            self.update_batch(&[list])?;
        }
        Ok(())
    }
}

#[derive(Debug)]
pub(super) struct GroupedTotal {
    pub total: Exact,
    /// `None` where a sum does not even fit the digits it is kept with.
    pub sums: Vec<Option<i128>>,
    pub counts: Vec<i64>,
}

impl GroupedTotal {
    fn grow(&mut self, n_groups: usize) {
        self.sums.resize(n_groups, Some(0));
        self.counts.resize(n_groups, 0);
    }

    fn states(sums: Vec<Option<i128>>, counts: Vec<i64>) -> Result<Vec<ArrayRef>> {
        Ok(vec![
            Arc::new(Decimal128Array::from(sums).with_precision_and_scale(PRECISION_MAX, 0)?),
            Arc::new(Int64Array::from(counts)),
        ])
    }
}

fn passes(filter: Option<&BooleanArray>, row: usize) -> bool {
    filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row))
}

impl GroupsAccumulator for GroupedTotal {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.grow(total_num_groups);
        let Some(values) = values.first() else { return internal_err!("a sum has an argument") };
        let (sums, counts) = (&mut self.sums, &mut self.counts);
        for_each(values, |row, value| {
            if passes(opt_filter, row)
                && let Some(group) = group_indices.get(row)
                && let (Some(sum), Some(count)) = (sums.get_mut(*group), counts.get_mut(*group))
            {
                *sum = sum.and_then(|sum| sum.checked_add(value));
                *count += 1;
            }
            Ok(())
        })
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let (sums, counts) = (emit_to.take_needed(&mut self.sums), emit_to.take_needed(&mut self.counts));
        let values = sums
            .into_iter()
            .zip(counts)
            .map(|(sum, count)| self.total.value(sum, count))
            .collect::<Result<Vec<_>>>()?;
        self.total.array(values)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        Self::states(emit_to.take_needed(&mut self.sums), emit_to.take_needed(&mut self.counts))
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total_num_groups: usize) -> Result<()> {
        self.grow(total_num_groups);
        let [sums, counts] = values else { return internal_err!("a sum and a count") };
        let (sums, counts) = (sums.as_primitive::<Decimal128Type>(), counts.as_primitive::<Int64Type>());
        for (row, group) in group_indices.iter().enumerate() {
            let more = sums.is_valid(row).then(|| sums.value(row));
            if let (Some(sum), Some(count)) = (self.sums.get_mut(*group), self.counts.get_mut(*group)) {
                *sum = sum.zip(more).and_then(|(sum, more)| sum.checked_add(more));
                *count += counts.value(row);
            }
        }
        Ok(())
    }

    fn convert_to_state(&self, values: &[ArrayRef], opt_filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let Some(values) = values.first() else { return internal_err!("a sum has an argument") };
        let (mut sums, mut counts) = (vec![Some(0); values.len()], vec![0; values.len()]);
        for_each(values, |row, value| {
            if passes(opt_filter, row) {
                sums[row] = Some(value);
                counts[row] = 1;
            }
            Ok(())
        })?;
        Self::states(sums, counts)
    }

    fn size(&self) -> usize {
        self.sums.capacity() * size_of::<Option<i128>>() + self.counts.capacity() * size_of::<i64>()
    }
}
