//! The algorithms of signatures that the native host can verify, by ring.

use futures_util::future::{LocalBoxFuture, ready};
use ring::signature;

use crate::host::{Signed, Verifier};
use crate::wire::base64::URL_SAFE;
use crate::wire::json::Value;

/// Verifies by ring.
#[derive(Debug, Clone, Copy)]
pub struct RingVerifier;

impl Verifier for RingVerifier {
    fn verify(&self, signed: Signed) -> LocalBoxFuture<'static, Result<bool, String>> {
        Box::pin(ready(verify(&signed)))
    }
}

fn verify(signed: &Signed) -> Result<bool, String> {
    let Signed { algorithm, key, bytes, signature: given } = signed;
    let member = |name: &str| {
        let text = key.get(name).and_then(Value::as_str).unwrap_or_default();
        let bytes = URL_SAFE.decode(text).filter(|bytes| !bytes.is_empty());
        bytes.ok_or_else(|| format!("the key has no {name} for {algorithm}"))
    };
    let point = |length: usize| {
        let (x, y) = (member("x")?, member("y")?);
        let fits = x.len() == length && y.len() == length;
        fits.then(|| [&[4][..], &x, &y].concat()).ok_or_else(|| format!("the key is not one for {algorithm}"))
    };
    let rsa = |parameters: &'static signature::RsaParameters| {
        let (mut n, e) = (member("n")?, member("e")?);
        // Some writers put the sign of the number before it.
        if n.first() == Some(&0) {
            n.remove(0);
        }
        if !(256..=1024).contains(&n.len()) {
            return Err("the key has fewer than 2048 bits, or more than 8192".to_owned());
        }
        Ok(signature::RsaPublicKeyComponents { n, e }.verify(parameters, bytes, given).is_ok())
    };
    let (scheme, public): (&'static dyn signature::VerificationAlgorithm, Vec<u8>) = match algorithm.as_str() {
        "ES256" => (&signature::ECDSA_P256_SHA256_FIXED, point(32)?),
        "ES384" => (&signature::ECDSA_P384_SHA384_FIXED, point(48)?),
        "EdDSA" if key.get("crv").is_some_and(|curve| *curve == "Ed25519") => (&signature::ED25519, member("x")?),
        "RS256" => return rsa(&signature::RSA_PKCS1_2048_8192_SHA256),
        "PS256" => return rsa(&signature::RSA_PSS_2048_8192_SHA256),
        other => return Err(format!("signatures with {other} cannot be verified here")),
    };
    Ok(signature::UnparsedPublicKey::new(scheme, public).verify(bytes, given).is_ok())
}
