"""Qwen Code, `qwen -p`, with an endpoint of OpenAI's kind."""

NPM = "@qwen-code/qwen-code@0.24.4"


def command(place):
    server = {"httpUrl": place.url, "headers": place.authorization(), "trust": True}
    if place.stdio:
        server = {"command": place.stdio[0], "args": place.stdio[1:], "trust": True}
    settings = {"mcpServers": {"ayeaye": server}, "security": {"auth": {"selectedType": "openai"}}}
    settings |= {"privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}
    place.write(".qwen/settings.json", settings)
    program = place.tools / "node_modules/.bin/qwen"
    argv = [program, "-m", "scripted", "--approval-mode", "yolo", "-p", place.prompt]
    return argv, place.environment(OPENAI_BASE_URL=f"{place.model}/v1", OPENAI_API_KEY="scripted")
