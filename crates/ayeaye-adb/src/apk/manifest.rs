//! `AndroidManifest.xml` in its compiled form: where the name of an app is.
use super::chunk::{Chunk, Kind, leading_chunk, size_at, u16_at, u32_at};
use super::strings::StringPool;

/// `android:label`
const LABEL: u32 = 0x0101_0001;
/// `android:name`
const NAME: u32 = 0x0101_0003;

const NULL: u32 = u32::MAX;
const TYPE_REFERENCE: u8 = 0x01;
const TYPE_STRING: u8 = 0x03;
const TYPE_DYNAMIC_REFERENCE: u8 = 0x07;

/// A name, or the resource that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LabelSource {
    Text(String),
    Resource(u32),
}

/// The names of an app, the one under its icon first: its activity's, then its own. `None` where this
/// is not a manifest.
pub(super) fn label_sources(bytes: &[u8], activity: Option<&str>) -> Option<Vec<LabelSource>> {
    let xml = leading_chunk(bytes).filter(|chunk| chunk.kind == Kind::Xml)?;
    let strings = xml.children().find_map(StringPool::parse)?;
    let map = xml.children().find(|chunk| chunk.kind == Kind::ResourceMap);
    let reader = Reader { strings, map };
    let mut package = String::new();
    let (mut of_activity, mut of_app) = (None, None);
    for element in xml.children().filter(|chunk| chunk.kind == Kind::StartElement) {
        let Some(name) = u32_at(element.bytes, 20).and_then(|index| reader.strings.get(index))
        else {
            continue;
        };
        match name.as_str() {
            "manifest" => package = reader.text(element, None, "package").unwrap_or_default(),
            "application" if of_app.is_none() => of_app = reader.label(element),
            "activity" | "activity-alias" if of_activity.is_none() => {
                let class = reader.text(element, Some(NAME), "name").unwrap_or_default();
                if activity.is_some_and(|wanted| is_same_class(&package, &class, wanted)) {
                    of_activity = reader.label(element);
                }
            }
            _ => {}
        }
    }
    Some([of_activity, of_app].into_iter().flatten().collect())
}

/// The name of the package. `None` where this is not a manifest.
pub(super) fn package_name(bytes: &[u8]) -> Option<String> {
    let xml = leading_chunk(bytes).filter(|chunk| chunk.kind == Kind::Xml)?;
    let strings = xml.children().find_map(StringPool::parse)?;
    let map = xml.children().find(|chunk| chunk.kind == Kind::ResourceMap);
    let reader = Reader { strings, map };
    let root = xml.children().find(|chunk| chunk.kind == Kind::StartElement)?;
    reader.text(root, None, "package")
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

impl Reader<'_> {
    fn label(&self, element: Chunk<'_>) -> Option<LabelSource> {
        let value = self.attribute(element, Some(LABEL), "label")?;
        match value.kind {
            TYPE_REFERENCE | TYPE_DYNAMIC_REFERENCE => Some(LabelSource::Resource(value.data)),
            _ => self.string(value).map(LabelSource::Text),
        }
    }

    fn text(&self, element: Chunk<'_>, id: Option<u32>, name: &str) -> Option<String> {
        self.string(self.attribute(element, id, name)?)
    }

    fn string(&self, value: Value) -> Option<String> {
        match value.kind {
            TYPE_STRING => self.strings.get(value.data),
            _ if value.raw != NULL => self.strings.get(value.raw),
            _ => None,
        }
    }

    /// The attribute of a resource, by which Android knows its own; one without, by its name.
    fn attribute(&self, element: Chunk<'_>, id: Option<u32>, name: &str) -> Option<Value> {
        let bytes = element.bytes.get(element.header..)?;
        let (start, size) = (usize::from(u16_at(bytes, 8)?), usize::from(u16_at(bytes, 10)?));
        let count = usize::from(u16_at(bytes, 12)?);
        (0..count).find_map(|index| {
            let at = bytes.get(start.checked_add(index * size)?..)?;
            let attribute = u32_at(at, 4)?;
            let is_meant = match (id, self.resource_of(attribute)) {
                (Some(wanted), Some(found)) => wanted == found,
                (None, Some(_)) => false,
                (_, None) => self.strings.get(attribute)? == name,
            };
            is_meant.then_some(())?;
            Some(Value { raw: u32_at(at, 8)?, kind: *at.get(15)?, data: u32_at(at, 16)? })
        })
    }

    fn resource_of(&self, attribute: u32) -> Option<u32> {
        let map = self.map?;
        let index = usize::try_from(attribute).ok()?;
        let id = size_at(map.bytes, map.header.checked_add(index.checked_mul(4)?)?)?;
        u32::try_from(id).ok().filter(|id| *id != 0)
    }
}
