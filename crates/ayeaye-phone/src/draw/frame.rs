//! Pictures of the screen as they leave the phone.

/// One picture of the screen in its current orientation: RGBA, 4 bytes a pixel, row by row.
#[derive(Debug, Clone)]
pub struct Frame {
    pub width: u32,
    pub height: u32,
    pub rgba: bytes::Bytes,
}

impl Frame {
    /// Encodes it as PNG, for speed rather than size.
    pub(crate) fn to_png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        encoder.write_header()?.write_image_data(&self.rgba)?;
        Ok(out)
    }

    /// Scaled to a place (left, top, width, height) on a black picture of another size.
    pub(crate) fn placed(&self, (width, height): (u32, u32), place: [u32; 4]) -> Self {
        let mut rgba = [0, 0, 0, 255].repeat(width as usize * height as usize);
        let [left, top, wide, tall] = place.map(|n| n as usize);
        for y in 0..tall {
            let from = y * self.height as usize / tall * self.width as usize;
            for x in 0..wide {
                let source = (from + x * self.width as usize / wide) * 4;
                let target = ((top + y) * width as usize + left + x) * 4;
                rgba[target..target + 4].copy_from_slice(&self.rgba[source..source + 4]);
            }
        }
        Self { width, height, rgba: rgba.into() }
    }

    /// A black picture of this size.
    pub(crate) fn blackened(&self) -> Self {
        let pixels = self.rgba.len() / 4;
        Self { rgba: bytes::Bytes::from([0, 0, 0, 255].repeat(pixels)), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    #[test]
    fn a_png_holds_the_same_pixels() {
        let frame =
            Frame { width: 2, height: 1, rgba: Bytes::from_static(&[1, 2, 3, 255, 4, 5, 6, 255]) };
        let png = frame.to_png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut pixels = vec![0; 8];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, frame.rgba);
    }
}
