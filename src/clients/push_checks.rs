//! The push configs that a client sends: a URL, https, and a token of their own.

use std::collections::HashMap;

use super::client_check::{ClientCheck, judge_places};
use super::conversation::{ClientCall, ClientConversation, text};
use crate::a2a::model::Operation;
use crate::engine::check::Check;
use crate::engine::verdict::{Judged, Verdict};
use crate::wire::json::{Pointer, Value};
use crate::wire::url::{Url, is_absolute_uri};

/// For a rule about push configs when there are none.
const NO_CONFIG: &str = "the client sent no push config";

pub(super) static CHECKS: &[ClientCheck] = &[
    Check {
        id: "client.push-config-url",
        title: "Push configs have an absolute URL",
        why: "An agent cannot send a notification without knowing where.",
        fix: "Set url of the push config to the absolute URL of your webhook.",
        ..Check::tripped_by(&["push-without-url"])
    }
    .judging_clients_by(config_url),
    Check {
        id: "client.push-https",
        title: "Webhooks outside this network use https",
        why: "Anybody on the way can read and change a notification over http.",
        fix: "Serve the webhook over https.",
        ..Check::tripped_by(&["push-over-http"])
    }
    .judging_clients_by(https),
    Check {
        id: "client.push-token-unique",
        title: "Each push config has a token of its own",
        why: "Whoever learns a token that serves for several tasks can send notifications about all of them.",
        fix: "Generate a token for each push config.",
        ..Check::tripped_by(&["push-token-reused"])
    }
    .judging_clients_by(token_unique),
];

/// The push configs in a call, with their places.
pub(super) fn configs_of(call: &ClientCall) -> Vec<(&Value, Pointer)> {
    let params = &call.params;
    let mut found = Vec::new();
    if call.is(&[Operation::CreatePushConfig]) {
        match params.get("pushNotificationConfig") {
            Some(config) => found.push((config, call.place("pushNotificationConfig"))),
            None => found.push((params, call.place("url"))),
        }
    }
    if call.is_send() {
        let configuration = params.get("configuration").unwrap_or(&Value::Null);
        let names = ["taskPushNotificationConfig", "pushNotificationConfig"];
        let inside = names.into_iter().map(|name| (configuration.get(name), call.place("configuration").key(name)));
        let own = std::iter::once((params.get("pushNotification"), call.place("pushNotification")));
        for (config, at) in inside.chain(own) {
            if let Some(config) = config.filter(|config| config.is_object()) {
                found.push((config, at));
            }
        }
    }
    found
}

/// The push configs of a lane, each with its call.
fn configs<'a>(c: &ClientConversation<'a>) -> Vec<(&'a ClientCall, (&'a Value, Pointer))> {
    c.calls().flat_map(|call| configs_of(call).into_iter().map(move |config| (call, config))).collect()
}

fn config_url(c: &ClientConversation<'_>) -> Judged {
    judge_places(configs(c), NO_CONFIG, |call, (config, at)| {
        let url = text(config, "url");
        let fits = url.is_some_and(is_absolute_uri);
        let actual = url.map_or_else(|| "none".to_owned(), |url| format!("{url:?}"));
        (!fits).then(|| call.fail("an absolute URL", actual).at(at))
    })
}

fn https(c: &ClientConversation<'_>) -> Judged {
    let public = configs(c).into_iter().filter_map(|(call, (config, at))| {
        let url = Url::parse(text(config, "url")?).ok()?;
        url.is_public().then_some((call, (url, at)))
    });
    let without = "the client named no webhook on a host that is certainly on the public internet";
    judge_places(public, without, |call, (url, at)| {
        (url.scheme != "https").then(|| call.fail("https", url.to_string()).at(at))
    })
}

/// What a push config is for: the task and the URL, as far as the call names them.
type ConfigAim<'a> = (Option<&'a str>, Option<&'a str>);

fn token_unique(c: &ClientConversation<'_>) -> Judged {
    // By token, what it was used for, each once.
    let mut known: HashMap<u64, Vec<(ConfigAim<'_>, u32)>> = HashMap::new();
    let (mut count, mut ends) = (0, (0, 0));
    for (call, (config, at)) in configs(c) {
        let Some(token) = call.received.webhook_token.filter(|_| text(config, "token").is_some()) else { continue };
        // The same config may be sent again, with its id or to its URL.
        let task = text(&call.params, "taskId").or_else(|| text(&call.params, "id"));
        let aim = (task, text(config, "url"));
        let used = known.entry(token).or_default();
        let is_other =
            |(task, url): ConfigAim<'_>| url != aim.1 || (aim.0.is_some() && task.is_some() && task != aim.0);
        if let Some((_, first)) = used.iter().find(|(other, _)| is_other(*other)) {
            let verdict = call.fail("a token of its own", "the token of another config");
            return Ok(verdict.at(at).seen_in(*first));
        }
        if !used.iter().any(|(other, _)| *other == aim) {
            used.push((aim, call.id()));
        }
        ends = (if count == 0 { call.id() } else { ends.0 }, call.id());
        count += 1;
    }
    if count < 2 {
        return Err(Verdict::not_applicable("the client sent fewer than two push configs with tokens"));
    }
    Ok(Verdict::pass().seen_in(ends.0).seen_in(ends.1))
}
