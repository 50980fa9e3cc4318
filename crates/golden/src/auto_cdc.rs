//! AUTO CDC flows, change feeds as sources, and REPLACE WHERE flows, all through SQL.

use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::session::Session;
use crate::spark_sql::same;

/// Runs one case in a workspace of its own.
pub fn run_case(case: &Value) -> Outcome {
    let result = match case["kind"].as_str().unwrap_or("cdc") {
        "cdc" => cdc(case),
        "cdf" => change_feed(case),
        "replace_where" => replace_where(case),
        kind => Err(format!("there is no kind '{kind}'")),
    };
    result.unwrap_or_else(Outcome::unusable)
}

/// What the refreshes of a case gave: states of the target, and the error that ended them.
#[derive(Default)]
struct Course {
    states: Vec<Vec<Value>>,
    columns: Vec<String>,
    error: Option<Failure>,
}

struct Failure {
    condition: String,
    text: String,
    batch: usize,
}

fn cdc(case: &Value) -> Result<Outcome, String> {
    let mut session = Session::new().map_err(|error| error.to_string())?;
    let schema = columns(&case["schema"]);
    let declared: Vec<String> = schema.iter().map(|(name, data_type)| format!("`{name}` {data_type}")).collect();
    run(&mut session, &format!("CREATE TABLE src ({})", declared.join(", ")))?;
    let mut course = Course::default();
    let full_at = case["full_refresh_at"].as_u64();
    let batches: Vec<&Value> = case["batches"].as_array().into_iter().flatten().collect();
    for (index, batch) in batches.iter().enumerate() {
        let is_full = full_at == Some(index as u64);
        if is_full {
            run(&mut session, "DELETE FROM src")?;
        }
        insert(&mut session, "src", &schema, batch)?;
        let statement = match (index, is_full) {
            (0, _) => definition(case),
            (_, true) => "REFRESH STREAMING TABLE target FULL".to_owned(),
            (_, false) => "REFRESH STREAMING TABLE target".to_owned(),
        };
        if !refresh(&mut session, &statement, index, "target", &mut course)? {
            break;
        }
    }
    if batches.is_empty() {
        refresh(&mut session, &definition(case), 0, "target", &mut course)?;
    }
    Ok(judge(case, &course))
}

fn change_feed(case: &Value) -> Result<Outcome, String> {
    let mut session = Session::new().map_err(|error| error.to_string())?;
    let schema = columns(&case["source_schema"]);
    let declared: Vec<String> = schema.iter().map(|(name, data_type)| format!("`{name}` {data_type}")).collect();
    run(
        &mut session,
        &format!("CREATE TABLE src ({}) TBLPROPERTIES (delta.enableChangeDataFeed = true)", declared.join(", ")),
    )?;
    run(&mut session, case["statement"].as_str().unwrap_or_default())?;
    let mut course = Course::default();
    for (index, statements) in case["refreshes"].as_array().into_iter().flatten().enumerate() {
        for statement in statements.as_array().into_iter().flatten() {
            run(&mut session, statement["sql"].as_str().unwrap_or_default())?;
        }
        if !refresh(&mut session, "REFRESH STREAMING TABLE hist", index, "hist", &mut course)? {
            break;
        }
    }
    Ok(judge(case, &course))
}

fn replace_where(case: &Value) -> Result<Outcome, String> {
    let mut session = Session::new().map_err(|error| error.to_string())?;
    let schema = columns(&case["schema"]);
    let declared: Vec<String> = schema.iter().map(|(name, data_type)| format!("`{name}` {data_type}")).collect();
    run(&mut session, &format!("CREATE TABLE src ({})", declared.join(", ")))?;
    insert(&mut session, "src", &schema, &case["target"])?;
    // The rows before come in through a flow that takes everything; the flow of the case then takes its place.
    run(&mut session, "CREATE OR REFRESH STREAMING TABLE target FLOW REPLACE WHERE true BY NAME SELECT * FROM src")?;
    let predicate = case["predicate"].as_str().unwrap_or("true");
    let flow =
        format!("CREATE OR REFRESH STREAMING TABLE target FLOW REPLACE WHERE {predicate} BY NAME SELECT * FROM src");
    run(&mut session, &flow)?;
    let mut course = Course::default();
    for (index, step) in case["refreshes"].as_array().into_iter().flatten().enumerate() {
        run(&mut session, "DELETE FROM src")?;
        insert(&mut session, "src", &schema, &step["source"])?;
        let statement = match step["predicate"].as_str() {
            None => "REFRESH STREAMING TABLE target".to_owned(),
            Some(once) => format!("REFRESH STREAMING TABLE target WHERE {once}"),
        };
        if !refresh(&mut session, &statement, index, "target", &mut course)? {
            break;
        }
    }
    Ok(judge(case, &course))
}

