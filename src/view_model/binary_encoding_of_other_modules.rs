//! How values of other rooms pass between the page and the checker: those rooms know of neither.

use super::binary_encoding::{BinaryEncoding, Bytes, binary_encoding};
use crate::engine::event::{Agent, Tally};
use crate::engine::prompt::{Behaviour, Texts};
use crate::engine::reach::Action;
use crate::engine::requirement::Level;
use crate::engine::security_schemes::SecurityScheme;
use crate::engine::user_waits::Waiting;
use crate::engine::verdict::Outcome;
use crate::host::probe::{AddressSpace, Browser, PageOrigin};
use crate::report::VerdictWord;

binary_encoding! { struct Tally {
    total, judged, passed, failed, skipped, failed_required, failed_advisory, inconclusive, blocked, unsteady, messages,
} }
binary_encoding! { struct Agent {
    name, version, card_url, capabilities, profile, detected, silent_interfaces, asks, elsewhere,
} }
binary_encoding! { enum Behaviour {
    Complete, MessageOnly, Fail, Reject, InputRequired, More, Done, Cancel, LongRunning, Stream, DataTypes, AuthRequired,
    Raise, Burst,
} }
binary_encoding! { enum Action { Fix, Again, Wait, Tab, Local, Address } }
binary_encoding! { enum Level { May, Should, Must } }
binary_encoding! { enum SecurityScheme {
    Bearer,
    Basic,
    Key { name, in_query },
    OAuth { token_url, authorize_url, device_url, scopes },
    OpenId { url, scopes },
    Other(kind),
} }
binary_encoding! { enum Outcome {
    Pass, Fail, Note, NotApplicable, NotObservable, Inconclusive, Unsteady, Blocked, NotRun, HarnessError,
} }
binary_encoding! { struct Waiting { id, what, waited_ms, limit_ms } }
binary_encoding! { enum AddressSpace { Loopback, Private, Public } }
binary_encoding! { struct PageOrigin { origin, path, secure, local, framed, browser } }
binary_encoding! { enum Browser { Chromium, Firefox, WebKit, Other } }
binary_encoding! { enum VerdictWord { Conformant, ConformantWithAdvice, NotConformant, PartlyChecked, Incomplete } }

impl BinaryEncoding for Texts {
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
