//! Spark's datetime patterns: `yyyy-MM-dd HH:mm:ss`, for writing and for reading.

use std::str::FromStr;

use chrono::{Datelike, NaiveDate};
use datafusion::arrow::array::timezone::Tz;
use datafusion::common::{DataFusionError, Result};

use super::calendar::{MICROS_PER_DAY, MICROS_PER_SECOND, date_of_days, days_of_date, zone_offset_at_local};
use super::row::fail;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// A pattern that was read.
pub(super) struct Pattern {
    parts: Vec<Part>,
}

enum Part {
    Literal(String),
    Field { letter: char, width: usize },
    OptionalStart,
    OptionalEnd,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// A letter that Spark does not take.
    pub(super) fn new(text: &str) -> Result<Self> {
        let mut parts: Vec<Part> = Vec::new();
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '\'' => {
                    let mut quoted = String::new();
                    if letters.next_if_eq(&'\'').is_some() {
                        quoted.push('\'');
                    } else {
                        loop {
                            match letters.next() {
                                Some('\'') if letters.next_if_eq(&'\'').is_some() => quoted.push('\''),
                                Some('\'') => break,
                                Some(other) => quoted.push(other),
                                None => return Err(illegal(text)),
                            }
                        }
                    }
                    parts.push(Part::Literal(quoted));
                }
                '[' => parts.push(Part::OptionalStart),
                ']' => parts.push(Part::OptionalEnd),
                letter if letter.is_ascii_alphabetic() => {
                    let mut width = 1;
                    while letters.next_if_eq(&letter).is_some() {
                        width += 1;
                    }
                    check(letter, width, text)?;
                    parts.push(Part::Field { letter, width });
                }
                '#' | '{' | '}' => return Err(illegal(text)),
                other => parts.push(Part::Literal(other.to_string())),
            }
        }
        Ok(Self { parts })
    }

    /// A moment in UTC as text.
    pub(super) fn format(&self, micros: i64) -> Result<String> {
        let date = date_of_days(micros.div_euclid(MICROS_PER_DAY))?;
        let of_day = micros.rem_euclid(MICROS_PER_DAY);
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => out.push_str(text),
                Part::Field { letter, width } => write(&mut out, *letter, *width, date, of_day),
                Part::OptionalStart | Part::OptionalEnd => {}
            }
        }
        Ok(out)
    }

    /// What text says; `None` where it does not follow the pattern.
    pub(super) fn parse(&self, text: &str) -> Option<Moment> {
        let mut read = Read::default();
        let rest = parse_parts(&self.parts, text, &mut read)?;
        if rest.is_empty() { read.moment() } else { None }
    }
}

/// A moment on the clock of some zone.
pub(super) struct Moment {
    /// Microseconds of the local clock since 1970-01-01T00:00:00.
    pub local_micros: i64,
    /// Seconds east of UTC; `None` without a zone in the text.
    pub offset_seconds: Option<i64>,
}

impl Moment {
    /// Microseconds since the epoch; without a zone in the text the zone is UTC.
    pub(super) fn utc_micros(&self) -> i64 {
        self.local_micros - self.offset_seconds.unwrap_or(0) * MICROS_PER_SECOND
    }
}

fn illegal(pattern: &str) -> DataFusionError {
    fail("INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER", "22007", format!("Unrecognized datetime pattern: {pattern}."))
}

fn check(letter: char, width: usize, pattern: &str) -> Result<()> {
    let longest = match letter {
        'G' | 'M' | 'L' | 'E' | 'Q' | 'q' | 'z' | 'O' => 4,
        'y' => 6,
        'D' => 3,
        'd' | 'h' | 'H' | 'k' | 'K' | 'm' | 's' | 'V' => 2,
        'a' => 1,
        'S' => 9,
        'X' | 'x' | 'Z' => 5,
        // Letters that Spark 2 knew and Spark 3 does not.
        'Y' | 'W' | 'w' | 'u' | 'F' => 0,
        _ => return Err(illegal(pattern)),
    };
    if width <= longest {
        return Ok(());
    }
    Err(fail(
        "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION",
        "42K0B",
        format!("Fail to recognize '{pattern}' pattern: the letter '{letter}' is not taken so."),
    ))
}

