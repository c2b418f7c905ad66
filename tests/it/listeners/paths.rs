//! Ways out of the folder that `serve` hands out: in the path, in every encoding, and by symbolic links.

use std::fs;

use super::{Attack, PATIENCE, page, said};
use crate::cli::Folder;

/// What stands in the file beside the folder.
const SECRET: &str = "canary-beside-the-folder";

fn get(url: &str, path: &str) -> String {
    said(url, format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").as_bytes(), PATIENCE)
}

#[test]
fn no_path_leads_out_of_the_folder_however_it_is_encoded() {
    let beside = Folder::new("traversal");
    fs::write(beside.0.join("secret.txt"), SECRET).unwrap();
    let inside = Folder(beside.0.join("page"));
    fs::create_dir_all(inside.0.join("sub")).unwrap();
    let served = page(&inside);
    let mut attack = Attack::new("ways out of the folder, in the path");
    let ups = [
        "..",
        "%2e%2e",
        "%2E.",
        ".%2e",
        "%252e%252e",
        "..%00",
        "%c0%ae%c0%ae",
        "%e0%80%ae%e0%80%ae",
        "%uff0e%uff0e",
        "....",
        "..;",
        "..%20",
        "%u002e%u002e",
    ];
    let slashes =
        ["/", "%2f", "%2F", "\\", "%5c", "%255c", "%252f", "//", "/./", "%c0%af", "%e0%80%af", "%bg%qf", "/%00/"];
    let absolute = beside.0.join("secret.txt");
    let absolute = absolute.to_str().unwrap();
    let mut paths = vec![
        absolute.to_owned(),
        format!("/{absolute}"),
        format!("//{}", absolute.replace('/', "%2f")),
        format!("/file://{absolute}"),
        "/secret.txt".to_owned(),
        "/index.html/../../secret.txt".to_owned(),
        "/sub/%00../../secret.txt".to_owned(),
        "/..".to_owned(),
        "/C:/secret.txt".to_owned(),
        "/C:%5csecret.txt".to_owned(),
    ];
    for up in ups {
        for slash in slashes {
            paths.push(format!("/{up}{slash}secret.txt"));
            paths.push(format!("/sub{slash}{up}{slash}{up}{slash}secret.txt"));
        }
    }
    let agent = served.url("scripted agent listening at ");
    for (name, url) in [("page", served.url("page at ")), ("agent", agent)] {
        for path in &paths {
            attack.attempt(|| {
                let answer = get(url, path);
                assert!(answer.starts_with("HTTP/1.1 "), "{name} {path}: {answer}");
                assert!(!answer.contains(SECRET) && !answer.contains("root:"), "{name} {path}: {answer}");
            });
        }
    }
    assert!(get(served.url("page at "), "/sub/../index.html").starts_with("HTTP/1.1 404 "));
    attack.end(None);
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_of_the_folder_are_not_followed_and_those_inside_are() {
    use std::os::unix::fs::symlink;

    let beside = Folder::new("links");
    fs::write(beside.0.join("secret.txt"), SECRET).unwrap();
    fs::create_dir_all(beside.0.join("far")).unwrap();
    fs::write(beside.0.join("far/index.html"), SECRET).unwrap();
    let inside = Folder(beside.0.join("page"));
    fs::create_dir_all(inside.0.join("sub")).unwrap();
    fs::write(inside.0.join("sub/file.txt"), "inside").unwrap();
    fs::write(inside.0.join("plain.txt"), "plain").unwrap();
    symlink("../secret.txt", inside.0.join("out.txt")).unwrap();
    symlink(beside.0.join("secret.txt"), inside.0.join("absolute.txt")).unwrap();
    symlink("out.txt", inside.0.join("twice.txt")).unwrap();
    symlink("../far", inside.0.join("far")).unwrap();
    symlink("../secret.txt", inside.0.join("plain.txt.br")).unwrap();
    symlink("sub/file.txt", inside.0.join("in.txt")).unwrap();
    symlink("sub", inside.0.join("near")).unwrap();
    symlink("loop", inside.0.join("loop")).unwrap();
    let served = page(&inside);
    let url = served.url("page at ");
    let mut attack = Attack::new("ways out of the folder, by links");
    for path in
        ["/out.txt", "/absolute.txt", "/twice.txt", "/far/", "/far", "/far/index.html", "/%6fut.txt", "/plain.txt"]
    {
        attack.attempt(|| {
            let answer = get(url, path);
            assert!(answer.starts_with("HTTP/1.1 403 "), "{path}: {answer}");
            assert!(
                answer.contains("link that leads out of the folder") && !answer.contains(SECRET),
                "{path}: {answer}"
            );
        });
    }
    for path in ["/in.txt", "/near/file.txt", "/sub/file.txt"] {
        attack.attempt(|| {
            let answer = get(url, path);
            assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("inside"), "{path}: {answer}");
        });
    }
    attack.attempt(|| assert!(!get(url, "/loop").starts_with("HTTP/1.1 200 ")));
    attack.end(None);
}
