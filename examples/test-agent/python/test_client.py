"""Tests of the client: each says what the agent answers, and looks at what the agent received."""

import pytest
from client import Refused, ask

DONE = {"kind": "task", "status": {"state": "completed", "message": {"parts": [{"kind": "text", "text": "Booked."}]}}}
NO = {"kind": "task", "status": {"state": "rejected", "message": {"parts": [{"kind": "text", "text": "No seats."}]}}}


def test_the_answer_is_what_the_agent_says(agent):
    assert ask(agent.url, "A flight, please. " + agent.responses("booked", [DONE])) == "Booked."
    [request] = agent.captured("booked")
    assert request["headers"]["a2a-version"] == "1.0"
    assert request["body"]["params"]["message"]["parts"][0]["text"].startswith("A flight, please.")


def test_a_refusal_is_an_error(agent):
    with pytest.raises(Refused, match="No seats."):
        ask(agent.url, agent.responses("refused", [NO]))


def test_a_busy_server_is_an_error(agent):
    with pytest.raises(OSError, match="503"):
        ask(agent.url, agent.responses("busy", [{"httpStatus": 503}]))
