//! The amount of money that a screen is about.
use super::request::ScreenFacts;
use super::text::{List, amount, holds, normalized, normalized_all};

/// What stands beside the amount that is paid.
#[rustfmt::skip]
static TOTALS: List = List::new(|| normalized_all(&[
    "total", "sum", "amount", "to pay", "importe", "montant", "à payer", "summe", "gesamt", "gesamtbetrag", "betrag", "totale", "importo", "totaal", "bedrag",
    "razem", "suma", "kwota", "toplam", "tutar", "итого", "сумма", "всего", "разом", "сума", "合计", "总计", "总额", "实付", "应付", "金额", "合計", "金額",
    "합계", "총", "금액", "المجموع", "الإجمالي", "المبلغ", "कुल", "राशि", "jumlah", "tổng", "ยอดรวม", "ยอด", "จำนวนเงิน",
]));

/// The amount on what is touched, else beside a word for a total, else the last on the screen.
pub(super) fn on_screen(screen: &ScreenFacts) -> Option<String> {
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
