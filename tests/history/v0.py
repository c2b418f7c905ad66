"""An agent on the Python SDK of A2A 0.2 or 0.3: the release on PYTHONPATH decides. See ../../docs/HISTORY.md.

The first word of a message chooses the behaviour. Objects are made of JSON, since the SDK's names changed between releases.
It speaks JSON-RPC at `/` and, if the release has it, HTTP+JSON under `/rest`; it prints `listening http://127.0.0.1:PORT`.
"""

import argparse
import asyncio
import socket
import uuid
from datetime import datetime, timezone

import uvicorn
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.apps import A2AStarletteApplication
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent
from starlette.applications import Starlette
from starlette.routing import Mount

try:
    from a2a.server.apps import A2ARESTFastAPIApplication
except ImportError:  # 0.2 knows no HTTP+JSON.
    A2ARESTFastAPIApplication = None

try:
    from a2a.server.tasks import InMemoryPushNotificationConfigStore

    PUSH = {'push_config_store': InMemoryPushNotificationConfigStore()}
except ImportError:  # Until 0.2.10 one object kept the configurations and called the webhooks.
    PUSH = {}

EXTENSION = 'https://example.org/extensions/notes'
KINDS = [
    {'kind': 'text', 'text': 'text', 'metadata': {'note': 'of the text'}},
    {'kind': 'data', 'data': {'answer': 42, 'nested': {'yes': True}}, 'metadata': {'note': 'of the data'}},
    {
        'kind': 'file',
        'file': {'bytes': 'AP8gZmlsZQ==', 'mimeType': 'application/octet-stream', 'name': 'file.bin'},
        'metadata': {'note': 'of the bytes'},
    },
    {
        'kind': 'file',
        'file': {'uri': 'https://example.org/file.png', 'mimeType': 'image/png', 'name': 'file.png'},
        'metadata': {'note': 'of the address'},
    },
]


