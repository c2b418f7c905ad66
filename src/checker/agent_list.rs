//! Reads a list of agents as somebody pastes or opens it, an address on each line or an AI Catalog, and says of what cannot be used
//! why. Of a catalogue, the entries of the type of A2A's cards name agents. What cannot be used is told with its line or entry, and
//! the rest is used.

use crate::engine::discover::normalise;
use crate::report::text::{one_line, plain_address};
use crate::view_model::format::capitalised;
use crate::view_model::several_agents::{AgentList, MOST};
use crate::wire::json::{Value, parse};

/// The types of entries that name an agent: the catalogue's own of A2A cards, and names that drafts of it had.
const OF_AGENTS: [&str; 4] = [
    "application/a2a-agent-card+json",
    "application/a2a+json",
    "application/vnd.a2a.agent-card+json",
    "application/agent-card+json",
];
/// The type of a catalogue within a catalogue.
const OF_CATALOGUES: &str = "application/ai-catalog+json";
const NEITHER: &str = "has neither url nor data.";
/// How deep catalogues may stand in each other.
const DEEPEST: usize = 4;
/// How many sentences are shown: a picture that is opened as text causes a thousand.
const MOST_TOLD: usize = 20;

/// Reads a list, or an AI Catalog that came from `base`; empty for one that came as a file or was pasted.
#[must_use]
pub fn read_list(text: &str, base: &str) -> AgentList {
    let mut list = List::default();
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with(['{', '[']) {
        list.read_json(text, base);
    } else {
        list.read_lines(text);
    }
    list.finish()
}

/// The URL of a catalogue, from an address as it is typed: the address itself if it names a file, else the well-known place. The error is one
/// sentence on what is wrong with the address.
pub fn catalogue_url(typed: &str) -> Result<String, String> {
    const PLACE: &str = "/.well-known/ai-catalog.json";
    let address = normalise(typed).map_err(|problem| problem.to_string())?;
    Ok(if address.names_card() { address.url() } else { address.parsed().origin() + PLACE })
}

#[derive(Default)]
struct List {
    agents: Vec<String>,
    /// In their normal forms, each with the place where it was first.
    seen: Vec<(String, String)>,
    told: Vec<String>,
}

impl List {
    fn read_lines(&mut self, text: &str) {
        for (number, line) in text.lines().enumerate() {
            // A remark ends a line; in an address the sign stands behind something.
            let line = if line.trim_start().starts_with('#') { "" } else { line };
            let line = line.split(" #").next().unwrap_or_default();
            for piece in line.split([',', ';', '\t']).map(str::trim).filter(|piece| !piece.is_empty()) {
                self.add(piece, format!("line {}", number + 1));
            }
        }
    }

    fn add(&mut self, address: &str, place: String) {
        let normal = match normalise(address) {
            Ok(normal) => normal.url(),
            Err(problem) => {
                let shown = one_line(&plain_address(address), 60);
                return self.note_at(&place, &format!("\u{201c}{shown}\u{201d} cannot be used: {problem}."));
            }
        };
        let same = normal.trim_end_matches('/').to_owned();
        if let Some((_, first)) = self.seen.iter().find(|(known, _)| *known == same) {
            let said = format!("{} is the same agent as on {first} and is checked once.", plain_address(address));
            return self.note_at(&place, &said);
        }
        if self.agents.len() >= MOST {
            return self.note_at(&place, &format!("left out, because at most {MOST} agents are checked at once."));
        }
        self.seen.push((same, place));
        self.agents.push(address.to_owned());
    }

    fn read_json(&mut self, text: &str, base: &str) {
        let Some(value) = parse(text.as_bytes()).value else {
            return self
                .note("This begins like JSON and is incomplete. Expected an AI Catalog, or one address on each line.");
        };
        match &value {
            Value::Array(list) if list.iter().all(Value::is_string) => {
                for (index, address) in list.iter().filter_map(Value::as_str).enumerate() {
                    self.add(address, format!("entry {}", index + 1));
                }
            }
            _ => self.read_catalogue(&value, base, "", 0),
        }
        if self.agents.is_empty() && self.told.is_empty() {
            self.note("The catalogue has no entries.");
        }
    }

    fn read_catalogue(&mut self, catalogue: &Value, base: &str, within: &str, depth: usize) {
        let Some(entries) = catalogue.get("entries").and_then(Value::as_array) else {
            let card = catalogue.get("skills").is_some() && catalogue.get("name").is_some();
            return match (within.is_empty(), card) {
                (true, true) => self.note(
                    "This is the card of one agent. To judge it, open it on the start page; here an AI Catalog is expected.",
                ),
                (true, false) => {
                    self.note("This is JSON, but not an AI Catalog: it has no member entries that is an array.");
                }
                (false, _) => self.note_at(within, "not an AI Catalog: it has no member entries that is an array."),
            };
        };
        let version = catalogue.get("specVersion").and_then(Value::as_str);
        if version.is_some_and(|version| !version.starts_with("1.") && version != "1") {
            let version = one_line(version.unwrap_or_default(), 20);
            self.note(&format!(
                "The catalogue has specVersion {version}; it is read as 1.0, the version that is known here."
            ));
        }
        for (index, entry) in entries.iter().enumerate() {
            let entry_name = format!("entry {}", index + 1);
            let place = if within.is_empty() { entry_name } else { format!("{within}, {entry_name}") };
            self.read_entry(entry, base, &place, depth);
        }
    }

