//! The fonts themselves.
use std::io::Read as _;
use std::sync::LazyLock;

use flate2::read::ZlibDecoder;
use ttf_parser::Face;

/// A font.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FontId {
    /// Latin, Greek, Cyrillic and Devanagari.
    Regular,
    /// The same, in bold.
    Bold,
    /// Icons of apps and buttons, on characters of private use.
    Icons,
    /// Emoji in one colour.
    Emoji,
    /// Chinese, Japanese and Korean.
    Cjk,
}

/// Where systems keep a font for Chinese, Japanese and Korean.
const CJK_FILES: [&str; 10] = [
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    "/System/Library/Fonts/PingFang.ttc",
    "/System/Library/Fonts/Hiragino Sans GB.ttc",
    "/System/Library/Fonts/STHeiti Light.ttc",
    "C:\\Windows\\Fonts\\msyh.ttc",
    "C:\\Windows\\Fonts\\simsun.ttc",
];

/// A font that is read when it is first drawn with, and stays.
type LazyFace = LazyLock<Option<Face<'static>>>;

static REGULAR: LazyFace =
    LazyLock::new(|| Some(packed(include_bytes!(concat!(env!("OUT_DIR"), "/regular")))));
static BOLD: LazyFace =
    LazyLock::new(|| Some(packed(include_bytes!(concat!(env!("OUT_DIR"), "/bold")))));
static ICONS: LazyFace =
    LazyLock::new(|| Some(packed(include_bytes!(concat!(env!("OUT_DIR"), "/icons")))));
static EMOJI: LazyFace =
    LazyLock::new(|| Some(packed(include_bytes!(concat!(env!("OUT_DIR"), "/emoji")))));
static CJK: LazyFace = LazyLock::new(|| {
    let bytes = CJK_FILES.iter().find_map(|path| std::fs::read(path).ok())?;
    Face::parse(bytes.leak(), 0).ok()
});

/// A font that `build.rs` has packed.
fn packed(bytes: &[u8]) -> Face<'static> {
    let mut font = Vec::new();
    ZlibDecoder::new(bytes).read_to_end(&mut font).expect("what was packed can be unpacked");
    Face::parse(font.leak(), 0).expect("a font in the program can be read")
}

impl FontId {
    /// `None` for a font that this computer does not have.
    pub(crate) fn face(self) -> Option<&'static Face<'static>> {
        let font: &LazyFace = match self {
            Self::Regular => &REGULAR,
            Self::Bold => &BOLD,
            Self::Icons => &ICONS,
            Self::Emoji => &EMOJI,
            Self::Cjk => &CJK,
        };
        font.as_ref()
    }
}
