//! What a control does, as its names, what stands beside it and its id say.
use super::dialogs;
use super::everyday::{is_everyday, opens_form};
use super::fields::is_search;
use super::ids::class_of_id;
use crate::gate::apps::AppKind;
use crate::gate::class::ActClass;
use crate::gate::confusables::{readings, spelled_words};
use crate::gate::fillers::says_all;
use crate::gate::phrases::{self, NameOf, Phrase};
use crate::gate::price::{amount, in_figures, is_price};
use crate::gate::request::{ControlFacts, GateRequest, is_dialed};
use crate::gate::text::{List, holds, is_spaced, normalized, words};

/// More texts in one control are content: the first is its name, and of the others only what is a command and
/// nothing else counts.
const CONTENT: usize = 6;

/// The class of what a control does, and what says so.
pub(super) fn command(
    control: &ControlFacts,
    request: &GateRequest<'_>,
    app: Option<AppKind>,
) -> Option<(ActClass, String)> {
    let mut reader = CommandReader { control, request, app, found: Vec::new() };
    reader.read_price();
    reader.read_names();
    reader.read_name_in_pieces();
    reader.read_texts_beside();
    reader.read_id();
    if corrects(control, request) {
        reader.found.retain(|(class, _)| *class != ActClass::Delete);
    }
    if reader.is_about_money() {
        for (class, _) in reader.found.iter_mut().filter(|(class, _)| *class == ActClass::Send) {
            *class = ActClass::Transfer;
        }
    }
    reader.weightiest()
}

/// Collects whatever a control says that it does.
struct CommandReader<'a> {
    control: &'a ControlFacts,
    request: &'a GateRequest<'a>,
    app: Option<AppKind>,
    /// Each class, and what says so.
    found: Vec<(ActClass, String)>,
}

