//! Amounts of money in texts: in figures and in words, with the signs, codes and names of currencies.
use std::collections::HashSet;
use std::sync::LazyLock;

use super::text::{normalized, words};

/// Signs, and what stands right beside a number in scripts without blanks.
#[rustfmt::skip]
const SIGNS: &[&str] = &[
    "€", "$", "£", "¥", "￥", "₹", "₽", "₩", "₺", "₫", "฿", "₴", "₪", "₦", "₱", "₲", "₵", "₡", "₭", "₮", "₸", "₼", "₾", "₿", "₨", "៛", "֏", "؋", "﷼", "৳", "¢", "＄", "￡", "￦", "zł",
    "元", "円", "원", "圆", "圓", "块钱", "塊錢", "美元", "欧元", "歐元", "港币", "港幣", "卢布", "ドル", "ユーロ", "달러", "유로", "ر.س", "د.إ", "ج.م", "د.ك", "ر.ق", "د.ا", "د.م", "S/", "B/.",
];
/// Signs with letters before them, which tell one currency from others with its sign.
#[rustfmt::skip]
const LETTERED_SIGNS: &[&str] = &[
    "US$", "R$", "A$", "AU$", "C$", "CA$", "HK$", "MX$", "NT$", "NZ$", "S$", "SG$", "RD$", "TT$", "J$", "G$", "N$", "Z$", "B$", "EC$", "CN¥", "JP¥", "E£",
];
/// Codes and short names, in any case.
#[rustfmt::skip]
const CODES: &[&str] = &[
    "eur", "usd", "gbp", "jpy", "cny", "rmb", "inr", "rub", "krw", "vnd", "thb", "uah", "pln", "idr", "brl", "chf", "sek", "aud", "cad", "tl", "rp",
    "kr", "kc", "rs", "lei", "лв", "руб", "грн", "тг", "ден", "дин", "zl", "đ", "usdt", "usdc",
];
/// Codes that are other words where they are written small.
#[rustfmt::skip]
const CAPITAL_CODES: &[&str] = &[
    "TRY", "SAR", "AED", "EGP", "ILS", "NIS", "NOK", "DKK", "CZK", "HUF", "RON", "BGN", "NZD", "ZAR", "MXN", "ARS", "CLP", "COP", "PEN", "SGD", "HKD", "TWD", "MYR", "RM", "PHP", "NGN", "KES", "GHS", "PKR",
    "BDT", "LKR", "QAR", "KWD", "BHD", "OMR", "JOD", "MAD", "TND", "DZD", "IRR", "IQD", "KZT", "GEL", "AMD", "AZN", "UZS", "BYN", "RSD", "MKD", "BTC", "ETH", "BNB", "SOL", "XRP", "DOGE", "TON", "Ft",
];
/// Names of currencies.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "euro", "euros", "dollar", "dollars", "bucks", "pounds", "pound", "yen", "yuan", "rupee", "rupees", "rupie", "peso", "pesos", "reais", "franken", "francs", "kronor", "kroner", "korun", "koruna", "forint", "złotych", "złote", "złoty", "lira", "liras",
    "рублей", "рубля", "рубль", "гривень", "гривні", "гривня", "тенге", "долларов", "доллара", "евро", "євро", "лева", "ευρώ", "ευρω", "שקל", "שקלים", "ريال", "درهم", "دينار", "جنيه", "ليرة", "دولار", "يورو", "تومان", "रुपये", "रुपए", "टका", "টাকা", "บาท", "đồng", "rupiah", "ringgit", "naira", "shekels",
];
/// Numbers in words.
#[rustfmt::skip]
const NUMBERS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "fifteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred", "thousand", "million",
    "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig", "hundert", "einhundert", "zweihundert", "fünfhundert", "tausend",
    "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "veinte", "treinta", "cuarenta", "cincuenta", "cien", "doscientos", "quinientos", "mil", "deux", "trois", "quatre", "cinq", "sept", "huit", "neuf", "dix", "vingt", "trente", "quarante", "cinquante", "cent", "cents", "mille",
    "dois", "dez", "vinte", "trinta", "cinquenta", "cem", "due", "tre", "quattro", "cinque", "dieci", "venti", "trenta", "cinquanta", "cento", "vijf", "tien", "twintig", "vijftig", "honderd", "duizend", "pięć", "dziesięć", "dwadzieścia", "pięćdziesiąt", "sto", "tysiąc", "beş", "yirmi", "elli", "yüz", "bin",
    "пять", "десять", "двадцать", "тридцать", "пятьдесят", "сто", "двести", "пятьсот", "тысяча", "тысячу", "тысяч", "двадцять", "п'ятдесят", "тисяча", "عشرة", "عشرون", "خمسون", "مئة", "مائة", "ألف", "दस", "बीस", "पचास", "सौ", "हजार", "हज़ार", "puluh", "ratus", "ribu", "mươi", "trăm", "nghìn", "ngàn",
];
/// How often it is paid.
#[rustfmt::skip]
const PERIODS: &[&str] = &[
    "mo", "month", "monthly", "months", "yr", "year", "yearly", "annually", "week", "weekly", "wk", "monat", "monatlich", "jahr", "jährlich", "woche", "mes", "mensual", "año", "anual", "semana", "mois", "mensuel", "semaine", "mês", "mensal", "ano", "mese", "mensile", "anno", "settimana",
    "maand", "maandelijks", "jaar", "miesiąc", "miesięcznie", "rok", "rocznie", "aylık", "yıllık", "yıl", "мес", "месяц", "ежемесячно", "год", "місяць", "рік", "شهر", "شهريا", "سنة", "महीना", "माह", "साल", "bulan", "tahun", "tháng", "năm", "เดือน", "ปี", "månad", "måned", "kuukausi", "měsíc", "hónap", "lună", "μήνα", "месец", "mjesec", "חודש",
];
/// How often it is paid, in scripts without blanks.
const PERIODS_WITHIN: &[&str] = &[
    "/月",
    "每月",
    "/年",
    "每年",
    "包月",
    "包年",
    "月額",
    "年額",
    "/개월",
    "매월",
    "매년",
    "/월",
    "เดือน",
    "ต่อปี",
];
/// What stands beside a price and says nothing more.
#[rustfmt::skip]
const BESIDE: &[&str] = &["us", "hk", "nt", "au", "ca", "nz", "sg", "mx", "rd", "tt", "ec", "cn", "jp", "per", "a", "each", "every", "only", "just", "now", "pro", "por", "par", "al", "na", "в", "за", "r", "s", "b"];

