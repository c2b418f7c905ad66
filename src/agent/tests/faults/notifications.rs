//! What webhooks are told, for the faults that show nowhere else.

use std::cell::RefCell;
use std::fmt::Write as _;

use futures_util::stream::LocalBoxStream;

use super::super::*;
use super::probes::show;
use crate::agent::LastStatus;

type Deliveries = Rc<RefCell<Vec<(LocalBoxStream<'static, Request>, LastStatus)>>>;

/// Writes down what each webhook is told next, so many times at most, and answers it: the clock goes on while one waits.
fn show_sent(deliveries: &Deliveries, (most, status): (usize, u16), out: &mut String) {
    for (delivery, last_status) in deliveries.borrow_mut().iter_mut() {
        for _ in 0..most {
            let Some(Some(notification)) = delivery.next().now_or_never() else { break };
            last_status.set(Some(status));
            let body = String::from_utf8_lossy(notification.body.as_deref().unwrap_or_default()).into_owned();
            writeln!(out, "{} {:?}\n{body}", notification.url, notification.headers).unwrap();
        }
    }
}

/// The notifications of a task with two webhooks, each of which refuses its first, and one of which is deleted while the task is at
/// work. `calls` are the bodies that start a task, create its two configs, delete the second and read the task in the end; all ids are
/// known before.
fn sent(faults: &[&str], at: &str, calls: [&str; 5]) -> String {
    let client = Client::with_faults(faults);
    let deliveries = Deliveries::default();
    let kept = Rc::clone(&deliveries);
    client.agent.send_webhooks_by(Rc::new(move |delivery, last_status| {
        kept.borrow_mut().push((delivery.fuse().boxed_local(), last_status));
    }));
    let mut out = String::new();
    for (number, body) in calls.into_iter().enumerate() {
        if number == 3 {
            client.clock.pass(100.0);
            show_sent(&deliveries, (1, 500), &mut out);
        } else if number == 4 {
            show_sent(&deliveries, (1, 200), &mut out);
            client.clock.pass(5_000.0);
        }
        let request = Request::post(format!("{BASE}{at}/rpc"), "application/json", body);
        let request = if at.is_empty() { request.with_header("A2A-Version", "1.0") } else { request };
        show(&client, &mut out, request);
    }
    show_sent(&deliveries, (100, 200), &mut out);
    out
}

/// The notifications of 1.0.
pub(super) fn newest(faults: &[&str]) -> String {
    let calls = [
        r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"long-running x"}]},"configuration":{"returnImmediately":true}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"CreateTaskPushNotificationConfig","params":{"taskId":"id-2","id":"a","url":"https://example.com/a","token":"t","authentication":{"scheme":"Bearer","credentials":"c"}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"CreateTaskPushNotificationConfig","params":{"taskId":"id-2","id":"b","url":"https://example.com/b"}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"DeleteTaskPushNotificationConfig","params":{"taskId":"id-2","id":"b"}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"GetTask","params":{"id":"id-2"}}"#,
    ];
    sent(faults, "", calls)
}

/// The notifications of an older version.
pub(super) fn older(at: &str, faults: &[&str]) -> String {
    let calls = [
        r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"long-running x"}]},"configuration":{"blocking":false}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tasks/pushNotificationConfig/set","params":{"taskId":"id-2","pushNotificationConfig":{"id":"a","url":"https://example.com/a","token":"t"}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tasks/pushNotificationConfig/set","params":{"taskId":"id-2","pushNotificationConfig":{"id":"b","url":"https://example.com/b"}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tasks/pushNotificationConfig/delete","params":{"id":"id-2","pushNotificationConfigId":"b"}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{"id":"id-2"}}"#,
    ];
    sent(faults, at, calls)
}

#[test]
fn webhooks_are_told_until_the_end_or_until_they_are_deleted() {
    for told in [newest(&[]), older("/0.3", &[])] {
        let [first, second] = ["/a ", "/b "].map(|path| told.matches(&format!("https://example.com{path}")).count());
        assert!(first > second && second > 0, "{told}");
        assert!(told.to_ascii_lowercase().contains("completed"), "{told}");
    }
}
