"""A real agent on the official Python SDK of A2A 0.3, and on that of 0.2: the environment that runs it decides.

The text of a message chooses the behaviour, so that one agent shows many: see `EchoAgent.execute`.
With a token it lets in only those who have it, and has an extended card for them.
It speaks JSON-RPC at `/` and, if the SDK has it, HTTP+JSON under `/rest`; it prints `listening http://127.0.0.1:PORT`
once it answers. With `--grpc PORT` it speaks gRPC as well, at that port.
With `--takes MS` it is an ordinary agent, which knows no words: every task takes that long, `--jitter PERCENT` more or less.
"""

import argparse
import asyncio
import base64
import socket
from random import Random

import httpx
import uvicorn
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.apps import A2AStarletteApplication
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
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
    ContentTypeNotSupportedError,
    DataPart,
    FilePart,
    FileWithBytes,
    FileWithUri,
    HTTPAuthSecurityScheme,
    OAuth2SecurityScheme,
    OAuthFlows,
    Part,
    SecurityScheme,
    TextPart,
)
from a2a.utils import new_agent_text_message, new_task
from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH
from a2a.utils.errors import ServerError
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse
from starlette.routing import Mount

try:
    from a2a.server.apps import A2ARESTFastAPIApplication
except ImportError:  # 0.2 knows no HTTP+JSON.
    A2ARESTFastAPIApplication = None

try:
    import grpc
    from a2a.grpc import a2a_pb2_grpc
    from a2a.server.request_handlers import GrpcHandler
except ImportError:  # Only the environment of 0.3 has what it needs.
    grpc = None

# The path of the card changed with 0.3, which serves it at the old one too.
CARD_PATHS = {AGENT_CARD_WELL_KNOWN_PATH, '/.well-known/agent.json'}
REST_PREFIX = '/rest'


