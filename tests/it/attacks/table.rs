//! The tests: the quick attacks of each family, and all of them with the table that `make hostile` prints.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::attack::Attack;
use super::document;
use super::families::{
    BODIES, CARDS, CLOCKS, CONNECTIONS, FAMILIES, Family, HEADS, HTTP2, JSON_TEXTS, PROTOCOL, REDIRECTS, SLOW, STREAMS,
    TLS, TOKENS_AND_KEYS, WEBHOOKS,
};
use super::judge::{Played, play};

/// How many attacks are played at once: they wait more than they work.
const AT_ONCE: usize = 6;

fn play_all(attacks: Vec<(&'static str, Attack)>) -> Vec<Played> {
    let (waiting, played) = (Mutex::new(attacks.into_iter().rev().collect::<Vec<_>>()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap().pop();
                    let Some((family, attack)) = next else { return };
                    let came = play(family, attack);
                    eprintln!("{}", told(std::slice::from_ref(&came)));
                    played.lock().unwrap().push(came);
                }
            });
        }
    });
    played.into_inner().unwrap()
}

/// The attacks of families whose names hold the word of the variable, if there is one.
fn chosen(families: &[Family], wanted: impl Fn(&Attack) -> bool) -> Vec<(&'static str, Attack)> {
    let word = std::env::var("HOSTILE").unwrap_or_default();
    let all = families.iter().flat_map(|family| (family.attacks)().into_iter().map(|attack| (family.title, attack)));
    all.filter(|(family, attack)| wanted(attack) && (family.contains(&word) || attack.name.contains(&word))).collect()
}

/// What is wrong, with what the reports say.
fn told(played: &[Played]) -> String {
    let failed = played.iter().filter(|played| !played.faults.is_empty());
    let each = failed.map(|played| {
        format!(
            "{}: {} ({:.1} s, {} KB)\n  {}\n{}",
            played.family,
            played.name,
            played.took.as_secs_f64(),
            played.peak_kb,
            played.faults.join("\n  "),
            played.said
        )
    });
    each.collect::<Vec<_>>().join("\n")
}

/// Plays a half of a family: what ends before the calls begin, or looks at the card alone, and every third one of the others.
fn survive(family: Family) {
    let quick = chosen(&[family], |attack| !attack.is_heavy).into_iter().enumerate();
    let half = quick.filter(|(number, (_, attack))| number % 3 == 0 || attack.ends_early());
    let played = play_all(half.map(|(_, attack)| attack).collect());
    let told = told(&played);
    assert!(told.is_empty(), "\n{told}");
}

macro_rules! quick_attacks {
    ($($test:ident: $family:expr),* $(,)?) => {
        $(#[test]
        fn $test() {
            survive($family);
        })*
    };
}

quick_attacks! {
    hostile_bodies_are_survived: BODIES,
    hostile_heads_are_survived: HEADS,
    hostile_json_is_survived: JSON_TEXTS,
    hostile_streams_are_survived: STREAMS,
    slow_senders_are_survived: SLOW,
    hostile_connections_are_survived: CONNECTIONS,
    hostile_redirects_are_survived: REDIRECTS,
    hostile_cards_are_survived: CARDS,
    answers_without_sense_are_survived: PROTOCOL,
    hostile_clocks_are_survived: CLOCKS,
    calls_of_the_webhook_are_survived: WEBHOOKS,
    hostile_frames_are_survived: HTTP2,
    hostile_handshakes_are_survived: TLS,
    hostile_servers_of_tokens_and_keys_are_survived: TOKENS_AND_KEYS,
}

#[test]
fn each_attack_has_a_name_of_its_own_and_the_document_lists_it() {
    document::assert_lists_all();
}

/// The whole table; it prints what came of each family. `HOSTILE=WORD` chooses, `UPDATE_HOSTILE=1` writes the document anew.
#[test]
#[ignore = "takes minutes: make hostile"]
fn every_attack_is_survived() {
    let started = Instant::now();
    let played = play_all(chosen(&FAMILIES, |_| true));
    let told = told(&played);
    println!("\n{told}\n{}", figures(&played));
    println!("{:.0} s in all", started.elapsed().as_secs_f64());
    if std::env::var("UPDATE_HOSTILE").is_ok() {
        document::write(&figures(&played));
    }
    assert!(told.is_empty(), "\n{told}");
}

/// The table by family, and its sum.
fn figures(played: &[Played]) -> String {
    let mut table =
        "| family | tried | survived | worst time | worst memory |\n| --- | ---: | ---: | ---: | ---: |\n".to_owned();
    for family in &FAMILIES {
        let own: Vec<&Played> = played.iter().filter(|played| played.family == family.title).collect();
        if !own.is_empty() {
            table += &format!("| {} | {} |\n", family.title, row(&own).join(" | "));
        }
    }
    let [tried, survived, time, memory] = row(&played.iter().collect::<Vec<_>>());
    format!("{table}\ntried {tried} / survived {survived} / worst time {time} / worst memory {memory}\n")
}

fn row(played: &[&Played]) -> [String; 4] {
    let survived = played.iter().filter(|played| played.faults.is_empty()).count();
    let time = played.iter().map(|played| played.took).max().unwrap_or(Duration::ZERO);
    let memory = played.iter().map(|played| played.peak_kb).max().unwrap_or_default();
    [
        played.len().to_string(),
        survived.to_string(),
        format!("{:.1} s", time.as_secs_f64()),
        format!("{} MB", memory / 1024),
    ]
}
