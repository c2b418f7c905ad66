//! The agent that is checked: that of the form, or the demo agent.

use std::rc::Rc;

use a2a_conformance::a2a::headers::OWN;
use a2a_conformance::agent::ScriptedAgent;
use a2a_conformance::agent::fault::{FAULTS, Faults};
use a2a_conformance::agent::loopback::Loopback;
use a2a_conformance::engine::options::{FixedCredentials, Options};
use a2a_conformance::host::probe::PageOrigin;
use a2a_conformance::host::{Host, RandomIdSource, Visibility, web};
use a2a_conformance::view_model::demo;
use a2a_conformance::view_model::settings::Settings;
use js_sys::Error;
use wasm_bindgen::prelude::JsValue;

pub(super) enum Target {
    Agent {
        /// The address as it is typed.
        address: String,
        settings: Box<Settings>,
        /// The address that the page was loaded from.
        home: PageOrigin,
    },
    Demo {
        faults: Vec<String>,
    },
}

impl Target {
    /// The host and the options of a run.
    pub(super) fn run(&self) -> Result<(Host, Options), JsValue> {
        Ok(match self {
            Self::Agent { address, settings, .. } => (self.host(), options(address, settings)?),
            Self::Demo { faults } => demo_agent(faults, web::without_waits(web::host(&OWN))),
        })
    }

    /// The same of both agents, where the second address of the form is that of another.
    pub(super) fn both(&self) -> Result<Option<[(Host, Options); 2]>, JsValue> {
        let Self::Agent { address, settings, .. } = self else { return Ok(None) };
        let both = settings.both_options(address).map_err(|problem| JsValue::from(Error::new(&problem)))?;
        Ok(both.map(|both| both.map(|options| (self.host(), options))))
    }

    /// The origin of the page from which a browser hides header fields of this agent; `None` where all are seen.
    pub(super) fn hides_from(&self) -> Option<String> {
        match self {
            Self::Agent { home, .. } => Some(home.origin.clone()),
            Self::Demo { .. } => None,
        }
    }

    /// A host for another run of it.
    pub(super) fn host(&self) -> Host {
        match self {
            Self::Agent { home, .. } => web::host_of(&OWN, home.clone()),
            Self::Demo { faults } => demo_agent(faults, web::without_waits(web::host(&OWN))).0,
        }
    }

    /// The same for some checks of it, with what the form says now if it is still about this agent. Of the form only the
    /// prompts concern the demo agent.
    pub(super) fn again(&self, checks: Vec<String>, settings: Option<&Settings>) -> Result<(Host, Options), JsValue> {
        let (host, mut now) = self.run()?;
        if let Some(settings) = settings {
            match self {
                Self::Agent { address, .. } => now = options(address, settings)?,
                Self::Demo { .. } => now.prompts = options(&now.address, settings)?.prompts,
            }
        }
        Ok((host, Options { only: checks, repeat: 1, ..now }))
    }
}

/// The host and the options of somebody who calls the demo agent by hand, and sees it work at its own pace: a task that was over at
/// once could be neither watched nor canceled.
pub(super) fn demo_at_its_pace(faults: &[String]) -> (Host, Options) {
    demo_agent(faults, web::host(&OWN))
}

/// The page has looked at the form before, and said what is wrong with it.
pub(super) fn options(address: &str, settings: &Settings) -> Result<Options, JsValue> {
    settings.options(address).map_err(|problem| Error::new(&problem).into())
}

/// This host with only the demo agent to be reached, by the host's clock, and the options of a run: the credentials that the agent asks for, and the
/// address at which its faults show, which is that of a version.
fn demo_agent(names: &[String], host: Host) -> (Host, Options) {
    // The names come from `Question::Faults`, or from a link, which may be of another version.
    let known = names.iter().map(String::as_str).filter(|name| FAULTS.iter().any(|fault| fault.id == *name));
    let faults = Faults::parse(known).unwrap_or_default();
    let second = faults.second_credentials().into_iter().collect();
    let options = Options {
        address: format!("{}{}", demo::ADDRESS, faults.at()),
        headers: faults.credentials().into_iter().collect(),
        second: FixedCredentials { headers: second, query: Vec::new() },
        ..Options::default()
    };
    let agent = ScriptedAgent::new(demo::ADDRESS, Rc::clone(&host.clock), Rc::new(RandomIdSource), faults);
    let transport = Rc::new(Loopback::new(agent));
    // Over gRPC it is asked as a page has to.
    let visibility = Visibility { trailers: false, ..Visibility::FULL };
    (Host { transport, visibility, prober: None, ..host }, options)
}
