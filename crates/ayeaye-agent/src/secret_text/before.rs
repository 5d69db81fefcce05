//! What is done with a secret, as the words before its name have it: it is changed, or sent to somebody.

/// What a text has before the name of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordBefore {
    /// What follows is what it becomes: "change the PIN to …".
    Changes,
    /// What follows is who gets it: "send the code to …".
    Sends,
    Other,
}

/// Beginnings of words; those with a blank are whole ones, as "legal" and "alternative" are others.
#[rustfmt::skip]
const CHANGES: &[&str] = &[
    "set ", "sets ", "setting ", "chang", "reset", "updat", "make ", "änder", "setz", "stell", "leg ", "lege ", "legen ",
    "cambi", "cámbi", "mets ", "mettre ", "mettez ", "modifi", "troca", "troque ", "alter ", "alters ", "altera ",
    "alterar ", "altere ", "imposta", "zmień", "ustaw", "wijzig", "verander",
    "veränder", "измени", "смени", "поменя", "установи",
];
#[rustfmt::skip]
const SENDS: &[&str] = &[
    "send ", "sends ", "sending ", "sent ", "resend ", "give ", "tell ", "deliver",
    "sende ", "senden ", "sendet ", "schick", "verschick", "gib ", "teil ", "teile ", "leite ", "übermitt",
    "envía", "envia", "envíe", "envie", "reenv", "manda ", "mande ", "mandar ", "mánda", "comparte ", "dile ", "dale ",
    "envoie", "envoy", "transmet", "transfèr", "partage ", "donne ", "dis ",
    "encaminh", "compartilh", "partilh", "invia ", "inviare ", "inolt", "spedi", "condivid",
    "stuur", "verstuur", "zend ", "geef ", "wyślij", "wysłać ", "prześlij", "przekaż", "podaj ",
    "отправ", "пошли", "перешли", "скинь", "передай", "сообщи", "надішли", "skicka", "skriv ", "gönder", "kirim",
];
/// Nouns as well ("change the mail password to …"), which send where a verb stands.
#[rustfmt::skip]
const SENDS_AS_VERB: [&str; 11] = [
    "text", "forward", "share", "mail", "email", "message", "post", "pass", "sms", "whatsapp", "read",
];

impl WordBefore {
    /// What stands in the clause before a name that begins there.
    pub(super) fn name(text: &str, begin: usize) -> Self {
        /// Bytes that are looked at.
        const REACH: usize = 64;
        const AND: [&str; 15] = [
            "and", "then", "und", "dann", "y", "luego", "et", "puis", "e", "poi", "i", "и", "og",
            "och", "&",
        ];
        let near = &text[text.floor_char_boundary(begin.saturating_sub(REACH))..begin];
        // The word that the reach cuts begins elsewhere.
        let near = if near.len() < begin {
            near.split_once(char::is_whitespace).map_or("", |(_, rest)| rest)
        } else {
            near
        };
        let near = near.rsplit(['.', '\n', ';', ',', ':', '!', '?', '，', '。']).next();
        let words = near.unwrap_or_default().split(|c: char| !c.is_alphanumeric() && c != '&');
        let words: Vec<&str> = words.filter(|it| !it.is_empty()).collect();
        let clause = words.rsplit(|it| AND.contains(it)).next().unwrap_or_default();
        let is_one = |word: &str, of: &[&str]| {
            of.iter().any(|it| it.strip_suffix(' ').map_or(word.starts_with(it), |it| word == it))
        };
        // "Send the password reset code to …" changes none.
        let sends = (0..clause.len()).any(|at| {
            is_one(clause[at], SENDS) || SENDS_AS_VERB.contains(&clause[at]) && is_verb(clause, at)
        });
        if sends {
            return Self::Sends;
        }
        let changes = clause.iter().any(|word| is_one(word, CHANGES));
        if changes { Self::Changes } else { Self::Other }
    }
}

/// Whether a word is a verb where it stands: it begins the clause, or goes on from one who is asked.
fn is_verb(clause: &[&str], at: usize) -> bool {
    let Some(last) = at.checked_sub(1) else { return true };
    matches!(clause[last], "to" | "please" | "you" | "can" | "will" | "now" | "also" | "bitte")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_clause_says_what_is_done() {
        use WordBefore::{Changes, Other, Sends};
        for (text, is) in [
            ("change the pin", Changes),
            ("open the settings and set my pin", Changes),
            ("change my email pin", Changes),
            ("lege die pin", Changes),
            ("cambia el pin", Changes),
            ("open telegram and send the pin", Sends),
            ("send the password reset pin", Sends),
            ("update the app and text the pin", Sends),
            ("abre telegram y envía el pin", Sends),
            ("set the phone to forward the pin", Sends),
            ("open telegram with the pin", Other),
            ("update the app and use the pin", Other),
            ("change the picture, read out the pin", Sends),
            ("colleges, legal ones, with the pin", Other),
            ("in exchange for the alternative pin", Other),
            ("bestelle mit der pin", Other),
        ] {
            assert_eq!(WordBefore::name(text, text.len() - "pin".len()), is, "{text}");
        }
    }
}
