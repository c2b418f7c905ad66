//! The target of a run: an agent at an address, a card by itself, or an endpoint without a card.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::args::{Capability, CheckArgs, EndpointBinding};
use super::input;
use crate::a2a::binding::base_url;
use crate::engine::discover::normalise;
use crate::engine::options::{Endpoint, Source};
use crate::wire::json::parse;

/// The address and where the run learns how the agent is called.
pub(super) fn read_target(args: &CheckArgs) -> Result<(String, Source)> {
    if let Some(path) = &args.card {
        let (name, bytes) = read(path)?;
        if !parse(&bytes).value.is_some_and(|card| card.is_object()) {
            bail!(
                "{name} is not a card: a card is one JSON object, as agents serve it at /.well-known/agent-card.json"
            );
        }
        return Ok((name, Source::Card(bytes)));
    }
    if let (Some(url), Some(binding)) = (&args.endpoint, args.binding) {
        let url = match binding {
            EndpointBinding::Grpc => base_url(url).context("this endpoint cannot be checked")?,
            EndpointBinding::Jsonrpc | EndpointBinding::HttpJson => url.clone(),
        };
        normalise(&url).context("this endpoint cannot be checked")?;
        return Ok((url, Source::Endpoint(endpoint(binding, args))));
    }
    let url = args.url.clone().unwrap_or_default();
    normalise(&url).context("this address cannot be checked")?;
    Ok((url, Source::Discovery))
}

fn endpoint(binding: EndpointBinding, args: &CheckArgs) -> Endpoint {
    let declares = &args.declares;
    Endpoint {
        binding: match binding {
            EndpointBinding::Jsonrpc => "JSONRPC".to_owned(),
            EndpointBinding::HttpJson => "HTTP+JSON".to_owned(),
            EndpointBinding::Grpc => "GRPC".to_owned(),
        },
        tenant: args.tenant.clone(),
        extensions: args.extensions.clone(),
        streaming: declares.contains(&Capability::Streaming),
        push_notifications: declares.contains(&Capability::PushNotifications),
        extended_card: declares.contains(&Capability::ExtendedCard),
    }
}

/// The name and the content of a file; `-` is standard input.
fn read(path: &Path) -> Result<(String, Vec<u8>)> {
    let name = if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
    let bytes = input::bytes(path, input::DOCUMENT).with_context(|| {
        let is_address = ["http://", "https://"].iter().any(|scheme| name.starts_with(scheme));
        let instead = if is_address { " (to check the agent at an address, give it without --card)" } else { "" };
        format!("--card {name} cannot be read{instead}")
    })?;
    Ok((name, bytes))
}
