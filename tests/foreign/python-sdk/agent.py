"""A real agent on the official Python SDK, to try the checks on a server that is not ours.

The text of a message chooses the behaviour, so that one agent shows many: see `EchoAgent.execute`.
With a token it lets in only those who have it, and has an extended card for them.
With `--old` it speaks 0.3 too, at the same addresses, to those who name no version.
With `--grpc PORT` it speaks gRPC as well, at that port.
With `--takes MS` it is an ordinary agent, which knows no words: every task takes that long, `--jitter PERCENT` more or less.
It speaks JSON-RPC at `/` and HTTP+JSON under `/rest`, and prints `listening http://127.0.0.1:PORT` once it answers.
"""

import argparse
import asyncio
import re
import socket
from pathlib import Path
from random import Random
from uuid import uuid4

import grpc
import httpx
import uvicorn
from a2a.client import ClientConfig, create_client
from a2a.client.errors import A2AClientError
from a2a.helpers import (
    new_data_part,
    new_raw_part,
    new_task_from_user_message,
    new_text_message,
    new_text_part,
    new_url_part,
)
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
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
    AgentInterface,
    AgentProvider,
    AgentSkill,
    ClientCredentialsOAuthFlow,
    HTTPAuthSecurityScheme,
    Message,
    OAuth2SecurityScheme,
    OAuthFlows,
    Role,
    SecurityRequirement,
    SecurityScheme,
    SendMessageRequest,
    StringList,
    a2a_pb2_grpc,
)
from a2a.utils.errors import A2AError, ContentTypeNotSupportedError
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse

CARD_PATH = '/.well-known/agent-card.json'
REST_PREFIX = '/rest'


class EchoAgent(AgentExecutor):
    """Echoes the text in an artifact, or does what the text's first word names."""

    examples = ['hello', 'slow', 'streaming', 'input-required']

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        text = context.get_user_input()
        word = text.split(maxsplit=1)[0] if text.strip() else ''

        # The SDK leaves it to the agent to compare what comes with what the card says.
        if any(part.media_type not in ('', 'text/plain') for part in context.message.parts):
            raise ContentTypeNotSupportedError('Only text/plain, please.')
        if word == 'message-only':
            await event_queue.enqueue_event(new_text_message(f'echo: {text}', context_id=context.context_id))
            return

        if context.current_task is None:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()

        # A task that asked for input goes on asking until it hears "done".
        if word == 'input-required' or (context.current_task is not None and word != 'done'):
            await updater.requires_input(self._say(updater, 'More, please; "done" ends it.'))
        elif word == 'fail':
            await updater.failed(self._say(updater, 'Failed, as asked.'))
        elif word == 'reject':
            await updater.reject(self._say(updater, 'Rejected, as asked.'))
        elif word == 'auth-required':
            await updater.requires_auth(self._say(updater, 'Please allow me to open the safe.'))
        elif word == 'data-types':
            await updater.add_artifact(
                [
                    new_text_part('text'),
                    new_data_part({'answer': 42, 'nested': [None, True, 'ü']}),
                    new_raw_part(b'\x00\xff file', media_type='application/octet-stream', filename='file.bin'),
                    new_url_part('https://example.org/file.png', media_type='image/png', filename='file.png'),
                ],
                name='every kind of part',
            )
            await updater.complete()
        elif word == 'delegate':
            await self._delegate(text, updater)
        elif word == 'boast':
            await updater.complete(self._say(updater, 'I have called the other agent, and all is done.'))
        elif word == 'slow':
            for step in range(1, 13):
                await asyncio.sleep(0.25)
                await updater.start_work(self._say(updater, f'step {step} of 12'))
            await updater.add_artifact([new_text_part(f'echo: {text}')], name='echo')
            await updater.complete()
        elif word in ('streaming', 'burst'):
            chunks = ['one ', 'two ', 'three ', 'four'] if word == 'streaming' else [f'{number} ' for number in range(40)]
            for index, chunk in enumerate(chunks):
                await updater.add_artifact(
                    [new_text_part(chunk)],
                    artifact_id=f'{context.task_id}-chunks',
                    name='chunks',
                    append=index > 0,
                    last_chunk=index == len(chunks) - 1,
                )
                if word == 'streaming':
                    await asyncio.sleep(0.15)
            await updater.complete()
        else:
            await updater.add_artifact([new_text_part(f'echo: {text}')], name='echo')
            await updater.complete()

    async def _delegate(self, text: str, updater: TaskUpdater) -> None:
        """Calls another agent by the SDK's client: `delegate to URL with TOKEN`."""
        url, token = re.match(r'delegate to (\S+) with (\S+)', text).groups()
        message = Message(message_id=str(uuid4()), role=Role.ROLE_USER, parts=[new_text_part(token)])
        try:
            async with httpx.AsyncClient(timeout=30) as http:
                client = await create_client(url, ClientConfig(httpx_client=http))
                events = [event async for event in client.send_message(SendMessageRequest(message=message))]
        except (A2AError, A2AClientError, httpx.HTTPError) as error:
            await updater.failed(self._say(updater, f'The other agent could not be called: {error}'))
            return
        parts = [part for event in events for part in parts_of(event)]
        await updater.add_artifact(parts or [new_text_part('The other agent returned nothing.')], name='of the other agent')
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()

    @staticmethod
    def _say(updater: TaskUpdater, text: str):
        return updater.new_agent_message([new_text_part(text)])


