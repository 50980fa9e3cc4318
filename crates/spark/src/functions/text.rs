//! Functions of text: they count characters from 1.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};

use super::row::{Arg, Definition, Returns, fail, lenient, strict, variadic};
use super::value::{integer, integer_or, of_int, of_items, of_text, text, text_or};

pub(super) static FUNCTIONS: &[Definition] = &[
    strict("locate", &[Arg::Text, Arg::Text, Arg::Int], 2, Returns::Int, |values, _| locate(values, 0, 1)),
    strict("position", &[Arg::Text, Arg::Text, Arg::Int], 2, Returns::Int, |values, _| locate(values, 0, 1)),
    strict("charindex", &[Arg::Text, Arg::Text, Arg::Int], 2, Returns::Int, |values, _| locate(values, 0, 1)),
    strict("instr", &[Arg::Text, Arg::Text], 2, Returns::Int, |values, _| locate(values, 1, 0)),
    strict("left", &[Arg::Text, Arg::Int], 2, Returns::Text, left),
    strict("right", &[Arg::Text, Arg::Int], 2, Returns::Text, right),
    strict("initcap", &[Arg::Text], 1, Returns::Text, initcap),
    strict("replace", &[Arg::Text, Arg::Text, Arg::Text], 2, Returns::Text, replace),
    strict("split_part", &[Arg::Text, Arg::Text, Arg::Int], 3, Returns::Text, split_part),
    strict("ltrim", &[Arg::Text, Arg::Text], 1, Returns::Text, |values, _| trim(values, true, false)),
    strict("rtrim", &[Arg::Text, Arg::Text], 1, Returns::Text, |values, _| trim(values, false, true)),
    strict("overlay", &[Arg::Text, Arg::Text, Arg::Int, Arg::Int], 3, Returns::Text, overlay),
    strict("levenshtein", &[Arg::Text, Arg::Text, Arg::Int], 2, Returns::Int, levenshtein),
    lenient("mask", &[Arg::Text, Arg::Text, Arg::Text, Arg::Text, Arg::Text], 1, Returns::Text, mask),
    strict(
        "sentences",
        &[Arg::Text, Arg::Text, Arg::Text],
        1,
        Returns::Of(|_, _| Ok(super::row::list_of(super::row::list_of(DataType::Utf8)))),
        sentences,
    ),
    variadic("elt", &[Arg::Int, Arg::Text], 2, Returns::Text, elt),
    lenient("try_validate_utf8", &[Arg::TextOrBinary], 1, Returns::Text, |values, _| {
        Ok(match values.first() {
            Some(ScalarValue::Binary(Some(bytes))) => {
                ScalarValue::Utf8(std::str::from_utf8(bytes).ok().map(str::to_owned))
            }
            Some(value) => value.clone(),
            None => ScalarValue::Null,
        })
    }),
    strict("validate_utf8", &[Arg::TextOrBinary], 1, Returns::Text, |values, _| {
        match std::str::from_utf8(super::value::bytes(values, 0)?) {
            Ok(text) => Ok(of_text(text)),
            Err(_) => Err(fail("INVALID_UTF8_STRING", "22029", "Invalid UTF8 byte sequence found in string.")),
        }
    }),
];

fn locate(values: &[ScalarValue], needle: usize, hay: usize) -> Result<ScalarValue> {
    let start = integer_or(values, 2, 1)?;
    let Some(skipped) = usize::try_from(start - 1).ok() else { return Ok(of_int(0)) };
    let (needle, hay) = (text(values, needle)?, text(values, hay)?);
    let Some((offset, _)) = hay.char_indices().map(|(offset, _)| (offset, ())).chain([(hay.len(), ())]).nth(skipped)
    else {
        return Ok(of_int(0));
    };
    let rest = &hay[offset..];
    Ok(of_int(match rest.find(needle) {
        Some(at) => start + rest[..at].chars().count() as i64,
        None => 0,
    }))
}

fn left(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let n = usize::try_from(integer(values, 1)?).unwrap_or(0);
    Ok(of_text(text(values, 0)?.chars().take(n).collect::<String>()))
}

fn right(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let n = usize::try_from(integer(values, 1)?).unwrap_or(0);
    let text = text(values, 0)?;
    let skipped = text.chars().count().saturating_sub(n);
    Ok(of_text(text.chars().skip(skipped).collect::<String>()))
}

/// Words are parted by blanks alone.
fn initcap(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let mut out = String::new();
    let mut starts = true;
    for letter in text(values, 0)?.chars() {
        if starts {
            out.extend(letter.to_uppercase());
        } else {
            out.extend(letter.to_lowercase());
        }
        starts = letter == ' ';
    }
    Ok(of_text(out))
}

fn replace(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let (text, search) = (text(values, 0)?, text(values, 1)?);
    Ok(of_text(if search.is_empty() { text.to_owned() } else { text.replace(search, text_or(values, 2, "")) }))
}

