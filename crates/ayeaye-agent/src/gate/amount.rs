//! The amount of money that a screen is about.
use super::price::{amount, is_currency, is_price};
use super::request::ScreenFacts;
use super::text::{List, holds, normalized};
use crate::secret_text::plain_digit;

/// What stands beside the amount that is paid.
#[rustfmt::skip]
static TOTALS: List = List::new("total|sum|amount|to pay|importe|montant|à payer|summe|gesamt|gesamtbetrag|betrag|totale|importo|totaal|bedrag|\
        razem|suma|kwota|toplam|tutar|итого|сумма|всего|разом|сума|合计|总计|总额|实付|应付|金额|合計|金額|\
        합계|총|금액|المجموع|الإجمالي|المبلغ|कुल|राशि|jumlah|tổng|ยอดรวม|ยอด|จำนวนเงิน");

/// What stands beside an amount that is sent, of whatever it is: of a coin, which is no currency, too.
#[rustfmt::skip]
static SENT: List = List::new("you send|you'll send|you are sending|you're sending|sending|send amount|you pay|you'll pay|you transfer|to send|to transfer|transfer amount|payment amount|you buy|you sell|you withdraw|du sendest|sie senden|du zahlst|sie zahlen|zu zahlen|du überweist|sie überweisen|überweisungsbetrag|envías|tú envías|usted envía|pagas|a pagar|vous envoyez|tu envoies|vous payez|à envoyer|você envia|você paga|invii|paghi|da pagare|je verstuurt|je stuurt|je betaalt|te betalen|wysyłasz|płacisz|do zapłaty|\
        gönderiyorsun|gönderdiğiniz|ödenecek|вы отправляете|вы переводите|к оплате|к переводу|ви надсилаєте|до сплати|转账金额|轉帳金額|付款金额|发送|送金額|支払額|お支払い|보낼 금액|보내는 금액|결제 금액|ترسل|المبلغ المرسل|आप भेज रहे हैं|anda mengirim|jumlah transfer|bạn gửi|số tiền|ยอดโอน|du skickar|att betala|du sender|at betale|å betale|lähetät|maksettava|odesíláte|k úhradě|küldesz|fizetendő|trimiteți|de plată|στέλνετε|изпращате|šaljete|לתשלום");
/// What stands beside an amount that is not what is paid: what one has, may spend or is charged besides.
#[rustfmt::skip]
static OTHERS: List = List::new("balance|available|limit|left|remaining|fee|fees|cashback|discount|save|saved|saving|savings|you save|reward|rewards|points|tip|tax|vat|rate|price alert|saldo|verfügbar|limit übrig|gebühr|gebühren|rabatt|ersparnis|mwst|kontostand|disponible|límite|comisión|tarifa|descuento|iva|solde|plafond|frais|remise|tva|disponível|limite|taxa|desconto|disponibile|commissione|commissioni|sconto|beschikbaar|limiet|kosten|korting|btw|dostępne|prowizja|opłata|rabat|bakiye|kullanılabilir|ücret|indirim|kdv|\
        баланс|доступно|остаток|лимит|комиссия|скидка|кешбэк|ліміт|комісія|знижка|余额|餘額|可用|限额|限額|手续费|手續費|优惠|優惠|返现|残高|限度額|手数料|割引|잔액|한도|수수료|할인|الرصيد|المتاح|الحد|الرسوم|خصم|शेष|सीमा|शुल्क|छूट|saldo|sisa|batas|biaya|diskon|số dư|hạn mức|phí|giảm giá|ยอดคงเหลือ|วงเงิน|ค่าธรรมเนียม|ส่วนลด|tillgängligt|avgift|rabatt|tilgængelig|gebyr|tilgjengelig|saatavilla|rajoitus|kulut|zůstatek|poplatek|sleva|egyenleg|díj|kedvezmény|sold|comision|reducere|υπόλοιπο|όριο|προμήθεια|έκπτωση|наличност|такса|отстъпка|stanje|naknada|popust|יתרה|עמלה|הנחה");

/// The amount that the screen is about, and all larger ones on it. The screen may lie about which of them is paid: a
/// payment reference can say "You send €1.00".
pub(super) fn on_screen(screen: &ScreenFacts) -> Option<String> {
    let seen: Vec<String> = screen.seen().cloned().collect();
    let texts = joined(&seen);
    let Some(main) = main_amount(screen, &texts) else {
        // Better an amount of nobody knows what than none.
        return match plain_totals(&texts).pop() {
            Some(last) => Some(with_others(screen, &texts, last)),
            None => texts.iter().rev().find_map(|it| amount(it)),
        };
    };
    Some(with_others(screen, &texts, main))
}

