//! Boxes and lines. The boxes are buttons in the document; the lines are a picture beneath them.

mod walk;

use lakelet_protocol::GraphEdge;
use leptos::prelude::*;
use leptos::{ev, html};

use crate::boundary::dom::{self, SizeObserver};

pub use walk::Direction;
use walk::neighbor;

/// The smallest scale of a graph: its text can still be read.
const ZOOM_MIN: f64 = 0.75;

/// A box with its place and its content. Content that can be chosen is a button with `data-node-key` set to the key
/// and `tabindex="-1"`: the canvas moves the focus between them.
pub struct PlacedNode {
    /// Key of the box.
    pub key: String,
    /// Left edge in pixels.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// What is drawn in it.
    pub content: AnyView,
}

/// A drawn graph: a group with one stop for Tab; arrow keys walk along the lines.
#[component]
pub fn GraphCanvas(
    /// Accessible name of the group.
    #[prop(into)]
    label: Signal<String>,
    /// Extent in pixels.
    size: (f64, f64),
    /// Boxes in the order of walking.
    nodes: Vec<PlacedNode>,
    /// Lines.
    edges: Vec<GraphEdge>,
) -> impl IntoView {
    let element = NodeRef::<html::Div>::new();
    let first = nodes.first().map(|node| node.key.clone()).unwrap_or_default();
    let active = RwSignal::new(first);
    let places: Vec<(String, f64, f64)> =
        nodes.iter().map(|node| (node.key.clone(), node.x + node.width / 2.0, node.y + node.height / 2.0)).collect();
    let links: Vec<(String, String)> = edges.iter().map(|edge| (edge.from.clone(), edge.to.clone())).collect();
    // Exactly one box can be reached by Tab: the one that had the focus last.
    let mark = move || {
        let active = active.get();
        let Some(element) = element.get() else { return };
        let Ok(buttons) = element.query_selector_all("[data-node-key]") else { return };
        for index in 0..buttons.length() {
            if let Some(button) =
                buttons.get(index).and_then(|node| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(node).ok())
            {
                let here = button.get_attribute("data-node-key").is_some_and(|key| key == active);
                let _ = button.set_attribute("tabindex", if here { "0" } else { "-1" });
            }
        }
    };
    Effect::new(mark);
    let on_key = move |event: ev::KeyboardEvent| {
        let Some(direction) = Direction::of_key(&event.key()) else { return };
        let Some(next) = neighbor(&places, &links, &active.get_untracked(), direction) else { return };
        event.prevent_default();
        active.set(next.clone());
        if let Some(button) = element.get_untracked().and_then(|element| find_node(&element, &next)) {
            let _ = button.focus();
        }
    };
    let on_focus = move |event: ev::FocusEvent| {
        let target = event_target::<web_sys::Element>(&event);
        if let Ok(Some(button)) = target.closest("[data-node-key]")
            && let Some(key) = button.get_attribute("data-node-key")
        {
            active.set(key);
        }
    };
    let (width, height) = size;
    let room = RwSignal::new(None::<f64>);
    let observer = StoredValue::new_local(None::<SizeObserver>);
    Effect::new(move || {
        if let Some(element) = element.get() {
            observer.set_value(SizeObserver::watch(&element, move |width, _| {
                let _ = room.try_set(Some(width));
            }));
        }
    });
    let zoom = move || room.get().map_or(1.0, |room| zoom(room, width)).to_string();
    view! {
        <div class="graph" role="group" aria-label=label node_ref=element on:keydown=on_key on:focusin=on_focus>
            <div class="graph-extent" style:width=format!("{width}px") style:height=format!("{height}px") style:zoom=zoom>
                <svg class="graph-lines" width=width.to_string() height=height.to_string() aria-hidden="true">
                    <defs>
                        <marker id="arrow-head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">
                            <path d="M1 1.500 9 5 1 8.500z"></path>
                        </marker>
                    </defs>
                    {edges.iter().map(|edge| view! { <path d=line(&edge.points) marker-end="url(#arrow-head)"></path> }).collect_view()}
                </svg>
                {edges.iter().filter(|edge| !edge.label.is_empty()).map(edge_label).collect_view()}
                {nodes.into_iter().map(|node| view! {
                    <div
                        class="graph-node"
                        style:left=format!("{}px", node.x)
                        style:top=format!("{}px", node.y)
                        style:width=format!("{}px", node.width)
                        style:min-height=format!("{}px", node.height)
                    >
                        {node.content}
                    </div>
                }).collect_view()}
            </div>
        </div>
    }
}

