//! The records of a run: one of an agent alone, or three of two agents that are checked together, of which one is shown.

use std::rc::Rc;

use super::run_record::RunRecord;
use crate::engine::event::{Completion, Event};
use crate::report::text::plain_address;
use crate::report::{Environment, Format, Report, write};
use crate::view_model::agents_switch::{AgentsSwitch, NAMES, ReportLine, TOGETHER, subject};
use crate::view_model::format::sentence;
use crate::view_model::messages::{CheckerMessage, Opened};

/// The records of a run, the last of which is that of the whole.
#[derive(Debug)]
pub struct RunRecords {
    records: Vec<RunRecord>,
    shown: usize,
    pair: Option<AgentPair>,
}

/// What the records of two agents are made with.
#[derive(Debug)]
struct AgentPair {
    addresses: [String; 2],
    environment: Environment,
    hides_from: Option<String>,
    is_over: bool,
}

impl RunRecords {
    /// That of one agent.
    #[must_use]
    pub fn alone(record: RunRecord) -> Self {
        Self { records: vec![record], shown: 0, pair: None }
    }

    /// Those of the agents at these addresses; the run begins with the first of them.
    #[must_use]
    pub fn of_two(environment: Environment, hides_from: Option<String>, addresses: [&str; 2]) -> Self {
        let addresses = addresses.map(plain_address);
        let records = vec![RunRecord::new(environment.clone(), hides_from.clone())];
        Self { records, shown: 0, pair: Some(AgentPair { addresses, environment, hides_from, is_over: false }) }
    }

    /// That of a report that was opened; of one about two agents, those of the reports in it as well.
    #[must_use]
    pub fn opened(record: RunRecord) -> Self {
        let report = record.report();
        let alone = |agent: &Report| RunRecord::open(&write(agent, Format::Json)).ok().and_then(|(alone, _)| alone);
        let [a, b] = report.agents.as_slice() else { return Self::alone(record) };
        let (Some(first), Some(second)) = (alone(a), alone(b)) else { return Self::alone(record) };
        let addresses = [a, b].map(|agent| agent.address.clone());
        // Nothing is run, so that no report is made here.
        let environment = Environment::default();
        let pair = AgentPair { addresses, environment, hides_from: None, is_over: true };
        Self { records: vec![first, second, record], shown: TOGETHER, pair: Some(pair) }
    }

    /// Goes on to the next of the three runs. The page is told which.
    pub fn begin_next(&mut self) -> Option<CheckerMessage> {
        let AgentPair { environment, hides_from, .. } = self.pair.as_ref().filter(|pair| !pair.is_over)?;
        let (environment, hides_from) = (environment.clone(), hides_from.clone());
        self.shown = self.records.len();
        self.records.push(match self.shown {
            TOGETHER => RunRecord::of_both(environment, hides_from, self.reports()),
            _ => RunRecord::new(environment, hides_from),
        });
        self.told()
    }

    /// The reports of the agents alone, as far as they were made.
    fn reports(&self) -> Vec<Rc<Report>> {
        self.records.iter().take(TOGETHER).map(|record| Rc::new(record.report())).collect()
    }

    /// Keeps an event of the run that goes on; what the page is told of it.
    pub fn apply(&mut self, event: &Event) -> Vec<CheckerMessage> {
        let last = self.records.len().saturating_sub(1);
        let Some(message) = self.records.last_mut().and_then(|record| record.apply(event)) else { return Vec::new() };
        let (Event::Finished { completion, .. }, Some(pair)) = (event, &mut self.pair) else { return vec![message] };
        let is_stopped = *completion == Completion::Stopped;
        pair.is_over = is_stopped || last == TOGETHER;
        if !pair.is_over {
            return self.told().into_iter().collect();
        }
        if last < TOGETHER {
            self.give_up_the_rest();
        }
        self.told().into_iter().chain([message]).collect()
    }

    /// The run was stopped before it came to both: their report says so. What was under way stays in view.
    fn give_up_the_rest(&mut self) {
        let Some(AgentPair { environment, hides_from, .. }) = &self.pair else { return };
        let mut both = RunRecord::of_both(environment.clone(), hides_from.clone(), self.reports());
        let tally = both.tally();
        both.apply(&Event::stopped(tally, 0.0));
        while self.records.len() < TOGETHER {
            self.records.push(RunRecord::new(environment.clone(), hides_from.clone()));
        }
        self.records.push(both);
    }

    /// Shows another of the reports of a run that is over.
    pub fn show(&mut self, place: usize) -> Option<Opened> {
        self.switch().filter(|switch| switch.reports.get(place).is_some_and(|line| line.can_show))?;
        let mut opened = self.records.get(place)?.told_again();
        // The page has to know which it is before it hears of its rows.
        self.shown = place;
        opened.messages.insert(0, self.told()?);
        Some(opened)
    }

    /// The record that is shown.
    #[must_use]
    pub fn shown(&self) -> Option<&RunRecord> {
        self.records.get(self.shown)
    }

    /// The same, to judge some of its checks again.
    pub fn shown_mut(&mut self) -> Option<&mut RunRecord> {
        self.records.get_mut(self.shown)
    }

    /// The record of the whole, which is kept for a reload.
    #[must_use]
    pub fn whole(&self) -> Option<&RunRecord> {
        self.records.last()
    }