class Agent(AgentExecutor):
    """Does what the first word of the message names, and echoes what names nothing."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        text = context.get_user_input()
        word = text.split(maxsplit=1)[0] if text.strip() else ''
        wire = Wire(context, event_queue)
        if word == 'message-only':
            await wire.message(f'echo: {text}')
            return
        if word == 'raise':
            raise RuntimeError('The model is not there.')
        if context.current_task is None:
            await wire.task({'task': 'a note'} if word == 'data-types' else None)
        await wire.status('working', metadata={'event': 'a note'} if word == 'data-types' else None)
        if word == 'raise-later':
            await asyncio.sleep(0.05)
            raise RuntimeError('The model went away.')
        if word == 'input-required' or (context.current_task is not None and word != 'done'):
            await wire.status('input-required', 'More, please; "done" ends it.', final=True)
        elif word == 'fail':
            await wire.status('failed', 'Failed, as asked.', final=True)
        elif word == 'reject':
            await wire.status('rejected', 'Rejected, as asked.', final=True)
        elif word == 'auth-required':
            await wire.status('auth-required', 'Please allow me to open the safe.', final=True)
        elif word == 'data-types':
            await wire.artifact(
                {
                    'artifactId': 'kinds',
                    'name': 'every kind of part',
                    'description': 'one of each',
                    'parts': KINDS,
                    'metadata': {'note': 'of the artifact'},
                    'extensions': [EXTENSION],
                }
            )
            await wire.status('completed', 'Here is everything.', final=True, rich=True)
        elif word == 'slow':
            for step in range(1, 13):
                await asyncio.sleep(0.25)
                await wire.status('working', f'step {step} of 12')
            await wire.echo(text)
        elif word == 'streaming':
            chunks = ['one ', 'two ', 'three ', 'four']
            for index, chunk in enumerate(chunks):
                artifact = {'artifactId': 'chunks', 'name': 'chunks', 'parts': [{'kind': 'text', 'text': chunk}]}
                await wire.artifact(artifact, append=index > 0, last=index == len(chunks) - 1)
                await asyncio.sleep(0.15)
            await wire.status('completed', final=True)
        else:
            await wire.echo(text)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await Wire(context, event_queue).status('canceled', final=True)


class Wire:
    """Writes events of one task."""

    def __init__(self, context: RequestContext, queue: EventQueue):
        self._context = context
        self._queue = queue
        self._ids = {'taskId': context.task_id, 'contextId': context.context_id}

    async def task(self, metadata=None) -> None:
        message = self._context.message.model_dump(by_alias=True, exclude_none=True, mode='json')
        value = {
            'kind': 'task',
            'id': self._context.task_id,
            'contextId': self._context.context_id,
            'status': status('submitted'),
            'history': [{**message, **self._ids}],
            'metadata': metadata,
        }
        await self._send(Task, value)

    async def status(self, state, text=None, final=False, metadata=None, rich=False) -> None:
        message = self._say(text, rich) if text else None
        value = {
            'kind': 'status-update',
            **self._ids,
            'status': status(state, message),
            'final': final,
            'metadata': metadata,
        }
        await self._send(TaskStatusUpdateEvent, value)

    async def artifact(self, artifact, append=False, last=True) -> None:
        value = {
            'kind': 'artifact-update',
            **self._ids,
            'artifact': artifact,
            'append': append,
            'lastChunk': last,
        }
        await self._send(TaskArtifactUpdateEvent, value)

    async def echo(self, text) -> None:
        await self.artifact({'artifactId': 'echo', 'name': 'echo', 'parts': [{'kind': 'text', 'text': f'echo: {text}'}]})
        await self.status('completed', final=True)

    async def message(self, text) -> None:
        value = self._say(text, False)
        del value['taskId']
        await self._send(Message, value)

    def _say(self, text, rich):
        parts = [{'kind': 'text', 'text': text}]
        value = {'kind': 'message', 'role': 'agent', 'messageId': str(uuid.uuid4()), 'parts': parts, **self._ids}
        if rich:
            parts[0]['metadata'] = {'note': 'of a part of a message'}
            value |= {'metadata': {'note': 'of a message'}, 'extensions': [EXTENSION]}
        return value

    async def _send(self, kind, value) -> None:
        present = {name: member for name, member in value.items() if member is not None}
        await self._queue.enqueue_event(kind.model_validate(present))


def status(state, message=None):
    value = {'state': state, 'timestamp': datetime.now(timezone.utc).isoformat()}
    return value if message is None else {**value, 'message': message}


def card(base: str) -> AgentCard:
    value = {
        'name': 'History',
        'description': 'An agent on a release of the Python SDK.',
        'version': '1.0.0',
        'url': f'{base}/',
        'capabilities': {'streaming': True, 'pushNotifications': bool(PUSH)},
        'defaultInputModes': ['text/plain'],
        'defaultOutputModes': ['text/plain'],
        'skills': [{'id': 'echo', 'name': 'Echo', 'description': 'Echoes.', 'tags': ['echo'], 'examples': ['hello']}],
    }
    if A2ARESTFastAPIApplication is not None:
        interfaces = [('/', 'JSONRPC'), ('/rest', 'HTTP+JSON')]
        value['preferredTransport'] = 'JSONRPC'
        value['additionalInterfaces'] = [{'url': base + path, 'transport': name} for path, name in interfaces]
    return AgentCard.model_validate(value)


def application(base: str):
    handler = DefaultRequestHandler(agent_executor=Agent(), task_store=InMemoryTaskStore(), **PUSH)
    parts = {'agent_card': card(base), 'http_handler': handler}
    routes = [Mount('/', A2AStarletteApplication(**parts).build())]
    if A2ARESTFastAPIApplication is not None:
        routes.insert(0, Mount('/rest', A2ARESTFastAPIApplication(**parts).build()))
    return Starlette(routes=routes)


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    listener = socket.create_server(('127.0.0.1', 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    base = f'http://127.0.0.1:{listener.getsockname()[1]}'
    server = uvicorn.Server(uvicorn.Config(application(base), log_level='warning'))
    print(f'listening {base}', flush=True)
    server.run(sockets=[listener])


if __name__ == '__main__':
    main()
