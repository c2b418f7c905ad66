//! Timestamps against the crate `time`.

use a2a_conformance::wire::timestamp::parse;
use proptest::prelude::*;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::config;

/// The time that the crate reads.
fn expected(text: &str) -> Option<(i64, u32)> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    Some((time.unix_timestamp(), time.nanosecond()))
}

/// A text of the right shape, most of whose numbers are in range.
fn shaped() -> impl Strategy<Value = String> {
    let date = (0..10_000, 0..14, 0..33).prop_map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}"));
    let time = (0..25, 0..61, 0..62).prop_map(|(hour, minute, second)| format!("{hour:02}:{minute:02}:{second:02}"));
    // The last second of a month somewhere, where leap seconds are.
    let edge = (0..10_000, 1..13, prop_oneof![Just("30"), Just("31"), Just("01"), Just("29")], 0..24, 0..60)
        .prop_map(|(year, month, day, hour, minute)| format!("{year:04}-{month:02}-{day}T{hour:02}:{minute:02}:60"));
    let usual = (date, "[Tt _x]", time).prop_map(|(date, between, time)| format!("{date}{between}{time}"));
    let zone = prop_oneof![
        Just("Z".to_owned()),
        Just("z".to_owned()),
        (prop_oneof![Just('+'), Just('-')], 0..25, 0..61).prop_map(|(sign, h, m)| format!("{sign}{h:02}:{m:02}")),
    ];
    (prop_oneof![3 => usual, 1 => edge], r"(\.[0-9]{0,12})?", zone)
        .prop_map(|(moment, fraction, zone)| format!("{moment}{fraction}{zone}"))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_text_of_the_right_shape_is_the_moment_that_the_crate_reads(text in shaped()) {
        prop_assert_eq!(parse(&text), expected(&text));
    }

    #[test]
    fn a_leap_second_is_read_where_the_crate_allows_one(
        month in 1..13, day in 1..32, minutes in -1439..1440_i32, second in 58..62,
    ) {
        // 23:59:60 in UTC, told by a clock with another offset: there it is another time of maybe another day.
        let (sign, offset) = (if minutes < 0 { '-' } else { '+' }, minutes.abs());
        let local = (1439 + minutes).rem_euclid(1440);
        let text = format!(
            "2016-{month:02}-{day:02}T{:02}:{:02}:{second}{sign}{:02}:{:02}",
            local / 60, local % 60, offset / 60, offset % 60,
        );
        prop_assert_eq!(parse(&text), expected(&text));
    }

    #[test]
    fn a_text_with_a_character_changed_is_read_or_refused_as_the_crate_does(
        text in shaped(), at: prop::sample::Index, put in prop_oneof!["[0-9TZ:.+-]", "\\PC"],
    ) {
        let mut chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len());
        chars.splice(at..=at, put.chars());
        let text: String = chars.into_iter().collect();
        prop_assert_eq!(parse(&text), expected(&text));
    }

    #[test]
    fn any_text_is_read_or_refused_as_the_crate_does(text in "\\PC{0,40}") {
        prop_assert_eq!(parse(&text), expected(&text));
    }
}
