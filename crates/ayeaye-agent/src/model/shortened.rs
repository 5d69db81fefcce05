//! Prompts that are too long for a model, with less of the history.
use super::{Message, Part, Prompt, Role};

/// Replies of the model, the latest, that are kept with what came of them.
const KEPT: usize = 4;
/// Bytes of what the user said in steps that are left out.
const MOST_WORDS: usize = 4 << 10;
/// What stands for a picture that is left out.
const NOT_SHOWN: &str = "(screen not shown)";

pub(super) fn shortened(prompt: &Prompt) -> Option<Prompt> {
    let mut short = prompt.clone();
    let (left_out, words) = leave_out_steps(&mut short.messages);
    let blind = leave_out_pictures(&mut short.messages, 1);
    if left_out == 0 && !blind {
        return None;
    }
    if 0 < left_out
        && let Some(first) = short.messages.iter_mut().find(|it| it.role == Role::User)
    {
        first.parts.push(Part::Text(format!("({left_out} earlier steps are left out.)")));
        first.parts.extend(words.into_iter().map(Part::Text));
    }
    Some(short)
}

pub(super) fn with_last_pictures(prompt: &Prompt, most: usize) -> Option<Prompt> {
    let mut fewer = prompt.clone();
    leave_out_pictures(&mut fewer.messages, most).then_some(fewer)
}

/// Takes out the oldest turns behind the first message of the user, whole ones: from a reply of the
/// model up to the next. Returns how many, and what the user said in them.
fn leave_out_steps(messages: &mut Vec<Message>) -> (usize, Vec<String>) {
    let replies = |messages: &[Message]| {
        let turns = messages.iter().enumerate();
        let replies = turns.filter(|(_, message)| message.role == Role::Assistant);
        replies.map(|(at, _)| at).collect::<Vec<_>>()
    };
    let replies = replies(messages);
    // A prompt that begins with a reply has nothing in front that could stay.
    let opened = messages.iter().position(|message| message.role == Role::User);
    let (Some(opened), Some(first)) = (opened, replies.first().copied()) else {
        return (0, Vec::new());
    };
    let count = replies.len().saturating_sub(KEPT);
    if count == 0 || first < opened {
        return (0, Vec::new());
    }
    let gone: Vec<Message> = messages.drain(first..replies[count]).collect();
    let said = gone.iter().filter(|message| message.role == Role::User);
    let mut words: Vec<String> =
        said.flat_map(|message| &message.parts).filter_map(words).collect();
    let mut room = MOST_WORDS;
    // The latest matter most.
    let kept = words.iter().rev().take_while(|text| {
        room = room.saturating_sub(text.len());
        0 < room
    });
    let dropped = words.len() - kept.count();
    words.drain(..dropped);
    (count, words)
}

fn words(part: &Part) -> Option<String> {
    match part {
        Part::Text(text) if text != NOT_SHOWN => Some(text.clone()),
        Part::Result { answer, .. } => answer.clone(),
        Part::Text(_) | Part::Picture(_) | Part::Call(_) => None,
    }
}

/// Takes out every picture but the last so many.
fn leave_out_pictures(messages: &mut [Message], most: usize) -> bool {
    let mut seen = 0;
    let mut left_out = false;
    for part in messages.iter_mut().rev().flat_map(|message| message.parts.iter_mut().rev()) {
        match part {
            Part::Picture(_) | Part::Result { picture: Some(_), .. } if seen < most => seen += 1,
            Part::Picture(_) => {
                *part = Part::Text(NOT_SHOWN.to_owned());
                left_out = true;
            }
            Part::Result { text, picture, .. } if picture.is_some() => {
                *picture = None;
                text.push(' ');
                text.push_str(NOT_SHOWN);
                left_out = true;
            }
            Part::Text(_) | Part::Call(_) | Part::Result { .. } => {}
        }
    }
    left_out
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::{Picture, ScreenSize, ToolCall};

    fn picture(name: &'static str) -> Picture {
        Picture {
            bytes: Bytes::from_static(name.as_bytes()),
            media_type: "image/jpeg",
            size: ScreenSize { width: 1, height: 1 },
        }
    }

    fn turn(step: usize, said: Option<&str>) -> [Message; 2] {
        let id = format!("step_{step}");
        let call = ToolCall { id: id.clone(), name: "tap".to_owned(), arguments: "{}".to_owned() };
        let result = Part::Result {
            id,
            name: "tap".to_owned(),
            text: "Done.".to_owned(),
            picture: Some(picture("later")),
            answer: (step == 2).then(|| "the user answered".to_owned()),
        };
        let mut parts = vec![result];
        parts.extend(said.map(|text| Part::Text(text.to_owned())));
        [
            Message { role: Role::Assistant, parts: vec![Part::Call(call)] },
            Message { role: Role::User, parts },
        ]
    }

    fn long(steps: usize) -> Prompt {
        let asked = vec![Part::Text("request".to_owned()), Part::Picture(picture("first"))];
        let mut messages =
            vec![Message::text(Role::System, "rules"), Message { role: Role::User, parts: asked }];
        for step in 0..steps {
            messages.extend(turn(step, (step == 1).then_some("the user said so")));
        }
        Prompt::of(messages)
    }

    #[test]
    fn only_the_last_pictures_are_kept() {
        let prompt = long(3);
        assert_eq!(pictures(&prompt), 4);
        for most in 0..4 {
            let fewer = prompt.with_last_pictures(most).unwrap();
            assert_eq!(pictures(&fewer), most);
            assert_eq!(fewer.messages.len(), prompt.messages.len());
        }
        let last = prompt.with_last_pictures(1).unwrap();
        let Some(Part::Result { picture: Some(shown), .. }) =
            last.messages.last().unwrap().parts.first()
        else {
            panic!("the present screen is shown")
        };
        assert_eq!(shown.bytes, "later");
        assert_eq!(prompt.with_last_pictures(4), None);
    }

    fn pictures(prompt: &Prompt) -> usize {
        let parts = prompt.messages.iter().flat_map(|message| &message.parts);
        parts
            .filter(|part| matches!(part, Part::Picture(_) | Part::Result { picture: Some(_), .. }))
            .count()
    }

    #[test]
    fn the_request_the_users_words_and_the_last_steps_stay() {
        let short = long(10).shortened().unwrap();
        assert_eq!(short.messages.len(), 2 + 2 * KEPT);
        assert_eq!(short.messages[0], Message::text(Role::System, "rules"));
        let told = format!("{:?}", short.messages[1]);
        assert!(told.contains("request") && told.contains("6 earlier steps"), "{told}");
        assert!(told.contains("the user said so"), "{told}");
        assert!(told.contains("the user answered"), "{told}");
        assert_eq!(pictures(&short), 1);
        let last = &short.messages.last().unwrap().parts[0];
        assert!(matches!(last, Part::Result { picture: Some(_), .. }), "the screen of now");
        let roles: Vec<Role> = short.messages.iter().skip(1).map(|it| it.role).collect();
        assert!(roles.windows(2).all(|pair| pair[0] != pair[1]), "they still take turns");
    }

    #[test]
    fn what_is_short_already_stays() {
        assert_eq!(long(0).shortened(), None);
        let short = long(2).shortened().unwrap();
        assert_eq!((short.messages.len(), pictures(&short)), (6, 1));
        assert_eq!(short.shortened(), None, "once is all there is");
        assert_eq!(Prompt::default().shortened(), None);
    }
}
