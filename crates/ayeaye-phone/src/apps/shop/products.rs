//! The products of the shop. All names are made up.
use crate::tree::element::{Color, Drawable, ShoeShape};

#[derive(Debug)]
pub(super) struct Product {
    pub(super) name: &'static str,
    pub(super) maker: &'static str,
    pub(super) cents: u32,
    /// Tenths of a star.
    pub(super) rating: u32,
    pub(super) reviews: u32,
    /// The description, which search covers too.
    pub(super) words: &'static str,
    pub(super) sizes: &'static [&'static str],
    kind: ShoeShape,
    color: u32,
}

impl Product {
    pub(super) fn drawable(&self) -> Drawable {
        Drawable::Shoe(self.kind, Color(0xFF00_0000 | self.color))
    }
}

/// Behind the pictures.
pub(super) const PICTURE_BACKGROUND: Color = Color(0xFFEC_EFF6);

const SIZES: &[&str] = &["38", "39", "40", "41", "42", "43", "44", "45"];

#[expect(clippy::too_many_arguments, reason = "a row of a table")]
const fn shoe(
    name: &'static str,
    maker: &'static str,
    cents: u32,
    rating: u32,
    reviews: u32,
    words: &'static str,
    kind: ShoeShape,
    color: u32,
) -> Product {
    Product { name, maker, cents, rating, reviews, words, sizes: SIZES, kind, color }
}

use ShoeShape::{Boot, HighTop, Runner, Sandal};

#[rustfmt::skip]
pub(super) const PRODUCTS: &[Product] = &[
    shoe("Tempo Running Shoes", "Lark", 8_995, 46, 1_204, "Light running shoes with a soft sole for daily miles.", Runner, 0x1F_6FEB),
    shoe("Canvas Sneakers Low", "Pell", 4_450, 42, 873, "Everyday canvas sneakers. Shoes for town.", Runner, 0xD6_4545),
    shoe("Ridge Trail Running Shoes", "Northway", 11_900, 48, 655, "Trail running shoes with a deep tread for mud and rock.", Runner, 0x3B_7A57),
    shoe("Harbour Sandals", "Pell", 2_999, 40, 318, "Open sandals with a cork sole. Summer shoes.", Sandal, 0x8A_5A2B),
    shoe("Court High Tops", "Lark", 7_200, 44, 540, "High sneakers with a padded collar. Shoes for court and street.", HighTop, 0xF0_A500),
    shoe("Stride Running Shoes", "Fenn", 3_900, 41, 2_310, "Simple running shoes for beginners.", Runner, 0xE4_6F2A),
    shoe("Fell Winter Boots", "Northway", 14_950, 47, 412, "Warm lined boots, waterproof. Winter shoes.", Boot, 0x5B_3A29),
    shoe("City Chelsea Boots", "Aldo & Finch", 12_900, 45, 289, "Leather boots with elastic sides. Smart shoes.", Boot, 0x2B_2B2B),
    shoe("Sprint Spike Running Shoes", "Lark", 9_900, 43, 96, "Racing shoes with spikes for the running track.", Runner, 0xB5_179E),
    shoe("Skate Sneakers", "Pell", 5_600, 44, 731, "Flat sneakers with a grippy sole. Shoes for skating.", HighTop, 0x2E_4057),
    shoe("Beach Sandals", "Fenn", 1_450, 38, 1_022, "Rubber sandals that float. Beach shoes.", Sandal, 0x00_9FB7),
    shoe("Cloud Walking Shoes", "Fenn", 4_995, 45, 1_587, "Soft walking shoes for long days on your feet.", Runner, 0x7D_8597),
];
