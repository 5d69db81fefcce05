"""What a good model would do next on the virtual phone: one function a task, no memory.

Everything is read off the phone's own state and the prompt, so a killed server or a repeated
question changes nothing.
"""

import re
from dataclasses import dataclass, field

import tasks

BACK = ({"words": "Navigate up"}, "Go back")
REPLY_MARK = re.compile(r"用户回复说\s*[:：]?\s*([^\n]*)")


class Lost(Exception):
    """The prompt names no task that is known here, or the screen offers no way on."""


@dataclass
class Act:
    action: str
    explain: str
    arguments: dict = field(default_factory=dict)
    summary: str = ""
    task: str = ""


@dataclass
class Node:
    """Something on the screen, as the phone's state names it."""

    raw: dict

    @property
    def id(self):
        return (self.raw.get("id") or "").rsplit("/", 1)[-1]

    @property
    def words(self):
        """What it says and what it is called; the phone sets "Wi-Fi" with a hyphen that does not break."""
        said = [self.raw.get("text") or "", self.raw.get("desc") or ""]
        return [words.replace("\u2011", "-") for words in said]

    @property
    def text(self):
        return self.raw.get("text") or ""

    @property
    def clickable(self):
        return bool(self.raw.get("clickable"))

    @property
    def middle(self):
        left, top, right, bottom = self.raw["bounds"]
        return (left + right) / 2, (top + bottom) / 2

    @property
    def area(self):
        left, top, right, bottom = self.raw["bounds"]
        return max(0, right - left) * max(0, bottom - top)

    def holds(self, other):
        left, top, right, bottom = self.raw["bounds"]
        x, y = other.middle
        return left <= x < right and top <= y < bottom


class Screen:
    def __init__(self, state):
        self.state = state
        self.nodes = [Node(raw) for raw in state["nodes"]]
        self.package = state["foreground"]["package"]
        self.width = max((node.raw["bounds"][2] for node in self.nodes), default=1080)
        self.height = max((node.raw["bounds"][3] for node in self.nodes), default=2400)

    def find(self, words=None, id=None, contains=None):
        """The first visible node that has these words, this id, or words that contain this."""
        for node in self.nodes:
            if node.area == 0:
                continue
            if id is not None and node.id == id:
                return node
            for said in node.words:
                if words is not None and said.strip().lower() == words.lower():
                    return node
                if contains is not None and contains.lower() in said.lower():
                    return node
        return None

    def point(self, node):
        x, y = node.middle
        return f"{thousandths(x, self.width)},{thousandths(y, self.height)}"


def thousandths(pixel, length):
    return min(1000, max(0, round(pixel * 1000 / length)))


class Hand:
    """Writes actions for one screen."""

    def __init__(self, screen, prompt):
        self.screen = screen
        self.prompt = prompt

    def open(self, package, label):
        """AWAKE when the app is not in front; else `None`."""
        if self.screen.package != package:
            return Act("AWAKE", f"Open {label}", {"value": label})
        return None

    def tap(self, node, explain):
        return Act("CLICK", explain, {"point": self.screen.point(node)})

    def type(self, node, text, explain):
        return Act("TYPE", explain, {"value": text, "point": self.screen.point(node)})

    def ask(self, question):
        return Act("INFO", "Ask the user", {"value": question})

    def done(self, message):
        return Act("COMPLETE", "All done", {"return": message})

    def wait(self):
        return Act("WAIT", "Wait for the screen", {"value": "1"})

    def down(self):
        return Act("SLIDE", "Look further down", {"point1": "500,700", "point2": "500,350"})

    def first(self, *wanted):
        """Taps the first of these that is there: pairs of (how to find it, what to say)."""
        for how, explain in wanted:
            node = self.screen.find(**how)
            if node:
                return self.tap(node, explain)
        return None

    def replies(self):
        return [reply.strip() for reply in REPLY_MARK.findall(self.prompt)]

    def nothing(self):
        seen = [word for node in self.screen.nodes for word in node.words if word]
        raise Lost(f"no way on from {self.screen.state['foreground']}: {seen[:40]}")


def decide(prompt, state):
    """The next action for the task that the prompt names."""
    flat = " ".join(prompt.split())
    hand = Hand(Screen(state), prompt)
    for name, mark, pilot in PILOTS:
        if mark in flat:
            act = pilot(hand, flat)
            act.task = name
            return act
    raise Lost("the prompt names no task that is known here")


def wifi(hand, _):
    if not hand.screen.state["wifi"]:
        return hand.done("Wi-Fi is off.")
    return (
        hand.open("com.android.settings", "Settings")
        or hand.first(
            ({"words": "Wi-Fi"}, "Switch Wi-Fi off"),
            ({"words": "Internet"}, "Open Internet"),
            ({"words": "Network & internet"}, "Open network settings"),
        )
        or hand.down()
    )


def note(hand, _):
    if any(note["body"] == tasks.NOTE_BODY for note in hand.screen.state["notes"]):
        return hand.done("The note is saved.")
    opened = hand.open("com.example.notes", "Notes")
    if opened:
        return opened
    title, body = hand.screen.find(id="title"), hand.screen.find(id="body")
    if not (title and body):
        return hand.first(({"id": "new_note"}, "Start a note"), BACK) or hand.nothing()
    if title.text != tasks.NOTE_TITLE:
        return hand.type(title, tasks.NOTE_TITLE, "Write the title")
    if body.text != tasks.NOTE_BODY:
        return hand.type(body, tasks.NOTE_BODY, "Write the text")
    return hand.first(({"id": "save"}, "Save the note")) or hand.nothing()


