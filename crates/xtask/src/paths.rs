//! Where the checkout is, and where everything that outlives it is kept.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::outcome::{Context, Outcome};

/// The folders that the tasks read and write.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The root of the checkout.
    pub root: PathBuf,
    /// The folder outside the checkout for whatever is slow to make: target folders, node modules, finished modules.
    pub cache: PathBuf,
}

impl Paths {
    /// Finds the checkout around the current directory, and the cache folder by the XDG convention.
    pub fn find() -> Outcome<Self> {
        let start = match env::var_os("CARGO_MANIFEST_DIR") {
            Some(manifest_dir) => PathBuf::from(manifest_dir),
            None => env::current_dir().context("the current directory")?,
        };
        let root = start
            .ancestors()
            .find(|folder| folder.join("Cargo.lock").is_file())
            .context("no Cargo.lock at or above the current directory")?
            .to_path_buf();
        let cache_home = match env::var_os("XDG_CACHE_HOME").filter(|value| !value.is_empty()) {
            Some(folder) => PathBuf::from(folder),
            None => PathBuf::from(env::var_os("HOME").context("HOME is not set")?).join(".cache"),
        };
        let cache = cache_home.join("lakelet");
        fs::create_dir_all(&cache).context(cache.display())?;
        Ok(Self { root, cache })
    }

    /// The target folder of native builds. A folder that the caller has chosen is kept.
    pub fn native_target(&self) -> PathBuf {
        match env::var_os("CARGO_TARGET_DIR").filter(|value| !value.is_empty()) {
            Some(folder) => self.root.join(folder),
            None => self.cache.join("native"),
        }
    }

    /// The target folder of builds for the browser, apart from the native one because another compiler may fill it.
    pub fn wasm_target(&self) -> PathBuf {
        self.cache.join("wasm")
    }

    /// The folder that a static host serves.
    pub fn site(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// Where browser tests leave their pictures.
    pub fn artifacts(&self) -> PathBuf {
        self.root.join("target/e2e")
    }
}

/// All files below `folder`, as paths relative to it with `/` between the parts, in order. A folder that is not there
/// has no files.
pub fn files_below(folder: &Path) -> Outcome<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(relative) = open.pop() {
        let here = folder.join(&relative);
        if !here.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&here).context(here.display())? {
            let entry = entry.context(here.display())?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if relative.is_empty() { name } else { format!("{relative}/{name}") };
            let kind = entry.file_type().context(&path)?;
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Puts a file at another place, sharing its bytes where the file system can.
pub fn place(from: &Path, to: &Path) -> Outcome {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).context(parent.display())?;
    }
    if to.exists() {
        fs::remove_file(to).context(to.display())?;
    }
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).context(format_args!("copy {} to {}", from.display(), to.display()))?;
    }
    Ok(())
}

/// Copies a file, so that the copy may be changed without changing the original.
pub fn copy(from: &Path, to: &Path) -> Outcome {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).context(parent.display())?;
    }
    fs::copy(from, to).context(format_args!("copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Copies the wanted files of a folder; `wanted` sees their paths relative to it.
pub fn copy_folder(from: &Path, to: &Path, wanted: impl Fn(&str) -> bool) -> Outcome {
    for file in files_below(from)? {
        if wanted(&file) {
            copy(&from.join(&file), &to.join(&file))?;
        }
    }
    Ok(())
}

/// A 64-bit FNV-1a hash: names cache folders by what went into them. Not for anything that an adversary may choose.
pub fn fingerprint<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        let length = (part.len() as u64).to_le_bytes();
        for &byte in length.iter().chain(part) {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    format!("{state:016x}")
}
