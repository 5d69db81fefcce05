//! The server's icon, an aye-aye, which clients show beside the server.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::Icon;

/// 48 by 48 pixels with 7 colours.
const PICTURE: &[u8] = include_bytes!("icon.png");

/// The icon as a data URI, so that clients need not fetch anything.
pub fn icons() -> Vec<Icon> {
    let uri = format!("data:image/png;base64,{}", STANDARD.encode(PICTURE));
    vec![Icon::new(uri).with_mime_type("image/png").with_sizes(vec!["48x48".to_owned()])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_small_picture_of_the_size_it_says() {
        let mut reader = png::Decoder::new(std::io::Cursor::new(PICTURE)).read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), (48, 48));
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        // Clients get it with each introduction.
        assert!(icons()[0].src.len() < 1024, "{}", icons()[0].src.len());
    }
}
