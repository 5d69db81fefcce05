//! Fewer colours, so that a PNG of a photo is not ten times the JPEG it was made from.
//!
//! Two steps. [`flatten`] gives blocks in which nothing stands out one colour: letters, icons and edges
//! keep every pixel, what lies behind them becomes coarser. [`Indexed`] then finds 256 colours. Whole
//! numbers only: the same picture gives the same bytes on every machine.
use super::canvas::{Canvas, Colour, PixelRect};

/// Side of the largest block that gets one colour.
const MAX_BLOCK: i32 = 16;
/// Most colours of a palette: a byte tells them apart.
const MAX_COLOURS: usize = 256;
/// Bits of a channel by which colours are told apart.
const BITS: u32 = 5;

/// Gives every block whose channels each span at most `span` its mean colour; other blocks are split
/// in four, down to single pixels.
pub(super) fn flatten(canvas: &mut Canvas, span: u8) {
    flatten_within(canvas, canvas.area(), span);
}

/// Flattens a part of the picture.
pub(super) fn flatten_within(canvas: &mut Canvas, part: PixelRect, span: u8) {
    for top in (part.top..part.bottom).step_by(MAX_BLOCK as usize) {
        for left in (part.left..part.right).step_by(MAX_BLOCK as usize) {
            flatten_block(canvas, left, top, MAX_BLOCK, span);
        }
    }
}

fn flatten_block(canvas: &mut Canvas, left: i32, top: i32, side: i32, span: u8) {
    let block = PixelRect { left, top, right: left + side, bottom: top + side };
    let block = block.intersection(canvas.area());
    // Most of a screen is flat already.
    if side < 2 || block.is_empty() || canvas.is_flat(block) {
        return;
    }
    let (mut low, mut high, mut sum, mut count) = ([255_u8; 3], [0_u8; 3], [0_u32; 3], 0_u32);
    for row in canvas.rows(block) {
        for pixel in row.chunks_exact(3) {
            count += 1;
            for channel in 0..3 {
                low[channel] = low[channel].min(pixel[channel]);
                high[channel] = high[channel].max(pixel[channel]);
                sum[channel] += u32::from(pixel[channel]);
            }
        }
    }
    if (0..3).all(|channel| high[channel] - low[channel] <= span) {
        let mean = sum.map(|sum| mean(sum.into(), count.into()));
        canvas.set(block, mean);
        return;
    }
    let half = side / 2;
    for (x, y) in [(left, top), (left + half, top), (left, top + half), (left + half, top + half)] {
        flatten_block(canvas, x, y, half, span);
    }
}

/// A picture in at most 256 colours.
#[derive(Debug)]
pub(super) struct Indexed {
    /// Red, green and blue of each colour, one behind the other.
    pub(super) palette: Vec<u8>,
    /// The number of each pixel's colour.
    pub(super) pixels: Vec<u8>,
}

/// Pixels whose colours are alike in their highest bits.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    key: u16,
    count: u64,
    sum: [u64; 3],
}

/// Colours that become one.
#[derive(Debug)]
struct Cluster {
    bins: Vec<Bin>,
    /// Squared distances from the mean, along the channel where they are largest.
    error: u64,
    channel: usize,
}

impl Indexed {
    /// The picture in so many colours of its own.
    pub(super) fn of(canvas: &Canvas, max_colours: usize) -> Self {
        let mut bins = vec![Bin::default(); 1 << (3 * BITS)];
        for run in runs(canvas) {
            let (key, length) = (key(run[0]), run.len() as u64);
            let bin = &mut bins[usize::from(key)];
            bin.key = key;
            bin.count += length;
            for (sum, value) in bin.sum.iter_mut().zip(run[0]) {
                *sum += u64::from(value) * length;
            }
        }
        bins.retain(|bin| 0 < bin.count);
        let mut clusters = vec![Cluster::new(bins)];
        while clusters.len() < max_colours.min(MAX_COLOURS) {
            let widest = (0..clusters.len()).max_by_key(|at| (clusters[*at].error, !*at));
            let Some(at) = widest.filter(|at| 0 < clusters[*at].error) else { break };
            let (one, other) = clusters.swap_remove(at).split();
            clusters.extend([one, other]);
        }
        let mut colours = vec![0_u8; 1 << (3 * BITS)];
        let mut palette = Vec::with_capacity(3 * clusters.len());
        for (number, cluster) in (0_u8..=255).zip(&clusters) {
            palette.extend(cluster.mean());
            cluster.bins.iter().for_each(|bin| colours[usize::from(bin.key)] = number);
        }
        let mut pixels = Vec::with_capacity(canvas.rgb().len() / 3);
        for run in runs(canvas) {
            pixels.resize(pixels.len() + run.len(), colours[usize::from(key(run[0]))]);
        }
        Self { palette, pixels }
    }
}

impl Cluster {
    fn new(bins: Vec<Bin>) -> Self {
        let mut cluster = Self { bins, error: 0, channel: 0 };
        let total = cluster.total();
        for channel in 0..3 {
            let mean = total.sum[channel] / total.count.max(1);
            let error =
                |bin: &Bin| bin.count * (bin.sum[channel] / bin.count).abs_diff(mean).pow(2);
            let error = cluster.bins.iter().map(error).sum();
            if cluster.error < error {
                (cluster.error, cluster.channel) = (error, channel);
            }
        }
        cluster
    }

    fn total(&self) -> Bin {
        self.bins.iter().fold(Bin::default(), |mut total, bin| {
            total.count += bin.count;
            (0..3).for_each(|channel| total.sum[channel] += bin.sum[channel]);
            total
        })
    }

    fn mean(&self) -> Colour {
        let total = self.total();
        total.sum.map(|sum| mean(sum, total.count))
    }

    /// Both sides of the mean of its widest channel.
    fn split(self) -> (Self, Self) {
        let total = self.total();
        let (channel, count) = (self.channel, total.count);
        let below = |bin: &Bin| bin.sum[channel] * count < total.sum[channel] * bin.count;
        let (low, high): (Vec<Bin>, Vec<Bin>) = self.bins.into_iter().partition(below);
        (Self::new(low), Self::new(high))
    }
}

/// Neighbours of one colour, of which a screen has far fewer than pixels.
fn runs(canvas: &Canvas) -> impl Iterator<Item = &[Colour]> {
    canvas.rgb().as_chunks().0.chunk_by(|one, next| one == next)
}

fn key(pixel: Colour) -> u16 {
    pixel.iter().fold(0, |key, value| key << BITS | u16::from(value >> (8 - BITS)))
}

/// Rounded to the nearest.
fn mean(sum: u64, count: u64) -> u8 {
    let count = count.max(1);
    u8::try_from((sum + count / 2) / count).unwrap_or(255)
}
