use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;

use super::{Server, decode_path, locate, normalized_prefix, start};

fn site(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("lakelet-serve-{name}-{}", std::process::id()));
    fs::create_dir_all(folder.join("sub")).unwrap();
    fs::write(folder.join("index.html"), "page").unwrap();
    fs::write(folder.join("start.js"), "script").unwrap();
    fs::write(folder.join("sub/data one.txt"), "data").unwrap();
    folder
}

fn get(address: &str, path: &str) -> String {
    let host = address.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let mut connection = TcpStream::connect(host).unwrap();
    write!(connection, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    connection.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn plain_port_sends_only_what_http_and_module_scripts_need() {
    let folder = site("plain");
    let Server { plain, open } = start(&folder, 0, "").unwrap();
    assert_eq!(get(&plain, "/"), "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage");
    assert_eq!(
        get(&plain, "/start.js?v=1"),
        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Type: application/javascript\r\n\r\nscript"
    );
    assert_eq!(
        get(&open, "/sub/data%20one.txt"),
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nAccess-Control-Allow-Origin: *\r\n\r\ndata"
    );
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn sub_path_is_the_only_place_that_answers() {
    let folder = site("sub-path");
    let Server { plain, .. } = start(&folder, 0, "team/lakelet").unwrap();
    assert!(plain.ends_with("/team/lakelet/"), "{plain}");
    assert!(get(&plain, "/team/lakelet/").ends_with("page"));
    assert!(get(&plain, "/team/lakelet").contains("Location: /team/lakelet/"));
    assert!(get(&plain, "/").starts_with("HTTP/1.1 404"));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn nothing_outside_the_folder_can_be_named() {
    let folder = site("outside");
    for path in ["../secret", "/etc/passwd", "sub/../../secret", "missing.txt", "sub"] {
        assert_eq!(locate(&folder, path), None, "{path}");
    }
    assert!(locate(&folder, "").is_some());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn escapes_that_are_cut_short_are_refused() {
    assert_eq!(decode_path("a%20b").as_deref(), Some("a b"));
    for path in ["%", "%2", "%zz", "%ff"] {
        assert_eq!(decode_path(path), None, "{path}");
    }
}

#[test]
fn sub_path_may_be_written_with_or_without_slashes() {
    for (given, prefix) in [("", "/"), ("/", "/"), ("a/b", "/a/b/"), ("/a/b/", "/a/b/")] {
        assert_eq!(normalized_prefix(given), prefix);
    }
}

#[test]
fn folder_without_a_page_is_refused() {
    assert!(start(&std::env::temp_dir().join("lakelet-no-such-folder"), 0, "").is_err());
}
