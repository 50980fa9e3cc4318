//! The words after an opening fence: ` ```sql run tab="1 control table" `.

/// Kind, flags and attributes of a fence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Info {
    /// First word.
    pub word: String,
    /// Words without a value.
    pub flags: Vec<String>,
    /// `key=value` or `key="value with blanks"`.
    pub attributes: Vec<(String, String)>,
}

impl Info {
    /// Whether a fence with this text means something to a lesson. Others are code to look at; so is Python without a
    /// notebook.
    pub fn is_lesson_fence(text: &str) -> bool {
        let mut words = text.split_whitespace();
        match words.next() {
            Some("sql" | "check" | "solution" | "starter" | "job" | "action" | "predict" | "block") => true,
            Some("python") => words.any(|word| word.starts_with("notebook=")),
            _ => false,
        }
    }

    /// Reads the words.
    ///
    /// # Errors
    /// A sentence, when a quotation mark has no partner or an attribute no name.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut info = Self { word: String::new(), flags: Vec::new(), attributes: Vec::new() };
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = match after.strip_prefix('=') {
                None => {
                    if info.word.is_empty() {
                        word.clone_into(&mut info.word);
                    } else {
                        info.flags.push(word.to_owned());
                    }
                    after
                }
                Some(_) if word.is_empty() => return Err("An attribute has no name before its `=`.".to_owned()),
                Some(value) => {
                    let (value, after) = match value.strip_prefix('"') {
                        Some(quoted) => quoted
                            .split_once('"')
                            .ok_or_else(|| format!("The value of `{word}` has no closing quotation mark."))?,
                        None => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
                    };
                    info.attributes.push((word.to_owned(), value.to_owned()));
                    after
                }
            }
            .trim_start();
        }
        Ok(info)
    }

    /// Takes a flag away; whether it was there.
    pub fn take_flag(&mut self, name: &str) -> bool {
        let before = self.flags.len();
        self.flags.retain(|flag| flag != name);
        self.flags.len() < before
    }

    /// Takes an attribute away; an empty value counts as absent.
    pub fn take(&mut self, name: &str) -> Option<String> {
        let index = self.attributes.iter().position(|(key, _)| key == name)?;
        Some(self.attributes.remove(index).1).filter(|value| !value.trim().is_empty())
    }

    /// What nobody took: the first word or attribute that means nothing to this fence.
    pub fn rest(&self) -> Option<&str> {
        self.flags.first().or_else(|| self.attributes.first().map(|(key, _)| key)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_flags_and_attributes() {
        let mut info = Info::parse(r#"sql run tab="1 control table" path=src/a.sql"#).unwrap();
        assert_eq!(info.word, "sql");
        assert!(info.take_flag("run") && !info.take_flag("run"));
        assert_eq!(info.take("tab").as_deref(), Some("1 control table"));
        assert_eq!(info.rest(), Some("path"));
        assert_eq!(info.take("path").as_deref(), Some("src/a.sql"));
        assert_eq!(info.rest(), None);
        assert!(Info::parse(r#"sql tab="x"#).is_err());
        assert!(Info::parse("sql =x").is_err());
    }

    #[test]
    fn other_code_is_left_alone() {
        assert!(Info::is_lesson_fence("sql"));
        assert!(Info::is_lesson_fence("python notebook=src/a.py"));
        assert!(!Info::is_lesson_fence("python"));
        assert!(!Info::is_lesson_fence("json"));
        assert!(!Info::is_lesson_fence(""));
    }
}
