"""The five tasks: what a user says, what a user answers, and how the phone must be afterwards.

The clients send a task, the fake model finds it in the prompt, and `check` looks at the phone's own
state, which is the only judge.
"""

NOTE_TITLE = "Trip"
NOTE_BODY = "东京 5月3日 🗼🍣\n\"Hotel\" is $120 a night, it's C:\\trips\\tokyo %s"

WIFI = "Switch Wi-Fi off."
NOTE = f'Save a note titled "{NOTE_TITLE}" with exactly the text that was agreed on.'
# The text itself, which comes to the model on another way.
NOTE_IN_FULL = f"Save a note titled 「{NOTE_TITLE}」 with the text 「{NOTE_BODY}」"
SHOE_SIZE = "42"
SHOE_LIMIT = 50
SHOES = (
    f"Find running shoes in size {SHOE_SIZE} for less than {SHOE_LIMIT} euros in the Shop app, put them in the cart "
    "and go on to the checkout, but stop before paying."
)
SIGN_IN = "Sign in to the Nimbus app as robin with the password Quince-41; the code comes to my other phone."

LOOK = "Open the Settings app."
GIVE_UP = "Find a trip to the moon in the Shop app."
NO_APP = "Open the app called Nosuch, and come back when there is none."

SIGN_IN_USER = "robin"
SIGN_IN_PASSWORD = "Quince-41"


def message_task(text):
    """Ambiguous on purpose: the phone knows two Annas."""
    return f'Tell Anna in the Messages app: "{text}"'


def memo_task(text):
    return f'Keep this in the Notes app: "{text}"'


def right_anna(name):
    return "bauer" in name.lower()


def sent_messages(state):
    """What was sent from the phone: a list of (to, text)."""
    return [(str(message["to"]), message["text"]) for message in state["sent"]]


def check_message(checks, state, text):
    """Sent once, to the right Anna and nobody else."""
    sent = [message for message in sent_messages(state) if message[1] == text]
    checks.check("the phone sent the message once", len(sent) == 1, sent_messages(state))
    checks.check("to the right Anna", all(right_anna(to) for to, _ in sent), sent)


def check_wifi(checks, before, after):
    checks.equal("Wi-Fi was on", before["wifi"], True)
    checks.equal("Wi-Fi is off", after["wifi"], False)


def check_note(checks, before, after):
    notes = [note for note in after["notes"] if note["body"] == NOTE_BODY]
    checks.check("the note is there, exact to the character, once", len(notes) == 1, after["notes"])
    checks.check("and has its title", [note["title"] for note in notes] == [NOTE_TITLE], notes)
    checks.equal("no other note was touched", len(after["notes"]), len(before["notes"]) + 1)


def check_shoes(checks, before, after):
    checks.equal("nothing was ordered", after["orders"], [])
    checks.check("one pair is in the cart", [line["quantity"] for line in after["cart"]] == [1], after["cart"])
    line = after["cart"][0] if after["cart"] else {"name": "", "price_cents": 10**6, "size": ""}
    checks.check("it is a pair of running shoes", "Running" in line["name"], line)
    checks.check("that costs little enough", line["price_cents"] < SHOE_LIMIT * 100, line)
    checks.equal("in the right size", line["size"], SHOE_SIZE)
    checks.equal("the checkout is open", after["foreground"]["class"].rsplit(".", 1)[-1], "CheckoutActivity")


def check_sign_in(checks, before, after):
    checks.equal("nobody was signed in", before["signed_in"], None)
    checks.equal("the user is signed in", after["signed_in"], SIGN_IN_USER)
