//! What is read of bytes that are not as they should be, and what is refused to be written.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::wire::limits::{MOST_MESSAGE_LEVELS, MOST_MESSAGE_VALUES};

const DEFINITIONS: &str = r#"
message Task {
  string id = 1 [(google.api.field_behavior) = REQUIRED];
  Status status = 2;
  repeated string tags = 3 [(google.api.field_behavior) = REQUIRED];
  oneof content {
    string text = 4;
    bytes raw = 5;
  }
  google.protobuf.Struct metadata = 6;
  map<string, string> scopes = 7;
  optional int32 length = 8;
  google.protobuf.Timestamp time = 9;
  Message update = 10 [json_name = "message"];
  repeated google.protobuf.Any details = 11;
}
message Status {
  State state = 1 [(google.api.field_behavior) = REQUIRED];
  bool final = 2;
}
message Message {
  string text = 1;
  Message inner = 2;
}
enum State {
  STATE_UNSPECIFIED = 0;
  STATE_WORKING = 1;
}
"#;

fn schema() -> Schema {
    Schema::parse(DEFINITIONS)
}

fn read(bytes: &[u8]) -> (serde_json::Value, Vec<(ProtoFlawKind, String)>) {
    let Decoded { value, flaws, .. } = decode(&schema(), "Task", bytes);
    (value, flaws.into_iter().map(|flaw| (flaw.kind, format!("{} {}", flaw.at, flaw.actual))).collect())
}

#[test]
fn what_is_absent_has_its_default_only_where_it_is_required() {
    assert_eq!(read(&[]), (json!({ "id": "", "tags": [] }), vec![]));
    assert_eq!(read(&[0x12, 0]).0, json!({ "status": { "state": "STATE_UNSPECIFIED" }, "id": "", "tags": [] }));
}

#[test]
fn a_default_value_that_is_written_is_absent_as_well_unless_its_field_has_presence() {
    // A status with `final: false`, an update with `text: ""`, and the length 0, which is optional.
    let (value, flaws) = read(&[0x12, 2, 0x10, 0, 0x52, 2, 0x0a, 0, 0x40, 0]);
    let status = json!({ "state": "STATE_UNSPECIFIED" });
    assert_eq!(value, json!({ "status": status, "message": {}, "length": 0, "id": "", "tags": [] }));
    assert_eq!(flaws, []);
    // The last record of a field counts, and a oneof knows which of its fields was set.
    assert_eq!(read(&[0x52, 5, 0x0a, 1, b'x', 0x0a, 0]).0["message"], json!({}));
    assert_eq!(read(&[0x22, 0]).0["text"], "");
}

#[test]
fn unknown_fields_are_passed_over_and_unknown_values_of_an_enumeration_stay_numbers() {
    let (value, flaws) = read(&[0x0a, 1, b'x', 0x12, 2, 0x08, 9, 0xf8, 0x07, 1, 0xfa, 0x07, 1, 1]);
    assert_eq!(value, json!({ "id": "x", "status": { "state": 9 }, "tags": [] }));
    assert_eq!(flaws, []);
}

#[test]
fn a_message_in_pieces_is_merged() {
    let (value, _) = read(&[0x12, 2, 0x08, 1, 0x12, 2, 0x10, 1]);
    assert_eq!(value["status"], json!({ "state": "STATE_WORKING", "final": true }));
}

