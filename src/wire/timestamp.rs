//! Reads and writes times as RFC 3339 has them. The reader of a date library costs the page 4 KB.

use time::{Date, Month, OffsetDateTime};

/// The moment that a text names: seconds since 1970, and nanoseconds on top. `None` if it is not an RFC 3339 time.
///
/// Any character may stand between date and time, and digits behind the ninth of a fraction are passed over. A leap second
/// is read as the last nanosecond before it.
#[must_use]
pub fn parse(text: &str) -> Option<(i64, u32)> {
    let (moment, rest) = text.as_bytes().split_at_checked(19)?;
    let year = i32::try_from(number(moment.get(0..4)?)?).ok()?;
    let field = |start| u8::try_from(number(moment.get(start..start + 2)?)?).ok();
    for (place, mark) in [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')] {
        if moment.get(place) != Some(&mark) {
            return None;
        }
    }
    let date = Date::from_calendar_date(year, Month::try_from(field(5)?).ok()?, field(8)?).ok()?;
    let (hour, minute, mut second) = (field(11)?, field(14)?, field(17)?);
    let (mut nanos, zone) = fraction(rest)?;
    let offset = match zone {
        b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), h @ .., b':', m1, m2] if h.len() == 2 => {
            let (hours, minutes) = (number(h)?, number(&[*m1, *m2])?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            (hours * 60 + minutes) * if *sign == b'-' { -60 } else { 60 }
        }
        _ => return None,
    };
    let is_leap = second == 60;
    if is_leap {
        (second, nanos) = (59, 999_999_999);
    }
    let seconds = date.with_hms(hour, minute, second).ok()?.assume_utc().unix_timestamp() - offset;
    // There are leap seconds only at the end of a month in UTC.
    let ends_month = |moment: OffsetDateTime| {
        moment.day() == moment.month().length(moment.year()) && moment.to_hms() == (23, 59, 59)
    };
    (!is_leap || OffsetDateTime::from_unix_timestamp(seconds).is_ok_and(ends_month)).then_some((seconds, nanos))
}

/// The moment as RFC 3339 in UTC, with as many digits of a fraction as it needs in steps of three, as ProtoJSON writes it.
/// `None` outside the years 1 to 9999, and for more nanoseconds than a second has.
#[must_use]
pub fn write(seconds: i64, nanos: u32) -> Option<String> {
    let moment = OffsetDateTime::from_unix_timestamp(seconds).ok()?;
    if !(1..=9999).contains(&moment.year()) || nanos > 999_999_999 {
        return None;
    }
    let (year, month, day) = moment.to_calendar_date();
    let (hour, minute, second) = moment.to_hms();
    let fraction = match nanos {
        0 => String::new(),
        _ if nanos.is_multiple_of(1_000_000) => format!(".{:03}", nanos / 1_000_000),
        _ if nanos.is_multiple_of(1_000) => format!(".{:06}", nanos / 1_000),
        _ => format!(".{nanos:09}"),
    };
    let month = u8::from(month);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z"))
}

/// The nanoseconds of a fraction, if there is one, and what comes behind it.
fn fraction(text: &[u8]) -> Option<(u32, &[u8])> {
    let Some(text) = text.strip_prefix(b".") else { return Some((0, text)) };
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(length)?;
    let nine: Vec<u8> = digits.iter().copied().chain(std::iter::repeat(b'0')).take(9).collect();
    (length > 0).then_some((u32::try_from(number(&nine)?).ok()?, rest))
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::format_description::well_known::Rfc3339;

    /// The result of a date library.
    fn expected(text: &str) -> Option<(i64, u32)> {
        let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        Some((time.unix_timestamp(), time.nanosecond()))
    }

    #[test]
    fn every_day_is_where_the_calendar_has_it() {
        for year in ["0000", "0001", "1582", "1900", "1969", "1970", "2000", "2023", "2024", "2100", "9998"] {
            for month in 0..=13 {
                for day in 0..=32 {
                    let text = format!("{year}-{month:02}-{day:02}T04:05:06Z");
                    assert_eq!(parse(&text), expected(&text), "{text}");
                }
            }
        }
    }

    #[test]
    fn a_time_that_is_written_is_read_as_the_same() {
        for seconds in
            [-62_135_596_800, -62_135_596_799, -1, 0, 1, 951_782_399, 951_782_400, 1_800_000_000, 253_402_300_799]
        {
            for (nanos, fraction) in
                [(0, ""), (5_000_000, ".005"), (5_000, ".000005"), (5, ".000000005"), (999_999_999, ".999999999")]
            {
                let text = write(seconds, nanos).unwrap();
                assert!(text.ends_with(&format!("{fraction}Z")), "{text}");
                assert_eq!(parse(&text), Some((seconds, nanos)), "{text}");
                assert_eq!(expected(&text), Some((seconds, nanos)), "{text}");
            }
        }
        for (seconds, nanos) in
            [(-62_135_596_801, 0), (253_402_300_800, 0), (0, 1_000_000_000), (i64::MAX, 0), (i64::MIN, 0)]
        {
            assert_eq!(write(seconds, nanos), None);
        }
    }

    #[test]
    fn times_fractions_and_offsets_are_read_or_refused_as_the_grammar_says() {
        let starts =
            ["2026-02-03T", "2026-02-03 ", "2026-02-03t", "2026-12-31T", "2016-01-01T", "2026/02/03T", "26-02-03T", ""];
        let times =
            ["04:05:06", "00:00:00", "23:59:59", "23:59:60", "04:59:60", "24:00:00", "04:60:06", "04:05:61", "4:05:06"];
        let fractions = ["", ".", ".7", ".789", ".000000001", ".1234567899", ".7x", ",7"];
        let zones =
            ["Z", "z", "", "+00:00", "-05:30", "+05:00", "+23:59", "+24:00", "-00:60", "+0530", "+05", "Z ", "é"];
        for start in starts {
            for (time, fraction) in times.iter().flat_map(|time| fractions.map(|fraction| (time, fraction))) {
                for zone in zones {
                    let text = format!("{start}{time}{fraction}{zone}");
                    assert_eq!(parse(&text), expected(&text), "{text}");
                }
            }
        }
    }
}
