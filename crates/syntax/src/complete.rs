//! Completion: what may come at the cursor, by the words before it.
//!
//! A first version: it looks at words, not at the grammar. After FROM come tables, after a point what is inside, after
//! CREATE what can be created; elsewhere columns of the statement's tables, functions and keywords.

#[cfg(test)]
mod tests;

use lakelet_base::{Span, quote_identifier, same_name};
use sqlparser::tokenizer::Token;

use crate::keywords::{SUGGESTED, is_reserved_table_alias};
use crate::lexer::{Lexeme, LexemeKind, keyword_of, lex};

/// Where completion gets the names of the moment from.
pub trait NameSource {
    /// Tables and views that can be named by `qualifier`: the current schema's for an empty one, else those of the
    /// catalog and schema it names.
    fn tables(&self, qualifier: &[String]) -> Vec<String>;
    /// Schemas of the current catalog, or of the one that `qualifier` names.
    fn schemas(&self, qualifier: &[String]) -> Vec<String>;
    /// Catalogs.
    fn catalogs(&self) -> Vec<String>;
    /// Columns of a table; none if there is no such table.
    fn columns(&self, table: &[String]) -> Vec<String>;
    /// Functions.
    fn functions(&self) -> Vec<String>;
}

/// What a completion is, for its icon and its place in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CompletionKind {
    /// A column of a table in the statement.
    Column,
    /// A table or view.
    Table,
    /// A schema.
    Schema,
    /// A catalog.
    Catalog,
    /// A function.
    Function,
    /// A keyword.
    Keyword,
}

/// One way to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What is shown.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// What is replaced: the word the cursor is in or behind, empty if there is none.
    pub span: Span,
    /// What is put there, with back-ticks where it needs them.
    pub replacement: String,
}

/// Ways to go on at byte `offset` of a script, sorted by kind, then by label. Nothing is proposed inside of strings and
/// comments.
pub fn complete(text: &str, offset: usize, names: &dyn NameSource) -> Vec<Completion> {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let statement = statement_around(text, offset);
    let Some(context) = Context::at(text, &statement, offset) else { return Vec::new() };
    let mut found: Vec<(CompletionKind, String)> = Vec::new();
    context.collect(names, &mut found);
    let typed = text.get(context.span.start..offset).unwrap_or_default().trim_matches('`').to_lowercase();
    found.retain(|(_, label)| label.to_lowercase().starts_with(&typed));
    found.sort_by(|left, right| left.0.cmp(&right.0).then_with(|| left.1.to_lowercase().cmp(&right.1.to_lowercase())));
    found.dedup_by(|left, right| left.0 == right.0 && same_name(&left.1, &right.1));
    found
        .into_iter()
        .map(|(kind, label)| {
            let replacement = if kind == CompletionKind::Keyword { label.clone() } else { quote_identifier(&label) };
            Completion { label, kind, span: context.span, replacement }
        })
        .collect()
}

/// The lexemes of the statement that holds `offset`.
fn statement_around(text: &str, offset: usize) -> Vec<Lexeme> {
    let lexemes = lex(text).lexemes;
    let is_end = |lexeme: &Lexeme| lexeme.is_symbol(&Token::SemiColon);
    let start =
        lexemes.iter().rposition(|lexeme| lexeme.span.end <= offset && is_end(lexeme)).map_or(0, |index| index + 1);
    lexemes.into_iter().skip(start).take_while(|lexeme| !is_end(lexeme)).collect()
}

/// Words after which a table's name comes.
const BEFORE_TABLE: &[&str] = &[
    "FROM", "JOIN", "INTO", "UPDATE", "TABLE", "VIEW", "STREAM", "DESCRIBE", "DESC", "HISTORY", "REFRESH", "USING",
    "RESTORE",
];

struct Context<'a> {
    text: &'a str,
    statement: &'a [Lexeme],
    /// The word the cursor is in, or an empty place.
    span: Span,
    /// Upper-case words before it, nearest first.
    words: Vec<String>,
    /// `a.b` before the word and its point.
    qualifier: Vec<String>,
}

impl<'a> Context<'a> {
    /// `None` inside of a string, a comment or a number.
    fn at(text: &'a str, statement: &'a [Lexeme], offset: usize) -> Option<Self> {
        let mut before: Vec<&Lexeme> = statement.iter().filter(|lexeme| lexeme.span.start < offset).collect();
        let mut span = Span::new(offset, offset);
        if let Some(last) = before.last()
            && last.span.end >= offset
        {
            match &last.kind {
                LexemeKind::Word | LexemeKind::QuotedWord(_) => {
                    span = last.span;
                    before.pop();
                }
                LexemeKind::Symbol(_) => {}
                LexemeKind::Text(_) if last.span.end == offset => {}
                _ => return None,
            }
        } else if in_comment(text, before.last().map_or(0, |last| last.span.end), offset) {
            return None;
        }
        let mut qualifier = Vec::new();
        while before.last().is_some_and(|last| last.is_symbol(&Token::Period)) {
            before.pop();
            match before.pop().and_then(|lexeme| name_of(text, lexeme)) {
                Some(name) => qualifier.insert(0, name),
                None => return None,
            }
        }
        let words = before.iter().rev().take(4).map(|lexeme| written(text, lexeme).to_ascii_uppercase()).collect();
        Some(Self { text, statement, span, words, qualifier })
    }