class TimedAgent(EchoAgent):
    """Echoes the text in an artifact, after a while, whatever it says."""

    examples = ['hello']

    def __init__(self, takes: int, jitter: int, seed: int):
        self._takes = takes / 1000
        self._jitter = jitter / 100
        self._random = Random(seed)

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        if context.current_task is None:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()
        await asyncio.sleep(self._takes * (1 + self._jitter * self._random.uniform(-1, 1)))
        await updater.add_artifact([new_text_part(f'echo: {context.get_user_input()}')], name='echo')
        await updater.complete()


def parts_of(event) -> list:
    """The parts of an event of a client: of a message, of an artifact, or of the artifacts of a task."""
    if event.HasField('message'):
        return list(event.message.parts)
    if event.HasField('artifact_update'):
        return list(event.artifact_update.artifact.parts)
    artifacts = event.task.artifacts if event.HasField('task') else []
    return [part for artifact in artifacts for part in artifact.parts]


def card(
    base: str, token: str | None, versions: list[str], grpc_address: str | None, examples: list[str]
) -> AgentCard:
    security = {}
    if token is not None:
        flow = ClientCredentialsOAuthFlow(token_url='https://example.org/token', scopes={'echo': 'Have texts echoed'})
        security = {
            'security_schemes': {
                'bearer': SecurityScheme(http_auth_security_scheme=HTTPAuthSecurityScheme(scheme='Bearer')),
                'oauth': SecurityScheme(
                    oauth2_security_scheme=OAuth2SecurityScheme(flows=OAuthFlows(client_credentials=flow))
                ),
            },
            'security_requirements': [
                SecurityRequirement(schemes={'bearer': StringList()}),
                SecurityRequirement(schemes={'oauth': StringList(list=['echo'])}),
            ],
        }
    return AgentCard(
        name='Python SDK echo',
        description='An echo on the official Python SDK, for tests.',
        version='1.0.0',
        provider=AgentProvider(organization='a2a-conformance', url='https://example.org/'),
        supported_interfaces=[
            AgentInterface(url=f'{base}{path}', protocol_binding=binding, protocol_version=version)
            for version in versions
            for path, binding in (('/', 'JSONRPC'), (REST_PREFIX, 'HTTP+JSON'))
        ]
        + [
            AgentInterface(url=address, protocol_binding='GRPC', protocol_version='1.0')
            for address in [grpc_address]
            if address is not None
        ],
        capabilities=AgentCapabilities(
            streaming=True, push_notifications=True, extended_agent_card=token is not None
        ),
        default_input_modes=['text/plain'],
        default_output_modes=['text/plain'],
        skills=[
            AgentSkill(
                id='echo',
                name='Echo',
                description='Sends the text back in an artifact.',
                tags=['echo', 'test'],
                examples=examples,
            )
        ],
        **security,
    )


class GrpcDoorkeeper(grpc.aio.ServerInterceptor):
    """The same over gRPC: UNAUTHENTICATED."""

    def __init__(self, token: str):
        self._expected = ('authorization', f'Bearer {token}')

        async def refuse(_request, context) -> None:
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, 'Who are you?')

        self._refuse = grpc.unary_unary_rpc_method_handler(refuse)

    async def intercept_service(self, continuation, call):
        return await continuation(call) if self._expected in call.invocation_metadata else self._refuse


class Doorkeeper:
    """Answers 401 to everybody who has not got the token; the card is for all, and preflights carry none."""

    def __init__(self, inner, token: str):
        self._inner = inner
        self._expected = f'Bearer {token}'.encode()

    async def __call__(self, scope, receive, send) -> None:
        inner = self._inner
        if scope['type'] == 'http' and scope['path'] != CARD_PATH:
            if dict(scope['headers']).get(b'authorization') != self._expected:
                inner = JSONResponse({'detail': 'Who are you?'}, 401, {'WWW-Authenticate': 'Bearer'})
        await inner(scope, receive, send)


