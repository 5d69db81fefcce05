//! A prompt out of a checkout of its repository.
use super::published::{Fill, Form, Published, PublishedText};
use super::python::Python;
use super::source::{Holes, Split, Value, decoded};
use super::{
    ImportError, OfficialPrompt, PlacedText, PromptSource, TextPiece, javascript, json, literal,
    sha256,
};

/// The most code cells of a notebook.
const MOST_CELLS: usize = 2_000;

/// What was read of one text, for a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFound {
    /// The file.
    pub path: String,
    /// The name in it.
    pub constant: String,
    /// Its characters.
    pub chars: usize,
    /// The SHA-256 of its text, with the names of what is filled in.
    pub sha256: String,
    /// Whether it is the published one.
    pub is_known: bool,
}

impl OfficialPrompt {
    /// Reads a prompt; `read` gives the bytes of a file of the checkout.
    pub fn from_checkout(
        published: &'static Published,
        read: &dyn Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<(Self, Vec<TextFound>), ImportError> {
        let mut reader = Checkout { read, files: Vec::new(), found: Vec::new() };
        let mut texts: Vec<PlacedText> = Vec::new();
        for text in &published.texts {
            let Some(place) = text.place else { continue };
            let pieces = reader.pieces(text, published)?;
            match texts.last_mut().filter(|it| it.place == place) {
                Some(last) => {
                    last.pieces.push(TextPiece::Break);
                    last.pieces.extend(pieces);
                }
                None => texts.push(PlacedText { place, pieces }),
            }
        }
        let prompt = Self {
            format: 1,
            family: published.family.clone(),
            variant: published.variant.clone(),
            source: PromptSource { repository: published.repository.clone(), files: reader.files },
            texts,
        };
        prompt.ensure_sound()?;
        Ok((prompt, reader.found))
    }

    /// Reads the texts alone, also of prompts that no phone is driven with.
    pub fn texts_in_checkout(
        published: &'static Published,
        read: &dyn Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Vec<TextFound>, ImportError> {
        let mut reader = Checkout { read, files: Vec::new(), found: Vec::new() };
        for text in &published.texts {
            reader.value(text)?;
        }
        Ok(reader.found)
    }
}

struct Checkout<'a> {
    read: &'a dyn Fn(&str) -> Result<Vec<u8>, String>,
    files: Vec<(String, String)>,
    found: Vec<TextFound>,
}

impl Checkout<'_> {
    /// A text in pieces.
    fn pieces(
        &mut self,
        text: &PublishedText,
        published: &'static Published,
    ) -> Result<Vec<TextPiece>, ImportError> {
        let (value, holes) = self.value(text)?;
        if text.form == Form::Picture {
            return Ok(vec![TextPiece::Picture]);
        }
        let mut pieces = Vec::new();
        for piece in holes.split(&value) {
            match piece {
                Split::Words(words) => push(&mut pieces, TextPiece::Text(words.to_owned())),
                Split::Hole(expression) => match text.fill(expression) {
                    Some(Fill::Slot(slot)) => pieces.push(TextPiece::Slot(*slot)),
                    Some(Fill::Text(name)) => {
                        let other = published.texts.iter().find(|it| it.constant == *name);
                        let other = other.filter(|it| it.place.is_none());
                        let other = other.ok_or_else(|| ImportError::new("a text is not known"))?;
                        for piece in self.pieces(other, published)? {
                            push(&mut pieces, piece);
                        }
                    }
                    None => {
                        let shown: String = expression.chars().take(60).collect();
                        let why = format!("it fills in {shown:?}, of which nothing is known");
                        return Err(ImportError::new(why).at(&text.constant).at(&text.path));
                    }
                },
            }
        }
        Ok(pieces)
    }

