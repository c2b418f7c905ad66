//! The agent's card as a page: what it declares, its skills, security and signatures, the extended card, findings at their lines,
//! and how much of each is shown.

use crate::view_model::binary_encoding::binary_encoding;
use serde_json::Value;

use super::format;
use super::rows::RowStatus;
use super::security;
use super::traffic::operation;
use super::wire::{TextLine, text_line};
use crate::a2a::dialect::DIALECTS;
use crate::a2a::model::Operation;
use crate::engine::verdict::Outcome;
use crate::report::{CheckedRow, Report};
use crate::wire::exchange::Exchange;
use crate::wire::json::{self, ChangeKind, clip};

const SHOWN_LINES: usize = 2_000;
const SHOWN_DIFFERENCES: usize = 50;
const SHOWN_SKILLS: usize = 200;
/// How long a text of the card may be, in characters.
const LONGEST_TEXT: usize = 2_000;

/// An agent's card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardView {
    /// The agent's name.
    pub name: String,
    /// The URL that the card came from.
    pub url: String,
    /// The agent's description of itself.
    pub description: String,
    /// The card's declarations, by topic.
    pub sections: Vec<CardSection>,
    /// The skills.
    pub skills: Vec<CardSkill>,
    /// The conclusions of the checks of signatures.
    pub verification: Vec<Judgement>,
    /// The differences of the extended card; `None` where it was not fetched.
    pub extended: Option<Vec<String>>,
    /// The findings about the card.
    pub findings: Vec<CardFinding>,
    /// The card itself.
    pub lines: Vec<TextLine>,
    /// A note on what was left out of it, if anything was.
    pub cut: Option<String>,
}

binary_encoding! { struct CardView { name, url, description, sections, skills, verification, extended, findings, lines, cut } }

/// A card's declarations on one topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardSection {
    /// `about`, `capabilities`, `interfaces`, `security`, `signatures`.
    pub id: String,
    /// The topic.
    pub title: String,
    /// Names and values; a topic that the card says nothing of has none, and `nothing` says so.
    pub facts: Vec<(String, String)>,
    /// The text where there are no facts.
    pub nothing: String,
}

binary_encoding! { struct CardSection { id, title, facts, nothing } }

/// A skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardSkill {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its tags and modes, with their names.
    pub facts: Vec<(String, String)>,
    /// Its examples of messages.
    pub examples: Vec<String>,
}

binary_encoding! { struct CardSkill { id, name, description, facts, examples } }

/// A check's conclusion about the card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The row's key.
    pub key: String,
    /// The kind's id, for its shape.
    pub kind: String,
    /// The title of the check.
    pub title: String,
    /// The word for the result, and why.
    pub result: String,
}

binary_encoding! { struct Judgement { key, kind, title, result } }

/// Something that was found about the card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardFinding {
    /// The check, and what was found.
    pub judgement: Judgement,
    /// The line that it is about, from 0; `None` where it is about none.
    pub line: Option<usize>,
}

binary_encoding! { struct CardFinding { judgement, line } }

impl CardView {
    /// The card of a report, whose rows are titled so; `None` as long as none was read.
    #[must_use]
    pub fn from_report(report: &Report, title: &dyn Fn(&CheckedRow) -> String) -> Option<Self> {
        let url = report.agent.as_ref().map(|agent| agent.card_url.clone()).unwrap_or_default();
        let (exchange, card) = card_of(report, &url)?;
        let judgement = |row: &CheckedRow| {
            let status = RowStatus::Judged(row.outcome, row.level);
            Judgement {
                key: row.key(),
                kind: status.kind().id().to_owned(),
                title: title(row),
                result: match row.message.is_empty() {
                    true => status.word().to_owned(),
                    false => format!("{}: {}", status.word(), row.message),
                },
            }
        };
        let all = json::tokens(&card);
        let place = |row: &CheckedRow| line_of(row.pointer.as_deref()?, &all).filter(|line| *line < SHOWN_LINES);
        let about = |row: &&CheckedRow| row.outcome == Outcome::Fail && row.exchanges.contains(&exchange.id);
        let musts = report.results.iter().filter(about).filter(|row| row.is_breach());
        let advice = report.results.iter().filter(about).filter(|row| !row.is_breach());
        let finding = |row: &CheckedRow| CardFinding { judgement: judgement(row), line: place(row) };
        let findings: Vec<CardFinding> = musts.chain(advice).map(finding).collect();
        let line = |(at, line): (usize, &json::Line)| {
            text_line(line, findings.iter().any(|finding| finding.line == Some(at)), LONGEST_TEXT)
        };
        let lines = all.iter().take(SHOWN_LINES).enumerate().map(line).collect();
        let signed = |row: &&CheckedRow| row.check.starts_with("card.signature");
        Some(Self {
            name: text(&card, "name").unwrap_or_else(|| "An agent without a name".to_owned()),
            url,
            description: text(&card, "description").unwrap_or_default(),
            sections: sections(&card),
            skills: items(&card, "skills").iter().take(SHOWN_SKILLS).map(skill).collect(),
            verification: report.results.iter().filter(signed).map(judgement).collect(),
            extended: extended(report).map(|extended| differences(&card, &extended)),
            findings,
            lines,
            cut: (all.len() > SHOWN_LINES).then(|| format!("Cut: {SHOWN_LINES} of {} lines are shown.", all.len())),
        })
    }
}

