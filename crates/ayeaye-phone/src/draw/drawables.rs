//! Vector drawings: wallpaper, shoes, clock dial, status icons. Each is drawn once for a size and
//! then copied.
use tiny_skia::{
    FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path, PathBuilder, Pixmap,
    Point, SpreadMode, Stroke, Transform,
};

use crate::tree::element::{Color, Drawable, ShoeShape};

/// Draws it `width` by `height` pixels.
pub(crate) fn draw(art: Drawable, color: Color, width: u32, height: u32) -> Option<Pixmap> {
    let mut map = Pixmap::new(width.clamp(1, 4096), height.clamp(1, 4096))?;
    #[expect(clippy::cast_precision_loss, reason = "a few thousand pixels")]
    let (w, h) = (map.width() as f32, map.height() as f32);
    match art {
        Drawable::Wallpaper => wallpaper(&mut map, w, h)?,
        Drawable::Shoe(kind, upper) => shoe(&mut map, w, h, kind, upper)?,
        Drawable::Dial(minutes) => dial(&mut map, w, h, color, minutes)?,
        Drawable::Battery(percent) => battery(&mut map, w, h, color, percent)?,
        Drawable::Signal => {
            let path = polygon(&[(0.08, 0.9), (0.92, 0.9), (0.92, 0.06)], w, h)?;
            fill(&mut map, &path, color);
        }
        Drawable::WifiFan => {
            let mut b = PathBuilder::new();
            b.move_to(w * 0.5, h * 0.92);
            b.line_to(w * 0.02, h * 0.3);
            b.cubic_to(w * 0.28, h * 0.04, w * 0.72, h * 0.04, w * 0.98, h * 0.3);
            b.close();
            fill(&mut map, &b.finish()?, color);
        }
        Drawable::BackTriangle => {
            let path = polygon(&[(0.72, 0.2), (0.72, 0.8), (0.22, 0.5)], w, h)?;
            fill(&mut map, &path, color);
            stroke(&mut map, &path, color, w * 0.08);
        }
        Drawable::RoundHome => {
            let path = PathBuilder::from_circle(w / 2.0, h / 2.0, w * 0.34)?;
            fill(&mut map, &path, color);
        }
        Drawable::SquareRecents => {
            let rect = tiny_skia::Rect::from_xywh(w * 0.22, h * 0.22, w * 0.56, h * 0.56)?;
            let path = PathBuilder::from_rect(rect);
            fill(&mut map, &path, color);
            stroke(&mut map, &path, color, w * 0.08);
        }
        Drawable::Snapshot(_) => return None,
    }
    Some(map)
}

fn paint(color: Color) -> Paint<'static> {
    let [r, g, b, a] = color.channels();
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(r, g, b, a);
    paint
}

fn fill(map: &mut Pixmap, path: &Path, color: Color) {
    map.fill_path(path, &paint(color), FillRule::Winding, Transform::identity(), None);
}

fn stroke(map: &mut Pixmap, path: &Path, color: Color, width: f32) {
    let stroke =
        Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
    map.stroke_path(path, &paint(color), &stroke, Transform::identity(), None);
}

fn polygon(points: &[(f32, f32)], w: f32, h: f32) -> Option<Path> {
    let mut b = PathBuilder::new();
    for (i, (x, y)) in points.iter().enumerate() {
        if i == 0 {
            b.move_to(x * w, y * h);
        } else {
            b.line_to(x * w, y * h);
        }
    }
    b.close();
    b.finish()
}

fn wallpaper(map: &mut Pixmap, w: f32, h: f32) -> Option<()> {
    let stop = |at, color: Color| {
        let [r, g, b, a] = color.channels();
        GradientStop::new(at, tiny_skia::Color::from_rgba8(r, g, b, a))
    };
    let sky = LinearGradient::new(
        Point::from_xy(0.0, 0.0),
        Point::from_xy(w * 0.3, h),
        vec![
            stop(0.0, Color(0xFF1B_3A6B)),
            stop(0.45, Color(0xFF5B_6FB5)),
            stop(0.75, Color(0xFFE3_9A8B)),
            stop(1.0, Color(0xFFF6_C89A)),
        ],
        SpreadMode::Pad,
        Transform::identity(),
    )?;
    let whole = tiny_skia::Rect::from_xywh(0.0, 0.0, w, h)?;
    let paint = Paint { shader: sky, ..Paint::default() };
    map.fill_rect(whole, &paint, Transform::identity(), None);
    let sun = PathBuilder::from_circle(w * 0.68, h * 0.6, w.min(h) * 0.13)?;
    fill(map, &sun, Color(0xE6FF_E3C2));
    let hills: [(f32, f32, Color); 3] = [
        (0.66, 0.07, Color(0xFF7A_6496)),
        (0.74, -0.06, Color(0xFF50_4C7E)),
        (0.84, 0.05, Color(0xFF2C_3158)),
    ];
    for (level, swing, color) in hills {
        let mut b = PathBuilder::new();
        b.move_to(0.0, h * level);
        b.cubic_to(
            w * 0.3,
            h * (level - swing),
            w * 0.55,
            h * (level + swing),
            w,
            h * (level - swing * 0.4),
        );
        b.line_to(w, h);
        b.line_to(0.0, h);
        b.close();
        fill(map, &b.finish()?, color);
    }
    Some(())
}

