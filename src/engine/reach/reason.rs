//! The reasons for which a page cannot see an agent. What is said of each is a table, `reasons.txt`.

use crate::engine::requirement::lines_of;
use crate::host::probe::Browser;

/// The stages on the way to an agent, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The address, by itself.
    Address,
    /// Whether the browser lets the page reach that network.
    Permission,
    /// Reading an answer: the card.
    Read,
    /// Making a call.
    Write,
    /// Reading an event stream.
    Stream,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Address, Self::Permission, Self::Read, Self::Write, Self::Stream];

    /// Its name in the table and for machines.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Permission => "permission",
            Self::Read => "read",
            Self::Write => "write",
            Self::Stream => "stream",
        }
    }

    /// Its name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Address => "Address",
            Self::Permission => "Permission",
            Self::Read => "Read the card",
            Self::Write => "Make a call",
            Self::Stream => "Read a stream",
        }
    }
}

/// The one thing to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Paste the fix into the agent.
    Fix,
    /// Run again.
    Again,
    /// Run again with a longer timeout.
    Wait,
    /// Open the address in a tab of its own.
    Tab,
    /// Serve the page from one's own machine.
    Local,
    /// Type another address.
    Address,
}

impl Action {
    const ALL: [Self; 6] = [Self::Fix, Self::Again, Self::Wait, Self::Tab, Self::Local, Self::Address];

    /// Its name in the table and for machines.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Fix => "fix",
            Self::Again => "again",
            Self::Wait => "wait",
            Self::Tab => "tab",
            Self::Local => "local",
            Self::Address => "address",
        }
    }
}

/// Why a page cannot see an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasonId {
    /// The browser has no network.
    Offline,
    /// The page's own policy forbade the request.
    Policy,
    /// A page of https may not call http.
    MixedContent,
    /// No browser connects to that port.
    BadPort,
    /// 0.0.0.0 or `[::]`.
    Unspecified,
    /// The user denied local network access.
    PermissionDenied,
    /// The browser's question was not answered.
    PermissionWaiting,
    /// Local network access is not for pages of http.
    PermissionInsecure,
    /// The request timed out.
    NoAnswer,
    /// No HTTP answer in any way.
    Unreachable,
    /// No HTTP answer here, but elsewhere on the host.
    Breaks,
    /// A redirect to where nothing answers.
    Redirects,
    /// The answer may not be read.
    CorsMissing,
    /// The answer may not be read, others of the host may.
    CorsThisPath,
    /// The answer behind a redirect may not be read.
    CorsRedirect,
    /// The preflight is refused, whatever it asks for.
    PreflightRefused,
    /// The preflight refuses a header.
    PreflightHeader,
    /// The preflight refuses the method.
    PreflightMethod,
    /// The preflight is not answered.
    PreflightSilent,
    /// The answer to a call may not be read.
    CorsMissingWrite,
    /// The answer to a streaming call may not be read.
    CorsMissingStream,
    /// Calls work, streaming calls do not.
    StreamUnseen,
    /// A stream broke off.
    StreamCut,
    /// The probes passed.
    PassedSince,
}

impl ReasonId {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 24] = [
        Self::Offline,
        Self::Policy,
        Self::MixedContent,
        Self::BadPort,
        Self::Unspecified,
        Self::PermissionDenied,
        Self::PermissionWaiting,
        Self::PermissionInsecure,
        Self::NoAnswer,
        Self::Unreachable,
        Self::Breaks,
        Self::Redirects,
        Self::CorsMissing,
        Self::CorsThisPath,
        Self::CorsRedirect,
        Self::PreflightRefused,
        Self::PreflightHeader,
        Self::PreflightMethod,
        Self::PreflightSilent,
        Self::CorsMissingWrite,
        Self::CorsMissingStream,
        Self::StreamUnseen,
        Self::StreamCut,
        Self::PassedSince,
    ];

    /// Its name in the table: `permission-denied`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Offline => "offline",
            Self::Policy => "policy",
            Self::MixedContent => "mixed-content",
            Self::BadPort => "bad-port",
            Self::Unspecified => "unspecified",
            Self::PermissionDenied => "permission-denied",
            Self::PermissionWaiting => "permission-waiting",
            Self::PermissionInsecure => "permission-insecure",
            Self::NoAnswer => "no-answer",
            Self::Unreachable => "unreachable",
            Self::Breaks => "breaks",
            Self::Redirects => "redirects",
            Self::CorsMissing => "cors-missing",
            Self::CorsThisPath => "cors-this-path",
            Self::CorsRedirect => "cors-redirect",
            Self::PreflightRefused => "preflight-refused",
            Self::PreflightHeader => "preflight-header",
            Self::PreflightMethod => "preflight-method",
            Self::PreflightSilent => "preflight-silent",
            Self::CorsMissingWrite => "cors-missing-write",
            Self::CorsMissingStream => "cors-missing-stream",
            Self::StreamUnseen => "stream-unseen",
            Self::StreamCut => "stream-cut",
            Self::PassedSince => "passed-since",
        }
    }
}

