//! The algorithms of signatures that a page can verify, by the browser's own cryptography.

use futures_util::future::LocalBoxFuture;
use js_sys::{Array, JSON, Object, Uint8Array};
use wasm_bindgen::prelude::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::environment::subtle;
use crate::host::{Signed, Verifier};
use crate::wire::json::Value;

/// Verifies by the browser's own cryptography, which it lends to pages of https and of this machine only.
pub(super) struct WebCryptoVerifier;

impl Verifier for WebCryptoVerifier {
    fn verify(&self, signed: Signed) -> LocalBoxFuture<'static, Result<bool, String>> {
        Box::pin(async move {
            // One object for both steps; each takes the members that it knows.
            let algorithm = match signed.algorithm.as_str() {
                "ES256" => r#"{"name":"ECDSA","namedCurve":"P-256","hash":"SHA-256"}"#,
                "ES384" => r#"{"name":"ECDSA","namedCurve":"P-384","hash":"SHA-384"}"#,
                "RS256" => r#"{"name":"RSASSA-PKCS1-v1_5","hash":"SHA-256"}"#,
                "PS256" => r#"{"name":"RSA-PSS","hash":"SHA-256","saltLength":32}"#,
                "EdDSA" => r#"{"name":"Ed25519"}"#,
                other => return Err(format!("signatures with {other} cannot be verified here")),
            };
            // Only the members that make up the key: browsers refuse a key whose `use` or `key_ops` excludes verifying.
            let key: Value = ["kty", "crv", "x", "y", "n", "e"]
                .into_iter()
                .filter_map(|name| Some((name.to_owned(), signed.key.get(name)?.clone())))
                .collect();
            verify(algorithm, &key, &signed).await.map_err(|_| {
                "this page cannot use the key; a page can verify signatures only when it is served over \
                 https"
                    .to_owned()
            })
        })
    }
}

async fn verify(algorithm: &str, key: &Value, signed: &Signed) -> Result<bool, JsValue> {
    let algorithm: Object = JSON::parse(algorithm)?.unchecked_into();
    let key: Object = JSON::parse(&key.to_string())?.unchecked_into();
    let subtle = subtle().ok_or(JsValue::NULL)?;
    let usages = Array::of1(&"verify".into());
    let key = JsFuture::from(subtle.import_key_with_object("jwk", &key, &algorithm, false, &usages)?).await?;
    let [signature, bytes] = [&signed.signature, &signed.bytes].map(|bytes| Uint8Array::from(bytes.as_slice()));
    let verdict = subtle.verify_with_object_and_js_u8_array_and_js_u8_array(
        &algorithm,
        key.unchecked_ref(),
        &signature,
        &bytes,
    )?;
    Ok(JsFuture::from(verdict).await?.is_truthy())
}
