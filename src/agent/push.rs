//! Push notification configs, kept with their tasks (1.0 §3.1.7 to §3.1.10).

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::Value;

use super::ScriptedAgent;
use super::fault::FaultId;
use super::json_values::{data, set, set_text, text};
use super::operations::{OperationReply, around};
use super::rpc::Rejection;
use super::served_version::ServedVersion;
use super::state::{Task, TaskCell};
use crate::a2a::model::{ErrorName, Operation, TaskState};
use crate::wire::url::Url;

/// What a fault answers in place of a config that there is not.
const UNHEARD_OF: &str = r#"{"url":"https://example.com/hook"}"#;

impl ScriptedAgent {
    /// The four push config operations.
    pub(super) fn push_config(
        &self,
        served_version: &'static ServedVersion,
        operation: Operation,
        params: &Value,
    ) -> Result<OperationReply, Rejection> {
        let (task_id, id) = (text(params, "taskId"), text(params, "id"));
        let anything = match operation {
            Operation::CreatePushConfig => FaultId::PushCreateAnyTask,
            Operation::ListPushConfigs => FaultId::PushListAnyTask,
            Operation::DeletePushConfig => FaultId::PushDeleteAnyTask,
            _ => FaultId::PushGetAny,
        };
        let cell = match self.look_up(task_id) {
            Some(task) => task,
            None if self.has(anything) => Rc::new(RefCell::new(self.made_up(task_id, "", TaskState::Completed))),
            None => return Err(Rejection::task_not_found(task_id)),
        };
        let mut task = cell.borrow_mut();
        // 1.0 §3.1.8: the error of a missing config is that of a missing task.
        let missing = || {
            let refusal =
                Rejection::of(ErrorName::TaskNotFound, "the task has no push notification config with that id");
            refusal.with("taskId", task_id)
        };
        let known = task.push_configs.iter().position(|config| text(config, "id") == id);
        let config = known.and_then(|place| task.push_configs.get(place)).cloned();
        Ok(OperationReply::Result(match (operation, known, config) {
            (Operation::CreatePushConfig, ..) => {
                self.check_webhook(params, "url")?;
                self.keep_config(served_version, &cell, &mut task, params)
            }
            (Operation::ListPushConfigs, ..) => around("configs", task.push_configs.clone().into()),
            (Operation::DeletePushConfig, Some(place), config) => {
                if !self.has(FaultId::PushDeleteKeeps) {
                    task.push_configs.remove(place);
                }
                if self.has(FaultId::PushDeletesAll) {
                    task.push_configs.clear();
                }
                config.filter(|_| self.has(FaultId::PushDeleteAnswersConfig)).unwrap_or_else(|| data("{}", &[]))
            }
            (Operation::DeletePushConfig, ..) if self.has(FaultId::PushDeleteOnce) => return Err(missing()),
            (Operation::DeletePushConfig, ..) => data("{}", &[]),
            (.., Some(config)) if !self.has(FaultId::PushGetLost) => config,
            _ if self.has(FaultId::PushGetAny) => self.config(&task, params, data(UNHEARD_OF, &[])),
            _ => return Err(missing()),
        }))
    }

    /// The parameters with the newest config of the task where an older version need not say which one is meant
    /// (0.3 §7.6.1).
    pub(super) fn any_config(
        &self,
        served_version: &ServedVersion,
        operation: Operation,
        given: Option<&Value>,
    ) -> Option<Value> {
        let unnamed = |params: &&Value| params.get("id").is_none_or(Value::is_null);
        let given = given
            .filter(|_| served_version.older.is_some() && operation == Operation::GetPushConfig)
            .filter(unnamed)?;
        let task = self.look_up(text(given, "taskId"));
        let id = task.and_then(|task| task.borrow().push_configs.last().map(|config| text(config, "id").to_owned()));
        let mut params = given.clone();
        set_text(&mut params, "id", id.as_deref().unwrap_or("none"));
        Some(params)
    }

    /// Keeps a config, in place of one of the same id.
    pub(super) fn keep_config(
        &self,
        served_version: &'static ServedVersion,
        cell: &TaskCell,
        task: &mut Task,
        given: &Value,
    ) -> Value {
        let mut config = data("{}", &[]);
        for name in ["url", "token", "authentication"] {
            set(&mut config, name, given.get(name).cloned().into());
        }
        let config = self.config(task, given, config);
        let id = text(&config, "id");
        if !task.push_configs.iter().any(|known| text(known, "id") == id) {
            self.begin_delivery(served_version, cell, id, task.event_count());
        }
        task.push_configs.retain(|known| text(known, "id") != id && !self.has(FaultId::PushKeepsLastOnly));
        task.push_configs.push(config.clone());
        config
    }

    /// A config of a task, under the id that is given or a new one.
    fn config(&self, task: &Task, given: &Value, mut config: Value) -> Value {
        let id = text(given, "id");
        if !id.is_empty() {
            set_text(&mut config, "id", id);
        } else if !self.has(FaultId::PushNoId) {
            set_text(&mut config, "id", &self.0.ids.fresh());
        }
        set_text(&mut config, "taskId", &task.id);
        config
    }

    /// 1.0 §13.2: no webhooks in private networks, unless the agent is in one itself, as its clients then are.
    pub(super) fn check_webhook(&self, config: &Value, field: &str) -> Result<(), Rejection> {
        let url = text(config, "url");
        if url.is_empty() {
            // A fault let it pass.
            return Ok(());
        }
        let Ok(url) = Url::parse(url) else { return Err(Rejection::invalid(field, "must be an http or https URL")) };
        let at_home = Url::parse(&self.0.base).is_ok_and(|base| base.is_local());
        if url.is_local() && !at_home && !self.has(FaultId::PushAnyWebhook) {
            return Err(Rejection::invalid(field, "must not point into a private network"));
        }
        Ok(())
    }
}
