//! The readings of the same tasks on two interfaces, compared member by member for `two_interfaces.rs`: which tasks, and how many.

use std::rc::Rc;

use crate::a2a::binding::grpc::GRPC;

use crate::a2a::comparable_task::{self, Member, member_at};
use crate::a2a::dialect::Tags;
use crate::a2a::model::{Operation, Task, TaskState};
use crate::engine::drive::StepFuture;
use crate::engine::prelude::{Driver, Judged, Step, Transcript, Verdict, count_of, task_of};
use crate::engine::transcript::Peer;
use crate::suite::messaging::finished;
use crate::suite::task_differences::named;
use crate::suite::transport::{changed_member, kept_message};
use crate::wire::json::{ChangeKind, Value, ValueDifference, diff};

/// The scenarios whose tasks are read again: those that make unlike tasks, and leave them alone once they are over.
const SOURCES: [&str; 4] = ["data-types", "ids", "failed", "multi-turn"];

/// How many tasks are read again, besides the one that both lanes read anyway.
const MOST: usize = 4;

/// How many places a finding names.
const NAMED: usize = 12;

/// Tasks of the other lane that are over: one of each state and each scenario, apart from one that is known.
fn others(peer: &Peer, known: &str) -> Vec<String> {
    let mut found: Vec<(&str, TaskState, &str)> = Vec::new();
    for source in SOURCES {
        let steps = Transcript::find(&peer.transcripts, source).into_iter().flat_map(|transcript| &transcript.steps);
        let mut ends: Vec<(&str, TaskState)> = Vec::new();
        let shown = steps.flat_map(|step| step.shown_tasks()).filter_map(|shown| Some((shown.id?, shown.state?)));
        for (id, state) in shown.filter(|(id, _)| *id != known) {
            match ends.iter_mut().find(|(other, _)| *other == id) {
                Some(end) => end.1 = state,
                None => ends.push((id, state)),
            }
        }
        for (id, state) in ends.into_iter().filter(|(_, state)| state.is_terminal()) {
            if !found.iter().any(|(other, kind, from)| *other == id || (*kind == state && *from == source)) {
                found.push((id, state, source));
            }
        }
    }
    found.into_iter().take(MOST).map(|(id, ..)| id.to_owned()).collect()
}

/// Calls that read other tasks of the other lane on both.
pub(super) fn read_again<'a>(d: &'a Driver, known: &str) -> Vec<StepFuture<'a>> {
    let others = d.peer().map(|peer| others(peer, known)).unwrap_or_default();
    let read = |id: &String| {
        let get = || d.about_task(Operation::GetTask, id);
        [d.call("other-here", get()), d.call_on_peer("other-there", get())]
    };
    others.iter().flat_map(read).collect()
}

/// A task as both lanes read it.
struct Readings<'a> {
    here: (&'a Rc<Step>, &'a Task),
    there: (&'a Rc<Step>, &'a Task),
}

/// The tasks that both lanes read, the finished one first.
fn readings(t: &Transcript) -> Vec<Readings<'_>> {
    let read = |name| t.every(name).map(|step| Some((step, task_of(&step.reply)?)));
    let both = read("theirs-here").zip(read("theirs-there"));
    let first = both.map(|(here, there)| Some(Readings { here: here?, there: there? }));
    // They end in any order.
    let others = read("other-here").map(|here| {
        let here = here?;
        let there = read("other-there").flatten().find(|(_, task)| task.id == here.1.id)?;
        Some(Readings { here, there })
    });
    first.chain(others).flatten().collect()
}

/// Judges that a history which one interface shows, when nobody asks for a length, is not missing on the other.
pub(super) fn same_history(t: &Transcript) -> Judged {
    finished(t.on_peer("send")?)?;
    t.task("theirs-there")?;
    t.task("theirs-here")?;
    let length = |task: &Task| task.history.as_ref().map_or(0, Vec::len);
    // The first message of each lane was the same, and its answer shows the task that it made.
    let sent = Readings { here: t.earlier("send")?.task("send")?, there: t.on_peer("send")?.task("send")? };
    let answers = [sent].into_iter().filter(|sent| sent.here.1.is_over() && sent.there.1.is_over());
    let mut shown = None;
    for Readings { here, there } in readings(t).into_iter().chain(answers) {
        let (ours, theirs) = (length(here.1), length(there.1));
        if (ours == 0) != (theirs == 0) {
            let (expected, actual) = if ours == 0 { ("there", "here") } else { ("here", "there") };
            let count = count_of(ours.max(theirs), "message");
            let expected = format!("the history of {count} that the interface {expected} shows");
            return Ok(here.0.fail(expected, format!("none {actual}")).seen_in(there.0.exchange.id));
        }
        shown = shown.or((ours > 0).then_some(here.0.exchange.id));
    }
    if let Some(verdict) = lost_between(t) {
        return Ok(verdict);
    }
    shown
        .map(|exchange| Verdict::pass().seen_in(exchange))
        .ok_or_else(|| Verdict::not_applicable("neither interface shows the history of a task, which is allowed"))
}