fn run(session: &mut Session, sql: &str) -> Result<(), String> {
    session.sql(sql).map(|_| ()).map_err(|error| format!("{}: {sql}", error.diagnostic))
}

/// Runs a refresh and notes the target's rows; `false` when it failed.
fn refresh(
    session: &mut Session,
    statement: &str,
    index: usize,
    target: &str,
    course: &mut Course,
) -> Result<bool, String> {
    let failed = session.sql(statement).err();
    if let Some(error) = &failed {
        course.error = Some(Failure {
            condition: error.diagnostic.class.condition.to_owned(),
            text: error.diagnostic.to_string(),
            batch: index,
        });
        if index == 0 {
            return Ok(false);
        }
    }
    let rows = session
        .sql(&format!("SELECT * FROM {target}"))
        .map_err(|error| error.diagnostic.to_string())?
        .ok_or("a query gave no rows")?;
    course.columns = rows.columns.iter().map(|(name, _)| name.clone()).collect();
    let state: Vec<Value> = rows
        .rows
        .into_iter()
        .map(|row| {
            let cells = rows.columns.iter().zip(row);
            Value::Object(cells.map(|((name, data_type), value)| (name.clone(), notation(value, data_type))).collect())
        })
        .collect();
    if failed.is_some() {
        // A failed refresh leaves the target as it was.
        if course.states.last().is_some_and(|last| !same_set(last, &state)) {
            return Err("the target changed in a refresh that failed".to_owned());
        }
        return Ok(false);
    }
    course.states.push(state);
    Ok(true)
}

fn judge(case: &Value, course: &Course) -> Outcome {
    let got = json!({
        "states": course.states,
        "error": course.error.as_ref().map(|failure| json!({"class": failure.condition, "text": failure.text, "batch": failure.batch})),
    });
    let expected: Vec<&Value> = case["expect"].as_array().into_iter().flatten().collect();
    let states = expected.len() == course.states.len()
        && expected
            .iter()
            .zip(&course.states)
            .all(|(expected, state)| expected.as_array().is_some_and(|expected| same_set(expected, state)));
    let columns = case["expect_columns"]
        .as_array()
        .is_none_or(|expected| expected.iter().filter_map(Value::as_str).eq(course.columns.iter().map(String::as_str)));
    let error = match (case.get("error"), &course.error) {
        (None, None) => true,
        (Some(expected), Some(failure)) => same_error(expected, failure),
        _ => false,
    };
    Outcome { pass: states && columns && error, got }
}

fn same_error(expected: &Value, failure: &Failure) -> bool {
    let named = std::iter::once(&expected["class"])
        .chain(expected["also"].as_array().into_iter().flatten())
        .filter_map(Value::as_str)
        .any(|class| class == failure.condition || failure.condition.starts_with(&format!("{class}.")));
    let pieces = expected["contains"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let text = failure.text.to_lowercase();
    named
        && pieces.into_iter().all(|piece| text.contains(&piece.to_lowercase()))
        && expected["batch"].as_u64().is_none_or(|batch| batch == failure.batch as u64)
}

fn same_set(expected: &[Value], got: &[Value]) -> bool {
    let mut open: Vec<&Value> = got.iter().collect();
    expected.len() == got.len()
        && expected.iter().all(|row| {
            let found = open.iter().position(|candidate| same(row, candidate));
            found.map(|index| open.swap_remove(index)).is_some()
        })
}

fn columns(schema: &Value) -> Vec<(String, String)> {
    let pairs = schema.as_array().into_iter().flatten();
    pairs
        .map(|pair| (pair[0].as_str().unwrap_or_default().to_owned(), pair[1].as_str().unwrap_or_default().to_owned()))
        .collect()
}

fn insert(session: &mut Session, table: &str, schema: &[(String, String)], rows: &Value) -> Result<(), String> {
    let rows: Vec<&Value> = rows.as_array().into_iter().flatten().collect();
    if rows.is_empty() {
        return Ok(());
    }
    let tuples: Vec<String> = rows
        .iter()
        .map(|row| {
            let value = |name: &str| {
                let fields = row.as_object().into_iter().flatten();
                fields
                    .into_iter()
                    .find(|(key, _)| key.eq_ignore_ascii_case(name))
                    .map_or(&Value::Null, |(_, value)| value)
            };
            let values: Vec<String> = schema.iter().map(|(name, data_type)| literal(value(name), data_type)).collect();
            format!("({})", values.join(", "))
        })
        .collect();
    run(session, &format!("INSERT INTO {table} VALUES {}", tuples.join(", ")))
}

/// A value of a case as SQL.
fn literal(value: &Value, data_type: &str) -> String {
    match value {
        Value::Null => format!("CAST(NULL AS {data_type})"),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| literal(item, element_type(data_type))).collect();
            format!("array({})", items.join(", "))
        }
        Value::Object(fields) => map_literal(fields, data_type),
        Value::String(text) => {
            format!("CAST('{}' AS {data_type})", text.replace('\\', "\\\\").replace('\'', "\\'"))
        }
        other => format!("CAST({other} AS {data_type})"),
    }
}

