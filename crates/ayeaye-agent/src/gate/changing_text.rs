//! Text that a screen changes by itself, so that no approval depends on it: how long ago something was, how many are
//! watching, whether somebody is typing, countdowns.
use super::countdown::{seconds, take_countdowns};
use super::price::amount;
use super::text::{List, holds, normalized, words};

/// What says with a number and a unit how long ago something was.
#[rustfmt::skip]
static AGO: List = List::new("ago|vor|hace|il y a|há|atrás|fa|geleden|temu|önce|назад|тому|منذ|पहले|yang lalu|lalu|trước|ที่แล้ว|sedan|siden|sitten|před|ezelőtt|acum|în urmă|πριν|преди|prije|לפני|전|\
        秒前|分前|分钟前|分鐘前|小时前|小時前|時間前|天前|日前");
/// What says without a number that something was just now.
#[rustfmt::skip]
static JUST_NOW: List = List::new("just now|a moment ago|moments ago|a minute ago|gerade eben|ahora mismo|à l'instant|agora mesmo|proprio ora|zojuist|przed chwilą|az önce|только что|щойно|刚刚|剛剛|たった今|방금|الآن|अभी अभी|baru saja|vừa xong|เมื่อสักครู่|just nu|lige nu|akkurat nå|juuri nyt|právě teď|épp most|chiar acum|μόλις τώρα|току-що|upravo sada|כרגע");
/// What stands beside those.
#[rustfmt::skip]
static UNITS: List = List::new("s|sec|secs|second|seconds|m|min|mins|minute|minutes|h|hr|hrs|hour|hours|d|day|days|an|a|sek|sekunde|sekunden|minuten|std|stunde|stunden|tag|tagen|segundo|segundos|minuto|minutos|hora|horas|día|días|seconde|secondes|heure|heures|jour|jours|dia|dias|\
        secondo|secondi|minuti|ora|ore|giorno|giorni|seconden|minuut|uur|dag|dagen|sekund|sekundy|minut|minuty|godz|godzin|godziny|dni|saniye|dakika|dk|saat|gün|сек|секунд|мин|минут|минуты|минуту|час|часа|часов|дней|дня|день|хв|хвилин|годин|днів|\
        دقيقة|دقائق|ساعة|ساعات|يوم|أيام|मिनट|घंटे|दिन|detik|menit|jam|hari|giây|phút|giờ|ngày|นาที|ชั่วโมง|วัน|minuter|timmar|timme|dagar|minutter|timer|tuntia|päivää|minuttia|hodin|dny|perccel|órával|perce|ore|zile|de|λεπτά|ώρες|минути|дни|minuta|sati|דקות|שעות|분|시간|일|초");
/// What is counted while a page is open.
#[rustfmt::skip]
static COUNTED: List = List::new("views|viewers|watching|viewing|likes|online|looking|aufrufe|zuschauer|gefällt|vistas|visualizaciones|espectadores|vues|spectateurs|visualizações|visualizzazioni|weergaven|kijkers|wyświetleń|görüntüleme|izleyici|просмотров|просмотра|зрителей|переглядів|次观看|人正在看|回視聴|조회수|مشاهدة|ditonton|lượt xem|visningar|visninger");
/// What the line below a name says of somebody.
#[rustfmt::skip]
static PRESENCE: List = List::new("online|typing|last seen|active now|active|recording audio|schreibt|zuletzt|tippt|aktiv|en línea|escribiendo|últ. vez|última vez|en ligne|écrit|en train d'écrire|vu|digitando|visto por último|sta scrivendo|ultimo accesso|aan het typen|laatst gezien|pisze|dostępny|yazıyor|çevrimiçi|son görülme|\
        печатает|в сети|был|была|друкує|у мережі|正在输入|对方正在输入|在线|輸入中|オンライン|入力中|입력 중|온라인|يكتب|متصل|ऑनलाइन|mengetik|daring|đang nhập|trực tuyến|กำลังพิมพ์|ออนไลน์|skriver|kirjoittaa|píše|gépel|scrie|γράφει|пише|מקליד");
/// The longest text, in words, in which a number may be a count.
const SHORT: usize = 6;