/// The card, and the exchange that brought it.
fn card_of<'a>(report: &'a Report, url: &str) -> Option<(&'a Exchange, Value)> {
    let read = |exchange: &'a Exchange| {
        let response = exchange.response.as_ref().filter(|_| exchange.lane.is_none())?;
        let card = json::read(&response.body).filter(|_| response.status == 200)?;
        let members = ["name", "skills", "capabilities", "supportedInterfaces", "url"];
        let has = members.into_iter().filter(|member| card.get(*member).is_some()).count();
        (has > 1).then_some((exchange, card))
    };
    let of_url = |exchange: &&Exchange| {
        exchange.request.url == url || exchange.response.as_ref().is_some_and(|response| response.url == url)
    };
    let all = || report.exchanges.iter().map(|exchange| &**exchange);
    all().filter(of_url).find_map(read).or_else(|| all().find_map(read))
}

/// The extended card, if a call brought one.
fn extended(report: &Report) -> Option<Value> {
    let names: Vec<&str> = DIALECTS.iter().filter_map(|dialect| dialect.method(Operation::GetExtendedCard)).collect();
    let brought = |exchange: &Exchange| {
        let response = exchange.response.as_ref().filter(|response| response.status == 200)?;
        let answer = json::read(&response.body).filter(|answer| answer.get("error").is_none())?;
        let card = answer.get("result").cloned().unwrap_or(answer);
        card.is_object().then_some(card)
    };
    let calls = report.exchanges.iter().filter(|exchange| names.contains(&operation(exchange).as_str()));
    calls.filter_map(|exchange| brought(exchange)).next()
}

/// The differences of an extended card, in words.
fn differences(card: &Value, extended: &Value) -> Vec<String> {
    let differences = json::diff(card, extended);
    let mut words: Vec<String> = differences
        .iter()
        .take(SHOWN_DIFFERENCES)
        .map(|difference| {
            let (change, of) = match difference.change {
                ChangeKind::Added => ("added", extended),
                ChangeKind::Changed => ("changed to", extended),
                ChangeKind::Removed => ("missing:", card),
            };
            let value = difference.pointer.resolve(of).map(|value| json::brief(value, 200)).unwrap_or_default();
            format!("{} {change} {value}", difference.pointer.as_str())
        })
        .collect();
    if let Some(more) = differences.len().checked_sub(SHOWN_DIFFERENCES).filter(|more| *more > 0) {
        words.push(format!("and {more} more"));
    }
    words
}

/// The line of a place, or of the nearest place around it that there is.
fn line_of(pointer: &str, lines: &[json::Line]) -> Option<usize> {
    let mut pointer = pointer.starts_with('/').then(|| pointer.trim_end())?;
    loop {
        let here = |line: &json::Line| line.pointer.as_ref().is_some_and(|known| known.as_str() == pointer);
        if let Some(at) = lines.iter().position(here) {
            return Some(at);
        }
        pointer = pointer.rsplit_once('/')?.0;
    }
}

fn text(value: &Value, member: &str) -> Option<String> {
    let text = value.get(member).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    text.map(|text| clip(text, LONGEST_TEXT))
}

fn items<'a>(value: &'a Value, member: &str) -> &'a [Value] {
    value.get(member).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The texts of a list, separated by commas.
fn joined(value: &Value, member: &str) -> Option<String> {
    let texts: Vec<&str> = items(value, member).iter().filter_map(Value::as_str).collect();
    (!texts.is_empty()).then(|| clip(&texts.join(", "), LONGEST_TEXT))
}

