"""An assistant on the Python SDK of A2A 0.2 or 0.3, as its samples build one: the release on PYTHONPATH decides.

The first word of a message chooses what it does; what names nothing is echoed. It keeps a store of push notification
configurations, serves an extended card, and speaks JSON-RPC at `/` and, if the release has it, HTTP+JSON under `/rest`.
"""

import argparse
import asyncio
import socket

import httpx
import uvicorn
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.apps import A2AStarletteApplication
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCard, Part, TaskArtifactUpdateEvent, TaskState
from a2a.utils import new_agent_text_message, new_task
from starlette.applications import Starlette
from starlette.routing import Mount

try:
    from a2a.server.apps import A2ARESTFastAPIApplication
except ImportError:  # 0.2 knows no HTTP+JSON.
    A2ARESTFastAPIApplication = None

try:
    from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore
except ImportError:  # Until 0.2.10 one object kept the configurations and called the webhooks.
    from a2a.server.tasks import InMemoryPushNotifier

    BasePushNotificationSender = None

EXTENSION = 'https://example.org/extensions/style'
REPORT = [
    {'kind': 'text', 'text': 'A report of every kind.', 'metadata': {'language': 'en'}},
    {'kind': 'data', 'data': {'rows': [1, 2.5, -3], 'total': 0, 'empty': '', 'done': False}, 'metadata': {'unit': 'm'}},
    {'kind': 'file', 'file': {'bytes': 'aGVsbG8=', 'mimeType': 'text/plain', 'name': 'hello.txt'}},
    {'kind': 'file', 'file': {'uri': 'https://example.org/map.png', 'mimeType': 'image/png', 'name': 'map.png'}},
]


class AssistantExecutor(AgentExecutor):
    """Works on tasks in the way the first word of the message names."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        text = context.get_user_input()
        word = text.split(maxsplit=1)[0] if text.strip() else ''
        if word == 'message-only':
            await event_queue.enqueue_event(new_agent_text_message(f'You said: {text}', context.context_id))
            return

        task = context.current_task
        if not task:
            task = new_task(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work(say(updater, 'Working on it.'))

        if word in ('input-required', 'a'):
            await updater.update_status(TaskState.input_required, say(updater, 'Please tell me more.'), final=True)
        elif word == 'auth-required':
            await updater.update_status(TaskState.auth_required, say(updater, 'Please sign in.'), final=True)
        elif word == 'fail':
            await updater.failed(say(updater, 'It did not work out.'))
        elif word == 'reject':
            await updater.reject(say(updater, 'I would rather not.'))
        elif word == 'slow':
            for step in range(1, 7):
                await asyncio.sleep(0.5)
                await updater.update_status(TaskState.working, say(updater, f'Step {step} of 6.'))
            await updater.add_artifact(parts({'kind': 'text', 'text': 'All six steps.'}), name='summary')
            await updater.complete(say(updater, 'Done at last.'))
        elif word == 'streaming':
            pieces = ['Once ', 'upon ', 'a ', 'time.']
            for index, piece in enumerate(pieces):
                await event_queue.enqueue_event(chunk(context, piece, index, index == len(pieces) - 1))
                await asyncio.sleep(0.1)
            await updater.complete()
        elif word == 'data-types':
            await updater.add_artifact(parts(*REPORT), name='report', metadata={'pages': 1})
            await updater.add_artifact(parts({'kind': 'data', 'data': {'sources': []}}), name='sources')
            await updater.complete(say(updater, 'Here is the report.'))
        else:
            await updater.add_artifact(list(context.message.parts), name='echo', metadata={'words': len(text.split())})
            await updater.complete(say(updater, f'Echoed: {text}'))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.update_status(TaskState.canceled, say(updater, 'Stopped.'), final=True)


def parts(*values: dict) -> list[Part]:
    """Parts from their JSON: the names of attributes changed between releases, those in JSON did not."""
    return [Part.model_validate(value) for value in values]


def say(updater: TaskUpdater, text: str):
    return updater.new_agent_message(parts({'kind': 'text', 'text': text}), metadata={'tone': 'friendly'})


def chunk(context: RequestContext, text: str, index: int, last: bool) -> TaskArtifactUpdateEvent:
    """A piece of a story, which is appended to the pieces before it."""
    artifact = {'artifactId': 'story', 'name': 'story', 'parts': [{'kind': 'text', 'text': text}]}
    value = {'taskId': context.task_id, 'contextId': context.context_id, 'artifact': artifact}
    return TaskArtifactUpdateEvent.model_validate({**value, 'append': index > 0, 'lastChunk': last})


def card(base: str, skills: list[dict]) -> AgentCard:
    extension = {'uri': EXTENSION, 'description': 'How answers are worded.', 'required': False, 'params': {'tones': 2}}
    value = {
        'name': 'Assistant',
        'description': 'Works on small tasks.',
        'version': '1.2.0',
        'url': f'{base}/',
        'provider': {'organization': 'Example', 'url': 'https://example.org'},
        'iconUrl': 'https://example.org/icon.png',
        'documentationUrl': 'https://example.org/docs',
        'capabilities': {'streaming': True, 'pushNotifications': True, 'extensions': [extension]},
        'defaultInputModes': ['text/plain', 'application/json'],
        'defaultOutputModes': ['text/plain', 'application/json'],
        'supportsAuthenticatedExtendedCard': True,
        'skills': skills,
    }
    if A2ARESTFastAPIApplication is not None:
        interfaces = [('/', 'JSONRPC'), ('/rest', 'HTTP+JSON')]
        value['preferredTransport'] = 'JSONRPC'
        value['additionalInterfaces'] = [{'url': base + path, 'transport': name} for path, name in interfaces]
    return AgentCard.model_validate(value)


def handler() -> DefaultRequestHandler:
    client = httpx.AsyncClient()
    if BasePushNotificationSender is None:
        push = {'push_notifier': InMemoryPushNotifier(client)}
    else:
        store = InMemoryPushNotificationConfigStore()
        push = {'push_config_store': store, 'push_sender': BasePushNotificationSender(client, store)}
    return DefaultRequestHandler(agent_executor=AssistantExecutor(), task_store=InMemoryTaskStore(), **push)


def application(base: str) -> Starlette:
    work = {'id': 'work', 'name': 'Work', 'description': 'Works.', 'tags': ['work'], 'examples': ['slow', 'streaming']}
    more = {'id': 'more', 'name': 'More', 'description': 'For those who signed in.', 'tags': ['more']}
    request_handler = handler()
    public, extended = card(base, [work]), card(base, [work, more])
    rpc = A2AStarletteApplication(agent_card=public, http_handler=request_handler, extended_agent_card=extended)
    routes = [Mount('/', rpc.build())]
    if A2ARESTFastAPIApplication is not None:
        rest = A2ARESTFastAPIApplication(agent_card=public, http_handler=request_handler)
        routes.insert(0, Mount('/rest', rest.build()))
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
