"""The client of a2a-sdk 1.x, as its users use it: every operation once, for `agent --watch` to judge.

Called with the agent's URL, a binding, and the token or nothing.
"""

import asyncio
import sys
from uuid import uuid4

import httpx
from a2a.client import ClientConfig
from a2a.client.client_factory import create_client
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
)
from a2a.utils.errors import A2AError


def request(text: str, at_once: bool = False, **ids: str) -> SendMessageRequest:
    message = Message(message_id=str(uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)], **ids)
    return SendMessageRequest(message=message, configuration=SendMessageConfiguration(return_immediately=at_once))


async def subscribed(client) -> str:
    """Begins a task that works for a while, and subscribes to it a second time; its id."""
    sent = client.send_message(request('task-cancel'))
    task = (await anext(sent)).task
    subscription = client.subscribe(SubscribeToTaskRequest(id=task.id))
    await anext(subscription)
    await subscription.aclose()
    await sent.aclose()
    return task.id


async def main(url: str, binding: str, token: str) -> None:
    headers = {'Authorization': f'Bearer {token}'} if token else {}
    async with httpx.AsyncClient(headers=headers) as http:
        for streaming in (False, True):
            config = ClientConfig(httpx_client=http, streaming=streaming, supported_protocol_bindings=[binding])
            client = await create_client(url, config)

            async def send(*args, **more):
                return [event async for event in client.send_message(request(*args, **more))]

            await send('message-only hello')
            await send('task-lifecycle')
            task = next(event.task for event in await send('multi-turn') if event.HasField('task'))
            await send('done', task_id=task.id, context_id=task.context_id)
            if streaming:
                await client.cancel_task(CancelTaskRequest(id=await subscribed(client)))
                continue
            task = (await send('task-cancel', at_once=True))[-1].task
            await client.get_task(GetTaskRequest(id=task.id, history_length=1))
            await client.list_tasks(ListTasksRequest(page_size=10))
            for number in (1, 2):
                await client.create_task_push_notification_config(
                    TaskPushNotificationConfig(
                        task_id=task.id, id=f'c-{number}', url='http://127.0.0.1:9/hook', token=str(uuid4())
                    )
                )
            await client.get_task_push_notification_config(GetTaskPushNotificationConfigRequest(task_id=task.id, id='c-1'))
            await client.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest(task_id=task.id))
            await client.delete_task_push_notification_config(
                DeleteTaskPushNotificationConfigRequest(task_id=task.id, id='c-1')
            )
            await client.cancel_task(CancelTaskRequest(id=task.id))
            try:
                await client.get_task(GetTaskRequest(id='unknown'))
            except A2AError as problem:
                print(f'as it should: {problem}')
    print('done')


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ''))
