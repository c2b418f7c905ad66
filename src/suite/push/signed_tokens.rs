//! JSON Web Tokens by which an agent shows its webhooks who sends their notifications, and whether its keys made them.

use super::delivery_judgement::arrived;
use super::notification::Notification;
use super::webhooks::Webhook;
use crate::engine::prelude::{Driver, Judged, Transcript, Verdict};
use crate::host::Signed;
use crate::suite::signing_keys::{decoded, keys_to_try, published_keys, trusted_keys};
use crate::wire::json::{Value, brief, parse};

/// The steps that record what came of a token: it verifies, it does not, or that could not be found out.
const VERIFIED: &str = "token-verified";
const UNVERIFIED: &str = "token-unverified";
const UNTRIED: &str = "token-untried";

/// Where agents publish the keys of their notifications: the specification gives no place, and this is where its samples do.
const KEYS_PATH: &str = "/.well-known/jwks.json";

/// How far two clocks may differ, in seconds.
const LEEWAY_S: f64 = 60.0;

/// How much of a key's id is quoted, in characters.
const LONGEST_KID: usize = 60;

/// A JSON Web Token in the compact form (RFC 7515 §7.1, RFC 7519 §3).
struct SignedToken {
    header: Value,
    claims: Value,
    signed: String,
    signature: Vec<u8>,
}

impl SignedToken {
    /// The token of an `Authorization` field, if it has one.
    fn from_authorization(authorization: &str) -> Option<Self> {
        let (scheme, token) = authorization.split_once(' ')?;
        let (signed, signature) = token.trim().rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let object = |text| decoded(text).and_then(|bytes| parse(&bytes).value).filter(Value::is_object);
        let header = object(header).filter(|header| header.get("alg").is_some_and(Value::is_string))?;
        let is_bearer = scheme.eq_ignore_ascii_case("bearer");
        is_bearer.then_some(Self {
            header,
            claims: object(claims)?,
            signed: signed.to_owned(),
            signature: decoded(signature)?,
        })
    }

    fn text(&self, name: &str) -> &str {
        self.header.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// What is wrong with its times (RFC 7519 §4.1), at this time in seconds since 1970.
    fn time_problem(&self, now_s: f64) -> Option<String> {
        let claim = |name: &str| self.claims.get(name).and_then(Value::as_f64);
        if let Some(ended_s) = claim("exp").filter(|ended_s| ended_s + LEEWAY_S < now_s) {
            return Some(format!("a token that had expired when it arrived (exp: {ended_s:.0})"));
        }
        let late = ["nbf", "iat"]
            .into_iter()
            .find_map(|name| Some((name, claim(name)?)).filter(|(_, begins_s)| *begins_s > now_s + LEEWAY_S));
        late.map(|(name, begins_s)| format!("a token that was not valid yet when it arrived ({name}: {begins_s:.0})"))
    }

    /// Whether one of these keys made it; `None` where none of them is the one that it names.
    async fn is_made_by(&self, d: &Driver, keys: &[Value]) -> Result<Option<bool>, String> {
        let kid = self.text("kid");
        let mut made = None;
        for key in keys_to_try(keys, kid)? {
            let signed = Signed {
                algorithm: self.text("alg").to_owned(),
                key: key.clone(),
                bytes: self.signed.clone().into_bytes(),
                signature: self.signature.clone(),
            };
            let is_right = d.verify(signed).await?;
            made = Some(is_right || made == Some(true));
        }
        Ok(made)
    }
}

fn token_of(notification: &Notification<'_>) -> Option<SignedToken> {
    notification.field("authorization").and_then(SignedToken::from_authorization)
}

/// Finds out whether the first token that arrived at a webhook is right, and records it.
pub(super) async fn record(d: &Driver, webhook: &Webhook) {
    let steps = d.every(webhook.name);
    let found = steps.iter().find_map(|step| Some((step, token_of(&Notification::from_step(step, d.dialect()))?)));
    let Some((step, token)) = found else { return };
    let (outcome, words) = match token.time_problem(d.wall_ms() / 1000.0) {
        Some(problem) => (UNVERIFIED, problem),
        None => tried(d, &token).await.unwrap_or_else(|why| (UNTRIED, why)),
    };
    d.record_finding(outcome, step, words.into());
}

/// The result of a token, and its words; or why it cannot be told.
async fn tried(d: &Driver, token: &SignedToken) -> Result<(&'static str, String), String> {
    let shown_kid = brief(&token.text("kid").into(), LONGEST_KID);
    let trusted = trusted_keys(d).await?;
    if token.is_made_by(d, &trusted).await? == Some(true) {
        return Ok((VERIFIED, format!("the token verifies with the key {shown_kid}, which you trust")));
    }
    let url = format!("{}{KEYS_PATH}", d.address().parsed().origin());
    let Some(keys) = published_keys(d, "notification-keys", &url).await.0 else {
        return Err(format!("no key set could be read from {url}; to verify it, give the agent's keys with --jwks"));
    };
    match token.is_made_by(d, &keys).await? {
        Some(true) => Ok((VERIFIED, format!("the token verifies with the key {shown_kid}, published at {url}"))),
        Some(false) => Ok((UNVERIFIED, format!("a token that the key {shown_kid} of {url} did not sign"))),
        None => Err(format!("the key set at {url} has no key {shown_kid}; give the agent's keys with --jwks")),
    }
}

/// `push.signed-token`.
pub(super) fn signed_token(t: &Transcript, webhook: &Webhook) -> Judged {
    let delivered = arrived(t, webhook)?;
    let Some(signed) = delivered.notifications.iter().find(|known| token_of(known).is_some()) else {
        return Err(Verdict::not_applicable("no notification carries a signed token (JWT)"));
    };
    let found = |name| t.every(name).next().and_then(|step| step.reply.document.as_deref()?.as_str());
    if let Some(words) = found(VERIFIED) {
        return Ok(signed.step.pass_with(words));
    }
    if let Some(problem) = found(UNVERIFIED) {
        let expected = "a token that is valid now and that the agent's key signed";
        return Ok(signed.step.fail(expected, problem).at("Authorization"));
    }
    let why = found(UNTRIED).unwrap_or("it was not tried");
    Err(signed.step.inconclusive(format!("a token could not be verified: {why}")))
}
