//! The sizes of the two modules, beside the figures that are committed.
//!
//! A reader waits for these bytes, so growth has to be somebody's decision: a module of the `wasm-ci` profile that is
//! more than two percent above its committed figure fails until the figure is changed with `--bless`. The engine of
//! `dist` has a ceiling besides.

use std::fs;

use serde_json::{Map, Value, json};

use crate::outcome::{Context, Outcome};
use crate::page::{Built, ENGINE, Figures, Profile, figures};
use crate::paths::Paths;
use crate::stages::Tally;

const FILE: &str = "crates/xtask/sizes.json";
/// Allowed growth over the committed figure, in percent.
const GROWTH_PERCENT_MAX: u64 = 2;
/// What a reader of the published page may have to fetch for the engine.
const ENGINE_GZIP_BYTES_MAX: u64 = 10 * 1000 * 1000;

/// Prints the figures of what was built and compares them, or commits them if `bless` is set.
pub fn report(paths: &Paths, profile: Profile, built: &Built, bless: bool) -> Outcome<Tally> {
    let file = paths.root.join(FILE);
    let mut committed: Value = match fs::read_to_string(&file) {
        Ok(text) => serde_json::from_str(&text).context(FILE)?,
        Err(_) => Value::Object(Map::new()),
    };
    let group = committed[profile.name()].clone();
    let comparable = group["rustc"].as_str() == Some(built.rustc_version.as_str());
    let mut tally = Tally::default();
    let mut fresh = json!({ "rustc": built.rustc_version });
    println!("profile {}, bytes (committed)", profile.name());
    println!("{:<8} {:>26} {:>26} {:>26}", "", "raw", "gzip", "brotli-9");
    for (module, piece) in &built.pieces {
        let measured = figures(paths, module, piece)?;
        let before = Figures::read(&group[module.name]).ok();
        print_row(module.name, measured, before);
        fresh[module.name] = measured.to_json();
        let mut complaints = Vec::new();
        if module.name == ENGINE.name && profile == Profile::Dist && measured.gzip > ENGINE_GZIP_BYTES_MAX {
            complaints.push(format!("the engine is {} bytes gzip, over {ENGINE_GZIP_BYTES_MAX}", measured.gzip));
        }
        match before {
            _ if bless => {}
            None => complaints.push(format!("no committed figures; `{}` commits them", bless_command(profile))),
            Some(before) if comparable => complaints.extend(growth(module.name, measured, before, profile)),
            Some(_) => println!(
                "{}: not compared, the committed figures are by {} and these by {}",
                module.name,
                group["rustc"].as_str().unwrap_or("another compiler"),
                built.rustc_version
            ),
        }
        for complaint in &complaints {
            println!("{}: {complaint}", module.name);
        }
        tally.add(if complaints.is_empty() { Tally::ONE } else { Tally { passed: 0, failed: 1 } });
    }
    if bless {
        committed[profile.name()] = fresh;
        fs::write(&file, format!("{committed:#}\n")).context(FILE)?;
        println!("{FILE} holds these figures now");
    }
    Ok(tally)
}

fn bless_command(profile: Profile) -> String {
    format!("cargo xtask size --profile {} --bless", profile.name())
}

fn growth(name: &str, measured: Figures, before: Figures, profile: Profile) -> Option<String> {
    let grown = [
        ("raw", measured.raw, before.raw),
        ("gzip", measured.gzip, before.gzip),
        ("brotli-9", measured.brotli, before.brotli),
    ]
    .into_iter()
    .find(|(_, now, then)| now * 100 > then * (100 + GROWTH_PERCENT_MAX))?;
    let (what, now, then) = grown;
    Some(format!(
        "{name} grew from {then} to {now} bytes {what}, over {GROWTH_PERCENT_MAX} %; if that is meant: `{}`",
        bless_command(profile)
    ))
}

fn print_row(name: &str, measured: Figures, before: Option<Figures>) {
    let cell = |now: u64, then: Option<u64>| match then {
        Some(then) => format!("{now} ({then})"),
        None => format!("{now} (-)"),
    };
    println!(
        "{name:<8} {:>26} {:>26} {:>26}",
        cell(measured.raw, before.map(|figures| figures.raw)),
        cell(measured.gzip, before.map(|figures| figures.gzip)),
        cell(measured.brotli, before.map(|figures| figures.brotli)),
    );
}

#[cfg(test)]
mod tests {
    use super::{Figures, Profile, growth};

    fn figures(size: u64) -> Figures {
        Figures { raw: size, gzip: size / 4, brotli: size / 5 }
    }

    #[test]
    fn growth_up_to_two_percent_is_let_through() {
        assert_eq!(growth("web", figures(1_020_000), figures(1_000_000), Profile::WasmCi), None);
        assert!(growth("web", figures(1_020_100), figures(1_000_000), Profile::WasmCi).is_some());
    }

    #[test]
    fn any_of_the_three_figures_counts() {
        let grown = Figures { brotli: 250_000, ..figures(1_000_000) };
        let text = growth("web", grown, figures(1_000_000), Profile::WasmCi).unwrap();
        assert!(text.contains("brotli-9"), "{text}");
    }
}
