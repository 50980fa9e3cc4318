//! Parameters in the text of SQL tasks: `:name` markers, and the older `{{name}}`.

#[cfg(test)]
mod tests;

use crate::parameters::Parameter;

/// What binding parameters to a text comes to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MarkerReport {
    /// Names that the text has `:name` markers for, each once, in order.
    pub markers: Vec<String>,
    /// Names of the parameters that were given.
    pub given: Vec<String>,
    /// Markers without a parameter: Spark refuses a statement with one (`UNBOUND_SQL_PARAMETER`).
    pub missing: Vec<String>,
    /// Whether `{{name}}` stands beside `:name`, which is easily mixed up.
    pub mixes_styles: bool,
}

impl MarkerReport {
    /// Compares the markers of `sql`, which may hold several statements, with `parameters`.
    pub fn new(sql: &str, parameters: &[Parameter]) -> Self {
        let markers = parameter_markers(sql);
        let given: Vec<String> = parameters.iter().map(|parameter| parameter.name.clone()).collect();
        let missing = markers.iter().filter(|marker| !given.contains(marker)).cloned().collect();
        let mixes_styles = !markers.is_empty() && expand_braces(sql, parameters) != sql;
        Self { markers, given, missing, mixes_styles }
    }

    /// A sentence with all three lists, where a marker has no parameter.
    pub fn message(&self) -> Option<String> {
        let list = |names: &[String]| match names {
            [] => "none".to_owned(),
            names => names.iter().map(|name| format!(":{name}")).collect::<Vec<_>>().join(", "),
        };
        (!self.missing.is_empty()).then(|| {
            format!(
                "The SQL text uses {}; given are {}; missing are {}.",
                list(&self.markers),
                list(&self.given),
                list(&self.missing)
            )
        })
    }
}

/// Names of the `:name` markers in `sql`, each once, in order. Strings, comments, quoted identifiers, `::` casts and
/// paths into JSON (`col:field`) have none.
pub fn parameter_markers(sql: &str) -> Vec<String> {
    let mut markers: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut at = 0;
    while let Some(c) = sql[at..].chars().next() {
        if let Some(end) = opaque_end(sql, at) {
            at = end;
            before = 'x';
            continue;
        }
        if c == ':' && !is_operand_end(before) && before != ':' {
            let name_start = at + 1;
            let name_end = name_end(sql, name_start);
            let name = &sql[name_start..name_end];
            if name.starts_with(|c: char| c.is_alphabetic() || c == '_') && !markers.iter().any(|known| known == name) {
                markers.push(name.to_owned());
            }
            at = name_end.max(name_start);
            before = if name.is_empty() { ':' } else { 'x' };
            continue;
        }
        at += c.len_utf8();
        before = c;
    }
    markers
}

/// Replaces `{{name}}` by the parameter's value as a quoted text literal, as older SQL tasks did; so it can stand for a
/// value but never for a name. Unknown names, strings and comments stay as they are.
pub fn expand_braces(sql: &str, parameters: &[Parameter]) -> String {
    let mut expanded = String::with_capacity(sql.len());
    let mut at = 0;
    while let Some(c) = sql[at..].chars().next() {
        let end = if let Some(end) = opaque_end(sql, at) {
            end
        } else if let Some((name, end)) = braces(sql, at)
            && let Some(parameter) = parameters.iter().find(|parameter| parameter.name == name)
        {
            let escaped = parameter.value.replace('\\', "\\\\").replace('\'', "\\'");
            expanded.push_str(&format!("'{escaped}'"));
            at = end;
            continue;
        } else {
            at + c.len_utf8()
        };
        expanded.push_str(&sql[at..end]);
        at = end;
    }
    expanded
}

/// The name in `{{ name }}` at `at`, and where the braces end.
fn braces(sql: &str, at: usize) -> Option<(&str, usize)> {
    let inner = sql[at..].strip_prefix("{{")?;
    let (name, _) = inner.split_once("}}")?;
    Some((name.trim(), at + name.len() + 4))
}

/// Whether a colon after this character belongs to an operand before it.
fn is_operand_end(before: char) -> bool {
    before.is_alphanumeric() || matches!(before, '_' | ')' | ']' | '`' | '\'' | '"')
}

fn name_end(sql: &str, start: usize) -> usize {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    sql[start..].find(|c| !is_name(c)).map_or(sql.len(), |length| start + length)
}

/// Where a string, quoted identifier or comment that begins at `at` ends; the end of the text when it never does.
fn opaque_end(sql: &str, at: usize) -> Option<usize> {
    let rest = &sql[at..];
    let mut chars = rest.char_indices();
    let end = match chars.next()?.1 {
        '`' => rest[1..].find('`').map(|end| end + 2),
        quote @ ('\'' | '"') => {
            let is_raw =
                sql[..at].ends_with(['r', 'R']) && !sql[..at - 1].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let mut escaped = false;
            chars.find_map(|(index, c)| {
                if escaped {
                    escaped = false;
                } else if c == '\\' && !is_raw {
                    escaped = true;
                } else if c == quote {
                    return Some(index + 1);
                }
                None
            })
        }
        '-' if rest.starts_with("--") => rest.find('\n'),
        '/' if rest.starts_with("/*") => {
            let mut depth = 0_usize;
            let mut inner = 0;
            loop {
                let Some(next) = rest[inner..].find(['/', '*']) else {
                    break None;
                };
                inner += next;
                if rest[inner..].starts_with("/*") {
                    depth += 1;
                    inner += 2;
                } else if rest[inner..].starts_with("*/") {
                    depth = depth.saturating_sub(1);
                    inner += 2;
                    if depth == 0 {
                        break Some(inner);
                    }
                } else {
                    inner += 1;
                }
            }
        }
        _ => return None,
    };
    Some(end.map_or(sql.len(), |length| at + length))
}