/// What the other interface does not know of a message that came over this one, although it keeps its own messages whole.
fn lost_between(t: &Transcript) -> Option<Verdict> {
    let (here, there) = (t.lane.as_ref()?.dialect, t.peer.as_ref()?.lane.dialect);
    let (own, task) = t.on_peer("context").ok()?.task("second").ok()?;
    let (sent, kept) = kept_message(own, task)?;
    if changed_member((there, sent), (there, kept)).is_some() {
        return None;
    }
    let (own, _) = t.earlier("context").ok()?.task("second").ok()?;
    let (read, task) = t.task("ours-there").ok()?;
    let (sent, kept) = kept_message(own, task)?;
    let (pointer, _) = changed_member((here, sent), (there, kept))?;
    let expected = format!("the message of this interface as it was sent, with its {pointer}");
    let actual = format!("another one, or none, at {pointer}");
    Some(read.fail(expected, actual).at(task.at.key("history")).seen_in(own.exchange.id))
}

impl Readings<'_> {
    /// Where the two differ. How much history is shown when nobody asks is up to the agent (T-HIST-1).
    fn differences(&self, t: &Transcript) -> Vec<ValueDifference> {
        let (Some(here), Some(there)) = (&t.lane, t.peer.as_ref().map(|peer| &peer.lane)) else { return Vec::new() };
        let mut here = comparable_task::task(here.dialect, &self.here.1.raw);
        let mut there = comparable_task::task(there.dialect, &self.there.1.raw);
        let length = |task: &Value| task.get("history").and_then(Value::as_array).map(Vec::len);
        if length(&here) != length(&there) {
            for task in [&mut here, &mut there] {
                if let Value::Object(map) = task {
                    map.shift_remove("history");
                }
            }
        }
        diff(&there, &here)
    }

    /// The value of this reading at a place, or that it has none, in words.
    fn describe(&self, difference: &ValueDifference) -> String {
        let what = match difference.change {
            ChangeKind::Removed => "no",
            ChangeKind::Added => "an additional",
            ChangeKind::Changed => "another",
        };
        let is_index = |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        let names = difference.pointer.as_str().split('/');
        // One conversion loses a member of every element.
        let names: Vec<_> = names.map(|name| if is_index(&name) { "*" } else { name }).collect();
        format!("{what} {}", names.join("/"))
    }
}

/// Judges that the members of these kinds are the same on both interfaces.
pub(super) fn compared(t: &Transcript, kinds: &[Member]) -> Judged {
    finished(t.on_peer("send")?)?;
    t.task("theirs-there")?;
    t.task("theirs-here")?;
    let readings = readings(t);
    let mut found: Vec<(&Readings<'_>, ValueDifference)> = Vec::new();
    for reading in &readings {
        let own = reading.differences(t).into_iter();
        found.extend(own.filter(|own| kinds.contains(&member_at(own.pointer.as_str()))).map(|own| (reading, own)));
    }
    // T-03-11: the proto of 0.3.0 has no member for these: alone they are a note, and over gRPC nobody can send them.
    let is_open = |own: &ValueDifference| member_at(own.pointer.as_str()) == Member::AboutPart;
    let lanes = || t.lane.iter().chain(t.peer.as_ref().map(|peer| &peer.lane));
    let has_proto = lanes().any(|lane| lane.dialect.forms.tags == Tags::Either);
    if has_proto && lanes().any(|lane| lane.binding.id == GRPC.id) {
        found.retain(|(_, own)| !is_open(own));
    }
    let is_only_open = has_proto && found.iter().all(|(_, own)| is_open(own));
    let Some((first, change)) = found.first() else {
        let seen = readings.iter().fold(Verdict::pass(), |verdict, reading| {
            verdict.seen_in(reading.there.0.exchange.id).seen_in(reading.here.0.exchange.id)
        });
        return Ok(seen);
    };
    let mut places: Vec<String> = Vec::new();
    for place in found.iter().map(|(reading, own)| reading.describe(own)) {
        if !places.contains(&place) {
            places.push(place);
        }
    }

    // The one form has places of its own: what is named may stand elsewhere here, or not at all.
    let place = if change.pointer.resolve(&first.here.1.raw).is_some() { change.pointer.as_str() } else { "" };
    let verdict = first.here.0.fail("the task as the other interface shows it", named(places, NAMED));
    let verdict = verdict.at(format!("{}{place}", first.here.1.at)).seen_in(first.there.0.exchange.id);
    Ok(if is_only_open { verdict.as_note() } else { verdict })
}