    fn read_entry(&mut self, entry: &Value, base: &str, place: &str, depth: usize) {
        let text = |names: [&str; 2]| names.into_iter().find_map(|name| entry.get(name).and_then(Value::as_str));
        let name =
            text(["displayName", "identifier"]).map(|name| format!(" ({})", one_line(name, 60))).unwrap_or_default();
        let place = format!("{place}{name}");
        let Some(of_type) = text(["type", "mediaType"]) else {
            return self.note_at(&place, "has no type, so nothing says that it is an A2A agent.");
        };
        let of_type = of_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let embedded = entry.get("data").or_else(|| entry.get("inline"));
        if of_type == OF_CATALOGUES {
            return match (embedded, text(["url", "href"])) {
                (Some(catalogue), _) if depth < DEEPEST => self.read_catalogue(catalogue, base, &place, depth + 1),
                (Some(_), _) => self.note_at(&place, "catalogues are nested too deeply."),
                (None, Some(url)) => {
                    let url = plain_address(&absolute(url, base).unwrap_or_else(|| url.to_owned()));
                    let url = one_line(&url, 200);
                    self.note_at(&place, &format!("is a catalogue of its own; to use it, read {url}."));
                }
                (None, None) => self.note_at(&place, NEITHER),
            };
        }
        if !OF_AGENTS.contains(&of_type.as_str()) {
            let of_type = one_line(&of_type, 60);
            return self.note_at(&place, &format!("is of type {of_type}, which is not an A2A agent card."));
        }
        if let Some(url) = text(["url", "href"]) {
            return match absolute(url, base) {
                Some(url) => self.add(&url, place),
                None => {
                    let url = one_line(url, 60);
                    let what = "is relative, and nothing says to what. Read the catalogue by its address.";
                    self.note_at(&place, &format!("its url {url} {what}"));
                }
            };
        }
        match embedded.and_then(address_in_card) {
            Some(url) => self.add(url, place),
            None if embedded.is_some() => self.note_at(&place, "the card in it has no interface with a URL."),
            None => self.note_at(&place, NEITHER),
        }
    }

    fn note(&mut self, sentence: &str) {
        self.told.push(sentence.to_owned());
    }

    fn note_at(&mut self, place: &str, what: &str) {
        self.note(&format!("{}: {what}", capitalised(place)));
    }

    fn finish(mut self) -> AgentList {
        let more = self.told.len().saturating_sub(MOST_TOLD);
        if more > 0 {
            self.told.truncate(MOST_TOLD);
            self.told.push(format!("And {more} more like these."));
        }
        AgentList { agents: self.agents, told: self.told }
    }
}

/// The address of the agent of an embedded card: its own card is read there, as a client would read it.
fn address_in_card(card: &Value) -> Option<&str> {
    let first = card.get("supportedInterfaces").and_then(|list| list.get(0)).and_then(|first| first.get("url"));
    first.or_else(|| card.get("url")).and_then(Value::as_str)
}

