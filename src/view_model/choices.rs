//! The choices of the form besides credentials, prompts and the second address, each declared once: its field, its place in a link,
//! its limits, and what it makes of the options of a run.

use super::form::YES;
use crate::engine::detect::versions;
use crate::engine::jwks;
use crate::engine::options::{MOST_RUNS, Options};
use crate::engine::prompt::Profile;
use crate::engine::timeouts::TimeoutOverrides;

/// A choice that is made in one field and held as the text there; empty for what is usual.
pub struct RunChoice {
    /// The id of its field.
    pub id: &'static str,
    /// Its name in a link.
    pub name: &'static str,
    /// What its field is called.
    pub title: &'static str,
    /// The class of its field.
    pub class: &'static str,
    /// Where its field stands.
    pub place: ChoicePlace,
    /// What its field is.
    pub input: ChoiceInput,
    /// Whether a link may have this value. A form's other values are not shared.
    pub is_shared: fn(&str) -> bool,
    /// What a closed form says where it is made; empty for nothing.
    pub noted: &'static str,
    /// What a link is said to hold, with `{}` for its value; empty for a waiting time, which is counted.
    pub words: &'static str,
    /// Puts what was typed, which is not empty, into the options of a run, or says what is wrong with it.
    pub put: fn(&mut Options, &mut TimeoutOverrides, &str) -> Result<(), String>,
}

/// A part of the form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ChoicePlace {
    /// How the agent is checked.
    Run,
    /// How its card is judged.
    Card,
    /// How it is asked.
    Prompts,
    /// How long is waited for it.
    Times,
}

