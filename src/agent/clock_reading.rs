//! Readings of the agent's clock, and times written as timestamps and as dates of HTTP.

use crate::host::Clock;
use crate::wire;

#[derive(Debug, Clone, Copy)]
pub(super) struct ClockReading {
    pub(super) now_ms: f64,
    wall_ms: f64,
}

impl ClockReading {
    pub(super) fn from_clock(clock: &dyn Clock) -> Self {
        Self { now_ms: clock.now_ms(), wall_ms: clock.wall_ms() }
    }

    /// Whole milliseconds since 1970.
    pub(super) fn epoch_ms(self) -> i64 {
        self.epoch_ms_at(self.now_ms)
    }

    /// Whole milliseconds since 1970 at another time of the same clock.
    pub(super) fn epoch_ms_at(self, now_ms: f64) -> i64 {
        // The cast saturates, and a clock without a value reads as 1970.
        (self.wall_ms - (self.now_ms - now_ms)).floor() as i64
    }
}

/// `2026-02-03T04:05:06.789Z` (1.0 §5.6.1).
pub(super) fn timestamp(epoch_ms: i64) -> String {
    match wire::timestamp::write(epoch_ms.div_euclid(1000), 0) {
        Some(second) => format!("{}.{:03}Z", second.trim_end_matches('Z'), epoch_ms.rem_euclid(1000)),
        None => "1970-01-01T00:00:00.000Z".to_owned(),
    }
}

/// `Tue, 03 Feb 2026 04:05:06 GMT` (RFC 9110 §5.6.7).
pub(super) fn http_date(epoch_ms: i64) -> String {
    let reading = time::OffsetDateTime::from_unix_timestamp(epoch_ms.div_euclid(1000))
        .unwrap_or(time::OffsetDateTime::UNIX_EPOCH);
    let (weekday, month) = (reading.weekday().to_string(), reading.month().to_string());
    format!(
        "{weekday:.3}, {:02} {month:.3} {:04} {:02}:{:02}:{:02} GMT",
        reading.day(),
        reading.year(),
        reading.hour(),
        reading.minute(),
        reading.second(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_has_milliseconds_and_z() {
        assert_eq!(timestamp(1_770_091_506_789), "2026-02-03T04:05:06.789Z");
        assert_eq!(timestamp(i64::MAX), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn a_date_of_http_is_in_its_fixed_form() {
        assert_eq!(http_date(1_770_091_506_789), "Tue, 03 Feb 2026 04:05:06 GMT");
    }
}
