//! CASE, coalesce and their kin: branches of one common type, of which only the chosen one is computed.
//!
//! The functions exist while types are settled; then they become the planner's CASE, which computes lazily.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{DataFusionError, Result, ScalarValue, exec_err};
use datafusion::logical_expr::expr::Case;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature,
    Volatility,
};
use lakelet_types::sql_name;

use super::row::{different_types, fail, wrong_number};
use crate::coercion::common_type_of;
use crate::intervals::{field_of, joint_units, units_of};

/// Which choice it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// Conditions and results in turn, and perhaps what holds otherwise.
    Case,
    /// As `Case`, after a value that each condition is compared with.
    SimpleCase,
    /// The first value that is not NULL.
    Coalesce,
}

/// The functions, by name.
pub(super) fn functions() -> impl Iterator<Item = (&'static str, Arc<ScalarUDF>)> {
    [(super::CASE, Kind::Case), (super::SIMPLE_CASE, Kind::SimpleCase), ("coalesce", Kind::Coalesce)].into_iter().map(
        |(name, kind)| {
            let signature =
                Signature::one_of(vec![TypeSignature::Nullary, TypeSignature::UserDefined], Volatility::Immutable);
            (name, Arc::new(ScalarUDF::from(Choice { name, kind, signature })))
        },
    )
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Choice {
    name: &'static str,
    kind: Kind,
    signature: Signature,
}

/// What an argument is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Condition,
    Compared,
    Result,
}

impl Choice {
    fn role(&self, index: usize, n_args: usize) -> Role {
        match self.kind {
            Kind::Coalesce => Role::Result,
            Kind::Case if index.is_multiple_of(2) && index + 1 < n_args => Role::Condition,
            Kind::SimpleCase if index == 0 || (index % 2 == 1 && index + 1 < n_args) => Role::Compared,
            Kind::Case | Kind::SimpleCase => Role::Result,
        }
    }

    fn types_of(&self, types: &[DataType], role: Role) -> Vec<DataType> {
        let n_args = types.len();
        (0..n_args).filter(|index| self.role(*index, n_args) == role).map(|index| types[index].clone()).collect()
    }

    fn shown(&self) -> &'static str {
        if self.kind == Kind::Coalesce { "coalesce" } else { "casewhen" }
    }

    fn common(&self, types: &[DataType], role: Role) -> Result<DataType> {
        let given = self.types_of(types, role);
        common_type_of(&given).ok_or_else(|| different_types(self.shown(), &given))
    }
}

impl ScalarUDFImpl for Choice {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn short_circuits(&self) -> bool {
        true
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        exec_err!("the type of a choice follows from its fields")
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        if args.arg_fields.is_empty() {
            return Err(wrong_number(self.shown(), "> 0", 0));
        }
        let types: Vec<DataType> = args.arg_fields.iter().map(|field| field.data_type().clone()).collect();
        for (index, found) in types.iter().enumerate() {
            if self.role(index, types.len()) == Role::Condition && *found != DataType::Boolean {
                return Err(not_boolean(found));
            }
        }
        if self.kind == Kind::SimpleCase {
            self.common(&types, Role::Compared)?;
        }
        let common = self.common(&types, Role::Result)?;
        let units = args
            .arg_fields
            .iter()
            .enumerate()
            .filter(|(index, _)| self.role(*index, types.len()) == Role::Result)
            .filter_map(|(_, field)| units_of(field))
            .reduce(joint_units);
        Ok(match units {
            Some(units) => field_of(self.name, units),
            None => Arc::new(Field::new(self.name, common, true)),
        })
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        // What does not fit is said by `return_field_from_args`.
        let results = self.common(arg_types, Role::Result).ok();
        let compared = self.common(arg_types, Role::Compared).ok();
        Ok(arg_types
            .iter()
            .enumerate()
            .map(|(index, given)| match self.role(index, arg_types.len()) {
                Role::Condition => given.clone(),
                Role::Compared => compared.clone().unwrap_or_else(|| given.clone()),
                Role::Result => results.clone().unwrap_or_else(|| given.clone()),
            })
            .collect())
    }

    fn simplify(&self, args: Vec<Expr>, _info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        Ok(match case(self.kind, args) {
            Ok(simpler) => ExprSimplifyResult::Simplified(simpler),
            Err(args) => ExprSimplifyResult::Original(args),
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let all_scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let n_rows = if all_scalar { 1 } else { args.number_rows };
        let columns = args.args.iter().map(|arg| arg.clone().into_array(n_rows)).collect::<Result<Vec<_>>>()?;
        let mut chosen = Vec::with_capacity(n_rows);
        for row in 0..n_rows {
            let value = |index: usize| ScalarValue::try_from_array(&columns[index], row);
            let place = self.place(columns.len(), value)?;
            chosen.push(match place {
                Some(place) => ScalarValue::try_from_array(&columns[place], row)?,
                None => ScalarValue::try_new_null(args.return_field.data_type())?,
            });
        }
        if all_scalar && let Some(value) = chosen.pop() {
            return Ok(ColumnarValue::Scalar(value));
        }
        if chosen.is_empty() {
            return Ok(ColumnarValue::Array(datafusion::arrow::array::new_empty_array(args.return_field.data_type())));
        }
        Ok(ColumnarValue::Array(ScalarValue::iter_to_array(chosen)?))
    }
}

impl Choice {
    /// The argument that a row gives; `None` for NULL.
    fn place(&self, n_args: usize, value: impl Fn(usize) -> Result<ScalarValue>) -> Result<Option<usize>> {
        let first = usize::from(self.kind == Kind::SimpleCase);
        let mut index = first;
        while index < n_args {
            match self.role(index, n_args) {
                Role::Result => {
                    if self.kind != Kind::Coalesce || !value(index)?.is_null() {
                        return Ok(Some(index));
                    }
                    index += 1;
                }
                Role::Condition if value(index)? == ScalarValue::Boolean(Some(true)) => return Ok(Some(index + 1)),
                Role::Compared if !value(index)?.is_null() && value(index)? == value(0)? => {
                    return Ok(Some(index + 1));
                }
                _ => index += 2,
            }
        }
        Ok(None)
    }
}

/// The planner's CASE; the arguments again where there is nothing to choose.
fn case(kind: Kind, mut args: Vec<Expr>) -> std::result::Result<Expr, Vec<Expr>> {
    if kind == Kind::Coalesce {
        let Some(last) = args.pop() else { return Err(args) };
        if args.is_empty() {
            return Ok(last);
        }
        let branches = args.into_iter().map(|arg| (Box::new(arg.clone().is_not_null()), Box::new(arg))).collect();
        return Ok(Expr::Case(Case::new(None, branches, Some(Box::new(last)))));
    }
    let operand = if kind == Kind::SimpleCase { Some(Box::new(args.remove(0))) } else { None };
    let mut branches = Vec::with_capacity(args.len() / 2);
    let mut args = args.into_iter();
    let mut otherwise = None;
    while let Some(condition) = args.next() {
        match args.next() {
            Some(result) => branches.push((Box::new(condition), Box::new(result))),
            None => otherwise = Some(Box::new(condition)),
        }
    }
    Ok(Expr::Case(Case::new(operand, branches, otherwise)))
}

fn not_boolean(found: &DataType) -> DataFusionError {
    fail(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        "42K09",
        format!(
            "A condition requires the \"BOOLEAN\" type, however it has the type \"{}\". Write a comparison, or cast it to BOOLEAN.",
            sql_name(found)
        ),
    )
}
