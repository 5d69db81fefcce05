"""The requests that a model's own client makes for the fixed task, by running that client's own code.

    official.py FAMILY CHECKOUT < {"task", "answer", "replies", "apps", "now", "pictures"} > requests

Run in a process of its own: what a client imports and is not installed here (torch, transformers, openai) is
replaced by objects that do nothing. Nothing of a client is copied into this project.
"""

import ast
import base64
import copy
import importlib.abc
import importlib.machinery
import json
import logging
import sys
import tempfile
import types
from datetime import datetime
from pathlib import Path
from unittest import mock


class Missing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules that are not installed, as objects that take every call."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = mock.MagicMock(name=spec.name)
        module.__spec__, module.__path__, module.__name__ = spec, [], spec.name
        return module

    def exec_module(self, module):
        pass


def part(item):
    """A part of a message: its text, or that it is a picture."""
    if isinstance(item, str):
        return item
    if isinstance(item, dict) and "text" in item:
        return item["text"]
    return {"picture": True}


def plain(messages):
    """Messages as [role, parts], whatever way a client writes them."""
    result = []
    for message in messages:
        content = message["content"]
        parts = content if isinstance(content, list) else [content]
        result.append([message["role"], [part(item) for item in parts]])
    return result


def constants(source):
    """The module's top-level assignments as syntax trees, by name."""
    tree = ast.parse(source)
    return {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}


def at(now):
    """`datetime` whose present is the one our request was made at."""

    class Fixed(datetime):
        @classmethod
        def today(cls):
            return cls.fromisoformat(now)

        @classmethod
        def now(cls, tz=None):
            return cls.fromisoformat(now)

    return Fixed


def gelab(told):
    from copilot_tools.parser_0920_summary import Parser0920Summary

    parser, environments, actions, requests = Parser0920Summary(), [], [], []
    comments = told["answers_before"]
    for reply, comment in zip(told["replies"], comments):
        environments.append({"image": "x", "user_comment": comment})
        requests.append(plain(parser.env2messages4ask(told["task"], environments, actions)))
        actions.append(parser.str2action(reply))
    return requests


def autoglm(told, lang="cn"):
    name = "phone_agent.config.prompts_zh" if lang == "cn" else "phone_agent.config.prompts_en"
    # The prompt has the date in it when it is imported.
    with mock.patch("datetime.datetime", at(told["now"])):
        prompts = importlib.import_module(name)
    from phone_agent import agent as module
    from phone_agent import device_factory
    from phone_agent.actions import handler

    phone, requests = mock.MagicMock(), []
    phone.get_screenshot.return_value = types.SimpleNamespace(base64_data="x", width=1080, height=2400)
    phone.get_current_app.side_effect = list(told["apps"])
    device_factory._device_factory = phone
    module.get_device_factory = handler.get_device_factory = lambda: phone
    config = module.AgentConfig(lang=lang, verbose=False, system_prompt=prompts.SYSTEM_PROMPT)
    agent = module.PhoneAgent(agent_config=config, confirmation_callback=lambda _: True, takeover_callback=lambda _: None)
    client = mock.MagicMock()

    def create(messages, **_):
        requests.append(plain(copy.deepcopy(messages)))
        delta = types.SimpleNamespace(content=told["replies"][len(requests) - 1])
        return [types.SimpleNamespace(choices=[types.SimpleNamespace(delta=delta)])]

    client.chat.completions.create = create
    agent.model_client.client = client
    for index in range(len(told["replies"])):
        agent.step(told["task"] if index == 0 else None)
    return requests


def ui_tars(told):
    source = (Path(told["checkout"]) / "codes/ui_tars/prompt.py").read_text()
    template = ast.literal_eval(constants(source)["MOBILE_USE_DOUBAO"])
    return [[["user", [template.format(language="Chinese", instruction=told["task"])]]]]


def mai_ui(told):
    from mai_naivigation_agent import MAIUINaivigationAgent
    from unified_memory import TrajStep

    agent, requests = MAIUINaivigationAgent.__new__(MAIUINaivigationAgent), []
    agent.history_n, agent.traj_memory, agent.tools, agent.mcp_tools = 3, types.SimpleNamespace(steps=[]), [], []
    import mai_naivigation_agent as module

    module.pil_to_base64 = lambda image: "x"
    for index, reply in enumerate(told["replies"]):
        images = [None] * min(index + 1, agent.history_n)
        requests.append(plain(agent._build_messages(told["task"], images)))
        parsed = module.parse_action_to_structure_output(reply)
        step = TrajStep(
            screenshot=None, accessibility_tree=None, prediction=reply, action=parsed["action_json"], conclusion="",
            thought=parsed["thinking"], step_index=index, agent_type="x", model_name="x", screenshot_bytes=b"",
            structured_action={"action_json": parsed["action_json"]},
        )
        answer = (told["answers_before"] + [""])[index + 1]
        step.ask_user_response = answer or None
        agent.traj_memory.steps.append(step)
    return requests


