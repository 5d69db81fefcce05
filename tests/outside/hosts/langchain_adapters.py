"""LangChain with langchain-mcp-adapters. Run by the Python it is installed in: `langchain_adapters.py SETTINGS`."""

import asyncio
import json
import sys

PIP = ["langchain-mcp-adapters==0.3.2", "langchain", "langchain-openai"]


def command(place):
    from place import PROMPT

    settings = {"stdio": place.stdio, "url": place.url, "headers": place.authorization(), "prompt": PROMPT}
    settings["model"] = f"{place.model}/v1"
    file = place.write("settings.json", settings)
    return [place.tools / "bin/python", __file__, file], place.environment(OPENAI_API_KEY="scripted")


async def main(settings):
    from langchain.agents import create_agent
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_mcp_adapters.tools import load_mcp_tools
    from langchain_openai import ChatOpenAI

    if settings["stdio"]:
        server = {"transport": "stdio", "command": settings["stdio"][0], "args": settings["stdio"][1:]}
    else:
        server = {"transport": "streamable_http", "url": settings["url"], "headers": settings["headers"]}
    client = MultiServerMCPClient({"ayeaye": server})
    # `get_tools` of the client starts a server for every call, which ends what the call left running.
    async with client.session("ayeaye") as session:
        model = ChatOpenAI(model="scripted", base_url=settings["model"])
        agent = create_agent(model, await load_mcp_tools(session))
        answer = await agent.ainvoke({"messages": [("user", settings["prompt"])]}, {"recursion_limit": 60})
        print(answer["messages"][-1].content)


if __name__ == "__main__":
    asyncio.run(main(json.load(open(sys.argv[1], encoding="utf-8"))))
