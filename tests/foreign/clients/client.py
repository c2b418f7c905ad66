"""The client of the official SDK for Python against the scripted agent: what it makes of each answer.

Called with the agent's URL, a binding, and a file of named responses; prints a line of JSON for each name.
"""

import asyncio
import json
import sys

import httpx
from a2a.client import ClientConfig
from a2a.client.client_factory import create_client
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    TaskState,
)
from a2a.utils.errors import A2AError


def request(text: str, task: str = '', at_once: bool = False) -> SendMessageRequest:
    message = Message(message_id='m-1', role=Role.ROLE_USER, task_id=task, parts=[Part(text=text)])
    return SendMessageRequest(message=message, configuration=SendMessageConfiguration(return_immediately=at_once))


def outline(event) -> str:
    kind = event.WhichOneof('payload')
    status = {'task': event.task.status, 'status_update': event.status_update.status}.get(kind)
    return TaskState.Name(status.state) if status else kind


async def main(url: str, binding: str, directives: dict) -> None:
    def tell(name: str, seen) -> None:
        print(json.dumps([name, seen]), flush=True)

    async with httpx.AsyncClient() as http:
        for streaming in (False, True):
            config = ClientConfig(httpx_client=http, streaming=streaming, supported_protocol_bindings=[binding])
            client = await create_client(url, config)
            for name in ('message', 'task', 'file', 'turns'):
                events = [event async for event in client.send_message(request(directives[name]))]
                tell(f'{name} streaming' if streaming else name, [outline(event) for event in events])
                if name == 'file':
                    updates = [event.artifact_update.artifact for event in events if event.HasField('artifact_update')]
                    artifacts = updates or events[-1].task.artifacts
                    tell('bytes', b''.join(part.raw for artifact in artifacts for part in artifact.parts).decode())
                if name == 'turns':
                    task = next(event.task.id for event in events if event.HasField('task'))
                    again = [event async for event in client.send_message(request('more', task))]
                    tell('second turn', outline(again[-1]))
            if not streaming:
                started = [event async for event in client.send_message(request('tck-cancel', at_once=True))]
                task = started[-1].task.id
                tell('read', TaskState.Name((await client.get_task(GetTaskRequest(id=task))).status.state))
                tell('cancel', TaskState.Name((await client.cancel_task(CancelTaskRequest(id=task))).status.state))
            try:
                [event async for event in client.send_message(request('[responses_json=!]'))]
                tell('problem', False)
            except A2AError:
                tell('problem', True)


asyncio.run(main(sys.argv[1], sys.argv[2], json.load(open(sys.argv[3], encoding='utf-8'))))
