//! Golden cases: what the golden runner says, against the committed baseline.
//!
//! Not every case passes from the first day. `crates/golden/baseline.json` says how many of each group do; fewer fail,
//! and `--bless` raises the figures but never lowers them. Cases below a folder `wrong` carry deliberately wrong
//! expectations, and the runner has to notice each.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Map, Value, json};

use crate::outcome::{Context, Outcome};
use crate::page::WEB;
use crate::paths::{Paths, files_below};
use crate::process::{command, say, watch};
use crate::stages::Tally;
use crate::toolchain::native_cargo;

const CASES: &str = "crates/golden/cases";
const BASELINE: &str = "crates/golden/baseline.json";
/// Failing cases shown for each group that fell below its baseline.
const SHOWN_MAX: usize = 20;

/// One group of cases: how many there are, and which failed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Group {
    cases: usize,
    failing: Vec<String>,
}

impl Group {
    fn passed(&self) -> usize {
        self.cases - self.failing.len()
    }
}

/// Runs all cases; `only` limits them to the groups whose name starts so, and shows every failing case.
pub fn run(paths: &Paths, only: Option<&str>, bless: bool) -> Outcome<Tally> {
    build_binaries(paths)?;
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    let mut tally = Tally::default();
    for file in files_below(&paths.root.join(CASES))? {
        if !file.ends_with(".jsonl") {
            continue;
        }
        let kind = kind_of(&file);
        if only.is_some_and(|only| !only.starts_with(kind) && !kind.starts_with(only)) {
            continue;
        }
        let results = run_file(paths, kind, &format!("{CASES}/{file}"))?;
        if file.split('/').any(|part| part == "wrong") {
            for (id, _) in results.iter().filter(|(_, case)| case.pass) {
                println!("{file}: {id} passes, but its expectation is wrong on purpose");
                tally.failed += 1;
            }
            tally.passed += results.values().filter(|case| !case.pass).count();
        } else {
            collect(&mut groups, kind, results);
        }
    }
    if let Some(only) = only {
        groups.retain(|name, _| name.starts_with(only));
    }
    let baseline = read_baseline(paths)?;
    for (name, group) in &groups {
        let expected = baseline.get(name).copied().unwrap_or(0);
        println!("{name:<32} {:>4} of {:>4} pass (at least {expected})", group.passed(), group.cases);
        let missing = expected.saturating_sub(group.passed());
        if missing > 0 || only.is_some() {
            let shown = if only.is_some() { usize::MAX } else { SHOWN_MAX };
            group.failing.iter().take(shown).for_each(|id| println!("    {id}"));
        }
        tally.add(Tally { passed: group.passed(), failed: missing });
    }
    if only.is_none() {
        for name in baseline.keys().filter(|name| !groups.contains_key(*name)) {
            println!("{name}: in {BASELINE}, but there are no such cases");
            tally.failed += 1;
        }
    }
    let known: usize = groups.values().map(|group| group.failing.len()).sum();
    println!("{known} cases do not pass yet");
    if bless {
        write_baseline(paths, &baseline, &groups)?;
    }
    Ok(tally)
}

/// Builds all native binaries in one go, so that the features of the dependencies are those of the other stages.
pub fn build_binaries(paths: &Paths) -> Outcome {
    let mut cargo = native_cargo(paths);
    cargo.args(["build", "--quiet", "--workspace", "--bins", "--exclude", WEB.package]);
    crate::process::run(&mut cargo)
}

struct Case {
    pass: bool,
    /// The case's own kind, where its id does not name its group.
    kind: Option<String>,
}

