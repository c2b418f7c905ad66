//! Push notification configs: kept and shown when a fault switches them on. Nothing is ever pushed.

use serde_json::{Value, json};

use super::ScriptedAgent;
use super::fault::FaultId;
use super::params::{Params, Unfit};
use super::rpc::Refusal;
use super::state::set;
use crate::a2a::model::{ErrorName, Operation};

impl ScriptedAgent {
    /// The four push config operations.
    pub(super) fn push_config(&self, operation: Operation, params: Params<'_>) -> Result<Value, Unfit> {
        if !self.0.faults.has(FaultId::UndeclaredPush) {
            let message = "this agent sends no push notifications";
            return Err(Refusal::of(ErrorName::PushNotificationNotSupported, message).into());
        }
        let required: &[&str] = match operation {
            Operation::CreatePushConfig => &["url"],
            Operation::ListPushConfigs => &[],
            _ => &["id"],
        };
        let (task_id, id, mut config) = params.push(required)?;
        let task = self.look_up(&task_id).ok_or_else(|| Refusal::task_not_found(&task_id))?;
        let configs = &mut task.borrow_mut().push_configs;
        let id = id.unwrap_or_else(|| self.0.ids.fresh());
        let is_it = |config: &Value| config.get("id").and_then(Value::as_str) == Some(id.as_str());
        match operation {
            Operation::CreatePushConfig => {
                set(&mut config, "id", Some(id.as_str()));
                set(&mut config, "taskId", Some(task_id));
                configs.retain(|known| !is_it(known));
                configs.push(config.clone());
                Ok(config)
            }
            Operation::ListPushConfigs => Ok(json!({ "configs": configs })),
            Operation::DeletePushConfig => {
                configs.retain(|known| !is_it(known));
                Ok(json!({}))
            }
            // 1.0 §3.1.8: the error of a missing config is that of a missing task.
            _ => Ok(configs
                .iter()
                .find(|known| is_it(known))
                .cloned()
                .ok_or_else(|| Refusal::task_not_found(&task_id))?),
        }
    }
}
