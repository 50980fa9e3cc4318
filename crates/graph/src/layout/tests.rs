use super::*;

fn chart(edges: &[(&str, &str)], options: LayoutOptions) -> Layout {
    let mut graph = Graph::new();
    for (from, to) in edges {
        graph.add_node(*from);
        graph.add_node(*to);
        graph.add_edge(from, to).unwrap();
    }
    layout(&graph, &size, &options)
}

/// Nodes called `wide…` nest something.
fn size(key: &str) -> Size {
    if key.starts_with("wide") { Size { width: 200.0, height: 150.0 } } else { Size { width: 100.0, height: 40.0 } }
}

fn node<'a>(layout: &'a Layout, key: &str) -> &'a NodeBox {
    layout.nodes.iter().find(|node| node.key == key).unwrap()
}

fn apart(a: &NodeBox, b: &NodeBox) -> bool {
    a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y
}

fn assert_sound(layout: &Layout) {
    for (i, a) in layout.nodes.iter().enumerate() {
        assert!(layout.nodes[i + 1..].iter().all(|b| apart(a, b)), "{a:?} overlaps");
        assert!(a.x >= 0.0 && a.y >= 0.0 && a.x + a.width <= layout.width && a.y + a.height <= layout.height);
    }
    for edge in &layout.edges {
        assert!(edge.points.len() >= 2);
        for point in &edge.points {
            assert!((0.0..=layout.width).contains(&point.x) && (0.0..=layout.height).contains(&point.y));
        }
    }
}

#[test]
fn a_chain_runs_straight_to_the_right() {
    let drawing = chart(&[("read", "wide loop"), ("wide loop", "report")], LayoutOptions::default());
    assert_sound(&drawing);
    let (read, looped, report) = (node(&drawing, "read"), node(&drawing, "wide loop"), node(&drawing, "report"));
    assert_eq!((read.x, looped.x, report.x), (0.0, 164.0, 428.0));
    assert_eq!((looped.y, read.y, report.y), (0.0, 55.0, 55.0));
    assert_eq!(drawing.edges[0].points, [Point { x: 100.0, y: 75.0 }, Point { x: 164.0, y: 75.0 }]);
}

#[test]
fn top_down_swaps_the_axes() {
    let options = LayoutOptions { direction: Direction::TopDown, ..LayoutOptions::default() };
    let drawing = chart(&[("a", "b"), ("a", "c")], options);
    assert_sound(&drawing);
    assert_eq!(node(&drawing, "b").y, node(&drawing, "c").y);
    assert_eq!(node(&drawing, "b").y, 40.0 + options.layer_gap);
}

#[test]
fn crossings_that_can_be_avoided_are() {
    let edges = [("a", "y"), ("b", "x"), ("a", "z"), ("c", "x")];
    let mut graph = Graph::new();
    for key in ["a", "b", "c", "x", "y", "z"] {
        graph.add_node(key);
    }
    for (from, to) in edges {
        graph.add_edge(from, to).unwrap();
    }
    let mut layers = Layers::new(&graph);
    assert!(ordering::crossings(&layers) > 0);
    ordering::reduce_crossings(&mut layers);
    assert_eq!(ordering::crossings(&layers), 0);
}

#[test]
fn a_long_edge_goes_around_the_nodes_between() {
    let drawing = chart(&[("a", "wide b"), ("wide b", "c"), ("a", "c")], LayoutOptions::default());
    assert_sound(&drawing);
    let between = node(&drawing, "wide b");
    let around = drawing.edges.iter().find(|edge| edge.to == "c" && edge.from == "a").unwrap();
    for pair in around.points.windows(2).filter(|pair| pair[0].x >= between.x && pair[1].x <= between.x + between.width)
    {
        assert!(pair.iter().all(|point| point.y <= between.y || point.y >= between.y + between.height), "{around:?}");
    }
}

#[test]
fn cycles_and_loops_are_drawn_too() {
    let drawing = chart(&[("a", "b"), ("b", "c"), ("c", "a"), ("b", "b")], LayoutOptions::default());
    assert_sound(&drawing);
    assert_eq!(drawing.edges.len(), 4);
    let back = drawing.edges.iter().find(|edge| edge.from == "c").unwrap();
    assert!(back.points[0].x > back.points[back.points.len() - 1].x);
}

#[test]
fn nothing_gives_nothing_and_odd_sizes_count_as_zero() {
    assert_eq!(layout(&Graph::new(), &size, &LayoutOptions::default()), Layout::default());
    let mut graph = Graph::new();
    graph.add_node("a");
    graph.add_node("b");
    graph.add_edge("a", "b").unwrap();
    let odd = |_: &str| Size { width: f64::NAN, height: -1.0 };
    let options = LayoutOptions { layer_gap: f64::INFINITY, ..LayoutOptions::default() };
    let drawing = layout(&graph, &odd, &options);
    assert_eq!((drawing.width, drawing.height), (0.0, 0.0));
    assert_eq!(drawing.edges[0].points.len(), 2);
}

#[test]
fn a_large_layout_is_sound_and_always_the_same() {
    // A fixed linear congruential sequence stands in for chance.
    let mut state = 7_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut graph = Graph::new();
    for i in 0..300_u64 {
        graph.add_node(format!("{}{i}", if next(4) == 0 { "wide" } else { "n" }));
    }
    let keys: Vec<String> = graph.keys().map(str::to_owned).collect();
    for to in 1..300_u64 {
        for _ in 0..next(3) {
            let from = next(to).max(to.saturating_sub(40));
            graph.add_edge(&keys[from.min(to - 1) as usize], &keys[to as usize]).unwrap();
        }
    }
    let drawing = layout(&graph, &size, &LayoutOptions::default());
    assert_sound(&drawing);
    assert_eq!(drawing, layout(&graph, &size, &LayoutOptions::default()));
}
