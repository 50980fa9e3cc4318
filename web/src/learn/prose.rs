//! Lesson text as elements: never as HTML.

use lakelet_lessons::{Inline, Node};
use leptos::prelude::*;

/// Blocks of prose.
pub fn prose(nodes: &[Node]) -> AnyView {
    nodes.iter().map(node).collect_view().into_any()
}

fn node(node: &Node) -> AnyView {
    match node {
        Node::Paragraph(content) => view! { <p>{inlines(content)}</p> }.into_any(),
        // Headings within a step stand below the step's own, which is of level 2.
        Node::Heading { level, content, .. } if *level <= 3 => view! { <h3>{inlines(content)}</h3> }.into_any(),
        Node::Heading { content, .. } => view! { <h4>{inlines(content)}</h4> }.into_any(),
        Node::List { start: Some(start), items } => {
            view! { <ol start=start.to_string()>{list_items(items)}</ol> }.into_any()
        }
        Node::List { start: None, items } => view! { <ul>{list_items(items)}</ul> }.into_any(),
        Node::Table { header, rows } => {
            let header = header.iter().map(|cell| view! { <th scope="col">{inlines(cell)}</th> }).collect_view();
            let rows = rows
                .iter()
                .map(|row| {
                    let cells = row.iter().map(|cell| view! { <td>{inlines(cell)}</td> }).collect_view();
                    view! { <tr>{cells}</tr> }
                })
                .collect_view();
            view! {
                <div class="table-scroll" tabindex="0"><table class="table"><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table></div>
            }
            .into_any()
        }
        Node::Code { text, .. } => {
            view! { <pre class="code"><code>{text.trim_end().to_owned()}</code></pre> }.into_any()
        }
        Node::Quote(nodes) => view! { <blockquote>{prose(nodes)}</blockquote> }.into_any(),
        Node::Rule => view! { <hr/> }.into_any(),
    }
}

fn list_items(items: &[Vec<Node>]) -> impl IntoView + use<> {
    items
        .iter()
        .map(|nodes| {
            // A short item is its text, without a paragraph around it.
            let content = match nodes.as_slice() {
                [Node::Paragraph(content)] => inlines(content),
                nodes => prose(nodes),
            };
            view! { <li>{content}</li> }
        })
        .collect_view()
}

/// Running text.
pub fn inlines(content: &[Inline]) -> AnyView {
    content.iter().map(inline).collect_view().into_any()
}

fn inline(inline: &Inline) -> AnyView {
    match inline {
        Inline::Text(text) => text.clone().into_any(),
        Inline::Code(text) => view! { <code>{text.clone()}</code> }.into_any(),
        Inline::Emphasis(content) => view! { <em>{inlines(content)}</em> }.into_any(),
        Inline::Strong(content) => view! { <strong>{inlines(content)}</strong> }.into_any(),
        Inline::Link { target, content } => {
            let elsewhere = target.starts_with("https:").then_some("noreferrer");
            view! { <a href=target.clone() rel=elsewhere target=elsewhere.map(|_| "_blank")>{inlines(content)}</a> }
                .into_any()
        }
        Inline::Break => view! { <br/> }.into_any(),
    }
}
