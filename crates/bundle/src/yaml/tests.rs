use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(text: &str) -> Value {
    parse_yaml(text).unwrap().to_json()
}

#[test]
fn scalars_follow_the_core_schema() {
    assert_eq!(
        read("[1, -2, 0x1f, 0o17, 007, +1.50, .5, 1., 1e3, true, False, null, ~, yes, '1', !!str 2, 1.2.3, a-, 0b1]"),
        json!([1, -2, 31, 15, 7, 1.50, 0.5, 1.0, 1e3, true, false, null, null, "yes", "1", "2", "1.2.3", "a-", "0b1"])
            .as_array()
            .map(|items| {
                let mut items = items.clone();
                items[5] = "1.50".parse().map(Value::Number).unwrap();
                items[8] = "1e3".parse().map(Value::Number).unwrap();
                Value::Array(items)
            })
            .unwrap()
    );
    assert_eq!(read(""), Value::Null);
    assert_eq!(read("---\na: 1\n"), json!({"a": 1}));
}

#[test]
fn values_know_their_lines() {
    let yaml = parse_yaml("# comment\nname: x\ntasks:\n  - task_key: a\n    sql_task:\n      file: {path: b}\n  - c\n")
        .unwrap();
    for (path, line) in [
        ("name", Some(2)),
        ("tasks[0]", Some(4)),
        ("tasks[0].sql_task.file.path", Some(6)),
        ("tasks[0].sql_task.nothing.here", Some(5)),
        ("tasks[1]", Some(7)),
        ("tasks[2]", Some(3)),
        ("nam", None),
        ("", None),
    ] {
        assert_eq!(yaml.line_at(path), line, "{path}");
    }
    assert_eq!(parse_yaml("a: {b: 1}\na.b: 2\n").unwrap().line_at("a.b"), Some(2));
    assert_eq!(yaml.get("tasks").unwrap().items()[0].column, 5);
}

#[test]
fn anchors_and_merges_are_resolved() {
    assert_eq!(
        read("base: &b {x: 1, y: 2}\nmine:\n  <<: *b\n  y: 3\nlist: [*b]\n"),
        json!({"base": {"x": 1, "y": 2}, "mine": {"y": 3, "x": 1}, "list": [{"x": 1, "y": 2}]})
    );
}

#[test]
fn mistakes_have_a_place() {
    let place = |text: &str| {
        let error = parse_yaml(text).unwrap_err();
        (error.line, error.message)
    };
    assert_eq!(place("a: 1\nb: 2\na: 3\n").0, 3);
    assert!(place("a: 1\na: 3\n").1.contains("`a` stands twice"));
    assert_eq!(place("a: 1\n---\nb: 2\n").0, 2);
    assert_eq!(place("a:\n  - b\n c: [\n").0, 3);
    assert_eq!(place("? [a]\n: 1\n").0, 1);
    assert!(place(&"[".repeat(80)).1.contains("64 deep"));
}

#[test]
fn aliases_cannot_blow_up() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let previous = level - 1;
        let uses = vec![format!("*a{previous}"); 10].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{uses}]\n"));
    }
    assert!(parse_yaml(&text).unwrap_err().message.contains("100000 values"));
    let anchors: String = (0..40).map(|level| format!("&a{level} [")).collect();
    let nested = format!("{anchors}{}{}", "x, ".repeat(4_000), "]".repeat(40));
    assert!(parse_yaml(&nested).unwrap_err().message.contains("100000 values"));
    assert!(parse_yaml(&format!("{}: 1", "k".repeat(KEY_BYTES_MAX + 1))).unwrap_err().message.contains("512 bytes"));
    assert!(parse_yaml(&" ".repeat(TEXT_BYTES_MAX + 1)).is_err());
}

#[test]
fn jobs_are_written_as_people_write_them() {
    let job = json!({
        "name": "Market Analysis",
        "tasks": [
            {"task_key": "read_markets", "sql_task": {"warehouse_id": "${var.warehouse_id}", "parameters": {}}},
            {"task_key": "b", "for_each_task": {"inputs": "{{tasks.read_markets.output.rows}}", "concurrency": 2}},
        ],
        "schedule": {"quartz_cron_expression": "0 0 9 * * ?"},
        "text": "SELECT 1\n  FROM t",
        "odd": ["yes", "1.10", "a: b", "a #b", "", " x", "#", "2026-03-02", [1, "é\u{7}"], null],
    });
    let expected = "\
name: Market Analysis
tasks:
  - task_key: read_markets
    sql_task:
      warehouse_id: ${var.warehouse_id}
      parameters: {}
  - task_key: b
    for_each_task:
      inputs: \"{{tasks.read_markets.output.rows}}\"
      concurrency: 2
schedule:
  quartz_cron_expression: \"0 0 9 * * ?\"
text: |-
  SELECT 1
    FROM t
odd:
  - \"yes\"
  - \"1.10\"
  - \"a: b\"
  - \"a #b\"
  - \"\"
  - \" x\"
  - \"#\"
  - \"2026-03-02\"
  - [1, \"é\\u0007\"]
  - null
";
    assert_eq!(to_yaml(&job), expected);
    assert_eq!(read(expected), job);
}

fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>(),
        "[ -~\n\t]{0,12}",
        "(yes|null|1e3|~|- a|a: b|[|]>|#|%a|@|\\?|!x|&a|\\*a|'|\")",
        "[a-z \n]{0,20}\n{0,2}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|n| json!(n)),
        text.clone().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::btree_map(text.clone(), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back(value in any_json()) {
        let text = to_yaml(&value);
        let back = parse_yaml(&text).map(|yaml| yaml.to_json());
        prop_assert_eq!(back, Ok(value), "{}", text);
    }

    #[test]
    fn reading_never_panics(text in any::<String>(), code in "[-a:\\[\\]{}&*!|> \n,'\"#?]{0,40}") {
        let _ = parse_yaml(&text);
        let _ = parse_yaml(&code);
    }
}
