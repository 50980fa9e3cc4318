//! Markdown as a small tree that a page can draw without ever touching HTML.
//!
//! Raw HTML and images become text; links keep only targets that cannot run anything.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A block of prose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A heading.
    Heading {
        /// 1 to 6.
        level: u8,
        /// `{#id}`
        id: Option<String>,
        /// `{.class}`
        classes: Vec<String>,
        /// Its text.
        content: Vec<Inline>,
    },
    /// A list.
    List {
        /// First number of a numbered list.
        start: Option<u64>,
        /// Its items.
        items: Vec<Vec<Node>>,
    },
    /// A table.
    Table {
        /// Cells of the header.
        header: Vec<Vec<Inline>>,
        /// Rows of cells.
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// Code to look at.
    Code {
        /// What follows the opening fence: `sql`, `json`; empty for indented code.
        info: String,
        /// The code, ending with a line break.
        text: String,
    },
    /// A quotation.
    Quote(Vec<Node>),
    /// A rule between paragraphs.
    Rule,
}

/// A piece of running text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inline {
    /// Plain text.
    Text(String),
    /// `code`
    Code(String),
    /// *emphasis*
    Emphasis(Vec<Inline>),
    /// **strong emphasis**
    Strong(Vec<Inline>),
    /// A link.
    Link {
        /// `https:` and `mailto:` addresses, routes of the page (`#/…`), relative paths; nothing else.
        target: String,
        /// Its text.
        content: Vec<Inline>,
    },
    /// A line break that was asked for.
    Break,
}

/// Deepest nesting of lists and quotations; what is deeper joins its surroundings.
const DEPTH_MAX: usize = 12;
/// Deepest nesting of emphasis and links.
const INLINE_DEPTH_MAX: usize = 12;

/// Reads Markdown (CommonMark with tables and heading attributes). Never fails.
pub fn parse_markdown(text: &str) -> Vec<Node> {
    parse_with_offsets(text).into_iter().map(|(_, node)| node).collect()
}

/// The plain text of running text.
pub fn plain_text(content: &[Inline]) -> String {
    let mut out = String::new();
    for inline in content {
        match inline {
            Inline::Text(text) | Inline::Code(text) => out.push_str(text),
            Inline::Emphasis(content) | Inline::Strong(content) | Inline::Link { content, .. } => {
                out.push_str(&plain_text(content));
            }
            Inline::Break => out.push(' '),
        }
    }
    out
}

/// The top-level nodes and the byte offset where each begins.
pub(crate) fn parse_with_offsets(text: &str) -> Vec<(usize, Node)> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut builder = Builder::default();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        if builder.blocks.is_empty() && builder.inlines.is_empty() {
            builder.offset = range.start;
        }
        builder.event(event);
    }
    builder.flush_loose_text();
    builder.out
}

#[derive(Default)]
struct Builder {
    out: Vec<(usize, Node)>,
    /// Where the top-level block at hand begins.
    offset: usize,
    blocks: Vec<Block>,
    inlines: Vec<(Span, Vec<Inline>)>,
    /// Containers that are open but not on the stacks, because they are too deep.
    ignored_blocks: usize,
    ignored_inlines: usize,
}

enum Block {
    Quote(Vec<Node>),
    List { start: Option<u64>, items: Vec<Vec<Node>> },
    Item(Vec<Node>),
    Table { header: Vec<Vec<Inline>>, rows: Vec<Vec<Vec<Inline>>> },
    Row(Vec<Vec<Inline>>),
    Code { info: String, text: String },
}

/// What an open run of inlines will become.
enum Span {
    /// Text that stands in an item or quotation without a paragraph around it.
    Loose,
    Paragraph,
    Heading {
        level: u8,
        id: Option<String>,
        classes: Vec<String>,
    },
    Cell,
    Emphasis,
    Strong,
    Link(String),
    /// A link that is not safe, or an image: only its text stays.
    Bare,
}

