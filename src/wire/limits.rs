//! How much is read, kept, called and told of what an agent chooses: one table, with a reason for each. What a run does is on a line with
//! what lies below these limits (`tests/it/growth.rs`). docs/OPTIONS.md#limits tells users of those that they can meet.
//!
//! Limits of time are in `engine/timeouts.rs`. What the user chooses, and what is sent to the scripted agent, is bounded where it is read.

/// A megabyte.
pub const MB: usize = 1024 * 1024;

// Of one answer.

/// Fields of a head, or of trailers. Natively nothing longer is read: it is the limit of the HTTP library.
pub const MOST_FIELDS: usize = 100;
/// Redirects that are followed: none of the answers needs more, and a ring has no end.
pub const MOST_REDIRECTS: usize = 5;
/// Events of a stream: a run asks for a few words, and an endless stream must end somewhere.
pub const MOST_EVENTS: usize = 2000;
/// Bytes that are kept of the events of a stream that was too long: enough to show what it is.
pub const MOST_BEGINNING: usize = 256 * 1024;
/// Bytes that are kept of a body that was too long, and read of an answer that is under way when the run is full.
pub const MOST_HEAD: usize = 64 * 1024;
/// Different harmless oddities of a stream: one of nothing else must not fill our memory.
pub const MOST_ODDITIES: usize = 64;
/// Arrays and objects that lie in each other (RFC 8259 §9 lets a reader set a limit): each is a step of recursion.
pub const MOST_LEVELS: usize = 128;
/// Flaws of a text that is JSON: who mends the first hundred reads it again.
pub const MOST_FLAWS: usize = 100;
/// Places of an answer that break one rule and are kept: all are counted, and the first is told.
pub const MOST_DEVIATIONS: u32 = 100;
/// Messages of Protocol Buffers that lie in each other, as in its own libraries.
pub const MOST_MESSAGE_LEVELS: usize = 100;
/// Flaws of a message, and of all messages of an answer over gRPC.
pub const MOST_MESSAGE_FLAWS: usize = 20;
/// Values of a message over gRPC: two bytes of it can be an object with all its members.
pub const MOST_MESSAGE_VALUES: usize = 100_000;
/// Bytes of a JSON pointer: many flaws below one huge name must not multiply it.
pub const MOST_POINTER: usize = 4096;
/// Lines that a document is laid out in; a last line of `…` stands for what is missing.
pub const MOST_LINES: usize = 10_000;
/// Differences of two documents that are listed: what differs more is simply different.
pub const MOST_DIFFERENCES: usize = 200;

// Of all answers of a run.

/// Bytes that an agent can put into every request, by its ids, tokens, tenants and extensions, before they count as kept: no request of
/// ours is so long by itself, but for a padded one.
pub const USUAL_REQUEST: usize = 16 * 1024;
/// Bytes of longer requests before they count: of ours one is padded to more than a megabyte for each interface.
pub const LONG_REQUESTS: usize = 24 * MB;

/// How much is read and kept of answers.
#[derive(Debug, Clone, Copy)]
pub struct MemoryLimits {
    /// The longest body that is read to its end.
    pub body: usize,
    /// The longest stream that is read.
    pub stream: usize,
    /// The longest line of a stream.
    pub line: usize,
    /// The longest event of a stream.
    pub event: usize,
    /// The most memory that one answer may take. Values take far more than their text: a body of nothing but tiny objects
    /// takes a hundred times its length.
    pub weight: usize,
    /// The most memory that all answers of a run may take together; then it ends.
    pub kept: usize,
}

/// Of checks, whose requests no sane agent answers with so much.
pub const OF_CHECKS: MemoryLimits =
    MemoryLimits { body: 5 * MB, stream: 8 * MB, line: MB, event: 4 * MB, weight: 24 * MB, kept: 64 * MB };
/// Of tests that a user wrote, who may want to see files come back: ten megabytes are fourteen as base64.
pub const OF_WRITTEN_TESTS: MemoryLimits =
    MemoryLimits { body: 24 * MB, stream: 32 * MB, line: 24 * MB, event: 24 * MB, weight: 80 * MB, kept: 512 * MB };

// Of a card.

/// Interfaces that a run calls, if the user does not want more: several hundred requests go to each.
pub const MOST_INTERFACES: usize = 16;
/// Bytes of the URL of an interface, which every request to it carries: what every server must take (RFC 9110 §4.1).
pub const LONGEST_URL: usize = 8000;
/// Digits of the numbers of a version: no protocol has a longer one, and it names the rows.
pub const LONGEST_VERSION: usize = 32;
/// Security schemes that a user is offered credentials for: nobody could choose among more.
pub const MOST_SCHEMES: usize = 64;
/// Signatures that are verified: each may name a key set that has to be fetched.
pub const MOST_SIGNATURES: usize = 5;
/// Keys that a signature is tried with: each costs a verification.
pub const MOST_KEYS: usize = 32;
/// Examples of skills that are sent to an ordinary agent: each costs it a message.
pub const MOST_EXAMPLES: usize = 8;
/// Modes that are compared with those of each skill, which are as many again.
pub const MOST_MODES: usize = 200;

// Of lists and tasks.

/// Pages of a list that are turned: a context of ours has fewer tasks, of other lists the newest come first, and a token may lead on for
/// ever.
pub const MOST_PAGES: usize = 6;
/// Parts that are handed on to another agent.
pub const MOST_PARTS: usize = 12;
/// Notifications that one webhook keeps: an agent may tell of every word of an answer.
pub const MOST_NOTIFICATIONS: usize = 1000;
/// Bytes of all notifications that are kept: they are in memory until the run ends.
pub const MOST_NOTIFIED: usize = 16 * MB;

// Of what is told.

/// Characters of a finding's texts, each of which may quote an agent.
pub const LONGEST_FINDING: usize = 10_000;
/// Characters of the name of an interface that is not called, and of the reason.
pub const LONGEST_NAME: usize = 500;
/// Interfaces that are not called that are named for people; the report as JSON names each.
pub const MOST_NAMED: usize = 16;
/// Versions of a card that this build does not know that are named.
pub const MOST_NAMED_VERSIONS: usize = 4;
/// Characters of a challenge that are quoted: any agent can write a book into a header.
pub const LONGEST_CHALLENGE: usize = 160;
/// Bytes of a body, or of one event's data, in a report.
pub const MOST_TOLD: usize = 64 * 1024;
/// The same once the report is longer than [`LONG_REPORT`].
pub const MOST_TOLD_IN_LONG: usize = 1024;
/// A report that is longer than this, in bytes, opens slowly everywhere, and costs the page its memory.
pub const LONG_REPORT: usize = 8 * MB;
