//! Which widgets a notebook plainly declares, without running it.

use super::{CellKind, Notebook};

/// Kind of a widget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WidgetKind {
    /// Free text.
    Text,
    /// One of a list.
    Dropdown,
    /// One of a list, or free text.
    Combobox,
    /// Some of a list.
    Multiselect,
}

impl WidgetKind {
    /// The method that makes it: `text`, `dropdown`, `combobox`, `multiselect`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Dropdown => "dropdown",
            Self::Combobox => "combobox",
            Self::Multiselect => "multiselect",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Text, Self::Dropdown, Self::Combobox, Self::Multiselect].into_iter().find(|kind| kind.name() == name)
    }
}

/// A call like `dbutils.widgets.text("market", "NL", "Market")` whose name and default are literals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredWidget {
    /// Kind.
    pub kind: WidgetKind,
    /// Name.
    pub name: String,
    /// Default value.
    pub default: String,
    /// Choices of the kinds that have them.
    pub choices: Vec<String>,
    /// Label; the name where none is given.
    pub label: String,
    /// 0-based cell.
    pub cell: usize,
}

/// The widgets that the Python cells of a notebook declare with literals, in order, each name once. What is computed is
/// left out: only a run can tell.
pub fn declared_widgets(notebook: &Notebook) -> Vec<DeclaredWidget> {
    let mut widgets: Vec<DeclaredWidget> = Vec::new();
    for (index, cell) in notebook.cells.iter().enumerate() {
        if cell.kind == CellKind::Python {
            for widget in scan(&cell.source, index) {
                if !widgets.iter().any(|known| known.name == widget.name) {
                    widgets.push(widget);
                }
            }
        }
    }
    widgets
}

const CALL: &str = "dbutils.widgets.";

fn scan(source: &str, cell: usize) -> Vec<DeclaredWidget> {
    let mut widgets = Vec::new();
    let mut reader = Reader { rest: source };
    let mut after_name = false;
    while let Some(c) = reader.peek() {
        if c == '#' {
            reader.skip_comment();
        } else if c == '"' || c == '\'' {
            reader.string(false);
        } else if !after_name && reader.rest.starts_with(CALL) {
            reader.rest = &reader.rest[CALL.len()..];
            let word = reader.word();
            let kind = WidgetKind::from_name(word);
            if let Some(kind) = kind
                && let Some(arguments) = reader.arguments()
                && let Some(widget) = widget(kind, arguments, cell)
            {
                widgets.push(widget);
            }
        } else {
            reader.next();
        }
        // `my_dbutils.widgets` is something else.
        after_name = c.is_alphanumeric() || c == '_' || c == '.';
    }
    widgets
}

fn widget(kind: WidgetKind, arguments: Vec<Argument>, cell: usize) -> Option<DeclaredWidget> {
    let has_choices = kind != WidgetKind::Text;
    let names: &[&str] =
        if has_choices { &["name", "defaultValue", "choices", "label"] } else { &["name", "defaultValue", "label"] };
    let mut values: Vec<Option<Literal>> = vec![None; names.len()];
    for (index, argument) in arguments.into_iter().enumerate() {
        let place = match &argument.keyword {
            Some(keyword) => names.iter().position(|name| name == keyword)?,
            None => index,
        };
        *values.get_mut(place)? = argument.value;
    }
    let mut values = values.into_iter();
    let name = values.next()??.into_text()?;
    let default = values.next()??.into_text()?;
    let choices = if has_choices { values.next()??.into_list()? } else { Vec::new() };
    let label = values.next()?.and_then(Literal::into_text).unwrap_or_else(|| name.clone());
    Some(DeclaredWidget { kind, name, default, choices, label, cell })
}

#[derive(Debug)]
struct Argument {
    keyword: Option<String>,
    /// Nothing for what is not a literal.
    value: Option<Literal>,
}

#[derive(Debug, Clone)]
enum Literal {
    Text(String),
    List(Vec<String>),
}

