//! `AndroidManifest.xml` in its compiled form: where the name of an app is.
use super::chunk::{Chunk, ChunkKind, leading_chunk, size_at, u16_at, u32_at};
use super::strings::StringPool;

/// `android:label`
const LABEL: u32 = 0x0101_0001;
/// `android:name`
const NAME: u32 = 0x0101_0003;
/// `android:versionCode`
const VERSION_CODE: u32 = 0x0101_021b;
/// `android:versionName`
const VERSION_NAME: u32 = 0x0101_021c;

const NULL: u32 = u32::MAX;
/// What an attribute takes: namespace, name, text, and a value in eight bytes.
const ATTRIBUTE: usize = 20;
/// The most attributes of an element, and the most elements, that are looked at.
const MAX_ATTRIBUTES: usize = 200;
const MAX_ELEMENTS: usize = 50_000;
const TYPE_REFERENCE: u8 = 0x01;
const TYPE_STRING: u8 = 0x03;
const TYPE_DYNAMIC_REFERENCE: u8 = 0x07;
const TYPE_DECIMAL: u8 = 0x10;

/// A name, or the resource that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LabelSource {
    Text(String),
    Resource(u32),
}

/// The names of an app, the one under its icon first: its activity's, then its own. `None` where this
/// is not a manifest.
pub(super) fn label_sources(bytes: &[u8], activity: Option<&str>) -> Option<Vec<LabelSource>> {
    let xml = leading_chunk(bytes).filter(|chunk| chunk.kind == ChunkKind::Xml)?;
    let strings = xml.children().find_map(StringPool::parse)?;
    let map = xml.children().find(|chunk| chunk.kind == ChunkKind::ResourceMap);
    let reader = Reader { strings, map };
    let mut package = String::new();
    let (mut of_activity, mut of_app) = (None, None);
    let elements = xml.children().filter(|chunk| chunk.kind == ChunkKind::StartElement);
    for element in elements.take(MAX_ELEMENTS) {
        let known = ["manifest", "application", "activity", "activity-alias"];
        match known.into_iter().find(|name| reader.is_called(element, name)) {
            Some("manifest") => package = reader.package(element).unwrap_or_default(),
            Some("application") if of_app.is_none() => of_app = reader.label(element),
            Some("activity" | "activity-alias") if of_activity.is_none() => {
                let class = reader.attribute(element, NAME, "name");
                let class = class.and_then(|value| reader.string(value)).unwrap_or_default();
                if activity.is_some_and(|wanted| is_same_class(&package, &class, wanted)) {
                    of_activity = reader.label(element);
                }
            }
            _ => {}
        }
    }
    Some([of_activity, of_app].into_iter().flatten().collect())
}

/// The name of the package, and its version. `None` where this is not a manifest.
pub(super) fn package_and_version(bytes: &[u8]) -> Option<(String, Option<String>)> {
    let xml = leading_chunk(bytes).filter(|chunk| chunk.kind == ChunkKind::Xml)?;
    let strings = xml.children().find_map(StringPool::parse)?;
    let map = xml.children().find(|chunk| chunk.kind == ChunkKind::ResourceMap);
    let reader = Reader { strings, map };
    let root = xml.children().find(|chunk| chunk.kind == ChunkKind::StartElement)?;
    let package = reader.is_called(root, "manifest").then(|| reader.package(root))??;
    Some((package, reader.version(root)))
}

/// Whether two names are of one class; a name that starts with a dot, or has none, is inside the package.
fn is_same_class(package: &str, one: &str, other: &str) -> bool {
    let whole = |name: &str| match name.find('.') {
        Some(0) => format!("{package}{name}"),
        None => format!("{package}.{name}"),
        Some(_) => name.to_owned(),
    };
    whole(one) == whole(other)
}

#[derive(Debug)]
struct Reader<'a> {
    strings: StringPool<'a>,
    /// The resource of each of the first strings, which are names of attributes.
    map: Option<Chunk<'a>>,
}

