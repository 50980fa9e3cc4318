//! AUTO CDC from scratch: all events ever read, sorted and replayed, in plain JSON. Nothing here is shared with the
//! crate but the meaning of the rules.

use serde_json::{Map, Value};

use super::Case;
use super::predicate::Predicate;

/// One flow's whole past.
pub struct Naive {
    is_history: bool,
    keys: Vec<String>,
    kept: Vec<String>,
    tracked: Vec<String>,
    ignored: Vec<String>,
    sequence: (Vec<String>, bool),
    delete_when: Option<Predicate>,
    truncate_when: Option<Predicate>,
    events: Vec<Value>,
}

fn list(value: &Value) -> Option<Vec<String>> {
    Some(value.as_array()?.iter().map(|name| name.as_str().unwrap().to_lowercase()).collect())
}

fn choose(universe: &[String], lists: &Value) -> Vec<String> {
    let (on, except) = (list(&lists["on"]), list(&lists["except"]));
    let listed = |names: &Vec<String>, name: &String| names.contains(&name.to_lowercase());
    let takes = |name: &&String| {
        on.as_ref().is_none_or(|on| listed(on, name)) && !except.as_ref().is_some_and(|except| listed(except, name))
    };
    universe.iter().filter(takes).cloned().collect()
}

impl Naive {
    pub fn new(case: &Case) -> Self {
        let json = &case.0;
        let all: Vec<String> = case.schema().into_iter().map(|(name, _)| name).collect();
        let kept = choose(&all, &serde_json::json!({"on": json["columns"], "except": json["except"]}));
        let keys: Vec<String> = list(&json["keys"]).unwrap();
        let keys: Vec<String> = kept.iter().filter(|name| keys.contains(&name.to_lowercase())).cloned().collect();
        let data: Vec<String> = kept.iter().filter(|name| !keys.contains(name)).cloned().collect();
        let ignored = match &json["ignore_null_updates"] {
            Value::Bool(true) => data.clone(),
            lists @ Value::Object(_) => choose(&data, lists),
            _ => Vec::new(),
        };
        Self {
            is_history: json["type"].as_i64() == Some(2),
            tracked: choose(&data, &json["track_history"]),
            keys,
            kept,
            ignored,
            sequence: case.sequence().unwrap(),
            delete_when: case.condition("delete_when").map(Predicate::parse),
            truncate_when: case.condition("truncate_when").map(Predicate::parse),
            events: Vec::new(),
        }
    }

    pub fn read(&mut self, rows: &[Value]) {
        self.events.extend_from_slice(rows);
    }

    fn holds(condition: &Option<Predicate>, event: &Value) -> bool {
        condition.as_ref().and_then(|condition| condition.holds(event)) == Some(true)
    }

    /// Numbers of the sequence's fields; NULL sorts lowest.
    fn order(&self, event: &Value) -> Vec<Option<i64>> {
        self.sequence.0.iter().map(|column| event.get(column).and_then(Value::as_i64)).collect()
    }

    fn bound(&self, event: &Value) -> Value {
        let get = |column: &String| event.get(column).cloned().unwrap_or(Value::Null);
        if !self.sequence.1 {
            return get(&self.sequence.0[0]);
        }
        Value::Object(self.sequence.0.iter().map(|column| (column.clone(), get(column))).collect())
    }

    /// The target that follows from all events.
    pub fn table(&self) -> Vec<Value> {
        let truncates = self.events.iter().filter(|event| Self::holds(&self.truncate_when, event));
        let floor = truncates.map(|event| self.order(event)).max();
        let mut keys: Vec<Vec<Value>> = Vec::new();
        let key_of = |event: &Value| self.keys.iter().map(|key| event[key].clone()).collect::<Vec<_>>();
        let live: Vec<&Value> = self
            .events
            .iter()
            .filter(|event| !Self::holds(&self.truncate_when, event))
            .filter(|event| floor.as_ref().is_none_or(|floor| self.order(event) >= *floor))
            .collect();
        for event in &live {
            let key = key_of(event);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let mut table = Vec::new();
        for key in keys {
            let mut events: Vec<&Value> = live.iter().copied().filter(|event| key_of(event) == key).collect();
            events.sort_by_key(|event| self.order(event));
            events.dedup_by_key(|event| self.order(event));
            table.extend(self.replay(&events));
        }
        table
    }

    fn replay(&self, events: &[&Value]) -> Vec<Value> {
        let mut rows = Vec::new();
        let mut open: Option<(Map<String, Value>, Value)> = None;
        for event in events {
            let at = self.bound(event);
            if Self::holds(&self.delete_when, event) {
                if let Some((row, start)) = open.take() {
                    self.close(&mut rows, row, start, Some(at));
                }
                continue;
            }
            let mut row: Map<String, Value> = Map::new();
            for column in &self.kept {
                row.insert(column.clone(), event.get(column).cloned().unwrap_or(Value::Null));
            }
            open = Some(match open {
                None => (row, at),
                Some((current, start)) => {
                    for column in &self.ignored {
                        if row[column].is_null() {
                            row.insert(column.clone(), current[column].clone());
                        }
                    }
                    if self.is_history && self.tracked.iter().any(|column| row[column] != current[column]) {
                        self.close(&mut rows, current, start, Some(at.clone()));
                        (row, at)
                    } else {
                        (row, start)
                    }
                }
            });
        }
        if let Some((row, start)) = open {
            self.close(&mut rows, row, start, None);
        }
        rows
    }

    fn close(&self, rows: &mut Vec<Value>, mut row: Map<String, Value>, start: Value, end: Option<Value>) {
        if self.is_history {
            row.insert("__START_AT".to_owned(), start);
            row.insert("__END_AT".to_owned(), end.unwrap_or(Value::Null));
        } else if end.is_some() {
            return;
        }
        rows.push(Value::Object(row));
    }
}