static NAME_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| set(&[NAMES]));
static CODE_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| set(&[NAMES, CODES]));
static NUMBER_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| set(&[NUMBERS]));
static PERIOD_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| set(&[PERIODS]));
static PRICE_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| set(&[NAMES, CODES, CAPITAL_CODES, PERIODS, BESIDE]));

fn set(lists: &[&[&str]]) -> HashSet<String> {
    lists.iter().flat_map(|it| *it).map(|it| normalized(it)).collect()
}

/// Whether a text shows an amount of money, and which: the amount with its currency, in figures or in words.
pub(super) fn amount(text: &str) -> Option<String> {
    if text.contains(char::is_numeric) { in_figures(text) } else { in_words(text) }
}

/// Whether a text has a number with two decimals, which is an amount where it stands beside what agrees: "Yes, 24.90".
pub(super) fn has_cents(text: &str) -> bool {
    let ends = text.match_indices(['.', ',']).map(|(at, mark)| (at, at + mark.len()));
    let mut marks = ends.map(|(from, to)| (&text[..from], &text[to..]));
    marks.any(|(before, after)| {
        let decimals = after.chars().take_while(|c| c.is_numeric()).count();
        decimals == 2 && before.ends_with(char::is_numeric)
    })
}

/// The amount of money that a text shows in figures.
pub(super) fn in_figures(text: &str) -> Option<String> {
    let mut from = 0;
    while let Some(start) = text[from..].find(char::is_numeric).map(|at| at + from) {
        let end = number_end(text, start);
        let number = &text[start..end];
        let before = text[..start].trim_end();
        let after = text[end..].trim_start();
        // An amount, and how much stands behind it, unless it may be a part of one.
        let sure = |amount: String, rest: &str| {
            let part = may_go_on_before(text, start) || may_go_on_after(rest);
            if part { around(text, start) } else { amount }
        };
        if let Some(sign) = sign_before(before) {
            return Some(sure(format!("{sign}{number}"), &text[end..]));
        }
        if let Some(sign) = sign_behind(after) {
            return Some(sure(format!("{number} {sign}"), &after[sign.len()..]));
        }
        let not_letter = |c: char| !c.is_alphabetic() && !matches!(c, '\u{900}'..='\u{e7f}');
        let before = before.trim_end_matches('.');
        let last = before.rsplit(not_letter).next().unwrap_or_default();
        let next = after.split(not_letter).next().unwrap_or_default();
        if is_code(last) {
            return Some(sure(format!("{last} {number}"), &text[end..]));
        }
        if is_code(next) {
            return Some(sure(format!("{number} {next}"), &after[next.len()..]));
        }
        from = end;
    }
    None
}

