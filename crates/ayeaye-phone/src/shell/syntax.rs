//! The syntax tree of a command line.

/// Lists in order.
pub(crate) type Script = Vec<List>;

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List {
    /// Never empty.
    pub(crate) items: Vec<Item>,
    /// With `&` at its end.
    pub(crate) background: bool,
}

/// A pipeline, and the condition under which it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) when: When,
    pub(crate) pipeline: Pipeline,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// The first of a list.
    Always,
    /// After `&&`.
    Succeeded,
    /// After `||`.
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pipeline {
    /// With `!` in front.
    pub(crate) negated: bool,
    /// Never empty.
    pub(crate) commands: Vec<Command>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) kind: CommandKind,
    pub(crate) redirects: Vec<Redirect>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommandKind {
    Simple {
        assignments: Vec<(String, Word)>,
        words: Vec<Word>,
    },
    /// `{ …; }`
    Group(Script),
    /// `( … )`
    Subshell(Script),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirect {
    /// 0, 1 or 2.
    pub(crate) fd: u8,
    pub(crate) to: Target,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Read(Word),
    Write(Word),
    Append(Word),
    /// `>&1` or `>&2`.
    Copy(u8),
}

/// One word before expansion.
pub(crate) type Word = Vec<WordPart>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WordPart {
    /// Literal text.
    Quoted(String),
    /// Text in which `*`, `?` and `[…]` are globs.
    Bare(String),
    Variable {
        name: String,
        quoted: bool,
    },
    /// Command substitution.
    Output {
        script: Script,
        quoted: bool,
    },
}
