//! Push notification configs, kept with their tasks (1.0 §3.1.7 to §3.1.10): created, read, listed and deleted, and which webhooks
//! are refused.

use std::cell::RefCell;
use std::net::IpAddr;
use std::rc::Rc;

use serde_json::Value;

use super::fault::FaultId;
use super::json_values::{data, set, set_text, size_of, text, wrap};
use super::operation_reply::OperationReply;
use super::rejection::Rejection;
use super::scripted_agent::ScriptedAgent;
use super::served_version::ServedVersion;
use super::task::{StoredTask, TaskCell};
use crate::a2a::model::{ErrorName, Operation, TaskState};
use crate::wire::url::Url;

/// The answer of a fault in place of a config that does not exist.
const MADE_UP: &str = r#"{"url":"https://example.com/hook"}"#;

/// How many configs a task has.
const MAX_CONFIGS: usize = 100;

/// How many bytes of a config are kept.
const MAX_BYTES: usize = 64 << 10;

const NO_CONFIG: &str = "the task has no push notification config with that id";

impl ScriptedAgent {
    pub(super) fn run_push_config(
        &self,
        served_version: &'static ServedVersion,
        operation: Operation,
        params: &Value,
    ) -> Result<OperationReply, Rejection> {
        let (task_id, id) = (text(params, "taskId"), text(params, "id"));
        let any_task = match operation {
            Operation::CreatePushConfig => FaultId::PushCreateAnyTask,
            Operation::ListPushConfigs => FaultId::PushListAnyTask,
            Operation::DeletePushConfig => FaultId::PushDeleteAnyTask,
            _ => FaultId::PushGetAny,
        };
        let cell = match self.look_up(operation, task_id) {
            Some(task) => task,
            None if self.has(any_task) => Rc::new(RefCell::new(self.made_up_task(task_id, "", TaskState::Completed))),
            None => return Err(self.no_such_task(task_id)),
        };
        let mut task = cell.borrow_mut();
        // 1.0 §3.1.8: a missing config has the error of a missing task.
        let missing = || Rejection::new(ErrorName::TaskNotFound, NO_CONFIG).with("taskId", task_id);
        let position = task.push_configs.iter().position(|config| text(config, "id") == id);
        let config = position.and_then(|position| task.push_configs.get(position)).cloned();
        Ok(OperationReply::Result(match (operation, position, config) {
            (Operation::CreatePushConfig, ..) => {
                self.check_webhook(params, "url")?;
                if position.is_none() && task.push_configs.len() >= MAX_CONFIGS {
                    let why = format!(
                        "has {MAX_CONFIGS} push notification configs, the most that a task has here; delete one"
                    );
                    return Err(Rejection::invalid("taskId", &why));
                }
                self.store_push_config(served_version, &cell, &mut task, params)
            }
            (Operation::ListPushConfigs, ..) if task.push_configs.is_empty() && self.has(FaultId::PushUninvited) => {
                wrap("configs", vec![self.with_ids(&task, params, data(MADE_UP, &[]))].into())
            }
            (Operation::ListPushConfigs, ..) => wrap("configs", task.push_configs.clone().into()),
            (Operation::DeletePushConfig, Some(position), config) => {
                if !self.has(FaultId::PushDeleteKeeps) {
                    task.push_configs.remove(position);
                }
                if self.has(FaultId::PushDeletesAll) {
                    task.push_configs.clear();
                }
                config.filter(|_| self.has(FaultId::PushDeleteAnswersConfig)).unwrap_or_else(|| data("{}", &[]))
            }
            (Operation::DeletePushConfig, ..) if self.has(FaultId::PushDeleteOnce) => return Err(missing()),
            (Operation::DeletePushConfig, ..) => data("{}", &[]),
            (.., Some(config)) if !self.has(FaultId::PushGetLost) => config,
            _ if self.has(FaultId::PushGetInternal) => {
                return Err(Rejection::new(ErrorName::Internal, "no such config"));
            }
            _ if self.has(FaultId::PushGetAny) => self.with_ids(&task, params, data(MADE_UP, &[])),
            _ => return Err(missing()),
        }))
    }