#[test]
fn each_flaw_is_named_with_its_place() {
    for (bytes, kind, place) in [
        (vec![0x08, 1], ProtoFlawKind::Malformed, "/id a varint"),
        (vec![0x0d, 1, 2, 3, 4], ProtoFlawKind::Malformed, "/id 32 bits"),
        (vec![0x0a, 1, 0xff], ProtoFlawKind::NotUtf8, "/id bytes that are not UTF-8"),
        (vec![0x0a, 5, b'x'], ProtoFlawKind::Malformed, " a value that is longer than the message"),
        (vec![0x12, 3, 0x08], ProtoFlawKind::Malformed, " a value that is longer than the message"),
        (vec![0x12, 1, 0x08], ProtoFlawKind::Malformed, "/status a value that is longer than the message"),
        (vec![0x12, 2, 0x0b, 0], ProtoFlawKind::Malformed, "/status a wire type that proto3 does not have"),
        (vec![0x00, 1], ProtoFlawKind::Malformed, " a field number that does not exist"),
        (
            vec![0x40; 12].into_iter().chain([0xff; 12]).collect(),
            ProtoFlawKind::Malformed,
            " a varint of more than ten bytes",
        ),
        (
            vec![0x32, 5, 0x0a, 3, 0x0a, 1, b'k', 0x32, 7, 0x0a, 5, 0x0a, 1, b'j', 0x12, 0],
            ProtoFlawKind::Malformed,
            "/metadata/j none",
        ),
        (vec![0x4a, 2, 0x10, 0xff], ProtoFlawKind::Malformed, "/time a value that is longer than the message"),
        (
            vec![0x4a, 11, 0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            ProtoFlawKind::Malformed,
            "/time 0 seconds and -1 nanoseconds",
        ),
    ] {
        let (_, flaws) = read(&bytes);
        assert!(flaws.contains(&(kind, place.to_owned())), "{bytes:x?}: {flaws:?}");
    }
}

#[test]
fn so_many_values_are_read_wherever_they_stand() {
    let parts = |count| {
        let mut task = Vec::new();
        for _ in 0..count {
            wire_format::put_bytes(&mut task, 10, &[]);
        }
        decode(&schema(), "Task", &task).is_cut
    };
    assert_eq!([parts(3), parts(MOST_MESSAGE_VALUES)], [false, true]);
}

#[test]
fn depth_is_bounded() {
    let is_too_deep = |levels| {
        let wrap = |bytes: Vec<u8>, level| {
            let mut outer = Vec::new();
            wire_format::put_bytes(&mut outer, if level + 1 == levels { 10 } else { 2 }, &bytes);
            outer
        };
        read(&(0..levels).fold(Vec::new(), wrap)).1.iter().any(|(kind, _)| *kind == ProtoFlawKind::TooDeep)
    };
    assert_eq!([MOST_MESSAGE_LEVELS, MOST_MESSAGE_LEVELS + 1].map(is_too_deep), [false, true]);
}

#[test]
fn nothing_is_written_of_what_is_empty() {
    let written = |value| encode(&schema(), "google.protobuf.Empty", &value).ok();
    assert_eq!([json!({}), json!([])].map(written), [Some(vec![]), None]);
}

#[test]
fn what_a_message_cannot_hold_is_not_written() {
    let refused = |value: serde_json::Value| encode(&schema(), "Task", &value).unwrap_err();
    assert_eq!(refused(json!({ "kind": "task" })), "Task has no field kind");
    assert_eq!(refused(json!({ "id": 1 })), "id cannot be a number");
    assert_eq!(refused(json!({ "status": { "state": "dancing" } })), "State has no value \"dancing\"");
    assert_eq!(refused(json!({ "length": 3_000_000_000_u32 })), "length cannot be 3000000000");
    assert_eq!(refused(json!({ "time": "today" })), "\"today\" is not a time");
    assert_eq!(refused(json!({ "raw": "%" })), "raw must be base64");
    assert_eq!(refused(json!({ "tags": "x" })), "tags cannot be a string");
    assert_eq!(refused(json!([])), "Task cannot be an array");
}

#[test]
fn a_default_value_is_written_only_where_it_differs_from_none() {
    let written = |value: serde_json::Value| encode(&schema(), "Task", &value).unwrap();
    assert!(written(json!({ "id": "", "length": null })).is_empty());
    assert_eq!(written(json!({ "length": 0 })), [0x40, 0]);
    assert_eq!(written(json!({ "text": "" })), [0x22, 0]);
}

#[test]
fn a_detail_is_read_by_its_type() {
    let rpc = Schema::parse(
        "message Task {\n  repeated google.protobuf.Any details = 11;\n}\nmessage ErrorInfo {\n  string reason = 1;\n}\n",
    );
    let info = json!({ "details": [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "R" }] });
    let bytes = encode(&rpc, "Task", &info).unwrap();
    assert_eq!(decode(&rpc, "Task", &bytes), Decoded { value: info, ..Decoded::default() });
    // The bytes of an unknown type are kept.
    assert_eq!(read(&bytes).0["details"][0]["value"], "CgFS");
}

proptest! {
    #[test]
    fn no_bytes_break_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes);
    }

    #[test]
    fn a_cut_message_never_looks_whole(cut in 1_usize..40) {
        let task = json!({ "id": "an-id", "status": { "state": "STATE_WORKING" }, "metadata": { "a": [1, { "b": null }] } });
        let bytes = encode(&schema(), "Task", &task).unwrap();
        let kept = bytes.len().saturating_sub(cut).max(1);
        let (value, flaws) = read(&bytes[..kept]);
        // Between two fields the cut cannot be seen.
        prop_assert!(!flaws.is_empty() || value.as_object().unwrap().len() < 4);
    }
}

#[test]
fn a_double_that_is_whole_is_a_whole_number_as_far_as_it_is_exact() {
    for (number, written) in [
        (5.0, "5"),
        (-5.0, "-5"),
        (0.5, "0.5"),
        (9_007_199_254_740_992.0, "9007199254740992"),
        (1e300, "1e+300"),
        (f64::INFINITY, "\"inf\""),
    ] {
        // metadata (6): fields (1): key (1) "n", value (2): number_value (2).
        let value = [&[0x11][..], &number.to_le_bytes()].concat();
        let field = [&[0x0a, 1, b'n', 0x12, 9][..], &value].concat();
        let bytes = [&[0x32, 16, 0x0a, 14][..], &field].concat();
        assert_eq!(read(&bytes).0.pointer("/metadata/n").map(ToString::to_string).as_deref(), Some(written));
    }
}

#[test]
fn of_a_oneof_that_was_set_twice_the_last_member_counts() {
    // text (4) "a", then raw (5) the byte 1, and the other way round.
    let (text, raw) = ([0x22, 1, b'a'], [0x2a, 1, 1]);
    let both = |first: [u8; 3], second: [u8; 3]| read(&[first, second].concat());
    assert_eq!(both(text, raw), (json!({ "raw": "AQ==", "id": "", "tags": [] }), vec![]));
    assert_eq!(both(raw, text), (json!({ "text": "a", "id": "", "tags": [] }), vec![]));
    // What has the wrong type is none of its members.
    let (value, flaws) = both(text, [0x28, 1, 0x00]);
    assert_eq!((&value["text"], value.get("raw")), (&json!("a"), None));
    assert!(!flaws.is_empty());
    // Members of different oneofs, and of none, stand beside each other.
    assert_eq!(read(&[0x22, 1, b'a', 0x0a, 1, b'x']).0, json!({ "text": "a", "id": "x", "tags": [] }));
}
