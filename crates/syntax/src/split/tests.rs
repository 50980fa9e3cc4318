use super::*;

fn texts(script: &str) -> Vec<&str> {
    split(script).into_iter().map(|span| &script[span.start..span.end]).collect()
}

#[test]
fn statements_end_at_semicolons_outside_of_strings_and_comments() {
    assert_eq!(
        texts("SELECT 1; SELECT ';' ;;\n -- a; b\nSELECT /* ; */ `x;y`"),
        ["SELECT 1", "SELECT ';'", "SELECT /* ; */ `x;y`"]
    );
    assert_eq!(texts(" ; -- nothing\n ; "), Vec::<&str>::new());
    assert_eq!(texts(r#"SELECT 'it\'s; ' "a;""#), [r#"SELECT 'it\'s; ' "a;""#]);
}

#[test]
fn blocks_keep_their_semicolons() {
    let block =
        "BEGIN DECLARE x INT; IF a THEN SELECT 1; END IF; SELECT CASE WHEN a THEN 1 END; BEGIN SELECT 2; END; END";
    assert_eq!(texts(&format!("{block}; SELECT 3")), [block, "SELECT 3"]);
    assert_eq!(texts("BEGIN; SELECT 1"), ["BEGIN", "SELECT 1"]);
    assert_eq!(texts("SELECT begin; SELECT end"), ["SELECT begin", "SELECT end"]);
}

#[test]
fn what_has_no_end_is_one_statement() {
    for script in ["SELECT 1; SELECT 'a; SELECT 2", "SELECT 1; SELECT 2 /* ; ", "SELECT 1; BEGIN SELECT 2; SELECT 3"] {
        let pieces = pieces(script);
        assert_eq!(pieces.len(), 2, "{script}");
        assert!(pieces[0].unterminated.is_none() && pieces[1].unterminated.is_some(), "{script}");
        assert_eq!(pieces[1].span.end, script.len(), "{script}");
    }
}

#[test]
fn ranges_hold_comments_before_and_the_semicolon_after() {
    let script = "-- one\nSELECT 1 ;\n/* two */ SELECT 2";
    let ranges: Vec<&str> =
        pieces(script).iter().map(|piece| &script[piece.text_range.start..piece.text_range.end]).collect();
    assert_eq!(ranges, ["-- one\nSELECT 1 ;", "\n/* two */ SELECT 2"]);
}

#[test]
fn the_cursor_is_in_a_statement_up_to_its_semicolon() {
    let script = "SELECT 1; SELECT 2;\n\n";
    let at = |offset| statement_at(script, offset).map(|span| &script[span.start..span.end]);
    assert_eq!(at(0), Some("SELECT 1"));
    assert_eq!(at(9), Some("SELECT 1"));
    assert_eq!(at(10), Some("SELECT 2"));
    assert_eq!(at(21), Some("SELECT 2"));
    assert_eq!(statement_at("  -- x", 3), None);
}
