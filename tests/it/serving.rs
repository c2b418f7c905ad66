//! The page as `serve` hands it out: compressed where the browser takes it, kept where it never changes.

use std::fs;

use crate::cli::{Folder, Served, talk};

/// The head and the body of an answer to a GET that accepts these encodings.
fn get(url: &str, path: &str, accepts: &str) -> (String, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: h\r\nAccept-Encoding: {accepts}\r\nConnection: close\r\n\r\n");
    let answer = talk(url, &request, "\0");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_lowercase(), body.to_owned())
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))
}

/// A page whose compressed files can be told from the others.
fn page(folder: &Folder) -> Served {
    for (name, kind) in [("index.html", "start"), ("app-0123456789abcdef_bg.wasm", "module"), ("offline.js", "worker")]
    {
        for (end, how) in [("", "plain"), (".br", "brotli"), (".gz", "gzip")] {
            fs::write(folder.0.join(format!("{name}{end}")), format!("{how} {kind}")).unwrap();
        }
    }
    fs::write(folder.0.join("mark-0123456789abcdef.svg"), "plain mark").unwrap();
    let folder = folder.0.to_str().unwrap();
    Served::start(&["serve", "--page", folder, "--listen", "127.0.0.1:0", "--agent", "127.0.0.1:0"], "open ")
}

#[test]
fn a_browser_gets_each_file_compressed_as_it_likes_best() {
    let folder = Folder::new("compressed");
    let served = page(&folder);
    let origin = served.url("page at ");
    for (path, kind, media) in [
        ("/", "start", "text/html"),
        ("/index.html", "start", "text/html"),
        ("/app-0123456789abcdef_bg.wasm", "module", "application/wasm"),
        ("/offline.js", "worker", "text/javascript"),
    ] {
        for (accepts, how, encoding) in [
            ("gzip, deflate, br, zstd", "brotli", Some("br")),
            ("gzip", "gzip", Some("gzip")),
            ("br;q=0, gzip;q=0.5", "gzip", Some("gzip")),
            ("identity", "plain", None),
        ] {
            let (head, body) = get(origin, path, accepts);
            assert!(head.starts_with("http/1.1 200 "), "{path} {accepts}: {head}");
            assert_eq!(body, format!("{how} {kind}"), "{path} {accepts}");
            assert_eq!(header(&head, "content-encoding"), encoding, "{path} {accepts}");
            assert_eq!(header(&head, "content-type"), Some(media), "{path} {accepts}");
            assert_eq!(header(&head, "vary"), Some("accept-encoding"), "{path} {accepts}");
        }
    }
    let (head, body) = get(origin, "/mark-0123456789abcdef.svg", "br, gzip");
    assert_eq!((header(&head, "content-encoding"), body.as_str()), (None, "plain mark"));
}

#[test]
fn only_what_never_changes_is_kept_without_asking() {
    let folder = Folder::new("kept");
    let served = page(&folder);
    let origin = served.url("page at ");
    let forever = "public, max-age=31536000, immutable";
    for (path, status, caching) in [
        ("/", 200, "no-cache"),
        ("/index.html", 200, "no-cache"),
        ("/offline.js", 200, "no-cache"),
        ("/app-0123456789abcdef_bg.wasm", 200, forever),
        ("/mark-0123456789abcdef.svg", 200, forever),
        // Of another build: it may be there tomorrow.
        ("/app-fedcba9876543210_bg.wasm", 404, "no-cache"),
    ] {
        let (head, _) = get(origin, path, "br");
        assert!(head.starts_with(&format!("http/1.1 {status} ")), "{path}: {head}");
        assert_eq!(header(&head, "cache-control"), Some(caching), "{path}");
        assert_eq!(header(&head, "x-content-type-options"), Some("nosniff"), "{path}");
        let policy = (caching == "no-cache").then_some("frame-ancestors 'none'");
        assert_eq!(header(&head, "content-security-policy"), policy, "{path}");
    }
    // A start page that has not changed is not sent again.
    let (head, _) = get(origin, "/", "br");
    let tag = header(&head, "etag").unwrap();
    let again = format!(
        "GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: br\r\nIf-None-Match: {tag}\r\nConnection: close\r\n\r\n"
    );
    let answer = talk(origin, &again, "\0").to_lowercase();
    assert!(answer.starts_with("http/1.1 304 ") && answer.contains("cache-control: no-cache\r\n"), "{answer}");
}

#[test]
fn what_the_agent_answers_is_never_compressed() {
    let folder = Folder::new("agent-beside");
    let served = page(&folder);
    let agent = served.url("scripted agent listening at ");
    let (head, body) = get(agent, "/.well-known/agent-card.json", "br, gzip");
    assert!(head.starts_with("http/1.1 200 ") && body.contains("supportedInterfaces"), "{head}");
    assert_eq!(header(&head, "content-encoding"), None, "{head}");

    let call = r#"{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}}"#;
    let request = format!(
        "POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\nAccept-Encoding: br, gzip\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{call}",
        call.len()
    );
    let answer = talk(agent, &request, "\0");
    assert!(answer.contains("text/event-stream") && answer.contains("\ndata: {"), "{answer}");
    assert!(!answer.to_lowercase().contains("content-encoding"), "{answer}");
}
