//! The state of each stage on the way to an agent, why one failed, and the verdict of the checks behind it, with the words of
//! `reasons.txt` filled in.

use std::rc::Rc;

use super::classify::ReachFinding;
use super::ladder::ProbeResult;
use super::reason::{Stage, settings_text};
use crate::engine::verdict::Verdict;
use crate::host::probe::{AddressSpace, PageOrigin};
use crate::wire::http::Method;
use crate::wire::url::Url;

/// The state of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageStatus {
    /// The run did not come to it.
    NotReached,
    /// Nothing is needed here.
    NotNeeded,
    /// The browser asks its user.
    Asking,
    /// Passed.
    Passed,
    /// The agent was reached, and refuses access: HTTP 401, 403, 429 or 503. The network path works.
    Refused,
    /// Failed: what comes after it is blocked.
    Blocked,
}

/// The state of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageResult {
    /// The stage.
    pub stage: Stage,
    /// Its state.
    pub status: StageStatus,
    /// Why it failed, if it did.
    pub diagnosis: Option<Rc<Diagnosis>>,
}

/// Why no answer is seen, with the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The reason, and what makes it particular.
    pub finding: ReachFinding,
    /// The URL of the request that failed.
    pub url: String,
    /// Its method.
    pub method: Method,
    /// Those of its headers that make the browser send a preflight.
    pub asked_for: Vec<String>,
    /// The evidence.
    pub trail: Vec<ProbeResult>,
    /// Which network the agent is on.
    pub space: AddressSpace,
    /// Where the page came from, and its browser.
    pub home: PageOrigin,
    /// How long the request that timed out had waited, in seconds; 0 if none did.
    pub seconds: u32,
}

impl Diagnosis {
    /// A text of the table with its placeholders filled in.
    #[must_use]
    pub fn fill(&self, text: &str) -> String {
        let headers = match self.finding.headers.as_slice() {
            [] => self.asked_for.join(", "),
            named => named.join(", "),
        };
        let space = match self.space {
            AddressSpace::Loopback => "this machine (other apps and services on this device)",
            _ => "your local network",
        };
        let url = Url::parse(&self.url).ok();
        let port = url.as_ref().map(|url| url.port.unwrap_or(url.own_port()).to_string()).unwrap_or_default();
        let mut filled = text.replace("{settings}", settings_text(self.home.browser));
        for (placeholder, value) in [
            ("{url}", self.url.as_str()),
            ("{host}", url.as_ref().map_or("", |url| url.host.as_str())),
            ("{port}", port.as_str()),
            ("{home}", self.home.origin.as_str()),
            ("{headers}", headers.as_str()),
            ("{method}", self.method.as_str()),
            ("{seconds}", self.seconds.to_string().as_str()),
            ("{space}", space),
        ] {
            filled = filled.replace(placeholder, value);
        }
        filled
    }

    /// In one line, for reports.
    #[must_use]
    pub fn title(&self) -> String {
        self.fill(self.finding.reason.title)
    }

    /// Possible causes, the likeliest first.
    #[must_use]
    pub fn causes(&self) -> Vec<String> {
        self.finding.causes.iter().map(|cause| self.fill(cause.text())).collect()
    }

    /// The verdict of every check that cannot be judged for this reason.
    pub fn verdict(&self, exchange: u32) -> Verdict {
        Verdict::blocked(format!("{} ({})", self.title(), self.url)).seen_in(exchange)
    }
}