impl CommandReader<'_> {
    /// Adds what was found, unless the control is an icon that cannot do that.
    fn add(&mut self, class: ActClass, evidence: String) {
        if !self.is_icon() || matches!(class, ActClass::Delete | ActClass::Install) {
            self.found.push((class, evidence));
        }
    }

    /// Whether this is an app's icon on the home screen, whose name is the app's. What no home screen shows itself is no
    /// icon.
    fn is_icon(&self) -> bool {
        let is_own = self.control.package.eq_ignore_ascii_case(self.request.package);
        self.app == Some(AppKind::Launcher) && is_own
    }

    fn is_button(&self) -> bool {
        self.control.kind.rsplit('.').next().unwrap_or_default().contains("Button")
    }

    fn is_in_store(&self) -> bool {
        self.app == Some(AppKind::Store)
    }

    /// What is bought by a touch of its price, or of a button that names an amount.
    fn read_price(&mut self) {
        let control = self.control;
        let may_sell = (self.is_button() || self.is_in_store())
            && !control.switch
            && control.reacts
            && control.names.len() <= 2;
        let Some(name) = control.names.first().filter(|_| may_sell) else { return };
        let sells = is_price(name)
            || self.is_button() && pays(control, self.request, self.app)
            || goes_on_for_money(control);
        if sells {
            self.found.push((ActClass::Order, format!("\"{name}\"")));
        }
    }

    fn read_names(&mut self) {
        let control = self.control;
        let hint = (!control.hint.is_empty()).then_some(&control.hint);
        for (at, name) in control.names.iter().chain(hint).enumerate() {
            let texts = readings(name);
            if self.is_no_command(name, &texts) {
                continue;
            }
            if self.is_content(at, name) {
                self.read_content(name, &texts[0]);
            } else {
                self.read_name(at, name, &texts);
                self.read_sentences(at, name);
            }
        }
    }

    /// Whether a name declines, is one of every day, or the title of what the control opens.
    fn is_no_command(&self, name: &str, texts: &[String]) -> bool {
        let Self { control, request, app, .. } = *self;
        texts.iter().any(|it| phrases::declines(it))
            || is_everyday(&texts[0], control, request, app)
            || (!self.is_button() || control.switch) && dialogs::is_title(name, request, app)
    }

    /// Whether the name in this place is what the control shows, and not what it does.
    fn is_content(&self, at: usize, name: &String) -> bool {
        CONTENT < self.control.names.len() && 0 < at
            || self.app == Some(AppKind::Mail) && is_of_letter(name, self.request)
    }

    /// Of content only what is a command and nothing else counts, and in a button what begins with one and is short.
    fn read_content(&mut self, name: &str, text: &str) {
        let commands = phrases::commands(text, NameOf::Other, self.is_in_store());
        let is_bare = |it: &&Phrase<ActClass>| {
            it.text == text || self.is_button() && text.starts_with(it.text.as_str())
        };
        if let Some(bare) = commands.into_iter().find(is_bare) {
            self.add(bare.of, format!("\"{name}\" in it"));
        }
    }

    /// The signs, the words without their blanks, and the phrases in the name in this place.
    fn read_name(&mut self, at: usize, name: &str, texts: &[String]) {
        let sign = texts.iter().find_map(|it| phrases::sign(it));
        self.found.extend(sign.map(|it| (it, name.to_owned())));
        for joined in spelled_words(&texts[0]) {
            for phrase in phrases::commands_joined(&joined) {
                self.add(phrase.of, format!("\"{name}\""));
            }
        }
        let of = self.called(at, name);
        for text in texts {
            for phrase in phrases::commands(text, of, self.is_in_store()) {
                if at == 0 || self.is_button() || self.stands_alone(phrase, text) {
                    let said = format!("\"{name}\" ({}, {})", phrase.written, phrase.language);
                    self.add(phrase.of, said);
                }
            }
        }
    }

    /// The first and the last sentence of a text that can be touched and is no button, where it is a command and nothing
    /// else: "Boots that last. Buy now". What people write to each other may end so too.
    fn read_sentences(&mut self, at: usize, name: &str) {
        use ActClass::{Delete, Install, Order, Pay, Transfer};
        let people_write = self.app.is_some_and(AppKind::reaches_people);
        let may_be_text = at == 0 && self.control.reacts && !self.control.switch && !people_write;
        if !may_be_text || self.is_button() {
            return;
        }
        let sentences = || name.split(SENTENCE_ENDS).map(normalized).filter(|it| !it.is_empty());
        for sentence in [sentences().next(), sentences().next_back()].into_iter().flatten() {
            let unspaced = is_unspaced(&sentence);
            let says_much = unspaced || 1 < words(&sentence).count();
            // "立即付款" is "付款" and how soon.
            let letters = |text: &str| text.chars().count();
            let is_bare = |it: &&Phrase<ActClass>| {
                it.text == sentence || unspaced && letters(&sentence) <= letters(&it.text) + 2
            };
            let commands = phrases::commands(&sentence, NameOf::Other, self.is_in_store());
            let bare = commands.into_iter().find(|it| says_much && is_bare(it));
            if let Some(bare) =
                bare.filter(|it| matches!(it.of, Pay | Order | Transfer | Install | Delete))
            {
                self.add(bare.of, format!("\"{sentence}\" in it"));
            }
        }
    }

    /// What the name in this place is of. A choice may be a sentence, and so may a text with a price that is no button.
    fn called(&self, at: usize, name: &str) -> NameOf {
        if self.is_button() && !self.control.switch {
            NameOf::Button
        } else if at == 0 && in_figures(name).is_some() {
            NameOf::Priced
        } else {
            NameOf::Other
        }
    }

    /// Whether a text is a command and little else: further texts of a row are content.
    fn stands_alone(&self, phrase: &Phrase<ActClass>, text: &str) -> bool {
        says_all(text)
            || text == phrase.text
            || words(text).count() <= words(&phrase.text).count() + 1
            || self.has_name_that_closes()
    }

    /// Whether one of several names closes or declines. What really does so has no other name, so that the others count.
    fn has_name_that_closes(&self) -> bool {
        let names = &self.control.names;
        let closes = |it: &String| phrases::declines(&normalized(it));
        1 < names.len() && names.iter().take(CONTENT).any(closes)
    }

    /// A name in pieces, a letter or two each; and of a button a few words.
    fn read_name_in_pieces(&mut self) {
        const MOST_PIECES: usize = 4;
        let names = &self.control.names;
        if names.len() < 2 {
            return;
        }
        if names.len() <= MOST_PIECES && self.is_button() {
            let whole = normalized(&names.join(" "));
            for phrase in phrases::commands(&whole, NameOf::Other, self.is_in_store()) {
                self.add(phrase.of, format!("\"{whole}\""));
            }
        }
        if names.iter().any(|it| 3 < it.chars().count()) {
            return;
        }
        let whole = normalized(&names.concat());
        for phrase in phrases::commands_joined(&whole) {
            self.add(phrase.of, format!("\"{whole}\""));
        }
    }

    /// A text beside a control without a name is its name if it is nothing but a command.
    fn read_texts_beside(&mut self) {
        let control = self.control;
        for name in &control.beside {
            let text = normalized(name);
            for phrase in phrases::commands(&text, NameOf::Other, self.is_in_store()) {
                let is_bare = phrase.text == text
                    || amount(name).is_some()
                    || control.switch && phrase.of == ActClass::Grant;
                if is_bare {
                    self.add(phrase.of, format!("\"{name}\" beside it"));
                }
            }
        }
    }

    /// The id in the app's code. What opens a form is called by what that form does.
    fn read_id(&mut self) {
        let Self { control, request, app, .. } = *self;
        let Some(class) = class_of_id(control) else { return };
        let opens = |name: &String| opens_form(&normalized(name), request, app);
        if !control.names.first().is_some_and(opens) {
            self.add(class, control.resource_id.clone());
        }
    }

    /// What is sent with an amount, or by an app of money, is money.
    fn is_about_money(&self) -> bool {
        self.app.is_some_and(AppKind::has_money)
            || self.control.names.iter().take(CONTENT).any(|it| amount(it).is_some())
    }

    /// Of several the one that weighs most, and of its phrases the longest: "Send money" is a transfer.
    fn weightiest(self) -> Option<(ActClass, String)> {
        let weight =
            |(class, said): &(ActClass, String)| (*class as usize, std::cmp::Reverse(said.len()));
        self.found.into_iter().min_by_key(weight)
    }
}

