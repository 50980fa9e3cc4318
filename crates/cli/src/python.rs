//! Python for notebooks: Pyodide under Node, in a process of its own.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use clap::ValueEnum;
use lakelet_protocol::PythonCall;
use lakelet_workspace::{CellFinished, NoPython, PythonHost, RunCell, Workspace};
use serde_json::{Value, json};

/// Names the folder of the `pyodide` package; the script that runs in Node reads it too.
const PYODIDE_VARIABLE: &str = "LAKELET_PYODIDE";
/// Names the folder that holds `js/python-node.mjs`, where the binary has left the checkout it was built in.
const STATIC_VARIABLE: &str = "LAKELET_STATIC";

/// What can run the cells of notebooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PythonKind {
    /// Pyodide under Node.js.
    Node,
}

/// What runs the cells of notebooks.
pub(crate) enum Python {
    /// Nothing does.
    None(NoPython),
    /// Node does.
    Node(Box<NodePython>),
}

impl Python {
    /// The host that `--python` names.
    pub fn new(kind: Option<PythonKind>) -> Self {
        match kind {
            None => Self::None(NoPython),
            Some(PythonKind::Node) => Self::Node(Box::default()),
        }
    }

    /// As the workspace takes it.
    pub fn host(&mut self) -> &mut dyn PythonHost {
        match self {
            Self::None(host) => host,
            Self::Node(host) => host.as_mut(),
        }
    }
}

/// Node with Pyodide; started for the first cell, and again after it broke down.
#[derive(Default)]
pub(crate) struct NodePython {
    process: Option<Process>,
    /// Why it cannot be started. Another attempt would fare no better.
    missing: Option<String>,
}

struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It holds nothing that would have to be saved, and how it ends is of no interest any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl PythonHost for NodePython {
    fn run(&mut self, workspace: &mut Workspace, cell: RunCell) -> CellFinished {
        let process = match self.start() {
            Ok(process) => process,
            Err(message) => return CellFinished::Unavailable { message },
        };
        process.run(workspace, &cell).unwrap_or_else(|message| {
            self.process = None;
            CellFinished::Unavailable { message }
        })
    }
}

impl NodePython {
    fn start(&mut self) -> Result<&mut Process, String> {
        if let Some(message) = &self.missing {
            return Err(message.clone());
        }
        match &mut self.process {
            Some(process) => Ok(process),
            none => match Process::start() {
                Ok(process) => Ok(none.insert(process)),
                Err(message) => {
                    self.missing = Some(message.clone());
                    Err(message)
                }
            },
        }
    }
}

impl Process {
    fn start() -> Result<Self, String> {
        let script = script()?;
        let pyodide = pyodide(&script)?;
        let mut readable = script.clone();
        // The script stands in `static/js`; the Python files are beside that folder.
        readable.pop();
        readable.pop();
        let mut child = Command::new("node")
            .args(["--no-warnings", "--disallow-code-generation-from-strings", "--experimental-permission"])
            .arg(permission(&readable))
            .arg(permission(&pyodide))
            .arg(&script)
            .env(PYODIDE_VARIABLE, &pyodide)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("Node.js does not start: {error}."))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("Node.js has no input and output.".to_owned());
        };
        let mut process = Self { child, input, output: BufReader::new(output) };
        match process.read()?.get("ready") {
            Some(Value::Bool(true)) => Ok(process),
            _ => Err("Node.js began with something else than expected.".to_owned()),
        }
    }

    fn run(&mut self, workspace: &mut Workspace, cell: &RunCell) -> Result<CellFinished, String> {
        self.write(&json!({ "run": cell }))?;
        loop {
            let mut message = self.read()?;
            if let Some(outcome) = message.get_mut("outcome").map(Value::take) {
                return serde_json::from_value(outcome).map_err(|error| format!("Python's answer: {error}."));
            }
            let call = message.get_mut("call").map(Value::take).unwrap_or_default();
            let call: PythonCall =
                serde_json::from_value(call).map_err(|error| format!("A call of Python: {error}."))?;
            let reply = workspace.python_call(call);
            self.write(&json!({ "reply": reply }))?;
        }
    }

    fn write(&mut self, message: &Value) -> Result<(), String> {
        let written = writeln!(self.input, "{message}").and_then(|()| self.input.flush());
        written.map_err(|error| format!("Node.js has ended: {error}."))
    }

    fn read(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err("Node.js has ended.".to_owned()),
            Ok(_) => {
                serde_json::from_str(&line).map_err(|error| format!("Node.js wrote {}: {error}.", line.trim_end()))
            }
            Err(error) => Err(format!("Node.js cannot be read: {error}.")),
        }
    }
}

/// Leave to read a folder.
fn permission(folder: &Path) -> OsString {
    let mut argument = OsString::from("--allow-fs-read=");
    argument.push(folder.join("*"));
    argument
}

/// The script that runs cells: in the folder that the environment names, else in the checkout that the binary was built
/// in. Never in the working folder, which may be somebody else's project.
fn script() -> Result<PathBuf, String> {
    let folder = std::env::var_os(STATIC_VARIABLE).map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../static"));
    let script = folder.join("js/python-node.mjs");
    script
        .canonicalize()
        .map_err(|error| format!("{}: {error}. Name the folder that holds it in {STATIC_VARIABLE}.", script.display()))
}

/// The folder of Pyodide: that which the environment names, else in the node modules around the script.
fn pyodide(script: &Path) -> Result<PathBuf, String> {
    let named = std::env::var_os(PYODIDE_VARIABLE).map(PathBuf::from);
    let mut installed = script.ancestors().map(|folder| folder.join("node_modules/pyodide"));
    let folder = named.or_else(|| installed.find(|folder| folder.is_dir()));
    let folder = folder.ok_or_else(|| {
        format!(
            "Pyodide is not installed. Run cargo xtask setup, or name the folder of its package in {PYODIDE_VARIABLE}."
        )
    })?;
    // Node judges permissions by where a file really is.
    folder.canonicalize().map_err(|error| format!("{}: {error}.", folder.display()))
}