fn split_part(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let (text, delimiter, number) = (text(values, 0)?, text(values, 1)?, integer(values, 2)?);
    if number == 0 {
        return Err(index_of_zero());
    }
    let parts: Vec<&str> = if delimiter.is_empty() { vec![text] } else { text.split(delimiter).collect() };
    let index = if number > 0 { number - 1 } else { parts.len() as i64 + number };
    Ok(of_text(usize::try_from(index).ok().and_then(|index| parts.get(index)).copied().unwrap_or("")))
}

/// Positions count from 1.
pub(super) fn index_of_zero() -> datafusion::common::DataFusionError {
    fail(
        "INVALID_INDEX_OF_ZERO",
        "22003",
        "The index 0 is invalid. An index shall be either < 0 or > 0 (the first element has index 1).",
    )
}

/// With two arguments the characters come last here; the lowering turns `ltrim('xy', text)` round.
fn trim(values: &[ScalarValue], at_start: bool, at_end: bool) -> Result<ScalarValue> {
    let (characters, trimmed) =
        if values.len() == 2 { (text(values, 1)?, text(values, 0)?) } else { (" ", text(values, 0)?) };
    let drop = |letter: char| characters.contains(letter);
    let trimmed = if at_start { trimmed.trim_start_matches(drop) } else { trimmed };
    Ok(of_text(if at_end { trimmed.trim_end_matches(drop) } else { trimmed }))
}

fn overlay(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let (text, insert, position) = (text(values, 0)?, text(values, 1)?, integer(values, 2)?);
    let length = match integer_or(values, 3, -1)? {
        given if given >= 0 => given,
        _ => insert.chars().count() as i64,
    };
    let letters: Vec<char> = text.chars().collect();
    let n_kept = usize::try_from(position - 1).unwrap_or(0).min(letters.len());
    let resumes = usize::try_from(position - 1 + length).unwrap_or(0).min(letters.len());
    let mut out: String = letters[..n_kept].iter().collect();
    out.push_str(insert);
    out.extend(&letters[resumes..]);
    Ok(of_text(out))
}

fn levenshtein(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let left: Vec<char> = text(values, 0)?.chars().collect();
    let right: Vec<char> = text(values, 1)?.chars().collect();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (row, from) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, to) in right.iter().enumerate() {
            let replaced = previous[column] + usize::from(from != to);
            current.push(replaced.min(previous[column + 1] + 1).min(current[column] + 1));
        }
        previous = current;
    }
    let distance = previous[right.len()] as i64;
    Ok(of_int(match integer_or(values, 2, i64::MAX)? {
        threshold if distance > threshold => -1,
        _ => distance,
    }))
}

/// A NULL replacement keeps the characters of its kind.
fn mask(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let Some(ScalarValue::Utf8(Some(text))) = values.first() else { return Ok(ScalarValue::Null) };
    let mut replacements = [Some('X'), Some('x'), Some('n'), None];
    for (index, replacement) in replacements.iter_mut().enumerate() {
        match values.get(index + 1) {
            None => {}
            Some(ScalarValue::Utf8(Some(given))) => {
                let mut letters = given.chars();
                *replacement = letters.next();
                if replacement.is_none() || letters.next().is_some() {
                    return Err(fail(
                        "DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE",
                        "42K09",
                        format!("Length of the replacement of `mask` should be 1, but it is '{given}'."),
                    ));
                }
            }
            Some(_) => *replacement = None,
        }
    }
    let [upper, lower, digit, other] = replacements;
    let masked = text.chars().map(|letter| {
        let replacement = if letter.is_uppercase() {
            upper
        } else if letter.is_lowercase() {
            lower
        } else if letter.is_numeric() {
            digit
        } else {
            other
        };
        replacement.unwrap_or(letter)
    });
    Ok(of_text(masked.collect::<String>()))
}

fn sentences(values: &[ScalarValue], list: &DataType) -> Result<ScalarValue> {
    let DataType::List(words) = list else { return Ok(ScalarValue::Null) };
    let mut out = Vec::new();
    for sentence in text(values, 0)?.split(['.', '!', '?']) {
        let found: Vec<ScalarValue> = sentence
            .split(|letter: char| !letter.is_alphanumeric() && letter != '\'' && letter != '-')
            .filter(|word| !word.is_empty())
            .map(of_text)
            .collect();
        if !found.is_empty() {
            out.push(of_items(found, words.data_type())?);
        }
    }
    of_items(out, list)
}

fn elt(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let Some(number) = values.first().filter(|number| !number.is_null()) else { return Ok(ScalarValue::Null) };
    let number = integer(std::slice::from_ref(number), 0)?;
    match usize::try_from(number).ok().filter(|index| *index > 0).and_then(|index| values.get(index)) {
        Some(value) => Ok(value.clone()),
        None => Err(fail(
            "INVALID_ARRAY_INDEX",
            "22003",
            format!("The index {number} is out of bounds. The array has {} elements.", values.len() - 1),
        )),
    }
}