    /// A text with its holes, as it stands in its file.
    fn value(&mut self, text: &PublishedText) -> Result<(String, Holes), ImportError> {
        if text.path.is_empty() {
            return Ok((String::new(), Holes::default()));
        }
        let inner = |reader: &mut Self| {
            let bytes = (reader.read)(&text.path).map_err(ImportError::new)?;
            let sha = sha256(&bytes);
            let source = decoded(&bytes)?;
            if !reader.files.iter().any(|(path, _)| *path == text.path) {
                reader.files.push((text.path.clone(), sha));
            }
            let (value, mut holes) = read(source, text)?;
            if text.form != Form::Picture {
                let canonical = holes.canonical(&value);
                let sha = sha256(canonical.as_bytes());
                reader.found.push(TextFound {
                    path: text.path.clone(),
                    constant: text.constant.clone(),
                    chars: canonical.chars().count(),
                    is_known: sha == text.sha256,
                    sha256: sha,
                });
            }
            let value = match text.form {
                Form::Format => literal::formatted(&value, &mut |name| holes.make(name))?,
                Form::Jinja => literal::jinja(&value, &mut holes)?,
                Form::Plain | Form::Schema | Form::Picture => value,
            };
            Ok((value, holes))
        };
        inner(self).map_err(|why: ImportError| why.at(&text.constant).at(&text.path))
    }
}

/// Words join those before them.
fn push(pieces: &mut Vec<TextPiece>, piece: TextPiece) {
    match (pieces.last_mut(), piece) {
        (Some(TextPiece::Text(last)), TextPiece::Text(more)) => last.push_str(&more),
        (_, piece) => pieces.push(piece),
    }
}

fn read(source: &str, text: &PublishedText) -> Result<(String, Holes), ImportError> {
    let missing = || ImportError::new("it is not there, or no constant");
    if text.form == Form::Schema {
        return Ok((json::compact_with_required(source)?, Holes::default()));
    }
    let extension = text.path.rsplit('.').next().unwrap_or_default();
    if extension == "ts" || extension == "js" {
        let mut holes = Holes::default();
        let value =
            javascript::constant(source, &text.constant, &mut holes)?.ok_or_else(missing)?;
        return Ok((value, holes));
    }
    let cells = if extension == "ipynb" { cells(source)? } else { vec![source.to_owned()] };
    let slots: Vec<&str> = text.fills.keys().map(String::as_str).collect();
    let mut unread = None;
    for cell in &cells {
        // A cell may hold commands that are no Python: such a cell is passed over.
        let mut python = match Python::new(cell, &slots) {
            Ok(python) => python,
            Err(why) => {
                unread = Some(why);
                continue;
            }
        };
        let name = text.constant.split('[').next().unwrap_or_default();
        let Some(value) = python.constant(name)? else { continue };
        let value = item(value, &text.constant[name.len()..]).ok_or_else(missing)?;
        return match (value, text.form) {
            (Value::Text(text), _) => Ok((text, python.holes)),
            (_, Form::Picture) => Ok((String::new(), python.holes)),
            _ => Err(missing()),
        };
    }
    Err(unread.unwrap_or_else(missing))
}

/// An item of a value by a path such as `[0].text`.
fn item(mut value: Value, path: &str) -> Option<Value> {
    let words = path.split(['[', ']', '.']).filter(|it| !it.is_empty());
    for word in words {
        value = match value {
            Value::List(mut items) => {
                let at: usize = word.parse().ok()?;
                if at >= items.len() {
                    return None;
                }
                items.swap_remove(at)
            }
            Value::Table(rows) => rows.into_iter().find(|(key, _)| key == word)?.1,
            Value::Text(_) | Value::Other(_) => return None,
        };
    }
    Some(value)
}

/// The code of a notebook, cell by cell.
fn cells(source: &str) -> Result<Vec<String>, ImportError> {
    let notebook: serde_json::Value = serde_json::from_str(source)
        .map_err(|err| ImportError::new(format!("it is no notebook: {err}")))?;
    let cells =
        notebook["cells"].as_array().ok_or_else(|| ImportError::new("it is no notebook"))?;
    let code = cells.iter().take(MOST_CELLS).filter(|cell| cell["cell_type"] == "code");
    let lines = |cell: &serde_json::Value| match &cell["source"] {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(lines) => lines.iter().filter_map(|it| it.as_str()).collect(),
        _ => String::new(),
    };
    Ok(code.map(lines).collect())
}