class EchoAgent(AgentExecutor):
    """Echoes the text in an artifact, or does what the text's first word names."""

    examples = ['hello', 'slow', 'streaming', 'input-required']

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        text = context.get_user_input()
        word = text.split(maxsplit=1)[0] if text.strip() else ''

        # The SDK leaves it to the agent to compare what comes with what the card says.
        for part in context.message.parts:
            if isinstance(part.root, FilePart) and part.root.file.mime_type not in (None, '', 'text/plain'):
                raise ServerError(error=ContentTypeNotSupportedError(message='Only text/plain, please.'))
        if word == 'message-only':
            await event_queue.enqueue_event(new_agent_text_message(f'echo: {text}', context_id=context.context_id))
            return

        if context.current_task is None:
            await event_queue.enqueue_event(new_task(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()

        # A task that asked for input goes on asking until it hears "done".
        if word == 'input-required' or (context.current_task is not None and word != 'done'):
            await updater.requires_input(self._say(updater, 'More, please; "done" ends it.'), final=True)
        elif word == 'fail':
            await updater.failed(self._say(updater, 'Failed, as asked.'))
        elif word == 'reject':
            await updater.reject(self._say(updater, 'Rejected, as asked.'))
        elif word == 'auth-required':
            await updater.requires_auth(self._say(updater, 'Please allow me to open the safe.'), final=True)
        elif word == 'data-types':
            data = base64.b64encode(b'\x00\xff file').decode()
            await updater.add_artifact(
                [
                    text_part('text'),
                    Part(root=DataPart(data={'answer': 42, 'nested': [None, True, 'ü']})),
                    file_part(FileWithBytes(bytes=data, mime_type='application/octet-stream', name='file.bin')),
                    file_part(
                        FileWithUri(uri='https://example.org/file.png', mime_type='image/png', name='file.png')
                    ),
                ],
                name='every kind of part',
            )
            await updater.complete()
        elif word == 'slow':
            for step in range(1, 13):
                await asyncio.sleep(0.25)
                await updater.start_work(self._say(updater, f'step {step} of 12'))
            await updater.add_artifact([text_part(f'echo: {text}')], name='echo')
            await updater.complete()
        elif word in ('streaming', 'burst'):
            chunks = ['one ', 'two ', 'three ', 'four'] if word == 'streaming' else [f'{number} ' for number in range(40)]
            for index, chunk in enumerate(chunks):
                await updater.add_artifact(
                    [text_part(chunk)],
                    artifact_id=f'{context.task_id}-chunks',
                    name='chunks',
                    append=index > 0,
                    last_chunk=index == len(chunks) - 1,
                )
                if word == 'streaming':
                    await asyncio.sleep(0.15)
            await updater.complete()
        else:
            await updater.add_artifact([text_part(f'echo: {text}')], name='echo')
            await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()

    @staticmethod
    def _say(updater: TaskUpdater, text: str):
        return updater.new_agent_message([text_part(text)])


class TimedAgent(EchoAgent):
    """Echoes the text in an artifact, after a while, whatever it says."""

    examples = ['hello']

    def __init__(self, takes: int, jitter: int, seed: int):
        self._takes = takes / 1000
        self._jitter = jitter / 100
        self._random = Random(seed)

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        if context.current_task is None:
            await event_queue.enqueue_event(new_task(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()
        await asyncio.sleep(self._takes * (1 + self._jitter * self._random.uniform(-1, 1)))
        await updater.add_artifact([text_part(f'echo: {context.get_user_input()}')], name='echo')
        await updater.complete()


def text_part(text: str) -> Part:
    return Part(root=TextPart(text=text))


def file_part(file: FileWithBytes | FileWithUri) -> Part:
    return Part(root=FilePart(file=file))


def card(base: str, token: str | None, grpc_address: str | None, examples: list[str]) -> AgentCard:
    security = {}
    if token is not None:
        flow = ClientCredentialsOAuthFlow(token_url='https://example.org/token', scopes={'echo': 'Have texts echoed'})
        security = {
            'security_schemes': {
                'bearer': SecurityScheme(root=HTTPAuthSecurityScheme(scheme='Bearer')),
                'oauth': SecurityScheme(root=OAuth2SecurityScheme(flows=OAuthFlows(client_credentials=flow))),
            },
            'security': [{'bearer': []}, {'oauth': ['echo']}],
        }
    interfaces = [AgentInterface(url=f'{base}/', transport='JSONRPC')]
    if A2ARESTFastAPIApplication is not None:
        interfaces.append(AgentInterface(url=f'{base}{REST_PREFIX}', transport='HTTP+JSON'))
    if grpc_address is not None:
        interfaces.append(AgentInterface(url=grpc_address, transport='GRPC'))
    # The SDK fills in the version of the protocol.
    return AgentCard(
        name='Python SDK echo',
        description='An echo on the official Python SDK, for tests.',
        version='1.0.0',
        provider=AgentProvider(organization='a2a-conformance', url='https://example.org/'),
        url=interfaces[0].url,
        preferred_transport=interfaces[0].transport,
        additional_interfaces=interfaces,
        capabilities=AgentCapabilities(streaming=True, push_notifications=True),
        supports_authenticated_extended_card=token is not None,
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


class Doorkeeper:
    """Answers 401 to everybody who has not got the token; the card is for all, and preflights carry none."""

    def __init__(self, inner, token: str):
        self._inner = inner
        self._expected = f'Bearer {token}'.encode()

    async def __call__(self, scope, receive, send) -> None:
        inner = self._inner
        if scope['type'] == 'http' and scope['path'] not in CARD_PATHS:
            if dict(scope['headers']).get(b'authorization') != self._expected:
                inner = JSONResponse({'detail': 'Who are you?'}, 401, {'WWW-Authenticate': 'Bearer'})
        await inner(scope, receive, send)


def refuse_strangers(token: str):
    """The same over gRPC: UNAUTHENTICATED."""

    async def refuse(_request, context) -> None:
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, 'Who are you?')

    refused = grpc.unary_unary_rpc_method_handler(refuse)

    class GrpcDoorkeeper(grpc.aio.ServerInterceptor):
        async def intercept_service(self, continuation, call):
            is_known = ('authorization', f'Bearer {token}') in call.invocation_metadata
            return await continuation(call) if is_known else refused

    return GrpcDoorkeeper()


def request_handler(executor: AgentExecutor) -> DefaultRequestHandler:
    push_configs = InMemoryPushNotificationConfigStore()
    # Webhooks on this machine are called; those of the checks that go elsewhere are answered here.
    elsewhere = httpx.MockTransport(lambda request: httpx.Response(204))
    client = httpx.AsyncClient(mounts={'all://': elsewhere, 'all://127.0.0.1': httpx.AsyncHTTPTransport()})
    return DefaultRequestHandler(
        agent_executor=executor,
        task_store=InMemoryTaskStore(),
        push_config_store=push_configs,
        push_sender=BasePushNotificationSender(client, push_configs),
    )


def app(agent_card: AgentCard, handler: DefaultRequestHandler, token: str | None):
    extended_card = None
    if token is not None:
        description = f'{agent_card.description} You are known here.'
        extended_card = agent_card.model_copy(update={'description': description})
    parts = {'agent_card': agent_card, 'http_handler': handler, 'extended_agent_card': extended_card}
    routes = A2AStarletteApplication(**parts).routes()
    if A2ARESTFastAPIApplication is not None:
        routes.append(Mount(REST_PREFIX, A2ARESTFastAPIApplication(**parts).build()))
    inner = Starlette(routes=routes)
    if token is not None:
        inner = Doorkeeper(inner, token)
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
    parser.add_argument('--grpc', type=int, metavar='PORT', help='speak gRPC too, at this port')
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
    grpc_address = None if arguments.grpc is None else f'127.0.0.1:{arguments.grpc}'
    executor = executor_of(arguments)
    agent_card = card(base, arguments.token, grpc_address, executor.examples)
    handler = request_handler(executor)
    if grpc_address is not None:
        interceptors = [refuse_strangers(arguments.token)] if arguments.token is not None else []
        grpc_server = grpc.aio.server(interceptors=interceptors)
        grpc_server.add_insecure_port(grpc_address)
        a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(agent_card, handler), grpc_server)
        await grpc_server.start()
    server = uvicorn.Server(uvicorn.Config(app(agent_card, handler, arguments.token), log_level='warning'))
    # The listener is open, so a client that connects now waits until the server accepts.
    print(f'listening {base}', flush=True)
    await server.serve(sockets=[listener])


if __name__ == '__main__':
    main()
