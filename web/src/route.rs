//! Places in the page and the hash addresses that name them.
//!
//! Hash addresses work on any static host, in a sub-folder and inside a frame. Every part of a path is
//! percent-encoded, so that names of tables, tabs and jobs may hold any character.

use std::fmt;

use lakelet_base::TableName;

#[cfg(test)]
mod tests;

/// A tab of a table's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableTab {
    /// Rows with time travel.
    #[default]
    Data,
    /// Columns with types and defaults.
    Columns,
    /// Commits.
    History,
    /// The change feed.
    Changes,
    /// Histories of the keys of an SCD type 2 table.
    Versions,
    /// What each refresh did.
    Refreshes,
    /// What it reads and what reads it.
    Lineage,
    /// The statement that makes it.
    Definition,
}

impl TableTab {
    /// All tabs in the order in which they stand.
    pub const ALL: [Self; 8] = [
        Self::Data,
        Self::Columns,
        Self::History,
        Self::Changes,
        Self::Versions,
        Self::Refreshes,
        Self::Lineage,
        Self::Definition,
    ];

    /// The word in an address.
    pub fn key(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Columns => "columns",
            Self::History => "history",
            Self::Changes => "changes",
            Self::Versions => "versions",
            Self::Refreshes => "refreshes",
            Self::Lineage => "lineage",
            Self::Definition => "definition",
        }
    }

    fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tab| tab.key() == key)
    }
}

/// A place within the jobs part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobPlace {
    /// All jobs.
    List,
    /// One job's page.
    Job {
        /// Job's name.
        job: String,
    },
    /// The form of one task.
    Task {
        /// Job's name.
        job: String,
        /// Task key.
        task: String,
    },
    /// Runs of a job, with the matrix.
    Runs {
        /// Job's name.
        job: String,
    },
    /// One run.
    Run {
        /// Job's name.
        job: String,
        /// Number among the job's runs, 1-based.
        run: u64,
        /// A task of the run.
        task: Option<String>,
        /// An iteration of that task, 0-based.
        iteration: Option<u32>,
    },
}

/// A place in the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// Home.
    Home,
    /// The list of lessons.
    Lessons,
    /// A lesson, on a step (0-based in the lesson's list; the address has the same number).
    Lesson {
        /// Project id, `t1`.
        lesson: String,
        /// Step; the start when absent.
        step: Option<usize>,
    },
    /// Wherever the reader was last in the workspace.
    Workspace,
    /// The SQL editor, on a tab.
    Sql {
        /// Tab id; the current one when absent.
        tab: Option<String>,
    },
    /// Notebooks, or one of them.
    Notebook {
        /// Path in the project; the list when absent.
        path: Option<String>,
    },
    /// Jobs.
    Jobs(JobPlace),
    /// Tables of the workspace.
    Data,
    /// One table's page.
    Table {
        /// The table.
        table: TableName,
        /// Tab.
        tab: TableTab,
        /// Version looked at; the latest when absent.
        version: Option<u64>,
    },
    /// The pipeline graph.
    Flow,
    /// Settings.
    Settings,
    /// A help page: `keys`, `limits`.
    Help {
        /// Which.
        page: String,
    },
    /// An address that names no place.
    Unknown {
        /// The address after `#`.
        address: String,
    },
}

impl Route {
    /// The place that the part of an address after `#` names.
    pub fn parse(hash: &str) -> Self {
        let hash = hash.strip_prefix('#').unwrap_or(hash);
        let (path, query) = hash.split_once('?').unwrap_or((hash, ""));
        let parts: Option<Vec<String>> = path.split('/').filter(|part| !part.is_empty()).map(percent_decode).collect();
        let unknown = || Self::Unknown { address: hash.to_owned() };
        let Some(parts) = parts else { return unknown() };
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match parts.as_slice() {
            [] => Self::Home,
            ["learn"] => Self::Lessons,
            ["learn", lesson] => Self::Lesson { lesson: (*lesson).to_owned(), step: None },
            ["learn", lesson, step] => match step.parse() {
                Ok(step) => Self::Lesson { lesson: (*lesson).to_owned(), step: Some(step) },
                Err(_) => unknown(),
            },
            ["w"] => Self::Workspace,
            ["w", "sql"] => Self::Sql { tab: None },
            ["w", "sql", tab] => Self::Sql { tab: Some((*tab).to_owned()) },
            ["w", "nb"] => Self::Notebook { path: None },
            ["w", "nb", path @ ..] => Self::Notebook { path: Some(path.join("/")) },
            ["w", "jobs", rest @ ..] => parse_jobs(rest).map_or_else(unknown, Self::Jobs),
            ["w", "data"] => Self::Data,
            ["w", "data", catalog, schema, table] => {
                let parameters = query_parameters(query);
                let value =
                    |name: &str| parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
                Self::Table {
                    table: TableName::new(*catalog, *schema, *table),
                    tab: value("tab").and_then(TableTab::from_key).unwrap_or_default(),
                    version: value("v").and_then(|version| version.parse().ok()),
                }
            }
            ["w", "flow"] => Self::Flow,
            ["settings"] => Self::Settings,
            ["help", page @ ("keys" | "limits")] => Self::Help { page: (*page).to_owned() },
            _ => unknown(),
        }
    }

