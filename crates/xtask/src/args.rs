//! The command line: a task, then options in any order.

use std::env;

use crate::outcome::Outcome;

/// What is left of the command line.
pub struct Args {
    rest: Vec<String>,
}

impl Args {
    /// The command line of this process.
    pub fn from_env() -> Self {
        Self { rest: env::args().skip(1).collect() }
    }

    /// Takes the task's name.
    pub fn task(&mut self) -> Option<String> {
        if self.rest.is_empty() { None } else { Some(self.rest.remove(0)) }
    }

    /// Takes a flag; whether it was there.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.rest.len();
        self.rest.retain(|argument| argument != name);
        self.rest.len() < before
    }

    /// Takes an option with a value, `--name value` or `--name=value`.
    pub fn value(&mut self, name: &str) -> Outcome<Option<String>> {
        let prefix = format!("{name}=");
        let Some(index) = self.rest.iter().position(|argument| argument == name || argument.starts_with(&prefix))
        else {
            return Ok(None);
        };
        let argument = self.rest.remove(index);
        if let Some(value) = argument.strip_prefix(&prefix) {
            return Ok(Some(value.to_owned()));
        }
        if index < self.rest.len() { Ok(Some(self.rest.remove(index))) } else { Err(format!("{name} needs a value")) }
    }

    /// Takes everything that is left and is not an option.
    pub fn positional(&mut self) -> Vec<String> {
        let (options, positional) = self.rest.drain(..).partition(|argument| argument.starts_with('-'));
        self.rest = options;
        positional
    }

    /// Fails on whatever nobody took.
    pub fn finish(self) -> Outcome {
        if self.rest.is_empty() { Ok(()) } else { Err(format!("do not know what to do with: {}", self.rest.join(" "))) }
    }
}

#[cfg(test)]
mod tests {
    use super::Args;

    fn args(text: &str) -> Args {
        Args { rest: text.split_whitespace().map(str::to_owned).collect() }
    }

    #[test]
    fn options_are_taken_in_any_order_and_both_spellings() {
        let mut args = args("serve --port 80 --quick --out=x file");
        assert_eq!(args.task().as_deref(), Some("serve"));
        assert_eq!(args.value("--out"), Ok(Some("x".to_owned())));
        assert_eq!(args.value("--port"), Ok(Some("80".to_owned())));
        assert!(args.flag("--quick"));
        assert!(!args.flag("--quick"));
        assert_eq!(args.positional(), ["file"]);
        assert_eq!(args.finish(), Ok(()));
    }

    #[test]
    fn what_is_left_over_or_lacks_its_value_is_an_error() {
        assert!(args("--port").value("--port").is_err());
        assert!(args("--prot 80").finish().is_err());
    }
}
