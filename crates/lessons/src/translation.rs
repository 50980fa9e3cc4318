//! A lesson in another language: its prose with the code, checks and questions of `en.md`.

use lakelet_bundle::{FieldError, Fields};

use crate::LessonProblem;
use crate::document::{Part, RawStep, read_document};
use crate::info::Info;
use crate::lesson::{Block, Lesson, Place, Step};
use crate::parse::{body, field_problem};
use crate::question::{Answer, Question, texts};

/// Reads a translation of `en`. Steps are matched by `{#id}`, or by their order where they have none; inside a step the
/// fence ` ```block 2 ` stands for the second fence of that step in `en.md`, and its YAML translates the texts in it.
///
/// # Errors
/// Everything that is wrong, by line: another `id` or `version`, steps or blocks that are missing or unknown.
pub fn parse_translation(text: &str, en: &Lesson) -> Result<Lesson, Vec<LessonProblem>> {
    let mut problems = Vec::new();
    let document = read_document(text, &mut problems);
    let front = &document.front;
    if front.id != en.id {
        problems.push(LessonProblem::new(front.id_line(), format!("The id must be `{}` as in en.md.", en.id)));
    }
    if front.version != en.version {
        let message = format!("This translates version {}, en.md is at version {}.", front.version, en.version);
        problems.push(LessonProblem::new(front.version_line(), message));
    }
    let mut steps = Vec::new();
    let n_steps = document.steps.len();
    for (index, raw) in document.steps.into_iter().enumerate() {
        let original = en.steps.get(index).filter(|step| raw.id.as_ref().is_none_or(|id| *id == step.id));
        match original {
            Some(original) => steps.push(step(raw, original, &mut problems)),
            None => {
                let known = raw.id.as_deref().and_then(|id| en.step(id));
                let message = match known {
                    Some(step) => format!("The step `{}` stands elsewhere in en.md.", step.id),
                    None => "en.md has no such step.".to_owned(),
                };
                problems.push(LessonProblem::new(raw.line, message));
            }
        }
    }
    for missing in en.steps.iter().skip(n_steps) {
        problems.push(LessonProblem::new(1, format!("The step `{}` of en.md is missing.", missing.id)));
    }
    if !problems.is_empty() {
        problems.sort_by_key(|problem| problem.line);
        return Err(problems);
    }
    Ok(Lesson {
        id: en.id.clone(),
        title: document.front.title,
        version: en.version,
        minutes: en.minutes,
        summary: document.front.summary,
        intro: document.intro,
        steps,
    })
}

fn step(raw: RawStep, original: &Step, problems: &mut Vec<LessonProblem>) -> Step {
    let fences: Vec<&Block> = original.blocks.iter().filter(|block| block.place().is_some()).collect();
    let mut next = 0;
    let mut blocks = Vec::new();
    for part in raw.parts {
        match part {
            Part::Prose(nodes) => blocks.push(Block::Prose(nodes)),
            Part::Fold { title, body } => blocks.push(Block::Fold { title, body }),
            Part::Fence { line, info, text } => {
                let Some(number) = reference(&info) else {
                    let message = format!("Code stands in en.md only; refer to it by ```block {}.", next + 1);
                    problems.push(LessonProblem::new(line, message));
                    continue;
                };
                match fences.get(number.wrapping_sub(1)) {
                    Some(block) if number == next + 1 => {
                        next = number;
                        match translate(block, Place { line, number: 0 }, &text) {
                            Ok(block) => blocks.push(block),
                            Err(problem) => problems.push(problem),
                        }
                    }
                    Some(_) => {
                        let message = format!("Block {} of the step comes next, not {number}.", next + 1);
                        problems.push(LessonProblem::new(line, message));
                        next = number;
                    }
                    None => {
                        let message =
                            format!("The step has {} blocks in en.md; there is no block {number}.", fences.len());
                        problems.push(LessonProblem::new(line, message));
                    }
                }
            }
        }
    }
    if next < fences.len() {
        let message = format!("The step has {} blocks in en.md; block {} is missing here.", fences.len(), next + 1);
        problems.push(LessonProblem::new(raw.line, message));
    }
    Step { id: original.id.clone(), heading: raw.heading, line: raw.line, blocks }
}

/// The number behind `block`.
fn reference(info: &Info) -> Option<usize> {
    match (info.word.as_str(), info.flags.as_slice(), info.attributes.is_empty()) {
        ("block", [number], true) => number.parse().ok(),
        _ => None,
    }
}

/// The block with the texts of a translation in the places of its own. Whatever is not translated stays English.
fn translate(block: &Block, place: Place, text: &str) -> Result<Block, LessonProblem> {
    let mut block = block.clone();
    if text.trim().is_empty() {
        return Ok(block);
    }
    let (yaml, json) = body(place, text)?;
    let result = Fields::new(&json, "").and_then(|mut fields| {
        match &mut block {
            Block::Sql(block) => replace(&mut block.title, &mut fields, "title")?,
            Block::Python(block) => replace(&mut block.title, &mut fields, "title")?,
            Block::Job(block) => replace(&mut block.title, &mut fields, "title")?,
            Block::Action(block) => replace(&mut block.title, &mut fields, "title")?,
            Block::Predict(question) => translate_question(question, &mut fields)?,
            Block::Check(check) => {
                replace(&mut check.say, &mut fields, "say")?;
                replace_list(&mut check.hints, &mut fields, "hints")?;
            }
            Block::Starter(_) | Block::Solution(_) | Block::Prose(_) | Block::Fold { .. } => {}
        }
        fields.finish()
    });
    result.map_err(|error| field_problem(place, &yaml, &error))?;
    Ok(block)
}

fn translate_question(question: &mut Question, fields: &mut Fields<'_>) -> Result<(), FieldError> {
    if let Some(ask) = fields.text("ask")? {
        question.ask = ask;
    }
    replace(&mut question.why, fields, "why")?;
    replace_list(&mut question.hints, fields, "hints")?;
    match &mut question.answer {
        // Answers that are typed may be words: those of both languages are right.
        Answer::Text(accepted) => accepted.extend(texts(fields, "answer")?),
        Answer::Choice { choices, .. } => replace_list(choices, fields, "choices")?,
        Answer::Order(order) => replace_list(order, fields, "order")?,
    }
    Ok(())
}

fn replace(place: &mut Option<String>, fields: &mut Fields<'_>, key: &'static str) -> Result<(), FieldError> {
    if let Some(text) = fields.text(key)? {
        *place = Some(text);
    }
    Ok(())
}

/// Replaces a list by one of the same length.
fn replace_list(place: &mut Vec<String>, fields: &mut Fields<'_>, key: &'static str) -> Result<(), FieldError> {
    let list = texts(fields, key)?;
    if list.is_empty() {
        return Ok(());
    }
    if list.len() != place.len() {
        let message = format!("en.md has {} here, this has {}.", place.len(), list.len());
        return Err(fields.error(key, message));
    }
    *place = list;
    Ok(())
}

#[cfg(test)]
mod tests;
