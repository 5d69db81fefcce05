//! Text: the fonts, and how a text breaks into lines. Layout measures with it, drawing draws with it.
pub(crate) mod fonts;
pub(crate) mod icons;
pub(crate) mod lines;
