//! Certificates as people read them: names and dates (RFC 5280 §4.1). What a certificate is worth is rustls's to judge; this only
//! tells what stands in it.

use time::OffsetDateTime;
use x509_parser::asn1_rs::{Any, Tag};
use x509_parser::der_parser::Oid;
use x509_parser::oid_registry::{
    OID_X509_COMMON_NAME, OID_X509_COUNTRY_NAME, OID_X509_LOCALITY_NAME, OID_X509_ORGANIZATION_NAME,
    OID_X509_ORGANIZATIONAL_UNIT, OID_X509_STATE_OR_PROVINCE_NAME,
};
use x509_parser::prelude::{FromDer, X509Certificate, X509Name};

/// The names and dates of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// Whom it is for: `CN=agent.example, O=Example`.
    pub subject: String,
    /// Who issued it.
    pub issuer: String,
    /// Whether it names itself as its issuer.
    pub is_self_signed: bool,
    /// From when it is valid, in seconds since 1970.
    pub not_before: i64,
    /// Until when it is valid, in seconds since 1970.
    pub not_after: i64,
}

/// The attributes of a name that are shown, in their order (RFC 5280 §4.1.2.4).
const ATTRIBUTES: [(Oid<'_>, &str); 6] = [
    (OID_X509_COMMON_NAME, "CN"),
    (OID_X509_ORGANIZATION_NAME, "O"),
    (OID_X509_ORGANIZATIONAL_UNIT, "OU"),
    (OID_X509_LOCALITY_NAME, "L"),
    (OID_X509_STATE_OR_PROVINCE_NAME, "ST"),
    (OID_X509_COUNTRY_NAME, "C"),
];

impl Certificate {
    /// Reads a certificate; `None` when it is not one.
    #[must_use]
    pub fn read(der: &[u8]) -> Option<Self> {
        let (_, certificate) = X509Certificate::from_der(der).ok()?;
        Some(Self {
            subject: name(certificate.subject()),
            issuer: name(certificate.issuer()),
            is_self_signed: certificate.subject().as_raw() == certificate.issuer().as_raw(),
            not_before: certificate.validity().not_before.timestamp(),
            not_after: certificate.validity().not_after.timestamp(),
        })
    }
}

/// The date of a moment, in UTC: `2026-11-23`.
#[must_use]
pub fn date(seconds: i64) -> String {
    OffsetDateTime::from_unix_timestamp(seconds).map_or_else(|_| String::new(), |moment| moment.date().to_string())
}

/// A name in one line, the attributes that most names have first, without what a terminal would obey; a name may be empty.
fn name(name: &X509Name<'_>) -> String {
    let mut shown = Vec::new();
    for (oid, short) in ATTRIBUTES {
        for attribute in name.iter_by_oid(&oid) {
            let text: String = string(attribute.attr_value()).chars().filter(|c| !c.is_control()).take(200).collect();
            shown.push(format!("{short}={text}"));
        }
    }
    if shown.is_empty() { "(no name)".to_owned() } else { shown.join(", ") }
}

/// The text of a value, whichever of the types of strings it has. The parser leaves the one with two bytes for each character to us, which
/// older authorities use (RFC 5280 §4.1.2.4).
fn string(value: &Any<'_>) -> String {
    if value.tag() != Tag::BmpString {
        return String::from_utf8_lossy(value.data).into_owned();
    }
    let units = value.data.chunks_exact(2).map(|pair| pair.iter().fold(0, |unit, byte| unit << 8 | u16::from(*byte)));
    char::decode_utf16(units).map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_read_without_control_characters_and_with_its_common_name_first() {
        let mut parameters = rcgen::CertificateParams::new(Vec::new()).unwrap();
        let mut own = rcgen::DistinguishedName::new();
        own.push(rcgen::DnType::OrganizationName, rcgen::DnValue::BmpString("Exämple".try_into().unwrap()));
        own.push(rcgen::DnType::CommonName, "agent\u{1b}.example");
        parameters.distinguished_name = own;
        parameters.not_before = OffsetDateTime::from_unix_timestamp(0).unwrap();
        parameters.not_after = OffsetDateTime::from_unix_timestamp(2_524_608_000).unwrap();
        let certificate = parameters.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap();
        let read = Certificate::read(certificate.der()).unwrap();
        assert_eq!(read.subject, "CN=agent.example, O=Exämple");
        assert!(read.is_self_signed && read.issuer == read.subject);
        assert_eq!((read.not_before, read.not_after), (0, 2_524_608_000));
        assert_eq!(date(read.not_after), "2050-01-01");
    }

    #[test]
    fn bytes_that_end_too_early_are_no_certificate() {
        for bytes in [&[][..], &[0x30], &[0x30, 0x05, 1], &[0x30, 0x85, 1, 1, 1, 1, 1], &[0x30, 0x03, 0x30, 0x01, 0x02]]
        {
            assert_eq!(Certificate::read(bytes), None, "{bytes:?}");
        }
    }
}
