//! Runs a test: its steps one after another with their repetition, what they expect, and the verdict on the whole.

use serde_json::Value;

use super::agent_cards::{fetch_card, further_address, further_agent};
use super::answer::{AnswerOutcome, StepAnswer};
use super::applicable;
use super::client;
use super::corpus;
use super::document::{ActsOperation, ActsStep, ExpectBlock, RawRequest, StepAction};
use super::expectations;
use super::matching::{Unmet, judge, mismatch};
use super::requests;
use super::scope::TestScope;
use super::streams;
use super::test_run::TestRun;
use super::trials::PassRate;
use crate::a2a::binding::Credentials;
use crate::a2a::model::Operation;
use crate::engine::transcript::whole_ms;
use crate::engine::verdict::{Outcome, Verdict};

/// Why a test did not pass: the step, and the exchange that shows it.
struct Trouble {
    step: String,
    unmet: Unmet,
    exchange: Option<u32>,
}

/// The answer of a further agent. If it cannot be reached, the agent under test is not to blame.
fn reached(agent: &str, answer: StepAnswer) -> Result<StepAnswer, String> {
    match &answer.kind {
        AnswerOutcome::Other(why) => Err(format!("the agent {agent} cannot be asked: {why}")),
        _ => Ok(answer),
    }
}

/// The same to a request as it is written. Nor is it a fault that the agent does not tell what it received.
fn further(agent: &str, raw: &RawRequest, answer: StepAnswer) -> Result<StepAnswer, String> {
    let answer = reached(agent, answer)?;
    match &answer.kind {
        _ if raw.received_for.is_none() => Ok(answer),
        AnswerOutcome::Success if answer.root.get("requests").is_some_and(Value::is_array) => Ok(answer),
        _ => Err(format!("the agent {agent} does not tell what it received: {}", answer.describe())),
    }
}

/// The word for what no step but the whole test expects.
const WHOLE: &str = "assertions";