/// A value of an attribute.
#[derive(Debug, Clone, Copy)]
struct Value {
    raw: u32,
    kind: u8,
    data: u32,
}

impl Value {
    fn read(attribute: &[u8]) -> Option<Self> {
        Some(Self {
            raw: u32_at(attribute, 8)?,
            kind: *attribute.get(15)?,
            data: u32_at(attribute, 16)?,
        })
    }
}

/// The attributes of an element, as far as they are there. `None` where they would overlap.
fn attributes(element: Chunk<'_>) -> Option<impl Iterator<Item = &[u8]>> {
    let bytes = element.bytes.get(element.header..)?;
    let (start, size) = (usize::from(u16_at(bytes, 8)?), usize::from(u16_at(bytes, 10)?));
    let count = usize::from(u16_at(bytes, 12)?).min(MAX_ATTRIBUTES);
    let all = bytes.get(start..).filter(|_| ATTRIBUTE <= size)?;
    Some((0..count).map_while(move |index| all.get(index * size..)?.get(..ATTRIBUTE)))
}

impl Reader<'_> {
    fn is_called(&self, element: Chunk<'_>, name: &str) -> bool {
        u32_at(element.bytes, 20).is_some_and(|index| self.strings.is(index, name))
    }

    fn label(&self, element: Chunk<'_>) -> Option<LabelSource> {
        let value = self.attribute(element, LABEL, "label")?;
        match value.kind {
            TYPE_REFERENCE | TYPE_DYNAMIC_REFERENCE => Some(LabelSource::Resource(value.data)),
            _ => self.string(value).map(LabelSource::Text),
        }
    }

    /// The package that Android installs: by an attribute of no namespace, whatever resource it may say it is.
    /// `None` where there is more than one, or its text is told in two ways that differ.
    fn package(&self, element: Chunk<'_>) -> Option<String> {
        let is_meant = |it: &&[u8]| {
            u32_at(it, 0) == Some(NULL)
                && u32_at(it, 4).is_some_and(|name| self.strings.is(name, "package"))
        };
        let mut meant = attributes(element)?.filter(is_meant);
        let value = Value::read(meant.next()?)?;
        if meant.next().is_some() || (value.kind == TYPE_STRING && value.raw != value.data) {
            return None;
        }
        self.string(value)
    }

    /// The version as people know it, else by its number. The text is anybody's, and people are asked with it: what
    /// reads like more than a version is none.
    fn version(&self, element: Chunk<'_>) -> Option<String> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
        let is_version = |it: &String| {
            it.starts_with(|c: char| c.is_ascii_digit()) && it.len() <= 30 && it.chars().all(fits)
        };
        let name = self.attribute(element, VERSION_NAME, "versionName");
        let name = name.and_then(|it| self.string(it)).filter(is_version);
        name.or_else(|| {
            let number = self.attribute(element, VERSION_CODE, "versionCode")?;
            (number.kind == TYPE_DECIMAL).then(|| number.data.to_string())
        })
    }

    fn string(&self, value: Value) -> Option<String> {
        match value.kind {
            TYPE_STRING => self.strings.get(value.data),
            _ if value.raw != NULL => self.strings.get(value.raw),
            _ => None,
        }
    }

    /// The attribute of a resource, by which Android knows its own; one without, by its name.
    fn attribute(&self, element: Chunk<'_>, id: u32, name: &str) -> Option<Value> {
        let is_meant = |it: &&[u8]| {
            let Some(attribute) = u32_at(it, 4) else { return false };
            self.resource_of(attribute)
                .map_or_else(|| self.strings.is(attribute, name), |it| it == id)
        };
        attributes(element)?.find(is_meant).and_then(Value::read)
    }

    fn resource_of(&self, attribute: u32) -> Option<u32> {
        let map = self.map?;
        let index = usize::try_from(attribute).ok()?;
        let id = size_at(map.bytes, map.header.checked_add(index.checked_mul(4)?)?)?;
        u32::try_from(id).ok().filter(|id| *id != 0)
    }
}
