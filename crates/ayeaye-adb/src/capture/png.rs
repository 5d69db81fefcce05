//! PNG captures.
use ::png::{ColorType, Decoder, Limits, Transformations};
use ayeaye_agent::{Frame, MAX_PIXELS, MAX_SIDE, ScreenSize};
use ayeaye_frame::{Earlier, FrameBuilder};

use super::{MAX_BYTES, describe};

const MAGIC: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The chunk that ends every PNG: length 0, name, checksum.
const END: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";

/// Whether a PNG begins somewhere in these bytes.
pub(super) fn begins(bytes: &[u8]) -> bool {
    find(bytes, MAGIC).is_some()
}

/// The picture in these bytes. Text before it and blanks after it are skipped; a picture without
/// its last chunk is refused, though a decoder might accept it. What looks as in the earlier frame is shared with it.
pub(super) fn frame(bytes: &[u8], earlier: &Earlier) -> Result<Frame, String> {
    let start = find(bytes, MAGIC).ok_or_else(|| describe(bytes))?;
    let file = bytes[start..].trim_ascii_end();
    if !file.ends_with(END) {
        return Err(format!("the PNG of {} bytes has no end", file.len()));
    }
    decode(file, earlier).map_err(|error| format!("the PNG cannot be read: {error}"))
}

fn decode(file: &[u8], earlier: &Earlier) -> Result<Frame, String> {
    let limits = Limits { bytes: MAX_BYTES };
    let mut decoder = Decoder::new_with_limits(std::io::Cursor::new(file), limits);
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let (width, height) = (reader.info().width, reader.info().height);
    let pixels = u64::from(width) * u64::from(height);
    if MAX_SIDE < width.max(height) || MAX_PIXELS < pixels {
        return Err(format!("a screen of {width}x{height} is not believable"));
    }
    let mut builder = FrameBuilder::new(ScreenSize { width, height }, earlier)
        .map_err(|error| error.to_string())?;
    let (colours, _) = reader.output_color_type();
    let mut push = |row: &[u8]| {
        match colours {
            ColorType::Rgba => builder.push(row),
            ColorType::GrayscaleAlpha => {
                let grey = row
                    .as_chunks()
                    .0
                    .iter()
                    .flat_map(|[grey, alpha]| [*grey, *grey, *grey, *alpha]);
                builder.push(&grey.collect::<Vec<u8>>());
            }
            other => return Err(format!("unexpected colours: {other:?}")),
        }
        Ok(())
    };
    if reader.info().interlaced {
        let room =
            reader.output_buffer_size().filter(|room| *room <= MAX_BYTES).ok_or("too large")?;
        let mut rows = vec![0; room];
        let info = reader.next_frame(&mut rows).map_err(|e| e.to_string())?;
        push(&rows[..info.buffer_size()])?;
    } else {
        // Row by row, so that the whole is never held beside what is made of it.
        while let Some(row) = reader.next_row().map_err(|e| e.to_string())? {
            push(row.data())?;
        }
    }
    reader.finish().map_err(|e| e.to_string())?;
    builder.finish().map_err(|error| error.to_string())
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).take(4096).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(file: &[u8]) -> Result<Frame, String> {
        super::frame(file, &Earlier::default())
    }

    #[test]
    fn what_looks_as_before_is_held_once() {
        let file = encoded(ColorType::Rgb, &[9; 12]);
        let first = frame(&file).unwrap();
        let next = super::frame(&file, &first.as_earlier()).unwrap();
        assert_eq!(next.rows_shared_with(&first), 2);
    }

    fn encoded(color: ColorType, data: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = ::png::Encoder::new(&mut file, 2, 2);
        encoder.set_color(color);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        writer.finish().unwrap();
        file
    }

    #[test]
    fn every_kind_of_colour_becomes_rgba() {
        let rgba: Vec<u8> = (0..16).collect();
        assert_eq!(frame(&encoded(ColorType::Rgba, &rgba)).unwrap().rgba(), &rgba);
        let rgb = frame(&encoded(ColorType::Rgb, &[9; 12])).unwrap();
        assert_eq!(rgb.rgba()[..4], [9, 9, 9, 255]);
        let gray = frame(&encoded(ColorType::Grayscale, &[7; 4])).unwrap();
        assert_eq!(gray.rgba()[..4], [7, 7, 7, 255]);
    }

    #[test]
    fn a_warning_before_it_and_a_line_end_behind_it_are_passed_over() {
        let file = encoded(ColorType::Rgb, &[9; 12]);
        let talk =
            [b"[Warning] Multiple displays were found\n".as_slice(), &file, b"\r\n"].concat();
        assert!(frame(&talk).is_ok());
        assert!(begins(&talk));
    }

    #[test]
    fn a_png_cut_anywhere_is_refused() {
        let file = encoded(ColorType::Rgb, &[9; 12]);
        for end in 0..file.len() {
            assert!(frame(&file[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn a_bomb_is_refused_before_it_is_unpacked() {
        let mut file = encoded(ColorType::Rgb, &[9; 12]);
        file[16..20].copy_from_slice(&60_000_u32.to_be_bytes());
        assert!(frame(&file).is_err());
    }
}
