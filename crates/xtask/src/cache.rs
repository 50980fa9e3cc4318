//! Keeps the cache from growing without end.
//!
//! Every checkout compiles our own packages into files of its own, while the dependencies are shared. Where each run is
//! a fresh checkout the former pile up, and nobody will ever ask for them again.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::outcome::{Context, Outcome};
use crate::paths::Paths;
use crate::process::say;

/// Files of our own packages this old are forgotten; a checkout that still needs them compiles them again.
const AGE_MAX: Duration = Duration::from_secs(3 * 24 * 60 * 60);
const OWN_NAMES: &[&str] = &["lakelet", "liblakelet", "xtask", "libxtask"];
/// Where cargo keeps what it makes, in the folder of a profile.
const CARGO_FOLDERS: &[&str] = &["deps", ".fingerprint", "incremental", "build"];

/// Deletes what old checkouts left in the target folders of the cache.
pub fn forget_old_checkouts(paths: &Paths) -> Outcome {
    let mut bytes = 0;
    for profile in ["native/debug", "wasm/wasm32-unknown-unknown/wasm-ci", "wasm/wasm32-unknown-unknown/dist"] {
        for folder in CARGO_FOLDERS {
            bytes += forget_old(&paths.cache.join(profile).join(folder))?;
        }
    }
    if bytes > 0 {
        say(&format!("forgot {} MB that old checkouts left in {}", bytes / 1_000_000, paths.cache.display()));
    }
    Ok(())
}

/// Deletes old entries with our names from a folder; returns the size of the files among them.
fn forget_old(folder: &Path) -> Outcome<u64> {
    if !folder.is_dir() {
        return Ok(0);
    }
    let mut bytes = 0;
    for entry in fs::read_dir(folder).context(folder.display())? {
        let entry = entry.context(folder.display())?;
        let name = entry.file_name();
        let own = OWN_NAMES.iter().any(|own| name.to_string_lossy().starts_with(own));
        // Another build may delete it at the same time; then there is nothing to do.
        let Ok(metadata) = entry.metadata() else { continue };
        let modified = metadata.modified().context(entry.path().display())?;
        let age = SystemTime::now().duration_since(modified).unwrap_or_default();
        if !own || age < AGE_MAX {
            continue;
        }
        let path = entry.path();
        if metadata.is_dir() {
            fs::remove_dir_all(&path).context(path.display())?;
        } else {
            fs::remove_file(&path).context(path.display())?;
            bytes += metadata.len();
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::{AGE_MAX, forget_old};

    #[test]
    fn only_old_files_of_our_own_packages_are_forgotten() {
        let folder = std::env::temp_dir().join(format!("lakelet-cache-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let old = SystemTime::now() - AGE_MAX - Duration::from_secs(60);
        for name in ["liblakelet_store-1.rlib", "libarrow-1.rlib"] {
            fs::write(folder.join(name), "12345").unwrap();
            File::options().write(true).open(folder.join(name)).unwrap().set_modified(old).unwrap();
        }
        fs::write(folder.join("lakelet_engine-2"), "12345").unwrap();
        assert_eq!(forget_old(&folder), Ok(5));
        let mut left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["lakelet_engine-2", "libarrow-1.rlib"]);
        fs::remove_dir_all(folder).unwrap();
    }
}
