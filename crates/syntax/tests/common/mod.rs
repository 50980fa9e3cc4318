//! The corpora.

/// All statements of both corpora, each with the condition it is refused with, if it is.
pub fn corpus() -> Vec<(String, Option<String>)> {
    let files = [include_str!("../data/spark_sql.jsonl"), include_str!("../data/auto_cdc.jsonl")];
    files
        .iter()
        .flat_map(|file| file.lines())
        .map(|line| {
            let case: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
            let field = |name: &str| case[name].as_str().map(str::to_owned);
            (field("sql").unwrap_or_default(), field("error"))
        })
        .collect()
}
