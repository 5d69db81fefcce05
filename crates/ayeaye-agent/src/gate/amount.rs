//! The amount of money that a screen is about.
use super::price::{amount, is_currency};
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
    let texts = joined(&screen.texts);
    let Some(main) = main_amount(screen, &texts) else { return plain_total(&texts) };
    let aimed = screen.aimed.iter().flat_map(|it| &it.names);
    let all = aimed.chain(&texts).flat_map(|it| amounts_in(it));
    let largest = all.max_by(|one, other| value(one).total_cmp(&value(other)));
    match largest.filter(|it| value(&main) < value(it)) {
        Some(largest) => Some(format!("{main} (the screen also shows {largest})")),
        None => Some(main),
    }
}

/// Whether a text says that the amount beside it is what is paid.
pub(super) fn is_total(text: &str) -> bool {
    let text = normalized(text);
    TOTALS.iter().any(|total| holds(&text, total))
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

/// A total in no currency: points, coins, or a number whose sign is drawn.
fn plain_total(texts: &[String]) -> Option<String> {
    const LONGEST: usize = 40;
    let is_short = |it: &str| it.chars().count() <= LONGEST && it.contains(char::is_numeric);
    let found =
        texts.iter().enumerate().rev().filter(|(_, it)| is_total(it)).find_map(|(at, it)| {
            let next =
                || texts.get(at + 1).filter(|it| is_short(it)).map(|next| format!("{it} {next}"));
            if is_short(it) { Some(it.clone()) } else { next() }
        })?;
    (found.chars().count() <= 2 * LONGEST).then_some(found)
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
fn main_amount(screen: &ScreenFacts, texts: &[String]) -> Option<String> {
    let aimed = screen.aimed.iter().flat_map(|it| &it.names);
    if let Some(found) = aimed.into_iter().find_map(|it| amount(it)) {
        return Some(found);
    }
    let found =
        texts.iter().enumerate().rev().filter(|(_, it)| is_total(it)).find_map(|(at, it)| {
            amount(it).or_else(|| texts[at + 1..].iter().take(2).find_map(|next| amount(next)))
        });
    found.or_else(|| texts.iter().rev().find_map(|it| amount(it)))
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
    fn a_total_without_a_currency_is_told_as_it_stands() {
        assert_eq!(shown(&["Shop", "Total: 5000"]).as_deref(), Some("Total: 5000"));
        assert_eq!(shown(&["Shop", "Total", "5000"]).as_deref(), Some("Total 5000"));
        assert_eq!(shown(&["Shop", "5000"]), None);
    }
}