impl Builder {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => self.inline(Inline::Code(text.into_string())),
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.inline(Inline::Break),
            Event::Rule => self.node(Node::Rule),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => self.text(&text),
            Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.open(Span::Paragraph),
            Tag::Heading { level, id, classes, .. } => self.open(Span::Heading {
                level: heading_level(level),
                id: id.map(|id| id.into_string()),
                classes: classes.into_iter().map(|class| class.into_string()).collect(),
            }),
            Tag::BlockQuote(_) => self.open_block(Block::Quote(Vec::new())),
            Tag::CodeBlock(kind) => {
                self.flush_loose_text();
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                // Code is a leaf: it is never too deep.
                self.blocks.push(Block::Code { info, text: String::new() });
            }
            Tag::List(start) => self.open_block(Block::List { start, items: Vec::new() }),
            Tag::Item => self.open_block(Block::Item(Vec::new())),
            Tag::Table(_) => self.open_block(Block::Table { header: Vec::new(), rows: Vec::new() }),
            Tag::TableHead | Tag::TableRow => self.open_block(Block::Row(Vec::new())),
            Tag::TableCell => self.open(Span::Cell),
            Tag::Emphasis => self.open_inline(Span::Emphasis),
            Tag::Strong => self.open_inline(Span::Strong),
            Tag::Link { dest_url, .. } if is_safe_target(&dest_url) => {
                self.open_inline(Span::Link(dest_url.into_string()));
            }
            Tag::Link { .. } | Tag::Image { .. } | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {
                self.open_inline(Span::Bare);
            }
            // None of these is asked for in the options.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::Heading(_) | TagEnd::TableCell => self.close(),
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Link
            | TagEnd::Image
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript => {
                if self.ignored_inlines > 0 {
                    self.ignored_inlines -= 1;
                } else {
                    self.close();
                }
            }
            TagEnd::CodeBlock => self.close_block(),
            TagEnd::BlockQuote(_)
            | TagEnd::List(_)
            | TagEnd::Item
            | TagEnd::Table
            | TagEnd::TableHead
            | TagEnd::TableRow => {
                self.flush_loose_text();
                if self.ignored_blocks > 0 {
                    self.ignored_blocks -= 1;
                } else {
                    self.close_block();
                }
            }
            TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(Block::Code { text: code, .. }) = self.blocks.last_mut() {
            code.push_str(text);
            return;
        }
        if self.inlines.is_empty() {
            self.inlines.push((Span::Loose, Vec::new()));
        }
        if let Some((_, content)) = self.inlines.last_mut() {
            match content.last_mut() {
                Some(Inline::Text(last)) => last.push_str(text),
                _ => content.push(Inline::Text(text.to_owned())),
            }
        }
    }

    fn inline(&mut self, inline: Inline) {
        if self.inlines.is_empty() {
            self.inlines.push((Span::Loose, Vec::new()));
        }
        if let Some((_, content)) = self.inlines.last_mut() {
            content.push(inline);
        }
    }

    /// Opens a paragraph, heading or cell.
    fn open(&mut self, span: Span) {
        self.flush_loose_text();
        self.inlines.push((span, Vec::new()));
    }

    fn open_inline(&mut self, span: Span) {
        if self.inlines.is_empty() {
            self.inlines.push((Span::Loose, Vec::new()));
        }
        if self.inlines.len() >= INLINE_DEPTH_MAX {
            self.ignored_inlines += 1;
        } else {
            self.inlines.push((span, Vec::new()));
        }
    }

    fn open_block(&mut self, block: Block) {
        self.flush_loose_text();
        if self.blocks.len() >= DEPTH_MAX {
            self.ignored_blocks += 1;
        } else {
            self.blocks.push(block);
        }
    }

    /// Closes the innermost run of inlines.
    fn close(&mut self) {
        let Some((span, content)) = self.inlines.pop() else { return };
        match span {
            Span::Loose | Span::Paragraph => self.paragraph(content),
            Span::Heading { level, id, classes } => self.node(Node::Heading { level, id, classes, content }),
            Span::Cell => match self.blocks.last_mut() {
                Some(Block::Row(cells)) => cells.push(content),
                _ => self.paragraph(content),
            },
            Span::Emphasis => self.inline(Inline::Emphasis(content)),
            Span::Strong => self.inline(Inline::Strong(content)),
            Span::Link(target) => self.inline(Inline::Link { target, content }),
            Span::Bare => content.into_iter().for_each(|inline| match inline {
                Inline::Text(text) => self.text(&text),
                other => self.inline(other),
            }),
        }
    }

    fn flush_loose_text(&mut self) {
        if matches!(self.inlines.as_slice(), [(Span::Loose, _)]) {
            self.close();
        }
    }

    fn paragraph(&mut self, mut content: Vec<Inline>) {
        // Blocks of raw HTML end with line breaks that mean nothing.
        if let Some(Inline::Text(text)) = content.last_mut() {
            text.truncate(text.trim_end().len());
        }
        if content.iter().any(|inline| !matches!(inline, Inline::Text(text) if text.is_empty())) {
            self.node(Node::Paragraph(content));
        }
    }

    fn close_block(&mut self) {
        let Some(block) = self.blocks.pop() else { return };
        match block {
            Block::Quote(nodes) => self.node(Node::Quote(nodes)),
            Block::List { start, items } => self.node(Node::List { start, items }),
            Block::Table { header, rows } => self.node(Node::Table { header, rows }),
            Block::Code { info, text } => self.node(Node::Code { info, text }),
            Block::Item(nodes) => match self.blocks.last_mut() {
                Some(Block::List { items, .. }) => items.push(nodes),
                _ => nodes.into_iter().for_each(|node| self.node(node)),
            },
            Block::Row(cells) => match self.blocks.last_mut() {
                Some(Block::Table { header, .. }) if header.is_empty() => *header = cells,
                Some(Block::Table { rows, .. }) => rows.push(cells),
                _ => cells.into_iter().for_each(|cell| self.paragraph(cell)),
            },
        }
    }

    fn node(&mut self, node: Node) {
        match self.blocks.last_mut() {
            Some(Block::Quote(nodes) | Block::Item(nodes)) => nodes.push(node),
            Some(Block::List { items, .. }) => items.push(vec![node]),
            Some(Block::Table { .. } | Block::Row(_) | Block::Code { .. }) | None => self.out.push((self.offset, node)),
        }
    }
}

fn heading_level(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// Whether following a link can do no more than open a page.
fn is_safe_target(target: &str) -> bool {
    // Browsers skip such characters when they look for the scheme.
    if target.chars().any(|c| c.is_control() || c.is_whitespace()) || target.starts_with("//") {
        return false;
    }
    let before_path = target.split(['/', '?', '#']).next().unwrap_or_default();
    match before_path.split_once(':') {
        None => true,
        Some((scheme, _)) => ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known)),
    }
}

#[cfg(test)]
mod tests;
