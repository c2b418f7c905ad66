//! The title of the tab while the page is not looked at: how far the run is, or its verdict, and the agent. The words come
//! first, because a tab shows few of them; the icon says the same in a colour and a shape.

use crate::report::VerdictWord;
use crate::wire::url;

/// The title before anything was run.
pub const NAME: &str = "A2A conformance: check an agent";

/// The phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TitleState {
    /// Nothing was run.
    Empty,
    /// So many checks of so many are judged.
    Running {
        /// Those that are judged.
        judged: u32,
        /// All of the plan; 0 until there is one.
        total: u32,
    },
    /// The run is over.
    Over {
        /// The verdict.
        word: VerdictWord,
        /// The rows that fail at must level.
        failed: u32,
    },
}

/// The title of the tab.
#[must_use]
pub fn title(standing: TitleState, subject: &str) -> String {
    let says = match standing {
        TitleState::Empty => return NAME.to_owned(),
        TitleState::Running { total: 0, .. } => "Checking".to_owned(),
        TitleState::Running { judged, total } => format!("{judged} of {total}"),
        TitleState::Over { word: VerdictWord::NotConformant, failed } => format!("\u{2717} {failed} failed"),
        TitleState::Over { word: word @ VerdictWord::Conformant, .. } => format!("\u{2713} {}", word.title()),
        TitleState::Over { word: word @ VerdictWord::ConformantWithAdvice, .. } => format!("\u{25b3} {}", word.title()),
        TitleState::Over { word, .. } => format!("\u{25cb} {}", word.title()),
    };
    format!("{says} \u{b7} {}", host(subject))
}

/// A short name for a subject: of an address its host, with the port.
fn host(subject: &str) -> &str {
    let Some((_, rest)) = subject.split_once("://") else { return subject };
    rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty()).unwrap_or(subject)
}

/// The icon of the tab: its address.
#[must_use]
pub fn icon(standing: TitleState) -> Option<String> {
    // White on these colours can be read on tabs of any colour.
    let (colour, shape) = match standing {
        TitleState::Empty => return None,
        TitleState::Running { judged, total } => ("#1f4fbf", quarters(judged, total)),
        TitleState::Over { word: VerdictWord::NotConformant, .. } => {
            ("#b3261e", "<path d='M10 10 22 22M22 10 10 22'/>")
        }
        TitleState::Over { word: VerdictWord::Conformant, .. } => ("#107c41", "<path d='m8 17 5 5L24 11'/>"),
        TitleState::Over { word: VerdictWord::ConformantWithAdvice, .. } => {
            ("#8a5a00", "<path d='M16 8 25 24H7Z' stroke-linejoin='round'/>")
        }
        TitleState::Over { .. } => ("#5f6368", "<circle cx='16' cy='16' r='8'/>"),
    };
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='none' stroke='#fff' stroke-width='4' \
         stroke-linecap='round'><rect width='32' height='32' rx='7' fill='{colour}' stroke='none'/>{shape}</svg>"
    );
    Some(format!("data:image/svg+xml,{}", url::encode(&svg)))
}

/// A ring that fills in four steps: a browser draws a new icon for each.
const fn quarters(judged: u32, total: u32) -> &'static str {
    match judged.saturating_mul(4).checked_div(total) {
        None | Some(0) => "<circle cx='16' cy='16' r='9' stroke-opacity='.35'/>",
        Some(1) => "<circle cx='16' cy='16' r='9' stroke-opacity='.35'/><path d='M16 7a9 9 0 0 1 9 9'/>",
        Some(2) => "<circle cx='16' cy='16' r='9' stroke-opacity='.35'/><path d='M16 7a9 9 0 0 1 0 18'/>",
        Some(3) => "<circle cx='16' cy='16' r='9' stroke-opacity='.35'/><path d='M16 7a9 9 0 1 1-9 9'/>",
        _ => "<circle cx='16' cy='16' r='9'/>",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "https://agent.example.com:8443/base/?tenant=1#x";

    fn over(word: VerdictWord, failed: u32) -> TitleState {
        TitleState::Over { word, failed }
    }

    #[test]
    fn the_verdict_stands_before_the_host() {
        for (standing, text) in [
            (TitleState::Running { judged: 0, total: 0 }, "Checking \u{b7} agent.example.com:8443"),
            (TitleState::Running { judged: 12, total: 307 }, "12 of 307 \u{b7} agent.example.com:8443"),
            (over(VerdictWord::NotConformant, 5), "\u{2717} 5 failed \u{b7} agent.example.com:8443"),
            (over(VerdictWord::Conformant, 0), "\u{2713} Conformant \u{b7} agent.example.com:8443"),
            (
                over(VerdictWord::ConformantWithAdvice, 0),
                "\u{25b3} Conformant with suggestions \u{b7} agent.example.com:8443",
            ),
            (over(VerdictWord::Incomplete, 0), "\u{25cb} Incomplete \u{b7} agent.example.com:8443"),
        ] {
            assert_eq!(title(standing, ADDRESS), text);
        }
        assert_eq!(title(TitleState::Empty, ADDRESS), NAME);
    }

    #[test]
    fn what_is_no_address_is_called_what_it_is() {
        let standing = over(VerdictWord::Conformant, 0);
        for (subject, name) in [
            ("the demo agent", "the demo agent"),
            ("http://[::1]:9/", "[::1]:9"),
            ("http://", "http://"),
            ("localhost:9999/a2a", "localhost:9999/a2a"),
            ("", ""),
        ] {
            assert_eq!(title(standing, subject), format!("\u{2713} Conformant \u{b7} {name}"));
        }
    }

    #[test]
    fn the_page_s_own_name_is_that_of_its_first_load() {
        assert!(include_str!("../../index.html").contains(&format!("<title>{NAME}</title>")));
    }

    #[test]
    fn every_standing_has_an_icon_of_its_own_in_the_colour_of_its_status() {
        let style = include_str!("../../style/base.css");
        let standings = [
            (TitleState::Running { judged: 0, total: 8 }, "accent"),
            (TitleState::Running { judged: 2, total: 8 }, "accent"),
            (TitleState::Running { judged: 4, total: 8 }, "accent"),
            (TitleState::Running { judged: 7, total: 8 }, "accent"),
            (TitleState::Running { judged: 8, total: 8 }, "accent"),
            (over(VerdictWord::Conformant, 0), "pass"),
            (over(VerdictWord::ConformantWithAdvice, 0), "advisory"),
            (over(VerdictWord::NotConformant, 3), "fail"),
            (over(VerdictWord::Incomplete, 0), "skip"),
        ];
        let icons: Vec<_> = standings.iter().map(|(standing, _)| icon(*standing).unwrap()).collect();
        for (index, (icon, (_, token))) in icons.iter().zip(standings).enumerate() {
            let (_, rest) = style.split_once(&format!("--{token}: light-dark(")).unwrap();
            let colour = rest.split(',').next().unwrap().trim_start_matches('#');
            assert!(icon.starts_with("data:image/svg+xml,%3Csvg") && icon.contains(&format!("%23{colour}")), "{icon}");
            assert!(!icon.contains(['#', '"', '<', '>', ' ']), "{icon}");
            assert!(!icons[..index].contains(icon), "{icon}");
        }
        assert_eq!(icon(TitleState::Empty), None);
        // Within a quarter nothing is drawn anew.
        let at = |judged| icon(TitleState::Running { judged, total: 400 });
        assert_eq!(at(101), at(199));
        assert_ne!(at(199), at(200));
    }
}
