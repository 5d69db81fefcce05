//! What a screen says of who gets money or goods: the labels in front of a name, an account or an address, and texts
//! that are one.
use super::text::{List, find, normalized, words};

/// What stands before who is paid.
#[rustfmt::skip]
static PAYEES: List = List::new("to|recipient|payee|beneficiary|paying|pay to|sending to|send to|an|empfänger|empfängerin|begünstigter|begünstigte|zahlungsempfänger|para|destinatario|destinataria|beneficiario|beneficiaria|enviar a|à|destinataire|bénéficiaire|destinatário|destinatária|favorecido|beneficiário|a|naar|aan|ontvanger|begunstigde|do|odbiorca|alıcı|кому|получатель|получателя|отримувач|\
    收款人|收款方|收款账号|收款账户|收款帳號|转给|受取人|振込先|送金先|받는 사람|받는 분|예금주|إلى|المستلم|المستفيد|प्राप्तकर्ता|penerima|kepada|người nhận|ผู้รับ|mottagare|till|modtager|til|mottaker|saaja|vastaanottaja|příjemce|komu|kedvezményezett|beneficiar|destinatar|către|παραλήπτης|δικαιούχος|получател|primatelj|מוטב|נמען");
/// What stands before an account, an address, or where something is delivered.
#[rustfmt::skip]
static LABELS: List = List::new("ship to|shipping to|deliver to|delivery to|delivery address|shipping address|iban|bic|account|account number|account no|sort code|routing number|upi id|address|wallet address|destination|phone number|reference|pay with|payment method|card|quantity|qty|items|lieferadresse|lieferung an|versand an|liefern an|konto|kontonummer|verwendungszweck|zahlungsart|menge|anzahl|\
    entregar en|dirección|cuenta|concepto|cantidad|livrer à|adresse|compte|quantité|entregar em|endereço|conta|chave pix|quantidade|spedisci a|consegna a|indirizzo|conto|causale|quantità|bezorgen bij|bezorgadres|rekening|omschrijving|aantal|dostawa do|adres|rachunek|numer konta|ilość|teslimat adresi|hesap|açıklama|adet|доставка|адрес|счёт|номер карты|адреса|рахунок|\
    收货人|收货地址|收件人|收件地址|账号|账户|帳號|数量|數量|お届け先|口座番号|宛先|数量|계좌번호|배송지|수량|رقم الحساب|العنوان|खाता|खाता संख्या|पता|rekening|kirim ke|alamat|số tài khoản|địa chỉ|บัญชี|ที่อยู่|leverans till|konto|levering til|tilinumero|toimitusosoite|účet|číslo účtu|címzett|számlaszám|λογαριασμός|сметка|račun|חשבון");

/// The longest text that begins with a label, in words: "Deliver to Birch Lane 12, 1011 Example". Behind a short word as
/// "to" and "a", which begins sentences too, fewer stand.
const LONGEST: usize = 12;
const LONGEST_OF_SHORT: usize = 5;
/// A short word, in bytes.
const SHORT: usize = 3;

/// Whether a text is a label of somebody or something that gets money or goods, or begins with one.
pub(super) fn is_label(text: &str) -> bool {
    begins_with(text, &LABELS) || names_payee(text)
}

/// Whether a text is a label of somebody who is paid, or begins with one.
pub(super) fn names_payee(text: &str) -> bool {
    begins_with(text, &PAYEES)
}

fn begins_with(text: &str, labels: &List) -> bool {
    let text = normalized(text);
    let count = words(&text).count();
    let begins = |label: &String| {
        let most = if label.len() <= SHORT { LONGEST_OF_SHORT } else { LONGEST };
        count <= most && text.starts_with(label.as_str()) && find(&text, label).next() == Some(0)
    };
    labels.iter().any(begins)
}

/// Whether a text tells an account, an address, a card, or how often something is bought.
pub(super) fn identifies(text: &str) -> bool {
    const LONGEST: usize = 100;
    let is_address = || {
        text.split('@').nth(1).is_some_and(|it| it.starts_with(char::is_alphanumeric))
            && !text.starts_with('@')
    };
    text.chars().count() <= LONGEST
        && (is_account(text)
            || is_address()
            || text.contains("••")
            || text.contains("**")
            || has_times(text))
}

/// Whether a text holds the number of an account: eight digits and more, in groups or whole, or a long word of letters and
/// digits as wallets have them.
pub(super) fn is_account(text: &str) -> bool {
    const DIGITS: usize = 8;
    const WALLET: usize = 20;
    let mut digits = 0;
    for c in text.chars() {
        if c.is_numeric() {
            digits += 1;
            if DIGITS <= digits {
                return true;
            }
        } else if !matches!(c, ' ' | '-' | '\u{a0}' | '\u{202f}' | '/' | '*' | '•' | 'X' | 'x')
            && !c.is_ascii_uppercase()
        {
            digits = 0;
        }
    }
    text.split_whitespace().any(|it| {
        WALLET <= it.chars().count()
            && it.chars().all(|c| c.is_ascii_alphanumeric())
            && it.contains(|c: char| c.is_ascii_digit())
    })
}

/// Whether a text says how often something is bought: "2 × Socks", "3x".
fn has_times(text: &str) -> bool {
    let is_count = |it: &str| !it.is_empty() && it.chars().all(|c| c.is_ascii_digit());
    let mut before = "";
    text.contains('×')
        || text.split_whitespace().any(|word| {
            let lower = word.to_ascii_lowercase();
            let counts = lower.strip_suffix('x').is_some_and(is_count)
                || lower.strip_prefix('x').is_some_and(is_count)
                || lower == "x" && is_count(before);
            before = word;
            counts
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_values_are_known() {
        for text in [
            "To",
            "To Anna Berg",
            "Recipient",
            "IBAN:",
            "Deliver to",
            "Empfänger",
            "收款人 王芳",
            "Получатель",
        ] {
            assert!(is_label(text), "{text}");
        }
        for text in ["Total", "Today", "Your payment is protected. All good!", "Fee", "Date"] {
            assert!(!is_label(text), "{text}");
        }
        for text in [
            "LT60 3250 0123 9981 0001",
            "DE12500105175407324931",
            "mallory@evil.example",
            "malory@okaxis",
            "€1,000.00 × 2",
            "1 × Stride Running Shoes",
            "2x Socks",
            "Visa •••• 1234",
            "bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh",
        ] {
            assert!(identifies(text), "{text}");
        }
        for text in ["Main account", "€500.00", "5 000,00 zł", "@anna", "Xbox", "12 May 2026"] {
            assert!(!identifies(text), "{text}");
        }
    }
}