fn shoe(map: &mut Pixmap, w: f32, h: f32, kind: ShoeShape, upper: Color) -> Option<()> {
    // Drawn on a grid of 100 by 100, toe to the right.
    let k = w.min(h) / 100.0;
    let (ox, oy) = ((w - 100.0 * k) / 2.0, (h - 100.0 * k) / 2.0);
    let at = |x: f32, y: f32| (ox + x * k, oy + y * k);
    let collar = match kind {
        ShoeShape::Runner | ShoeShape::Sandal => 38.0,
        ShoeShape::HighTop => 22.0,
        ShoeShape::Boot => 8.0,
    };
    let mut b = PathBuilder::new();
    let go = |b: &mut PathBuilder, x: f32, y: f32| {
        let (x, y) = at(x, y);
        b.line_to(x, y);
    };
    let curve = |b: &mut PathBuilder, p: [f32; 6]| {
        let ((x1, y1), (x2, y2), (x, y)) = (at(p[0], p[1]), at(p[2], p[3]), at(p[4], p[5]));
        b.cubic_to(x1, y1, x2, y2, x, y);
    };
    let (x, y) = at(10.0, collar);
    b.move_to(x, y);
    curve(&mut b, [18.0, collar + 6.0, 30.0, collar + 6.0, 38.0, collar - 2.0]);
    curve(&mut b, [46.0, 48.0, 58.0, 54.0, 74.0, 57.0]);
    curve(&mut b, [88.0, 59.0, 95.0, 64.0, 95.0, 73.0]);
    go(&mut b, 7.0, 73.0);
    curve(&mut b, [5.0, 60.0, 6.0, collar + 14.0, 10.0, collar]);
    b.close();
    let body = b.finish()?;
    fill(map, &body, upper);
    // The sole.
    let mut b = PathBuilder::new();
    let (x, y) = at(5.0, 71.0);
    b.move_to(x, y);
    go(&mut b, 96.0, 71.0);
    curve(&mut b, [98.0, 80.0, 92.0, 84.0, 84.0, 84.0]);
    go(&mut b, 12.0, 84.0);
    curve(&mut b, [5.0, 84.0, 3.0, 78.0, 5.0, 71.0]);
    b.close();
    fill(map, &b.finish()?, Color(0xFFF5_F2EC));
    // Laces and a stripe.
    for i in 0..3u8 {
        let d = f32::from(i) * 7.5;
        let mut b = PathBuilder::new();
        let (x, y) = at(41.0 + d, 52.0 + d * 0.35);
        b.move_to(x, y);
        go(&mut b, 48.0 + d, 45.0 + d * 0.5);
        stroke(map, &b.finish()?, Color(0xFFFF_FFFF), 2.6 * k);
    }
    let mut b = PathBuilder::new();
    let (x, y) = at(24.0, 67.0);
    b.move_to(x, y);
    curve(&mut b, [34.0, 70.0, 48.0, 66.0, 58.0, 59.0]);
    stroke(map, &b.finish()?, Color(0xCCFF_FFFF), 3.4 * k);
    if kind == ShoeShape::Sandal {
        let mut b = PathBuilder::new();
        let (x, y) = at(16.0, 50.0);
        b.move_to(x, y);
        go(&mut b, 40.0, 70.0);
        stroke(map, &b.finish()?, Color(0xFFF5_F2EC), 7.0 * k);
    }
    Some(())
}

fn dial(map: &mut Pixmap, w: f32, h: f32, color: Color, minutes: u16) -> Option<()> {
    let (cx, cy, r) = (w / 2.0, h / 2.0, w.min(h) * 0.46);
    fill(map, &PathBuilder::from_circle(cx, cy, r)?, Color(0xFFE6_ECF8));
    for i in 0..12u8 {
        let a = f32::from(i) * std::f32::consts::TAU / 12.0;
        let dot =
            PathBuilder::from_circle(cx + a.sin() * r * 0.86, cy - a.cos() * r * 0.86, r * 0.025)?;
        fill(map, &dot, color.with_alpha(0x99));
    }
    let hand = |map: &mut Pixmap, turns: f32, length: f32, width: f32, color: Color| {
        let a = turns * std::f32::consts::TAU;
        let mut b = PathBuilder::new();
        b.move_to(cx, cy);
        b.line_to(cx + a.sin() * r * length, cy - a.cos() * r * length);
        stroke(map, &b.finish()?, color, width * r);
        Some(())
    };
    hand(map, f32::from(minutes) / 720.0, 0.5, 0.07, color)?;
    hand(map, f32::from(minutes % 60) / 60.0, 0.74, 0.05, Color(0xFF0B_57D0))?;
    fill(map, &PathBuilder::from_circle(cx, cy, r * 0.06)?, color);
    Some(())
}

fn battery(map: &mut Pixmap, w: f32, h: f32, color: Color, percent: u8) -> Option<()> {
    let part = |map: &mut Pixmap, x: f32, y: f32, pw: f32, ph: f32, c: Color| {
        let rect = tiny_skia::Rect::from_xywh(x * w, y * h, pw * w, ph * h)?;
        fill(map, &PathBuilder::from_rect(rect), c);
        Some(())
    };
    let full = f32::from(percent.min(100)) / 100.0;
    part(map, 0.36, 0.04, 0.28, 0.1, color)?;
    part(map, 0.24, 0.12, 0.52, 0.84, color.with_alpha(0x4D))?;
    part(map, 0.24, 0.12 + 0.84 * (1.0 - full), 0.52, 0.84 * full, color)
}
