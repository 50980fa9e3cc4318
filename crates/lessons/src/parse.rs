//! From text to [`Lesson`].

use std::collections::HashSet;

use lakelet_bundle::{FieldError, RecipeEntry, Yaml, parse_yaml};
use serde_json::Value;

use crate::LessonProblem;
use crate::check::Check;
use crate::document::{Part, RawStep, read_document};
use crate::info::Info;
use crate::lesson::{ActionBlock, Block, Code, JobBlock, Lesson, Place, PythonBlock, SqlBlock, Step};
use crate::question::Question;

/// Reads the English text of a lesson, the one that holds the code.
///
/// # Errors
/// Everything that is wrong with it, by line.
pub fn parse(text: &str) -> Result<Lesson, Vec<LessonProblem>> {
    let mut problems = Vec::new();
    let document = read_document(text, &mut problems);
    if !document.front.id.is_empty() && !is_id(&document.front.id) {
        let message = "`id` must be lower-case letters, digits and hyphens.";
        problems.push(LessonProblem::new(document.front.id_line(), message));
    }
    let mut ids = HashSet::new();
    let steps: Vec<Step> =
        document.steps.into_iter().enumerate().map(|(index, raw)| step(index, raw, &mut ids, &mut problems)).collect();
    check_failing_blocks(&steps, &mut problems);
    if !problems.is_empty() {
        problems.sort_by_key(|problem| problem.line);
        return Err(problems);
    }
    Ok(Lesson {
        id: document.front.id,
        title: document.front.title,
        version: document.front.version,
        minutes: document.front.minutes,
        summary: document.front.summary,
        intro: document.intro,
        steps,
    })
}

fn step(index: usize, raw: RawStep, ids: &mut HashSet<String>, problems: &mut Vec<LessonProblem>) -> Step {
    let id = raw.id.clone().unwrap_or_else(|| slug(&raw.heading, index));
    if !is_id(&id) {
        problems.push(LessonProblem::new(
            raw.line,
            format!("The id `{id}` must be lower-case letters, digits and hyphens."),
        ));
    }
    if !ids.insert(id.clone()) {
        problems
            .push(LessonProblem::new(raw.line, format!("Two steps have the id `{id}`; give one another: `{{#id}}`.")));
    }
    let mut number = 0;
    let mut blocks = Vec::new();
    for part in raw.parts {
        match part {
            Part::Prose(nodes) => blocks.push(Block::Prose(nodes)),
            Part::Fold { title, body } => blocks.push(Block::Fold { title, body }),
            Part::Fence { line, info, text } => {
                number += 1;
                match fence(Place { line, number }, info, &text) {
                    Ok(block) => blocks.push(block),
                    Err(problem) => problems.push(problem),
                }
            }
        }
    }
    check_exercises(&blocks, problems);
    Step { id, heading: raw.heading, line: raw.line, blocks }
}

/// What must fail stands in a tab of its own, else nothing after it in the tab could be run as a whole.
fn check_failing_blocks(steps: &[Step], problems: &mut Vec<LessonProblem>) {
    let blocks = || {
        steps.iter().flat_map(|step| &step.blocks).filter_map(|block| match block {
            Block::Sql(block) | Block::Starter(Code::Sql(block)) | Block::Solution(Code::Sql(block)) => Some(block),
            _ => None,
        })
    };
    for failing in blocks().filter(|block| block.fails.is_some()) {
        let is_alone = failing.tab.is_some() && blocks().filter(|block| block.tab == failing.tab).count() == 1;
        if !is_alone {
            let message = "A block that must fail needs a tab of its own: `tab=` with a title that no other block has.";
            problems.push(LessonProblem::new(failing.place.line, message));
        }
    }
}

/// A starter needs a solution and a check, else it proves nothing.
fn check_exercises(blocks: &[Block], problems: &mut Vec<LessonProblem>) {
    for (index, block) in blocks.iter().enumerate() {
        let Block::Starter(code) = block else { continue };
        let exercise = || blocks.iter().skip(index + 1).take_while(|block| !matches!(block, Block::Starter(_)));
        for (kind, missing) in [
            ("solution", !exercise().any(|block| matches!(block, Block::Solution(_)))),
            ("check", !exercise().any(|block| matches!(block, Block::Check(_)))),
        ] {
            if missing {
                let message = format!("This starter has no `{kind}` block after it in the same step.");
                problems.push(LessonProblem::new(code.place().line, message));
            }
        }
    }
}

