//! Which options of a run a report shows: everything but the secrets, so that somebody else can repeat the run.

use super::options::{FixedCredentials, OAuthClient, Options, Source};
use crate::wire::limits::MOST_INTERFACES;

/// The options of a run, without secrets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunSettings {
    /// The kind of source that the run began with: `address`, `card` or `endpoint`.
    pub source: &'static str,
    /// The version that the user chose.
    pub version: Option<String>,
    /// The profile that the user chose.
    pub profile: Option<&'static str>,
    /// The patterns of the checks that were selected; empty for all.
    pub only: Vec<String>,
    /// Whether scenarios were driven, too, that cost many messages.
    pub thorough: bool,
    /// How many interfaces were called at most, if the user wanted another number than usual.
    pub interfaces: Option<usize>,
    /// The ids of the skills that the user chose; empty for all.
    pub skills: Vec<String>,
    /// The user's prompts, by the names of their behaviours.
    pub prompts: Vec<(&'static str, String)>,
    /// The kinds of credentials that were sent, with the names of their headers and parameters.
    pub credentials: Vec<String>,
    /// Whether there were credentials of a second identity as well.
    pub second_identity: bool,
    /// Whether the user said whose keys sign the card.
    pub trusted_keys: bool,
    /// How many requests may be under way at once.
    pub concurrency: usize,
    /// How many runs the user wanted, where it is more than one; else 0.
    pub repeat: u32,
    /// How long to wait for what, in milliseconds.
    pub timeouts_ms: Vec<(&'static str, f64)>,
}

impl RunSettings {
    /// The settings of these options.
    #[must_use]
    pub fn from_options(options: &Options) -> Self {
        let redactor = options.redactor();
        let times = options.timeouts;
        Self {
            source: match options.source {
                Source::Discovery => "address",
                Source::Card(_) => "card",
                Source::Endpoint(_) => "endpoint",
            },
            version: options.version.clone(),
            profile: options.profile.map(|profile| profile.as_str()),
            only: options.only.clone(),
            thorough: options.is_thorough,
            interfaces: Some(options.most_interfaces).filter(|most| *most != MOST_INTERFACES),
            skills: options.skills.clone(),
            prompts: options.prompts.iter().map(|(name, text)| (name.as_str(), redactor.text(text))).collect(),
            credentials: credentials(options),
            second_identity: options.has_second_identity(),
            trusted_keys: !options.jwks.is_empty(),
            concurrency: options.concurrency,
            repeat: if options.repeat > 1 { options.repeat } else { 0 },
            timeouts_ms: vec![
                ("scenario", options.timeout_ms),
                ("reach", times.reach_ms),
                ("answer", times.answer_ms),
                ("firstEvent", times.first_event_ms),
                ("idle", times.idle_ms),
                ("run", times.run_ms),
            ],
        }
    }
}

/// `header Authorization`, `query key`, `header X-Key for rest-1.0`, `oauth client`, `header X-Key of the second identity`.
fn credentials(options: &Options) -> Vec<String> {
    let header = |(name, _): &(String, String)| format!("header {name}");
    let query = |(name, _): &(String, String)| format!("query {name}");
    let of_all = |headers: &[(String, String)], parameters: &[(String, String)]| -> Vec<String> {
        headers.iter().map(header).chain(parameters.iter().map(query)).collect()
    };
    let of_lane = |(lane, fixed): &(String, FixedCredentials)| -> Vec<String> {
        of_all(&fixed.headers, &fixed.query).into_iter().map(|kind| format!("{kind} for {lane}")).collect()
    };
    let of_client = |client: &Option<OAuthClient>| client.as_ref().map(|_| "oauth client".to_owned());
    let mut kinds = of_all(&options.headers, &options.query);
    kinds.extend(options.lanes.iter().flat_map(of_lane));
    kinds.extend(of_client(&options.client));
    let second = of_all(&options.second.headers, &options.second.query).into_iter();
    let second = second.chain(options.second_lanes.iter().flat_map(of_lane)).chain(of_client(&options.second_client));
    kinds.extend(second.map(|kind| format!("{kind} of the second identity")));
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::options::OAuthClient;

    #[test]
    fn credentials_are_named_and_never_shown() {
        let pair = |name: &str| (name.to_owned(), "canary-1234".to_owned());
        let mut options = Options {
            headers: vec![pair("Authorization")],
            query: vec![pair("key")],
            lanes: vec![(
                "rest-1.0".to_owned(),
                FixedCredentials { headers: vec![pair("X-Key")], ..Default::default() },
            )],
            second_lanes: vec![(
                "rest-1.0".to_owned(),
                FixedCredentials { query: vec![pair("user")], ..Default::default() },
            )],
            skills: vec!["echo".to_owned()],
            jwks: r#"{"keys":[{"k":"canary-1234"}]}"#.to_owned(),
            client: Some(OAuthClient { secret: "canary-1234".to_owned(), ..OAuthClient::default() }),
            ..Options::default()
        };
        options.prompts.set(crate::engine::prompt::Behaviour::Cancel, "wait for canary-1234".to_owned());
        let settings = RunSettings::from_options(&options);
        let kinds = [
            "header Authorization",
            "query key",
            "header X-Key for rest-1.0",
            "oauth client",
            "query user for rest-1.0 of the second identity",
        ];
        assert_eq!(settings.credentials, kinds);
        assert_eq!(settings.skills, ["echo"]);
        assert!(settings.second_identity && settings.trusted_keys);
        let plain = RunSettings::from_options(&Options::default());
        assert!(!plain.second_identity && !plain.trusted_keys && plain.skills.is_empty());
        assert!(!format!("{settings:?}").contains("canary"), "{settings:?}");
    }
}
