//! `encode` and `decode`: text in a named character set.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, ScalarValue};

use super::row::{Arg, Definition, Returns, fail, strict};
use super::value::{bytes, of_text, text};

pub(super) static FUNCTIONS: &[Definition] = &[
    strict("encode", &[Arg::Text, Arg::Text], 2, Returns::Binary, encode),
    strict("decode", &[Arg::Binary, Arg::Text], 2, Returns::Text, decode),
];

#[derive(Clone, Copy)]
enum Charset {
    Utf8,
    Utf16 {
        is_little: bool,
        has_mark: bool,
    },
    Utf32,
    /// One byte a character, up to this one.
    Byte(u32),
}

fn charset(function: &str, name: &str) -> Result<Charset> {
    Ok(match name.to_uppercase().as_str() {
        "UTF-8" => Charset::Utf8,
        "UTF-16" => Charset::Utf16 { is_little: false, has_mark: true },
        "UTF-16BE" => Charset::Utf16 { is_little: false, has_mark: false },
        "UTF-16LE" => Charset::Utf16 { is_little: true, has_mark: false },
        "UTF-32" => Charset::Utf32,
        "US-ASCII" => Charset::Byte(0x7f),
        "ISO-8859-1" => Charset::Byte(0xff),
        _ => {
            return Err(fail(
                "INVALID_PARAMETER_VALUE.CHARSET",
                "22023",
                format!(
                    "The value of parameter(s) `charset` in `{function}` is invalid: expects one of the iso-8859-1, us-ascii, utf-16, utf-16be, utf-16le, utf-32, utf-8, but got {name}."
                ),
            ));
        }
    })
}

fn malformed(function: &str, name: &str) -> DataFusionError {
    fail("MALFORMED_CHARACTER_CODING", "22000", format!("Invalid value found when performing `{function}` with {name}"))
}

fn encode(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let (text, name) = (text(values, 0)?, text(values, 1)?);
    let encoded = match charset("encode", name)? {
        Charset::Utf8 => text.as_bytes().to_vec(),
        Charset::Utf16 { is_little, has_mark } => has_mark
            .then_some(0xfeff)
            .into_iter()
            .chain(text.encode_utf16())
            .flat_map(|unit| if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() })
            .collect(),
        Charset::Utf32 => text.chars().flat_map(|letter| u32::from(letter).to_be_bytes()).collect(),
        Charset::Byte(last) => text
            .chars()
            .map(|letter| u8::try_from(letter).ok().filter(|byte| u32::from(*byte) <= last))
            .collect::<Option<Vec<u8>>>()
            .ok_or_else(|| malformed("encode", name))?,
    };
    Ok(ScalarValue::Binary(Some(encoded)))
}

fn decode(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let (bytes, name) = (bytes(values, 0)?, text(values, 1)?);
    let wrong = || malformed("decode", name);
    let decoded: String = match charset("decode", name)? {
        Charset::Utf8 => std::str::from_utf8(bytes).map_err(|_| wrong())?.to_owned(),
        Charset::Utf16 { is_little, has_mark } => {
            let (units, rest) = bytes.as_chunks::<2>();
            let mut is_little = is_little;
            let mut units = units;
            if has_mark && let Some((first, others)) = units.split_first() {
                match first {
                    [0xfe, 0xff] => units = others,
                    [0xff, 0xfe] => (units, is_little) = (others, true),
                    _ => {}
                }
            }
            let units: Vec<u16> = units
                .iter()
                .map(|unit| if is_little { u16::from_le_bytes(*unit) } else { u16::from_be_bytes(*unit) })
                .collect();
            if !rest.is_empty() {
                return Err(wrong());
            }
            String::from_utf16(&units).map_err(|_| wrong())?
        }
        Charset::Utf32 => {
            let (units, rest) = bytes.as_chunks::<4>();
            if !rest.is_empty() {
                return Err(wrong());
            }
            units
                .iter()
                .map(|unit| char::from_u32(u32::from_be_bytes(*unit)))
                .collect::<Option<String>>()
                .ok_or_else(wrong)?
        }
        Charset::Byte(last) => bytes
            .iter()
            .map(|byte| (u32::from(*byte) <= last).then_some(char::from(*byte)))
            .collect::<Option<String>>()
            .ok_or_else(wrong)?,
    };
    Ok(of_text(decoded))
}
