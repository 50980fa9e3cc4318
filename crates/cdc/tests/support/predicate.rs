//! The conditions that the cases use, over rows of JSON with three-valued logic.

use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Literal(Value),
    Symbol(String),
}

#[derive(Debug, Clone)]
enum Node {
    Column(String),
    Literal(Value),
    Not(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    IsNull(Box<Node>),
    Compare(String, Box<Node>, Box<Node>),
}

/// A parsed condition.
#[derive(Debug, Clone)]
pub struct Predicate(Node);

impl Predicate {
    pub fn parse(text: &str) -> Self {
        let mut parser = Parser { tokens: tokens(text), at: 0 };
        let node = parser.or();
        assert_eq!(parser.at, parser.tokens.len(), "text left over in {text}");
        Self(node)
    }

    pub fn columns(&self) -> Vec<String> {
        let mut columns = Vec::new();
        collect(&self.0, &mut columns);
        columns
    }

    pub fn holds(&self, row: &Value) -> Option<bool> {
        eval(&self.0, row).as_bool()
    }
}

fn collect(node: &Node, columns: &mut Vec<String>) {
    match node {
        Node::Column(name) => columns.push(name.clone()),
        Node::Literal(_) => {}
        Node::Not(inner) | Node::IsNull(inner) => collect(inner, columns),
        Node::And(left, right) | Node::Or(left, right) | Node::Compare(_, left, right) => {
            collect(left, columns);
            collect(right, columns);
        }
    }
}

fn eval(node: &Node, row: &Value) -> Value {
    let known = |value: Option<bool>| value.map_or(Value::Null, Value::Bool);
    match node {
        Node::Column(name) => {
            let columns = row.as_object().unwrap();
            columns.iter().find(|(column, _)| column.eq_ignore_ascii_case(name)).map_or(Value::Null, |(_, v)| v.clone())
        }
        Node::Literal(value) => value.clone(),
        Node::Not(inner) => known(eval(inner, row).as_bool().map(|value| !value)),
        Node::And(left, right) => known(match (eval(left, row).as_bool(), eval(right, row).as_bool()) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }),
        Node::Or(left, right) => known(match (eval(left, row).as_bool(), eval(right, row).as_bool()) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        }),
        Node::IsNull(inner) => Value::Bool(eval(inner, row).is_null()),
        Node::Compare(symbol, left, right) => {
            let (left, right) = (eval(left, row), eval(right, row));
            if left.is_null() || right.is_null() {
                return Value::Null;
            }
            Value::Bool(match symbol.as_str() {
                "=" => left == right,
                "<>" | "!=" => left != right,
                "<" => left.as_f64() < right.as_f64(),
                ">" => left.as_f64() > right.as_f64(),
                other => panic!("comparison {other}"),
            })
        }
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(&c) = chars.peek() {
        if c.is_whitespace() {
            chars.next();
        } else if c == '\'' {
            chars.next();
            let literal: String = chars.by_ref().take_while(|&c| c != '\'').collect();
            tokens.push(Token::Literal(Value::String(literal)));
        } else if c.is_ascii_digit() {
            let mut number = String::new();
            while let Some(digit) = chars.next_if(|c| c.is_ascii_digit()) {
                number.push(digit);
            }
            tokens.push(Token::Literal(serde_json::from_str(&number).unwrap()));
        } else if c.is_alphabetic() || c == '_' {
            let mut word = String::new();
            while let Some(letter) = chars.next_if(|&c| c.is_alphanumeric() || c == '_') {
                word.push(letter);
            }
            tokens.push(Token::Word(word));
        } else {
            let mut symbol = chars.next().unwrap().to_string();
            if matches!(c, '<' | '!') {
                symbol.extend(chars.next_if(|&c| matches!(c, '>' | '=')));
            }
            tokens.push(Token::Symbol(symbol));
        }
    }
    tokens
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn keyword(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Word(next)) if next.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    fn symbol(&mut self, symbol: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Symbol(next)) if next == symbol);
        self.at += usize::from(found);
        found
    }

    fn or(&mut self) -> Node {
        let mut left = self.and();
        while self.keyword("OR") {
            left = Node::Or(Box::new(left), Box::new(self.and()));
        }
        left
    }

    fn and(&mut self) -> Node {
        let mut left = self.not();
        while self.keyword("AND") {
            left = Node::And(Box::new(left), Box::new(self.not()));
        }
        left
    }

    fn not(&mut self) -> Node {
        if self.keyword("NOT") { Node::Not(Box::new(self.not())) } else { self.comparison() }
    }

    fn comparison(&mut self) -> Node {
        let left = self.atom();
        if self.keyword("IS") {
            let negated = self.keyword("NOT");
            assert!(self.keyword("NULL"));
            let is_null = Node::IsNull(Box::new(left));
            return if negated { Node::Not(Box::new(is_null)) } else { is_null };
        }
        if self.keyword("IN") {
            assert!(self.symbol("("));
            let mut any = Node::Literal(Value::Bool(false));
            loop {
                let equal = Node::Compare("=".to_owned(), Box::new(left.clone()), Box::new(self.atom()));
                any = Node::Or(Box::new(any), Box::new(equal));
                if !self.symbol(",") {
                    break;
                }
            }
            assert!(self.symbol(")"));
            return any;
        }
        for symbol in ["=", "<>", "!=", "<", ">"] {
            if self.symbol(symbol) {
                return Node::Compare(symbol.to_owned(), Box::new(left), Box::new(self.atom()));
            }
        }
        left
    }

    fn atom(&mut self) -> Node {
        if self.symbol("(") {
            let inner = self.or();
            assert!(self.symbol(")"));
            return inner;
        }
        for (word, value) in [("NULL", Value::Null), ("TRUE", Value::Bool(true)), ("FALSE", Value::Bool(false))] {
            if self.keyword(word) {
                return Node::Literal(value);
            }
        }
        let token = self.tokens[self.at].clone();
        self.at += 1;
        match token {
            Token::Word(name) => Node::Column(name),
            Token::Literal(value) => Node::Literal(value),
            Token::Symbol(symbol) => panic!("unexpected {symbol}"),
        }
    }
}
