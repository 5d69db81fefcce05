//! The contacts, and the conversations of a new phone.
use jiff::ToSpan as _;
use jiff::civil::{Date, DateTime, date};

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

/// The day on which the clock of a new phone starts.
const TODAY: Date = date(2026, 5, 12);

/// With whom, when the last message was sent, a minute after the one before, whether it is unread, and the messages:
/// `true` for those sent by the owner.
type Seed = (&'static str, DateTime, bool, &'static [(bool, &'static str)]);

const CONVERSATIONS: [Seed; 5] = [
    (
        "Emma Lindqvist",
        TODAY.at(9, 12, 0, 0),
        true,
        &[(true, "Did the parcel come?"), (false, "Yes, it is on your desk \u{1F4E6}")],
    ),
    (
        "Anna Berg",
        date(2026, 5, 11).at(19, 30, 0, 0),
        false,
        &[
            (false, "Are we still on for lunch this week?"),
            (true, "Sure, which day suits you?"),
            (false, "Thursday or Friday."),
        ],
    ),
    (
        "Mum",
        date(2026, 5, 11).at(17, 5, 0, 0),
        false,
        &[(false, "Call me when you have a minute"), (true, "Will do tonight \u{2764}")],
    ),
    (
        "Anna Bauer",
        date(2026, 5, 10).at(16, 20, 0, 0),
        false,
        &[
            (true, "The slides are in the shared folder."),
            (false, "Thanks! I'll look at them on the train."),
        ],
    ),
    ("Ben Carter", date(2026, 5, 9).at(10, 15, 0, 0), false, &[(false, "Great game last night!")]),
];

pub(super) fn conversations() -> Vec<Conversation> {
    let conversation = |(with, last, unread, texts): &Seed| {
        let messages =
            texts.iter().rev().zip(0_i64..).map(|((from_me, text), before)| ChatMessage {
                from_me: *from_me,
                text: (*text).to_owned(),
                at: *last - before.minutes(),
            });
        let mut messages: Vec<ChatMessage> = messages.collect();
        messages.reverse();
        Conversation { with: (*with).to_owned(), messages, unread: *unread }
    };
    CONVERSATIONS.iter().map(conversation).collect()
}
