//! The stages, reasons, likely causes and next actions of a page that cannot see an agent; their words are a table, `reasons.txt`.

use crate::engine::requirement::lines_of;
use crate::host::probe::Browser;
use crate::wire::named_enum::named_enum;

named_enum! {
    /// The stages on the way to an agent, in order.
    pub enum Stage {
        /// The address, by itself.
        Address = "address" titled "Address",
        /// Whether the browser lets the page reach that network.
        Permission = "permission" titled "Permission",
        /// Reading an answer: the card.
        Read = "read" titled "Read the card",
        /// Making a call.
        Write = "write" titled "Make a call",
        /// Reading an event stream.
        Stream = "stream" titled "Read a stream",
    }
}

named_enum! {
    /// The one thing to do next.
    pub enum Action {
        /// Paste the fix into the agent.
        Fix = "fix",
        /// Run again.
        Again = "again",
        /// Run again with a longer timeout.
        Wait = "wait",
        /// Open the address in a tab of its own.
        Tab = "tab",
        /// Serve the page from one's own machine.
        Local = "local",
        /// Type another address.
        Address = "address",
    }
}

named_enum! {
    /// Why a page cannot see an agent.
    pub enum ReasonId {
        /// The browser has no network.
        Offline = "offline",
        /// The page's own policy forbade the request.
        Policy = "policy",
        /// A page of https may not call http.
        MixedContent = "mixed-content",
        /// No browser connects to that port.
        BadPort = "bad-port",
        /// 0.0.0.0 or `[::]`.
        Unspecified = "unspecified",
        /// The user denied local network access.
        PermissionDenied = "permission-denied",
        /// The browser's question was not answered.
        PermissionWaiting = "permission-waiting",
        /// Local network access is not for pages of http.
        PermissionInsecure = "permission-insecure",
        /// The request timed out.
        NoAnswer = "no-answer",
        /// No HTTP answer in any way.
        Unreachable = "unreachable",
        /// No HTTP answer here, but elsewhere on the host.
        Breaks = "breaks",
        /// A redirect to where nothing answers.
        Redirects = "redirects",
        /// The answer may not be read.
        CorsMissing = "cors-missing",
        /// The answer may not be read, others of the host may.
        CorsThisPath = "cors-this-path",
        /// The answer behind a redirect may not be read.
        CorsRedirect = "cors-redirect",
        /// The preflight is refused, whatever it asks for.
        PreflightRefused = "preflight-refused",
        /// The preflight refuses a header.
        PreflightHeader = "preflight-header",
        /// The preflight refuses the method.
        PreflightMethod = "preflight-method",
        /// The preflight is not answered.
        PreflightSilent = "preflight-silent",
        /// The answer to a call may not be read.
        CorsMissingWrite = "cors-missing-write",
        /// The answer to a streaming call may not be read.
        CorsMissingStream = "cors-missing-stream",
        /// Calls work, streaming calls do not.
        StreamUnseen = "stream-unseen",
        /// A stream broke off.
        StreamCut = "stream-cut",
        /// The probes passed.
        PassedSince = "passed-since",
    }
}

named_enum! {
    /// A possible cause of a failure that a page cannot tell apart from others.
    pub enum LikelyCause {
        /// Nothing listens there.
        Listening = "listening",
        /// It listens on IPv4 or IPv6 only.
        Family = "family",
        /// A container does not publish the port.
        Container = "container",
        /// It speaks https there.
        SchemeHttps = "scheme-https",
        /// It speaks plain http there.
        SchemeHttp = "scheme-http",
        /// The certificate is not trusted.
        Certificate = "certificate",
        /// The name does not resolve.
        Dns = "dns",
        /// A firewall refuses the connection.
        Firewall = "firewall",
        /// It closes the connection without an answer.
        Closes = "closes",
        /// It closes the connection on this request.
        BreaksHere = "breaks-here",
        /// An extension of the browser blocks the request.
        Blocker = "blocker",
        /// Cross-Origin-Resource-Policy without CORS headers.
        Corp = "corp",
        /// The browser may have asked although nothing listens.
        Prompt = "prompt",
        /// The stream has no CORS headers.
        StreamCors = "stream-cors",
        /// It closes the connection when it should stream.
        StreamBreaks = "stream-breaks",
        /// The page is framed by one that does not allow it.
        Framed = "framed",
    }
}

impl LikelyCause {
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
                stage: Stage::ALL.into_iter().find(|known| known.as_str() == stage),
                action: Action::ALL.into_iter().find(|known| known.as_str() == action)?,
                title: cells.next()?,
                meaning: cells.next()?,
                remedy: cells.next()?,
            })
        })
    }

    /// The row of a reason. A test holds that the table has one for each, so that the empty row is never seen.
    #[must_use]
    pub fn new(id: ReasonId) -> Self {
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
