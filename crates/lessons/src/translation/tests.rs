use crate::parse;

use super::*;

const EN: &str = "+++\nid = \"t9\"\ntitle = \"T\"\nsummary = \"S\"\nversion = 3\n+++\nHi\n\n## One {#one}\n\nText\n\n```sql run title=\"Go\"\nSELECT 1\n```\n\n```predict\nask: Which?\nchoices: [a, b]\nanswer: b\n```\n\n```check\nrows: 1\nsay: One row\n```\n\n## Two {#two}\n";

fn front(version: u32) -> String {
    format!("+++\nid = \"t9\"\ntitle = \"Título\"\nsummary = \"Resumo\"\nversion = {version}\n+++\n")
}

#[test]
fn code_comes_from_english_and_words_from_the_translation() {
    let en = parse(EN).unwrap();
    let text = format!(
        "{}Olá\n\n## Um {{#one}}\n\n```block 1\ntitle: Vai\n```\n\nTexto\n\n```block 2\nask: Qual?\nchoices: [x, y]\n```\n\n```block 3\n```\n\n## Dois\n",
        front(3)
    );
    let pt = parse_translation(&text, &en).unwrap();
    assert_eq!((pt.title.as_str(), pt.steps[0].heading.as_str(), pt.steps[1].id.as_str()), ("Título", "Um", "two"));
    let [Block::Sql(sql), Block::Prose(_), Block::Predict(question), Block::Check(check)] =
        pt.steps[0].blocks.as_slice()
    else {
        panic!()
    };
    assert_eq!((sql.text.as_str(), sql.title.as_deref()), ("SELECT 1\n", Some("Vai")));
    assert_eq!(question.answer, Answer::Choice { choices: vec!["x".into(), "y".into()], right: vec![1] });
    assert_eq!(check.say.as_deref(), Some("One row"));
}

#[test]
fn what_does_not_fit_is_named() {
    let en = parse(EN).unwrap();
    let problems = |body: &str, version: u32| -> Vec<String> {
        let text = format!("{}{body}", front(version));
        parse_translation(&text, &en).unwrap_err().iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        problems("## Um {#one}\n\n```block 1\n```\n```block 2\n```\n```block 3\n```\n\n## Dois\n", 2),
        ["line 5: This translates version 2, en.md is at version 3."]
    );
    assert_eq!(
        problems("## Um\n\n```sql run\nSELECT 1\n```\n```block 2\n```\n```block 4\n```\n", 3),
        [
            "line 1: The step `two` of en.md is missing.",
            "line 7: The step has 3 blocks in en.md; block 3 is missing here.",
            "line 9: Code stands in en.md only; refer to it by ```block 1.",
            "line 12: Block 1 of the step comes next, not 2.",
            "line 14: The step has 3 blocks in en.md; there is no block 4.",
        ]
    );
    assert_eq!(
        problems(
            "## Um\n\n```block 1\n```\n```block 2\nchoices: [a]\n```\n```block 3\nsey: x\n```\n## Dois\n## Três\n",
            3
        ),
        [
            "line 12: en.md has 2 here, this has 1.",
            "line 15: `sey` means nothing here. Did you mean `say`?",
            "line 18: en.md has no such step.",
        ]
    );
}
