"""An agent on the Python SDK of A2A 1.0: the release on PYTHONPATH decides. See ../../docs/HISTORY.md.

The first word of a message chooses the behaviour. `--cancel silent` ends the work of a cancelled task without a word, as
agents do that only clean up. `--old` speaks 0.3 at the same addresses too, where no version is named.
It speaks JSON-RPC at `/` and HTTP+JSON under `/rest`, and prints `listening http://127.0.0.1:PORT`.
"""

import argparse
import asyncio
import socket
import uuid
from datetime import datetime, timezone

import uvicorn
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryPushNotificationConfigStore, InMemoryTaskStore
from a2a.types import AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent
from google.protobuf.json_format import MessageToDict, ParseDict
from starlette.applications import Starlette

EXTENSION = 'https://example.org/extensions/notes'
KINDS = [
    {'text': 'text', 'metadata': {'note': 'of the text'}},
    {'data': {'answer': 42, 'nested': {'yes': True}}, 'metadata': {'note': 'of the data'}},
    {
        'raw': 'AP8gZmlsZQ==',
        'mediaType': 'application/octet-stream',
        'filename': 'file.bin',
        'metadata': {'note': 'of the bytes'},
    },
    {
        'url': 'https://example.org/file.png',
        'mediaType': 'image/png',
        'filename': 'file.png',
        'metadata': {'note': 'of the address'},
    },
]


class Agent(AgentExecutor):
    """Does what the first word of the message names, and echoes what names nothing."""

    def __init__(self, cancel: str):
        self._cancel = cancel

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
        await wire.status('WORKING', metadata={'event': 'a note'} if word == 'data-types' else None)
        if word == 'raise-later':
            await asyncio.sleep(0.05)
            raise RuntimeError('The model went away.')
        if word == 'input-required' or (context.current_task is not None and word != 'done'):
            await wire.status('INPUT_REQUIRED', 'More, please; "done" ends it.')
        elif word == 'fail':
            await wire.status('FAILED', 'Failed, as asked.')
        elif word == 'reject':
            await wire.status('REJECTED', 'Rejected, as asked.')
        elif word == 'auth-required':
            await wire.status('AUTH_REQUIRED', 'Please allow me to open the safe.')
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
            await wire.status('COMPLETED', 'Here is everything.', rich=True)
        elif word == 'slow':
            for step in range(1, 13):
                await asyncio.sleep(0.25)
                await wire.status('WORKING', f'step {step} of 12')
            await wire.echo(text)
        elif word == 'streaming':
            chunks = ['one ', 'two ', 'three ', 'four']
            for index, chunk in enumerate(chunks):
                artifact = {'artifactId': 'chunks', 'name': 'chunks', 'parts': [{'text': chunk}]}
                await wire.artifact(artifact, append=index > 0, last=index == len(chunks) - 1)
                await asyncio.sleep(0.15)
            await wire.status('COMPLETED')
        else:
            await wire.echo(text)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        if self._cancel != 'silent':
            await Wire(context, event_queue).status('CANCELED')


class Wire:
    """Writes events of one task."""

    def __init__(self, context: RequestContext, queue: EventQueue):
        self._context = context
        self._queue = queue
        self._ids = {'taskId': context.task_id, 'contextId': context.context_id}

    async def task(self, metadata=None) -> None:
        value = {
            'id': self._context.task_id,
            'contextId': self._context.context_id,
            'status': status('SUBMITTED'),
            'history': [{**MessageToDict(self._context.message), **self._ids}],
            'metadata': metadata,
        }
        await self._send(Task, value)

    async def status(self, state, text=None, metadata=None, rich=False) -> None:
        message = self._say(text, rich) if text else None
        await self._send(TaskStatusUpdateEvent, {**self._ids, 'status': status(state, message), 'metadata': metadata})

    async def artifact(self, artifact, append=False, last=True) -> None:
        value = {**self._ids, 'artifact': artifact, 'append': append, 'lastChunk': last}
        await self._send(TaskArtifactUpdateEvent, value)

    async def echo(self, text) -> None:
        await self.artifact({'artifactId': 'echo', 'name': 'echo', 'parts': [{'text': f'echo: {text}'}]})
        await self.status('COMPLETED')

    async def message(self, text) -> None:
        value = self._say(text, False)
        del value['taskId']
        await self._send(Message, value)

    def _say(self, text, rich):
        parts = [{'text': text}]
        value = {'role': 'ROLE_AGENT', 'messageId': str(uuid.uuid4()), 'parts': parts, **self._ids}
        if rich:
            parts[0]['metadata'] = {'note': 'of a part of a message'}
            value |= {'metadata': {'note': 'of a message'}, 'extensions': [EXTENSION]}
        return value

    async def _send(self, kind, value) -> None:
        present = {name: member for name, member in value.items() if member is not None}
        await self._queue.enqueue_event(ParseDict(present, kind()))


def status(state, message=None):
    moment = datetime.now(timezone.utc).isoformat(timespec='microseconds').replace('+00:00', 'Z')
    value = {'state': f'TASK_STATE_{state}', 'timestamp': moment}
    return value if message is None else {**value, 'message': message}


def card(base: str, versions: list[str]) -> AgentCard:
    value = {
        'name': 'History',
        'description': 'An agent on a release of the Python SDK.',
        'version': '1.0.0',
        'supportedInterfaces': [
            {'url': base + path, 'protocolBinding': binding, 'protocolVersion': version}
            for version in versions
            for path, binding in (('/', 'JSONRPC'), ('/rest', 'HTTP+JSON'))
        ],
        'capabilities': {'streaming': True, 'pushNotifications': True},
        'defaultInputModes': ['text/plain'],
        'defaultOutputModes': ['text/plain'],
        'skills': [{'id': 'echo', 'name': 'Echo', 'description': 'Echoes.', 'tags': ['echo'], 'examples': ['hello']}],
    }
    return ParseDict(value, AgentCard())


def application(base: str, arguments):
    agent_card = card(base, ['1.0', '0.3'] if arguments.old else ['1.0'])
    handler = DefaultRequestHandler(
        agent_executor=Agent(arguments.cancel),
        task_store=InMemoryTaskStore(),
        agent_card=agent_card,
        push_config_store=InMemoryPushNotificationConfigStore(),
    )
    routes = [
        *create_agent_card_routes(agent_card),
        *create_jsonrpc_routes(handler, rpc_url='/', enable_v0_3_compat=arguments.old),
        *create_rest_routes(handler, path_prefix='/rest', enable_v0_3_compat=arguments.old),
    ]
    return Starlette(routes=routes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--cancel', choices=['canceled', 'silent'], default='canceled')
    parser.add_argument('--old', action='store_true')
    arguments = parser.parse_args()
    listener = socket.create_server(('127.0.0.1', 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    base = f'http://127.0.0.1:{listener.getsockname()[1]}'
    server = uvicorn.Server(uvicorn.Config(application(base, arguments), log_level='warning'))
    print(f'listening {base}', flush=True)
    server.run(sockets=[listener])


if __name__ == '__main__':
    main()