    fn collect(&self, names: &dyn NameSource, found: &mut Vec<(CompletionKind, String)>) {
        let mut add = |kind, labels: Vec<String>| found.extend(labels.into_iter().map(|label| (kind, label)));
        let last = self.words.first().map(String::as_str).unwrap_or_default();
        let wants_table = BEFORE_TABLE.contains(&last) || self.continues_table_list();
        if !self.qualifier.is_empty() {
            let columns = if wants_table { Vec::new() } else { names.columns(&self.table_called(&self.qualifier)) };
            if !columns.is_empty() {
                return add(CompletionKind::Column, columns);
            }
            add(CompletionKind::Table, names.tables(&self.qualifier));
            if let [_catalog] = self.qualifier.as_slice() {
                add(CompletionKind::Schema, names.schemas(&self.qualifier));
            }
            return;
        }
        match last {
            "CATALOG" => return add(CompletionKind::Catalog, names.catalogs()),
            "SCHEMA" | "DATABASE" | "SCHEMAS" | "IN"
                if last != "IN" || self.words.get(1).is_some_and(|word| word == "TABLES") =>
            {
                return add(CompletionKind::Schema, names.schemas(&[]));
            }
            "USE" => {
                add(CompletionKind::Schema, names.schemas(&[]));
                return add(CompletionKind::Keyword, vec!["CATALOG".to_owned(), "SCHEMA".to_owned()]);
            }
            _ => {}
        }
        if wants_table {
            add(CompletionKind::Table, names.tables(&[]));
            add(CompletionKind::Schema, names.schemas(&[]));
            add(CompletionKind::Catalog, names.catalogs());
            return add(CompletionKind::Keyword, vec!["STREAM".to_owned()]);
        }
        if !self.words.is_empty() {
            for table in self.tables() {
                add(CompletionKind::Column, names.columns(&table.name));
                add(CompletionKind::Table, table.alias.into_iter().collect());
            }
            add(CompletionKind::Function, names.functions());
        }
        add(CompletionKind::Keyword, SUGGESTED.iter().map(|word| (*word).to_owned()).collect());
    }

    /// `FROM a, ` before the cursor.
    fn continues_table_list(&self) -> bool {
        self.words.first().is_some_and(|comma| comma == ",") && self.words.get(2).is_some_and(|word| word == "FROM")
    }

    /// Tables after FROM, JOIN, INTO and UPDATE, with their aliases.
    fn tables(&self) -> Vec<TableInScope> {
        let mut tables = Vec::new();
        let mut index = 0;
        while let Some(lexeme) = self.statement.get(index) {
            index += 1;
            if !["FROM", "JOIN", "INTO", "UPDATE", "USING"].iter().any(|word| lexeme.is_word(self.text, word)) {
                continue;
            }
            if self.statement.get(index).is_some_and(|next| next.is_word(self.text, "STREAM")) {
                index += 1;
            }
            let mut name = Vec::new();
            while let Some(part) = self.statement.get(index).and_then(|lexeme| name_of(self.text, lexeme)) {
                name.push(part);
                index += 1;
                if !self.statement.get(index).is_some_and(|next| next.is_symbol(&Token::Period)) {
                    break;
                }
                index += 1;
            }
            if name.is_empty() {
                continue;
            }
            let named = usize::from(self.statement.get(index).is_some_and(|next| next.is_word(self.text, "AS")));
            let alias = self.statement.get(index + named).filter(|lexeme| {
                !matches!(lexeme.kind, LexemeKind::Word)
                    || !is_reserved_table_alias(keyword_of(written(self.text, lexeme)))
            });
            tables.push(TableInScope { name, alias: alias.and_then(|lexeme| name_of(self.text, lexeme)) });
        }
        tables
    }

    /// The table a qualifier stands for: one with that alias, or itself.
    fn table_called(&self, qualifier: &[String]) -> Vec<String> {
        let [name] = qualifier else { return qualifier.to_vec() };
        let matches = |table: &TableInScope| match &table.alias {
            Some(alias) => same_name(alias, name),
            None => table.name.last().is_some_and(|last| same_name(last, name)),
        };
        self.tables().into_iter().find(matches).map_or_else(|| qualifier.to_vec(), |table| table.name)
    }
}

struct TableInScope {
    name: Vec<String>,
    alias: Option<String>,
}

fn written<'a>(text: &'a str, lexeme: &Lexeme) -> &'a str {
    text.get(lexeme.span.start..lexeme.span.end).unwrap_or_default()
}

fn name_of(text: &str, lexeme: &Lexeme) -> Option<String> {
    match &lexeme.kind {
        LexemeKind::Word => Some(written(text, lexeme).to_owned()),
        LexemeKind::QuotedWord(name) => Some(name.clone()),
        _ => None,
    }
}

/// Whether a comment covers `offset`; nothing but blanks and comments stands from `from` on.
fn in_comment(text: &str, from: usize, offset: usize) -> bool {
    let before = text.get(from..offset).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.contains("--") || before.matches("/*").count() > before.matches("*/").count()
}
