//! An agent on the crate a2a-protocol-server, over JSON-RPC and HTTP+JSON, each at a port of its own.

use std::error::Error;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use a2a_protocol_server::{
    EventEmitter, HttpPushSender, JsonRpcDispatcher, RequestHandlerBuilder, RestDispatcher, Server, agent_executor,
};
use a2a_protocol_types::{AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part, TaskState};

struct Echo;

agent_executor!(Echo, |context, queue| async {
    let emit = EventEmitter::new(context, queue);
    let text: String = context.message.parts.iter().filter_map(Part::text_content).collect();
    emit.status(TaskState::Working).await?;
    match text.split_whitespace().next() {
        Some("fail") => return emit.status(TaskState::Failed).await,
        Some("input-required") if context.stored_task.is_none() => return emit.status(TaskState::InputRequired).await,
        Some("slow") => {
            for _ in 0..15 {
                if emit.is_cancelled() {
                    return Ok(());
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
        _ => {}
    }
    emit.artifact("echo", vec![Part::text("echo: ")], None, Some(false)).await?;
    emit.artifact("echo", vec![Part::text(text)], Some(true), Some(true)).await?;
    emit.status(TaskState::Completed).await?;
    Ok(())
});

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (jsonrpc, rest) = (Server::bind("127.0.0.1:0").await?, Server::bind("127.0.0.1:0").await?);
    let address = format!("http://{}", jsonrpc.local_addr()?);
    let capabilities = AgentCapabilities::none().with_streaming(true).with_push_notifications(true);
    let card = AgentCard::new("Echo", "1.0.0", AgentInterface::jsonrpc(&address))
        .with_interface(AgentInterface::rest(format!("http://{}", rest.local_addr()?)))
        .with_description("An agent on a2a-protocol-server.")
        .with_capabilities(capabilities)
        .with_skill(AgentSkill::new("echo", "Echo", "Says again what it was told.").with_tags(["demo"]));
    let handler = RequestHandlerBuilder::new(Echo).with_agent_card(card).with_push_sender(HttpPushSender::new()).build()?;
    let handler = Arc::new(handler);
    println!("listening {address}");
    tokio::join!(
        jsonrpc.serve_with_shutdown(JsonRpcDispatcher::new(Arc::clone(&handler)), pending()),
        rest.serve_with_shutdown(RestDispatcher::new(handler), pending()),
    );
    Ok(())
}