/// The sign at the end of what stands before a number. "TOTALS$" ends with none that has letters.
fn sign_before(before: &str) -> Option<&'static str> {
    let apart = |sign: &&&str| {
        before.strip_suffix(**sign).is_some_and(|rest| !rest.ends_with(char::is_alphabetic))
    };
    let plain = SIGNS.iter().find(|sign| before.ends_with(**sign));
    LETTERED_SIGNS.iter().find(apart).or(plain).copied()
}

/// The sign at the beginning of what stands behind a number.
fn sign_behind(after: &str) -> Option<&'static str> {
    LETTERED_SIGNS.iter().chain(SIGNS).find(|sign| after.starts_with(**sign)).copied()
}

/// Where the number ends that begins here: its digits, the signs between them, and blanks before each three digits.
fn number_end(text: &str, start: usize) -> usize {
    let figures = |at: usize| text[at..].chars().take_while(|c| c.is_numeric()).count();
    let mut digits = figures(start);
    let mut end = start + text[start..].chars().take(digits).map(char::len_utf8).sum::<usize>();
    let mut has_cents = false;
    while let Some(sign) = text[end..].chars().next() {
        let next = end + sign.len_utf8();
        let more = figures(next);
        let joins = match sign {
            '.' | ',' | '\'' | '\u{2019}' | '\u{66b}' | '\u{66c}' => 0 < more,
            _ => is_blank(sign) && !has_cents && digits <= 3 && more == 3,
        };
        if !joins {
            break;
        }
        has_cents |= matches!(sign, '.' | ',' | '\u{66b}');
        digits = more;
        end = next + text[next..].chars().take(more).map(char::len_utf8).sum::<usize>();
    }
    end
}

/// Whether digits stand right before a number, so that they may belong to it: "2 4,99", "1·299", "5-10".
fn may_go_on_before(text: &str, start: usize) -> bool {
    let before = text[..start].trim_end_matches(is_blank);
    let between = before.strip_suffix(is_mark).filter(|_| before.len() == start);
    between.unwrap_or(before).ends_with(char::is_numeric)
}