impl Literal {
    fn into_text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::List(_) => None,
        }
    }

    fn into_list(self) -> Option<Vec<String>> {
        match self {
            Self::List(list) => Some(list),
            Self::Text(_) => None,
        }
    }
}

/// A reader of just enough Python: comments, strings, and calls with literal arguments.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_comment(&mut self) {
        self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
    }

    fn skip_blanks(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if self.peek() == Some('#') {
                self.skip_comment();
            } else if !self.eat("\\\n") {
                return;
            }
        }
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// The arguments of a call from its `(` on; nothing when they do not end.
    fn arguments(&mut self) -> Option<Vec<Argument>> {
        self.skip_blanks();
        if !self.eat("(") {
            return None;
        }
        let mut arguments = Vec::new();
        loop {
            self.skip_blanks();
            if self.eat(")") {
                return Some(arguments);
            }
            let before = self.rest;
            let word = self.word();
            self.skip_blanks();
            let keyword = if !word.is_empty() && self.rest.starts_with('=') && !self.rest.starts_with("==") {
                self.eat("=");
                self.skip_blanks();
                Some(word.to_owned())
            } else {
                self.rest = before;
                None
            };
            let value = self.literal();
            self.skip_blanks();
            let is_whole = self.rest.starts_with([',', ')']);
            if !is_whole {
                self.skip_expression()?;
            }
            arguments.push(Argument { keyword, value: value.filter(|_| is_whole) });
            self.eat(",");
        }
    }

    fn literal(&mut self) -> Option<Literal> {
        if self.eat("[") {
            let mut items = Vec::new();
            loop {
                self.skip_blanks();
                if self.eat("]") {
                    return Some(Literal::List(items));
                }
                items.push(self.text()?);
                self.skip_blanks();
                if !self.eat(",") && !self.rest.starts_with(']') {
                    return None;
                }
            }
        }
        self.text().map(Literal::Text)
    }

    /// One or more string literals side by side.
    fn text(&mut self) -> Option<String> {
        let mut text = self.one_text()?;
        loop {
            let before = self.rest;
            self.skip_blanks();
            match self.one_text() {
                Some(more) => text.push_str(&more),
                None => {
                    self.rest = before;
                    return Some(text);
                }
            }
        }
    }

    fn one_text(&mut self) -> Option<String> {
        let before = self.rest;
        let prefix = self.word();
        let raw = match prefix.to_ascii_lowercase().as_str() {
            "" | "u" => false,
            "r" => true,
            _ => {
                self.rest = before;
                return None;
            }
        };
        if !self.rest.starts_with(['"', '\'']) {
            self.rest = before;
            return None;
        }
        self.string(raw)
    }

    /// A string literal from its quotation mark on; nothing when it does not end.
    fn string(&mut self, raw: bool) -> Option<String> {
        let quote = self.peek()?;
        let triple: String = [quote; 3].iter().collect();
        let end = if self.eat(&triple) { triple } else { self.next()?.to_string() };
        let mut text = String::new();
        loop {
            if self.eat(&end) {
                return Some(text);
            }
            match self.next()? {
                '\n' if end.len() == 1 => return None,
                '\\' => {
                    let escaped = self.next()?;
                    match escaped {
                        _ if raw => text.extend(['\\', escaped]),
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        '\n' => {}
                        '\\' | '\'' | '"' => text.push(escaped),
                        other => text.extend(['\\', other]),
                    }
                }
                c => text.push(c),
            }
        }
    }

    /// Skips to the comma or parenthesis that ends an argument.
    fn skip_expression(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                ',' | ')' if depth == 0 => return Some(()),
                '#' => self.skip_comment(),
                '"' | '\'' => {
                    self.string(false)?;
                }
                c => {
                    match c {
                        '(' | '[' | '{' => depth += 1,
                        ')' | ']' | '}' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    self.next();
                }
            }
        }
    }
}