fn write(out: &mut String, letter: char, width: usize, date: NaiveDate, of_day: i64) {
    let seconds = of_day / MICROS_PER_SECOND;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let number = |value: i64| format!("{value:0width$}");
    let year = i64::from(date.year());
    let era_year = if year > 0 { year } else { 1 - year };
    let text = match letter {
        'G' if width == 4 => if year > 0 { "Anno Domini" } else { "Before Christ" }.to_owned(),
        'G' => if year > 0 { "AD" } else { "BC" }.to_owned(),
        'y' if width == 2 => format!("{:02}", era_year % 100),
        'y' if era_year > 9999 && width == 4 => format!("+{era_year}"),
        'y' => number(era_year),
        'M' | 'L' if width >= 3 => named(&MONTHS, date.month0() as usize, width),
        'M' | 'L' => number(i64::from(date.month())),
        'd' => number(i64::from(date.day())),
        'D' => number(i64::from(date.ordinal())),
        'Q' | 'q' => {
            let quarter = date.month0() / 3 + 1;
            match width {
                3 => format!("Q{quarter}"),
                4 => format!("{quarter}{} quarter", ["st", "nd", "rd", "th"][quarter as usize - 1]),
                _ => number(i64::from(quarter)),
            }
        }
        'E' => named(&WEEKDAYS, date.weekday().num_days_from_monday() as usize, width.max(3)),
        'a' => if hour < 12 { "AM" } else { "PM" }.to_owned(),
        'h' => number((hour + 11) % 12 + 1),
        'H' => number(hour),
        'k' => number((hour + 23) % 24 + 1),
        'K' => number(hour % 12),
        'm' => number(minute),
        's' => number(second),
        'S' => format!("{:06}000", of_day % MICROS_PER_SECOND)[..width].to_owned(),
        'V' => "UTC".to_owned(),
        'z' if width == 4 => "Coordinated Universal Time".to_owned(),
        'z' => "UTC".to_owned(),
        'O' => "GMT".to_owned(),
        'X' => "Z".to_owned(),
        'Z' if width == 4 => "GMT".to_owned(),
        'Z' if width == 5 => "Z".to_owned(),
        'Z' => "+0000".to_owned(),
        'x' => match width {
            1 => "+00",
            2 | 4 => "+0000",
            _ => "+00:00",
        }
        .to_owned(),
        _ => String::new(),
    };
    out.push_str(&text);
}

fn named(names: &[&str], index: usize, width: usize) -> String {
    let name = names.get(index).copied().unwrap_or_default();
    if width == 3 { name[..3].to_owned() } else { name.to_owned() }
}

/// What was read so far.
#[derive(Default, Clone)]
struct Read {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    hour: Option<i64>,
    half_hour: Option<i64>,
    is_afternoon: bool,
    is_before_christ: bool,
    minute: i64,
    second: i64,
    micros: i64,
    zone: Option<Zone>,
}

#[derive(Clone)]
enum Zone {
    Offset(i64),
    Named(Tz),
}

impl Read {
    fn moment(&self) -> Option<Moment> {
        let year = self.year.unwrap_or(1970);
        let year = i32::try_from(if self.is_before_christ { 1 - year } else { year }).ok()?;
        let date = match self.day_of_year {
            Some(day) => NaiveDate::from_yo_opt(year, u32::try_from(day).ok()?)?,
            None => NaiveDate::from_ymd_opt(
                year,
                u32::try_from(self.month.unwrap_or(1)).ok()?,
                u32::try_from(self.day.unwrap_or(1)).ok()?,
            )?,
        };
        let hour = match (self.hour, self.half_hour) {
            (Some(hour), _) => hour,
            (None, Some(half)) => half + if self.is_afternoon { 12 } else { 0 },
            (None, None) => 0,
        };
        if !(0..24).contains(&hour) || !(0..60).contains(&self.minute) || !(0..60).contains(&self.second) {
            return None;
        }
        let of_day = ((hour * 60 + self.minute) * 60 + self.second) * MICROS_PER_SECOND + self.micros;
        let local_micros = days_of_date(date) * MICROS_PER_DAY + of_day;
        let offset_seconds = match &self.zone {
            None => None,
            Some(Zone::Offset(seconds)) => Some(*seconds),
            Some(Zone::Named(zone)) => Some(zone_offset_at_local(zone, local_micros)?),
        };
        Some(Moment { local_micros, offset_seconds })
    }
}

fn parse_parts<'a>(parts: &[Part], text: &'a str, read: &mut Read) -> Option<&'a str> {
    let mut rest = text;
    let mut index = 0;
    while let Some(part) = parts.get(index) {
        index += 1;
        match part {
            Part::Literal(literal) => {
                let given = rest.get(..literal.len())?;
                if !given.eq_ignore_ascii_case(literal) {
                    return None;
                }
                rest = &rest[literal.len()..];
            }
            Part::OptionalStart => {
                let mut depth = 1;
                let length = parts[index..].iter().position(|part| {
                    match part {
                        Part::OptionalStart => depth += 1,
                        Part::OptionalEnd => depth -= 1,
                        _ => {}
                    }
                    depth == 0
                });
                let end = index + length.unwrap_or(parts.len() - index);
                let mut inner = read.clone();
                if let Some(after) = parse_parts(&parts[index..end], rest, &mut inner) {
                    *read = inner;
                    rest = after;
                }
                index = end;
            }
            Part::OptionalEnd => {}
            Part::Field { letter, width } => {
                let is_followed =
                    matches!(parts.get(index), Some(Part::Field { letter, .. }) if "yMdDHhkKmsSQ".contains(*letter));
                rest = parse_field(*letter, *width, is_followed, rest, read)?;
            }
        }
    }
    Some(rest)
}