/// Whether what stands behind an amount may belong to it: digits right there, or how many times a thousand it is.
fn may_go_on_after(rest: &str) -> bool {
    #[rustfmt::skip]
    const TIMES: &[&str] = &[
        "k", "m", "mn", "mio", "mil", "mln", "million", "millions", "thousand", "lakh", "lakhs", "crore", "crores", "cr", "b", "bn", "billion", "tsd", "tausend", "тыс", "тысяч", "тис", "тисяч", "млн", "jt", "juta", "rb", "ribu", "triệu", "bin", "milyon", "tys",
    ];
    let between = rest.strip_prefix(is_mark).unwrap_or(rest);
    let rest = rest.trim_start_matches(is_blank);
    let word = rest.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    between.starts_with(char::is_numeric)
        || rest.starts_with(char::is_numeric)
        || rest.starts_with(['万', '萬', '亿', '億', '千', '만', '천', '억'])
        || TIMES.contains(&word.to_lowercase().as_str())
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}')
}

/// Whether a sign between two numbers may be one inside a number.
fn is_mark(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace()
}

/// The text around a place, as far as a question has room for it.
fn around(text: &str, at: usize) -> String {
    const HALF: usize = 60;
    let from = text.floor_char_boundary(at.saturating_sub(HALF));
    let to = text.ceil_char_boundary((at + HALF).min(text.len()));
    let cut = |is: bool| if is { "…" } else { "" };
    format!("{}{}{}", cut(0 < from), text[from..to].trim(), cut(to < text.len()))
}

/// Whether a text is nothing but a currency: its sign, code or name.
pub(super) fn is_currency(text: &str) -> bool {
    SIGNS.contains(&text) || LETTERED_SIGNS.contains(&text) || is_code(text)
}

fn is_code(word: &str) -> bool {
    let ends = word.is_empty() || 12 < word.chars().count();
    !ends && (CAPITAL_CODES.contains(&word) || CODE_WORDS.contains(&normalized(word)))
}

/// An amount without figures: "twenty euros", "五十元".
fn in_words(text: &str) -> Option<String> {
    if let Some(at) = text.find(['元', '円', '圆', '圓', '块', '塊']) {
        let numeral = |c: char| "一二三四五六七八九十百千万萬两兩".contains(c);
        let number: String = text[..at].chars().rev().take_while(|c| numeral(*c)).collect();
        let unit = text[at..].chars().next()?;
        if !number.is_empty() {
            return Some(number.chars().rev().chain([unit]).collect());
        }
    }
    let text = normalized(text);
    let all: Vec<&str> = words(&text).take(60).collect();
    let pair = all.windows(2).find(|it| NUMBER_WORDS.contains(it[0]) && NAME_WORDS.contains(it[1]));
    pair.map(|it| it.join(" "))
}

/// Whether a text is nothing but an amount, and how often it is paid.
pub(super) fn is_price(text: &str) -> bool {
    let plain = normalized(text);
    let is_figure = |word: &str| word.chars().all(char::is_numeric);
    let said = |word: &str| {
        is_figure(word)
            || PRICE_WORDS.contains(word)
            || NUMBER_WORDS.contains(word)
            || SIGNS.iter().any(|it| {
                let rest = word.trim_start_matches(|c: char| {
                    c.is_numeric() || "一二三四五六七八九十百千万".contains(c)
                });
                *it == word || *it == rest
            })
            || word.chars().filter(|c| c.is_alphabetic()).count() <= 1
            || word.trim_start_matches(char::is_numeric) == "月"
    };
    text.chars().count() <= 40 && words(&plain).all(said) && amount(text).is_some()
}

/// Whether an amount in a text is paid again and again.
pub(super) fn is_repeated(text: &str) -> bool {
    let often = || {
        let plain = normalized(text);
        words(&plain).any(|it| PERIOD_WORDS.contains(it))
            || PERIODS_WITHIN.iter().any(|it| plain.contains(it))
    };
    amount(text).is_some() && often()
}