/// A possible cause of a failure that a page cannot tell apart from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LikelyCause {
    /// Nothing listens there.
    Listening,
    /// It listens on IPv4 or IPv6 only.
    Family,
    /// A container does not publish the port.
    Container,
    /// It speaks https there.
    SchemeHttps,
    /// It speaks plain http there.
    SchemeHttp,
    /// The certificate is not trusted.
    Certificate,
    /// The name does not resolve.
    Dns,
    /// A firewall refuses the connection.
    Firewall,
    /// It closes the connection without an answer.
    Closes,
    /// It closes the connection on this request.
    BreaksHere,
    /// An extension of the browser blocks the request.
    Blocker,
    /// Cross-Origin-Resource-Policy without CORS headers.
    Corp,
    /// The browser may have asked although nothing listens.
    Prompt,
    /// The stream has no CORS headers.
    StreamCors,
    /// It closes the connection when it should stream.
    StreamBreaks,
    /// The page is framed by one that does not allow it.
    Framed,
}

impl LikelyCause {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 16] = [
        Self::Listening,
        Self::Family,
        Self::Container,
        Self::SchemeHttps,
        Self::SchemeHttp,
        Self::Certificate,
        Self::Dns,
        Self::Firewall,
        Self::Closes,
        Self::BreaksHere,
        Self::Blocker,
        Self::Corp,
        Self::Prompt,
        Self::StreamCors,
        Self::StreamBreaks,
        Self::Framed,
    ];

    /// Its name in the table: `certificate`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Listening => "listening",
            Self::Family => "family",
            Self::Container => "container",
            Self::SchemeHttps => "scheme-https",
            Self::SchemeHttp => "scheme-http",
            Self::Certificate => "certificate",
            Self::Dns => "dns",
            Self::Firewall => "firewall",
            Self::Closes => "closes",
            Self::BreaksHere => "breaks-here",
            Self::Blocker => "blocker",
            Self::Corp => "corp",
            Self::Prompt => "prompt",
            Self::StreamCors => "stream-cors",
            Self::StreamBreaks => "stream-breaks",
            Self::Framed => "framed",
        }
    }

    /// Its words.
    #[must_use]
    pub fn text(self) -> &'static str {
        prefixed_text('?', self.as_str())
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReachReason {
    /// Which.
    pub id: ReasonId,
    /// The stage it belongs to; `None` if it can occur in any.
    pub stage: Option<Stage>,
    /// The next step for the user.
    pub action: Action,
    /// In one line.
    pub title: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
    /// The advice.
    pub remedy: &'static str,
}

/// The table as text.
const TABLE: &str = include_str!("reasons.txt");

impl ReachReason {
    /// Every reason.
    pub fn all() -> impl Iterator<Item = Self> {
        lines_of(TABLE).filter(|line| !line.starts_with(['?', '!'])).filter_map(|line| {
            let mut cells = line.split(" | ");
            let name = cells.next()?;
            let stage = cells.next()?;
            let action = cells.next()?;
            Some(Self {
                id: ReasonId::ALL.into_iter().find(|known| known.as_str() == name)?,
                stage: Stage::ALL.into_iter().find(|known| known.id() == stage),
                action: Action::ALL.into_iter().find(|known| known.id() == action)?,
                title: cells.next()?,
                meaning: cells.next()?,
                remedy: cells.next()?,
            })
        })
    }

    /// The row of a reason. A test holds that the table has one for each, so that the empty row is never seen.
    #[must_use]
    pub fn of(id: ReasonId) -> Self {
        Self::all().find(|reason| reason.id == id).unwrap_or(Self {
            id,
            stage: None,
            action: Action::Again,
            title: "No answer",
            meaning: "",
            remedy: "",
        })
    }
}

/// How a browser's user changes a permission.
#[must_use]
pub(super) fn settings_text(browser: Browser) -> &'static str {
    let name = match browser {
        Browser::Firefox => "firefox",
        Browser::Chromium => "chromium",
        _ => "other",
    };
    prefixed_text('!', name)
}

/// The text of the line that begins with a sign and a name.
fn prefixed_text(sign: char, name: &str) -> &'static str {
    lines_of(TABLE)
        .filter_map(|line| line.strip_prefix(sign)?.split_once(" | "))
        .find(|(known, _)| *known == name)
        .map_or("", |(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_reason_and_every_cause_and_no_other() {
        let all: Vec<ReachReason> = ReachReason::all().collect();
        let lines = lines_of(TABLE).filter(|line| !line.starts_with(['?', '!'])).count();
        assert_eq!(all.len(), lines, "a line of the table is not read");
        assert_eq!(all.iter().map(|reason| reason.id).collect::<Vec<_>>(), ReasonId::ALL);
        for reason in &all {
            for text in [reason.title, reason.meaning, reason.remedy] {
                assert!(text.len() > 10, "{:?}", reason.id);
            }
            assert!(!reason.title.ends_with('.') && reason.meaning.ends_with('.') && reason.remedy.ends_with('.'));
        }
        let causes = lines_of(TABLE).filter(|line| line.starts_with('?')).count();
        assert_eq!(causes, LikelyCause::ALL.len());
        for cause in LikelyCause::ALL {
            assert!(cause.text().len() > 10, "{cause:?}");
        }
        for browser in [Browser::Firefox, Browser::Chromium, Browser::WebKit] {
            assert!(settings_text(browser).contains("{space}"), "{browser:?}");
        }
    }
}
