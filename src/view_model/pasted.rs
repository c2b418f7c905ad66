//! Texts that people paste where an address is expected: an agent card, or a curl command.

use crate::a2a::headers::OWN;
use crate::wire::json::parse;

use crate::engine::browser::drops_header;

/// The name of a pasted card.
pub const CARD: &str = "the pasted card";

/// The card in the address field, if it begins like one; one sentence when it is not whole.
#[must_use]
pub fn card(typed: &str) -> Option<Result<Vec<u8>, String>> {
    let text = typed.trim();
    text.starts_with('{').then(|| match parse(text.as_bytes()).value {
        Some(value) if value.is_object() => Ok(text.as_bytes().to_vec()),
        _ => Err("this begins like an agent card, but it is not one JSON object; paste the whole card".to_owned()),
    })
}

/// The parts of a curl command that a run can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurlCommand {
    /// The address that it calls.
    pub address: String,
    /// Header lines, `Name: value` each.
    pub headers: Vec<String>,
    /// `user:password`; empty if it has none.
    pub basic: String,
    /// A note for the user on what was taken from it and what was left out.
    pub said: String,
}

/// Options whose value is neither an address nor a header.
const WITH_VALUE: [&str; 22] = [
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "--json",
    "-X",
    "--request",
    "-o",
    "--output",
    "-A",
    "--user-agent",
    "-e",
    "--referer",
    "-b",
    "--cookie",
    "-x",
    "--proxy",
    "-m",
    "--max-time",
    "--connect-timeout",
    "-w",
];

/// Reads a curl command; `None` for anything else, and for one that names no address.
#[must_use]
pub fn command(typed: &str) -> Option<CurlCommand> {
    let mut words = words(typed).into_iter();
    words.next().filter(|word| word == "curl" || word == "curl.exe")?;
    let (mut address, mut basic) = (String::new(), String::new());
    let (mut headers, mut taken, mut left) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        let long_enough = word.len() > 2 && !word.starts_with("--");
        // A short option may have its value behind it without a space.
        let (option, value) = match word.split_at_checked(2) {
            Some((option @ ("-H" | "-u"), value)) if long_enough => (option, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        let mut value = || value.clone().or_else(|| words.next()).unwrap_or_default();
        match option {
            "-H" | "--header" => sort(&value(), &mut headers, &mut taken, &mut left),
            "-u" | "--user" => {
                basic = value();
                taken.push("user and password".to_owned());
            }
            "--url" => address = value(),
            option if WITH_VALUE.contains(&option) => drop(value()),
            bare if address.is_empty() && !bare.starts_with('-') => bare.clone_into(&mut address),
            _ => {}
        }
    }
    let with = if taken.is_empty() { String::new() } else { format!(" and {}", taken.join(", ")) };
    let without = if left.is_empty() { String::new() } else { format!(" Left out: {}.", left.join(", ")) };
    let said = format!("Taken from the curl command: the address{with}.{without}");
    (!address.is_empty()).then_some(CurlCommand { address, headers, basic, said })
}

/// Takes a header of a command, or says why not.
fn sort(line: &str, headers: &mut Vec<String>, taken: &mut Vec<String>, left: &mut Vec<String>) {
    let (name, value) = line.split_once(':').map_or((line, ""), |(name, value)| (name.trim(), value.trim()));
    let lower = name.to_ascii_lowercase();
    if OWN.contains(&lower.as_str()) || matches!(lower.as_str(), "user-agent" | "accept-language") || value.is_empty() {
        // The checker sets these itself.
    } else if drops_header(name) {
        left.push(format!("{name}, which no page can send"));
    } else if value.contains('$') {
        left.push(format!("{name}, whose value is in a variable of your shell"));
    } else {
        headers.push(format!("{name}: {value}"));
        taken.push(name.to_owned());
    }
}

/// The words of a shell's command line. A field of one line has no line breaks any more, so that a backslash that continued
/// a line stands before a space.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), close) if open == close => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            // `$'...'` is a text with escapes.
            (None, '$') if letters.peek() == Some(&'\'') => {}
            (None, '\\') if letters.peek().is_none_or(|next| next.is_whitespace()) => {}
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(letters.next()),
            (None, space) if space.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_whole_or_refused() {
        assert_eq!(card("https://h"), None);
        assert_eq!(card(r#" {"name":"A"} "#), Some(Ok(br#"{"name":"A"}"#.to_vec())));
        for broken in ["{", r#"{"name":"#, "{curl}"] {
            assert!(card(broken).unwrap().unwrap_err().contains("agent card"), "{broken}");
        }
    }

    #[test]
    fn a_curl_command_gives_its_address_and_the_headers_that_a_page_can_send() {
        let got = |text: &str| command(text).map(|command| (command.address, command.headers, command.basic));
        let line = |text: &str| vec![text.to_owned()];
        for (text, address, headers, basic) in [
            ("curl https://h/a", "https://h/a", Vec::new(), ""),
            ("curl -s localhost:8080/a", "localhost:8080/a", Vec::new(), ""),
            ("curl -X POST 'http://h/rpc' -d '{\"url\":\"http://other\"}'", "http://h/rpc", Vec::new(), ""),
            (
                "curl 'http://h/rpc' \\   -H 'content-type: application/json' \\   -H \"X-Api-Key: a b\"",
                "http://h/rpc",
                line("X-Api-Key: a b"),
                "",
            ),
            ("curl -H 'Authorization: Bearer abcd' --url http://h", "http://h", line("Authorization: Bearer abcd"), ""),
            ("curl -HX-Key:abcd http://h", "http://h", line("X-Key: abcd"), ""),
            ("curl --user me:secret http://h", "http://h", Vec::new(), "me:secret"),
            ("curl http://h --data-raw $'{}' --compressed", "http://h", Vec::new(), ""),
        ] {
            assert_eq!(got(text), Some((address.to_owned(), headers, basic.to_owned())), "{text}");
        }
        for other in ["", "https://curl.example", "curling", "curl", "curl -X POST -d x", "wget http://h"] {
            assert_eq!(command(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_left_out_of_a_command_is_said_without_its_value() {
        let said = command("curl http://h -H 'Cookie: canary' -H \"Authorization: Bearer $canary\" -H 'X-Key: canary'");
        let command = said.unwrap();
        assert_eq!(command.headers, ["X-Key: canary"]);
        for words in ["the address and X-Key.", "Cookie, which no page can send", "Authorization, whose value"] {
            assert!(command.said.contains(words), "{}", command.said);
        }
        assert!(!command.said.contains("canary"), "{}", command.said);
    }
}
