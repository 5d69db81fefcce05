//! What completes an order: the word for it and the word for what is done with it, in one name.
use std::sync::LazyLock;

use crate::gate::text::{holds, is_spaced, normalized_entries, words};

/// What is completed, and the words that complete it, where no other command stands in them already. As phrases they
/// would be hundreds.
#[rustfmt::skip]
const COMPLETES: &[[&str; 2]] = &[
    ["order|booking|purchase|reservation|bet|trade|checkout|uberx", "complete|confirm|place|finalize|finalise|submit"],
    ["bestellung|buchung|buchen|auftrag|reservierung|kauf|einkauf|vertrag|miete", "abschließen|abschliessen|bestätigen|freigeben|absenden|ausführen|erteilen|verbindlich"],
    ["commande|achat|réservation", "finaliser|valider|confirmer|passer|terminer"],
    ["pedido|compra|reserva|encomenda|pago|pagamento", "finalizar|confirmar|completar|concluir|fechar|tramitar|enviar"],
    ["ordine|acquisto|prenotazione", "completa|conferma|concludi|finalizza|invia"],
    ["bestelling|boeking|aankoop|reservering", "afronden|bevestigen|plaatsen|voltooien"],
    ["zamówienie|zakup|rezerwację", "potwierdź|zatwierdź|sfinalizuj|dokończ"],
    ["alışverişi|siparişi|rezervasyonu", "tamamla|onayla|bitir"],
    ["заказ|покупку|бронирование|замовлення|бронювання", "подтвердить|завершить|оформить|підтвердити|завершити"],
    ["objednávku|nákup|rezervaci", "potvrdit|potvrdiť|dokončit|dokončiť|odeslat"],
    ["köp|beställning|bokning|køb|ordre|bestilling|kjøp", "bekräfta|slutför|bekræft|gennemfør|bekreft|fullfør"],
    ["comanda|rezervarea", "finalizează|confirmă|plasează"],
    ["pesanan|pembelian", "selesaikan|konfirmasi"],
    ["الطلب|طلب|طلبك|الشراء|الحجز", "إتمام|أكمل|تأكيد|أكد"],
    ["bid|appointment|ride|table", "confirm"],
    ["gebot|preisvorschlag|termin|wette", "abgeben|bestätigen|erhöhen|platzieren"],
    ["puja|oferta|cita|viaje", "confirmar|realizar"],
    ["enchère|offre|rendez-vous|course", "confirmer|valider"],
    ["lance|agendamento|consulta|corrida|viagem", "confirmar"],
    ["offerta|appuntamento|corsa", "conferma"],
    ["bod|afspraak|rit", "bevestigen|bevestig"],
    ["ofertę|wizytę|przejazd", "potwierdź"],
    ["teklifi|randevuyu|yolculuğu", "onayla"],
    ["ставку|запись|бронь|поездку|запис|поїздку", "подтвердить|підтвердити"],
    // What a ride is called.
    ["uberx|uberxl|uber|lyft|bolt|grabcar|grabbike|goride|gocar|gojek|didi|cabify|快车|专车|拼车|用车|优步|優步|优选", "choose|confirm|bestätigen|confirmar|confirmer|conferma|bevestigen|potwierdź|onayla|подтвердить|підтвердити|确认|確認|を確定|を確認|확인|تأكيد|पुष्टि|konfirmasi|xác nhận|ยืนยัน|bekräfta|bekræft|bekreft|vahvista|potvrdit"],
    // What is paid in says how much.
    ["deposit|bet|wager", "$|€|£|usd|eur"],
    ["拼单|抢购|叫车|打车|开通|開通|汇出|借款|买入|卖出|申购|赎回|投保|下注", "立即|发起|确认|確認|马上|同意"],
];

/// Most words of such a name, or letters where a script has no blanks: what is longer is a text.
const MOST: [usize; 2] = [6, 12];

static ROWS: LazyLock<Vec<[Vec<String>; 2]>> =
    LazyLock::new(|| COMPLETES.iter().map(|row| row.map(normalized_entries)).collect());

/// Whether a name (normalized) completes an order.
pub(super) fn completes_order(name: &str) -> bool {
    let unspaced = name.chars().filter(|c| c.is_alphabetic() && !is_spaced(*c)).count();
    let says = |list: &Vec<String>| list.iter().any(|it| holds(name, it));
    words(name).count() <= MOST[0]
        && unspaced <= MOST[1]
        && ROWS.iter().any(|row| row.iter().all(says))
}
