//! A signed card: each algorithm and each canonical form in the wild verifies, and a card that was touched does not.

use std::cell::RefCell;
use std::rc::Rc;

use a2a_conformance::a2a::canonical::forms;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::{Outcome, Verdict};
use a2a_conformance::host::{StreamedResponse, Transport};
use a2a_conformance::wire::base64::URL_SAFE;
use a2a_conformance::wire::exchange::TransportError;
use a2a_conformance::wire::http::{Headers, Request, ResponseHead};
use futures_util::future::LocalBoxFuture;
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm,
    Ed25519KeyPair, KeyPair,
};
use serde_json::{Value, json};

use crate::support::{check_on, host};

/// Somebody who signs.
enum Signer {
    Ecdsa(EcdsaKeyPair, &'static str, &'static str),
    Ed25519(Ed25519KeyPair),
}

impl Signer {
    fn ecdsa(algorithm: &'static EcdsaSigningAlgorithm, name: &'static str, curve: &'static str) -> Self {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        Self::Ecdsa(EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap(), name, curve)
    }

    fn ed25519() -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed25519(Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap())
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Ecdsa(_, name, _) => name,
            Self::Ed25519(_) => "EdDSA",
        }
    }

    fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Ecdsa(pair, ..) => pair.sign(&SystemRandom::new(), bytes).unwrap().as_ref().to_vec(),
            Self::Ed25519(pair) => pair.sign(bytes).as_ref().to_vec(),
        }
    }

    fn key(&self) -> Value {
        match self {
            Self::Ecdsa(pair, _, curve) => {
                // The uncompressed point: a four, and both coordinates.
                let point = &pair.public_key().as_ref()[1..];
                let (x, y) = point.split_at(point.len() / 2);
                json!({ "kty": "EC", "crv": curve, "kid": "ours", "x": URL_SAFE.encode(x), "y": URL_SAFE.encode(y) })
            }
            Self::Ed25519(pair) => {
                let x = URL_SAFE.encode(pair.public_key().as_ref());
                json!({ "kty": "OKP", "crv": "Ed25519", "kid": "ours", "x": x })
            }
        }
    }
}

/// Signs the card on its way, as one of the texts that it may be signed as, and serves the key beside it.
struct Signing {
    inner: Rc<dyn Transport>,
    signer: Rc<Signer>,
    form: usize,
    /// The members of the protected header besides `alg`, `typ` and `kid`.
    header: Value,
    /// A change to the card after it was signed.
    touch: fn(&mut Value),
    /// The addresses that were asked for.
    asked: Rc<RefCell<Vec<String>>>,
}

const KEYS: &str = "http://agent.test/keys.json";
/// The same key at another origin, for which only the card vouches.
const ELSEWHERE: &str = "https://keys.example/set.json";
/// The URL that its certificate would be at.
const CERTIFICATE: &str = "https://keys.example/certificate.pem";

impl Transport for Signing {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (signer, form, touch) = (Rc::clone(&self.signer), self.form, self.touch);
        let more = self.header.clone();
        self.asked.borrow_mut().push(request.url.clone());
        if request.url == KEYS || request.url == ELSEWHERE {
            assert_eq!(request.headers.get("authorization"), None);
            let body = json!({ "keys": [{ "kty": "EC", "kid": "another" }, signer.key()] }).to_string().into_bytes();
            let headers: Headers = [("content-type", "application/json")].into_iter().collect();
            let head = ResponseHead { status: 200, headers, url: request.url, redirected: false };
            return async move { Ok(StreamedResponse { head, body: iter([Ok(body)]).boxed_local() }) }.boxed_local();
        }
        let is_card = request.url.ends_with("/agent-card.json");
        let sent = self.inner.send(request);
        async move {
            let mut answer = sent.await?;
            if is_card && answer.head.status == 200 {
                let body: Vec<u8> = answer.body.map(Result::unwrap).concat().await;
                let mut card: Value = serde_json::from_slice(&body).unwrap();
                card["iconUrl"] = "".into();
                card["skills"][0]["name"] = "M\u{fc}nzen".into();
                let mut header = json!({ "alg": signer.algorithm(), "typ": "JOSE", "kid": "ours" });
                for (name, value) in more.as_object().unwrap() {
                    header[name.as_str()] = value.clone();
                }
                let header = header.to_string();
                let protected = URL_SAFE.encode(header.as_bytes());
                let payload = URL_SAFE.encode(forms(&card).unwrap()[form].1.as_bytes());
                let signature = URL_SAFE.encode(&signer.sign(format!("{protected}.{payload}").as_bytes()));
                touch(&mut card);
                card["signatures"] = json!([{ "protected": protected, "signature": signature }]);
                answer.body = iter([Ok(card.to_string().into_bytes())]).boxed_local();
            }
            Ok(answer)
        }
        .boxed_local()
    }
}

