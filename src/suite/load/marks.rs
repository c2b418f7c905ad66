//! The mark of a conversation: it stands in its text and in the id of its message, so that it is seen where it does not belong.

pub(super) struct Marks {
    /// How each begins; no other text of the run does.
    beginning: String,
}

impl Marks {
    /// Marks that no other run has.
    pub(super) fn new(fresh_id: &str) -> Self {
        let run: String = fresh_id.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        Self { beginning: format!("load-{run}-") }
    }

    /// The mark of a conversation. The letter ends the number, so that none is the beginning of another.
    pub(super) fn mark(&self, number: u32) -> String {
        format!("{}{number}x", self.beginning)
    }

    /// The conversations whose marks stand in a text.
    pub(super) fn in_text(&self, text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        for (at, _) in text.match_indices(&self.beginning) {
            let rest = text.get(at + self.beginning.len()..).unwrap_or_default();
            let Some((number, _)) = rest.split_once('x') else { continue };
            if let Ok(number) = number.parse() {
                found.push(number);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_wherever_it_stands_and_no_other_is() {
        let marks = Marks::new("1234-5678-9abc");
        assert_eq!(marks.mark(7), "load-12345678-7x");
        assert_eq!(marks.in_text("You said: load-12345678-7x, load-12345678-70x."), [7, 70]);
        for none in ["", "load-12345678-7", "load-12345678-x", "load-87654321-7x", "load-12345678-seven x"] {
            assert_eq!(marks.in_text(none), [0_u32; 0], "{none}");
        }
    }
}