    /// The parameters with the id of the task's newest config, where an older version does not name one (0.3 §7.6.1).
    pub(super) fn with_config_id(
        &self,
        served_version: &ServedVersion,
        operation: Operation,
        given: Option<&Value>,
    ) -> Option<Value> {
        let has_no_id = |params: &&Value| params.get("id").is_none_or(Value::is_null);
        let given = given
            .filter(|_| served_version.older.is_some() && operation == Operation::GetPushConfig)
            .filter(has_no_id)?;
        let task = self.look_up(operation, text(given, "taskId"));
        let id = task.and_then(|task| task.borrow().push_configs.last().map(|config| text(config, "id").to_owned()));
        let mut params = given.clone();
        set_text(&mut params, "id", id.as_deref().unwrap_or("none"));
        Some(params)
    }

    /// Stores a config, in place of one with the same id.
    pub(super) fn store_push_config(
        &self,
        served_version: &'static ServedVersion,
        cell: &TaskCell,
        task: &mut StoredTask,
        given: &Value,
    ) -> Value {
        let mut config = data("{}", &[]);
        for name in ["url", "token", "authentication"] {
            set(&mut config, name, given.get(name).cloned().into());
        }
        let config = self.with_ids(task, given, config);
        let id = text(&config, "id");
        if !task.push_configs.iter().any(|known| text(known, "id") == id)
            && let Some(start_webhook) = &*self.0.start_webhook.borrow()
        {
            start_webhook(self, served_version, cell, id, task.event_count());
        }
        task.push_configs.retain(|known| text(known, "id") != id && !self.has(FaultId::PushKeepsLastOnly));
        // A message may bring one to a task that has as many as it may have.
        if task.push_configs.len() >= MAX_CONFIGS {
            task.push_configs.remove(0);
        }
        task.push_configs.push(config.clone());
        config
    }

    /// A config with its task's id and with an id of its own, new unless one is given.
    fn with_ids(&self, task: &StoredTask, given: &Value, mut config: Value) -> Value {
        let id = text(given, "id");
        if !id.is_empty() {
            set_text(&mut config, "id", id);
        } else if !self.has(FaultId::PushNoId) {
            set_text(&mut config, "id", &self.0.ids.fresh());
        }
        set_text(&mut config, "taskId", &task.id);
        config
    }

    /// Refuses webhooks in private networks (1.0 §13.2), unless the agent is in one itself: then its clients are, too. But a page
    /// from elsewhere, which calls the agent from the browser of the person who runs it, is not; and at link-local addresses are no
    /// clients but the metadata of clouds.
    pub(super) fn check_webhook(&self, config: &Value, field: &str) -> Result<(), Rejection> {
        let url = text(config, "url");
        if url.is_empty() {
            // A fault let a config without URL pass.
            return Ok(());
        }
        let Ok(url) = Url::parse(url) else { return Err(Rejection::invalid(field, "must be an http or https URL")) };
        let agent_is_local = Url::parse(&self.0.base).is_ok_and(|base| base.is_local());
        let is_among_its_own = agent_is_local && !self.0.from_elsewhere.get() && !is_link_local(&url.host);
        if url.is_local() && !is_among_its_own && !self.has(FaultId::PushAnyWebhook) {
            return Err(Rejection::invalid(field, "must not point into a private network"));
        }
        if size_of(config) > MAX_BYTES {
            return Err(Rejection::invalid(
                field,
                "stands in a config of more than 64 KiB, the most that is kept here",
            ));
        }
        Ok(())
    }
}

/// Whether a host is an address of the link (RFC 3927, RFC 4291 §2.5.6), or a number that may stand for one: clients of HTTP also
/// read addresses in other notations than dotted decimals.
fn is_link_local(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => address.is_link_local(),
        Ok(IpAddr::V6(address)) => address.is_unicast_link_local(),
        Err(_) => {
            let end = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
            end.starts_with("0x") || (!end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_link_local;

    #[test]
    fn an_address_of_the_link_is_known_in_every_notation() {
        for host in
            ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "2852039166", "0xa9fea9fe", "169.254.43518"]
        {
            assert!(is_link_local(host), "{host}");
        }
        for host in ["127.0.0.1", "localhost", "client", "10.0.0.1", "[::1]", "agent-2", "example.com"] {
            assert!(!is_link_local(host), "{host}");
        }
    }
}