/// Whether this is what a message in a list of mail says: its subject or how it begins, behind who wrote it.
fn is_of_letter(name: &String, request: &GateRequest<'_>) -> bool {
    let is_row = |it: &&ControlFacts| it.reacts && !it.switch && !it.kind.contains("Button");
    // Of some apps a row is one text that is read out: "Amazon, Please pay now, Hello, 10:30".
    let is_read_out = |it: &ControlFacts| {
        it.names.len() == 1 && is_sentence(it) && name.contains([',', '，', '、', '،'])
    };
    // Others have the subject first.
    let is_letter = |it: &ControlFacts| {
        3 <= it.names.len()
            && (it.names[0] != *name || it.names[1..].contains(name) || is_long(name))
    };
    let mut rows = request.screen.aimed.iter().filter(is_row);
    rows.any(|it| it.names.contains(name) && (is_letter(it) || is_read_out(it)))
}

/// Whether a button whose name tells no command is what pays the amount in it: in an app of money, where something is
/// filled in or can be declined. Elsewhere it may be an account or a thing that is put into a cart.
fn pays(control: &ControlFacts, request: &GateRequest<'_>, app: Option<AppKind>) -> bool {
    let screen = request.screen;
    let money =
        matches!(app, Some(AppKind::Banking | AppKind::Wallet | AppKind::Shop | AppKind::Store));
    let name = control.name();
    money
        && (screen.written || screen.can_decline)
        && words(name).count() <= 6
        && amount(name).is_some()
}

