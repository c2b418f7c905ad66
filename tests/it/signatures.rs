//! A signed card: each algorithm and each canonical form in the wild verifies, and a card that was touched does not.

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
    /// What becomes of the card once it is signed.
    touch: fn(&mut Value),
}

const KEYS: &str = "http://agent.test/keys.json";

impl Transport for Signing {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let (signer, form, touch) = (Rc::clone(&self.signer), self.form, self.touch);
        if request.url == KEYS {
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
                let header =
                    json!({ "alg": signer.algorithm(), "typ": "JOSE", "kid": "ours", "jku": KEYS }).to_string();
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

/// What the checks of signatures say of a card that is signed so.
fn verdicts(signer: &Rc<Signer>, form: usize, touch: fn(&mut Value)) -> Vec<(&'static str, Verdict)> {
    let (mut host, clock) = host(&[]);
    host.transport = Rc::new(Signing { inner: host.transport, signer: Rc::clone(signer), form, touch });
    let only = vec!["card.signature-*".to_owned()];
    let told = check_on(host, &clock, Options { only, ..Options::default() });
    let judged = told.results.iter().filter(|result| result.row.check.id.starts_with("card.signature-"));
    judged.map(|result| (result.row.check.id, result.verdict.clone())).collect()
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