/// A name without the amount in it, if there is one, normalized: "checkout" of "Checkout €49.95".
pub(super) fn without_amount(name: &str) -> Option<String> {
    amount(name)?;
    let name = normalized(name);
    let letters = |word: &&str| !word.contains(char::is_numeric) && !PRICE_WORDS.contains(*word);
    Some(words(&name).filter(letters).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_decimals_may_be_an_amount() {
        for text in ["Confirm 24,90", "Yes, 24.90", "OK 1.299,00", "٢٤.٩٠"] {
            assert!(has_cents(text), "{text}");
        }
        for text in ["Continue (5)", "Update 2.1", "12:30", "1.299", "a.90", ".", "5,"] {
            assert!(!has_cents(text), "{text}");
        }
    }

    #[test]
    fn amounts_are_found_in_many_currencies() {
        for (text, found) in [
            ("Pay €49.95 now", Some("€49.95")),
            ("Total 1.299,00 €", Some("1.299,00 €")),
            ("¥ 88", Some("¥88")),
            ("USD 20", Some("USD 20")),
            ("250 TL öde", Some("250 TL")),
            ("499 Kč", Some("499 Kč")),
            ("Rs. 500", Some("Rs 500")),
            ("20 ر.س", Some("20 ر.س")),
            ("1 200 Ft", Some("1 200 Ft")),
            ("Total: 1 299 kr", Some("1 299 kr")),
            ("12 990 ₽", Some("12 990 ₽")),
            ("Do zapłaty 1\u{2009}299,00 zł", Some("1\u{2009}299,00 zł")),
            ("1\u{a0}299\u{a0}000,50 ₽", Some("1\u{a0}299\u{a0}000,50 ₽")),
            ("CHF 1’299.00", Some("CHF 1’299.00")),
            ("١٬٢٩٩٫٠٠ ر.س", Some("١٬٢٩٩٫٠٠ ر.س")),
            ("2 4,99 €", Some("2 4,99 €")),
            ("2024 500 kr", Some("2024 500 kr")),
            ("Seats 5-10 €", Some("Seats 5-10 €")),
            ("1·299 €", Some("1·299 €")),
            ("CHF 1·299.00", Some("CHF 1·299.00")),
            ("€1_299 now", Some("€1_299 now")),
            ("2 €4.99", Some("2 €4.99")),
            ("5€99", Some("5€99")),
            ("Pay ¥12万", Some("Pay ¥12万")),
            ("₹2.5 lakh", Some("₹2.5 lakh")),
            ("€4.99, 2 items", Some("€4.99")),
            ("1\u{200b}299 kr", Some("1\u{200b}299 kr")),
            ("From 10:30, 4.99 €", Some("4.99 €")),
            ("Pagar R$ 49,90", Some("R$49,90")),
            ("Total HK$1,299.00", Some("HK$1,299.00")),
            ("Pay US$ 5", Some("US$5")),
            ("49.90 NT$", Some("49.90 NT$")),
            ("TOTALS$5", Some("$5")),
            ("4.99 200 €", Some("4.99 200 €")),
            ("fünfzig Euro", Some("funfzig euro")),
            ("请付五十元", Some("五十元")),
            ("сто рублей", Some("сто рублей")),
            ("TRY 250", Some("TRY 250")),
            ("Try 2 new recipes this week", None),
            ("3 items", None),
            ("6 ft", None),
            ("10:30", None),
            ("all about euros", None),
            ("", None),
        ] {
            let found = found.map(str::to_owned);
            assert_eq!(
                amount(text).map(|it| normalized(&it)),
                found.map(|it| normalized(&it)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_price_is_nothing_but_an_amount() {
        for text in [
            "€4.99",
            "$12/mo",
            "US$0.99 / month",
            "499 Kč",
            "twenty euros",
            "五十元",
            "$1.99 each week",
        ] {
            assert!(is_price(text), "{text}");
        }
        for text in ["Boots €49.95", "42", "from €5", "10 min", "€49.95 off"] {
            assert!(!is_price(text), "{text}");
        }
        assert!(is_repeated("Then €59.99 per year"));
        assert!(is_repeated("¥25/月，自动续费"));
        assert!(!is_repeated("Total €49.95"));
        assert_eq!(without_amount("Checkout €49.95").as_deref(), Some("checkout"));
    }
}
