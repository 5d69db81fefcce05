//! The contacts, and the conversations of a new phone.
use super::{ChatMessage, Conversation};

/// Names and numbers.
pub(crate) const CONTACTS: [(&str, &str); 9] = [
    ("Anna Bauer", "+49 151 5550 0101"),
    ("Anna Berg", "+46 70 555 01 02"),
    ("Ben Carter", "+1 555 0103"),
    ("Chloe Martin", "+33 6 55 50 01 04"),
    ("David Okafor", "+234 803 555 0105"),
    ("Emma Lindqvist", "+46 70 555 01 06"),
    ("Li Wei \u{674e}\u{4f1f}", "+86 138 5550 0107"),
    ("Mum", "+44 7700 900108"),
    ("Priya Nair", "+91 98555 00109"),
];

/// From whom, when, whether unread, and the messages: `true` for those sent by the owner.
type Seed = (&'static str, &'static str, bool, &'static [(bool, &'static str)]);

const CONVERSATIONS: [Seed; 5] = [
    (
        "Emma Lindqvist",
        "9:12",
        true,
        &[(true, "Did the parcel come?"), (false, "Yes, it is on your desk \u{1F4E6}")],
    ),
    (
        "Anna Berg",
        "Yesterday",
        false,
        &[
            (false, "Are we still on for lunch this week?"),
            (true, "Sure, which day suits you?"),
            (false, "Thursday or Friday."),
        ],
    ),
    (
        "Mum",
        "Yesterday",
        false,
        &[(false, "Call me when you have a minute"), (true, "Will do tonight \u{2764}")],
    ),
    (
        "Anna Bauer",
        "Mon",
        false,
        &[
            (true, "The slides are in the shared folder."),
            (false, "Thanks! I'll look at them on the train."),
        ],
    ),
    ("Ben Carter", "Sun", false, &[(false, "Great game last night!")]),
];

pub(super) fn conversations() -> Vec<Conversation> {
    let message = |(from_me, text): &(bool, &str)| ChatMessage {
        from_me: *from_me,
        text: (*text).to_owned(),
    };
    CONVERSATIONS
        .iter()
        .map(|(with, time, unread, messages)| Conversation {
            with: (*with).to_owned(),
            messages: messages.iter().map(message).collect(),
            unread: *unread,
            time: (*time).to_owned(),
        })
        .collect()
}
