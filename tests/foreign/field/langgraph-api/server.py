"""An agent on the server of LangGraph, its data in memory; its graph calls no model."""

import logging
import os
import sys
import tempfile
import threading
import time
import urllib.request
import uuid

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from serve import announce, listen  # noqa: E402

# Turns off the telemetry.
os.environ.update(LANGSMITH_TRACING='false', LANGGRAPH_CLI_NO_ANALYTICS='1', LOG_LEVEL='ERROR')


def tell_when_ready(url: str) -> None:
    while True:
        try:
            urllib.request.urlopen(f'{url}/ok', timeout=1).close()
            break
        except OSError:
            time.sleep(0.1)
    # Each graph has an assistant, whose id follows from its name.
    from langgraph_api.graph import NAMESPACE_GRAPH

    announce(f'{url}/.well-known/agent-card.json?assistant_id={uuid.uuid5(NAMESPACE_GRAPH, "echo")}')


if __name__ == '__main__':
    from langgraph_api.cli import run_server

    listener, url = listen()
    # It opens its port itself.
    listener.close()
    logging.disable(logging.ERROR)
    threading.Thread(target=tell_when_ready, args=[url], daemon=True).start()
    here = os.path.dirname(os.path.abspath(__file__))
    # It leaves files where it is started.
    os.chdir(tempfile.mkdtemp(prefix='langgraph-'))
    run_server(
        host='127.0.0.1',
        port=int(url.rsplit(':', 1)[1]),
        reload=False,
        graphs={'echo': f'{here}/graph.py:graph'},
        open_browser=False,
        n_jobs_per_worker=2,
        disable_persistence=True,
    )
