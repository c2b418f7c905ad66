"""The client under test: it asks an agent something and returns what the agent says. Yours goes here."""

import json
import urllib.request
import uuid


class Refused(Exception):
    """The agent did not do what it was asked for."""


def ask(agent_url: str, text: str) -> str:
    message = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": [{"text": text}]}
    call = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
    headers = {"Content-Type": "application/json", "A2A-Version": "1.0"}
    request = urllib.request.Request(f"{agent_url}/rpc", json.dumps(call).encode(), headers)
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
    if "error" in answer:
        raise Refused(answer["error"]["message"])
    status = answer["result"]["task"]["status"]
    said = "".join(part.get("text", "") for part in status.get("message", {}).get("parts", []))
    if status["state"] in ("TASK_STATE_FAILED", "TASK_STATE_REJECTED"):
        raise Refused(said)
    return said
