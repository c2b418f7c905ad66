//! A recorded request as a `curl` command, for POSIX shells and for PowerShell. A secret was masked when it was recorded; its
//! place takes the variable `SECRET`, which the user sets.

use crate::wire::exchange::Exchange;
use crate::wire::grpc::is_grpc;
use crate::wire::http::Method;
use crate::wire::mask::MASK;

/// The request as a command for a POSIX shell.
#[must_use]
pub fn bash(exchange: &Exchange) -> String {
    let request = &exchange.request;
    if is_grpc(&request.headers) {
        let body = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default());
        let (call, target) = (grpcurl(exchange, &quote, " \\\n "), grpc_target(&request.url));
        return format!("{call} \\\n  -d {} \\\n  {target}", quote(&body));
    }
    // Without it, curl keeps events back.
    let unbuffered = if is_stream(exchange) { " -N" } else { "" };
    let method = match request.method {
        Method::Get => String::new(),
        method => format!(" -X {}", method.as_str()),
    };
    let mut command = format!("curl -i{unbuffered}{method} {}", quote(&request.url));
    for (name, value) in request.headers.iter() {
        command.push_str(&format!(" \\\n  -H {}", quote(&format!("{name}: {value}"))));
    }
    if let Some(body) = request.body.as_deref().filter(|body| !body.is_empty()) {
        command.push_str(&format!(" \\\n  --data-binary {}", quote(&String::from_utf8_lossy(body))));
    }
    command
}

/// The beginning of a call of gRPC by grpcurl, which reads the message as JSON. The definitions are the specification's file.
fn grpcurl(exchange: &Exchange, quote: &dyn Fn(&str) -> String, between: &str) -> String {
    let plain = if exchange.request.url.starts_with("http://") { " -plaintext" } else { "" };
    let mut command = format!("grpcurl{plain} -proto a2a.proto");
    for (name, value) in exchange.request.headers.iter().filter(|(name, _)| *name != "content-type") {
        command.push_str(&format!("{between} -H {}", quote(&format!("{name}: {value}"))));
    }
    command
}

/// Host and port of a URL, and the method: `agent.example:443 lf.a2a.v1.A2AService/GetTask`.
fn grpc_target(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("https", url));
    let (host, method) = rest.split_once('/').unwrap_or((rest, ""));
    let has_port = host.rsplit(':').next().is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    let port = match (has_port, scheme) {
        (true, _) => "",
        (false, "http") => ":80",
        (false, _) => ":443",
    };
    format!("{host}{port} {method}")
}

fn is_stream(exchange: &Exchange) -> bool {
    exchange.response.as_ref().is_some_and(|response| response.is_event_stream() || !response.frames.is_empty())
}

fn quote(text: &str) -> String {
    // Leaves the single quotes where a variable stands, so that the shell reads it.
    format!("'{}'", text.replace('\'', r"'\''").replace(MASK, "'\"$SECRET\"'"))
}

/// The request as a command for PowerShell. curl reads its arguments from a text: PowerShell's versions do not agree on how a
/// quotation mark is passed to a program, and JSON is full of them.
#[must_use]
pub fn power_shell(exchange: &Exchange) -> String {
    let request = &exchange.request;
    if is_grpc(&request.headers) {
        let quote = |text: &str| format!("\"{}\"", text.replace(MASK, "${env:SECRET}"));
        let body = escaped(&String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()));
        return format!("@\"\n{body}\n\"@ | {} -d '@' {}", grpcurl(exchange, &quote, ""), grpc_target(&request.url));
    }
    let mut lines = vec![line("url", &request.url), line("request", request.method.as_str())];
    lines.extend(request.headers.iter().map(|(name, value)| line("header", &format!("{name}: {value}"))));
    if let Some(body) = request.body.as_deref().filter(|body| !body.is_empty()) {
        lines.push(line("data-binary", &String::from_utf8_lossy(body)));
    }
    let text = lines.join("\n");
    // Windows PowerShell sends ASCII to programs otherwise.
    let encoding = if text.is_ascii() { "" } else { "$OutputEncoding = [Text.UTF8Encoding]::new($false)\n" };
    let options = if is_stream(exchange) { "-i -N" } else { "-i" };
    format!("{encoding}@\"\n{text}\n\"@ | curl.exe {options} --config -")
}

/// A text within one in which PowerShell reads variables and escapes.
fn escaped(text: &str) -> String {
    text.replace('`', "``").replace('$', "`$").replace(MASK, "${env:SECRET}")
}

