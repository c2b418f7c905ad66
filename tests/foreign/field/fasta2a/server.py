"""An agent on fasta2a 2 as Pydantic AI serves it; its model is a stub."""

import asyncio
import os
import sys

from fasta2a.pydantic_ai import agent_to_a2a
from pydantic_ai import Agent, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from serve import answer, listen, serve  # noqa: E402


def said(messages) -> str:
    """The last thing that the user wrote."""
    texts = [part.content for part in messages[-1].parts if isinstance(part, UserPromptPart)]
    return ' '.join(text for text in texts if isinstance(text, str))


async def think(messages, _info) -> ModelResponse:
    seconds, text = answer(said(messages))
    await asyncio.sleep(seconds)
    return ModelResponse(parts=[TextPart(text)])


async def think_aloud(messages, _info):
    seconds, text = answer(said(messages))
    for word in text.split(' '):
        await asyncio.sleep(seconds / 4)
        yield f'{word} '


SKILL = {
    'id': 'echo',
    'name': 'Echo',
    'description': 'Says again what it was told.',
    'tags': ['demo'],
    'input_modes': ['text/plain'],
    'output_modes': ['text/plain'],
}

if __name__ == '__main__':
    listener, url = listen()
    agent = Agent(FunctionModel(think, stream_function=think_aloud), name='echo')
    app = agent_to_a2a(agent, name='Echo', description='An agent on fasta2a.', url=f'{url}/', skills=[SKILL])
    serve(app, listener, url)
