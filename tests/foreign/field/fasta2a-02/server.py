"""An agent on fasta2a 0.2, which speaks A2A 0.1, as Pydantic AI serves it; its model is a stub."""

import asyncio
import os
import sys

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from serve import answer, listen, serve  # noqa: E402


async def think(messages, _info) -> ModelResponse:
    texts = [part.content for part in messages[-1].parts if isinstance(part, UserPromptPart)]
    seconds, text = answer(' '.join(text for text in texts if isinstance(text, str)))
    await asyncio.sleep(seconds)
    return ModelResponse(parts=[TextPart(text)])


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
    agent = Agent(FunctionModel(think), name='echo')
    serve(agent.to_a2a(name='Echo', description='An agent on fasta2a 0.2.', url=f'{url}/', skills=[SKILL]), listener, url)
