"""A graph of one node, which says again what it was told."""

import asyncio
import os
import sys
from typing import Annotated, TypedDict

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from serve import answer  # noqa: E402


class State(TypedDict):
    messages: Annotated[list, add_messages]


async def say(state: State) -> dict:
    said = state['messages'][-1].content
    texts = [said] if isinstance(said, str) else [part.get('text', '') for part in said if isinstance(part, dict)]
    seconds, text = answer(' '.join(texts))
    await asyncio.sleep(seconds)
    return {'messages': [AIMessage(text)]}


builder = StateGraph(State)
builder.add_node('say', say)
builder.add_edge(START, 'say')
builder.add_edge('say', END)
graph = builder.compile()