/// How large a graph of `width` is drawn where there is `room` pixels wide. Below the smallest scale it is scrolled.
fn zoom(room: f64, width: f64) -> f64 {
    if room > 0.0 && width > 0.0 { (room / width).clamp(ZOOM_MIN, 1.0) } else { 1.0 }
}

fn find_node(element: &web_sys::Element, key: &str) -> Option<web_sys::HtmlElement> {
    let escaped = key.replace('\\', "\\\\").replace('"', "\\\"");
    dom::find(element, &format!("[data-node-key=\"{escaped}\"]"))
}

fn edge_label(edge: &GraphEdge) -> impl IntoView + use<> {
    let (x, y) = middle(&edge.points);
    view! {
        <span class="graph-label" style:left=format!("{x}px") style:top=format!("{y}px")>{edge.label.clone()}</span>
    }
}

/// The path through the corners of a line, with corners made round.
fn line(points: &[(f64, f64)]) -> String {
    let Some(((x, y), rest)) = points.split_first() else { return String::new() };
    let mut path = format!("M{x} {y}");
    let mut before = (*x, *y);
    for (index, point) in rest.iter().enumerate() {
        match rest.get(index + 1) {
            Some(next) => {
                let (into, out) = (towards(*point, before), towards(*point, *next));
                path.push_str(&format!("L{} {}Q{} {} {} {}", into.0, into.1, point.0, point.1, out.0, out.1));
            }
            None => path.push_str(&format!("L{} {}", point.0, point.1)),
        }
        before = *point;
    }
    path
}

/// The place a few pixels from a corner towards another point, at most half way.
fn towards(corner: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    const RADIUS: f64 = 8.0;
    let (dx, dy) = (other.0 - corner.0, other.1 - corner.1);
    let length = dx.hypot(dy);
    if length == 0.0 {
        return corner;
    }
    let share = (RADIUS / length).min(0.5);
    (corner.0 + dx * share, corner.1 + dy * share)
}

/// The middle of the longest piece of a line.
fn middle(points: &[(f64, f64)]) -> (f64, f64) {
    let length = |piece: &&[(f64, f64)]| match piece {
        [a, b] => (b.0 - a.0).hypot(b.1 - a.1),
        _ => 0.0,
    };
    match points.windows(2).max_by(|a, b| length(a).total_cmp(&length(b))) {
        Some([a, b]) => ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0),
        _ => points.first().copied().unwrap_or((0.0, 0.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_shrink_until_they_can_hardly_be_read() {
        assert_eq!(zoom(800.0, 400.0), 1.0);
        assert_eq!(zoom(360.0, 400.0), 0.9);
        assert_eq!(zoom(100.0, 400.0), ZOOM_MIN);
        assert_eq!(zoom(0.0, 400.0), 1.0);
    }

    #[test]
    fn lines_run_through_their_corners() {
        assert_eq!(line(&[]), "");
        assert_eq!(line(&[(0.0, 0.0), (10.0, 0.0)]), "M0 0L10 0");
        assert_eq!(line(&[(0.0, 0.0), (100.0, 0.0), (100.0, 100.0)]), "M0 0L92 0Q100 0 100 8L100 100");
    }

    #[test]
    fn labels_stand_on_the_longest_piece() {
        assert_eq!(middle(&[(0.0, 0.0), (10.0, 0.0), (10.0, 50.0)]), (10.0, 25.0));
        assert_eq!(middle(&[]), (0.0, 0.0));
    }
}
