//! Expands words to arguments: variables, command substitution, `~`, splitting and globs.
use super::{
    glob::Pattern,
    io::Io,
    process::{Shell, Stop},
    syntax::{Word, WordPart},
    variables::{MAX_TEXT, check_size},
};
use crate::files::normalize_path;
/// Most arguments of one command.
const MAX_FIELDS: usize = 10_000;

/// A field being built: characters, and whether each may be a glob.
#[derive(Debug, Default)]
struct Field {
    text: Vec<(char, bool)>,
}

impl Shell {
    /// Expands the words of a command, each to any number of arguments.
    pub(crate) async fn fields(&mut self, words: &[Word], io: &Io) -> Result<Vec<String>, Stop> {
        let (mut all, mut size) = (Vec::new(), 0);
        for word in words {
            for field in self.split(word, io).await? {
                if all.len() >= MAX_FIELDS {
                    break;
                }
                let found = self.matches(&field);
                size += found.iter().map(String::len).sum::<usize>();
                self.bounded(check_size(size), io).await?;
                all.extend(found);
            }
            all.truncate(MAX_FIELDS);
        }
        Ok(all)
    }

    /// Expands a word without splitting and globs, for assignments and redirections.
    pub(crate) async fn text(&mut self, word: &Word, io: &Io) -> Result<String, Stop> {
        let mut text = String::new();
        for (index, part) in word.iter().enumerate() {
            match part {
                WordPart::Quoted(quoted) => text.push_str(quoted),
                WordPart::Bare(bare) => text.push_str(&self.bare(index, bare, word.len())),
                WordPart::Variable { name, .. } => text.push_str(&self.variable(name)),
                WordPart::Output { script, .. } => {
                    text.push_str(&self.output_of(script, io).await?);
                }
            }
            self.bounded(check_size(text.len()), io).await?;
        }
        Ok(text)
    }

    async fn split(&mut self, word: &Word, io: &Io) -> Result<Vec<Field>, Stop> {
        let mut size = 0;
        let mut fields: Vec<Field> = Vec::new();
        let mut current: Option<Field> = None;
        for (index, part) in word.iter().enumerate() {
            if let WordPart::Variable { name, quoted: true } = part
                && name == "@"
            {
                // Each argument is a word of its own; the first and the last are joined with what is around them.
                let args = self.args.clone();
                for (index, arg) in args.iter().enumerate() {
                    if index > 0 {
                        fields.extend(current.take());
                    }
                    size += arg.len();
                    self.bounded(check_size(size), io).await?;
                    let text = &mut current.get_or_insert_default().text;
                    text.extend(arg.chars().map(|c| (c, false)));
                }
                continue;
            }
            let (text, quoted, splits) = match part {
                WordPart::Quoted(text) => (text.clone(), true, false),
                WordPart::Bare(text) => (self.bare(index, text, word.len()), false, false),
                WordPart::Variable { name, quoted } => (self.variable(name), *quoted, !quoted),
                WordPart::Output { script, quoted } => {
                    (self.output_of(script, io).await?, *quoted, !quoted)
                }
            };
            size += text.len();
            self.bounded(check_size(size), io).await?;
            if quoted {
                current.get_or_insert_default();
            }
            for c in text.chars() {
                if splits && matches!(c, ' ' | '\t' | '\n') {
                    fields.extend(current.take());
                } else {
                    current.get_or_insert_default().text.push((c, !quoted));
                }
            }
        }
        fields.extend(current);
        Ok(fields)
    }

    /// `~` at the start of a word is the home folder.
    fn bare(&self, index: usize, text: &str, parts: usize) -> String {
        match text.strip_prefix('~') {
            Some(rest)
                if index == 0 && (rest.starts_with('/') || rest.is_empty() && parts == 1) =>
            {
                format!("{}{rest}", self.variable("HOME"))
            }
            _ => text.to_owned(),
        }
    }

    /// The paths that match a glob, or the word itself when there are none.
    fn matches(&self, field: &Field) -> Vec<String> {
        let text: String = field.text.iter().map(|(c, _)| *c).collect();
        let Some(pattern) = Pattern::parse(&field.text) else { return vec![text] };
        // The files are known by one path only; what was typed may be another way there.
        let (folder, below, slashes) = pattern.parts();
        let base =
            if folder.is_empty() { self.cwd() } else { &normalize_path(self.cwd(), &folder) };
        let base = format!("{}/", base.trim_end_matches('/'));
        let files = self.device().files();
        let mut size = 0;
        let found: Vec<String> = files
            .paths()
            .filter(|path| {
                let name = path.strip_prefix(&base).filter(|name| !name.is_empty());
                name.is_some_and(|name| below.matches(name))
                    && (slashes.is_empty() || files.is_dir(path))
            })
            .map(|path| format!("{folder}{}{slashes}", &path[base.len()..]))
            // What goes beyond is found to be too much.
            .take_while(|path| {
                let fits = size <= MAX_TEXT;
                size += path.len();
                fits
            })
            .collect();
        if found.is_empty() { vec![text] } else { found }
    }
}