fn run_file(paths: &Paths, kind: &str, file: &str) -> Outcome<BTreeMap<String, Case>> {
    say(&format!("{kind}: {file}"));
    let text = fs::read_to_string(paths.root.join(file)).context(file)?;
    let mut cases = BTreeMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).context(format_args!("{file}:{}", index + 1))?;
        let id = case["id"].as_str().context(format_args!("{file}:{}: no id", index + 1))?;
        // A case of which the runner says nothing has failed.
        cases.insert(id.to_owned(), Case { pass: false, kind: case["kind"].as_str().map(str::to_owned) });
    }
    let binary = paths.native_target().join("debug/lakelet-golden");
    let watched = watch(command(&binary).current_dir(&paths.root).args([kind, file]), |_| false)?;
    let mut reported = 0;
    for line in watched.output.lines().filter(|line| line.starts_with('{')) {
        let result: Value = serde_json::from_str(line).context(format_args!("the golden runner wrote {line}"))?;
        let id = result["id"].as_str().unwrap_or_default();
        let case =
            cases.get_mut(id).context(format_args!("the golden runner speaks of {id:?}, which is not in {file}"))?;
        case.pass = result["pass"] == json!(true);
        reported += 1;
    }
    if reported < cases.len() {
        println!("{file}: the runner ended after {reported} of {} cases", cases.len());
    }
    Ok(cases)
}

/// The folder below the cases, or the file's name where it lies at the top.
fn kind_of(file: &str) -> &str {
    match file.split_once('/') {
        Some((folder, _)) => folder,
        None => file.split('.').next().unwrap_or(file),
    }
}

fn collect(groups: &mut BTreeMap<String, Group>, kind: &str, results: BTreeMap<String, Case>) {
    for (id, case) in results {
        let group = match (id.split_once('/'), &case.kind) {
            (Some((group, _)), _) => group,
            (None, Some(case_kind)) => case_kind,
            (None, None) => "cases",
        };
        let group = groups.entry(format!("{kind}/{group}")).or_default();
        group.cases += 1;
        if !case.pass {
            group.failing.push(id);
        }
    }
}

fn read_baseline(paths: &Paths) -> Outcome<BTreeMap<String, usize>> {
    let Ok(text) = fs::read_to_string(paths.root.join(BASELINE)) else { return Ok(BTreeMap::new()) };
    let baseline: Map<String, Value> = serde_json::from_str(&text).context(BASELINE)?;
    baseline
        .into_iter()
        .map(|(name, value)| {
            let number = value.as_u64().context(format_args!("{BASELINE}: {name} is not a number"))?;
            Ok((name, usize::try_from(number).context(BASELINE)?))
        })
        .collect()
}

fn write_baseline(paths: &Paths, old: &BTreeMap<String, usize>, groups: &BTreeMap<String, Group>) -> Outcome {
    let lowered: Vec<&str> = groups
        .iter()
        .filter(|(name, group)| old.get(*name).is_some_and(|expected| *expected > group.passed()))
        .map(|(name, _)| name.as_str())
        .collect();
    if !lowered.is_empty() {
        return Err(format!("the baseline may only go up, but would go down for {}", lowered.join(", ")));
    }
    let mut fresh = old.clone();
    fresh.extend(groups.iter().map(|(name, group)| (name.clone(), group.passed())));
    fs::write(paths.root.join(BASELINE), format!("{:#}\n", json!(fresh))).context(BASELINE)?;
    println!("{BASELINE} holds these figures now");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Case, Group, collect, kind_of};

    #[test]
    fn kind_is_the_folder_or_the_name_of_the_file() {
        assert_eq!(kind_of("spark-sql/cases.jsonl"), "spark-sql");
        assert_eq!(kind_of("jobs.jsonl"), "jobs");
        assert_eq!(kind_of("auto-cdc/wrong/cases.jsonl"), "auto-cdc");
    }

    #[test]
    fn group_is_the_front_of_the_id_or_the_kind_of_the_case() {
        let mut groups = BTreeMap::new();
        let case = |pass, kind: Option<&str>| Case { pass, kind: kind.map(str::to_owned) };
        let results = BTreeMap::from([
            ("casts/int".to_owned(), case(true, None)),
            ("casts/date".to_owned(), case(false, None)),
            ("repair-1".to_owned(), case(true, Some("repair"))),
            ("s1-insert".to_owned(), case(false, None)),
        ]);
        collect(&mut groups, "k", results);
        let group =
            |cases, failing: &[&str]| Group { cases, failing: failing.iter().map(|id| (*id).to_owned()).collect() };
        let expected = BTreeMap::from([
            ("k/cases".to_owned(), group(1, &["s1-insert"])),
            ("k/casts".to_owned(), group(2, &["casts/date"])),
            ("k/repair".to_owned(), group(1, &[])),
        ]);
        assert_eq!(groups, expected);
    }
}
