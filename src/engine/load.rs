//! A load that the user asked for: its limits, how long what is under way at its end may take, and the figures that come of it.

/// The longest load, in seconds.
pub const MAX_SECONDS: f64 = 600.0;
/// The most conversations that may begin in a second.
pub const MAX_RATE: f64 = 200.0;
/// The most conversations that may be under way at once.
pub const MAX_CONVERSATIONS: usize = 1000;
/// How long conversations that are under way at the end of a load may take to end, in milliseconds.
pub const DRAIN_MS: f64 = 60_000.0;

/// The load to put an agent under.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadOptions {
    /// For how long conversations begin, in milliseconds.
    pub duration_ms: f64,
    /// How many begin in a second.
    pub rate: f64,
    /// How many may be under way at once. When so many are, the next waits for its turn, and its latency counts from when it was due.
    pub conversations: usize,
    /// Whether the user said that the agent is their own. Without it only loopback addresses are put under load.
    pub is_owned: bool,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { duration_ms: 30_000.0, rate: 20.0, conversations: 50, is_owned: false }
    }
}

/// The figures of a load.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoadFigures {
    /// The lane that was put under load.
    pub lane: String,
    /// For how long conversations were to begin, in milliseconds.
    pub duration_ms: f64,
    /// How many were to begin in a second.
    pub rate: f64,
    /// How many were allowed at once.
    pub conversations_at_once: usize,
    /// From the first beginning to the last end, in milliseconds.
    pub took_ms: f64,
    /// How many began in a second.
    pub achieved_rate: f64,
    /// What became of the conversations.
    pub conversations: ConversationCounts,
    /// How many requests were sent.
    pub requests: u64,
    /// What came instead of answers, by kind, the most frequent first.
    pub errors: Vec<(String, u64)>,
    /// How long answers took, by operation.
    pub latencies: Vec<LatencyFigures>,
}

/// What became of the conversations of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConversationCounts {
    /// Those that were due.
    pub due: u64,
    /// Those that began. The others were still waiting for their turn at the end.
    pub begun: u64,
    /// Those that the agent accepted.
    pub accepted: u64,
    /// Those of them whose task ended, or waits for its client, or that were answered with a message.
    pub ended: u64,
    /// Those that the agent turned away, with HTTP 429 or 503.
    pub turned_away: u64,
    /// The most that were under way at once.
    pub most_at_once: u64,
}

/// How long something took, in milliseconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LatencyFigures {
    /// What: the method of an operation, or `first event`.
    pub what: String,
    /// How often it was measured.
    pub count: u64,
    /// Half of them took no longer.
    pub p50: f64,
    /// Nine of ten took no longer.
    pub p90: f64,
    /// 99 of 100 took no longer.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// How finely latencies are told apart: buckets for each doubling, so that a percentile is at most about 1 % too high.
const BUCKETS_PER_DOUBLING: f64 = 64.0;
/// The shortest latency that is told apart from none, in milliseconds.
const SHORTEST_MS: f64 = 0.01;
/// Enough for an hour.
const BUCKETS: usize = 1900;

/// Latencies, counted in buckets: it takes the same memory however many there are.
#[derive(Debug, Clone)]
pub struct LatencyHistogram {
    buckets: Vec<u64>,
    count: u64,
    max: f64,
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self { buckets: vec![0; BUCKETS], count: 0, max: 0.0 }
    }
}

impl LatencyHistogram {
    /// Counts one.
    pub fn add(&mut self, ms: f64) {
        let ms = ms.max(0.0);
        self.count += 1;
        self.max = self.max.max(ms);
        // The cast saturates.
        let bucket = ((ms / SHORTEST_MS).max(1.0).log2() * BUCKETS_PER_DOUBLING).ceil() as usize;
        if let Some(bucket) = self.buckets.get_mut(bucket.min(BUCKETS - 1)) {
            *bucket += 1;
        }
    }

    /// The latency that this share of them did not exceed.
    fn percentile(&self, share: f64) -> f64 {
        let wanted = (self.count as f64 * share).ceil().max(1.0);
        let mut seen = 0;
        for (number, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen as f64 >= wanted {
                let upper = SHORTEST_MS * (number as f64 / BUCKETS_PER_DOUBLING).exp2();
                return upper.min(self.max);
            }
        }
        self.max
    }

    /// Its figures under this name; `None` when nothing was measured.
    #[must_use]
    pub fn figures(&self, what: &str) -> Option<LatencyFigures> {
        let round = |ms: f64| (ms * 100.0).round() / 100.0;
        (self.count > 0).then(|| LatencyFigures {
            what: what.to_owned(),
            count: self.count,
            p50: round(self.percentile(0.5)),
            p90: round(self.percentile(0.9)),
            p99: round(self.percentile(0.99)),
            max: round(self.max),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_sorted_list_but_for_one_percent() {
        let mut histogram = LatencyHistogram::default();
        // In no order: 1 to 10,000 ms, each once.
        (0..10_000_u32).for_each(|n| histogram.add(f64::from(n * 7_919 % 10_000 + 1)));
        let figures = histogram.figures("GetTask").unwrap();
        for (found, exact) in [(figures.p50, 5_000.0), (figures.p90, 9_000.0), (figures.p99, 9_900.0)] {
            assert!(found >= exact - 0.01 && found <= exact * 1.012, "{found} instead of {exact}");
        }
        assert_eq!((figures.count, figures.max), (10_000, 10_000.0));
    }

    #[test]
    fn very_short_and_very_long_ones_and_none_have_figures_too() {
        let mut histogram = LatencyHistogram::default();
        assert_eq!(histogram.figures("x"), None);
        histogram.add(0.0);
        assert_eq!(histogram.figures("x").map(|figures| (figures.p50, figures.max)), Some((0.0, 0.0)));
        histogram.add(1e12);
        assert_eq!(histogram.figures("x").map(|figures| (figures.count, figures.max)), Some((2, 1e12)));
    }

    #[test]
    fn a_histogram_takes_the_same_memory_however_much_is_counted() {
        let mut histogram = LatencyHistogram::default();
        (0..100_000_u32).for_each(|n| histogram.add(f64::from(n)));
        assert_eq!(histogram.buckets.len(), BUCKETS);
    }
}
