//! The order in which several agents are checked, each alone and every two of them together, and of how many at most.

/// The most agents of which every two are checked together: sixteen have 120 pairs.
pub const MOST_AGENTS: usize = 16;

/// A run: of an agent alone, or of two together, by their places; the earlier of two stands first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundRun {
    /// An agent alone.
    Alone(usize),
    /// Two agents together.
    Both(usize, usize),
}

/// All runs in rounds: in each of them every agent takes part once at most, so that no agent is busy with two at the same time.
#[must_use]
pub fn rounds(count: usize) -> Vec<Vec<RoundRun>> {
    let alone = (0..count).map(RoundRun::Alone).collect();
    // As in a tournament: one place stays, the others go round. With an odd number one place stays empty.
    let places = count + count % 2;
    let circle = places.saturating_sub(1);
    let pairs = (0..circle).map(|round| {
        let seat = |place: usize| if place == 0 { 0 } else { 1 + (place - 1 + round) % circle };
        let meet = (0..places / 2).map(|place| (seat(place), seat(places - 1 - place)));
        let meet = meet.map(|(one, other)| RoundRun::Both(one.min(other), one.max(other)));
        meet.filter(|pair| !matches!(pair, RoundRun::Both(_, second) if *second >= count)).collect()
    });
    [alone].into_iter().chain(pairs).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_two_agents_meet_once_and_no_agent_is_in_two_runs_of_a_round() {
        for count in 2..=MOST_AGENTS {
            let rounds = rounds(count);
            assert_eq!(rounds.iter().flatten().count(), count + count * (count - 1) / 2, "{count}");
            let mut met = BTreeSet::new();
            for round in &rounds {
                let mut busy = BTreeSet::new();
                for subject in round {
                    let agents = match *subject {
                        RoundRun::Alone(agent) => vec![agent],
                        RoundRun::Both(first, second) => {
                            assert!(first < second && met.insert((first, second)), "{first} {second}");
                            vec![first, second]
                        }
                    };
                    assert!(agents.iter().all(|agent| *agent < count && busy.insert(*agent)), "{round:?}");
                }
            }
        }
    }
}
