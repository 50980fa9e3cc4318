//! Python for notebooks: Pyodide under Node, in a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lakelet_protocol::PythonCall;
use lakelet_workspace::{CellFinished, NoPython, PythonHost, RunCell, Workspace};
use serde_json::{Value, json};

use crate::Failure;

/// Names the folder of the `pyodide` package.
const PYODIDE_VARIABLE: &str = "LAKELET_PYODIDE";
/// Names the folder with `js/python-node.mjs`, where the binary does not stand in a checkout.
const STATIC_VARIABLE: &str = "LAKELET_STATIC";

/// What runs notebooks' cells.
pub(crate) enum Python {
    /// Nothing does.
    None(NoPython),
    /// Node does.
    Node(Box<NodePython>),
}

impl Python {
    /// The host that `--python` names.
    pub fn new(name: Option<&str>) -> Result<Self, Failure> {
        match name {
            None => Ok(Self::None(NoPython)),
            Some("node") => Ok(Self::Node(Box::default())),
            Some(other) => Err(Failure::Usage(format!("--python takes node, not {other}"))),
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

/// Node with Pyodide; started for the first cell.
#[derive(Default)]
pub(crate) struct NodePython {
    process: Option<Process>,
}

struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process ends when its input does; one that does not is ended, and its fate is of no interest.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl PythonHost for NodePython {
    fn run(&mut self, workspace: &mut Workspace, cell: RunCell) -> CellFinished {
        self.try_run(workspace, &cell).unwrap_or_else(|message| {
            self.process = None;
            CellFinished::Unavailable { message }
        })
    }
}

impl NodePython {
    fn try_run(&mut self, workspace: &mut Workspace, cell: &RunCell) -> Result<CellFinished, String> {
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(start()?),
        };
        process.write(&json!({ "run": cell }))?;
        loop {
            let mut message = process.read()?;
            if let Some(outcome) = message.get_mut("outcome").map(Value::take) {
                return serde_json::from_value(outcome).map_err(|error| format!("Python's answer: {error}"));
            }
            let call: PythonCall = serde_json::from_value(message["call"].take())
                .map_err(|error| format!("a call from Python cannot be read: {error}"))?;
            let reply = workspace.python_call(call);
            process.write(&json!({ "reply": reply }))?;
        }
    }
}

impl Process {
    fn write(&mut self, message: &Value) -> Result<(), String> {
        writeln!(self.input, "{message}")
            .and_then(|()| self.input.flush())
            .map_err(|error| format!("Python has ended: {error}"))
    }

    fn read(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err("Python has ended".to_owned()),
            Ok(_) => serde_json::from_str(&line).map_err(|error| format!("Python wrote {}: {error}", line.trim_end())),
            Err(error) => Err(format!("Python has ended: {error}")),
        }
    }
}

fn start() -> Result<Process, String> {
    let script = script()?;
    let mut command = Command::new("node");
    command.arg("--disallow-code-generation-from-strings").arg(&script);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    if let Some(pyodide) = std::env::var_os(PYODIDE_VARIABLE) {
        command.env(PYODIDE_VARIABLE, pyodide);
    }
    let mut child = command.spawn().map_err(|error| format!("Node does not start: {error}"))?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("Node has no input and output".to_owned());
    };
    let mut process = Process { child, input, output: BufReader::new(output) };
    let ready = process.read()?;
    if ready["ready"] == json!(true) { Ok(process) } else { Err(format!("Python began with {ready}")) }
}

/// The script that runs cells: in the folder that the environment names, in the working folder, or in the checkout that
/// the binary was built in.
fn script() -> Result<PathBuf, String> {
    let named = std::env::var_os(STATIC_VARIABLE).map(PathBuf::from);
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../static");
    let candidates = [named, Some(PathBuf::from("static")), Some(checkout)];
    candidates
        .into_iter()
        .flatten()
        .map(|folder| folder.join("js/python-node.mjs"))
        .find(|script| script.is_file())
        .ok_or_else(|| format!("js/python-node.mjs is not there; name its folder in {STATIC_VARIABLE}"))
}
