//! Statements that Spark or Databricks has and Lakelet has not: refused by name, not as syntax errors.

use lakelet_base::{Diagnostic, Span};
use sqlparser::tokenizer::Token;

use super::cursor::Result;
use crate::lexer::Lexeme;

/// First words of a statement, and what to call it. `CREATE` and `DROP` stand for any of their modifiers.
const REFUSED: &[(&[&str], &str)] = &[
    (&["GRANT"], "GRANT: there is one reader here, who may do everything"),
    (&["REVOKE"], "REVOKE: there is one reader here, who may do everything"),
    (&["DENY"], "DENY: there is one reader here, who may do everything"),
    (&["BEGIN"], "SQL scripting (BEGIN … END)"),
    (&["DECLARE"], "DECLARE: session variables"),
    (&["EXECUTE", "IMMEDIATE"], "EXECUTE IMMEDIATE"),
    (&["CALL"], "CALL: procedures"),
    (&["IF"], "SQL scripting (IF)"),
    (&["WHILE"], "SQL scripting (WHILE)"),
    (&["LOOP"], "SQL scripting (LOOP)"),
    (&["REPEAT"], "SQL scripting (REPEAT)"),
    (&["FOR"], "SQL scripting (FOR)"),
    (&["CASE"], "SQL scripting (CASE)"),
    (&["SIGNAL"], "SQL scripting (SIGNAL)"),
    (&["RETURN"], "SQL scripting (RETURN)"),
    (&["COMMIT"], "transactions over several statements"),
    (&["ROLLBACK"], "transactions over several statements"),
    (&["START", "TRANSACTION"], "transactions over several statements"),
    (&["CACHE"], "CACHE: tables are in memory anyway"),
    (&["UNCACHE"], "UNCACHE: tables are in memory anyway"),
    (&["CLEAR", "CACHE"], "CLEAR CACHE: tables are in memory anyway"),
    (&["COPY", "INTO"], "COPY INTO"),
    (&["LOAD", "DATA"], "LOAD DATA"),
    (&["OPTIMIZE"], "OPTIMIZE: rows are merged by themselves"),
    (&["VACUUM"], "VACUUM: old versions are kept"),
    (&["ANALYZE"], "ANALYZE TABLE"),
    (&["MSCK"], "MSCK REPAIR TABLE"),
    (&["REPAIR"], "REPAIR TABLE"),
    (&["FSCK"], "FSCK REPAIR TABLE"),
    (&["REORG"], "REORG TABLE"),
    (&["CONVERT", "TO"], "CONVERT TO DELTA"),
    (&["GENERATE"], "GENERATE"),
    (&["SYNC"], "SYNC"),
    (&["UNDROP"], "UNDROP"),
    (&["COMMENT", "ON"], "COMMENT ON"),
    (&["RESET"], "RESET"),
    (&["ADD"], "ADD JAR, FILE and ARCHIVE"),
    (&["LIST"], "LIST"),
    (&["PUT"], "PUT"),
    (&["GET"], "GET"),
    (&["REMOVE"], "REMOVE"),
    (&["CREATE", "FUNCTION"], "CREATE FUNCTION"),
    (&["CREATE", "AGGREGATE", "FUNCTION"], "CREATE FUNCTION"),
    (&["CREATE", "PROCEDURE"], "CREATE PROCEDURE"),
    (&["CREATE", "VOLUME"], "volumes"),
    (&["CREATE", "EXTERNAL"], "external tables, catalogs and locations"),
    (&["CREATE", "FOREIGN"], "foreign catalogs and tables"),
    (&["CREATE", "CONNECTION"], "connections"),
    (&["CREATE", "SHARE"], "shares"),
    (&["CREATE", "RECIPIENT"], "recipients"),
    (&["CREATE", "STORAGE"], "storage credentials"),
    (&["CREATE", "SERVER"], "servers"),
    (&["CREATE", "POLICY"], "policies"),
    (&["CREATE", "GROUP"], "groups"),
    (&["CREATE", "INDEX"], "indexes"),
    (&["CREATE", "BLOOMFILTER"], "indexes"),
    (&["CREATE", "GLOBAL"], "global temporary views"),
    (&["CREATE", "LIVE"], "LIVE tables; write CREATE MATERIALIZED VIEW or CREATE STREAMING TABLE"),
    (&["CREATE", "INCREMENTAL", "LIVE"], "LIVE tables; write CREATE STREAMING TABLE"),
    (&["CREATE", "METRIC"], "metric views"),
    (&["CREATE", "PRIVATE"], "private tables and views of pipelines"),
    (&["DROP", "FUNCTION"], "DROP FUNCTION"),
    (&["DROP", "PROCEDURE"], "DROP PROCEDURE"),
    (&["DROP", "FLOW"], "DROP FLOW; drop its target table"),
    (&["DROP", "VARIABLE"], "session variables"),
    (&["DROP", "VOLUME"], "volumes"),
    (&["DROP", "CONNECTION"], "connections"),
    (&["DROP", "SHARE"], "shares"),
    (&["DROP", "RECIPIENT"], "recipients"),
    (&["DROP", "INDEX"], "indexes"),
    (&["ALTER", "VIEW"], "ALTER VIEW; use CREATE OR REPLACE VIEW"),
    (&["ALTER", "SCHEMA"], "ALTER SCHEMA"),
    (&["ALTER", "DATABASE"], "ALTER DATABASE"),
    (&["ALTER", "CATALOG"], "ALTER CATALOG"),
    (&["ALTER", "VOLUME"], "volumes"),
    (&["ALTER", "SHARE"], "shares"),
    (&["SHOW", "FUNCTIONS"], "SHOW FUNCTIONS"),
    (&["SHOW", "USER"], "SHOW FUNCTIONS"),
    (&["SHOW", "PARTITIONS"], "SHOW PARTITIONS"),
    (&["SHOW", "TABLE"], "SHOW TABLE EXTENDED"),
    (&["SHOW", "GRANTS"], "SHOW GRANTS"),
    (&["SHOW", "GRANT"], "SHOW GRANTS"),
    (&["SHOW", "USERS"], "users"),
    (&["SHOW", "GROUPS"], "groups"),
    (&["SHOW", "VOLUMES"], "volumes"),
    (&["SHOW", "SHARES"], "shares"),
    (&["SHOW", "RECIPIENTS"], "recipients"),
    (&["SHOW", "CURRENT"], "SHOW CURRENT; SELECT current_catalog(), current_schema() says it"),
    (&["SHOW", "PROCEDURES"], "procedures"),
    (&["REFRESH", "FOREIGN"], "foreign catalogs and tables"),
    (&["REFRESH", "FUNCTION"], "REFRESH FUNCTION"),
    (&["TRUNCATE", "VIEW"], "TRUNCATE VIEW"),
];

