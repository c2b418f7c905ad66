"""An agent on a2akit, which serves JSON-RPC with protocol code of its own."""

import asyncio
import os
import sys

from a2akit import A2AServer, AgentCardConfig, CapabilitiesConfig, SkillConfig, TaskContext, Worker

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from serve import answer, listen, serve  # noqa: E402


class Echo(Worker):
    async def handle(self, ctx: TaskContext) -> None:
        if ctx.user_text.startswith('input-required'):
            await ctx.request_input('How much?')
            return
        seconds, text = answer(ctx.user_text)
        for _ in range(int(seconds * 10)):
            if ctx.is_cancelled:
                return
            await asyncio.sleep(0.1)
        await ctx.complete(text)


if __name__ == '__main__':
    listener, url = listen()
    server = A2AServer(
        worker=Echo(),
        agent_card=AgentCardConfig(
            name='Echo',
            description='An agent on a2akit.',
            version='1.0.0',
            capabilities=CapabilitiesConfig(streaming=True),
            skills=[SkillConfig(id='echo', name='Echo', description='Says again what it was told.', tags=['demo'])],
        ),
    )
    serve(server.as_fastapi_app(), listener, url)
