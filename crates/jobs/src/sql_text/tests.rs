use super::*;
use crate::parameters::Origin;

fn parameters(pairs: &[(&str, &str)]) -> Vec<Parameter> {
    pairs.iter().map(|(name, value)| Parameter::new(*name, *value, Origin::Task)).collect()
}

#[test]
fn markers_are_found_outside_of_strings_and_comments() {
    for (sql, expected) in [
        ("SELECT :a, :b FROM t WHERE x = :a", vec!["a", "b"]),
        ("SELECT ':a', \":b\", `:c` -- :d\n, :e /* :f /* :g */ :h */ + :i", vec!["e", "i"]),
        ("SELECT 'it\\'s :a' || :b", vec!["b"]),
        ("SELECT r'\\' || :a, bar'x' , :b", vec!["a", "b"]),
        ("SELECT x::int, col:field, f(x):y, m['k']:z, :p::date", vec!["p"]),
        ("SELECT ::x, : y, :1, :_z", vec!["_z"]),
        ("SELECT :größe", vec!["größe"]),
        ("SELECT 'open :a", vec![]),
        ("/* open :a", vec![]),
        ("", vec![]),
        (":", vec![]),
    ] {
        assert_eq!(parameter_markers(sql), expected, "{sql}");
    }
}

#[test]
fn braces_become_quoted_text() {
    let given = parameters(&[("t", "markets"), ("q", "it's \\ x")]);
    assert_eq!(expand_braces("SELECT * FROM config.{{t}}", &given), "SELECT * FROM config.'markets'");
    assert_eq!(expand_braces("SELECT {{ q }}, '{{t}}' -- {{t}}", &given), "SELECT 'it\\'s \\\\ x', '{{t}}' -- {{t}}");
    for untouched in ["{{unknown}}", "{{t", "{t}", "ü {{}} ü"] {
        assert_eq!(expand_braces(untouched, &given), untouched);
    }
}

#[test]
fn the_report_lists_what_is_used_given_and_missing() {
    let report = MarkerReport::new("SELECT :market, :currency", &parameters(&[("market", "NL"), ("x", "1")]));
    assert_eq!(report.missing, ["currency"]);
    assert_eq!(
        report.message().unwrap(),
        "The SQL text uses :market, :currency; given are :market, :x; missing are :currency."
    );
    assert_eq!(MarkerReport::new("SELECT 1", &[]).message(), None);
    assert!(MarkerReport::new("SELECT :a, {{a}}", &parameters(&[("a", "1")])).mixes_styles);
    assert!(!MarkerReport::new("SELECT {{a}}", &parameters(&[("a", "1")])).mixes_styles);
}
