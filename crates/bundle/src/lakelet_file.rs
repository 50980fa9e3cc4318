//! `lakelet.json`: what only Lakelet knows about a project.

use lakelet_base::Timestamp;
use serde_json::{Map, Value, json};

use crate::fields::{FieldError, Fields};
use crate::problem::BundleProblem;
use crate::project::LAKELET_PATH;
use crate::recipe::{RECIPE_ENTRIES_MAX, RecipeEntry};
use crate::yaml::parse_yaml;

/// The format this version writes, and the newest one it reads.
pub const FORMAT: u64 = 1;

/// The content of `lakelet.json`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LakeletFile {
    /// Title of the workspace.
    pub title: String,
    /// The lesson it belongs to.
    pub lesson: Option<LessonReference>,
    /// Where a simulated clock starts; `None` means real time unless there is a lesson.
    pub clock: Option<Timestamp>,
    /// Seed of everything that looks random.
    pub seed: u64,
    /// What was done, in order.
    pub recipe: Vec<RecipeEntry>,
    /// What the page shows at first; the page alone knows its form.
    pub view: Value,
    /// Keys that this version does not know.
    pub other: Map<String, Value>,
}

/// A lesson and the version of it that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonReference {
    /// `t1`
    pub id: String,
    /// Its version.
    pub version: u64,
}

impl LakeletFile {
    /// Reads the text of `lakelet.json`.
    ///
    /// # Errors
    /// What is wrong: it is not JSON, was made with a newer version, or a field is missing or of the wrong kind.
    pub fn parse(text: &str) -> Result<Self, BundleProblem> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            let line = u32::try_from(error.line()).unwrap_or(u32::MAX).max(1);
            BundleProblem::error(LAKELET_PATH, line, "syntax", format!("This is not JSON: {error}."))
        })?;
        Self::from_json(&value).map_err(|error| {
            // JSON is YAML too, nearly always, and YAML knows the lines.
            let line = parse_yaml(text).ok().and_then(|yaml| yaml.line_at(&error.path)).unwrap_or(1);
            let place = if error.path.is_empty() { String::new() } else { format!(" ({})", error.path) };
            BundleProblem::error(LAKELET_PATH, line, "wrong_type", format!("{}{place}", error.message))
        })
    }

    fn from_json(value: &Value) -> Result<Self, FieldError> {
        let mut fields = Fields::new(value, "")?;
        match fields.count("format")? {
            Some(FORMAT) => {}
            Some(newer) if newer > FORMAT => {
                return Err(fields.error("format", "This project was made with a newer version of Lakelet."));
            }
            _ => return Err(fields.error("format", format!("`format` must be {FORMAT}."))),
        }
        let lesson = match fields.value("lesson") {
            None => None,
            Some(value) => {
                let mut fields = Fields::new(value, "lesson")?;
                let lesson =
                    LessonReference { id: fields.required_text("id")?, version: fields.count("version")?.unwrap_or(1) };
                fields.finish()?;
                Some(lesson)
            }
        };
        let entries = match fields.value("recipe") {
            None => &[],
            Some(Value::Array(entries)) => entries.as_slice(),
            Some(_) => return Err(fields.error("recipe", "This must be a list of things to do.")),
        };
        if entries.len() > RECIPE_ENTRIES_MAX {
            return Err(fields.error("recipe", format!("A recipe may have {RECIPE_ENTRIES_MAX} entries.")));
        }
        let recipe = entries
            .iter()
            .enumerate()
            .map(|(index, entry)| RecipeEntry::from_json(entry, &format!("recipe[{index}]")))
            .collect::<Result<_, _>>()?;
        const KNOWN: [&str; 7] = ["format", "title", "lesson", "clock", "seed", "recipe", "view"];
        let other = value.as_object().into_iter().flatten().filter(|(key, _)| !KNOWN.contains(&key.as_str()));
        Ok(Self {
            title: fields.text("title")?.unwrap_or_default(),
            lesson,
            clock: fields.instant("clock")?,
            seed: fields.count("seed")?.unwrap_or(0),
            recipe,
            view: fields.value("view").cloned().unwrap_or(Value::Null),
            other: other.map(|(key, value)| (key.clone(), value.clone())).collect(),
        })
    }

    /// The text of `lakelet.json`: keys in a fixed order, two blanks per level, a line break at the end.
    pub fn to_text(&self) -> String {
        let lesson = self.lesson.as_ref().map(|lesson| json!({"id": lesson.id, "version": lesson.version}));
        let mut value = json!({
            "format": FORMAT,
            "title": self.title,
            "lesson": lesson,
            "clock": self.clock.map(|clock| clock.to_string()),
            "seed": self.seed,
            "recipe": self.recipe.iter().map(RecipeEntry::to_json).collect::<Vec<_>>(),
            "view": self.view,
        });
        if let Value::Object(map) = &mut value {
            map.extend(self.other.clone());
        }
        format!("{value:#}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::{RecipeAction, Script};

    #[test]
    fn what_is_written_reads_back() {
        let file = LakeletFile {
            title: "T".into(),
            lesson: Some(LessonReference { id: "t1".into(), version: 2 }),
            clock: Some(Timestamp::LESSON_START),
            seed: 7,
            recipe: vec![RecipeEntry {
                at: None,
                action: RecipeAction::Sql { script: Script::Text("SELECT 1".into()), tab: None },
            }],
            view: json!({"route": "#/w"}),
            other: Map::from_iter([("later".to_owned(), json!([1]))]),
        };
        assert_eq!(LakeletFile::parse(&file.to_text()).unwrap(), file);
        let empty = LakeletFile::default();
        assert_eq!(LakeletFile::parse(&empty.to_text()).unwrap(), empty);
        assert_eq!(LakeletFile::parse(r#"{"format": 1}"#).unwrap(), empty);
    }

    #[test]
    fn mistakes_have_a_line() {
        let problem = |text: &str| LakeletFile::parse(text).unwrap_err().to_string();
        assert!(problem("{\n\"format\": 1,\n}").starts_with("lakelet.json:3: This is not JSON"));
        assert_eq!(
            problem("{\n\"format\": 2}"),
            "lakelet.json:2: This project was made with a newer version of Lakelet. (format)"
        );
        assert_eq!(problem("{}"), "lakelet.json:1: `format` must be 1. (format)");
        assert_eq!(
            problem("{\"format\": 1,\n \"clock\": \"noon\"}"),
            "lakelet.json:2: 'noon' is not an instant like 2026-03-02T09:00:00Z. (clock)"
        );
        assert_eq!(
            problem("{\"format\": 1, \"recipe\": [\n{\"do\": \"sql\", \"text\": \"a\"},\n{\"do\": \"dance\"}]}"),
            "lakelet.json:3: `dance` is not something to do; it is sql, run, refresh, advance or fault. (recipe[1].do)"
        );
        let many = vec![r#"{"do": "refresh", "table": "t"}"#; RECIPE_ENTRIES_MAX + 1].join(",");
        assert!(problem(&format!("{{\"format\": 1, \"recipe\": [{many}]}}")).contains("5000 entries"));
    }
}
