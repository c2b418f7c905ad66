//! How values of other rooms pass between the page and the checker: those rooms know of neither.

use super::passing::{Bytes, Passing, passing};
use crate::engine::event::{Agent, Tally};
use crate::engine::prompt::{Behaviour, Texts};
use crate::engine::reach::Action;
use crate::engine::requirement::Level;
use crate::engine::security_schemes::SecurityScheme;
use crate::engine::upgrade::{Upgrade, UpgradeChange};
use crate::engine::user_waits::Waiting;
use crate::engine::verdict::Outcome;
use crate::host::probe::{AddressSpace, Browser, PageOrigin};
use crate::report::VerdictWord;

passing! { struct Tally {
    total, judged, passed, failed, skipped, failed_required, failed_advisory, inconclusive, blocked, messages,
} }
passing! { struct Agent {
    name, version, card_url, capabilities, profile, detected, silent_interfaces, asks, elsewhere,
} }
passing! { enum Behaviour {
    Complete, MessageOnly, Fail, Reject, InputRequired, More, Done, Cancel, LongRunning, Stream, DataTypes, AuthRequired,
    Raise,
} }
passing! { enum Action { Fix, Again, Wait, Tab, Local, Address } }
passing! { enum Level { May, Should, Must } }
passing! { enum SecurityScheme {
    Bearer,
    Basic,
    Key { name, in_query },
    OAuth { token_url, authorize_url, device_url, scopes },
    OpenId { url, scopes },
    Other(kind),
} }
passing! { struct Upgrade { from, to, changes } }
passing! { struct UpgradeChange { what, section } }
passing! { enum Outcome {
    Pass, Fail, Note, NotApplicable, NotObservable, Inconclusive, Blocked, NotRun, HarnessError,
} }
passing! { struct Waiting { id, what, waited_ms, limit_ms } }
passing! { enum AddressSpace { Loopback, Private, Public } }
passing! { struct PageOrigin { origin, secure, local, framed, browser } }
passing! { enum Browser { Chromium, Firefox, WebKit, Other } }
passing! { enum VerdictWord { Conformant, ConformantWithAdvice, NotConformant, PartlyChecked, Incomplete } }

impl Passing for Texts {
    fn write(&self, out: &mut Vec<u8>) {
        let texts: Vec<(Behaviour, String)> =
            self.iter().map(|(behaviour, text)| (behaviour, text.to_owned())).collect();
        texts.write(out);
    }

    fn read(from: &mut Bytes<'_>) -> Self {
        let mut texts = Self::default();
        for (behaviour, text) in Vec::read(from) {
            texts.set(behaviour, text);
        }
        texts
    }
}