fn digits(text: &str, at_least: usize, at_most: usize) -> Option<(i64, &str)> {
    let n = text.bytes().take(at_most).take_while(u8::is_ascii_digit).count();
    if n < at_least {
        return None;
    }
    Some((text[..n].parse().ok()?, &text[n..]))
}

fn name<'a>(names: &[&str], width: usize, text: &'a str) -> Option<(i64, &'a str)> {
    names.iter().enumerate().find_map(|(index, name)| {
        let name = if width <= 3 { &name[..3] } else { name };
        let given = text.get(..name.len())?;
        given.eq_ignore_ascii_case(name).then(|| (index as i64, &text[name.len()..]))
    })
}

fn parse_field<'a>(letter: char, width: usize, is_followed: bool, text: &'a str, read: &mut Read) -> Option<&'a str> {
    // One letter takes as many digits as there are, two letters exactly two.
    let longest = if width == 1 && !is_followed { 9 } else { width };
    let number = || digits(text, width, longest);
    let rest = match letter {
        'G' => {
            let is_before = text.get(..2)?.eq_ignore_ascii_case("BC");
            if !is_before && !text.get(..2)?.eq_ignore_ascii_case("AD") {
                return None;
            }
            read.is_before_christ = is_before;
            &text[2..]
        }
        'y' if width == 2 => {
            let (year, rest) = digits(text, 2, 2)?;
            read.year = Some(2000 + year);
            rest
        }
        'y' => {
            let (unsigned, has_sign) = text.strip_prefix('+').map_or((text, false), |rest| (rest, true));
            let longest = if has_sign || width == 1 { 9 } else { width };
            let (year, rest) = digits(unsigned, width, longest)?;
            read.year = Some(year);
            rest
        }
        'M' | 'L' if width >= 3 => {
            let (index, rest) = name(&MONTHS, width, text)?;
            read.month = Some(index + 1);
            rest
        }
        'E' => name(&WEEKDAYS, width.max(3), text)?.1,
        'a' => {
            let given = text.get(..2)?;
            read.is_afternoon = given.eq_ignore_ascii_case("PM");
            if !read.is_afternoon && !given.eq_ignore_ascii_case("AM") {
                return None;
            }
            &text[2..]
        }
        'S' => {
            let n = text.bytes().take(width).take_while(u8::is_ascii_digit).count();
            if n == 0 {
                return None;
            }
            let fraction = format!("{:0<6}", &text[..n]);
            read.micros = fraction[..6].parse().ok()?;
            &text[n..]
        }
        'Q' | 'q' => digits(text.strip_prefix('Q').unwrap_or(text), 1, 2)?.1,
        'V' | 'z' | 'O' => {
            let end = text
                .find(|letter: char| !(letter.is_ascii_alphanumeric() || "/_+-:".contains(letter)))
                .unwrap_or(text.len());
            read.zone = Some(named_zone(&text[..end])?);
            &text[end..]
        }
        'X' | 'x' | 'Z' => {
            let (offset, rest) = offset(text, letter, width)?;
            read.zone = Some(Zone::Offset(offset));
            rest
        }
        _ => {
            let (value, rest) = number()?;
            let within = |low: i64, high: i64| (low..=high).contains(&value).then_some(value);
            match letter {
                'M' | 'L' => read.month = Some(within(1, 12)?),
                'd' => read.day = Some(within(1, 31)?),
                'D' => read.day_of_year = Some(within(1, 366)?),
                'H' => read.hour = Some(within(0, 23)?),
                'k' => read.hour = Some(within(1, 24)? % 24),
                'h' => read.half_hour = Some(within(1, 12)? % 12),
                'K' => read.half_hour = Some(within(0, 11)?),
                'm' => read.minute = within(0, 59)?,
                's' => read.second = within(0, 59)?,
                _ => return None,
            }
            rest
        }
    };
    Some(rest)
}

fn named_zone(name: &str) -> Option<Zone> {
    match name {
        "Z" | "UTC" | "GMT" | "UT" => Some(Zone::Offset(0)),
        _ => Tz::from_str(name.trim_start_matches("GMT").trim_start_matches("UTC")).ok().map(Zone::Named),
    }
}

/// `Z`, `+03`, `+0300` or `+03:00`.
fn offset(text: &str, letter: char, width: usize) -> Option<(i64, &str)> {
    if (letter == 'X' || (letter == 'Z' && width == 5))
        && let Some(rest) = text.strip_prefix(['Z', 'z'])
    {
        return Some((0, rest));
    }
    let sign = match text.bytes().next()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, rest) = digits(&text[1..], 2, 2)?;
    let has_colon = if letter == 'Z' { width == 5 } else { width == 3 || width == 5 };
    let minutes = if has_colon { digits(rest.strip_prefix(':')?, 2, 2) } else { digits(rest, 2, 2) };
    let is_optional = letter != 'Z' && width == 1;
    let (minutes, rest) = match minutes {
        Some(read) => read,
        None if is_optional => (0, rest),
        None => return None,
    };
    (hours <= 18 && minutes < 60).then_some((sign * (hours * 3600 + minutes * 60), rest))
}