    /// The three reports as they stand, for the page; `None` for an agent alone.
    #[must_use]
    pub fn told(&self) -> Option<CheckerMessage> {
        self.switch().map(|switch| CheckerMessage::Agents(Box::new(switch)))
    }

    fn switch(&self) -> Option<AgentsSwitch> {
        let pair = self.pair.as_ref()?;
        let reports: Vec<ReportLine> = (0..NAMES.len()).map(|place| self.line(pair, place)).collect();
        let subject = subject(&reports, self.shown);
        let obstacle = self.records.get(TOGETHER).and_then(|record| record.report().cause);
        Some(AgentsSwitch { reports, shown: self.shown, subject, obstacle: sentence(&obstacle.unwrap_or_default()) })
    }

    fn line(&self, pair: &AgentPair, place: usize) -> ReportLine {
        let address = pair.addresses.get(place).cloned().unwrap_or_default();
        let report = self.records.get(place).map(RunRecord::report);
        let over = report.filter(|report| report.completion.is_some());
        let verdict = match &over {
            Some(report) => report.verdict_title(),
            None if pair.is_over => "not checked",
            None if place < self.records.len() => "being checked",
            None => "waits",
        };
        ReportLine {
            address,
            word: over.as_ref().map(|report| report.word),
            verdict: verdict.to_owned(),
            can_show: pair.is_over && over.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::event::Tally;
    use crate::wire::json;

    fn end(completion: Completion, cause: Option<&str>) -> Event {
        let cause = cause.map(str::to_owned);
        Event::Finished { completion, tally: Tally::default(), cause, duration_ms: 5.0 }
    }

    fn of_two() -> RunRecords {
        RunRecords::of_two(Environment::default(), None, ["https://me:secret@a.example/", "https://b.example/"])
    }

    fn switch(messages: &[CheckerMessage]) -> &AgentsSwitch {
        match messages.first() {
            Some(CheckerMessage::Agents(switch)) => switch,
            other => panic!("{other:?}"),
        }
    }

    fn verdicts(switch: &AgentsSwitch) -> Vec<(&str, bool)> {
        switch.reports.iter().map(|line| (line.verdict.as_str(), line.can_show)).collect()
    }

    #[test]
    fn an_agent_alone_has_no_switch() {
        let mut records = RunRecords::alone(RunRecord::new(Environment::default(), None));
        assert_eq!((records.told(), records.begin_next()), (None, None));
        let messages = records.apply(&end(Completion::Complete, None));
        assert!(matches!(messages.as_slice(), [CheckerMessage::Finished(_)]), "{messages:?}");
        assert_eq!(records.show(0), None);
    }

    #[test]
    fn two_agents_have_three_reports_of_which_the_last_is_of_both() {
        let mut records = of_two();
        let told = records.told().into_iter().collect::<Vec<_>>();
        let (waits, checked) = (("waits", false), ("being checked", false));
        assert_eq!(verdicts(switch(&told)), [checked, waits, waits]);
        assert_eq!(switch(&told).subject, "https://[redacted]@a.example/");

        // The page is told the end of the whole, and not that of a part.
        let messages = records.apply(&end(Completion::Complete, None));
        assert_eq!((messages.len(), switch(&messages).shown), (1, 0));
        assert!(records.show(0).is_none(), "not while the run goes on");
        let next = records.begin_next().into_iter().collect::<Vec<_>>();
        assert_eq!((switch(&next).shown, switch(&next).reports[1].verdict.as_str()), (1, "being checked"));
        records.apply(&end(Completion::Complete, None));
        records.begin_next();
        let messages = records.apply(&end(Completion::Pair, Some("the two agents cannot talk: no version in common")));
        assert!(
            matches!(messages.as_slice(), [CheckerMessage::Agents(_), CheckerMessage::Finished(_)]),
            "{messages:?}"
        );
        assert_eq!(switch(&messages).obstacle, "The two agents cannot talk: no version in common.");
        assert!(switch(&messages).reports.iter().all(|line| line.can_show && line.word.is_some()));

        let opened = records.show(0).expect("the report of the first agent");
        assert_eq!(switch(&opened.messages).shown, 0);
        assert!(matches!(opened.messages.last(), Some(CheckerMessage::Finished(_))));
        assert_eq!(records.shown().map(|record| record.report().agents.len()), Some(0));
        let kept = records.whole().map(|record| record.kept(true).text).unwrap_or_default();
        let report = json::read(kept.as_bytes()).expect("a report");
        assert_eq!(report["agents"].as_array().map(Vec::len), Some(2));
        assert_eq!(report["completion"], "pair");
    }

    #[test]
    fn a_run_that_is_stopped_early_keeps_what_was_seen() {
        let mut records = of_two();
        let messages = records.apply(&end(Completion::Stopped, None));
        assert!(
            matches!(messages.as_slice(), [CheckerMessage::Agents(_), CheckerMessage::Finished(_)]),
            "{messages:?}"
        );
        let switch = switch(&messages);
        assert_eq!(switch.shown, 0);
        assert!(switch.reports[0].can_show && !switch.reports[1].can_show && switch.reports[2].can_show);
        assert_eq!(switch.reports[1].verdict, "not checked");
        assert_eq!((records.show(1), records.begin_next()), (None, None));
        let whole = records.whole().map(RunRecord::report).expect("a report on both");
        assert_eq!((whole.completion, whole.agents.len()), (Some(Completion::Stopped), 1));
    }
}
