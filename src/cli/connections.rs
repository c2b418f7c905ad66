//! How connections are made, from the command line, the environment and files; and the remarks of reports on them, such as
//! certificates that expire soon and a page's way to the agent.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, anyhow};

use super::as_page::{self, Observed};
use super::connection_args::ConnectionArgs;
use super::input;
use crate::engine::browser::CONNECTIONS_PER_ORIGIN;
use crate::engine::event::Event;
use crate::engine::options::Options;
use crate::engine::plural::count_of;
use crate::engine::reach::{Action, StageResult};
use crate::host::Host;
use crate::host::native::certificate::{Certificate, date};
use crate::host::native::proxy::ProxyRules;
use crate::host::native::settings::{ClientIdentity, ConnectionSettings, SettingsError, certificates, key, roots};
use crate::host::native::tls::SeenCertificates;
use crate::host::native::{Connections, host_with};
use crate::host::probe::PageOrigin;
use crate::report::connection::{ChainLink, Connection, Obstacle, PageAccess, ServerCertificate};
use crate::view_model::cors_snippets::stacks;
use crate::view_model::reach::{Panel, lamps, panel};

/// A certificate that expires sooner than this many days from now is worth a remark.
const SOON_DAYS: i64 = 14;

const DAY_SECONDS: i64 = 24 * 60 * 60;

/// The host of a run, and what becomes known of its connections.
pub(super) struct RunHost {
    pub(super) host: Host,
    connections: Rc<Connections>,
    /// The origin of the page that the run is made as, what was observed beneath it, and how its way stands.
    page: Option<(PageOrigin, Observed)>,
    reached: RefCell<Vec<StageResult>>,
    is_insecure: bool,
    /// What must not appear in a report.
    secrets: Vec<String>,
}

impl RunHost {
    /// The host that was asked for, or what is wrong with the files and the proxy.
    pub(super) fn from_args(args: &ConnectionArgs) -> Result<Self> {
        let mut settings = settings(args)?;
        let home = args.cors_origin.as_deref().map(as_page::home).transpose();
        let home = home.map_err(|problem| anyhow!("--cors-origin: {problem}"))?;
        settings.leaves_redirects = home.is_some();
        let secrets = settings.proxies.secrets();
        // The only things that can still be wrong are the certificate and its key.
        let (host, connections) = host_with(&settings).context("--cert")?;
        let (host, page) = match home {
            None => (host, None),
            Some(home) => {
                let (host, observed) = as_page::host(host, home.clone());
                (host, Some((home, observed)))
            }
        };
        Ok(Self { host, connections, page, reached: RefCell::default(), is_insecure: args.insecure, secrets })
    }

    /// What of the options depends on the host: its secrets, and how much a page asks at once.
    pub(super) fn settle(&self, options: &mut Options) {
        options.secrets.extend_from_slice(&self.secrets);
        if self.page.is_some() {
            options.concurrency = CONNECTIONS_PER_ORIGIN;
        }
    }

    /// Keeps how the page's way to the agent stands.
    pub(super) fn note(&self, event: &Event) {
        if let Event::Reach(stage) = event {
            self.reached.borrow_mut().push(stage.clone());
        }
    }

    /// What became known so far, for a report that is written at that moment, in milliseconds since 1970.
    pub(super) fn seen(&self, wall_ms: f64) -> Connection {
        let certificates: Vec<ServerCertificate> =
            self.connections.tls.servers().iter().filter_map(|seen| server_certificate(seen, wall_ms)).collect();
        let proxies = self.connections.used_proxies();
        let mut remarks = Vec::new();
        if self.is_insecure {
            remarks.push(
                "Certificates were not verified (--insecure): whoever stands between may have read and changed what was exchanged."
                    .to_owned(),
            );
        }
        if !proxies.is_empty() {
            remarks.push(format!("The agent was called through the proxy {}.", proxies.join(" and ")));
        }
        remarks.extend(certificates.iter().filter_map(expiry_remark));
        let page = self.page.as_ref().map(|(home, observed)| page_access(home, observed, &self.reached.borrow()));
        remarks.extend(page.iter().flat_map(page_remarks));
        Connection { is_insecure: self.is_insecure, proxies, certificates, page, remarks }
    }
}

/// A remark on a certificate that will soon be refused.
fn expiry_remark(certificate: &ServerCertificate) -> Option<String> {
    let (host, days) = (&certificate.host, certificate.days_left);
    let date = certificate.chain.iter().map(|link| &link.not_after).min()?;
    match days {
        ..0 => Some(format!("The certificate of {host} expired on {date}.")),
        0..SOON_DAYS => Some(format!(
            "The certificate of {host} expires on {date}, in {}: renew it on the server.",
            count_of(usize::try_from(days).unwrap_or_default(), "day")
        )),
        _ => None,
    }
}

