//! The outline of a lesson text: front matter, introduction, steps, and the fences that mean something.

use std::borrow::Cow;

use lakelet_base::LineIndex;
use toml::de::{DeTable, DeValue};

use crate::info::Info;
use crate::markdown::{Node, parse_with_offsets, plain_text};
use crate::{LESSON_BYTES_MAX, LessonProblem};

/// A text cut into its parts, fences not yet understood.
pub(crate) struct Document {
    pub front: FrontMatter,
    pub intro: Vec<Node>,
    pub steps: Vec<RawStep>,
}

/// What stands between the `+++` lines.
#[derive(Debug, Default)]
pub(crate) struct FrontMatter {
    pub id: String,
    pub title: String,
    pub summary: String,
    pub minutes: u32,
    pub version: u32,
    /// Line of each key, for problems.
    version_line: u32,
    id_line: u32,
}

impl FrontMatter {
    pub fn version_line(&self) -> u32 {
        self.version_line
    }

    pub fn id_line(&self) -> u32 {
        self.id_line
    }
}

pub(crate) struct RawStep {
    pub line: u32,
    pub id: Option<String>,
    pub heading: String,
    pub parts: Vec<Part>,
}

pub(crate) enum Part {
    Prose(Vec<Node>),
    Fold { title: String, body: Vec<Node> },
    Fence { line: u32, info: Info, text: String },
}

/// Cuts `text` into its parts. Problems go to `problems`; what can be read is read all the same.
pub(crate) fn read_document(text: &str, problems: &mut Vec<LessonProblem>) -> Document {
    if text.len() > LESSON_BYTES_MAX {
        problems.push(LessonProblem::new(1, format!("A lesson may be {LESSON_BYTES_MAX} bytes long, this is longer.")));
        return Document { front: FrontMatter::default(), intro: Vec::new(), steps: Vec::new() };
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text: Cow<'_, str> = if text.contains('\r') { text.replace("\r\n", "\n").into() } else { text.into() };
    let (front, body, first_line) = split_front_matter(&text, problems);
    let front = read_front_matter(front, problems);
    let lines = LineIndex::new(body);
    let mut outline = Outline { intro: Vec::new(), steps: Vec::new(), in_fold: false };
    for (offset, node) in parse_with_offsets(body) {
        let line = lines.line_column(offset).line + first_line - 1;
        outline.add(line, node, problems);
    }
    if outline.steps.is_empty() {
        problems
            .push(LessonProblem::new(first_line, "There is no step: a step begins with a heading like `## Prepare`."));
    }
    Document { front, intro: outline.intro, steps: outline.steps }
}

struct Outline {
    intro: Vec<Node>,
    steps: Vec<RawStep>,
    in_fold: bool,
}

impl Outline {
    fn add(&mut self, line: u32, node: Node, problems: &mut Vec<LessonProblem>) {
        if let Node::Heading { level: 2, id, content, .. } = node {
            self.in_fold = false;
            self.steps.push(RawStep { line, id, heading: plain_text(&content), parts: Vec::new() });
            return;
        }
        let Some(step) = self.steps.last_mut() else {
            if let Node::Code { info, .. } = &node
                && Info::is_lesson_fence(info)
            {
                problems.push(LessonProblem::new(line, "This block stands before the first `## ` step."));
            }
            self.intro.push(node);
            return;
        };
        match node {
            Node::Heading { level, classes, content, .. } if level <= 3 => {
                let title = plain_text(&content);
                self.in_fold = classes.iter().any(|class| class == "fold");
                if self.in_fold {
                    step.parts.push(Part::Fold { title, body: Vec::new() });
                } else {
                    prose(step, Node::Heading { level, id: None, classes, content });
                }
            }
            // Plain SQL in a fold is part of the explanation, not something to do.
            Node::Code { info, text } if Info::is_lesson_fence(&info) && !(self.in_fold && info.trim() == "sql") => {
                self.in_fold = false;
                match Info::parse(&info) {
                    Ok(info) => step.parts.push(Part::Fence { line, info, text }),
                    Err(message) => problems.push(LessonProblem::new(line, message)),
                }
            }
            node => match step.parts.last_mut() {
                Some(Part::Fold { body, .. }) if self.in_fold => body.push(node),
                _ => prose(step, node),
            },
        }
    }
}

fn prose(step: &mut RawStep, node: Node) {
    match step.parts.last_mut() {
        Some(Part::Prose(nodes)) => nodes.push(node),
        _ => step.parts.push(Part::Prose(vec![node])),
    }
}

/// Front matter, the text after it, and the 1-based line where that begins.
fn split_front_matter<'a>(text: &'a str, problems: &mut Vec<LessonProblem>) -> (&'a str, &'a str, u32) {
    let fence = text.lines().next().map(str::trim_end).filter(|line| matches!(*line, "+++" | "---"));
    let Some(fence) = fence else {
        problems.push(LessonProblem::new(1, "The text must begin with front matter: TOML between two lines `+++`."));
        return ("", text, 1);
    };
    let front_start = text.find('\n').map_or(text.len(), |index| index + 1);
    let mut offset = front_start;
    for (index, line) in text[front_start..].split_inclusive('\n').enumerate() {
        if line.trim_end() == fence {
            let first_line = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(3);
            return (&text[front_start..offset], &text[offset + line.len()..], first_line);
        }
        offset += line.len();
    }
    problems.push(LessonProblem::new(1, format!("The front matter has no end: a second line `{fence}` is missing.")));
    ("", &text[front_start..], 2)
}

