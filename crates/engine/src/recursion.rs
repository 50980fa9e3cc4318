//! A bound on recursive queries: a CTE that never stops recursing is an error, not an endless statement.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::recursive_query::RecursiveQueryExec;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use lakelet_base::{Diagnostic, ErrorClass};

/// Levels of recursion, as Spark's `spark.sql.cteRecursionLevelLimit`.
const RECURSION_LEVELS_MAX: usize = 100;

/// Counts how often the recursive part of a CTE is run.
#[derive(Debug)]
pub(crate) struct BoundRecursion;

impl PhysicalOptimizerRule for BoundRecursion {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let Some(recursive) = node.downcast_ref::<RecursiveQueryExec>() else { return Ok(Transformed::no(node)) };
            let counted =
                CountedLevels { input: Arc::clone(recursive.recursive_term()), levels: Arc::new(AtomicUsize::new(0)) };
            let children = vec![Arc::clone(recursive.static_term()), Arc::new(counted) as Arc<dyn ExecutionPlan>];
            let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
            Ok(Transformed::yes(node.replace_children(children, options)?))
        })
        .data()
    }

    fn name(&self) -> &str {
        "bound_recursion"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The recursive part of a CTE; each execution is one level. Copies made for the next level count on.
#[derive(Debug)]
struct CountedLevels {
    input: Arc<dyn ExecutionPlan>,
    levels: Arc<AtomicUsize>,
}

impl DisplayAs for CountedLevels {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CountedLevels: at most {RECURSION_LEVELS_MAX}")
    }
}

impl ExecutionPlan for CountedLevels {
    fn name(&self) -> &'static str {
        "CountedLevels"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.pop() {
            Some(input) => Ok(Arc::new(Self { input, levels: Arc::clone(&self.levels) })),
            None => datafusion::common::internal_err!("a recursive part without its plan"),
        }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        if self.levels.fetch_add(1, Ordering::Relaxed) >= RECURSION_LEVELS_MAX {
            let diagnostic = Diagnostic::new(
                ErrorClass::new("RECURSION_LEVEL_LIMIT_EXCEEDED", "42836"),
                format!("The recursive query went deeper than {RECURSION_LEVELS_MAX} levels."),
            )
            .hint("Give the recursive part a condition that stops it, for instance WHERE n < 10.");
            return Err(DataFusionError::External(Box::new(diagnostic)));
        }
        self.input.execute(partition, context)
    }
}
