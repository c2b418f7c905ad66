//! The setup of a run besides the address and the credentials, as far as it may be shared: version, convention, skills,
//! trusted keys, times, prompts, and the faults of the demo agent.

use super::choices::{CHOICES, ChoicePlace, RunChoice};
use super::format::count_of;
use super::second_address::SecondKind;
use super::settings::Settings;
use super::shared_address::without_secrets;
use crate::engine::prompt::Behaviour;

/// The part of a form that can be shared. It has no member that could hold a credential.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// Names as a link has them, and values; each name once.
    values: Vec<(String, String)>,
    /// The faults of the demo agent; `None` where it is not the demo agent that is checked.
    pub faults: Option<Vec<String>>,
}

const PROMPT: &str = "prompt-";
/// The name of the demo agent's faults.
const DEMO: &str = "demo";
/// The demo agent without a fault.
const CONFORMANT: &str = "conformant";

impl Setup {
    /// The part of these settings that can be shared.
    #[must_use]
    pub fn from_settings(settings: &Settings) -> Self {
        let mut setup = Self::default();
        for (choice, typed) in settings.choices() {
            setup.take(choice.name, typed);
        }
        for behaviour in Behaviour::ALL {
            let text = settings.prompts.get(behaviour).unwrap_or_default().trim();
            setup.put(format!("{PROMPT}{}", behaviour.as_str()), text);
        }
        let second = &settings.second;
        setup.put(second.kind.as_str().to_owned(), &without_secrets(second.address.trim()));
        setup
    }

    /// The same for an agent alone: the second address belongs to the first.
    #[must_use]
    pub fn without_second_address(mut self) -> Self {
        self.values.retain(|(name, _)| SecondKind::parse(name).is_none());
        self
    }

    /// That of the demo agent with these faults.
    #[must_use]
    pub fn demo(faults: Vec<String>) -> Self {
        Self { faults: Some(faults), ..Self::default() }
    }

    /// Reads a name and a value of a link; what it does not know, it leaves out. Answers whether it knows the name.
    pub fn take(&mut self, name: &str, value: &str) -> bool {
        let is_prompt = name.strip_prefix(PROMPT).is_some_and(|name| Behaviour::parse(name).is_some());
        let fits = match choice_of(name) {
            Some(choice) => (choice.is_shared)(value),
            None if name == DEMO => {
                let ids = value.split(',').filter(|id| !id.is_empty() && *id != CONFORMANT);
                self.faults = Some(ids.map(str::to_owned).collect());
                return true;
            }
            None if is_prompt => true,
            None if SecondKind::parse(name).is_some() => {
                // There is one second address.
                self.values.retain(|(known, _)| SecondKind::parse(known).is_none());
                true
            }
            None => return false,
        };
        if fits {
            self.put(name.to_owned(), value);
        }
        true
    }

    fn put(&mut self, name: String, value: &str) {
        if !value.is_empty() {
            self.values.retain(|(known, _)| *known != name);
            self.values.push((name, value.to_owned()));
        }
    }

    /// Names and values for a link.
    #[must_use]
    pub fn pairs(&self) -> Vec<(String, String)> {
        let faults = self.faults.as_ref().map(|faults| match faults.is_empty() {
            true => CONFORMANT.to_owned(),
            false => faults.join(","),
        });
        self.values.iter().cloned().chain(faults.map(|faults| (DEMO.to_owned(), faults))).collect()
    }

    /// Puts it into a form; credentials stay as they are.
    pub fn put_into(&self, settings: &mut Settings) {
        for (name, value) in &self.values {
            match (name.strip_prefix(PROMPT).and_then(Behaviour::parse), SecondKind::parse(name), choice_of(name)) {
                (Some(behaviour), ..) => settings.prompts.set(behaviour, value.clone()),
                (_, Some(kind), _) => (settings.second.kind, settings.second.address) = (kind, value.clone()),
                (.., Some(choice)) => settings.set_choice(choice.id, value.clone()),
                (None, None, None) => {}
            }
        }
    }

    /// A description for people: `version 0.3, 2 prompts, 1 waiting time`; empty for an empty setup.
    #[must_use]
    pub fn in_words(&self) -> String {
        let (mut words, mut times) = (Vec::new(), 0);
        for (name, value) in &self.values {
            match (SecondKind::parse(name), choice_of(name)) {
                (Some(SecondKind::Peer), _) => words.push(format!("together with {value}")),
                (Some(SecondKind::Gateway), _) => words.push(format!("through the gateway {value}")),
                (None, Some(choice)) if choice.place == ChoicePlace::Times => times += 1,
                (None, Some(choice)) => words.push(choice.words.replace("{}", value)),
                (None, None) => {}
            }
        }
        let prompts = self.values.iter().filter(|(name, _)| name.starts_with(PROMPT)).count();
        if prompts > 0 {
            words.push(count_of(prompts, "prompt"));
        }
        if times > 0 {
            words.push(count_of(times, "waiting time"));
        }
        match self.faults.as_ref().map(Vec::len) {
            None => {}
            Some(0) => words.push("the demo agent".to_owned()),
            Some(count) => words.push(format!("the demo agent with {}", count_of(count, "fault"))),
        }
        words.join(", ")
    }
}

