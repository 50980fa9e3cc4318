use std::io::Write;

use lakelet_base::Timestamp;
use lakelet_store::Store;

use super::*;

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lakelet-file-storage-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn put(store: &mut Store, storage: &mut FileStorage, key: &str) {
    let mut transaction = store.begin();
    transaction.put(key, "value");
    store.commit(transaction, Timestamp::LESSON_START, storage).unwrap();
}

fn keys(store: &Store) -> Vec<String> {
    store.documents("").map(|(key, _)| key.to_owned()).collect()
}

#[test]
fn commits_are_there_when_the_folder_is_opened_again() {
    let folder = Folder::new("again");
    for (n_before, key) in ["a", "b", "c"].into_iter().enumerate() {
        let mut storage = FileStorage::open(&folder.0).unwrap();
        let (mut store, report) = Store::recover(&mut storage).unwrap();
        assert_eq!(report.n_records, n_before);
        put(&mut store, &mut storage, key);
    }
    let mut storage = FileStorage::open(&folder.0).unwrap();
    assert_eq!(keys(&Store::recover(&mut storage).unwrap().0), ["a", "b", "c"]);
}

#[test]
fn one_process_at_a_time_works_in_a_folder() {
    let folder = Folder::new("lock");
    let first = FileStorage::open(&folder.0).unwrap();
    let error = FileStorage::open(&folder.0).unwrap_err();
    assert_eq!(error.class.condition, "LAKELET_WORKSPACE_IN_USE");
    drop(first);
    assert!(FileStorage::open(&folder.0).is_ok());
}

#[test]
fn an_unfinished_commit_is_cut_off_and_the_next_follows_what_is_whole() {
    let folder = Folder::new("torn");
    let mut storage = FileStorage::open(&folder.0).unwrap();
    let mut store = Store::new();
    put(&mut store, &mut storage, "a");
    put(&mut store, &mut storage, "b");
    drop(storage);
    let path = folder.0.join("log.0");
    let whole = fs::read(&path).unwrap();
    for n_bytes in [0, 10, 40, 100, whole.len() - 1] {
        fs::write(&path, &whole[..n_bytes]).unwrap();
        let mut storage = FileStorage::open(&folder.0).unwrap();
        let (mut store, report) = Store::recover(&mut storage).unwrap();
        assert_eq!(report.n_torn_bytes, 0, "opening has cut it");
        assert_eq!(storage.n_torn_bytes() > 0, ![0, 32].contains(&n_bytes), "{n_bytes}");
        put(&mut store, &mut storage, "c");
        let recovered = Store::recover(&mut storage).unwrap().0;
        assert_eq!(keys(&recovered), keys(&store));
    }
}

#[test]
fn a_damaged_log_is_refused_and_left_alone() {
    let folder = Folder::new("damaged");
    let mut storage = FileStorage::open(&folder.0).unwrap();
    let mut store = Store::new();
    put(&mut store, &mut storage, "a");
    put(&mut store, &mut storage, "b");
    drop(storage);
    let path = folder.0.join("log.0");
    let mut bytes = fs::read(&path).unwrap();
    bytes[80] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let error = FileStorage::open(&folder.0).unwrap_err();
    assert_eq!(error.class.condition, "LAKELET_LOG_DAMAGED");
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn generations_of_a_browser_are_continued_in_the_newest() {
    let folder = Folder::new("generations");
    let mut storage = FileStorage::open(&folder.0).unwrap();
    let mut store = Store::new();
    put(&mut store, &mut storage, "a");
    drop(storage);
    let n_bytes = fs::metadata(folder.0.join("log.0")).unwrap().len();
    let mut second = File::create(folder.0.join("log.3")).unwrap();
    second.write_all(&encode_generation_header(3, &[Adopted { number: 0, n_bytes }])).unwrap();
    drop(second);
    let mut storage = FileStorage::open(&folder.0).unwrap();
    let (mut store, _) = Store::recover(&mut storage).unwrap();
    put(&mut store, &mut storage, "b");
    assert_eq!(fs::metadata(folder.0.join("log.0")).unwrap().len(), n_bytes);
    assert_eq!(keys(&Store::recover(&mut storage).unwrap().0), ["a", "b"]);
    let len = storage.read_all().unwrap().len();
    assert!(storage.truncate(1).is_err());
    storage.truncate(len - 1).unwrap();
    assert_eq!(keys(&Store::recover(&mut storage).unwrap().0), ["a"]);
}