/// Whether a control goes on, or opens what is closed, for an amount that it names: "Unlock for $4.99".
fn goes_on_for_money(control: &ControlFacts) -> bool {
    #[rustfmt::skip]
    static GOES_ON: List = List::new("continue|unlock|upgrade|tip|weiter|fortfahren|freischalten|entsperren|continuer|débloquer|continuar|desbloquear|continua|sblocca|doorgaan|ontgrendelen|kontynuuj|odblokuj|devam et|kilidini aç|\
        продолжить|разблокировать|продовжити|розблокувати|解锁|解鎖|继续|繼續|ロック解除|続ける|잠금해제|잠금 해제|계속|متابعة|फिर से शुरू|अनलॉक|जारी रखें|lanjutkan|buka kunci|tiếp tục|mở khóa|ปลดล็อก|ดำเนินการต่อ|fortsätt|lås upp|fortsæt|lås op|fortsett|jatka|avaa|pokračovat|odemknout|folytatás|feloldás|continuă|deblochează|συνέχεια|ξεκλείδωμα|продължи|отключи|nastavi|otključaj|המשך");
    #[rustfmt::skip]
    static SAVES: List = List::new("off|save|free|cashback|bonus|coupon|sparen|rabatt|gratis|remise|descuento|desconto|sconto|korting|rabat|indirim|скидка|скидку|优惠|優惠|割引|할인");
    control.names.first().is_some_and(|name| {
        let text = normalized(name);
        let has = |list: &List| list.iter().any(|it| holds(&text, it));
        words(&text).count() <= 6 && amount(name).is_some() && has(&GOES_ON) && !has(&SAVES)
    })
}

/// Whether a control that is no button is called by a whole sentence, as a message is in which somebody asks for money.
pub(super) fn is_sentence(control: &ControlFacts) -> bool {
    !control.kind.contains("Button")
        && !control.is_field()
        && control.names.iter().any(|it| is_long(it))
}

/// What ends a sentence or a line.
const SENTENCE_ENDS: [char; 10] = ['.', '!', '?', '\n', '。', '！', '？', '؟', '।', '…'];

fn is_unspaced(text: &str) -> bool {
    text.chars().any(|it| it.is_alphabetic() && !is_spaced(it))
}

/// Whether a name is as long as a sentence.
fn is_long(name: &str) -> bool {
    const LONGEST: usize = 5;
    const LONGEST_UNSPACED: usize = 12;
    let text = normalized(name);
    let unspaced = text.chars().filter(|it| it.is_alphabetic() && !is_spaced(*it)).count();
    LONGEST < words(&text).count() || LONGEST_UNSPACED < unspaced
}

/// By their whole names: safes for photos call themselves calculators too.
const CALCULATORS: [&str; 8] = [
    "com.google.android.calculator",
    "com.android.calculator2",
    "com.sec.android.app.popupcalculator",
    "com.miui.calculator",
    "com.coloros.calculator",
    "com.oneplus.calculator",
    "com.huawei.calculator",
    "com.hihonor.calculator",
];

/// Whether a control takes back what was typed last: a key of a calculator, or beside a number that is dialed or what is
/// searched for. What it says it deletes is of one word.
fn corrects(control: &ControlFacts, request: &GateRequest<'_>) -> bool {
    let id = control.id_name().to_ascii_lowercase();
    let is_short = control.names.iter().all(|it| it.split_whitespace().count() == 1);
    let is_told = !control.names.is_empty();
    let beside = |it: &ControlFacts| {
        is_dialed(&it.resource_id)
            || is_told && !it.content.is_empty() && is_search(it, request.history)
    };
    let field = request.screen.line_field.as_ref();
    is_short
        && (id == "timer_setup_delete"
            || id.ends_with("backspace")
            || CALCULATORS.contains(&request.package)
            || field.is_some_and(beside))
}
