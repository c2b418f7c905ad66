//! What a run leaves to a thorough one, as every reader of its report learns it.

use a2a_conformance::cli::terminal::{self, TerminalStyle, Verbosity};
use a2a_conformance::engine::event::{Event, LeftOut};
use a2a_conformance::engine::verdict::Verdict;
use a2a_conformance::report::{Format, Report, read, write};
use a2a_conformance::view_model::banner::Banner;

use super::restored::made_up;
use super::run::Run;

const TITLES: [&str; 2] = ["Send many messages", "Stream a burst"];

fn report(left_out: &[LeftOut]) -> Report {
    let mut builder = Run::default().record(|_| Some(Verdict::pass()));
    builder.apply(&Event::LeftOut(left_out.to_vec()));
    builder.report()
}

/// As the terminal, the page, and every kind of document that people read tell it.
fn told(report: &Report) -> Vec<String> {
    let terminal = terminal::render(report, Verbosity::Usual, TerminalStyle::PLAIN);
    let banner = Banner::from_report(report, &|row| (row.title.to_owned(), String::new()));
    vec![terminal, banner.details.concat(), write(report, Format::Markdown), write(report, Format::Html)]
}

#[test]
fn what_is_left_to_a_thorough_run_is_told_everywhere_and_changes_no_level() {
    let left_out = TITLES.map(|title| LeftOut { title: title.to_owned(), messages: 4 });
    let (whole, part) = (report(&[]), report(&left_out));
    assert_eq!(part.left_out_in_words(), "2 scenarios with up to 8 messages (Send many messages; Stream a burst)");
    for (without, with) in told(&whole).iter().zip(told(&part)) {
        for title in TITLES {
            assert!(with.contains(title) && !without.contains(title), "{with}");
        }
    }
    assert!(told(&part)[0].contains("--thorough runs them"));
    assert_eq!((part.word, &part.assessment), (whole.word, &whole.assessment));
    assert_eq!(read(&write(&part, Format::Json), made_up).unwrap().report.left_out, left_out);
}
