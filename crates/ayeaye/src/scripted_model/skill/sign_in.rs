//! Signs in with a name, a password and a code that only the user receives.
//!
//! With a client that shows forms the user types the password and the code on the phone: then the answer
//! only says so, and the field has the text.
use ayeaye_agent::DONE_BY_HAND;

use super::super::context::{Question, StepContext};
use super::super::phrases;
use super::super::step::NextStep;

const PACKAGE: &str = "com.example.nimbus";
const USER: Question = ("With which user name shall I sign in?", "用哪个用户名登录？");
const PASSWORD: Question = ("What is the password for it?", "密码是什么？");
const CODE: Question = ("What is the 6-digit code?", "6 位验证码是多少？");
/// The last step, where the code is not ours to tell.
const CHECKED: &str = "Had the code in the field checked";
/// Times that something is asked for which is not in its field afterwards.
const MOST_EMPTY: usize = 2;
/// Codes that are tried before giving up: a real account is locked after a few wrong ones.
const MOST_CODES: usize = 3;

/// No `Debug` for the password.
pub(super) struct SignInTask {
    user: Option<String>,
    password: Option<String>,
}

impl std::fmt::Debug for SignInTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignInTask").field("user", &self.user).finish_non_exhaustive()
    }
}

pub(super) fn parse(task: &str) -> SignInTask {
    let behind = |marks: &[&str]| {
        let (_, end) = phrases::first(task, marks)?;
        phrases::value(&task[end..]).map(str::to_owned)
    };
    let user = behind(&["as", "user name", "username", "user", "用户名", "账号", "用户"]);
    SignInTask {
        user: user.or_else(|| behind(&["用"])),
        password: behind(&["password", "passcode", "密码"]),
    }
}

pub(super) fn next(s: &StepContext<'_>, task: &SignInTask) -> NextStep {
    let Some(user) = task.user.as_deref().or_else(|| s.answer_to(USER)) else {
        return s.ask(USER);
    };
    match &s.phone.signed_in {
        Some(name) if name == user => {
            return s.complete(format!("{user} is signed in."), format!("{user} 已登录。"));
        }
        Some(name) => {
            return s.abort(
                format!("{name} is signed in already. Sign out first, if {user} shall be instead."),
                format!("{name} 已经登录。如果要换成 {user}，请先退出登录。"),
            );
        }
        None => {}
    }
    if !s.is_in(PACKAGE) {
        return s.open(PACKAGE);
    }
    if s.find("progress").is_some() {
        return s.wait("The server is being asked.");
    }
    if let Some(field) = s.find("code") {
        return code(s, field);
    }
    let (Some(user_field), Some(password_field)) = (s.find("username"), s.find("password")) else {
        return match s.find("sign_in") {
            Some(button) => s.tap(button, "Nobody is signed in.", "Go to the sign-in"),
            None => s.back("This is not where one signs in."),
        };
    };
    let (user_now, password_now) =
        (s.field_text(user_field, "User name or e-mail"), s.field_text(password_field, "Password"));
    if user_now != user {
        return s.fill(user_field, user_now, user, "user name");
    }
    // Asked for only here, so that a person who would rather type it has a field to type it into.
    match task.password.as_deref().or_else(|| s.answer_to(PASSWORD)) {
        None => return s.ask(PASSWORD),
        Some(said) if by_hand(said) => {
            if password_now.is_empty() {
                let asked = s.answers_to(PASSWORD).count();
                if MOST_EMPTY <= asked {
                    return s.abort(
                        "Nobody has typed a password into its field.".to_owned(),
                        "密码栏里没有输入任何内容。".to_owned(),
                    );
                }
                return s.ask_with(
                    format!("The field for it is empty. {}", PASSWORD.0),
                    format!("密码栏是空的。{}", PASSWORD.1),
                );
            }
        }
        // All that can be seen of it is bullets.
        Some(password) if password_now.chars().count() != password.chars().count() => {
            return s.fill(password_field, password_now, password, "password");
        }
        Some(_) => {}
    }
    match s.find("next") {
        Some(button) => s.tap(button, "User name and password are in.", "Go on"),
        None => s.back("The button to go on is not to be seen."),
    }
}

/// Whether an answer says that a person has done on the phone what was asked.
fn by_hand(answer: &str) -> bool {
    let said = phrases::trimmed(answer);
    // However its blanks were written.
    let is = |other: &str| said.split_whitespace().eq(phrases::trimmed(other).split_whitespace());
    let sentence = said.contains(char::is_whitespace)
        && phrases::any(said, &["done", "by hand", "myself", "signed in", "typed", "entered"]);
    let word = said.eq_ignore_ascii_case("done") || ["完成", "已完成", "好了"].contains(&said);
    is(DONE_BY_HAND) || word || sentence
}