/// An absolute URL for one that may be relative to the catalogue's.
fn absolute(url: &str, base: &str) -> Option<String> {
    if url.contains("://") {
        return Some(url.to_owned());
    }
    let host = base.find("://")? + 3;
    let origin_end = base.get(host..).and_then(|rest| rest.find('/')).map_or(base.len(), |end| host + end);
    let origin = base.get(..origin_end)?;
    if url.starts_with('/') {
        return Some(format!("{origin}{url}"));
    }
    let folder = base.split('?').next()?.rsplit_once('/').map(|(folder, _)| folder);
    let folder = folder.filter(|folder| folder.len() >= origin.len());
    Some(format!("{}/{url}", folder.unwrap_or(origin)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_an_address_on_each_line_or_commas_between_them() {
        let read = read_list(
            "# the workshop\nhttps://a.example\n\n b.example , localhost:9999/x # Eve's\r\nhttps://c.example;",
            "",
        );
        assert_eq!(read.agents, ["https://a.example", "b.example", "localhost:9999/x", "https://c.example"]);
        assert_eq!(read.told, Vec::<String>::new());
    }

    #[test]
    fn duplicates_and_lines_that_cannot_be_used_are_told_by_line_and_the_rest_is_used() {
        let read =
            read_list("https://a.example\nftp://b\nhttps://A.example/\nhttps://me:canary@c.example\nd.example", "");
        assert_eq!(read.agents, ["https://a.example", "d.example"]);
        assert_eq!(read.told.len(), 3, "{:?}", read.told);
        assert!(read.told[0].starts_with("Line 2: \u{201c}ftp://b\u{201d} cannot be used: "), "{}", read.told[0]);
        assert_eq!(read.told[1], "Line 3: https://A.example/ is the same agent as on line 1 and is checked once.");
        assert!(read.told[2].starts_with("Line 4") && !read.told[2].contains("canary"), "{}", read.told[2]);
    }

    #[test]
    fn a_list_is_bounded_and_so_is_what_is_told_of_it() {
        let text: String = (0..150).map(|number| format!("https://h{number}.example\n")).collect();
        let read = read_list(&text, "");
        assert_eq!((read.agents.len(), read.told.len()), (MOST, MOST_TOLD + 1));
        assert_eq!(read.told.last().map(String::as_str), Some("And 30 more like these."));
    }

    const CATALOGUE: &str = r#"{"specVersion": "1.0", "host": {"displayName": "H"}, "entries": [
        {"identifier": "urn:air:h:a2a:one", "type": "application/a2a-agent-card+json", "url": "https://one.example/card.json"},
        {"identifier": "two", "mediaType": "application/a2a-agent-card+json; charset=utf-8", "url": "/two/card.json"},
        {"displayName": "Weather", "type": "application/mcp-server-card+json", "url": "https://mcp.example"},
        {"identifier": "three", "type": "application/a2a-agent-card+json",
            "data": {"name": "Three", "supportedInterfaces": [{"url": "https://three.example/a2a"}]}},
        {"identifier": "nested", "type": "application/ai-catalog+json", "data": {"entries": [
            {"identifier": "four", "type": "application/a2a-agent-card+json", "url": "https://four.example"}]}},
        {"identifier": "far", "type": "application/ai-catalog+json", "url": "more/ai-catalog.json"},
        {"identifier": "five", "type": "application/a2a-agent-card+json"},
        7]}"#;

    #[test]
    fn the_agents_of_a_catalogue_are_used_and_every_other_entry_is_told() {
        let read = read_list(CATALOGUE, "https://h.example/.well-known/ai-catalog.json");
        assert_eq!(
            read.agents,
            [
                "https://one.example/card.json",
                "https://h.example/two/card.json",
                "https://three.example/a2a",
                "https://four.example"
            ]
        );
        let told = read.told.join("\n");
        assert_eq!(
            told,
            "Entry 3 (Weather): is of type application/mcp-server-card+json, which is not an A2A agent card.\n\
             Entry 6 (far): is a catalogue of its own; to use it, read \
             https://h.example/.well-known/more/ai-catalog.json.\n\
             Entry 7 (five): has neither url nor data.\n\
             Entry 8: has no type, so nothing says that it is an A2A agent."
        );
        // As a file, nothing says where it came from.
        let told = read_list(CATALOGUE, "").told.join("\n");
        assert!(told.contains("Entry 2 (two): its url /two/card.json is relative"), "{told}");
    }

    #[test]
    fn what_is_no_list_says_what_was_expected() {
        for (text, said) in [
            ("{\"entries\"", "incomplete"),
            ("{\"log\": {}}", "not an AI Catalog"),
            ("{\"name\": \"A\", \"skills\": []}", "card of one agent"),
            ("{\"entries\": []}", "no entries"),
            ("{\"entries\": {}}", "not an AI Catalog"),
        ] {
            let read = read_list(text, "");
            assert!(
                read.agents.is_empty() && read.told.len() == 1 && read.told[0].contains(said),
                "{text}: {:?}",
                read.told
            );
        }
        assert_eq!(read_list("[\"https://a.example\", \"b.example\"]", "").agents.len(), 2);
        let deep = (0..9).fold(CATALOGUE.to_owned(), |inner, _| {
            format!("{{\"entries\": [{{\"type\": \"application/ai-catalog+json\", \"data\": {inner}}}]}}")
        });
        assert!(read_list(&deep, "").told[0].contains("too deep"));
    }

    #[test]
    fn a_catalogue_is_looked_for_at_its_own_address_or_the_well_known_place() {
        for (typed, url) in [
            ("h.example", "https://h.example/.well-known/ai-catalog.json"),
            ("https://h.example/team/", "https://h.example/.well-known/ai-catalog.json"),
            ("https://h.example/team/catalog.json", "https://h.example/team/catalog.json"),
            ("localhost:8080", "http://localhost:8080/.well-known/ai-catalog.json"),
        ] {
            assert_eq!(catalogue_url(typed).as_deref(), Ok(url));
        }
        assert!(catalogue_url("ftp://h").is_err());
    }
}
