//! Store, engine and pipelines without a workspace.

use std::collections::HashMap;

use lakelet_base::{Limits, Timestamp};
use lakelet_engine::{Engine, Parameters, Prepared, Scope, Session, Step, canonical_rows, diagnostic};
use lakelet_pipelines::{PipelineOutcome, Pipelines, PreparedPipeline};
use lakelet_store::{MemoryStorage, Store};

pub struct Lake {
    pub store: Store,
    pub storage: MemoryStorage,
    pub engine: Engine,
    pub pipelines: Pipelines,
    pub session: Session,
    pub now: Timestamp,
}

impl Lake {
    pub fn new() -> Self {
        Self {
            store: Store::new(),
            storage: MemoryStorage::default(),
            engine: Engine::new(&Limits::default()).unwrap(),
            pipelines: Pipelines::default(),
            session: Session::default(),
            now: Timestamp::LESSON_START,
        }
    }

    /// Runs statements; rows of the last one as text, cells joined by `|`.
    pub fn run(&mut self, script: &str) -> Vec<String> {
        self.try_run(script).unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn try_run(&mut self, script: &str) -> Result<Vec<String>, String> {
        let mut rows = Vec::new();
        let limits = Limits::default();
        for statement in lakelet_syntax::parse_script(script, &limits).statements {
            let parsed = statement.statement.as_ref().map_err(|error| error.to_string())?;
            let (parameters, stand_ins) = (Parameters::new(), HashMap::new());
            let store = self.store.clone();
            let scope = Scope {
                store: &store,
                session: &self.session.clone(),
                now: self.now,
                parameters: &parameters,
                limits: &limits,
                text: statement.text(),
                stand_ins: &stand_ins,
                view_depth: 0,
            };
            let prepared = self.pipelines.prepare(&self.engine, parsed, &scope).map_err(|error| error.to_string())?;
            let (finished, shown) = finish(prepared)?;
            rows = shown;
            let PipelineOutcome { outcome, after, .. } = finished;
            if let Some(session) = outcome.session {
                self.session = session;
            }
            if let Some(transaction) = outcome.transaction {
                let committed =
                    self.store.commit(transaction, self.now, &mut self.storage).map_err(|error| error.to_string())?;
                self.now = self.now.max(committed.timestamp);
                if let Some(after) = after {
                    self.pipelines.committed(after, &committed);
                }
            }
        }
        Ok(rows)
    }
}

fn finish(prepared: PreparedPipeline) -> Result<(PipelineOutcome, Vec<String>), String> {
    let plain = |outcome| PipelineOutcome { outcome, report: None, after: None };
    let collect = |mut execution: lakelet_engine::Execution, names: &lakelet_engine::PlanNames| {
        let mut batches = Vec::new();
        loop {
            match execution.step().map_err(|error| diagnostic(&error, names).to_string())? {
                Step::Page(batch) => batches.push(batch),
                Step::Progress => {}
                Step::Done => return Ok::<_, String>(batches),
            }
        }
    };
    match prepared {
        PreparedPipeline::Statement(Prepared::Done(outcome)) => Ok((plain(*outcome), Vec::new())),
        PreparedPipeline::Statement(Prepared::Query { execution, columns, names }) => {
            let fields: Vec<_> = columns.iter().map(|column| column.field.as_ref().clone()).collect();
            let schema = std::sync::Arc::new(arrow::datatypes::Schema::new(fields));
            let mut rows = Vec::new();
            for batch in collect(execution, &names)? {
                let batch = canonical_rows(&batch, &schema).map_err(|error| error.to_string())?;
                for row in 0..batch.num_rows() {
                    let cells = batch.columns().iter().map(|column| {
                        lakelet_types::cell_text(column.as_ref(), row).unwrap_or_else(|| "NULL".to_owned())
                    });
                    rows.push(cells.collect::<Vec<_>>().join("|"));
                }
            }
            Ok((plain(lakelet_engine::Outcome::default()), rows))
        }
        PreparedPipeline::Statement(Prepared::Write { execution, finish, names }) => {
            let outcome = finish(collect(execution, &names)?).map_err(|error| error.to_string())?;
            Ok((plain(outcome), Vec::new()))
        }
        PreparedPipeline::Refresh { execution, finish, names } => {
            Ok((finish(collect(execution, &names)?).map_err(|error| error.to_string())?, Vec::new()))
        }
        PreparedPipeline::Nothing(outcome) => Ok((*outcome, Vec::new())),
    }
}