def handler_of(agent_card: AgentCard, token: str | None, executor: AgentExecutor) -> DefaultRequestHandler:
    extended_card = None
    if token is not None:
        extended_card = AgentCard()
        extended_card.CopyFrom(agent_card)
        extended_card.description += ' You are known here.'
    push_configs = InMemoryPushNotificationConfigStore()
    # Webhooks on this machine are called; those of the checks that go elsewhere are answered here.
    elsewhere = httpx.MockTransport(lambda request: httpx.Response(204))
    client = httpx.AsyncClient(mounts={'all://': elsewhere, 'all://127.0.0.1': httpx.AsyncHTTPTransport()})
    return DefaultRequestHandler(
        agent_executor=executor,
        task_store=InMemoryTaskStore(),
        agent_card=agent_card,
        extended_agent_card=extended_card,
        push_config_store=push_configs,
        push_sender=BasePushNotificationSender(client, push_configs),
    )


def app(agent_card: AgentCard, handler: DefaultRequestHandler, token: str | None, old: bool, cors: str | None):
    routes = [
        *create_agent_card_routes(agent_card, cache_control='public, max-age=60'),
        *create_jsonrpc_routes(handler, rpc_url='/', enable_v0_3_compat=old),
        *create_rest_routes(handler, path_prefix=REST_PREFIX, enable_v0_3_compat=old),
    ]
    inner = Starlette(routes=routes)
    if token is not None:
        inner = Doorkeeper(inner, token)
    if cors == 'none':
        return inner
    if cors is not None:
        # What a user would paste behind the line that makes `app`.
        names = {'app': inner}
        exec(Path(cors).read_text(), names)
        return names['app']
    # Around the finished app, not inside it, so that error responses carry the headers too.
    return CORSMiddleware(
        inner,
        allow_origins=['*'],
        allow_methods=['*'],
        allow_headers=['*'],
        expose_headers=['*'],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--port', type=int, default=0, help='0 takes a free one')
    parser.add_argument('--token', help='let in only those who have it')
    parser.add_argument('--old', action='store_true', help='speak 0.3 too, where no version is named')
    parser.add_argument('--grpc', type=int, metavar='PORT', help='speak gRPC too, at this port')
    parser.add_argument('--cors', help='none, or a file with lines that wrap app; without it everything is open to pages')
    parser.add_argument('--takes', type=int, metavar='MS', help='be an ordinary agent, each of whose tasks takes so long')
    parser.add_argument('--jitter', type=int, default=0, metavar='PERCENT', help='how much longer or shorter a task may take')
    parser.add_argument('--seed', type=int, default=0, help='the same seed gives the same times')
    arguments = parser.parse_args()
    listener = socket.create_server(('127.0.0.1', arguments.port))
    # As uvicorn's own sockets are: without it every answer waits 40 ms for the client to acknowledge its head.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    base = f'http://127.0.0.1:{listener.getsockname()[1]}'
    asyncio.run(run(arguments, listener, base))


def executor_of(arguments: argparse.Namespace) -> EchoAgent:
    if arguments.takes is None:
        return EchoAgent()
    return TimedAgent(arguments.takes, arguments.jitter, arguments.seed)


async def run(arguments: argparse.Namespace, listener: socket.socket, base: str) -> None:
    interceptors = [GrpcDoorkeeper(arguments.token)] if arguments.token is not None else []
    grpc_server = grpc.aio.server(interceptors=interceptors)
    grpc_address = None
    if arguments.grpc is not None:
        grpc_address = f'127.0.0.1:{arguments.grpc}'
        grpc_server.add_insecure_port(grpc_address)
    versions = ['1.0', '0.3'] if arguments.old else ['1.0']
    executor = executor_of(arguments)
    agent_card = card(base, arguments.token, versions, grpc_address, executor.examples)
    handler = handler_of(agent_card, arguments.token, executor)
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), grpc_server)
    if arguments.grpc is not None:
        await grpc_server.start()
    application = app(agent_card, handler, arguments.token, arguments.old, arguments.cors)
    server = uvicorn.Server(uvicorn.Config(application, log_level='warning'))
    # The listener is open, so a client that connects now waits until the server accepts.
    print(f'listening {base}', flush=True)
    await server.serve(sockets=[listener])


if __name__ == '__main__':
    main()
