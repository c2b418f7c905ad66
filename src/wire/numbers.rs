//! A set of numbers, such as the ids of exchanges. The library's sets are kilobytes of the page's checker.

/// Numbers, each once, sorted. Most come in their order already.
#[derive(Debug, Default)]
pub struct Numbers(Vec<u32>);

impl Numbers {
    /// Adds a number; answers whether it is new.
    pub fn insert(&mut self, number: u32) -> bool {
        match self.0.binary_search(&number) {
            Ok(_) => false,
            Err(place) => {
                self.0.insert(place, number);
                true
            }
        }
    }

    /// Whether a number is in it.
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.0.binary_search(&number).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_in_it_once() {
        let mut numbers = Numbers::default();
        for number in [64, 0, u32::MAX, 63] {
            assert!(!numbers.contains(number));
            assert!(numbers.insert(number));
            assert!(!numbers.insert(number));
            assert!(numbers.contains(number));
        }
        assert!(![1, 62, 65].into_iter().any(|number| numbers.contains(number)));
    }
}
