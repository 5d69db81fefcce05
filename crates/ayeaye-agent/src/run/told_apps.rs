//! Which of the phone's apps models are told of.
use super::Run;
use crate::App;

impl Run {
    /// The names of the apps that can be opened, as far as they are known already.
    pub(super) fn told_app_names(&self) -> Vec<String> {
        let mut apps = self.device.known_apps();
        self.leave_private_out(&mut apps);
        let mut names: Vec<String> = apps.into_iter().filter_map(|app| app.label).collect();
        names.dedup();
        names
    }

    /// That an app is on the phone is private, if the app is. One that the user has named is told: a model that reads the
    /// name in the task must be able to open it.
    pub(super) fn leave_private_out(&self, apps: &mut Vec<App>) {
        let policy = self.policy();
        if policy.private_apps.is_empty() {
            return;
        }
        let words = self.session().acts.words.join("\n").to_lowercase();
        apps.retain(|app| !policy.is_private(&app.package) || is_named(app, &words));
    }
}

/// Whether words in lower case name an app: by its package, or by its label whatever the blanks in it, as whole words.
/// Where the phone has not told the label, the last part of the package stands for it, as where apps are opened by name.
fn is_named(app: &App, words: &str) -> bool {
    if words.contains(&app.package.to_lowercase()) {
        return true;
    }
    let last = app.package.rsplit('.').next().unwrap_or_default();
    let label = app.label.as_deref().unwrap_or(last).to_lowercase();
    let name: String = label.split_whitespace().collect();
    let (joined, borders) = without_blanks(words);
    let is_border = |at: usize| borders.binary_search(&at).is_ok();
    // Scripts that are not ASCII may be written without blanks between words.
    let is_whole = |at: usize| !name.is_ascii() || is_border(at) && is_border(at + name.len());
    !name.is_empty() && joined.match_indices(&name).any(|(at, _)| is_whole(at))
}

/// A text without its blanks, and where in that words and signs begin and end, in bytes.
fn without_blanks(text: &str) -> (String, Vec<usize>) {
    let (mut joined, mut borders) = (String::with_capacity(text.len()), Vec::new());
    let mut is_in_word = false;
    for letter in text.chars() {
        let goes_on = is_in_word && letter.is_alphanumeric();
        is_in_word = letter.is_alphanumeric();
        if letter.is_whitespace() {
            continue;
        }
        if !goes_on {
            borders.push(joined.len());
        }
        joined.push(letter);
    }
    borders.push(joined.len());
    (joined, borders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_is_named_by_whole_words_whatever_the_blanks() {
        let named = |label: Option<&str>, package: &str, words: &str| {
            let app = App { package: package.to_owned(), label: label.map(str::to_owned) };
            is_named(&app, &words.to_lowercase())
        };
        for (label, package, words) in [
            (Some("WhatsApp"), "com.whatsapp", "Open Whats App, please"),
            (Some("Booking.com"), "com.booking", "Look it up in Booking.com."),
            (Some("ING Banking"), "com.ing.mobile", "open the ING banking app"),
            (Some("微信"), "com.tencent.mm", "打开微信登录"),
            (Some("X"), "com.twitter.android", "Post it on X!"),
            (None, "com.example.notes", "Open Notes"),
            (Some("Diary"), "org.example.diary", "start org.example.diary"),
        ] {
            assert!(named(label, package, words), "{label:?} in {words}");
        }
        for (label, package, words) in [
            (Some("X"), "com.twitter.android", "Text Max that I am late"),
            (Some("Mail"), "com.example.mail", "Write an email"),
            (Some(" "), "com.example.blank", "Write an email"),
            (Some("Diary"), "org.example.notes", "Open Notes"),
        ] {
            assert!(!named(label, package, words), "{label:?} in {words}");
        }
    }
}