/// A line of curl's config file, within a text in which PowerShell reads variables and escapes.
fn line(name: &str, value: &str) -> String {
    let mut line = format!("{name} = \"");
    for c in value.replace(MASK, "\u{0}").chars() {
        match c {
            '\u{0}' => line.push_str("${env:SECRET}"),
            '"' | '\\' => line.extend(['\\', c]),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            '`' | '$' => line.extend(['`', c]),
            c => line.push(c),
        }
    }
    line.push('"');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::exchange::End;
    use crate::wire::http::Request;

    fn posting(body: &str, header: &str) -> Exchange {
        let mut request = Request::get("https://agent.example/a2a?x=$1");
        request.method = Method::Post;
        request.headers.push("authorization", header);
        request.body = Some(body.as_bytes().to_vec());
        Exchange {
            id: 1,
            lane: None,
            scenario: "s".into(),
            step: "send".into(),
            request,
            sent_ms: 0.0,
            response: None,
            end: End::Complete,
            end_ms: 1.0,
        }
    }

    #[test]
    fn a_call_of_grpc_is_made_by_grpcurl() {
        let mut exchange = posting(r#"{"id":"it's $5"}"#, &format!("Bearer {MASK}"));
        exchange.request.url = "http://127.0.0.1:50051/lf.a2a.v1.A2AService/GetTask".to_owned();
        exchange.request.headers.push("content-type", "application/grpc+proto");
        let command = bash(&exchange);
        assert!(
            command.starts_with("grpcurl -plaintext -proto a2a.proto \\\n  -H 'authorization: Bearer '"),
            "{command}"
        );
        assert!(
            command.ends_with(
                r#" \
  -d '{"id":"it'\''s $5"}' \
  127.0.0.1:50051 lf.a2a.v1.A2AService/GetTask"#
            ),
            "{command}"
        );
        let command = power_shell(&exchange);
        assert!(command.starts_with("@\"\n{\"id\":\"it's `$5\"}\n\"@ | grpcurl -plaintext"), "{command}");
        assert!(command.contains("${env:SECRET}") && !command.contains("content-type"), "{command}");
        exchange.request.url = "https://agent.example/lf.a2a.v1.A2AService/GetTask".to_owned();
        assert!(bash(&exchange).ends_with("agent.example:443 lf.a2a.v1.A2AService/GetTask"));
        assert!(!bash(&exchange).contains("-plaintext"));
    }

    /// The argument that curl gets: as PowerShell expands a here-string, and as curl reads a quoted value of its config.
    fn expanded(command: &str) -> Vec<String> {
        let inner = command.split_once("@\"\n").and_then(|(_, rest)| rest.rsplit_once("\n\"@ | curl.exe")).unwrap().0;
        assert!(!inner.contains("\n\"@"), "the here-string ends where it should");
        let mut text = String::new();
        let mut letters = inner.chars();
        while let Some(c) = letters.next() {
            match c {
                '`' => text.extend(letters.next()),
                '$' => {
                    let name: String = letters.by_ref().take_while(|c| *c != '}').collect();
                    assert_eq!(name, "{env:SECRET", "no other variable is read");
                    text.push_str("s3cret");
                }
                c => text.push(c),
            }
        }
        let value = |line: &str| {
            let quoted = line.split_once(" = \"").unwrap().1.strip_suffix('"').unwrap().to_owned();
            let mut letters = quoted.chars();
            let mut value = String::new();
            while let Some(c) = letters.next() {
                match (c == '\\').then(|| letters.next().unwrap()) {
                    Some('n') => value.push('\n'),
                    Some('r') => value.push('\r'),
                    Some('t') => value.push('\t'),
                    Some(c) => value.push(c),
                    None => value.push(c),
                }
            }
            value
        };
        text.lines().map(value).collect()
    }

    #[test]
    fn power_shell_passes_on_what_was_sent_whatever_is_in_it() {
        for body in [
            r#"{"text":"it's $HOME and `whoami` and $(calc) \"quoted\" \\ back"}"#,
            "line\n\"@ | calc.exe\n@\"\r\n\ttab",
            "\u{2018}smart\u{2019} \u{201c}quotes\u{201d} \u{fc}",
        ] {
            let command = power_shell(&posting(body, "Bearer x"));
            let given = expanded(&command);
            assert_eq!(given, ["https://agent.example/a2a?x=$1", "POST", "authorization: Bearer x", body]);
            assert_eq!(command.starts_with("$OutputEncoding"), !body.is_ascii());
        }
    }

    #[test]
    fn a_secret_becomes_a_variable_in_either_shell() {
        let exchange = posting("{}", &format!("Bearer {MASK}"));
        assert!(bash(&exchange).contains("'authorization: Bearer '\"$SECRET\"''"));
        assert_eq!(expanded(&power_shell(&exchange))[2], "authorization: Bearer s3cret");
    }
}