impl TestRun<'_> {
    pub(super) async fn verdict(&self) -> Verdict {
        let (test, driver) = (self.test, self.driver);
        if let Some(why) = applicable::reason_to_skip(self) {
            return why;
        }
        let verdict = match test.trials {
            None => {
                let verdict = self.once().await;
                match verdict.outcome {
                    Outcome::Pass => verdict.rewarded(1.0, test.reward),
                    Outcome::Fail => verdict.rewarded(0.0, test.reward),
                    _ => verdict,
                }
            }
            Some((trials, rate)) => self.several(trials, rate).await,
        };
        // The whole conversation is evidence.
        driver
            .steps()
            .iter()
            .filter(|step| step.exchange.id > 0)
            .fold(verdict, |verdict, step| verdict.seen_in(step.exchange.id))
    }

    async fn several(&self, trials: u32, wanted: f64) -> Verdict {
        let mut rate = PassRate { passed: 0, trials: 0 };
        let mut failure = None;
        for _ in 0..trials {
            let verdict = self.once().await;
            match verdict.outcome {
                Outcome::Pass => rate.passed += 1,
                Outcome::Fail => failure = Some(verdict),
                _ => return verdict,
            }
            rate.trials += 1;
        }
        let said = rate.describe();
        let verdict = match failure {
            Some(failure) if rate.rate() < wanted => {
                let last = failure.message.clone();
                let because = format!("{said}; {:.0} % was asked for; the last failure: {last}", wanted * 100.0);
                failure.because(because)
            }
            _ => Verdict::pass_with(said),
        };
        verdict.rewarded(rate.rate(), self.test.reward)
    }

    /// Runs the test once, from a clean start.
    async fn once(&self) -> Verdict {
        let fresh = || self.driver.fresh_id();
        let base_url = self.driver.address().url();
        let given = (self.document.variables.as_slice(), self.document.files.as_slice());
        let scope = TestScope::new(given, self.settings, &fresh, &base_url);
        for step in &self.test.steps {
            if let Err(trouble) = self.step(step, &scope).await {
                return self.failed(trouble);
            }
        }
        for assertion in &self.test.assertions {
            if let Err(unmet) = expectations::named(assertion, &scope) {
                return self.failed(Trouble { step: WHOLE.to_owned(), unmet, exchange: None });
            }
        }
        corpus::passed(self.test)
    }

    fn failed(&self, Trouble { step, unmet, exchange }: Trouble) -> Verdict {
        // Something without an exchange is shown by the last one.
        let last = || self.driver.steps().last().map_or(0, |step| step.exchange.id);
        unmet.verdict(&step, exchange.unwrap_or_else(last))
    }

    async fn step(&self, step: &'static ActsStep, scope: &TestScope<'_>) -> Result<(), Trouble> {
        let trouble = |unmet: Unmet, exchange: Option<u32>| Trouble { step: step.id.clone(), unmet, exchange };
        let exchange = match &step.action {
            StepAction::Assert(assertion) => {
                return expectations::named(assertion, scope).map_err(|unmet| trouble(unmet, None));
            }
            StepAction::Client { operation, payload, expect_parsed } => {
                let Some(lane) = self.driver.lane() else { return Ok(()) };
                let payload = scope.fill(payload).map_err(|why| trouble(Unmet::Unresolved(why), None))?;
                let parsed = client::parsed(*operation, &payload, lane).map_err(|unmet| trouble(unmet, None))?;
                judge(expect_parsed, Some(&parsed), "", scope).map_err(|unmet| trouble(unmet, None))?;
                scope.keep_response(&step.id, parsed);
                None
            }
            StepAction::Call(..) | StepAction::Raw(_) => {
                let answer = self.until_it_holds(step, scope).await?;
                self.judge(step, &answer, scope).map_err(|unmet| trouble(unmet, Some(answer.exchange.id)))?;
                Some(answer.exchange.id)
            }
        };
        let mut assertions = step.assertions.iter();
        assertions.try_for_each(|each| expectations::named(each, scope)).map_err(|unmet| trouble(unmet, exchange))
    }

    /// Does what a step says, again and again if it is to be repeated.
    async fn until_it_holds(&self, step: &'static ActsStep, scope: &TestScope<'_>) -> Result<StepAnswer, Trouble> {
        let trouble = |unmet: Unmet, exchange: Option<u32>| Trouble { step: step.id.clone(), unmet, exchange };
        if step.delay_ms > 0 {
            self.driver.pause(step.delay_ms as f64).await;
        }
        let mut attempt = 1;
        loop {
            let answer = self.perform(step, scope).await.map_err(|why| trouble(Unmet::Unresolved(why), None))?;
            scope.keep_response(&step.id, answer.root.clone());
            let Some(repeat) = &step.repeat else { return Ok(answer) };
            let holds = repeat.until.holds(&answer.root, scope);
            // An answer that is not a result does not become one by asking again.
            let is_over = !matches!(answer.kind, AnswerOutcome::Success);
            if is_over || holds.map_err(|why| trouble(Unmet::Unresolved(why), Some(answer.exchange.id)))? {
                return Ok(answer);
            }
            if attempt >= repeat.max_attempts || !self.driver.has_time() {
                let tries = if attempt == 1 { "1 attempt".to_owned() } else { format!("{attempt} attempts") };
                let actual = format!("{} after {tries}", repeat.until.found(&answer.root));
                return Err(trouble(mismatch("", repeat.until.text(), actual), Some(answer.exchange.id)));
            }
            self.driver.pause(repeat.delay_after(attempt)).await;
            attempt += 1;
        }
    }

    /// Sends what a step says. The error names a reference without a value.
    async fn perform(&self, step: &'static ActsStep, scope: &TestScope<'_>) -> Result<StepAnswer, String> {
        let driver = self.driver;
        if let Some(agent) = &step.agent {
            return self.call_further(agent, step, scope).await;
        }
        let credentials = step.credentials.unwrap_or_else(|| corpus::credentials(self.test));
        let operation = match &step.action {
            StepAction::Call(ActsOperation::Call(operation), _) => *operation,
            StepAction::Call(ActsOperation::Card, params) => {
                // The format's own corpus asks for the extended card so.
                if params.get("extended") != Some(&Value::Bool(true)) {
                    let card = fetch_card(driver, driver.address(), &step.id, credentials).await;
                    return Ok(StepAnswer::to_written(&card, None));
                }
                Operation::GetExtendedCard
            }
            StepAction::Raw(raw) => {
                let request = requests::written(raw, self, scope)?;
                if let Some(agent) = &raw.agent {
                    let step = driver.send_written(&step.id, request, Credentials::None).await;
                    return further(agent, raw, StepAnswer::to_written(&step, None));
                }
                let has_own = request.headers.get("authorization").is_some();
                let credentials = if has_own && step.credentials.is_none() { Credentials::None } else { credentials };
                let step = driver.send_written(&step.id, request, credentials).await;
                return Ok(StepAnswer::to_written(&step, driver.lane().map(|lane| &**lane)));
            }
            StepAction::Client { .. } | StepAction::Assert(_) => return Err("this step sends nothing".to_owned()),
        };
        let params = match &step.action {
            StepAction::Call(ActsOperation::Call(_), params) => scope.fill(params)?,
            _ => Value::Null,
        };
        let params = requests::params(operation, params, (driver.dialect().forms.tags, false), self, scope)?;
        if matches!(operation, Operation::SendMessage | Operation::SendStreamingMessage) {
            driver.count_message();
        }
        let mut call = driver.operation(operation, params);
        call.credentials = credentials;
        let answered = if operation.streams() { driver.stream(&step.id, call) } else { driver.call(&step.id, call) };
        Ok(StepAnswer::to_call(&*answered.await))
    }

    /// Calls an operation of a further agent. If that has no such interface or cannot be reached, the agent under test is not to
    /// blame.
    async fn call_further(
        &self,
        name: &str,
        step: &'static ActsStep,
        scope: &TestScope<'_>,
    ) -> Result<StepAnswer, String> {
        let StepAction::Call(ActsOperation::Call(operation), params) = &step.action else {
            let address = further_address(name, self)?;
            let card = fetch_card(self.driver, &address, &step.id, Credentials::None).await;
            return reached(name, StepAnswer::to_written(&card, None));
        };
        let agent = match scope.further(name) {
            Some(known) => known,
            None => {
                let found = further_agent(name, &step.id, self).await?;
                scope.keep_further(name, found.clone());
                found
            }
        };
        let tags = agent.lane.dialect.forms.tags;
        let params = requests::params(*operation, scope.fill(params)?, (tags, true), self, scope)?;
        let mut call = self.driver.operation(*operation, params);
        call.extensions = Some(agent.extensions);
        let step = self.driver.call_further(&agent.lane, &step.id, call).await;
        reached(name, StepAnswer::to_call(&step))
    }

    /// Holds what a step expects against its answer, and keeps what it captures.
    fn judge(&self, step: &ActsStep, answer: &StepAnswer, scope: &TestScope<'_>) -> Result<(), Unmet> {
        if let AnswerOutcome::NotSent(why) = &answer.kind {
            return Err(Unmet::Unresolved(why.clone()));
        }
        let is_written = matches!(step.action, StepAction::Raw(_));
        match (&step.expect_error, &step.expect) {
            (Some(error), _) => expectations::error(error, answer, scope)?,
            (None, Some(expect)) => expectations::response(expect, answer, is_written, scope)?,
            (None, None) => expectations::response(&ExpectBlock::default(), answer, is_written, scope)?,
        }
        if let Some(wanted) = &step.expect_stream {
            streams::stream(wanted, answer, self.driver.dialect(), scope)?;
        }
        if let Some(limit) = step.within_ms.filter(|limit| answer.duration_ms > *limit as f64) {
            let actual = format!("{} ms", whole_ms(answer.duration_ms));
            return Err(mismatch("", format!("an answer within {limit} ms"), actual));
        }
        for (name, path) in &step.capture {
            match path.value(&answer.root) {
                Some(value) => scope.capture(&step.id, name, value.clone()),
                None => return Err(mismatch("", format!("a value to capture as {name}"), answer.describe())),
            }
        }
        Ok(())
    }
}