/// Names and values, of those that there are.
pub(super) fn facts<const N: usize>(facts: [(&str, Option<String>); N]) -> Vec<(String, String)> {
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn sections(card: &Value) -> Vec<CardSection> {
    let provider = card.get("provider").and_then(|provider| {
        let (name, url) = (text(provider, "organization"), text(provider, "url"));
        name.clone().zip(url.clone()).map(|(name, url)| format!("{name}, {url}")).or(name).or(url)
    });
    let about = facts([
        ("Version of the agent", text(card, "version")),
        ("Provider", provider),
        ("Documentation", text(card, "documentationUrl")),
        ("Icon", text(card, "iconUrl")),
        ("Input", joined(card, "defaultInputModes")),
        ("Output", joined(card, "defaultOutputModes")),
    ]);
    let section = |id: &str, title: &str, facts: Vec<(String, String)>, nothing: &str| CardSection {
        id: id.to_owned(),
        title: title.to_owned(),
        facts,
        nothing: nothing.to_owned(),
    };
    vec![
        section("about", "About", about, "The card says neither who provides the agent nor what input it accepts."),
        section("capabilities", "Capabilities", capabilities(card), "The card declares no capabilities."),
        section("interfaces", "Interfaces", interfaces(card), "The card lists no interface."),
        section("security", "Security", security::facts(card), "The card asks for no credentials."),
        section("signatures", "Signatures", security::signatures(card), "The card is not signed."),
    ]
}

fn capabilities(card: &Value) -> Vec<(String, String)> {
    let capabilities = card.get("capabilities").and_then(Value::as_object);
    let flags = capabilities.into_iter().flatten().filter_map(|(name, value)| {
        let words = if value.as_bool()? { "yes" } else { "no" };
        Some((name.clone(), words.to_owned()))
    });
    let extension = |extension: &Value| {
        let uri = text(extension, "uri").unwrap_or_else(|| "without a URI".to_owned());
        let required = extension.get("required").and_then(Value::as_bool).unwrap_or_default();
        let description = text(extension, "description").map(|text| format!(": {text}")).unwrap_or_default();
        let required = if required { ", required" } else { "" };
        ("Extension".to_owned(), format!("{uri}{required}{description}"))
    };
    let extensions = card.get("capabilities").map_or(&[][..], |capabilities| items(capabilities, "extensions"));
    flags.chain(extensions.iter().map(extension)).collect()
}

fn interfaces(card: &Value) -> Vec<(String, String)> {
    let interface = |interface: &Value| {
        let binding = text(interface, "protocolBinding").or_else(|| text(interface, "transport"));
        let version = text(interface, "protocolVersion").map(|version| format!(" {version}")).unwrap_or_default();
        let tenant = text(interface, "tenant").map(|tenant| format!(", tenant {tenant}")).unwrap_or_default();
        let url = text(interface, "url").unwrap_or_else(|| "without a URL".to_owned());
        let binding = binding.unwrap_or_else(|| "without a binding".to_owned());
        (format!("{binding}{version}"), format!("{url}{tenant}"))
    };
    let own = text(card, "url").map(|url| {
        let binding = text(card, "preferredTransport").unwrap_or_else(|| "JSONRPC".to_owned());
        let version = text(card, "protocolVersion").map(|version| format!(" {version}")).unwrap_or_default();
        (format!("{binding}{version}, preferred"), url)
    });
    let listed = ["supportedInterfaces", "additionalInterfaces"].into_iter().flat_map(|list| items(card, list));
    own.into_iter().chain(listed.map(interface)).collect()
}

fn skill(skill: &Value) -> CardSkill {
    let id = text(skill, "id").unwrap_or_default();
    let examples = items(skill, "examples").iter().map(|example| match example.as_str() {
        Some(text) => clip(text, 500),
        // The oldest versions have messages here.
        None => json::brief(example, 500),
    });
    CardSkill {
        name: text(skill, "name").unwrap_or_else(|| format::capitalised(&id)),
        description: text(skill, "description").unwrap_or_default(),
        facts: facts([
            ("Tags", joined(skill, "tags")),
            ("Input", joined(skill, "inputModes")),
            ("Output", joined(skill, "outputModes")),
        ]),
        examples: examples.take(20).collect(),
        id,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_finding_stands_at_its_line_or_at_what_should_have_held_it() {
        let lines = json::tokens(&json!({"name": "x", "skills": [{"id": "a"}]}));
        assert_eq!(line_of("/name", &lines), Some(1));
        assert_eq!(line_of("/skills/0/tags", &lines), Some(3));
        assert_eq!(line_of("/version", &lines), Some(0));
        assert_eq!(line_of("cache-control", &lines), None);
    }

    #[test]
    fn cards_of_every_version_say_where_they_are_reached() {
        let new = json!({"supportedInterfaces": [
            {"url": "https://h/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "t"},
        ]});
        assert_eq!(interfaces(&new), [("JSONRPC 1.0".to_owned(), "https://h/rpc, tenant t".to_owned())]);
        let old = json!({
            "url": "https://h", "preferredTransport": "HTTP+JSON", "protocolVersion": "0.3.0",
            "additionalInterfaces": [{"url": "https://h/rpc", "transport": "JSONRPC"}],
        });
        let names: Vec<String> = interfaces(&old).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["HTTP+JSON 0.3.0, preferred", "JSONRPC"]);
        assert_eq!(interfaces(&json!({})), []);
    }

    #[test]
    fn what_is_strange_in_a_card_breaks_nothing() {
        for card in [json!({"skills": 7, "capabilities": [], "provider": "x"}), json!({"skills": [null, 1, {}]})] {
            assert_eq!(sections(&card).len(), 5);
            items(&card, "skills").iter().map(skill).for_each(drop);
        }
    }

    #[test]
    fn what_the_extended_card_adds_is_said() {
        let card = json!({"name": "x", "skills": [{"id": "a"}], "version": "1"});
        let extended = json!({"name": "y", "skills": [{"id": "a"}, {"id": "b"}]});
        assert_eq!(
            differences(&card, &extended),
            ["/name changed to \"y\"", "/skills/1 added {\"id\":\"b\"}", "/version missing: \"1\""]
        );
    }
}
