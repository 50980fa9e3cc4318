use lakelet_base::{ErrorClass, Limits};

use crate::{parse_expression, parse_script, parse_statement};

/// Runs `body` with the stack a browser gives a worker.
fn on_a_small_stack(body: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1024 * 1024).spawn(body).expect("a thread");
    thread.join().expect("no overflow");
}

#[track_caller]
fn limit_named(text: &str, limit: &str) {
    let diagnostic = match parse_expression(text) {
        Ok(_) => panic!("{} was accepted", &text[..text.len().min(40)]),
        Err(diagnostic) => diagnostic,
    };
    assert_eq!(diagnostic.class, ErrorClass::LIMIT_EXCEEDED, "{diagnostic}");
    assert!(diagnostic.message.contains(limit), "{diagnostic}");
    assert!(diagnostic.span.is_some());
}

fn nested(open: &str, core: &str, close: &str, n: usize) -> String {
    format!("{}{core}{}", open.repeat(n), close.repeat(n))
}

#[test]
fn nesting_is_accepted_up_to_the_limit_and_refused_past_it() {
    let max = Limits::default().nesting_depth_max;
    for (open, core, close, levels) in [
        ("(", "1", ")", 1),
        ("f(", "1", ")", 2),
        ("CASE WHEN a THEN ", "1", " END", 1),
        ("NOT ", "a", "", 1),
        ("- ", "1", "", 1),
        ("x -> ", "x", "", 1),
        ("a.", "b", "", 1),
        ("(SELECT ", "1", ")", 5),
        ("(SELECT 1 FROM (SELECT ", "1", "))", 10),
        ("EXISTS (SELECT 1 FROM t WHERE ", "a", ")", 5),
        ("CAST(", "1", " AS INT)", 2),
        ("struct(", "1", ")", 2),
        ("f(x => ", "1", ")", 2),
        // Two operators that wait for their right sides count for one level.
        ("a OR NOT b = (", "c", ")", 3),
        ("a OR b AND c = d * f(", "1", ")", 4),
    ] {
        on_a_small_stack(move || {
            let n = max / levels;
            if let Err(diagnostic) = parse_expression(&nested(open, core, close, n)) {
                panic!("{open} {diagnostic}");
            }
            limit_named(&nested(open, core, close, n + 1), "nesting_depth_max");
        });
    }
    on_a_small_stack(move || {
        let cast = |n| format!("CAST(x AS {})", nested("ARRAY<", "INT", ">", n));
        assert!(parse_expression(&cast(max - 2)).is_ok());
        limit_named(&cast(max - 1), "nesting_depth_max");
    });
}

#[test]
fn chains_are_accepted_up_to_the_limit_and_refused_past_it() {
    let max = Limits::default().operator_chain_max;
    let chain = |operand: &str, operator: &str, n: usize| vec![operand; n].join(operator);
    for (operand, operator) in [
        ("a", " OR "),
        ("a", " AND "),
        ("1", " + "),
        ("'x'", " || "),
        (":p", " * "),
        ("DATE'2020-01-01'", " - "),
        ("INTERVAL 1 DAY", " + "),
        ("f(a)", " + "),
        ("count(*) FILTER (WHERE a) OVER (ORDER BY b)", " + "),
    ] {
        on_a_small_stack(move || {
            let wrapped = usize::from(operand.contains('('));
            let expression = match parse_expression(&chain(operand, operator, max - wrapped)) {
                Ok(expression) => expression,
                Err(diagnostic) => panic!("{operand} {diagnostic}"),
            };
            drop(expression);
            limit_named(&chain(operand, operator, max + 1), "operator_chain_max");
        });
    }
    // Comparisons and BETWEEN inside of the links do not count twice.
    assert!(parse_expression(&chain("x = 1", " OR ", max - 1)).is_ok());
    assert!(parse_expression(&chain("x BETWEEN 1 AND 2", " AND ", max - 2)).is_ok());
    assert!(parse_expression(&chain("x IS DISTINCT FROM 2", " AND ", max - 2)).is_ok());
    limit_named(&format!("x{}", " IS NULL".repeat(max)), "operator_chain_max");
    limit_named(&format!("x{}", " NOT LIKE y".repeat(max)), "operator_chain_max");
    limit_named(&format!("x{}", "::INT".repeat(max)), "operator_chain_max");
}

