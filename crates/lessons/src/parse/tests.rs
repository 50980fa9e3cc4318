use lakelet_bundle::{AdvanceTo, RecipeAction};
use proptest::prelude::*;

use super::*;
use crate::check::{Condition, ExpectedRows, RowSource};
use crate::markdown::Node;

const FRONT: &str =
    "+++\nid = \"t9\"\ntitle = \"A title\"\nsummary = \"One sentence.\"\nminutes = 5\nversion = 2\n+++\n";

fn lesson(body: &str) -> Lesson {
    parse(&format!("{FRONT}{body}")).unwrap()
}

/// Problems as `line: message`, lines counted from the first line after the front matter.
fn problems(body: &str) -> Vec<String> {
    parse(&format!("{FRONT}{body}"))
        .unwrap_err()
        .into_iter()
        .map(|problem| format!("{}: {}", i64::from(problem.line) - 7, problem.message))
        .collect()
}

#[test]
fn a_lesson_has_front_matter_steps_and_blocks() {
    let lesson = lesson(
        "Hello.\n\n## Prepare the data {#prepare}\n\nGoal.\n\n```sql run tab=\"0 data\" title=\"Deliver\"\nSELECT 1;\n```\n\nSee.\n\n### Why {.fold}\n\nBecause.\n\n```sql\nSELECT 2\n```\n\n### Next\n\n```python notebook=src/a.py\nprint(1)\n```\n\n```job path=resources/a.yml\n```\n\n```action title=\"Run now\"\ndo: run\njob: A\n```\n\n```action\n- do: advance\n  by: 1 day\n```\n\n## Second: a look\n\n```check\nrows: 3\n```\n",
    );
    assert_eq!((lesson.id.as_str(), lesson.title.as_str(), lesson.minutes, lesson.version), ("t9", "A title", 5, 2));
    assert_eq!(lesson.intro.len(), 1);
    assert_eq!(lesson.steps.iter().map(|step| step.id.as_str()).collect::<Vec<_>>(), ["prepare", "second-a-look"]);
    let kinds: Vec<&str> = lesson.steps[0].blocks.iter().map(Block::kind).collect();
    assert_eq!(kinds, ["prose", "sql", "prose", "prose", "prose", "python", "job", "action", "action"]);
    let Block::Sql(sql) = &lesson.steps[0].blocks[1] else { panic!() };
    assert_eq!((sql.text.as_str(), sql.run, sql.place), ("SELECT 1;\n", true, Place { line: 14, number: 1 }));
    assert_eq!((sql.tab.as_deref(), sql.title.as_deref()), (Some("0 data"), Some("Deliver")));
    let Block::Fold { title, body } = &lesson.steps[0].blocks[3] else { panic!() };
    assert_eq!((title.as_str(), body.len()), ("Why", 2));
    assert!(matches!(&lesson.steps[0].blocks[4], Block::Prose(nodes) if matches!(nodes[0], Node::Heading { .. })));
    let Block::Action(action) = &lesson.steps[0].blocks[8] else { panic!() };
    let RecipeAction::Advance { to, run_due } = &action.entries[0].action else { panic!() };
    assert_eq!((*to, *run_due, action.place.number), (AdvanceTo::Minutes(1440), true, 5));
    let Block::Check(check) = &lesson.steps[1].blocks[0] else { panic!() };
    let expected = Condition::Rows { source: RowSource::LastResult, expected: ExpectedRows::Count(3) };
    assert_eq!((check.place.number, &check.conditions), (1, &vec![expected]));
    assert_eq!(lesson.written_paths(), ["src/a.py", "resources/a.yml"]);
}

#[test]
fn problems_name_their_lines() {
    assert_eq!(
        problems(
            "```sql run\nSELECT 1\n```\n\n## A\n\n```check\ntable: t\nversoin: 1\n```\n\n## A\n\n```sql rum\nSELECT 1\n```\n"
        ),
        [
            "1: This block stands before the first `## ` step.",
            "9: `versoin` means nothing here. Did you mean `version`?",
            "12: Two steps have the id `a`; give one another: `{#id}`.",
            "14: `rum` means nothing behind ```sql.",
        ]
    );
    assert_eq!(
        problems("## A\n\n```check\nrun:\n  iterations:\n    x:\n      states: [DONE]\n```\n"),
        ["7: `DONE` is not a state. States are SUCCESS, FAILED, UPSTREAM_FAILED, EXCLUDED, CANCELED …"]
    );
    assert_eq!(problems("## A\n\n```action\n- do: run\n- do: jump\n```\n")[0], "4: `job` is missing.");
    assert_eq!(
        problems("## A\n\n```starter\nSELECT\n```\n"),
        [
            "3: This starter has no `solution` block after it in the same step.",
            "3: This starter has no `check` block after it in the same step.",
        ]
    );
    assert_eq!(
        problems("## A\n\n```sql run\n```\n"),
        ["3: This block is empty. Put code into it, or name a project file: `path=`."]
    );
    assert_eq!(problems("## A\n\n```sql run path=../x.sql\n```\n").len(), 1);
    assert!(problems("text").first().unwrap().starts_with("1: There is no step"));
}

#[test]
fn front_matter_is_checked() {
    let first = |text: &str| parse(text).unwrap_err().remove(0).to_string();
    assert!(first("## A\n").starts_with("line 1: The text must begin with front matter"));
    assert!(first("+++\nid = \"a\"\n## A\n").starts_with("line 1: The front matter has no end"));
    assert!(first("+++\nid = \"a\"\ntitle = \n+++\n## A\n").starts_with("line 3: The front matter is not TOML"));
    let body = "title = \"t\"\nsummary = \"s\"\nversion = 1\n+++\n## A\n";
    assert_eq!(first(&format!("+++\nid = 3\n{body}")), "line 2: `id` must be text in quotes.");
    assert_eq!(
        first(&format!("+++\nid = \"A b\"\n{body}")),
        "line 2: `id` must be lower-case letters, digits and hyphens."
    );
    assert_eq!(first(&format!("+++\n{body}")), "line 1: `id` is missing in the front matter.");
    assert!(first(&format!("+++\nid = \"a\"\nauthor = \"x\"\n{body}")).starts_with("line 3: `author` means nothing"));
    assert!(parse(&format!("---\r\nid = \"a\"\r\n{}", body.replace("+++", "---").replace('\n', "\r\n"))).is_ok());
    assert!(first(&"x".repeat(crate::LESSON_BYTES_MAX + 1)).contains("bytes long"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), parts in prop::collection::vec(
        prop_oneof![
            Just("+++\n"), Just("id = \"a\"\n"), Just("## A {#b}\n"), Just("```check\n"), Just("```\n"), Just("rows: [[1], {a: 1}]\n"),
            Just("```starter\n"), Just("```solution python notebook=a\n"), Just("- do: run\n"), Just("```action\n"), Just("### x {.fold}\n"),
        ], 0..20)) {
        let _ = parse(&text);
        let _ = parse(&format!("{FRONT}{}", parts.concat()));
    }
}
