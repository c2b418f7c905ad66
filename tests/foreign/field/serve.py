"""What the servers in Python share: where they listen, how they say so, and what their stub of a model answers."""

import os
import socket
import sys


def listen() -> tuple[socket.socket, str]:
    """An open socket, of the port in the arguments or of a free one, and its URL."""
    listener = socket.create_server(('127.0.0.1', int(sys.argv[1]) if len(sys.argv) > 1 else 0))
    # As uvicorn's own sockets are: without it every answer waits 40 ms for the client to acknowledge its head.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener, f'http://127.0.0.1:{listener.getsockname()[1]}'


def announce(address: str) -> None:
    """Says which address to check. A client that connects now waits until the server accepts."""
    print(f'listening {address}', flush=True)


def serve(app, listener: socket.socket, address: str) -> None:
    """Answers until it is ended."""
    # Not every server is of its kind.
    import uvicorn

    announce(address)
    server = uvicorn.Server(uvicorn.Config(app, log_level=os.environ.get('LOG_LEVEL', 'critical')))
    server.run(sockets=[listener])


def answer(text: str) -> tuple[float, str]:
    """How long a model would think, and what it would say: the text's first word chooses."""
    word = (text.split() or [''])[0]
    if word == 'fail':
        raise RuntimeError('the model failed, as it was told to')
    return (1.5 if word == 'slow' else 0.0), f'echo: {text}'