fn code(s: &StepContext<'_>, field: &ayeaye_phone::NodeState) -> NextStep {
    let said: Vec<_> = s.answers_to(CODE).collect();
    if said.last().is_some_and(|said| by_hand(said)) {
        return code_by_hand(s, field, said.len());
    }
    let codes: Vec<_> = said.into_iter().map(digits).collect();
    let Some(given) = codes.last() else {
        return s.ask_with(
            format!("{} It was sent to the owner of the account.", CODE.0),
            format!("{}它已发送给账号的主人。", CODE.1),
        );
    };
    let refused = s.find("error").is_some();
    // Only what went to the server was told with the code in it.
    let tried = given.as_ref().is_some_and(|code| s.progress.last_summary.contains(code.as_str()));
    match given {
        Some(code) if !(refused && tried) => {
            let now = s.field_text(field, "6-digit code");
            if now != code {
                return s.fill(field, now, code, "code");
            }
            match s.find("verify") {
                Some(button) => s
                    .tap(button, "The code is in.", "Have the code checked")
                    .with_summary(format!("Had the code {code} checked")),
                None => s.back("The button to check the code is not to be seen."),
            }
        }
        _ if MOST_CODES <= codes.len() => s.abort(
            format!(
                "None of {MOST_CODES} codes was right, so I stopped before the account is locked."
            ),
            format!("{MOST_CODES} 个验证码都不对，为免账号被锁，我停下了。"),
        ),
        Some(code) => s
            .ask_with(
                format!("That code was not right. {}", CODE.0),
                format!("这个验证码不对。{}", CODE.1),
            )
            .with_summary(format!("The code {code} was checked and is wrong; asked for another")),
        None => {
            s.ask_with(format!("I need 6 digits. {}", CODE.0), format!("需要 6 位数字。{}", CODE.1))
        }
    }
}

/// The code is in the field, or should be.
fn code_by_hand(s: &StepContext<'_>, field: &ayeaye_phone::NodeState, asked: usize) -> NextStep {
    let refused = s.find("error").is_some() && s.progress.last_summary.contains(CHECKED);
    let empty = s.field_text(field, "6-digit code").is_empty();
    if !refused && !empty {
        return match s.find("verify") {
            Some(button) => s
                .tap(button, "The user has typed the code.", "Have the code checked")
                .with_summary(CHECKED),
            None => s.back("The button to check the code is not to be seen."),
        };
    }
    if MOST_CODES <= asked {
        return s.abort(
            format!("{MOST_CODES} times there was no right code, so I stopped before the account is locked."),
            format!("{MOST_CODES} 次都没有正确的验证码，为免账号被锁，我停下了。"),
        );
    }
    if refused {
        return s.ask_with(
            format!("That code was not right. {}", CODE.0),
            format!("这个验证码不对。{}", CODE.1),
        );
    }
    s.ask_with(
        format!("The field for it is empty. {}", CODE.0),
        format!("验证码栏是空的。{}", CODE.1),
    )
}

/// The 6 digits in an answer, with or without blanks and dashes between them.
fn digits(answer: &str) -> Option<String> {
    let joined = answer.replace([' ', '-'], "");
    let runs = joined.split(|c: char| !c.is_ascii_digit());
    runs.into_iter().find(|run| run.len() == 6).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_signs_in_with_what() {
        for task in [
            "Sign in to the Nimbus app as robin with the password Quince-41; the code comes later.",
            "Log in to Nimbus with user name \"robin\", password: \"Quince-41\".",
            "sign in as user robin, password is Quince-41.",
            "用户名robin，密码Quince-41，登录Nimbus",
        ] {
            let parsed = parse(task);
            assert_eq!(parsed.user.as_deref(), Some("robin"), "{task}");
            assert_eq!(parsed.password.as_deref(), Some("Quince-41"), "{task}");
            assert!(!format!("{parsed:?}").contains("Quince"));
        }
        assert!(parse("Sign in to Nimbus").password.is_none());
    }

    #[test]
    fn a_code_is_six_digits() {
        assert_eq!(digits("It is 123 456."), Some("123456".to_owned()));
        assert_eq!(digits("123-456"), Some("123456".to_owned()));
        assert_eq!(digits("12345, or 1234567"), None);
    }
}
