"""An agent on python-a2a, which serves it with Flask."""

import os
import sys
import time

from python_a2a import A2AServer, TaskState, TaskStatus, agent, skill
from python_a2a.server.http import create_flask_app
from werkzeug.serving import make_server

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from serve import announce, answer, listen  # noqa: E402


@agent(name='Echo', description='An agent on python-a2a.', version='1.0.0')
class Echo(A2AServer):
    @skill(name='Echo', description='Says again what it was told.', tags=['demo'], examples=['hello'])
    def echo(self, text):
        return answer(text)

    def handle_task(self, task):
        message = task.message or {}
        texts = [part.get('text', '') for part in message.get('parts') or []]
        texts += [(message.get('content') or {}).get('text', '')]
        try:
            seconds, text = self.echo(''.join(texts))
        except RuntimeError:
            task.status = TaskStatus(state=TaskState.FAILED)
            return task
        time.sleep(seconds)
        task.artifacts = [{'parts': [{'type': 'text', 'text': text}]}]
        task.status = TaskStatus(state=TaskState.COMPLETED)
        return task


if __name__ == '__main__':
    listener, url = listen()
    server = make_server('127.0.0.1', 0, create_flask_app(Echo(url=url)), threaded=True, fd=listener.fileno())
    announce(url)
    server.serve_forever()
