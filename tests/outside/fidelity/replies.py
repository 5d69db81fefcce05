"""The fixed task, and what a model of each family replies to it: three acts, a question, the end."""

import json

# Everything in it that a format could lose.
TASK = '打开"设置"，看看\n<x> & C:\\a\t有什么'
QUESTION = "要看哪一页？"
ANSWER = '第 2 页, "the & one"'


def gelab(thought, action, fields, summary):
    return f"<THINK> {thought} </THINK>\nexplain:{thought}\taction:{action}\t{fields}\tsummary:{summary}\n"


def autoglm(thought, action):
    return f"<think>{thought}</think>\n<answer>{action}</answer>"


def call(front, **arguments):
    return front + "<tool_call>\n" + json.dumps({"name": "mobile_use", "arguments": arguments}, ensure_ascii=False) + "\n</tool_call>"


def mai(**arguments):
    return call("<thinking>\n看看屏幕\n</thinking>\n", **arguments)


def owl(said, **arguments):
    return call(f"Action: {said}\n", **arguments)


def qwen(said, **arguments):
    return call(f"Thought: look\nAction: {said}\n", **arguments)


def tars(action):
    return f"Thought: 看看屏幕\nAction: {action}"


def venus(action):
    return f"<think>看看屏幕</think>\n<action>{action}</action>\n<conclusion>做了一步</conclusion>"


def cpm(**members):
    return json.dumps({"thought": "看看屏幕", **members}, ensure_ascii=False, separators=(",", ":"))


AUTOGLM = [
    autoglm("回桌面", 'do(action="Home")'),
    autoglm("往下看", 'do(action="Swipe", start=[500,700], end=[500,300])'),
    autoglm("回去", 'do(action="Back")'),
    autoglm("要问", f'do(action="Interact", message="{QUESTION}")'),
    autoglm("好了", 'finish(message="看完了")'),
]

VENUS = [
    venus("PressHome()"),
    venus("Scroll(start=(500,700), end=(500,300), direction='up')"),
    venus("Wait()"),
    venus(f"CallUser(content='{QUESTION}')"),
    venus("Finished(content='看完了')"),
]

REPLIES = {
    "gelab": [
        gelab("滑一下", "SLIDE", "point1:500,700\tpoint2:500,300", "滑过一次"),
        gelab("等一下", "WAIT", "value:1", "滑过，等过"),
        gelab("再滑", "SLIDE", "point1:500,300\tpoint2:500,700", "滑过两次"),
        gelab("要问", "INFO", f"value:{QUESTION}", "滑过两次，问了用户"),
        gelab("好了", "COMPLETE", "return:看完了", "看完了"),
    ],
    "autoglm": AUTOGLM,
    "autoglm-multilingual": AUTOGLM,
    "ui-tars": [
        tars("press_home()"),
        tars("scroll(point='<point>336 742</point>', direction='down')"),
        tars("press_back()"),
        tars(f"call_user(content='{QUESTION}')"),
        tars("finished(content='看完了')"),
    ],
    "mai-ui": [
        mai(action="system_button", button="home"),
        mai(action="swipe", direction="up", coordinate=[500, 600]),
        mai(action="wait"),
        mai(action="ask_user", text=QUESTION),
        mai(action="terminate", status="success"),
    ],
    "gui-owl": [
        owl("Go home.", action="system_button", button="Home"),
        owl("Scroll.", action="swipe", coordinate=[500, 700], coordinate2=[500, 300]),
        owl("Wait.", action="wait", time=1),
        owl("Ask.", action="interact", text=QUESTION),
        owl("Done.", action="terminate", status="success"),
    ],
    "qwen3-vl": [
        qwen("Go home", action="system_button", button="Home"),
        qwen("Scroll", action="swipe", coordinate=[500, 700], coordinate2=[500, 300]),
        qwen("Wait", action="wait", time=1),
        qwen("Ask", action="ask_user", text=QUESTION),
        qwen("Done", action="terminate", status="success"),
    ],
    "ui-venus": VENUS,
    "ui-venus-english": VENUS,
    "agentcpm-gui": [
        cpm(PRESS="HOME"),
        cpm(POINT=[500, 700], to="up"),
        cpm(duration=1000),
        json.dumps({"thought": QUESTION, "STATUS": "need_feedback"}, ensure_ascii=False),
        cpm(STATUS="finish"),
    ],
}
# What a client keeps of each reply where that is not the reply.
SAID = {"qwen3-vl": ["Go home", "Scroll", "Wait", "Ask"]}