/// Words between CREATE or DROP and what it is about.
const MODIFIERS: &[&str] = &["OR", "REPLACE", "REFRESH", "TEMPORARY", "TEMP"];

/// Refuses a statement that is known and not supported.
///
/// # Errors
/// `UNSUPPORTED_FEATURE`, at the words that name it.
pub(super) fn check(text: &str, lexemes: &[Lexeme]) -> Result<()> {
    let is = |lexeme: &Lexeme, word: &str| lexeme.is_word(text, word);
    let mut head: Vec<&Lexeme> = lexemes.iter().take(8).collect();
    if head.first().is_some_and(|first| is(first, "EXPLAIN")) {
        head.remove(0);
        let modes = ["ANALYZE", "EXTENDED", "FORMATTED"];
        if head.first().is_some_and(|mode| modes.iter().any(|word| is(mode, word))) {
            head.remove(0);
        }
    }
    if head.len() > 2
        && head.get(1).is_some_and(|colon| colon.is_symbol(&Token::Colon))
        && is_scripting(text, head.get(2))
    {
        head.drain(..2);
    }
    if head.first().is_some_and(|first| is(first, "CREATE") || is(first, "DROP")) {
        let first = head.remove(0);
        let rest = head.iter().skip_while(|lexeme| MODIFIERS.iter().any(|word| is(lexeme, word)));
        head = std::iter::once(first).chain(rest.copied()).collect();
    }
    for (words, what) in REFUSED {
        if words.len() <= head.len() && words.iter().zip(&head).all(|(word, lexeme)| is(lexeme, word)) {
            let start = head.first().map_or(0, |lexeme| lexeme.span.start);
            let end = head.get(words.len() - 1).map_or(start, |lexeme| lexeme.span.end);
            return Err(Box::new(Diagnostic::unsupported(what).at(Span::new(start, end))));
        }
    }
    Ok(())
}

fn is_scripting(text: &str, lexeme: Option<&&Lexeme>) -> bool {
    ["BEGIN", "LOOP", "WHILE", "REPEAT", "FOR"]
        .iter()
        .any(|word| lexeme.is_some_and(|lexeme| lexeme.is_word(text, word)))
}
