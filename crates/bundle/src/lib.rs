//! Project files as data and back: Databricks bundles, notebooks, `lakelet.json`.
//!
//! Everything here is text in, data out: no files are touched, nothing runs. What a bundle holds that Lakelet does not
//! know is kept as it is and named with its file and line.

mod yaml;

pub use yaml::{Yaml, YamlEntry, YamlError, YamlValue, parse_yaml, to_yaml};
