"""OpenAI Agents SDK. Run by the Python it is installed in: `agents_sdk.py SETTINGS`."""

import asyncio
import json
import sys

PIP = ["openai-agents==0.24.0"]


def command(place):
    from place import PROMPT

    settings = {"stdio": place.stdio, "url": place.url, "headers": place.authorization(), "prompt": PROMPT}
    settings["model"] = f"{place.model}/v1"
    file = place.write("settings.json", settings)
    environment = place.environment(OPENAI_API_KEY="scripted", OPENAI_AGENTS_DISABLE_TRACING="1")
    return [place.tools / "bin/python", __file__, file], environment


async def main(settings):
    from agents import Agent, OpenAIChatCompletionsModel, Runner
    from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
    from openai import AsyncOpenAI

    if settings["stdio"]:
        kind, params = MCPServerStdio, {"command": settings["stdio"][0], "args": settings["stdio"][1:]}
    else:
        kind, params = MCPServerStreamableHttp, {"url": settings["url"], "headers": settings["headers"]}
    # 5 seconds if not said: shorter than most tasks on a phone.
    async with kind(name="ayeaye", params=params, client_session_timeout_seconds=300) as server:
        model = OpenAIChatCompletionsModel("scripted", AsyncOpenAI(base_url=settings["model"]))
        agent = Agent(name="phone", model=model, mcp_servers=[server])
        print((await Runner.run(agent, settings["prompt"], max_turns=50)).final_output)


if __name__ == "__main__":
    asyncio.run(main(json.load(open(sys.argv[1], encoding="utf-8"))))
