"""FastMCP's client, which has no model: it follows the script by itself. `fastmcp_client.py SETTINGS`."""

import asyncio
import json
import sys

PIP = ["fastmcp==4.1.2"]


def command(place):
    settings = {"stdio": place.stdio, "url": place.url, "token": place.token, "model": place.model}
    file = place.write("settings.json", settings)
    return [place.tools / "bin/python", __file__, file], place.environment()


async def main(settings):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
    from model import ANSWER, Script

    if settings["stdio"]:
        transport = StdioTransport(settings["stdio"][0], settings["stdio"][1:])
    else:
        transport = StreamableHttpTransport(settings["url"], auth=settings["token"])
    asked, progress = [], []

    async def elicited(message, kind, params, context):
        asked.append(message)
        return {"reply": ANSWER}

    async def progressed(done, total, message):
        progress.append(message)

    script, results = Script(), []
    async with Client(transport, elicitation_handler=elicited, progress_handler=progressed) as client:
        while call := script.step(results):
            answer = await client.call_tool(*call, raise_on_error=False)
            results.append("\n".join(getattr(part, "text", "") for part in answer.content))
    script.step(results)
    said = {"calls": script.calls, "reasons": script.reasons, "asked": asked, "progress": progress}
    print(json.dumps(said, ensure_ascii=False))


if __name__ == "__main__":
    asyncio.run(main(json.load(open(sys.argv[1], encoding="utf-8"))))
