//! What the tests of jobs and notebooks have in common.
#![allow(dead_code, reason = "each test file uses its own part")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it cannot go on")]

pub mod python;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use lakelet_base::{Limits, Seed, Timestamp};
use lakelet_protocol::{EventBody, Message, Request, RequestBody, Response, ResponseBody, RunView, WireError};
use lakelet_store::{MemoryStorage, Storage, StorageError};
use lakelet_workspace::{ClockMode, NoPython, PythonHost, Workspace, WorkspaceOptions};
use serde_json::{Map, Value};

/// A log that outlives the workspace, as that of a killed worker does.
#[derive(Clone)]
pub struct SharedLog(Rc<RefCell<MemoryStorage>>, Rc<Cell<usize>>);

impl Default for SharedLog {
    fn default() -> Self {
        Self(Rc::default(), Rc::new(Cell::new(usize::MAX)))
    }
}

impl Storage for SharedLog {
    fn append(&mut self, record: &[u8]) -> Result<(), StorageError> {
        if self.1.get() == 0 {
            return Err(StorageError::Full);
        }
        self.1.set(self.1.get() - 1);
        self.0.borrow_mut().append(record)
    }

    fn read_all(&self) -> Result<Vec<u8>, StorageError> {
        self.0.borrow().read_all()
    }

    fn truncate(&mut self, len: usize) -> Result<(), StorageError> {
        self.0.borrow_mut().truncate(len)
    }
}

impl SharedLog {
    pub fn len(&self) -> usize {
        self.0.borrow().log().len()
    }

    /// There is room for this many more records.
    pub fn fill_after(&self, n_records: usize) {
        self.1.set(n_records);
    }

    /// What a crash after so many bytes leaves.
    pub fn cut(&self, len: usize) -> Self {
        let log = self.0.borrow().log()[..len].to_vec();
        Self(Rc::new(RefCell::new(MemoryStorage::new(log))), Rc::new(Cell::new(usize::MAX)))
    }

    pub fn open(&self) -> Workspace {
        self.open_with(Limits::default())
    }

    /// The same with other limits.
    pub fn open_with(&self, limits: Limits) -> Workspace {
        let options = WorkspaceOptions {
            clock: ClockMode::Simulated { start: Timestamp::LESSON_START },
            limits,
            seed: Seed(7),
            measured_ms: Box::new(|| 0.0),
        };
        Workspace::open(Box::new(self.clone()), options).unwrap().0
    }
}

/// The files of a tutorial.
pub fn project(name: &str) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../projects").join(name);
    let mut files = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
                files.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

/// A tutorial with its sample data and control table.
pub fn tutorial(log: &SharedLog, name: &str) -> Workspace {
    let mut workspace = log.open();
    workspace.open_project(project(name)).unwrap();
    for script in ["src/setup.sql", "src/control_table.sql"] {
        let text = workspace.files()[script].clone();
        sql(&mut workspace, &text);
    }
    workspace
}

/// Runs a script that must succeed.
pub fn sql(workspace: &mut Workspace, text: &str) {
    workspace
        .execute_script("test", text, &Map::new(), |_, _| {})
        .unwrap_or_else(|error| panic!("{}", error.diagnostic));
}

/// The rows of a query as text, cells separated by blanks.
pub fn query(workspace: &mut Workspace, text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    workspace
        .execute_script("test", text, &Map::new(), |_, done| {
            let rows = done.rows.unwrap();
            for batch in &rows.batches {
                for row in 0..batch.num_rows() {
                    let cells = batch.columns().iter().zip(rows.schema.fields());
                    let cells = cells.map(|(column, field)| {
                        lakelet_types::field_cell_text(field, column.as_ref(), row).unwrap_or_else(|| "NULL".to_owned())
                    });
                    lines.push(cells.collect::<Vec<_>>().join(" "));
                }
            }
        })
        .unwrap_or_else(|error| panic!("{}", error.diagnostic));
    lines
}

/// The answer to a request.
pub type Answer = Result<ResponseBody, Box<WireError>>;

/// Answers a request to its end.
pub fn ask(workspace: &mut Workspace, body: RequestBody) -> Answer {
    ask_with(workspace, body, &mut NoPython).0
}

/// The same with Python, and the events that came.
pub fn ask_with(workspace: &mut Workspace, body: RequestBody, python: &mut dyn PythonHost) -> (Answer, Vec<EventBody>) {
    let mut answer = None;
    let mut events = Vec::new();
    for message in workspace.request(Request { id: 42, body }, python) {
        match message {
            Message::Response(Response { id: 42, body }) => answer = Some(body.map_err(Box::new)),
            Message::Response(other) => panic!("an answer that nobody waits for: {other:?}"),
            Message::Event(event) => events.push(event.body),
        }
    }
    (answer.unwrap(), events)
}

/// Steps until nothing is left to do; the answers that came.
pub fn answers(workspace: &mut Workspace) -> Vec<Response> {
    let mut answers = Vec::new();
    loop {
        let step = workspace.step();
        answers.extend(step.messages.into_iter().filter_map(|message| match message {
            Message::Response(response) => Some(response),
            Message::Event(_) => None,
        }));
        if step.idle {
            return answers;
        }
    }
}

/// Runs a job from the page and gives its page once it has ended.
pub fn run(workspace: &mut Workspace, job: &str, python: &mut dyn PythonHost) -> RunView {
    let body = RequestBody::RunJob { job: job.to_owned(), params: Map::new(), only: Vec::new() };
    match ask_with(workspace, body, python).0.unwrap() {
        ResponseBody::Run(view) => workspace.run_view(view.summary.run_id).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// States of the iterations of a task, with rows, attempts and errors.
pub fn iterations(view: &RunView, task: &str) -> Vec<String> {
    let task = view.tasks.iter().find(|found| found.task_key == task).unwrap();
    let iterations = task.iterations.as_ref().unwrap().iter();
    iterations
        .map(|iteration| {
            let last = iteration.attempts.last().unwrap();
            let mut line = format!("{} {}", iteration.label, iteration.state.word());
            if let Some(rows) = &last.rows {
                line.push_str(&format!(" {} rows", rows.n_rows));
            }
            if iteration.attempts.len() > 1 {
                line.push_str(&format!(" attempt {}", last.attempt));
            }
            if let Some(error) = &last.error {
                line.push_str(&format!(" {}", error.condition));
            }
            line
        })
        .collect()
}

/// The record of a run without what depends on time.
pub fn without_times(json: &Value) -> Value {
    let mut json = json.clone();
    fn strip(json: &mut Value) {
        match json {
            Value::Object(map) => {
                for key in ["start", "end", "started", "ended"] {
                    map.remove(key);
                }
                map.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut json);
    json
}
