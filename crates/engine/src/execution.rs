//! Running a physical plan in small steps.

use std::sync::Arc;
use std::task::Poll;

use datafusion::arrow::array::RecordBatch;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::execution_plan::execute_stream;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::unnest::UnnestExec;
use futures::Stream;
use tokio::runtime::Runtime;

/// Makes the runtime that statements run on: one thread, no timer, no I/O. Operators may spawn onto it.
pub(crate) fn runtime() -> std::io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().build()
}

/// What one step gave.
#[derive(Debug)]
pub enum Step {
    /// Some rows.
    Page(RecordBatch),
    /// Still working; nothing to show yet.
    Progress,
    /// No more rows.
    Done,
}

/// A query that is running. Dropping it cancels it.
pub struct Execution {
    runtime: Arc<Runtime>,
    stream: SendableRecordBatchStream,
}

impl Execution {
    pub(crate) fn start(
        runtime: Arc<Runtime>,
        plan: Arc<dyn ExecutionPlan>,
        context: Arc<TaskContext>,
    ) -> Result<Self> {
        let stream = {
            let _entered = runtime.enter();
            execute_stream(plan, context)?
        };
        Ok(Self { runtime, stream })
    }

    /// Works until there is a page, the operators ask for a pause, or all is done.
    pub fn step(&mut self) -> Result<Step, DataFusionError> {
        let runtime = Arc::clone(&self.runtime);
        let stream = &mut self.stream;
        runtime.block_on(async move {
            let polled = std::future::poll_fn(|context| match std::pin::Pin::new(&mut *stream).poll_next(context) {
                Poll::Ready(item) => Poll::Ready(Some(item)),
                Poll::Pending => Poll::Ready(None),
            })
            .await;
            match polled {
                Some(Some(Ok(batch))) if batch.num_rows() == 0 => Ok(Step::Progress),
                Some(Some(Ok(batch))) => Ok(Step::Page(batch)),
                Some(Some(Err(error))) => Err(error),
                Some(None) => Ok(Step::Done),
                None => {
                    // Tasks that operators spawned get their turn before the next poll.
                    tokio::task::yield_now().await;
                    Ok(Step::Progress)
                }
            }
        })
    }
}

/// Lets operators that multiply rows pause: DataFusion makes only leaves cooperative, and a join may give
/// millions of batches for one of its input.
#[derive(Debug)]
pub(crate) struct PauseInMultipliers;

impl PhysicalOptimizerRule for PauseInMultipliers {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let multiplies = node.is::<CrossJoinExec>()
                || node.is::<HashJoinExec>()
                || node.is::<NestedLoopJoinExec>()
                || node.is::<SortMergeJoinExec>()
                || node.is::<UnnestExec>();
            Ok(if multiplies {
                Transformed::yes(Arc::new(CooperativeExec::new(node)) as _)
            } else {
                Transformed::no(node)
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "pause_in_multipliers"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
