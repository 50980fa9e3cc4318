use super::*;

struct Shop;

impl NameSource for Shop {
    fn tables(&self, qualifier: &[String]) -> Vec<String> {
        match qualifier {
            [] => vec!["products".into(), "odd name".into()],
            [schema] if schema == "sales" => vec!["orders".into()],
            _ => Vec::new(),
        }
    }

    fn schemas(&self, _qualifier: &[String]) -> Vec<String> {
        vec!["default".into(), "sales".into()]
    }

    fn catalogs(&self) -> Vec<String> {
        vec!["playground".into()]
    }

    fn columns(&self, table: &[String]) -> Vec<String> {
        match table.last().map(String::as_str) {
            Some("products") => vec!["product_id".into(), "warehouse".into()],
            Some("orders") => vec!["order_id".into()],
            _ => Vec::new(),
        }
    }

    fn functions(&self) -> Vec<String> {
        vec!["upper".into(), "window".into()]
    }
}

/// Labels at the `|` in `text`.
fn labels(text: &str) -> Vec<String> {
    let offset = text.find('|').expect("a cursor");
    complete(&text.replacen('|', "", 1), offset, &Shop).into_iter().map(|completion| completion.label).collect()
}

#[test]
fn tables_come_after_from() {
    assert!(labels("SELECT * FROM |").starts_with(&["odd name".into(), "products".into()]));
    assert_eq!(labels("SELECT * FROM pro|"), ["products"]);
    assert_eq!(labels("SELECT * FROM sales.|"), ["orders", "default", "sales"]);
    assert_eq!(labels("SELECT 1; REFRESH STREAMING TABLE prod|; SELECT 2"), ["products"]);
    let odd = complete("SELECT * FROM od", 16, &Shop);
    assert_eq!(odd.first().map(|completion| completion.replacement.as_str()), Some("`odd name`"));
    assert_eq!(odd.first().map(|completion| completion.span), Some(Span::new(14, 16)));
}

#[test]
fn columns_come_from_the_statements_tables() {
    assert!(labels("SELECT w| FROM products").starts_with(&["warehouse".into(), "window".into()]));
    assert_eq!(labels("SELECT p.| FROM products AS p"), ["product_id", "warehouse"]);
    assert_eq!(labels("SELECT o.or| FROM products p JOIN sales.orders o ON true"), ["order_id"]);
    assert_eq!(labels("UPDATE products SET ware|"), ["warehouse"]);
}

#[test]
fn keywords_start_statements() {
    assert_eq!(labels("REF|"), ["REFRESH"]);
    assert!(labels("|").contains(&"SELECT".to_owned()));
    assert_eq!(labels("USE CATALOG |"), ["playground"]);
}

#[test]
fn nothing_comes_inside_of_strings_and_comments() {
    assert!(labels("SELECT 'a| b'").is_empty());
    assert!(labels("SELECT 1 -- fr|").is_empty());
    assert!(labels("SELECT 1 /* | */").is_empty());
    assert!(complete("é", 1, &Shop).len() < 200);
}
