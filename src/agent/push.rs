//! Push notification configs: kept and shown when a fault switches them on. Nothing is ever pushed.

use serde_json::Value;

use super::ScriptedAgent;
use super::data::{data, set, set_text, text};
use super::operations::Reply;
use super::rpc::Refusal;
use crate::a2a::model::Operation;

impl ScriptedAgent {
    /// The four push config operations.
    pub(super) fn push_config(&self, operation: Operation, params: &Value) -> Result<Reply, Refusal> {
        let task_id = text(params, "taskId");
        let task = self.look_up(task_id).ok_or_else(|| Refusal::task_not_found(task_id))?;
        let configs = &mut task.borrow_mut().push_configs;
        let id = text(params, "id");
        let known = configs.iter().position(|config| text(config, "id") == id);
        let mut answer = data("{}", &[]);
        match (operation, known) {
            (Operation::CreatePushConfig, _) => {
                known.map(|place| configs.remove(place));
                for name in ["url", "token", "authentication"] {
                    set(&mut answer, name, params.get(name).cloned().into());
                }
                let id = if id.is_empty() { self.0.ids.fresh() } else { id.to_owned() };
                set_text(&mut answer, "id", &id);
                set_text(&mut answer, "taskId", task_id);
                configs.push(answer.clone());
            }
            (Operation::ListPushConfigs, _) => set(&mut answer, "configs", configs.clone().into()),
            (Operation::DeletePushConfig, _) => drop(known.map(|place| configs.remove(place))),
            // 1.0 §3.1.8: the error of a missing config is that of a missing task.
            _ => {
                let config = known.and_then(|place| configs.get(place)).cloned();
                answer = config.ok_or_else(|| Refusal::task_not_found(task_id))?;
            }
        }
        Ok(Reply::Result(answer))
    }
}