/// An amount with the others that may be what is paid.
fn with_others(screen: &ScreenFacts, texts: &[String], main: String) -> String {
    /// Most that are told beside the largest of all.
    const MOST: usize = 2;
    let largest_in = |it: &String| {
        amounts_in(it).into_iter().max_by(|one, other| value(one).total_cmp(&value(other)))
    };
    let is_more = |it: &String| value(&main) < value(it);
    let labelled = (0..texts.len()).filter(|at| is_total(&texts[*at]));
    let labelled = labelled.filter_map(|at| beside(texts, at));
    let in_other_coin = labelled.filter(|it| currency(it) != currency(&main));
    let own = (0..texts.len()).filter(|at| !is_other(texts, *at)).map(|at| &texts[at]);
    // Who writes a text may write many amounts, but none that stands alone.
    let (alone, within): (Vec<&String>, Vec<&String>) = own.partition(|it| is_price(it));
    let in_order = |texts: Vec<&String>| {
        let mut all: Vec<String> = texts.into_iter().filter_map(largest_in).collect();
        all.sort_by(|one, other| value(other).total_cmp(&value(one)));
        all
    };
    let rest = in_order(alone).into_iter().chain(in_order(within)).filter(is_more);
    let is_number = |it: &String| {
        it.split_whitespace().next_back().is_some_and(|it| it.chars().all(|c| figure(c).is_some()))
    };
    let plain = plain_totals(texts).into_iter().filter(|it| is_number(it) && is_more(it));
    let more = plain.chain(in_other_coin).chain(rest);
    let mut others: Vec<String> = Vec::new();
    let mut tell = |it: String, most: usize| {
        if it != main && others.len() < most && !others.contains(&it) {
            others.push(it);
        }
    };
    for it in more {
        tell(it, MOST);
    }
    let aimed = screen.aimed.iter().flat_map(|it| &it.names);
    let all = aimed.chain(texts).filter_map(largest_in);
    let largest = all.max_by(|one, other| value(one).total_cmp(&value(other)));
    if let Some(largest) = largest.filter(is_more) {
        tell(largest, MOST + 1);
    }
    if others.is_empty() {
        return main;
    }
    format!("{main} (the screen also shows {})", others.join(", "))
}

/// What an amount is counted in.
fn currency(amount: &str) -> String {
    amount.chars().filter(|c| figure(*c).is_none() && !c.is_whitespace()).collect()
}

/// Whether a text labels the amount beside it as the one to be paid.
pub(super) fn is_total(text: &str) -> bool {
    let text = normalized(text);
    let says = |list: &List| list.iter().any(|it| holds(&text, it));
    says(&SENT) || says(&TOTALS) && !says(&OTHERS)
}

fn is_sent(text: &str) -> bool {
    let text = normalized(text);
    SENT.iter().any(|it| holds(&text, it))
}

/// Whether the amount in one of these texts is not what is paid: it says so itself, or the text before it does, which has
/// no amount of its own.
fn is_other(texts: &[String], at: usize) -> bool {
    let says = |text: &str| {
        let text = normalized(text);
        OTHERS.iter().any(|it| holds(&text, it)) && !SENT.iter().any(|it| holds(&text, it))
    };
    let before = at.checked_sub(1).map(|it| &texts[it]).filter(|it| amount(it).is_none());
    says(&texts[at]) || !is_total(&texts[at]) && before.is_some_and(|it| says(it))
}

/// Texts in which amounts in pieces are whole again: "$", "5" and ".00".
fn joined(texts: &[String]) -> Vec<String> {
    let mut all = Vec::with_capacity(texts.len());
    let mut from = 0;
    while from < texts.len() {
        let (text, end) = whole_amount(&texts[from..])
            .map_or_else(|| (texts[from].clone(), from + 1), |(it, count)| (it, from + count));
        all.push(text);
        from = end;
    }
    all
}

/// The amount that the first of these texts are the pieces of, and how many they are: a currency, a number and what
/// stands behind its point; or the currency behind them.
fn whole_amount(texts: &[String]) -> Option<(String, usize)> {
    let piece = |at: usize| texts.get(at).map_or("", |it| it.trim());
    let is_separator = |c: char| matches!(c, '.' | ',' | '\u{66b}' | '\u{66c}');
    let is_number = |it: &str| {
        it.contains(char::is_numeric) && it.chars().all(|c| c.is_numeric() || is_separator(c))
    };
    let goes_before = is_currency(piece(0));
    let mut end = usize::from(goes_before);
    let mut number = piece(end).to_owned();
    if !is_number(&number) {
        return None;
    }
    end += 1;
    while number.ends_with(is_separator) && is_number(piece(end))
        || piece(end).starts_with(is_separator)
            && piece(end).chars().all(|c| c.is_numeric() || is_separator(c))
    {
        number.push_str(piece(end));
        end += 1;
    }
    let whole = if goes_before {
        format!("{}{number}", piece(0))
    } else if is_currency(piece(end)) {
        end += 1;
        format!("{number} {}", piece(end - 1))
    } else {
        return None;
    };
    amount(&whole).map(|_| (whole, end))
}