fn choice_of(name: &str) -> Option<&'static RunChoice> {
    CHOICES.iter().find(|choice| choice.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        let mut settings = Settings::default();
        settings.set_choice("version", "0.3".into());
        settings.set_choice("profile", "agentbin".into());
        settings.set_choice("skills", "echo, sum".into());
        settings.set_choice("jwks", "https://keys.example/set".into());
        settings.set_choice("thorough", "yes".into());
        settings.set_choice("repeat", "5".into());
        settings.second.kind = SecondKind::Gateway;
        settings.second.address = "https://gate.example/a".into();
        settings.set_choice("time-answer", "7".into());
        settings.prompts.set(Behaviour::Cancel, "work & wait = 9 %".into());
        settings
    }

    #[test]
    fn a_form_survives_and_its_credentials_are_never_in_it() {
        let mut with_secrets = settings();
        with_secrets.bearer = "canary-1".into();
        with_secrets.headers = "X-Key: canary-2".into();
        with_secrets.set_field("basic", "me:canary-3".into());
        with_secrets.second.set_credential("canary-4".into());
        let setup = Setup::from_settings(&with_secrets);
        assert!(!format!("{setup:?}").contains("canary"));
        let mut again = Setup::default();
        for (name, value) in setup.pairs() {
            assert!(again.take(&name, &value), "{name}");
        }
        assert_eq!(again, setup);
        let mut form = Settings::default();
        again.put_into(&mut form);
        assert_eq!(form, settings());
        assert_eq!(
            setup.in_words(),
            "protocol version 0.3, the agentbin convention, chosen skills, trusted keys, thorough, 5 runs, \
             through the gateway https://gate.example/a, 1 prompt, 1 waiting time"
        );
        let alone = setup.without_second_address();
        assert!(!alone.in_words().contains("gateway") && alone.in_words().contains("thorough"));
    }

    #[test]
    fn a_link_cannot_set_what_a_form_cannot() {
        let mut setup = Setup::default();
        for (name, value) in [
            ("version", "9.9"),
            ("profile", "x"),
            ("time-answer", "1e9"),
            ("keys", "javascript:x"),
            ("thorough", "no"),
            ("repeat", "-1"),
            ("skills", ""),
        ] {
            assert!(setup.take(name, value), "{name}");
        }
        assert!(!setup.take("bearer", "x") && !setup.take("prompt-unicorn", "x"));
        assert_eq!(setup, Setup::default());
        assert_eq!(setup.in_words(), "");
    }

    #[test]
    fn keys_that_are_long_or_protected_are_not_shared() {
        for keys in ["{\"keys\":[]}", "https://me:canary@h/set", "https://h/set?token=canary"] {
            let mut settings = Settings::default();
            settings.set_choice("jwks", keys.into());
            assert_eq!(Setup::from_settings(&settings), Setup::default(), "{keys}");
        }
    }

    #[test]
    fn there_is_one_second_address_and_its_secrets_are_not_shared() {
        let mut settings = Settings::default();
        settings.second.address = "https://me:canary@b.example/x?token=canary&y=1".into();
        let setup = Setup::from_settings(&settings);
        assert_eq!(setup.pairs(), [("peer".to_owned(), "https://b.example/x?y=1".to_owned())]);
        assert_eq!(setup.in_words(), "together with https://b.example/x?y=1");
        let mut both = setup;
        assert!(both.take("via", "gate.example"));
        assert_eq!(both.in_words(), "through the gateway gate.example");
        let mut form = Settings::default();
        both.put_into(&mut form);
        assert_eq!((form.second.kind, form.second.address.as_str()), (SecondKind::Gateway, "gate.example"));
    }

    #[test]
    fn the_demo_agent_is_shared_with_its_faults() {
        for (faults, words) in [
            (vec![], "the demo agent"),
            (vec!["get-wrapped".to_owned()], "the demo agent with 1 fault"),
            (vec!["a".to_owned(), "b".to_owned()], "the demo agent with 2 faults"),
        ] {
            let setup = Setup::demo(faults);
            let mut again = Setup::default();
            setup.pairs().iter().for_each(|(name, value)| assert!(again.take(name, value)));
            assert_eq!((again.in_words().as_str(), &again), (words, &setup));
        }
    }
}
