"""The test agent as a fixture: one for all tests, cleared before each."""

import base64
import json
import os
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest


class TestAgent:
    __test__ = False

    def __init__(self, port: str):
        self.url = f"http://127.0.0.1:{port}"

    def responses(self, test_case: str, *turns: list) -> str:
        """The text that makes the agent answer a message with these turns."""
        coded = base64.b64encode(json.dumps(turns).encode()).decode()
        return f"[test_case_id={test_case}] [responses_json={coded}]"

    def captured(self, test_case: str) -> list:
        """The requests of a test case that the agent received."""
        with urllib.request.urlopen(f"{self.url}/_captured?test_case_id={test_case}") as response:
            return json.load(response)["requests"]

    def clear(self) -> None:
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/_captured", method="DELETE")).close()


@pytest.fixture(scope="session")
def started_agent(tmp_path_factory):
    port_file: Path = tmp_path_factory.mktemp("agent") / "port"
    program = os.environ.get("A2A_CLI", "a2a-conformance")
    arguments = ["agent", "--listen", "127.0.0.1:0", "--port-file", str(port_file)]
    process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL)
    try:
        while not port_file.exists():
            assert process.poll() is None, "the agent has ended"
            time.sleep(0.02)
        yield TestAgent(port_file.read_text().strip())
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def agent(started_agent):
    started_agent.clear()
    return started_agent
