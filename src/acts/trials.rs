//! How often a test passed that is run several times, and what that says: agents that are language models do not always do the
//! same.

/// How often a test passed, and what that says of how often it would.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PassRate {
    pub(super) passed: u32,
    pub(super) trials: u32,
}

/// The 97.5 % quantile of the normal distribution: for an interval of 95 %.
const Z: f64 = 1.959_963_985;

impl PassRate {
    pub(super) fn rate(self) -> f64 {
        f64::from(self.passed) / f64::from(self.trials.max(1))
    }

    /// The 95 % interval after Wilson, which holds for few trials and for rates near 0 and 1 too.
    pub(super) fn interval(self) -> (f64, f64) {
        let trials = f64::from(self.trials.max(1));
        let rate = self.rate();
        let square = Z * Z / trials;
        let centre = (rate + square / 2.0) / (1.0 + square);
        let half = Z * (rate * (1.0 - rate) / trials + square / (4.0 * trials)).sqrt() / (1.0 + square);
        ((centre - half).max(0.0), (centre + half).min(1.0))
    }

    /// In words: `7 of 10 trials passed: 70 %, 95 % interval 40 % to 89 %`.
    pub(super) fn describe(self) -> String {
        let (low, high) = self.interval();
        let percent = |rate: f64| format!("{:.0} %", rate * 100.0);
        let trials = if self.trials == 1 { "1 trial".to_owned() } else { format!("{} trials", self.trials) };
        let rate = percent(self.rate());
        format!("{} of {trials} passed: {rate}, 95 % interval {} to {}", self.passed, percent(low), percent(high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of Wilson's interval as tables of statistics have them.
    #[test]
    fn the_interval_is_wilsons() {
        for (passed, trials, low, high) in
            [(7, 10, 0.397, 0.892), (0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (90, 100, 0.826, 0.945)]
        {
            let (found_low, found_high) = PassRate { passed, trials }.interval();
            assert!(
                (found_low - low).abs() < 0.001 && (found_high - high).abs() < 0.001,
                "{passed}/{trials}: {found_low} {found_high}"
            );
        }
        let said = PassRate { passed: 7, trials: 10 }.describe();
        assert_eq!(said, "7 of 10 trials passed: 70 %, 95 % interval 40 % to 89 %");
    }
}
