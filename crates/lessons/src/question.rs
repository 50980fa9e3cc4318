//! Questions that a reader answers before looking.

use lakelet_bundle::{FieldError, Fields, scalar_text};
use serde_json::Value;

use crate::lesson::Place;

/// Words for what is counted that may stand behind a number: `10 open versions`.
const UNIT_WORDS_MAX: usize = 2;

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Where.
    pub place: Place,
    /// The question.
    pub ask: String,
    /// The answer.
    pub answer: Answer,
    /// Shown after a right answer.
    pub why: Option<String>,
    /// Shown one after the other on demand.
    pub hints: Vec<String>,
}

/// What is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A short text or number; any of these. Numbers are compared as numbers.
    Text(Vec<String>),
    /// One or more of a list.
    Choice {
        /// What can be chosen.
        choices: Vec<String>,
        /// 0-based numbers of the right ones.
        right: Vec<usize>,
    },
    /// Things to put in order; the right order stands here.
    Order(Vec<String>),
}

impl Question {
    /// Reads `ask`, `choices`, `answer`, `order`, `why`, `hints`.
    ///
    /// # Errors
    /// [`FieldError`] for what is missing, unknown or of the wrong kind.
    pub fn from_json(place: Place, value: &Value) -> Result<Self, FieldError> {
        let mut fields = Fields::new(value, "")?;
        let ask = fields.required_text("ask")?;
        let choices = texts(&mut fields, "choices")?;
        let answers = texts(&mut fields, "answer")?;
        let order = texts(&mut fields, "order")?;
        let why = fields.text("why")?;
        let hints = texts(&mut fields, "hints")?;
        let answer = match (choices.is_empty(), answers.is_empty(), order.len()) {
            (true, false, 0) => Answer::Text(answers),
            (true, true, 2..) => Answer::Order(order),
            (false, false, 0) => {
                let right = answers.iter().map(|answer| {
                    choices
                        .iter()
                        .position(|choice| choice == answer)
                        .ok_or_else(|| fields.error("answer", format!("`{answer}` is not one of the choices.")))
                });
                Answer::Choice { right: right.collect::<Result<_, _>>()?, choices: choices.clone() }
            }
            (_, true, 0) => return Err(fields.error("answer", "`answer` is missing.")),
            _ => return Err(fields.error("order", "`order` is a list of two or more, without `choices` and `answer`.")),
        };
        fields.finish()?;
        Ok(Self { place, ask, answer, why, hints })
    }

    /// Whether an answer is right: the text typed, the choices made (in any order), or the things in their order.
    pub fn is_right(&self, given: &[String]) -> bool {
        match &self.answer {
            Answer::Text(accepted) => match given {
                [text] => accepted.iter().any(|answer| says_the_same(answer, text)),
                _ => false,
            },
            Answer::Choice { choices, right } => {
                let is_right = |choice: &String| right.iter().any(|index| choices.get(*index) == Some(choice));
                given.iter().all(is_right)
                    && right.iter().all(|index| choices.get(*index).is_some_and(|c| given.contains(c)))
            }
            Answer::Order(order) => given == order.as_slice(),
        }
    }
}

/// Whether two texts are equal but for case and blanks. A number equals every way to write it (`10`, `10.0`), also with
/// what is counted behind it (`10 rows`).
fn says_the_same(answer: &str, given: &str) -> bool {
    let is_number = || digits(answer.trim()).is_some_and(|number| counted(given) == Some(number));
    normalize(answer) == normalize(given) || is_number()
}

fn normalize(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The number that a text begins with, when nothing but the words for what is counted stands behind it.
fn counted(text: &str) -> Option<(bool, &str, &str)> {
    let mut words = text.split_whitespace();
    let number = digits(words.next()?)?;
    let n_words = words.clone().count();
    let are_words = words.all(|word| word.trim_end_matches('.').chars().all(char::is_alphabetic));
    (are_words && n_words <= UNIT_WORDS_MAX).then_some(number)
}

/// A decimal number as its sign and its digits before and after the point, without those that say nothing.
fn digits(text: &str) -> Option<(bool, &str, &str)> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let are_digits = |text: &str| text.chars().all(|character| character.is_ascii_digit());
    if whole.is_empty() || !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let is_zero = whole.is_empty() && fraction.is_empty();
    Some((unsigned.len() < text.len() && !is_zero, whole, fraction))
}

/// A list of texts; one text counts as a list of one.
pub(crate) fn texts(fields: &mut Fields<'_>, key: &'static str) -> Result<Vec<String>, FieldError> {
    let list = fields.list(key);
    list.iter()
        .map(|item| scalar_text(item).ok_or_else(|| fields.error(key, "This must be text or a list of texts.")))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PLACE: Place = Place { line: 1, number: 1 };

    fn read(value: Value) -> Result<Question, FieldError> {
        Question::from_json(PLACE, &value)
    }

    fn given(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn numbers_texts_choices_and_orders() {
        let number = read(json!({"ask": "How many?", "answer": 3})).unwrap();
        assert!(number.is_right(&given(&[" 3 "])) && !number.is_right(&given(&["4"])) && !number.is_right(&[]));
        let choice = read(json!({"ask": "Which?", "choices": ["a", "b", "c"], "answer": ["a", "c"]})).unwrap();
        assert!(choice.is_right(&given(&["c", "a"])) && !choice.is_right(&given(&["a"])));
        assert!(!choice.is_right(&given(&["a", "b", "c"])));
        let order = read(json!({"ask": "Order?", "order": ["x", "y"]})).unwrap();
        assert!(order.is_right(&given(&["x", "y"])) && !order.is_right(&given(&["y", "x"])));
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_may_have_a_unit() {
        let ten = read(json!({"ask": "How many?", "answer": 10})).unwrap();
        for right in ["10", "10.0", "010", " 10 rows", "10 open versions", "10 rows."] {
            assert!(ten.is_right(&given(&[right])), "{right}");
        }
        for wrong in
            ["", ".", "1", "100", "-10", "10.5", "10 or 12", "rows", "about 10", "10 rows or maybe eleven", "1 0"]
        {
            assert!(!ten.is_right(&given(&[wrong])), "{wrong}");
        }
        let price = read(json!({"ask": "How much?", "answer": 1.5})).unwrap();
        assert!(price.is_right(&given(&["1.50 EUR"])) && !price.is_right(&given(&["15"])));
        let zero = read(json!({"ask": "How many?", "answer": 0})).unwrap();
        assert!(zero.is_right(&given(&["-0.0"])) && zero.is_right(&given(&["0 rows"])));
        let several = read(json!({"ask": "Which?", "answer": "101, 102"})).unwrap();
        assert!(several.is_right(&given(&["101,  102"])) && !several.is_right(&given(&["101"])));
    }

    #[test]
    fn mistakes_are_named() {
        let error = |value| read(value).unwrap_err().to_string();
        assert_eq!(
            error(json!({"ask": "?", "choices": ["a"], "answer": "b"})),
            "answer: `b` is not one of the choices."
        );
        assert_eq!(error(json!({"ask": "?"})), "answer: `answer` is missing.");
        assert_eq!(error(json!({"answer": 1})), "ask: `ask` is missing.");
        assert!(error(json!({"ask": "?", "answer": 1, "anser": 2})).contains("Did you mean `answer`"));
    }
}
