"""The client of a2a-sdk 0.3, as its users use it: every operation once, for `agent --watch` to judge.

Called with the agent's URL, a binding, and the token or nothing.
"""

import asyncio
import sys
from uuid import uuid4

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.client.card_resolver import A2ACardResolver
from a2a.types import (
    GetTaskPushNotificationConfigParams,
    Message,
    Part,
    PushNotificationConfig,
    Role,
    Task,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TextPart,
)


def message(text: str, **ids: str) -> Message:
    return Message(message_id=str(uuid4()), role=Role.user, parts=[Part(root=TextPart(text=text))], **ids)


async def main(url: str, binding: str, token: str) -> None:
    headers = {'Authorization': f'Bearer {token}'} if token else {}
    async with httpx.AsyncClient(headers=headers, timeout=20) as http:
        for streaming in (False, True):
            card = await A2ACardResolver(http, url).get_agent_card()
            config = ClientConfig(
                httpx_client=http, streaming=streaming, polling=not streaming, supported_transports=[binding]
            )
            client = ClientFactory(config).create(card)

            async def send(text: str, **ids: str):
                return [event async for event in client.send_message(message(text, **ids))]

            def task_of(events) -> Task:
                return next(event[0] for event in events if isinstance(event, tuple))

            await send('message-only hello')
            await send('task-lifecycle')
            if streaming:
                task = task_of(await send('multi-turn'))
                await send('done', task_id=task.id, context_id=task.context_id)
                sent = client.send_message(message('task-cancel'))
                task = (await anext(sent))[0]
                again = client.resubscribe(TaskIdParams(id=task.id))
                await anext(again)
                await client.cancel_task(TaskIdParams(id=task.id))
                for events in (again, sent):
                    async for _ in events:
                        pass
                continue
            task = task_of(await send('task-cancel'))
            await client.get_task(TaskQueryParams(id=task.id, history_length=1))
            hook = PushNotificationConfig(id='c-1', url='http://127.0.0.1:9/hook', token=str(uuid4()))
            await client.set_task_callback(TaskPushNotificationConfig(task_id=task.id, push_notification_config=hook))
            await client.get_task_callback(
                GetTaskPushNotificationConfigParams(id=task.id, push_notification_config_id='c-1')
            )
            await client.cancel_task(TaskIdParams(id=task.id))
    print('done')


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ''))
