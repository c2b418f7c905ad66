"""An agent on Agno, whose AgentOS serves it over HTTP+JSON; its model is a stub."""

import asyncio
import os
import sys

from agno.agent import Agent
from agno.models.base import Model
from agno.models.response import ModelResponse
from agno.os import AgentOS
from agno.os.interfaces.a2a import A2A

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from serve import answer, listen, serve  # noqa: E402


class Stub(Model):
    """A model that calls nobody."""

    def __init__(self):
        super().__init__(id='stub')

    async def ainvoke(self, messages, *_args, **_options):
        seconds, text = answer(said(messages))
        await asyncio.sleep(seconds)
        return ModelResponse(role='assistant', content=text)

    async def ainvoke_stream(self, messages, *_args, **_options):
        seconds, text = answer(said(messages))
        for word in text.split(' '):
            await asyncio.sleep(seconds / 4)
            yield ModelResponse(role='assistant', content=f'{word} ')

    # The server is asynchronous; the class wants these as well.
    def invoke(self, *_args, **_options):
        raise NotImplementedError

    def invoke_stream(self, *_args, **_options):
        raise NotImplementedError

    def _parse_provider_response(self, response, **_options):
        return response

    def _parse_provider_response_delta(self, response):
        return response


def said(messages) -> str:
    """The last thing that the user wrote."""
    return next((str(message.content) for message in reversed(messages) if message.role == 'user'), '')


if __name__ == '__main__':
    listener, url = listen()
    agent = Agent(id='echo', name='Echo', model=Stub(), description='An agent on Agno.', telemetry=False)
    agent_os = AgentOS(id='echo-os', agents=[agent], interfaces=[A2A(agents=[agent])], telemetry=False)
    serve(agent_os.get_app(), listener, f'{url}/a2a/agents/echo')