#[test]
fn nested_chains_count_as_one() {
    let max = Limits::default().operator_chain_max;
    let half = vec!["a"; max / 2].join(" + ");
    assert!(parse_expression(&format!("({half}) + 1")).is_ok());
    limit_named(&format!("({half}) + {half} + 1"), "operator_chain_max");
}

#[test]
fn set_operators_are_a_chain_too() {
    let max = Limits::default().operator_chain_max;
    let union = |n: usize| vec!["SELECT 1"; n].join(" UNION ALL ");
    on_a_small_stack(move || {
        assert!(parse_statement(&union(max)).is_ok());
        let Err(diagnostic) = parse_statement(&union(max + 1)) else { panic!("accepted") };
        assert_eq!(diagnostic.class, ErrorClass::LIMIT_EXCEEDED);
    });
}

#[test]
fn lists_are_not_limited() {
    let list = vec!["1"; 50_000].join(", ");
    assert!(parse_statement(&format!("SELECT a IN ({list})")).is_ok());
    let rows = vec!["(1, 'a')"; 20_000].join(", ");
    assert!(parse_statement(&format!("INSERT INTO t VALUES {rows}")).is_ok());
}

#[test]
fn operators_that_copy_take_small_operands() {
    let long = vec!["a"; 200].join(" * ");
    for text in [format!("{long} DIV 2"), format!("{long} IS DISTINCT FROM b"), format!("{long} LIKE ANY ('x')")] {
        limit_named(&text, "operator_chain_max");
    }
}

#[test]
fn failing_forms_are_not_read_again_at_every_level() {
    for (open, close) in [
        ("CAST(", " AS INT)"),
        ("trim(BOTH FROM ", ")"),
        ("extract(DAY FROM ", ")"),
        ("struct(", ")"),
        ("CASE WHEN ", " THEN 1 END"),
        ("a IN (", ")"),
        ("x.f(", ")"),
        ("f(n => ", ")"),
    ] {
        let diagnostic = parse_expression(&nested(open, "1 1", close, 28)).expect_err("two numbers");
        assert!(!diagnostic.message.is_empty());
    }
    for text in [
        nested("SELECT * FROM ((", "SELECT 1 1 1", "))", 10),
        nested("SELECT * FROM ((", "SELECT 1) a JOIN b", ") c JOIN d)", 10),
    ] {
        assert!(parse_statement(&text).is_err());
    }
}

#[test]
fn patterns_of_like_are_limited() {
    let like = |n: usize| format!("a LIKE ANY ({})", vec!["'x'"; n].join(", "));
    assert!(parse_expression(&like(200)).is_ok());
    limit_named(&like(201), "200");
}

/// Texts that invite searching the same stretch again and again.
#[test]
fn long_texts_are_read_once() {
    for text in [
        "ARRAY<",
        "{{",
        "<a",
        "“",
        "«",
        "trim(",
        "`a` ",
        "LATERAL VIEW f(a) x ORDER ",
        "a.",
        "TABLE x ",
        "INTERVAL 1 DAY ",
    ] {
        let long = text.repeat(200_000 / text.len());
        assert!(
            parse_script(&long, &Limits::default()).statements.iter().all(|statement| statement.statement.is_err())
        );
    }
}

#[test]
fn scripts_are_limited_in_bytes_and_statements() {
    let limits = Limits { statements_max: 3, script_bytes_max: 40, ..Limits::default() };
    assert!(parse_script("SELECT 1; SELECT 2; SELECT 3;", &limits).statements.iter().all(|s| s.statement.is_ok()));
    for text in ["SELECT 1; SELECT 2; SELECT 3; SELECT 4".to_owned(), format!("SELECT '{}'", "x".repeat(40))] {
        let script = parse_script(&text, &limits);
        assert_eq!(script.statements.len(), 1, "{text}");
        let Err(diagnostic) = &script.statements[0].statement else { panic!("{text} was accepted") };
        assert_eq!(diagnostic.class, ErrorClass::LIMIT_EXCEEDED);
    }
}