/// The verdicts of the checks of signatures on a card, and the addresses that they asked for.
struct Signed {
    verdicts: Vec<(&'static str, Verdict)>,
    asked: Vec<String>,
}

impl Signed {
    fn verifies(&self) -> (Outcome, &str) {
        let found = self.verdicts.iter().find(|(id, _)| *id == "card.signature-verifies");
        let (_, verdict) = found.expect("the check");
        (verdict.outcome, &verdict.message)
    }
}

/// Checks a card that is signed with this protected header, for a user who trusts these keys.
fn signed(signer: &Rc<Signer>, header: Value, jwks: &str, form: usize, touch: fn(&mut Value)) -> Signed {
    let (mut host, clock) = host(&[]);
    let asked = Rc::new(RefCell::default());
    let signing =
        Signing { inner: host.transport, signer: Rc::clone(signer), form, header, touch, asked: Rc::clone(&asked) };
    host.transport = Rc::new(signing);
    let only = vec!["card.signature-*".to_owned()];
    let headers = vec![("Authorization".to_owned(), "Bearer secret".to_owned())];
    let told = check_on(host, &clock, Options { only, headers, jwks: jwks.to_owned(), ..Options::default() });
    let judged = told.results.iter().filter(|result| result.row.check.id.starts_with("card.signature-"));
    let verdicts = judged.map(|result| (result.row.check.id, result.verdict.clone())).collect();
    Signed { verdicts, asked: asked.take() }
}

/// The verdicts of the checks of signatures on a card that names its key set.
fn verdicts(signer: &Rc<Signer>, form: usize, touch: fn(&mut Value)) -> Vec<(&'static str, Verdict)> {
    signed(signer, json!({ "jku": KEYS }), "", form, touch).verdicts
}

/// A set of one key, under the id that the signatures name.
fn set(signer: &Signer) -> String {
    json!({ "keys": [{ "kid": "another", "kty": "EC" }, signer.key()] }).to_string()
}

#[test]
fn signatures_in_the_forms_that_real_signers_use_verify() {
    let signers = [
        Signer::ecdsa(&ECDSA_P256_SHA256_FIXED_SIGNING, "ES256", "P-256"),
        Signer::ecdsa(&ECDSA_P384_SHA384_FIXED_SIGNING, "ES384", "P-384"),
        Signer::ed25519(),
    ];
    for signer in signers.map(Rc::new) {
        for form in 0..5 {
            let verdicts = verdicts(&signer, form, |_| {});
            assert_eq!(verdicts.len(), 4);
            for (id, verdict) in verdicts {
                assert_eq!(verdict.outcome, Outcome::Pass, "{} {form} {id}: {:?}", signer.algorithm(), verdict.actual);
            }
        }
    }
}

#[test]
fn a_card_that_was_changed_after_it_was_signed_does_not_verify() {
    let signer = Rc::new(Signer::ed25519());
    let changed = verdicts(&signer, 0, |card| card["description"] = "Something else.".into());
    let failed: Vec<_> =
        changed.iter().filter(|(_, verdict)| verdict.outcome != Outcome::Pass).map(|(id, _)| *id).collect();
    assert_eq!(failed, ["card.signature-verifies"]);
}

#[test]
fn a_key_that_only_the_card_names_proves_integrity_and_not_who_signed() {
    let signer = Rc::new(Signer::ed25519());
    for (jku, remark) in [(KEYS, ""), (ELSEWHERE, ", at another origin than the card")] {
        let signed = signed(&signer, json!({ "jku": jku }), "", 0, |_| {});
        let (outcome, message) = signed.verifies();
        let expected = format!(
            "it verifies under the key \"ours\", published at \"{jku}\"{remark}, which the card itself names: this proves \
             integrity, not who signed"
        );
        assert_eq!(outcome, Outcome::Pass);
        assert!(message.starts_with(&expected) && !message.contains("trust"), "{message}");
    }
}

#[test]
fn a_key_that_the_user_trusts_says_who_signed_and_the_card_is_not_asked_for_one() {
    let signer = Rc::new(Signer::ecdsa(&ECDSA_P256_SHA256_FIXED_SIGNING, "ES256", "P-256"));
    for header in [json!({ "jku": ELSEWHERE }), json!({})] {
        let signed = signed(&signer, header, &set(&signer), 0, |_| {});
        let (outcome, message) = signed.verifies();
        assert_eq!(outcome, Outcome::Pass, "{message}");
        assert!(message.starts_with("it verifies with the key \"ours\", which you trust"), "{message}");
        assert!(!signed.asked.iter().any(|url| url == ELSEWHERE));
    }
    // A key of one's own need not have an id.
    let mut key = signer.key();
    key.as_object_mut().unwrap().remove("kid");
    let signed_without = signed(&signer, json!({}), &json!({ "keys": [key] }).to_string(), 0, |_| {});
    assert!(signed_without.verifies().1.contains("which you trust"), "{}", signed_without.verifies().1);
    // By its URL, which is fetched without the user's credentials.
    let signed = signed(&signer, json!({}), ELSEWHERE, 0, |_| {});
    assert!(signed.verifies().1.contains("which you trust"), "{}", signed.verifies().1);
    assert!(signed.asked.iter().any(|url| url == ELSEWHERE));
}

#[test]
fn a_key_of_the_card_is_never_taken_for_one_that_is_trusted() {
    let (signer, other) = (Rc::new(Signer::ed25519()), Signer::ed25519());
    let jku = || json!({ "jku": KEYS });
    for (jwks, remark) in [
        (set(&other), "it does not verify with any key that you trust"),
        (json!({ "keys": [] }).to_string(), ""),
        (
            json!({ "keys": [{ "kty": "OKP", "kid": "another" }] }).to_string(),
            "it does not verify with any key that you trust",
        ),
        ("https://nowhere.example/keys".to_owned(), "no key set could be read from the URL of the trusted keys"),
    ] {
        let signed = signed(&signer, jku(), &jwks, 0, |_| {});
        let (outcome, message) = signed.verifies();
        assert_eq!(outcome, Outcome::Pass, "{message}");
        assert!(message.contains("not who signed") && message.contains(remark), "{message}");
        assert!(!message.contains("which you trust"), "{message}");
    }
    // A card that was changed is not verified by a key that is trusted either.
    let changed = signed(&signer, jku(), &set(&signer), 0, |card| card["description"] = "Something else.".into());
    assert_eq!(changed.verifies().0, Outcome::Fail);
}

#[test]
fn no_key_is_taken_from_a_certificate_or_from_the_header_itself() {
    let signer = Rc::new(Signer::ed25519());
    let headers = [
        ("x5u", json!({ "x5u": CERTIFICATE })),
        ("x5c", json!({ "x5c": ["MIIB"] })),
        ("jwk", json!({ "jwk": signer.key() })),
    ];
    for (name, header) in headers {
        let alone = signed(&signer, header.clone(), "", 0, |_| {});
        let (outcome, message) = alone.verifies();
        assert_eq!(outcome, Outcome::Inconclusive, "{message}");
        assert!(message.contains(&format!("no key is taken from {name}")) && message.contains("--jwks"), "{message}");
        let trusted = signed(&signer, header, &set(&signer), 0, |_| {});
        assert!(trusted.verifies().1.contains("which you trust"), "{}", trusted.verifies().1);
        for signed in [alone, trusted] {
            assert!(!signed.asked.iter().any(|url| url == CERTIFICATE));
        }
    }
}