fn read_front_matter(text: &str, problems: &mut Vec<LessonProblem>) -> FrontMatter {
    let lines = LineIndex::new(text);
    // The front matter begins on the second line of the lesson.
    let line_of = |offset: usize| lines.line_column(offset).line + 1;
    let mut front = FrontMatter { version_line: 1, id_line: 1, ..FrontMatter::default() };
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let line = line_of(error.span().map_or(0, |span| span.start));
            problems.push(LessonProblem::new(line, format!("The front matter is not TOML: {}.", error.message())));
            return front;
        }
    };
    for (key, value) in &table {
        let line = line_of(key.span().start);
        let problem = match key.get_ref().as_ref() {
            "id" => {
                front.id_line = line;
                put_text(value.get_ref(), &mut front.id)
            }
            "title" => put_text(value.get_ref(), &mut front.title),
            "summary" => put_text(value.get_ref(), &mut front.summary),
            "minutes" => put_count(value.get_ref(), &mut front.minutes),
            "version" => {
                front.version_line = line;
                put_count(value.get_ref(), &mut front.version)
            }
            _ => Some("means nothing here; known are id, title, summary, minutes and version"),
        };
        if let Some(problem) = problem {
            problems.push(LessonProblem::new(line, format!("`{}` {problem}.", key.get_ref())));
        }
    }
    for (key, missing) in [
        ("id", front.id.is_empty()),
        ("title", front.title.is_empty()),
        ("summary", front.summary.is_empty()),
        ("version", front.version == 0),
    ] {
        if missing && !text.is_empty() && !table.contains_key(key) {
            problems.push(LessonProblem::new(1, format!("`{key}` is missing in the front matter.")));
        }
    }
    front
}

fn put_text(value: &DeValue<'_>, place: &mut String) -> Option<&'static str> {
    match value.as_str().map(str::trim) {
        Some(text) if !text.is_empty() => {
            text.clone_into(place);
            None
        }
        _ => Some("must be text in quotes"),
    }
}

fn put_count(value: &DeValue<'_>, place: &mut u32) -> Option<&'static str> {
    match value.as_integer().and_then(|value| value.as_str().parse::<u32>().ok()) {
        Some(count) if count > 0 => {
            *place = count;
            None
        }
        _ => Some("must be a whole number, 1 or more"),
    }
}
