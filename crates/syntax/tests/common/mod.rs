//! The corpora.

/// A text and the condition it is refused with, if it is.
pub struct Case {
    pub sql: String,
    pub error: Option<String>,
}

/// All statements of both corpora.
pub fn corpus() -> Vec<Case> {
    let files = [include_str!("../data/spark_sql.jsonl"), include_str!("../data/auto_cdc.jsonl")];
    files
        .iter()
        .flat_map(|file| file.lines())
        .map(|line| {
            let case: serde_json::Value = serde_json::from_str(line).expect("a case is JSON");
            Case {
                sql: case["sql"].as_str().expect("sql is text").to_owned(),
                error: case["error"].as_str().map(str::to_owned),
            }
        })
        .collect()
}