fn element_type(data_type: &str) -> &str {
    let inner = data_type.split_once('<').map_or("STRING", |(_, rest)| rest);
    inner.strip_suffix('>').unwrap_or(inner)
}

fn map_literal(fields: &Map<String, Value>, data_type: &str) -> String {
    let inner = element_type(data_type);
    if data_type.to_uppercase().starts_with("MAP") {
        let (key_type, value_type) = inner.split_once(',').unwrap_or((inner, "STRING"));
        let keys: Vec<String> =
            fields.keys().map(|key| literal(&Value::String(key.clone()), key_type.trim())).collect();
        let values: Vec<String> = fields.values().map(|value| literal(value, value_type.trim())).collect();
        return format!("map_from_arrays(array({}), array({}))", keys.join(", "), values.join(", "));
    }
    let parts: Vec<String> = inner
        .split(',')
        .filter_map(|field| field.trim().split_once(':'))
        .map(|(name, field_type)| {
            let value = fields.get(name.trim()).unwrap_or(&Value::Null);
            format!("'{}', {}", name.trim(), literal(value, field_type.trim()))
        })
        .collect();
    format!("named_struct({})", parts.join(", "))
}

/// Our JSON in the notation of the cases: timestamps with a blank and without zone.
fn notation(value: Value, data_type: &str) -> Value {
    match value {
        Value::String(text) if data_type.starts_with("timestamp") => {
            Value::String(text.trim_end_matches('Z').replace('T', " "))
        }
        other => other,
    }
}

/// The statement that defines a case's flow.
fn definition(case: &Value) -> String {
    let list = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect()
    };
    let mut text = format!(
        "CREATE OR REFRESH STREAMING TABLE target FLOW AUTO CDC FROM STREAM src KEYS ({})",
        list(&case["keys"]).join(", ")
    );
    match &case["ignore_null_updates"] {
        Value::Bool(true) => text.push_str(" IGNORE NULL UPDATES"),
        Value::Object(_) => {
            text.push_str(&format!(" IGNORE NULL UPDATES ON {}", selection(&case["ignore_null_updates"], &list)));
        }
        _ => {}
    }
    if let Some(condition) = case["delete_when"].as_str() {
        text.push_str(&format!(" APPLY AS DELETE WHEN {condition}"));
    }
    if let Some(condition) = case["truncate_when"].as_str() {
        text.push_str(&format!(" APPLY AS TRUNCATE WHEN {condition}"));
    }
    match &case["sequence_by"] {
        Value::String(name) => text.push_str(&format!(" SEQUENCE BY {name}")),
        several @ Value::Array(_) => text.push_str(&format!(" SEQUENCE BY struct({})", list(several).join(", "))),
        _ => {}
    }
    if case["columns"].is_array() {
        text.push_str(&format!(" COLUMNS ({})", list(&case["columns"]).join(", ")));
    }
    if case["except"].as_array().is_some_and(|except| !except.is_empty()) {
        text.push_str(&format!(" COLUMNS * EXCEPT ({})", list(&case["except"]).join(", ")));
    }
    if let Some(scd_type) = case.get("type").filter(|scd_type| !scd_type.is_null()) {
        text.push_str(&format!(" STORED AS SCD TYPE {scd_type}"));
    }
    for form in ["on", "except"] {
        if let Some(names) = case["track_history"].get(form) {
            let names = list(names).join(", ");
            let selection = if form == "on" { format!("({names})") } else { format!("* EXCEPT ({names})") };
            text.push_str(&format!(" TRACK HISTORY ON {selection}"));
        }
    }
    text
}

fn selection(clause: &Value, list: &dyn Fn(&Value) -> Vec<String>) -> String {
    match clause.get("on") {
        Some(on) => format!("({})", list(on).join(", ")),
        None => format!("* EXCEPT ({})", list(&clause["except"]).join(", ")),
    }
}