/// A text without its parts that change by themselves. Times that may count down are added to `times` in seconds, so
/// that a comparison can tell whether they have changed by the time that has passed.
pub(super) fn without_changing_text(text: &str, times: &mut Vec<u32>) -> String {
    let plain = normalized(text);
    if tells_how_long_ago(&plain) && amount(text).is_none() {
        return String::new();
    }
    let is_count = COUNTED.iter().any(|it| holds(&plain, it));
    if is_count
        && words(&plain).count() <= SHORT
        && amount(text).is_none()
        && has_one_number(&plain)
    {
        return text.chars().filter(|c| !c.is_numeric() && !matches!(c, '.' | ',')).collect();
    }
    let text = take_countdowns(text, times);
    let mut out = String::with_capacity(text.len());
    // How long it takes in units: "2h 03m 12s".
    let mut span: Vec<(&str, u32)> = Vec::new();
    for word in text.split_whitespace() {
        if let Some((of_one, number)) = in_units(word)
            && span.last().is_none_or(|(last, _)| of_one < in_unit_seconds(last))
        {
            span.push((word, number * of_one));
            if of_one == 1 {
                times.push(span.drain(..).map(|(_, it)| it).fold(0, u32::saturating_add));
                out.push(' ');
            }
            continue;
        }
        keep(&mut out, span.drain(..).map(|(word, _)| word));
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        match seconds(bare).filter(|_| bare.contains(':')) {
            Some(time) => {
                times.push(time);
                keep(&mut out, [word.replacen(bare, "", 1).as_str()]);
            }
            None => keep(&mut out, [word]),
        }
    }
    keep(&mut out, span.drain(..).map(|(word, _)| word));
    out
}

fn keep<'a>(out: &mut String, words: impl IntoIterator<Item = &'a str>) {
    for word in words {
        out.push_str(word);
        out.push(' ');
    }
}

/// Whether a text at the top says what somebody is doing now: "online", "typing…".
pub(super) fn tells_presence(text: &str) -> bool {
    let plain = normalized(text);
    PRESENCE.iter().any(|it| holds(&plain, it))
}

/// Whether a text (normalized) tells how long ago something was, and nothing else.
fn tells_how_long_ago(text: &str) -> bool {
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    if JUST_NOW.iter().any(|it| it.as_str() == text) {
        return true;
    }
    if !has_one_number(text) {
        return false;
    }
    let Some(ago) = AGO.iter().filter(|it| holds(text, it)).max_by_key(|it| it.len()) else {
        return false;
    };
    let rest = text.replacen(ago.as_str(), " ", 1);
    words(&rest).all(|word| {
        let unit = word.trim_start_matches(char::is_numeric);
        unit.is_empty() || UNITS.iter().any(|it| it.as_str() == unit)
    })
}

/// Whether there is one number in a text.
fn has_one_number(text: &str) -> bool {
    let is_other = |c: char| !c.is_numeric() && !matches!(c, '.' | ',');
    text.split(is_other).filter(|it| it.contains(char::is_numeric)).count() == 1
}

/// A number with a unit of time right behind it: the seconds of one, and how many.
fn in_units(word: &str) -> Option<(u32, u32)> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let digits = word.find(|c: char| !c.is_ascii_digit())?;
    let number = word[..digits].parse().ok().filter(|it| *it < 1000)?;
    let of_one = match &word[digits..] {
        "d" => 86_400,
        "h" | "hr" | "hrs" | "std" => 3600,
        "m" | "min" | "мин" | "分" => 60,
        "s" | "sec" | "sek" | "сек" | "秒" => 1,
        _ => return None,
    };
    Some((of_one, number))
}

fn in_unit_seconds(word: &str) -> u32 {
    in_units(word).map_or(0, |(of_one, _)| of_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn still(text: &str) -> (String, Vec<u32>) {
        let mut times = Vec::new();
        let text = without_changing_text(text, &mut times);
        (text.split_whitespace().collect::<Vec<_>>().join(" "), times)
    }

    #[test]
    fn what_ticks_is_left_out() {
        for text in ["2 min ago", "just now", "vor 5 Minuten", "5m ago", "3分钟前", "hace 2 horas"]
        {
            assert_eq!(still(text), (String::new(), vec![]), "{text}");
        }
        for (one, other) in
            [("12.3K views", "12.4K views"), ("12 people are viewing", "9 people are viewing")]
        {
            assert_eq!(still(one), still(other));
        }
        for (text, rest, time) in [
            ("Ends in 4:59", "Ends in", 299),
            ("Offer ends in 2h 03m 12s!", "Offer ends in", 7392),
            ("Resend (59 s)", "Resend ()", 59),
            ("14:30", "", 870),
        ] {
            assert_eq!(still(text), (rest.to_owned(), vec![time]), "{text}");
        }
    }

    #[test]
    fn what_an_act_is_about_stays() {
        for text in [
            "To Anna",
            "1 selected",
            "Qty 99",
            "$5.00 per week",
            "30 min",
            "2h 30m",
            "Mallory, 2 min ago",
            "5 days",
            "$5 ago",
            "Delete 5 views and 3 likes",
            "bc1qAbC",
            "now",
        ] {
            assert_eq!(still(text), (text.to_owned(), vec![]), "{text}");
        }
    }
}