fn server_certificate(seen: &SeenCertificates, wall_ms: f64) -> Option<ServerCertificate> {
    // Whole seconds: no clock of this age is beyond what the number holds.
    let now = (wall_ms / 1000.0) as i64;
    let first = seen.chain.iter().map(|link| link.not_after).min()?;
    let link = |link: &Certificate| ChainLink {
        subject: link.subject.clone(),
        issuer: link.issuer.clone(),
        not_before: date(link.not_before),
        not_after: date(link.not_after),
    };
    Some(ServerCertificate {
        host: seen.host.clone(),
        is_trusted: seen.is_trusted,
        chain: seen.chain.iter().map(link).collect(),
        days_left: (first - now).div_euclid(DAY_SECONDS),
    })
}

/// The way of a page to the agent, as far as it is known, in the words and with the fixes of the page itself.
fn page_access(home: &PageOrigin, observed: &Observed, reached: &[StageResult]) -> PageAccess {
    // The way is shown by its first obstacle in the page; here there is room for all of them.
    let mut panels: Vec<Panel> = Vec::new();
    for panel in reached.iter().filter_map(|stage| panel(std::slice::from_ref(stage))) {
        if !panels.iter().any(|known| known.reason == panel.reason && known.url == panel.url) {
            panels.push(panel);
        }
    }
    let stages = lamps(reached).into_iter().map(|lamp| [lamp.id, lamp.title, lamp.light, lamp.word]).collect();
    let headers: Vec<String> = panels.iter().flat_map(|panel| panel.headers.clone()).collect();
    let is_mended = panels.iter().any(|panel| panel.action == Action::Fix);
    let fixes = stacks()
        .into_iter()
        .filter(|_| is_mended)
        .map(|stack| [stack.title.to_owned(), stack.place.to_owned(), stack.fix(&home.origin, &headers)])
        .collect();
    let obstacle = |panel: Panel| Obstacle {
        observed: observed.at(&panel.url),
        reason: panel.reason,
        title: panel.title,
        meaning: panel.meaning,
        remedy: panel.remedy,
        url: panel.url,
        causes: panel.causes,
    };
    PageAccess { origin: home.origin.clone(), stages, obstacles: panels.into_iter().map(obstacle).collect(), fixes }
}

/// The same in sentences, for reports that have no place of their own for it.
fn page_remarks(access: &PageAccess) -> Vec<String> {
    let how = format!(
        "The agent was called as a page of {} would call it, and judged by what a browser lets that page see (--cors-origin).",
        access.origin
    );
    let obstacles = access.obstacles.iter().map(|obstacle| {
        let seen = obstacle.observed.first().map_or_else(String::new, |seen| format!(" {seen}."));
        format!("{} ({}).{seen} {}", obstacle.title, obstacle.url, obstacle.remedy)
    });
    std::iter::once(how).chain(obstacles).collect()
}

fn settings(args: &ConnectionArgs) -> Result<ConnectionSettings> {
    let mut settings = ConnectionSettings { accepts_any_certificate: args.insecure, ..ConnectionSettings::default() };
    for file in &args.roots {
        settings.roots.extend(roots(&read("--cacert", file)?).map_err(|problem| about("--cacert", file, problem))?);
    }
    if let Some(file) = &args.cert {
        let pem = read("--cert", file)?;
        let chain = certificates(&pem).map_err(|problem| about("--cert", file, problem))?;
        let key = match &args.key {
            None => key(&pem).map_err(|problem| match problem {
                SettingsError::NoKey => {
                    anyhow!("--cert {}: it holds no private key; name its file with --key", file.display())
                }
                problem => about("--cert", file, problem),
            })?,
            Some(own) => key(&read("--key", own)?).map_err(|problem| about("--key", own, problem))?,
        };
        settings.identity = Some(ClientIdentity { chain, key });
    }
    settings.proxies = match &args.proxy {
        Some(url) => ProxyRules::of_url(url).context("--proxy")?,
        None => {
            let rules = ProxyRules::of_environment(|name| std::env::var(name).ok());
            rules.map_err(|(variable, problem)| {
                anyhow::Error::new(problem).context(format!("the variable {variable}"))
            })?
        }
    };
    Ok(settings)
}

fn about(option: &str, file: &Path, problem: SettingsError) -> anyhow::Error {
    anyhow::Error::new(problem).context(format!("{option} {}", file.display()))
}

fn read(option: &str, file: &Path) -> Result<Vec<u8>> {
    input::bytes(file, input::DOCUMENT).with_context(|| format!("{option} {} cannot be read", file.display()))
}
