//! Numbers as people read them: with their units, and no more digits than they are worth.

pub use crate::engine::plural::{count, count_of};
pub use crate::report::headline::capitalised;
use crate::report::text::iso_seconds;

/// A duration: `340 ms`, `1.2 s`, `12 s`, `2 min 5 s`.
#[must_use]
pub fn duration(ms: f64) -> String {
    let ms = if ms.is_finite() { ms.max(0.0) } else { 0.0 };
    if ms < 1.0 {
        return "< 1 ms".to_owned();
    }
    if ms < 999.5 {
        return format!("{} ms", whole(ms));
    }
    if ms < 9_950.0 {
        let tenths = whole(ms / 100.0);
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    seconds(whole(ms / 1000.0))
}

/// Whole seconds: `8 s`, `2 min 5 s`.
#[must_use]
pub fn seconds(seconds: u64) -> String {
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {} s", seconds / 60, seconds % 60) }
}

/// The whole seconds that something took: `less than 1 s`, `8 s`.
#[must_use]
pub fn took(whole_seconds: u64) -> String {
    if whole_seconds == 0 { "less than 1 s".to_owned() } else { seconds(whole_seconds) }
}

/// A moment, in milliseconds since 1970: `21 Nov 2026, 00:31 UTC`.
#[must_use]
pub fn date(wall_ms: f64) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let iso = iso_seconds(wall_ms);
    let part = |range| iso.get(range).unwrap_or_default();
    let month = part(5..7).parse().ok().and_then(|month: usize| MONTHS.get(month.checked_sub(1)?));
    let day = part(8..10).trim_start_matches('0');
    format!("{day} {} {}, {} UTC", month.copied().unwrap_or_default(), part(0..4), part(11..16))
}

/// A size: `812 bytes`, `10 kB`, `1.4 MB` (powers of 1000).
#[must_use]
pub fn bytes(count: usize) -> String {
    match count {
        1 => "1 byte".to_owned(),
        0..1_000 => format!("{count} bytes"),
        1_000..999_500 => scaled(count, 1_000, "kB"),
        _ => scaled(count, 1_000_000, "MB"),
    }
}

fn scaled(count: usize, unit: usize, name: &str) -> String {
    let tenths = (count.saturating_mul(10).saturating_add(unit / 2)) / unit;
    if tenths >= 100 || tenths.is_multiple_of(10) {
        format!("{} {name}", tenths / 10)
    } else {
        format!("{}.{} {name}", tenths / 10, tenths % 10)
    }
}

/// The nearest whole number; the cast saturates.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and saturating is fine")]
fn whole(number: f64) -> u64 {
    number.round() as u64
}

/// Problems are lower-case fragments; on the page they stand alone.
#[must_use]
pub fn sentence(problem: &str) -> String {
    if problem.is_empty() { String::new() } else { format!("{}.", capitalised(problem.trim_end_matches('.'))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_by_people() {
        for (seconds, text) in [
            (0.0, "1 Jan 1970, 00:00 UTC"),
            (1_795_307_519.9, "22 Nov 2026, 00:31 UTC"),
            (1_735_689_599.0, "31 Dec 2024, 23:59 UTC"),
        ] {
            assert_eq!(date(seconds * 1000.0), text);
        }
    }

    #[test]
    fn durations_have_units_and_few_digits() {
        for (ms, text) in [
            (f64::NAN, "< 1 ms"),
            (-5.0, "< 1 ms"),
            (0.2, "< 1 ms"),
            (1.0, "1 ms"),
            (340.4, "340 ms"),
            (999.6, "1.0 s"),
            (1_249.0, "1.2 s"),
            (9_990.0, "10 s"),
            (125_000.0, "2 min 5 s"),
        ] {
            assert_eq!(duration(ms), text, "{ms}");
        }
    }

    #[test]
    fn a_sentence_begins_with_a_capital() {
        assert_eq!(capitalised("no must was checked"), "No must was checked");
        assert_eq!(capitalised("12 of 12"), "12 of 12");
        assert_eq!(sentence("http://h/ is not there."), "http://h/ is not there.");
        assert_eq!(capitalised(""), "");
    }

    #[test]
    fn sizes_count_in_thousands() {
        for (size, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (999, "999 bytes"),
            (1_000, "1 kB"),
            (1_449, "1.4 kB"),
            (53_210, "53 kB"),
            (999_999, "1 MB"),
            (1_400_000, "1.4 MB"),
        ] {
            assert_eq!(bytes(size), text, "{size}");
        }
    }
}
