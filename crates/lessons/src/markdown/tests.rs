use proptest::prelude::*;

use super::*;

fn text(text: &str) -> Inline {
    Inline::Text(text.into())
}

#[test]
fn prose_becomes_a_tree() {
    let nodes = parse_markdown(
        "A *small* **tree** with `code`\nand a [link](https://example.org/a).\n\n### Why {#why .fold}\n\n1. one\n2. two\n   - deep\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n> quoted\n\n```json\n{}\n```\n",
    );
    assert_eq!(
        nodes,
        vec![
            Node::Paragraph(vec![
                text("A "),
                Inline::Emphasis(vec![text("small")]),
                text(" "),
                Inline::Strong(vec![text("tree")]),
                text(" with "),
                Inline::Code("code".into()),
                text(" and a "),
                Inline::Link { target: "https://example.org/a".into(), content: vec![text("link")] },
                text("."),
            ]),
            Node::Heading {
                level: 3,
                id: Some("why".into()),
                classes: vec!["fold".into()],
                content: vec![text("Why")]
            },
            Node::List {
                start: Some(1),
                items: vec![
                    vec![Node::Paragraph(vec![text("one")])],
                    vec![
                        Node::Paragraph(vec![text("two")]),
                        Node::List { start: None, items: vec![vec![Node::Paragraph(vec![text("deep")])]] },
                    ],
                ],
            },
            Node::Table {
                header: vec![vec![text("a")], vec![text("b")]],
                rows: vec![vec![vec![text("1")], vec![Inline::Code("2".into())]]],
            },
            Node::Quote(vec![Node::Paragraph(vec![text("quoted")])]),
            Node::Code { info: "json".into(), text: "{}\n".into() },
        ]
    );
}

#[test]
fn html_and_images_become_text() {
    assert_eq!(
        parse_markdown("<img src=x onerror=alert(1)>\n\na <b>c</b> ![alt](x.png)"),
        vec![
            Node::Paragraph(vec![text("<img src=x onerror=alert(1)>")]),
            Node::Paragraph(vec![text("a <b>c</b> alt")]),
        ]
    );
}

#[test]
fn only_harmless_links_stay() {
    for target in ["https://a", "HTTP://a", "mailto:a@b", "#/learn/t1", "../a.md", "a?b=c:d"] {
        assert!(is_safe_target(target), "{target}");
    }
    for target in ["javascript:alert(1)", "JavaScript:x", "data:text/html,x", "//evil", "java\nscript:x", "vbscript:x"]
    {
        assert!(!is_safe_target(target), "{target}");
    }
    assert_eq!(parse_markdown("[x](javascript:alert(1))"), vec![Node::Paragraph(vec![text("x")])]);
}

#[test]
fn nesting_is_bounded() {
    fn depth(nodes: &[Node]) -> usize {
        nodes
            .iter()
            .map(|node| match node {
                Node::Quote(nodes) => 1 + depth(nodes),
                Node::List { items, .. } => 1 + items.iter().map(|item| depth(item)).max().unwrap_or(0),
                _ => 0,
            })
            .max()
            .unwrap_or(0)
    }
    let quotes = format!("{} deep\n\nafter", ">".repeat(5_000));
    let nodes = parse_markdown(&quotes);
    assert!(depth(&nodes) <= DEPTH_MAX);
    assert_eq!(nodes.last(), Some(&Node::Paragraph(vec![text("after")])));
    let lists: String = (0..100).map(|level| format!("{}- x\n", "  ".repeat(level))).collect();
    assert!(depth(&parse_markdown(&lists)) <= DEPTH_MAX);
    let strong = format!("{}x{}", "**a *b ".repeat(50), "* **".repeat(50));
    assert!(!parse_markdown(&strong).is_empty());
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>(), marks in "[-*_`#>| \n\\[\\]()!<a1.{}~:\t]{0,80}") {
        parse_markdown(&text);
        parse_markdown(&marks);
    }
}
