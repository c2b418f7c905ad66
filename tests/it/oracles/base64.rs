//! Base64 of both alphabets against the crate `base64`.

use ::base64 as oracle;
use a2a_conformance::wire::base64;
use oracle::Engine as _;
use oracle::alphabet::{STANDARD as STANDARD_ALPHABET, URL_SAFE};
use oracle::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::*;

use super::config;

/// Decoders that read what ours read: the bits of the last character that belong to no byte may be set, which RFC 4648
/// §3.5 leaves to the decoder.
const LAX: GeneralPurposeConfig = GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
const LAX_STANDARD: GeneralPurpose = GeneralPurpose::new(&STANDARD_ALPHABET, LAX);
const LAX_URL: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    LAX.with_encode_padding(false).with_decode_padding_mode(oracle::engine::DecodePaddingMode::RequireNone),
);

/// Text that is base64, or nearly.
fn nearly() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z0-9+/_-]{0,12}={0,3}",
        "[A-Za-z0-9+/=_ é-]{0,12}",
        (any::<[u8; 4]>(), any::<Vec<u8>>()).prop_map(|(one, two)| STANDARD.encode(one) + &STANDARD.encode(two)),
        (any::<Vec<u8>>(), any::<prop::sample::Index>(), any::<char>()).prop_map(|(bytes, at, put)| {
            let mut text: Vec<char> = STANDARD.encode(bytes).chars().collect();
            if !text.is_empty() {
                let at = at.index(text.len());
                text[at] = put;
            }
            text.into_iter().collect()
        }),
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn bytes_are_encoded_as_the_crate_encodes_them_and_come_back(bytes: Vec<u8>) {
        prop_assert_eq!(base64::STANDARD.encode(&bytes), STANDARD.encode(&bytes));
        prop_assert_eq!(base64::URL_SAFE.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes));
        prop_assert_eq!(base64::STANDARD.decode(&base64::STANDARD.encode(&bytes)), Some(bytes.clone()));
        prop_assert_eq!(base64::URL_SAFE.decode(&base64::URL_SAFE.encode(&bytes)), Some(bytes));
    }

    #[test]
    fn any_text_is_decoded_or_refused_as_the_crate_does(text in nearly()) {
        prop_assert_eq!(base64::STANDARD.decode(&text), LAX_STANDARD.decode(&text).ok());
        prop_assert_eq!(base64::URL_SAFE.decode(&text), LAX_URL.decode(&text).ok());
    }
}