    /// Whether the place shows a workspace, and so has the rail, the catalog and the clock.
    pub fn is_in_workspace(&self) -> bool {
        !matches!(self, Self::Home | Self::Lessons | Self::Settings | Self::Help { .. } | Self::Unknown { .. })
    }
}

fn parse_jobs(parts: &[&str]) -> Option<JobPlace> {
    let place = match parts {
        [] => JobPlace::List,
        [job] => JobPlace::Job { job: (*job).to_owned() },
        [job, "tasks", task] => JobPlace::Task { job: (*job).to_owned(), task: (*task).to_owned() },
        [job, "runs"] => JobPlace::Runs { job: (*job).to_owned() },
        [job, "runs", run, rest @ ..] if rest.len() <= 2 => JobPlace::Run {
            job: (*job).to_owned(),
            run: run.parse().ok()?,
            task: rest.first().map(|task| (*task).to_owned()),
            iteration: match rest.get(1) {
                Some(iteration) => Some(iteration.parse().ok()?),
                None => None,
            },
        },
        _ => return None,
    };
    Some(place)
}

impl fmt::Display for Route {
    /// The address with its `#`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encode = percent_encode;
        match self {
            Self::Home => f.write_str("#/"),
            Self::Lessons => f.write_str("#/learn"),
            Self::Lesson { lesson, step: None } => write!(f, "#/learn/{}", encode(lesson)),
            Self::Lesson { lesson, step: Some(step) } => write!(f, "#/learn/{}/{step}", encode(lesson)),
            Self::Workspace => f.write_str("#/w"),
            Self::Sql { tab: None } => f.write_str("#/w/sql"),
            Self::Sql { tab: Some(tab) } => write!(f, "#/w/sql/{}", encode(tab)),
            Self::Notebook { path: None } => f.write_str("#/w/nb"),
            Self::Notebook { path: Some(path) } => {
                f.write_str("#/w/nb")?;
                path.split('/').try_for_each(|part| write!(f, "/{}", encode(part)))
            }
            Self::Jobs(place) => place.fmt(f),
            Self::Data => f.write_str("#/w/data"),
            Self::Table { table, tab, version } => {
                let TableName { catalog, schema, name } = table;
                write!(f, "#/w/data/{}/{}/{}", encode(catalog), encode(schema), encode(name))?;
                let mut separator = '?';
                if *tab != TableTab::default() {
                    write!(f, "?tab={}", tab.key())?;
                    separator = '&';
                }
                match version {
                    Some(version) => write!(f, "{separator}v={version}"),
                    None => Ok(()),
                }
            }
            Self::Flow => f.write_str("#/w/flow"),
            Self::Settings => f.write_str("#/settings"),
            Self::Help { page } => write!(f, "#/help/{}", encode(page)),
            Self::Unknown { address } => write!(f, "#{address}"),
        }
    }
}

impl fmt::Display for JobPlace {
    /// The address with its `#`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encode = percent_encode;
        match self {
            Self::List => f.write_str("#/w/jobs"),
            Self::Job { job } => write!(f, "#/w/jobs/{}", encode(job)),
            Self::Task { job, task } => write!(f, "#/w/jobs/{}/tasks/{}", encode(job), encode(task)),
            Self::Runs { job } => write!(f, "#/w/jobs/{}/runs", encode(job)),
            Self::Run { job, run, task, iteration } => {
                write!(f, "#/w/jobs/{}/runs/{run}", encode(job))?;
                if let Some(task) = task {
                    write!(f, "/{}", encode(task))?;
                    if let Some(iteration) = iteration {
                        write!(f, "/{iteration}")?;
                    }
                }
                Ok(())
            }
        }
    }
}

/// `name=value` pairs of a query, decoded; pairs that do not decode are left out.
pub fn query_parameters(query: &str) -> Vec<(String, String)> {
    query
        .strip_prefix('?')
        .unwrap_or(query)
        .split('&')
        .filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (!name.is_empty()).then_some(())?;
            Some((percent_decode(name)?, percent_decode(value)?))
        })
        .collect()
}

/// Encodes everything but letters, digits and `-_.~`.
fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            for digit in [byte >> 4, byte & 15] {
                encoded.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
            }
        }
    }
    encoded
}

/// The reverse; `None` when a `%` is not followed by two hexadecimal digits or the bytes are no UTF-8.
fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push((high * 16 + low) as u8);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
