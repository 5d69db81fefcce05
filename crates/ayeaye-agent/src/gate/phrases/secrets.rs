//! What fields say that ask for what is secret there, beside the words that every part of this crate knows.

/// What is asked for beside a card, and words that are ordinary ones in a sentence.
#[rustfmt::skip]
pub(in crate::gate) const BESIDE_SECRETS: &[&str] = &[
    "expiry date", "expiration date", "expiry", "mm/yy", "mm / yy", "ablaufdatum", "fecha de caducidad",
    "date d'expiration", "validade do cartão", "有效期",
    "word 1", "word 2", "word 3", "word #1", "parola", "tek kullanımlık", "일회용", "egyszer használatos",
];

/// What fields beside one for a postal code ask for, which is called a PIN code in India.
#[rustfmt::skip]
pub(in crate::gate) const ADDRESS_PARTS: &[&str] = &[
    "city", "town", "district", "state", "address", "street", "locality", "landmark", "house", "flat", "building", "area", "country", "शहर", "ज़िला", "राज्य", "पता",
];
