//! The verdict as a small picture (SVG) for a README: its colours, the word, and how many required rules are broken. It never says more than the
//! run saw: green only for a conformant agent, and never a level. Nothing in it comes from the agent.

use super::headline::{broken, counts};
use super::model::Report;
use super::text::iso_seconds;
use super::tool::TOOL;
use super::verdict::VerdictWord;
use super::xml::{attribute, escape};
use crate::engine::plural::count_of;

const GREY: &str = "#5f6368";
const GREEN: &str = "#107c41";
const RED: &str = "#b3261e";

/// The badge.
#[must_use]
pub fn write(report: &Report) -> String {
    let versions = report.versions().join(" + ");
    let label = if versions.is_empty() { "A2A".to_owned() } else { format!("A2A {versions}") };
    let word = report.word.title().to_ascii_lowercase();
    let message = match broken(report).0 {
        0 => word,
        broken => format!("{word} · {} broken", count_of(broken, "required rule")),
    };
    let date = report.started_ms.map_or_else(String::new, |ms| {
        let date = iso_seconds(ms);
        format!(" On {}.", date.split('T').next().unwrap_or_default())
    });
    let title = format!("{label}: {}{date} By {TOOL} {}.", counts(report), report.environment.tool_version);
    let (left, right) = (width(&label) + 12, width(&message) + 12);
    let all = left + right;
    // A little shadow keeps white letters apart from what is behind them; readers of the screen get the title once.
    let text = |text: &str, from: u32, width: u32| {
        let (middle, length) = (from + width / 2, width - 12);
        let text = escape(text);
        format!(
            "    <text x=\"{middle}\" y=\"15\" fill=\"#010101\" fill-opacity=\".3\" textLength=\"{length}\">{text}</text>\n    \
             <text x=\"{middle}\" y=\"14\" textLength=\"{length}\">{text}</text>\n"
        )
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all}\" height=\"20\" role=\"img\" aria-label=\"{}\">\n  \
         <title>{}</title>\n  \
         <clipPath id=\"r\"><rect width=\"{all}\" height=\"20\" rx=\"3\"/></clipPath>\n  \
         <g clip-path=\"url(#r)\">\n    \
         <rect width=\"{left}\" height=\"20\" fill=\"#3c4043\"/>\n    \
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"{}\"/>\n  </g>\n  \
         <g aria-hidden=\"true\" fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,Geneva,DejaVu Sans,sans-serif\" \
         font-size=\"11\">\n{}{}  </g>\n</svg>\n",
        attribute(&title),
        escape(&title),
        colour(report.word),
        text(&label, 0, left),
        text(&message, left, right),
    )
}

const fn colour(word: VerdictWord) -> &'static str {
    match word {
        VerdictWord::Conformant | VerdictWord::ConformantWithAdvice => GREEN,
        VerdictWord::NotConformant => RED,
        VerdictWord::PartlyChecked | VerdictWord::Incomplete => GREY,
    }
}

/// About how wide a text is in Verdana of 11 pixels, in pixels. `textLength` makes it exactly that in any font.
fn width(text: &str) -> u32 {
    let tenths = |c: char| match c {
        'i' | 'j' | 'l' => 33,
        ' ' | '.' | 'f' | 't' | 'r' | '·' | '/' => 44,
        'm' | 'M' | 'w' | 'W' => 98,
        'A'..='Z' | '+' => 77,
        _ => 67,
    };
    text.chars().map(tenths).sum::<u32>().div_ceil(10)
}