def memo(hand, flat):
    text = re.search(r'Keep this in the Notes app: "([^"]*)"', flat)[1]
    if any(note["body"] == text for note in hand.screen.state["notes"]):
        return hand.done("It is noted.")
    opened = hand.open("com.example.notes", "Notes")
    if opened:
        return opened
    body = hand.screen.find(id="body")
    if not body:
        return hand.first(({"id": "new_note"}, "Start a note"), BACK) or hand.nothing()
    if body.text != text:
        return hand.type(body, text, "Write the text")
    return hand.first(({"id": "save"}, "Save the note")) or hand.nothing()


def look(hand, _):
    return hand.open("com.android.settings", "Settings") or hand.done("I had a look.")


def give_up(hand, _):
    opened = hand.open("com.example.shop", "Shop")
    return opened or Act("ABORT", "Give up", {"value": "The shop has no trips to the moon."})


def no_app(hand, flat):
    tried = "Tried to open Nosuch"
    if tried in flat:
        return hand.done("There is no such app.")
    return Act("AWAKE", "Open Nosuch", {"value": "Nosuch"}, tried)


def shoes(hand, _):
    screen = hand.screen
    if screen.find(id="place_order"):
        return hand.done("The shoes are in the cart and the checkout is open. I stopped before paying.")
    opened = hand.open("com.example.shop", "Shop")
    if opened:
        return opened
    if screen.state["cart"]:
        return hand.first(({"id": "checkout"}, "Go to the checkout"), ({"id": "cart"}, "Open the cart")) or hand.nothing()
    if screen.find(id="add_to_cart"):
        # The shop says so when a size is wanted first.
        missing = screen.find(words="Choose a size")
        size = next((node for node in screen.nodes if node.id == "size" and node.text == tasks.SHOE_SIZE), None)
        if missing and size:
            return hand.tap(size, "Choose the size")
        return hand.first(({"id": "add_to_cart"}, "Put it in the cart"))
    field_ = screen.find(id="search")
    if not screen.find(id="result_count"):
        if not field_:
            return hand.first(BACK) or hand.nothing()
        if "running" not in field_.text.lower():
            return hand.type(field_, "running shoes", "Search for running shoes")
        return Act("HOT_KEY", "Start the search", {"value": "ENTER"})
    name = None
    for node in screen.nodes:
        if node.id == "product_name":
            name = node
        elif node.id == "price" and name and node.area and amount(node.text) < tasks.SHOE_LIMIT:
            return hand.tap(node, f"Open {name.text}, which costs little enough")
    return hand.down()


def amount(text):
    found = re.search(r"\d+(?:[.,]\d+)?", text)
    return float(found[0].replace(",", ".")) if found else float("inf")


def message(hand, flat):
    text = re.search(r'Tell Anna in the Messages app: "([^"]*)"', flat)[1]
    if any(said == text for _, said in tasks.sent_messages(hand.screen.state)):
        return hand.done("The message is sent.")
    replies = [reply for reply in hand.replies() if "anna" in reply.lower()]
    opened = hand.open("com.example.messages", "Messages")
    if opened:
        return opened
    if not replies:
        return hand.ask("Which Anna: Anna Berg or Anna Bauer?")
    name = "Anna Bauer" if tasks.right_anna(replies[-1]) else "Anna Berg"
    box = hand.screen.find(id="compose")
    if box and hand.screen.find(words=name):
        if box.text != text:
            return hand.type(box, text, "Write the message")
        return hand.first(({"id": "send_button"}, "Send it")) or hand.nothing()
    return hand.first(
        ({"words": name}, f"Open the conversation with {name}"),
        ({"id": "start_chat"}, "Start a message"),
        BACK,
    ) or hand.nothing()


def sign_in(hand, _):
    if hand.screen.state["signed_in"] == tasks.SIGN_IN_USER:
        return hand.done("Signed in.")
    opened = hand.open("com.example.nimbus", "Nimbus")
    if opened:
        return opened
    code_field = hand.screen.find(id="code")
    if code_field:
        codes = [found for reply in hand.replies() for found in re.findall(r"\b\d{6}\b", reply)]
        if not codes:
            return hand.ask("What is the 6-digit code?")
        if code_field.text != codes[-1]:
            return hand.type(code_field, codes[-1], "Enter the code")
        return hand.first(({"id": "verify"}, "Send the code")) or hand.nothing()
    user, password = hand.screen.find(id="username"), hand.screen.find(id="password")
    if user and user.text != tasks.SIGN_IN_USER:
        return hand.type(user, tasks.SIGN_IN_USER, "Enter the user name")
    if password and len(password.text) != len(tasks.SIGN_IN_PASSWORD):
        return hand.type(password, tasks.SIGN_IN_PASSWORD, "Enter the password")
    return hand.first(({"id": "next"}, "Go on"), ({"id": "sign_in"}, "Sign in")) or hand.nothing()


PILOTS = [
    ("wifi", "Switch Wi-Fi off", wifi),
    ("note", "Save a note titled", note),
    ("memo", "Keep this in the Notes app", memo),
    ("look", "Have a look at the settings", look),
    ("give up", "Order a trip to the moon", give_up),
    ("no app", "Open the app called Nosuch", no_app),
    ("shoes", "Find running shoes", shoes),
    ("message", "Tell Anna in the Messages app", message),
    ("sign-in", "Sign in to the Nimbus app", sign_in),
]
