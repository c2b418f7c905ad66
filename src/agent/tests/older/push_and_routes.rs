//! Push configs, webhooks and HTTP+JSON in the older versions.

use super::*;

#[test]
fn push_configs_are_kept_in_the_form_of_0_3() {
    for version in ["0.3", "0.2"] {
        let client = Client::with_faults(&[]);
        let task = ask(&client, version, "message/send", message("task-lifecycle"));
        let id = &task["id"];
        let given = json!({ "url": "https://example.com/hook", "token": "n-1", "authentication": { "schemes": ["Bearer"], "credentials": "c" } });
        let set = ask(
            &client,
            version,
            "tasks/pushNotificationConfig/set",
            json!({ "taskId": id, "pushNotificationConfig": given }),
        );
        let config = &set["pushNotificationConfig"];
        assert_eq!((&set["taskId"], set.as_object().unwrap().len()), (id, 2));
        let mut wanted = given.clone();
        wanted["id"] = config["id"].clone();
        assert!(config["id"].is_string());
        assert_eq!(config, &wanted);
        let named = json!({ "id": id, "pushNotificationConfigId": config["id"] });
        assert_eq!(ask(&client, version, "tasks/pushNotificationConfig/get", named.clone()), set);
        assert_eq!(ask(&client, version, "tasks/pushNotificationConfig/get", json!({ "id": id })), set);
        assert_eq!(ask(&client, version, "tasks/pushNotificationConfig/list", json!({ "id": id })), json!([set]));
        let answer = call(&client, version, "tasks/pushNotificationConfig/delete", named.clone()).json();
        assert_eq!(answer, json!({ "jsonrpc": "2.0", "id": 1, "result": null }));
        assert_eq!(ask(&client, version, "tasks/pushNotificationConfig/list", json!({ "id": id })), json!([]));
        assert_eq!(refused(&client, version, "tasks/pushNotificationConfig/get", named)["code"], -32001);
        let none = json!({ "taskId": id });
        assert_eq!(refused(&client, version, "tasks/pushNotificationConfig/set", none)["code"], -32602);
        let mut inline = message("task-lifecycle");
        inline["configuration"] = json!({ "pushNotificationConfig": { "id": "p", "url": "https://example.com/hook" } });
        let id = ask(&client, version, "message/send", inline)["id"].clone();
        let kept = ask(&client, version, "tasks/pushNotificationConfig/list", json!({ "id": id }));
        assert_eq!(kept[0]["pushNotificationConfig"], json!({ "url": "https://example.com/hook", "id": "p" }));
    }
}

#[test]
fn push_configs_of_0_1_have_no_ids() {
    let client = Client::with_faults(&[]);
    let mut params = to_task("t", "task-lifecycle");
    params["pushNotification"] = json!({ "url": "https://example.com/first" });
    ask(&client, "0.1", "tasks/send", params);
    let get = || ask(&client, "0.1", "tasks/pushNotification/get", json!({ "id": "t" }));
    assert_eq!(get(), json!({ "id": "t", "pushNotificationConfig": { "url": "https://example.com/first" } }));
    let second = json!({ "id": "t", "pushNotificationConfig": { "url": "https://example.com/second", "token": "n" } });
    assert_eq!(ask(&client, "0.1", "tasks/pushNotification/set", second.clone()), second);
    assert_eq!(get(), second);
}

#[test]
fn routes_of_0_3_answer_in_wrappers() {
    let client = Client::with_faults(&[]);
    let sent = route(&client, Method::Post, "/v1/message:send", Some(&message("task-lifecycle x")));
    assert_eq!(sent.status, 200);
    assert!(sent.head.contains("content-type: application/json\n"));
    let task = sent.json()["task"].clone();
    assert_eq!((&task["kind"], &task["status"]["state"]), (&json!("task"), &json!("completed")));
    let id = task["id"].as_str().unwrap();
    let said = route(&client, Method::Post, "/v1/message:send", Some(&message("message-only"))).json();
    assert_eq!(said["message"]["kind"], "message");
    let read = route(&client, Method::Get, &format!("/v1/tasks/{id}?historyLength=1"), None).json();
    assert_eq!((&read["kind"], read["history"].as_array().unwrap().len()), (&json!("task"), 1));
    let list = route(&client, Method::Get, "/v1/tasks", None).json();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["kind"]), (1, &json!("task")));

    let streamed = route(&client, Method::Post, "/v1/message:stream", Some(&message("task-lifecycle"))).frames();
    let names: Vec<_> =
        streamed.iter().map(|event| event.as_object().unwrap().keys().next().unwrap().clone()).collect();
    assert_eq!(names, ["task", "statusUpdate", "artifactUpdate", "statusUpdate"]);
    assert_eq!(
        (&streamed[3]["statusUpdate"]["kind"], &streamed[3]["statusUpdate"]["final"]),
        (&json!("status-update"), &json!(true))
    );
    for method in [Method::Get, Method::Post] {
        let again = route(&client, method, &format!("/v1/tasks/{id}:subscribe"), None).frames();
        assert_eq!((again.len(), &again[0]["task"]["id"]), (1, &json!(id)));
    }

    let late = route(
        &client,
        Method::Post,
        &format!("/v1/tasks/{id}:cancel"),
        Some(&json!({ "name": format!("tasks/{id}") })),
    );
    assert_eq!((late.status, &late.json()["code"]), (400, &json!(-32002)));
    let unknown = route(&client, Method::Get, "/v1/tasks/nobody", None);
    assert_eq!(unknown.status, 404);
    assert_eq!(
        unknown.json(),
        json!({ "code": -32001, "message": "there is no task with that id", "data": { "taskId": "nobody" } })
    );
    assert_eq!(route(&client, Method::Get, "/tasks/nobody", None).status, 404);
}

