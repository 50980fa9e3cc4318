use super::*;

fn graph(nodes: &[&str], edges: &[(&str, &str)]) -> Graph {
    let mut graph = Graph::new();
    for node in nodes {
        graph.add_node(*node);
    }
    for (from, to) in edges {
        graph.add_edge(from, to).unwrap();
    }
    graph
}

#[test]
fn order_is_topological_and_keeps_insertion_order_among_equals() {
    let g = graph(&["z", "b", "a", "c"], &[("a", "z"), ("b", "z")]);
    assert_eq!(g.topological_order().unwrap(), ["b", "a", "z", "c"]);
}

#[test]
fn nodes_and_edges_count_once() {
    let mut g = graph(&["a", "b"], &[("a", "b")]);
    assert!(!g.add_node("a"));
    assert_eq!(g.add_edge("a", "b"), Ok(false));
    assert_eq!(g.edges().collect::<Vec<_>>(), [("a", "b")]);
    assert_eq!(g.add_edge("a", "x"), Err(UnknownNode("x".to_owned())));
}

#[test]
fn a_cycle_is_named_in_walking_order() {
    let g = graph(
        &["before", "b", "c", "a", "after"],
        &[("before", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "after")],
    );
    let cycle = g.topological_order().unwrap_err();
    assert_eq!(cycle.keys, ["b", "c", "a"]);
    assert_eq!(cycle.to_string(), "b → c → a → b");
    assert_eq!(g.levels(), Err(cycle));
}

#[test]
fn a_node_between_two_cycles_is_not_named() {
    let g = graph(
        &["bridge", "a", "b", "c", "d"],
        &[("a", "b"), ("b", "a"), ("b", "bridge"), ("bridge", "c"), ("c", "d"), ("d", "c")],
    );
    assert_eq!(g.find_cycle().unwrap().keys, ["a", "b"]);
}

#[test]
fn an_edge_to_itself_is_a_cycle_of_one() {
    assert_eq!(graph(&["a"], &[("a", "a")]).find_cycle().unwrap().to_string(), "a → a");
}

#[test]
fn levels_follow_the_longest_way() {
    let g = graph(&["a", "b", "c", "d"], &[("a", "b"), ("b", "c"), ("a", "c")]);
    assert_eq!(g.levels().unwrap(), [vec!["a", "d"], vec!["b"], vec!["c"]]);
    assert!(Graph::new().levels().unwrap().is_empty());
}

#[test]
fn reachability_goes_both_ways_and_leaves_the_start_out() {
    let g = graph(&["a", "b", "c", "d"], &[("a", "b"), ("b", "c"), ("d", "c")]);
    assert_eq!(g.descendants("a"), ["b", "c"]);
    assert_eq!(g.ancestors("c"), ["a", "b", "d"]);
    assert!(g.descendants("nowhere").is_empty());
    assert_eq!(g.roots().collect::<Vec<_>>(), ["a", "d"]);
    assert_eq!(g.leaves().collect::<Vec<_>>(), ["c"]);
    assert_eq!(g.predecessors("c").collect::<Vec<_>>(), ["b", "d"]);
    assert_eq!(g.successors("nowhere").count(), 0);
}

#[test]
fn long_chains_do_not_recurse() {
    let mut g = Graph::new();
    for i in 0..20_000 {
        g.add_node(i.to_string());
        if i > 0 {
            g.add_edge(&(i - 1).to_string(), &i.to_string()).unwrap();
        }
    }
    assert_eq!(g.levels().unwrap().len(), 20_000);
    g.add_edge("19999", "0").unwrap();
    assert_eq!(g.find_cycle().unwrap().keys.len(), 20_000);
}
