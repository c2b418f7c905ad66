"""Shows what the client of a2a-sdk 1.x for Python reads, for `a2a-conformance client-tests --adapter`.

Called with the agent's URL and an operation; prints what was read as JSON.
"""

import asyncio
import json
import sys
from uuid import uuid4

import httpx
from a2a.client import ClientConfig
from a2a.client.card_resolver import A2ACardResolver
from a2a.client.client_factory import create_client
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetExtendedAgentCardRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
)
from a2a.utils.errors import JSON_RPC_ERROR_CODE_MAP, A2AError
from google.protobuf.json_format import MessageToDict

UNSUPPORTED = 64


async def read(http: httpx.AsyncClient, url: str, operation: str) -> object:
    if operation == 'get_agent_card':
        return MessageToDict(await A2ACardResolver(http, url).get_agent_card())
    streaming = operation in ('send_streaming_message', 'subscribe_to_task')
    config = ClientConfig(httpx_client=http, streaming=streaming, supported_protocol_bindings=['JSONRPC', 'HTTP+JSON'])
    client = await create_client(url, config)
    message = Message(message_id=str(uuid4()), role=Role.ROLE_USER, parts=[Part(text='Hello')])
    if operation in ('send_message', 'send_streaming_message'):
        events = [MessageToDict(event) async for event in client.send_message(SendMessageRequest(message=message))]
        return {'events': events} if streaming else events[-1]
    if operation == 'subscribe_to_task':
        return {'events': [MessageToDict(event) async for event in client.subscribe(SubscribeToTaskRequest(id='task'))]}
    calls = {
        'get_task': lambda: client.get_task(GetTaskRequest(id='task')),
        'cancel_task': lambda: client.cancel_task(CancelTaskRequest(id='task')),
        'list_tasks': lambda: client.list_tasks(ListTasksRequest()),
        'get_extended_agent_card': lambda: client.get_extended_agent_card(GetExtendedAgentCardRequest()),
    }
    if operation not in calls:
        print(f'{operation} is not in this adapter', file=sys.stderr)
        sys.exit(UNSUPPORTED)
    return MessageToDict(await calls[operation]())


async def main(url: str, operation: str) -> None:
    async with httpx.AsyncClient() as http:
        try:
            parsed = await read(http, url, operation)
        except A2AError as error:
            code = JSON_RPC_ERROR_CODE_MAP.get(type(error))
            if code is None:
                raise
            parsed = {'error': {'code': code, 'message': str(error)}}
    print(json.dumps(parsed))


asyncio.run(main(*sys.argv[1:]))