/// Totals in no currency: points, coins, or a number whose sign is drawn.
fn plain_totals(texts: &[String]) -> Vec<String> {
    const LONGEST: usize = 40;
    let is_short = |it: &str| it.chars().count() <= LONGEST && it.contains(char::is_numeric);
    let is_plain = |it: &&String| is_short(it) && amount(it).is_none();
    let labels = texts.iter().enumerate().filter(|(_, it)| is_total(it));
    let found = labels.filter_map(|(at, it)| {
        let next = || texts.get(at + 1).filter(is_plain).map(|next| format!("{it} {next}"));
        if it.contains(char::is_numeric) {
            Some(it.clone()).filter(|it| is_plain(&it))
        } else {
            next()
        }
    });
    found.filter(|it| it.chars().count() <= 2 * LONGEST).collect()
}

/// All amounts of a text: "$0.99 for the first month, then $49.99".
fn amounts_in(text: &str) -> Vec<String> {
    let Some(first) = amount(text) else { return Vec::new() };
    let mut found = vec![first];
    let mut before = None;
    for (at, c) in text.char_indices() {
        let begins_word = before.is_some_and(char::is_whitespace) && !c.is_whitespace();
        // Scripts without blanks: behind a number, and in none.
        let may_go_on = matches!(c, '.' | ',' | '\'' | '’' | '\u{66b}' | '\u{66c}');
        let behind_number = before.is_some_and(char::is_numeric) && !c.is_numeric() && !may_go_on;
        if begins_word || behind_number {
            found.extend(amount(&text[at..]));
        }
        before = Some(c);
    }
    found
}

/// An amount as a number: the last separator begins the cents if two digits follow it.
fn value(amount: &str) -> f64 {
    let number: String = amount.chars().filter_map(figure).collect();
    let cents = number.rfind(['.', ',']).filter(|at| number.len() - at <= 3);
    let (whole, cents) = number.split_at(cents.unwrap_or(number.len()));
    let digits = |text: &str| {
        text.chars()
            .filter_map(|c| c.to_digit(10))
            .map(f64::from)
            .fold(0.0, |sum, it| sum * 10.0 + it)
    };
    let places = i32::try_from(cents.chars().filter(char::is_ascii_digit).count()).unwrap_or(2);
    digits(whole) + digits(cents) / 10_f64.powi(places)
}

/// A digit of any script, or a separator, as people write it in English.
fn figure(c: char) -> Option<char> {
    match c {
        '.' | ',' => Some(c),
        '\u{66b}' => Some('.'),
        _ => Some(plain_digit(c)).filter(char::is_ascii_digit),
    }
}

/// Whether anything on the screen is about money: an amount, a total, an account.
pub(super) fn tells_of_money(screen: &ScreenFacts) -> bool {
    #[rustfmt::skip]
    static MONEY: List = List::new("перевод|перевода|получатель|получателя|получателю|банк|сумма|сумму|valor|celular|баланс|счёт|карта|карту|карты|деньги|денег|оплата|платёж|комиссия|сметка|пари|saldo|solde|crédito|crédit|cartão|tarjeta|carte|conta|cuenta|compte|pagamento|pago|paiement|recarga|recharge|operadora|operador|opérateur");
    // Pages put the number and its sign into texts of their own.
    let is_sign = |it: &str| {
        ["₽", "₴", "€", "$", "R$", "£", "лв", "лв.", "руб", "руб.", "грн"].contains(&it.trim())
    };
    screen.texts.iter().any(|it| {
        let text = normalized(it);
        is_sign(it)
            || amount(it).is_some()
            || TOTALS.iter().chain(MONEY.iter()).any(|word| holds(&text, word))
    })
}

/// The amount on what is touched, else beside what is sent, else beside a word for a total, else the last on the screen
/// that is not said to be something else.
fn main_amount(screen: &ScreenFacts, texts: &[String]) -> Option<String> {
    let aimed = screen.aimed.iter().flat_map(|it| &it.names);
    if let Some(found) = aimed.into_iter().find_map(|it| amount(it)) {
        return Some(found);
    }
    let labelled = |is_label: fn(&str) -> bool| {
        let labels = texts.iter().enumerate().rev().filter(move |(_, it)| is_label(it));
        labels.into_iter().find_map(|(at, _)| beside(texts, at))
    };
    if let Some(found) = labelled(is_sent).or_else(|| labelled(is_total)) {
        return Some(found);
    }
    // Sent without a currency.
    if texts.iter().any(|it| is_sent(it)) {
        return None;
    }
    let rest = (0..texts.len()).rev().filter(|at| !is_other(texts, *at));
    rest.into_iter().find_map(|at| amount(&texts[at]))
}

