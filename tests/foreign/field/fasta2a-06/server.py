"""An agent on fasta2a 0.6, which speaks A2A 0.3, with a worker as its documentation has it."""

import os
import sys
import uuid
from contextlib import asynccontextmanager

import anyio
from fasta2a import FastA2A, Worker
from fasta2a.broker import InMemoryBroker
from fasta2a.schema import Artifact, Message, TextPart
from fasta2a.storage import InMemoryStorage

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from serve import answer, listen, serve  # noqa: E402


class Echo(Worker):
    async def run_task(self, params) -> None:
        task = await self.storage.load_task(params['id'])
        await self.storage.update_task(task['id'], state='working')
        texts = [part['text'] for part in params['message']['parts'] if part['kind'] == 'text']
        seconds, text = answer(' '.join(texts))
        await anyio.sleep(seconds)
        said = Message(role='agent', parts=[TextPart(text=text, kind='text')], kind='message', message_id=str(uuid.uuid4()))
        artifacts = self.build_artifacts(text)
        await self.storage.update_task(task['id'], state='completed', new_messages=[said], new_artifacts=artifacts)

    async def cancel_task(self, params) -> None: ...

    def build_message_history(self, history) -> list: ...

    def build_artifacts(self, result) -> list[Artifact]:
        return [Artifact(artifact_id=str(uuid.uuid4()), name='result', parts=[TextPart(text=result, kind='text')])]


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
    storage, broker = InMemoryStorage(), InMemoryBroker()
    worker = Echo(storage=storage, broker=broker)

    @asynccontextmanager
    async def lifespan(app):
        async with app.task_manager, worker.run():
            yield

    app = FastA2A(
        storage=storage,
        broker=broker,
        name='Echo',
        description='An agent on fasta2a 0.6.',
        url=f'{url}/',
        skills=[SKILL],
        lifespan=lifespan,
    )
    serve(app, listener, url)
