"""An assistant on the Python SDK of A2A 1.0, as its documentation builds one: the release on PYTHONPATH decides.

The first word of a message chooses what it does; what names nothing is echoed. It keeps a store of push notification
configurations, serves an extended card, and speaks JSON-RPC at `/` and HTTP+JSON under `/rest`. `--compat` speaks 0.3 at the
same addresses too, as agents do whose clients are not all new; `--legacy` takes the request handler of 0.3 that 1.0 still has.
"""

import argparse
import asyncio
import socket

import httpx
import uvicorn
from a2a.helpers import new_task_from_user_message, new_text_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler, LegacyRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import (
    BasePushNotificationSender,
    InMemoryPushNotificationConfigStore,
    InMemoryTaskStore,
    TaskUpdater,
)
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentExtension,
    AgentInterface,
    AgentProvider,
    AgentSkill,
    Part,
    TaskState,
)
from google.protobuf.json_format import ParseDict
from starlette.applications import Starlette

EXTENSION = 'https://example.org/extensions/style'
REPORT = [
    {'text': 'A report of every kind.', 'metadata': {'language': 'en'}},
    {'data': {'rows': [1, 2.5, -3], 'total': 0, 'empty': '', 'done': False}, 'metadata': {'unit': 'm'}},
    {'raw': 'aGVsbG8=', 'mediaType': 'text/plain', 'filename': 'hello.txt'},
    {'url': 'https://example.org/map.png', 'mediaType': 'image/png', 'filename': 'map.png'},
]


class AssistantExecutor(AgentExecutor):
    """Works on tasks in the way the first word of the message names."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        text = context.get_user_input()
        word = text.split(maxsplit=1)[0] if text.strip() else ''
        if word == 'message-only':
            await event_queue.enqueue_event(new_text_message(f'You said: {text}', context_id=context.context_id))
            return

        task = context.current_task
        if not task:
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work(say(updater, 'Working on it.'))

        if word in ('input-required', 'a'):
            await updater.requires_input(say(updater, 'Please tell me more.'))
        elif word == 'auth-required':
            await updater.requires_auth(say(updater, 'Please sign in.'))
        elif word == 'fail':
            await updater.failed(say(updater, 'It did not work out.'))
        elif word == 'reject':
            await updater.reject(say(updater, 'I would rather not.'))
        elif word == 'slow':
            for step in range(1, 7):
                await asyncio.sleep(0.5)
                await updater.update_status(TaskState.TASK_STATE_WORKING, say(updater, f'Step {step} of 6.'))
            await updater.add_artifact([Part(text='All six steps.')], name='summary')
            await updater.complete(say(updater, 'Done at last.'))
        elif word == 'streaming':
            pieces = ['Once ', 'upon ', 'a ', 'time.']
            for index, piece in enumerate(pieces):
                last = index == len(pieces) - 1
                place = {'artifact_id': 'story', 'name': 'story', 'append': index > 0, 'last_chunk': last}
                await updater.add_artifact([Part(text=piece)], metadata={'piece': index}, **place)
                await asyncio.sleep(0.1)
            await updater.complete()
        elif word == 'data-types':
            report = [ParseDict(part, Part()) for part in REPORT]
            await updater.add_artifact(report, name='report', metadata={'pages': 1}, extensions=[EXTENSION])
            await updater.add_artifact([ParseDict({'data': {'sources': []}}, Part())], name='sources')
            await updater.complete(say(updater, 'Here is the report.'))
        else:
            await updater.add_artifact(context.message.parts, name='echo', metadata={'words': len(text.split())})
            await updater.complete(say(updater, f'Echoed: {text}'))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.cancel(say(updater, 'Stopped.'))


def say(updater: TaskUpdater, text: str):
    return updater.new_agent_message([Part(text=text)], metadata={'tone': 'friendly'})


def card(base: str, versions: list[str], skills: list[AgentSkill]) -> AgentCard:
    extension = AgentExtension(uri=EXTENSION, description='How answers are worded.')
    return AgentCard(
        name='Assistant',
        description='Works on small tasks.',
        version='1.2.0',
        provider=AgentProvider(organization='Example', url='https://example.org'),
        icon_url='https://example.org/icon.png',
        documentation_url='https://example.org/docs',
        capabilities=AgentCapabilities(
            streaming=True, push_notifications=True, extended_agent_card=True, extensions=[extension]
        ),
        default_input_modes=['text/plain', 'application/json'],
        default_output_modes=['text/plain', 'application/json'],
        supported_interfaces=[
            AgentInterface(url=base + path, protocol_binding=binding, protocol_version=version)
            for version in versions
            for path, binding in (('/', 'JSONRPC'), ('/rest', 'HTTP+JSON'))
        ],
        skills=skills,
    )


def application(base: str, arguments: argparse.Namespace) -> Starlette:
    work = AgentSkill(id='work', name='Work', description='Works.', tags=['work'], examples=['slow', 'streaming'])
    more = AgentSkill(id='more', name='More', description='For those who signed in.', tags=['more'])
    versions = ['1.0', '0.3'] if arguments.compat else ['1.0']
    public = card(base, versions, [work])
    store = InMemoryPushNotificationConfigStore()
    request_handler = (LegacyRequestHandler if arguments.legacy else DefaultRequestHandler)(
        agent_executor=AssistantExecutor(),
        task_store=InMemoryTaskStore(),
        agent_card=public,
        push_config_store=store,
        push_sender=push_sender(store),
        extended_agent_card=card(base, versions, [work, more]),
    )
    return Starlette(
        routes=[
            *create_agent_card_routes(public),
            *create_jsonrpc_routes(request_handler, rpc_url='/', enable_v0_3_compat=arguments.compat),
            *create_rest_routes(request_handler, path_prefix='/rest', enable_v0_3_compat=arguments.compat),
        ]
    )


def push_sender(store: InMemoryPushNotificationConfigStore) -> BasePushNotificationSender:
    client = httpx.AsyncClient()
    try:
        return BasePushNotificationSender(client, store)
    except TypeError:  # The first releases want to know who asks.
        from a2a.server.context import ServerCallContext

        return BasePushNotificationSender(client, store, ServerCallContext())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--compat', action='store_true')
    parser.add_argument('--legacy', action='store_true')
    arguments = parser.parse_args()
    listener = socket.create_server(('127.0.0.1', 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    base = f'http://127.0.0.1:{listener.getsockname()[1]}'
    server = uvicorn.Server(uvicorn.Config(application(base, arguments), log_level='warning'))
    print(f'listening {base}', flush=True)
    server.run(sockets=[listener])


if __name__ == '__main__':
    main()