#[test]
fn push_configs_by_routes_come_alone_or_in_a_member() {
    let client = Client::with_faults(&[]);
    let task =
        route(&client, Method::Post, "/v1/message:send", Some(&message("task-lifecycle"))).json()["task"].clone();
    let path = format!("/v1/tasks/{}/pushNotificationConfigs", task["id"].as_str().unwrap());
    let config = json!({ "url": "https://example.com/hook", "id": "p" });
    let wanted = json!({ "taskId": task["id"], "pushNotificationConfig": config });
    for body in [
        json!({ "taskId": task["id"], "pushNotificationConfig": config }),
        json!({ "config": { "taskId": task["id"], "pushNotificationConfig": config } }),
        json!({ "parent": "tasks/x", "configId": "p", "config": { "name": "tasks/x", "pushNotificationConfig": config } }),
    ] {
        assert_eq!(route(&client, Method::Post, &path, Some(&body)).json(), wanted, "{body}");
    }
    assert_eq!(route(&client, Method::Get, &path, None).json(), json!([wanted]));
    let one = format!("{path}/p");
    assert_eq!(route(&client, Method::Get, &one, None).json(), wanted);
    assert_eq!(route(&client, Method::Delete, &one, None).json(), json!({}));
    assert_eq!(route(&client, Method::Get, &one, None).status, 404);
}

#[test]
fn the_form_of_the_proto_is_read_over_http() {
    let client = Client::with_faults(&[]);
    let body = json!({
        "message": {
            "messageId": "m-1", "role": "ROLE_USER",
            "content": [
                { "text": "task-lifecycle x" },
                { "data": { "data": { "a": 1 } } },
                { "file": { "fileWithBytes": "aGk=", "mimeType": "text/plain" } },
            ],
        },
        "configuration": { "blocking": true, "pushNotification": { "url": "https://example.com/hook" } },
    });
    let task = route(&client, Method::Post, "/v1/message:send", Some(&body)).json()["task"].clone();
    assert_eq!(
        task["history"][0]["parts"],
        json!([
            { "text": "task-lifecycle x", "kind": "text" },
            { "data": { "a": 1 }, "kind": "data" },
            { "file": { "bytes": "aGk=", "mimeType": "text/plain" }, "kind": "file" },
        ])
    );
    let path = format!("/v1/tasks/{}/pushNotificationConfigs", task["id"].as_str().unwrap());
    assert_eq!(route(&client, Method::Get, &path, None).json().as_array().unwrap().len(), 1);
}

#[test]
fn webhooks_get_notifications_of_the_version_that_set_them() {
    let clock = super::super::ManualClock::default();
    let agent = super::super::ScriptedAgent::new(
        BASE,
        Rc::new(clock.clone()),
        Rc::new(super::super::CountedIds::default()),
        super::super::Faults::none(),
    );
    let deliveries = Rc::new(RefCell::new(Vec::new()));
    let kept = Rc::clone(&deliveries);
    agent.send_webhooks_by(Rc::new(move |delivery, _| kept.borrow_mut().push(delivery)));
    let client = Client { clock, transport: Loopback::new(agent.clone()), agent, headers: Vec::new() };
    let mut params = message("task-lifecycle");
    params["configuration"] = json!({
        "blocking": false,
        "pushNotificationConfig": {
            "url": "https://example.com/hook", "token": "n", "authentication": { "schemes": ["Bearer"], "credentials": "c" },
        },
    });
    ask(&client, "0.3", "message/send", params);
    client.clock.pass(25.0);
    let mut delivery = deliveries.borrow_mut().pop().unwrap();
    let notification = delivery.next().now_or_never().flatten().unwrap();
    assert_eq!(
        (notification.url.as_str(), notification.headers.get("authorization")),
        ("https://example.com/hook", Some("Bearer c"))
    );
    let body: Value = serde_json::from_slice(&notification.body.unwrap()).unwrap();
    assert_eq!((&body["kind"], &body["status"]["state"]), (&json!("task"), &json!("working")));
}
