//! A static server that is as poor as a host can be.
//!
//! It sends no header that a page could lean on: no compression, no cache rules, no isolation, and a content type for
//! scripts only, without which browsers refuse module scripts. What works here works on any static host. A second
//! port serves the same folder with `Access-Control-Allow-Origin: *` and nothing else, as hosts do whose pages can be
//! embedded in a sandboxed frame.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::outcome::{Context, Outcome};
use crate::process::say;

/// Where `cargo xtask serve` listens unless told otherwise; the embed port is the next one.
pub const DEFAULT_PORT: u16 = 8080;
const REQUEST_BYTES_MAX: u64 = 64 * 1024;
const TIMEOUT: Duration = Duration::from_secs(30);

/// A running pair of servers; it ends with the process.
pub struct Server {
    /// The address without any header.
    pub plain: String,
    /// The address that allows other origins.
    pub open: String,
}

/// Says where the servers are and keeps them up until the process is ended, or until whoever started it closes its
/// standard input.
pub fn attend(server: &Server, until_input_ends: bool) -> Outcome {
    // Tests that start this program read these two lines.
    println!("Lakelet is at {}", server.plain);
    println!("for embeds (allows other origins): {}", server.open);
    if until_input_ends {
        io::copy(&mut io::stdin().lock(), &mut io::sink()).context("standard input")?;
        return Ok(());
    }
    say("end with Ctrl+C");
    loop {
        thread::park();
    }
}

/// Starts both servers in threads. Port 0 takes any two free ports.
pub fn start(folder: &Path, port: u16, sub_path: &str) -> Outcome<Server> {
    if !folder.join("index.html").is_file() {
        return Err(format!("{} has no index.html; `cargo xtask page` builds it", folder.display()));
    }
    let prefix = normalized_prefix(sub_path);
    let plain = listen(folder, port, &prefix, "")?;
    let open_port = if port == 0 { 0 } else { port + 1 };
    let open = listen(folder, open_port, &prefix, "Access-Control-Allow-Origin: *\r\n")?;
    Ok(Server { plain: format!("http://{plain}{prefix}"), open: format!("http://{open}{prefix}") })
}

/// `a/b` and `/a/b/` both become `/a/b/`; nothing becomes `/`.
fn normalized_prefix(sub_path: &str) -> String {
    let inner = sub_path.trim_matches('/');
    if inner.is_empty() { "/".to_owned() } else { format!("/{inner}/") }
}

struct Site {
    folder: PathBuf,
    prefix: String,
    header: &'static str,
}

fn listen(folder: &Path, port: u16, prefix: &str, header: &'static str) -> Outcome<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).context(format_args!("port {port}"))?;
    let address = listener.local_addr().context("the port")?;
    let site = Arc::new(Site { folder: folder.to_path_buf(), prefix: prefix.to_owned(), header });
    thread::spawn(move || {
        for connection in listener.incoming() {
            // A connection that could not be made concerns its client only.
            let Ok(connection) = connection else { continue };
            let site = Arc::clone(&site);
            thread::spawn(move || site.converse(connection));
        }
    });
    Ok(address)
}

impl Site {
    /// Answers the requests of one connection until the client leaves or goes wrong.
    fn converse(&self, connection: TcpStream) {
        let Ok(mut writer) = connection.try_clone() else { return };
        let limits = connection.set_read_timeout(Some(TIMEOUT)).and(connection.set_write_timeout(Some(TIMEOUT)));
        if limits.is_err() {
            return;
        }
        let mut reader = BufReader::new(connection);
        while let Ok(Some(request)) = read_request(&mut reader) {
            if self.answer(&request, &mut writer).is_err() {
                return;
            }
        }
    }

    fn answer(&self, request: &Request, writer: &mut impl Write) -> io::Result<()> {
        let head_only = request.method == "HEAD";
        if request.method != "GET" && !head_only {
            return self.status(writer, "405 Method Not Allowed", "");
        }
        let path = request.target.split(['?', '#']).next().unwrap_or_default();
        let Some(inner) = path.strip_prefix(&self.prefix) else {
            if format!("{path}/") == self.prefix {
                return self.status(writer, "301 Moved Permanently", &format!("Location: {}\r\n", self.prefix));
            }
            return self.status(writer, "404 Not Found", "");
        };
        let Some(file) = decode_path(inner).and_then(|path| locate(&self.folder, &path)) else {
            return self.status(writer, "404 Not Found", "");
        };
        let mut content = File::open(&file)?;
        let length = content.metadata()?.len();
        let content_type = if file.extension().is_some_and(|extension| extension == "js" || extension == "mjs") {
            "Content-Type: application/javascript\r\n"
        } else {
            ""
        };
        write!(writer, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n{content_type}{}\r\n", self.header)?;
        if !head_only {
            io::copy(&mut content, writer)?;
        }
        writer.flush()
    }

    fn status(&self, writer: &mut impl Write, status: &str, extra: &str) -> io::Result<()> {
        write!(writer, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n{extra}{}\r\n", self.header)?;
        writer.flush()
    }
}

struct Request {
    method: String,
    target: String,
}

/// Reads one request without a body; `None` where the client has left.
fn read_request(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut limited = reader.take(REQUEST_BYTES_MAX);
    let mut line = String::new();
    if limited.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut parts = line.split_whitespace().map(str::to_owned);
    let (Some(method), Some(target)) = (parts.next(), parts.next()) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    loop {
        let mut header = String::new();
        if limited.read_line(&mut header)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if header.trim().is_empty() {
            return Ok(Some(Request { method, target }));
        }
    }
}

/// Resolves `%41` escapes.
fn decode_path(path: &str) -> Option<String> {
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        if byte == b'%' {
            let digits = path.get(index + 1..index + 3)?;
            decoded.push(u8::from_str_radix(digits, 16).ok()?);
            index += 3;
        } else {
            decoded.push(byte);
            index += 1;
        }
    }
    String::from_utf8(decoded).ok()
}

/// The file behind a path: a folder means its `index.html`, and nothing outside `folder` can be named.
fn locate(folder: &Path, path: &str) -> Option<PathBuf> {
    let relative = Path::new(path);
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let file = folder.join(relative);
    let file = if file.is_dir() { file.join("index.html") } else { file };
    file.is_file().then_some(file)
}

#[cfg(test)]
mod tests;