/// The amount of a label. Behind it stands an amount, or beside it a rate or a coin: what has a label of its own is
/// another's.
fn beside(texts: &[String], at: usize) -> Option<String> {
    let next =
        texts[at + 1..].iter().take(2).take_while(|it| amount(it).is_some() || !says_what(it));
    amount(&texts[at]).or_else(|| next.into_iter().find_map(|it| amount(it)))
}

/// Whether a text says which amount stands behind it.
fn says_what(text: &str) -> bool {
    let text = normalized(text);
    [&SENT, &TOTALS, &OTHERS].iter().any(|list| list.iter().any(|it| holds(&text, it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(texts: &[&str]) -> Option<String> {
        let texts = texts.iter().map(|it| (*it).to_owned()).collect();
        on_screen(&ScreenFacts { texts, ..ScreenFacts::default() })
    }

    #[test]
    fn an_amount_in_pieces_is_whole() {
        for (texts, whole) in [
            (&["Total", "$", "500", ".00"][..], "$500.00"),
            (&["Total", "$", "500", ".", "00", "Qty", "2"], "$500.00"),
            (&["12,", "50", "€"], "12,50 €"),
            (&["Total", "Rs", "500", "2"], "Rs 500"),
        ] {
            assert_eq!(shown(texts).as_deref(), Some(whole), "{texts:?}");
        }
    }

    #[test]
    fn what_is_sent_is_told_and_neither_what_is_left_nor_what_it_costs() {
        for (texts, told) in [
            (
                &["To", "Anna", "You send", "5 000,00 zł", "Daily limit left", "€10.00"][..],
                "5 000,00 zł",
            ),
            (&["To", "Anna", "You send", "1 BTC", "Network fee", "$0.10"], "1 BTC"),
            (
                &[
                    "Balance",
                    "€2,310.00",
                    "Recipient",
                    "Viktor",
                    "You send",
                    "500",
                    "They get",
                    "500",
                ],
                "You send 500",
            ),
            (&["Importe", "5.000 €", "IVA", "1,50 €", "Total balance", "€99.00"], "5.000 €"),
            (&["Amount", "500.00 EUR", "Cashback", "€1.00 off next time"], "500.00 EUR"),
            (&["Viktor", "€500.00", "Fee", "€0.00"], "€500.00"),
            (&["Fee: €1.50"], "€1.50"),
        ] {
            let found = shown(texts).unwrap_or_default();
            assert!(found.starts_with(told), "{texts:?}: {found}");
        }
    }

    #[test]
    fn what_a_reference_calls_the_amount_hides_no_other() {
        for (texts, all) in [
            (&["To", "Viktor", "€900.00", "Reference", "You send €1.00"][..], &["€900.00"][..]),
            (&["Balance", "€2,310.00", "€900.00", "You send €1.00"], &["€900.00", "€2,310.00"]),
            (&["Amount", "900.00", "Reference", "You send €1.00"], &["Amount 900.00"]),
            (&["Amount: 900", "Reference", "You send €1.00"], &["Amount: 900"]),
            (&["Total", "900", "Reference", "Total: 1"], &["Total 900"]),
            (&["Betrag", "900,00", "Verwendungszweck", "Sie zahlen 1,00 €"], &["900,00"]),
            (&["Amount", "0.5 BTC", "Message", "You send €1.00"], &["0.5 BTC"]),
            (
                &[
                    "€900.00",
                    "Message",
                    "You send €1.00 for €2000, €3000 and €4000",
                    "Total: €5000",
                ],
                &["€900.00"],
            ),
        ] {
            let found = shown(texts).unwrap_or_default();
            assert!(all.iter().all(|it| found.contains(it)), "{texts:?}: {found}");
        }
        // What is less is a part of it.
        let texts = ["Amount", "€500.00", "Total", "€501.50"];
        assert_eq!(shown(&texts).as_deref(), Some("€501.50"));
    }

    #[test]
    fn a_total_without_a_currency_is_told_as_it_stands() {
        assert_eq!(shown(&["Shop", "Total: 5000"]).as_deref(), Some("Total: 5000"));
        assert_eq!(shown(&["Shop", "Total", "5000"]).as_deref(), Some("Total 5000"));
        assert_eq!(shown(&["Shop", "5000"]), None);
    }
}
