//! EXPLAIN.

use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::LogicalPlanBuilder;
use lakelet_base::{Diagnostic, Result};
use lakelet_syntax::statement::{Explain, Statement};

use super::write::planning;
use super::{Prepared, text_rows};
use crate::planner::{Engine, ResultColumn};
use crate::session::Scope;

impl Engine {
    pub(super) fn prepare_explain(&self, explain: &Explain, scope: &Scope<'_>) -> Result<Prepared> {
        let Statement::Query(query) = explain.statement.as_ref() else {
            return Err(Box::new(Diagnostic::unsupported("EXPLAIN of a statement that is not a query")));
        };
        let planned = self.plan_query(&query.query, scope)?;
        if !explain.analyze {
            let text = self.explain(&planned, explain.extended)?;
            return Ok(Prepared::rows(text_rows(&[("plan", DataType::Utf8)], vec![vec![Some(text)]])?));
        }
        let plan = LogicalPlanBuilder::from(planned.plan.clone())
            .explain(false, true)
            .and_then(LogicalPlanBuilder::build)
            .map_err(planning)?;
        let columns = plan
            .schema()
            .fields()
            .iter()
            .map(|field| ResultColumn { name: field.name().clone(), field: std::sync::Arc::clone(field) })
            .collect();
        let (execution, names) = self.start(plan, planned.names)?;
        Ok(Prepared::Query { execution, columns, names })
    }
}