fn fence(place: Place, mut info: Info, text: &str) -> Result<Block, LessonProblem> {
    let problem = |message: String| LessonProblem::new(place.line, message);
    let block = match info.word.as_str() {
        "starter" => Block::Starter(exercise_code(place, &mut info, text)?),
        "solution" => Block::Solution(exercise_code(place, &mut info, text)?),
        "action" => {
            let title = info.take("title");
            Block::Action(ActionBlock { place, entries: entries(place, text)?, title })
        }
        "predict" => {
            let (yaml, json) = body(place, text)?;
            Block::Predict(Question::from_json(place, &json).map_err(|error| field_problem(place, &yaml, &error))?)
        }
        "check" => {
            let (yaml, json) = body(place, text)?;
            Block::Check(Check::from_json(place, &json).map_err(|error| field_problem(place, &yaml, &error))?)
        }
        "block" => {
            return Err(problem("A `block` fence belongs into a translation; here the code itself stands.".into()));
        }
        _ => match code(place, &mut info, text)? {
            Code::Sql(block) => Block::Sql(block),
            Code::Python(block) => Block::Python(block),
            Code::Job(block) => Block::Job(block),
        },
    };
    match info.rest() {
        Some(rest) => Err(problem(format!("`{rest}` means nothing behind ```{}.", info.word))),
        None => Ok(block),
    }
}

/// `solution python notebook=…` is what `python notebook=…` is; a bare `solution` is SQL that runs.
fn exercise_code(place: Place, info: &mut Info, text: &str) -> Result<Code, LessonProblem> {
    let word = ["sql", "python", "job"].into_iter().find(|word| info.take_flag(word)).unwrap_or("sql");
    let word = std::mem::replace(&mut info.word, word.to_owned());
    let mut code = code(place, info, text)?;
    info.word = word;
    if let Code::Sql(block) = &mut code {
        block.run = true;
    }
    Ok(code)
}

fn code(place: Place, info: &mut Info, text: &str) -> Result<Code, LessonProblem> {
    let problem = |message: &str| LessonProblem::new(place.line, message);
    let title = info.take("title");
    let path = |info: &mut Info, name: &str| {
        let path = info.take(name);
        match path {
            Some(path) if !is_project_path(&path) => Err(LessonProblem::new(
                place.line,
                format!("`{path}` is not a path inside the project, like `src/setup.sql`."),
            )),
            path => Ok(path),
        }
    };
    let is_empty = text.trim().is_empty();
    Ok(match info.word.as_str() {
        "python" => Code::Python(PythonBlock {
            place,
            text: text.to_owned(),
            notebook: path(info, "notebook")?.ok_or_else(|| problem("`notebook=` needs a path."))?,
            run: info.take_flag("run"),
            title,
        }),
        "job" => Code::Job(JobBlock {
            place,
            text: text.to_owned(),
            path: path(info, "path")?.ok_or_else(|| problem("A job block needs the path of its file: `path=`."))?,
            title,
        }),
        _ => {
            let block = SqlBlock {
                place,
                text: text.to_owned(),
                run: info.take_flag("run"),
                path: path(info, "path")?,
                tab: info.take("tab"),
                title,
                fails: info.take("fails"),
            };
            if is_empty && block.path.is_none() {
                return Err(problem("This block is empty. Put code into it, or name a project file: `path=`."));
            }
            if block.fails.is_some() && !block.run {
                return Err(problem("`fails=` says how a run ends, so the block must be marked `run` too."));
            }
            Code::Sql(block)
        }
    })
}

fn entries(place: Place, text: &str) -> Result<Vec<RecipeEntry>, LessonProblem> {
    let (yaml, json) = body(place, text)?;
    let list = match &json {
        Value::Array(items) => items.as_slice(),
        other => std::slice::from_ref(other),
    };
    if list.is_empty() {
        return Err(LessonProblem::new(place.line, "This action does nothing."));
    }
    let is_list = json.is_array();
    list.iter()
        .enumerate()
        .map(|(index, entry)| {
            let path = if is_list { format!("[{index}]") } else { String::new() };
            RecipeEntry::from_json(entry, &path).map_err(|error| field_problem(place, &yaml, &error))
        })
        .collect()
}

/// The YAML of a fence.
pub(crate) fn body(place: Place, text: &str) -> Result<(Yaml, Value), LessonProblem> {
    let yaml =
        parse_yaml(text).map_err(|error| LessonProblem::new(place.line.saturating_add(error.line), error.message))?;
    let json = yaml.to_json();
    Ok((yaml, json))
}

/// A problem at the line of the field, or of the nearest thing around it.
pub(crate) fn field_problem(place: Place, yaml: &Yaml, error: &FieldError) -> LessonProblem {
    let line = yaml.line_at(&error.path).unwrap_or(yaml.line);
    LessonProblem::new(place.line.saturating_add(line), error.message.clone())
}

/// Lower-case letters, digits and hyphens.
pub(crate) fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// An id made of the heading; `step-3` where no letter of it can stand in one.
fn slug(heading: &str, index: usize) -> String {
    let mut slug = String::new();
    for c in heading.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { format!("step-{}", index + 1) } else { slug.to_owned() }
}

fn is_project_path(path: &str) -> bool {
    lakelet_bundle::normalize_path(path).is_some_and(|normal| normal == path)
}

#[cfg(test)]
mod tests;
