//! Times as RFC 3339 writes them. The reader of a date library costs the page 4 KB.

/// The moment that a text names: seconds since 1970, and nanoseconds on top. `None` if it is not an RFC 3339 time.
///
/// Any character may stand between date and time, and digits behind the ninth of a fraction are passed over. A leap second
/// is read as the last nanosecond before it.
#[must_use]
pub fn parse(text: &str) -> Option<(i64, u32)> {
    let (moment, rest) = text.as_bytes().split_at_checked(19)?;
    let field = |start, length| number(moment.get(start..start + length)?);
    for (place, mark) in [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')] {
        if moment.get(place) != Some(&mark) {
            return None;
        }
    }
    let (year, month, day) = (field(0, 4)?, field(5, 2)?, field(8, 2)?);
    let (hour, minute, mut second) = (field(11, 2)?, field(14, 2)?, field(17, 2)?);
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
    let date = days(year, month, day);
    let next_month = days(year, month + 1, 1);
    let leap = second == 60;
    if leap {
        (second, nanos) = (59, 999_999_999);
    }
    if !(1..=12).contains(&month) || day < 1 || date >= next_month || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = date * DAY + hour * 3600 + minute * 60 + second - offset;
    // There are leap seconds only at the end of a month in UTC. Here that month may have ended already, or be the last.
    let ends_month = [days(year, month, 1), next_month].iter().any(|first| seconds + 1 == first * DAY);
    (!leap || ends_month).then_some((seconds, nanos))
}

/// The moment as RFC 3339 in UTC, with as many digits of a fraction as it needs in steps of three, as ProtoJSON writes it.
/// `None` outside the years 1 to 9999, and for more nanoseconds than a second has.
#[must_use]
pub fn write(seconds: i64, nanos: u32) -> Option<String> {
    let (first, last) = (days(1, 1, 1) * DAY, days(10_000, 1, 1) * DAY);
    if !(first..last).contains(&seconds) || nanos > 999_999_999 {
        return None;
    }
    let (date, time) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    // A few years too early at most.
    let mut year = date.div_euclid(366).min(date.div_euclid(365)) + 1970;
    while days(year + 1, 1, 1) <= date {
        year += 1;
    }
    let month = (1..=12).rev().find(|month| days(year, *month, 1) <= date)?;
    let day = date - days(year, month, 1) + 1;
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    let fraction = match nanos {
        0 => String::new(),
        _ if nanos.is_multiple_of(1_000_000) => format!(".{:03}", nanos / 1_000_000),
        _ if nanos.is_multiple_of(1_000) => format!(".{:06}", nanos / 1_000),
        _ => format!(".{nanos:09}"),
    };
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z"))
}

const DAY: i64 = 86_400;

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

/// Days from 1970-01-01 to a date of the Gregorian calendar. Years are counted from March, so that the day that comes and
/// goes is the last of one; month 13 is January of the year after.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let before_month = (153 * ((month + 9) % 12) + 2) / 5;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + before_month + day - 719_469
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::OffsetDateTime;
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