def gui_owl(told):
    import utils as module

    module.datetime = at(told["now"])
    requests, history = [], []
    for reply in told["replies"]:
        requests.append(plain(module.build_messages("x", told["task"], history, "gui-owl-1.5")))
        history.append({"output": reply, "image": "x"})
    return requests


def qwen3_vl(told):
    notebook = json.loads((Path(told["checkout"]) / "cookbooks/mobile_agent.ipynb").read_text())
    sources = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    found = {}
    for source in sources:
        try:
            for name, value in constants(source).items():
                found.setdefault(name, value)
        except SyntaxError:  # a cell with a shell's commands
            continue
    system = ast.literal_eval(found["system_prompt"])
    query, messages = (compile(ast.Expression(found[name]), name, "eval") for name in ("user_query", "messages"))
    requests = []
    history = ""
    for index, said in enumerate([None, *told["said"]][: len(told["replies"])]):
        if said is not None:
            history += "Step " + str(index) + ": " + said.replace("\n", "").replace('"', "") + "; "
        text = eval(query, {"instruction": told["task"], "stage2_history": history})
        requests.append(plain(eval(messages, {"system_prompt": system, "user_query": text, "base64_image": "x"})))
    return requests


def ui_venus(told):
    from app.runtime_context import RuntimeContext
    from policy import ui_venus_policy as module
    from processor.uivenus_processor import UIVenusProcessor

    context, requests = RuntimeContext(), []
    policy, processor = module.UIVenusPolicy(context), UIVenusProcessor()
    module.Image.open.return_value.size = (1080, 2400)
    screen = base64.b64encode(b"x").decode()
    for index, reply in enumerate(told["replies"]):

        def post(_, data, reply=reply, **__):
            requests.append(plain(json.loads(data)["messages"]))
            return mock.MagicMock(json=lambda: {"choices": [{"message": {"content": reply}}]})

        module.requests = types.SimpleNamespace(post=post, exceptions=types.SimpleNamespace(RequestException=OSError))
        state = processor.process({"screenshot_str": screen, "purpose": told["task"]}, index, context.history)
        action, result, *_ = policy.get_next_action(state)
        # As its handler of a run keeps a step, which needs a phone.
        context.history.append({})
        context.update_action_description(state, action, result)
        context.update_history("action_description", context.action_description[-1])
    return requests


def ui_venus_english(told):
    from models.navigation import ui_venus_navi_agent as module
    from models.navigation import ui_venus_navi_vllm as vllm

    agent, requests = module.VenusNaviAgent.__new__(module.VenusNaviAgent), []
    agent.history, agent.history_length = [], 100
    model = vllm.NaviVLLM.__new__(vllm.NaviVLLM)
    model.model_config = mock.MagicMock()
    for reply in told["replies"]:
        requests.append(plain(model.create_message_for_image("x", agent._build_query(told["task"]))))
        said = {name: reply.split(f"<{name}>")[1].split(f"</{name}>")[0].strip("\n") for name in ("think", "action")}
        agent.history.append(types.SimpleNamespace(**said))
    return requests


def agentcpm_gui(told):
    import run_predict_minicpm as module

    module.Image.open.return_value.convert.return_value.size = (1080, 2400)
    _, user = module.load_image({"instruction": told["task"]}, "x", "")
    return [[["system", [module.SYSTEM_PROMPT]], *plain(user)] for _ in told["replies"]]


# Of each profile: its client, and the folders of the checkout that it imports from.
CLIENTS = {
    "gelab": (gelab, ["."]),
    "autoglm": (autoglm, ["."]),
    "autoglm-multilingual": (lambda told: autoglm(told, "en"), ["."]),
    "ui-tars": (ui_tars, []),
    "mai-ui": (mai_ui, ["src"]),
    "gui-owl": (gui_owl, ["Mobile-Agent-v3.5/mobile_use"]),
    "qwen3-vl": (qwen3_vl, []),
    "ui-venus": (ui_venus, ["Venus_framework"]),
    "ui-venus-english": (ui_venus_english, ["."]),
    "agentcpm-gui": (agentcpm_gui, ["eval"]),
}


def main():
    family, checkout = sys.argv[1], sys.argv[2]
    told = json.load(sys.stdin) | {"checkout": checkout}
    out, sys.stdout = sys.stdout, sys.stderr  # clients print what they do
    logging.disable()
    client, folders = CLIENTS[family]
    for folder in folders:
        sys.path.insert(0, str(Path(checkout) / folder))
    # Installed here or not, a client's requests go nowhere.
    sys.modules["requests"] = sys.modules["PIL"] = mock.MagicMock()
    sys.meta_path.append(Missing())
    with tempfile.TemporaryDirectory():
        requests = client(told)
    json.dump(requests, out, ensure_ascii=False)


if __name__ == "__main__":
    main()
