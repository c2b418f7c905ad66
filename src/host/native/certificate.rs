//! Certificates as people read them: names and dates, out of the DER of X.509 (RFC 5280 §4.1). What a certificate is worth is
//! rustls's to judge; this only tells what stands in it.

use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time};

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

/// The tags of ASN.1 that are read here.
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const INTEGER: u8 = 0x02;
const OID: u8 = 0x06;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const BMP_STRING: u8 = 0x1e;
const VERSION: u8 = 0xa0;

/// The attributes of a name that are shown, by the last byte of their object identifier `2.5.4.x` (RFC 5280 §4.1.2.4).
const ATTRIBUTES: [(u8, &str); 6] = [(3, "CN"), (10, "O"), (11, "OU"), (7, "L"), (8, "ST"), (6, "C")];

impl Certificate {
    /// Reads a certificate; `None` when it is none.
    #[must_use]
    pub fn read(der: &[u8]) -> Option<Self> {
        let mut certificate = Der(Der(der).content(SEQUENCE)?);
        let mut fields = Der(certificate.content(SEQUENCE)?);
        if fields.0.first() == Some(&VERSION) {
            fields.content(VERSION)?;
        }
        fields.content(INTEGER)?;
        fields.content(SEQUENCE)?;
        let issuer = fields.content(SEQUENCE)?;
        let mut validity = Der(fields.content(SEQUENCE)?);
        let subject = fields.content(SEQUENCE)?;
        Some(Self {
            subject: name(subject)?,
            issuer: name(issuer)?,
            is_self_signed: subject == issuer,
            not_before: seconds(validity.next()?)?,
            not_after: seconds(validity.next()?)?,
        })
    }
}

/// The date of a moment, in UTC: `2026-11-23`.
#[must_use]
pub fn date(seconds: i64) -> String {
    OffsetDateTime::from_unix_timestamp(seconds).map_or_else(|_| String::new(), |moment| moment.date().to_string())
}

/// Bytes of DER that are not read yet.
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    /// The tag and the content of the next value.
    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = match first {
            0..=0x7f => (usize::from(first), rest),
            0x81..=0x84 => {
                let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                (bytes.iter().fold(0, |length, byte| (length << 8) | usize::from(*byte)), rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, content))
    }

    /// The content of the next value, if it has that tag.
    fn content(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.next().filter(|(found, _)| *found == tag).map(|(_, content)| content)
    }
}

/// A name in one line, the attributes that most names have first; a name may be empty.
fn name(content: &[u8]) -> Option<String> {
    let mut attributes: Vec<(usize, String)> = Vec::new();
    let mut sets = Der(content);
    while !sets.0.is_empty() {
        let mut set = Der(sets.content(SET)?);
        while !set.0.is_empty() {
            let mut attribute = Der(set.content(SEQUENCE)?);
            let oid = attribute.content(OID)?;
            let (tag, value) = attribute.next()?;
            let place = ATTRIBUTES.iter().position(|(last, _)| oid == [0x55, 0x04, *last]);
            if let Some((place, (_, short))) = place.and_then(|place| Some((place, ATTRIBUTES.get(place)?))) {
                attributes.push((place, format!("{short}={}", string(tag, value))));
            }
        }
    }
    attributes.sort();
    let attributes: Vec<String> = attributes.into_iter().map(|(_, text)| text).collect();
    Some(if attributes.is_empty() { "(no name)".to_owned() } else { attributes.join(", ") })
}

/// A string of a name, without what a terminal would obey.
fn string(tag: u8, value: &[u8]) -> String {
    let text = if tag == BMP_STRING {
        let units: Vec<u16> = value
            .chunks_exact(2)
            .map(|pair| pair.iter().fold(0, |unit, byte| (unit << 8) | u16::from(*byte)))
            .collect();
        String::from_utf16_lossy(&units)
    } else {
        String::from_utf8_lossy(value).into_owned()
    };
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// A moment, in seconds since 1970. `YYMMDDHHMMSSZ` means a year from 1950 to 2049 (RFC 5280 §4.1.2.5.1).
fn seconds((tag, content): (u8, &[u8])) -> Option<i64> {
    let text = std::str::from_utf8(content).ok()?;
    let (year, rest) = match tag {
        UTC_TIME => {
            let year: i32 = text.get(..2)?.parse().ok()?;
            (if year < 50 { 2000 + year } else { 1900 + year }, text.get(2..)?)
        }
        GENERALIZED_TIME => (text.get(..4)?.parse().ok()?, text.get(4..)?),
        _ => return None,
    };
    let digits = rest.strip_suffix('Z').filter(|digits| digits.len() == 10)?;
    let part = |at: usize| digits.get(at..at + 2)?.parse::<u8>().ok();
    let date = Date::from_calendar_date(year, Month::try_from(part(0)?).ok()?, part(2)?).ok()?;
    let time = Time::from_hms(part(4)?, part(6)?, part(8)?).ok()?;
    Some(PrimitiveDateTime::new(date, time).assume_utc().unix_timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_both_forms_are_read_and_others_are_not() {
        for (tag, text, expected) in [
            (UTC_TIME, "700101000000Z", Some(0)),
            (UTC_TIME, "490101000000Z", Some(2_493_072_000)),
            (UTC_TIME, "500101000000Z", Some(-631_152_000)),
            (GENERALIZED_TIME, "20500101000000Z", Some(2_524_608_000)),
            (GENERALIZED_TIME, "20500101000000", None),
            (UTC_TIME, "701301000000Z", None),
            (INTEGER, "700101000000Z", None),
        ] {
            assert_eq!(seconds((tag, text.as_bytes())), expected, "{text}");
        }
        assert_eq!(date(2_524_608_000), "2050-01-01");
    }

    #[test]
    fn bytes_that_end_too_early_are_no_certificate() {
        for bytes in [&[][..], &[0x30], &[0x30, 0x05, 1], &[0x30, 0x85, 1, 1, 1, 1, 1], &[0x30, 0x03, 0x30, 0x01, 0x02]]
        {
            assert_eq!(Certificate::read(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn names_have_the_common_name_first_and_no_control_characters() {
        let attribute = |last: u8, value: &str| {
            let length = u8::try_from(value.len()).unwrap();
            let mut bytes = vec![SET, length + 9, SEQUENCE, length + 7, OID, 3, 0x55, 0x04, last, 0x0c, length];
            bytes.extend(value.as_bytes());
            bytes
        };
        let content = [attribute(10, "Example"), attribute(3, "agent\u{1b}.example"), attribute(99, "odd")].concat();
        assert_eq!(name(&content).as_deref(), Some("CN=agent.example, O=Example"));
        assert_eq!(name(&[]).as_deref(), Some("(no name)"));
        assert_eq!(string(BMP_STRING, &[0, b'a', 0, b'b']), "ab");
    }
}
