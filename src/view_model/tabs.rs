//! The views of a run: its results, everything that was sent and came back, the agent's card, and the workbench.

/// A view of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tab {
    /// The findings.
    #[default]
    Results,
    /// Every exchange.
    Traffic,
    /// The agent's card.
    Card,
    /// Requests by hand.
    Workbench,
}

impl Tab {
    /// All of them, in the order in which they stand.
    pub const ALL: [Self; 4] = [Self::Results, Self::Traffic, Self::Card, Self::Workbench];

    /// Its name in a link, and in ids.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Results => "results",
            Self::Traffic => "traffic",
            Self::Card => "card",
            Self::Workbench => "workbench",
        }
    }

    /// Its name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Results => "Results",
            Self::Traffic => "Traffic",
            Self::Card => "Card",
            Self::Workbench => "Workbench",
        }
    }

    /// The view of that name; the results for any other.
    #[must_use]
    pub fn parse(id: &str) -> Self {
        Self::ALL.into_iter().find(|tab| tab.id() == id).unwrap_or_default()
    }

    /// The view beside it; behind the last comes the first.
    #[must_use]
    pub fn beside(self, by: isize) -> Self {
        let count = Self::ALL.len();
        let at = Self::ALL.iter().position(|tab| *tab == self).unwrap_or_default();
        let next = at.wrapping_add(count).wrapping_add_signed(by) % count;
        Self::ALL.get(next).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_walked_in_a_ring_and_found_by_their_names() {
        for tab in Tab::ALL {
            assert_eq!(Tab::parse(tab.id()), tab);
            assert_eq!(tab.beside(1).beside(-1), tab);
        }
        assert_eq!(Tab::parse("unicorn"), Tab::Results);
        assert_eq!((Tab::Workbench.beside(1), Tab::Results.beside(-1)), (Tab::Results, Tab::Workbench));
    }
}