/// A kind of field.
#[derive(Clone, Copy)]
pub enum ChoiceInput {
    /// A box to tick: [`YES`] where it is ticked.
    Tick,
    /// A number, with what is usual.
    Number(&'static str),
    /// A text, with what is usual.
    Text(&'static str),
    /// One of these values, each with its title; the first is what is usual.
    Menu(fn() -> Vec<(&'static str, &'static str)>),
}

/// All of them, in the order of a link.
pub const CHOICES: &[RunChoice] = &[
    RunChoice {
        id: "version",
        name: "version",
        title: "Protocol version",
        class: "field short",
        place: ChoicePlace::Card,
        input: ChoiceInput::Menu(|| {
            [("", "as the card says")].into_iter().chain(versions().map(|version| (version, version))).collect()
        }),
        is_shared: |value| versions().any(|version| version == value),
        noted: "a forced version",
        words: "protocol version {}",
        put: |options, _, typed| put(&mut options.version, Ok(Some(typed.to_owned()))),
    },
    RunChoice {
        id: "profile",
        name: "profile",
        title: "The convention that your agent follows",
        class: "field",
        place: ChoicePlace::Prompts,
        input: ChoiceInput::Menu(|| {
            vec![
                ("", "by the agent card"),
                (Profile::Generic.as_str(), "none: examples of the card"),
                (Profile::AgentBin.as_str(), "AgentBin\u{2019}s first words, and its acceptance list"),
                (Profile::Tck.as_str(), "the message ids of the protocol\u{2019}s test kit"),
            ]
        }),
        is_shared: |value| Profile::parse(value).is_some(),
        noted: "a chosen convention",
        words: "the {} convention",
        put: |options, _, typed| put(&mut options.profile, Ok(Profile::parse(typed))),
    },
    RunChoice {
        id: "skills",
        name: "skills",
        title: "Only these skills, by their ids",
        class: "field",
        place: ChoicePlace::Prompts,
        input: ChoiceInput::Text("all"),
        is_shared: |_| true,
        noted: "chosen skills",
        words: "chosen skills",
        put: |options, _, typed| {
            let ids = typed.split(',').map(str::trim).filter(|id| !id.is_empty());
            put(&mut options.skills, Ok(ids.map(str::to_owned).collect()))
        },
    },
    RunChoice {
        id: "jwks",
        name: "keys",
        title: "Keys that you trust to sign the card: the URL of a JSON Web Key Set, or the set itself",
        class: "field",
        place: ChoicePlace::Card,
        input: ChoiceInput::Text(""),
        // A key set in full is too long to share, and the URL of one may hold a password.
        is_shared: |value| value.starts_with("https://") && !value.contains(['@', '?']),
        noted: "",
        words: "trusted keys",
        put: |options, _, typed| {
            let keys = jwks::parse_jwks(typed);
            put(&mut options.jwks, keys.map_err(|problem| format!("the trusted keys: {problem}")))
        },
    },
    RunChoice {
        id: "thorough",
        name: "thorough",
        title: "Thorough: also run scenarios that cost many messages for what they find",
        class: "field tick",
        place: ChoicePlace::Run,
        input: ChoiceInput::Tick,
        is_shared: |value| value == YES,
        noted: "thorough",
        words: "thorough",
        put: |options, _, _| put(&mut options.is_thorough, Ok(true)),
    },
    RunChoice {
        id: "repeat",
        name: "repeat",
        title: "Number of runs, to find results that differ",
        class: "field short",
        place: ChoicePlace::Run,
        input: ChoiceInput::Number("1"),
        is_shared: is_digits,
        noted: "several runs",
        words: "{} runs",
        put: |options, _, typed| {
            let runs = typed.parse().ok().filter(|runs| (1..=MOST_RUNS).contains(runs));
            let problem = || format!("\u{201c}{typed}\u{201d} is not a number of runs from 1 to {MOST_RUNS}");
            put(&mut options.repeat, runs.ok_or_else(problem))
        },
    },
    time("timeout", "Seconds per conversation", "60", |_, times, typed| put_seconds(&mut times.scenario, typed)),
    time("time-reach", "For the card, also of an agent that has to wake up", "30", |_, times, typed| {
        put_seconds(&mut times.reach, typed)
    }),
    time("time-answer", "For the answer to a call", "45", |_, times, typed| put_seconds(&mut times.answer, typed)),
    time("time-event", "To the first event of a stream", "45", |_, times, typed| {
        put_seconds(&mut times.first_event, typed)
    }),
    time("time-idle", "Of silence on a stream", "45", |_, times, typed| put_seconds(&mut times.idle, typed)),
    time("time-run", "For the whole run", "900", |_, times, typed| put_seconds(&mut times.run, typed)),
];

/// A time that can be set, with what is usual, in seconds.
const fn time(
    id: &'static str,
    title: &'static str,
    usual: &'static str,
    put: fn(&mut Options, &mut TimeoutOverrides, &str) -> Result<(), String>,
) -> RunChoice {
    let (place, input) = (ChoicePlace::Times, ChoiceInput::Number(usual));
    RunChoice {
        id,
        name: id,
        title,
        class: "field short",
        place,
        input,
        is_shared: is_digits,
        noted: "",
        words: "",
        put,
    }
}

/// Puts a value where it belongs, if it is one.
fn put<T>(place: &mut T, value: Result<T, String>) -> Result<(), String> {
    *place = value?;
    Ok(())
}

/// The shortest and the longest patience, in seconds.
const TIMEOUTS: std::ops::RangeInclusive<u16> = 1..=36_000;

fn put_seconds(limit_ms: &mut Option<f64>, typed: &str) -> Result<(), String> {
    put(limit_ms, seconds(typed).map(|seconds| Some(f64::from(seconds) * 1000.0)))
}

pub(super) fn seconds(typed: &str) -> Result<u16, String> {
    typed.parse().ok().filter(|seconds| TIMEOUTS.contains(seconds)).ok_or_else(|| {
        let (least, most) = (TIMEOUTS.start(), TIMEOUTS.end());
        format!("\u{201c}{typed}\u{201d} is not a whole number of seconds from {least} to {most}")
    })
}

fn is_digits(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit())
}
