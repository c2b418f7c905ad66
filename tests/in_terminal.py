"""Runs a program in a terminal, as a user does, and prints every byte that the terminal was sent.

    python tests/in_terminal.py 100 a2a-conformance check …      100 columns wide

The exit code is that of the program. What a terminal makes of the bytes says tests/validate.py.
"""

import fcntl
import os
import pty
import struct
import sys
import termios

ROWS = 50


def main() -> int:
    width, *command = sys.argv[1:]
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', ROWS, int(width), 0, 0))
        # One with colours and links.
        environment = {**os.environ, 'TERM': 'xterm-256color', 'COLORTERM': 'truecolor', 'FORCE_HYPERLINK': '1'}
        environment.pop('NO_COLOR', None)
        os.execvpe(command[0], command, environment)
    while True:
        try:
            piece = os.read(terminal, 65_536)
        except OSError:
            # Linux says so when the other side is gone.
            break
        if not piece:
            break
        sys.stdout.buffer.write(piece)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == '__main__':
    sys.exit(main())
