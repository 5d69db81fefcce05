//! The amount of money that a screen is about.
use super::price::amount;
use super::request::ScreenFacts;
use super::text::{List, holds, normalized};
use crate::secret_text::plain_digit;

/// What stands beside the amount that is paid.
#[rustfmt::skip]
static TOTALS: List = List::new("total|sum|amount|to pay|importe|montant|à payer|summe|gesamt|gesamtbetrag|betrag|totale|importo|totaal|bedrag|\
        razem|suma|kwota|toplam|tutar|итого|сумма|всего|разом|сума|合计|总计|总额|实付|应付|金额|合計|金額|\
        합계|총|금액|المجموع|الإجمالي|المبلغ|कुल|राशि|jumlah|tổng|ยอดรวม|ยอด|จำนวนเงิน");

/// The amount that the screen is about, and the largest beside it, if that is another one: which of two is paid
/// the screen may lie about.
pub(super) fn on_screen(screen: &ScreenFacts) -> Option<String> {
    let main = main_amount(screen)?;
    let aimed = screen.aimed.iter().flat_map(|it| &it.names);
    let all = aimed.chain(&screen.texts).flat_map(|it| amounts_in(it));
    let largest = all.max_by(|one, other| value(one).total_cmp(&value(other)));
    match largest.filter(|it| value(&main) < value(it)) {
        Some(largest) => Some(format!("{main} (the screen also shows {largest})")),
        None => Some(main),
    }
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

/// Whether anything on the screen tells of money: an amount, a total, an account.
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

/// The amount on what is touched, else beside a word for a total, else the last on the screen.
fn main_amount(screen: &ScreenFacts) -> Option<String> {
    let aimed = screen.aimed.iter().flat_map(|it| &it.names);
    if let Some(found) = aimed.into_iter().find_map(|it| amount(it)) {
        return Some(found);
    }
    let is_total = |text: &str| {
        let text = normalized(text);
        TOTALS.iter().any(|total| holds(&text, total))
    };
    let texts = &screen.texts;
    let found =
        texts.iter().enumerate().rev().filter(|(_, it)| is_total(it)).find_map(|(at, it)| {
            amount(it).or_else(|| texts[at + 1..].iter().take(2).find_map(|next| amount(next)))
        });
    found.or_else(|| texts.iter().rev().find_map(|it| amount(it)))
}
