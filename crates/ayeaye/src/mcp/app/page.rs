//! One page out of the small files in `crates/ayeaye/app`.
//!
//! They are modules, so that each says what it needs; a page in a sandbox can load none, so they are
//! joined into one here.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

const FRAME: &str = include_str!("../../../app/index.html");
const STYLE: &str = include_str!("../../../app/style.css");

/// The modules with their names, each after those that it uses.
const MODULES: [(&str, &str); 8] = [
    ("words.js", include_str!("../../../app/words.js")),
    ("host.js", include_str!("../../../app/host.js")),
    ("elements.js", include_str!("../../../app/elements.js")),
    ("steps.js", include_str!("../../../app/steps.js")),
    ("screen.js", include_str!("../../../app/screen.js")),
    ("question.js", include_str!("../../../app/question.js")),
    ("session.js", include_str!("../../../app/session.js")),
    ("main.js", include_str!("../../../app/main.js")),
];

/// The page. Its own policy allows this one script and style, and pictures that came with results.
pub(super) fn page() -> String {
    let script = joined();
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; \
         base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(STYLE),
    );
    let framed = FRAME.replace("{{policy}}", &policy).replace("{{style}}", STYLE);
    framed.replace("{{script}}", &script)
}

/// The modules as one script: what they import stands further up in it.
fn joined() -> String {
    let lines = MODULES.iter().flat_map(|(_, text)| text.lines());
    let mut script = String::from("\"use strict\";\n");
    for line in lines.filter(|line| !line.starts_with("import ")) {
        script.push_str(line.strip_prefix("export ").unwrap_or(line));
        script.push('\n');
    }
    script
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const KINDS: [&str; 5] = ["const ", "let ", "function ", "async function ", "class "];

    /// The names that lines like `import { a, b } from "./host.js";` take, and from where.
    fn imports(text: &str) -> Vec<(Vec<&str>, &str)> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("import { "));
        lines
            .map(|line| {
                let (names, from) = line.split_once(" } from \"./").expect("one line");
                (names.split(", ").collect(), from.trim_end_matches("\";"))
            })
            .collect()
    }

    /// The names at the top of a module, and whether others may take them.
    fn names(text: &str) -> Vec<(&str, bool)> {
        let top = text.lines().map(|line| match line.strip_prefix("export ") {
            Some(given) => (given, true),
            None => (line, false),
        });
        top.filter_map(|(line, given)| {
            let rest = KINDS.iter().find_map(|kind| line.strip_prefix(kind))?;
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            Some((&rest[..end], given))
        })
        .collect()
    }

    #[test]
    fn what_a_module_imports_is_above_it_and_no_name_is_there_twice() {
        let mut above: Vec<(&str, &str)> = Vec::new();
        let mut all = BTreeSet::new();
        for (module, text) in MODULES {
            for (taken, from) in imports(text) {
                let given = above.iter().find(|(name, _)| *name == from);
                let given = names(given.unwrap_or_else(|| panic!("{module}: no {from} above")).1);
                for one in taken {
                    assert!(given.contains(&(one, true)), "{module}: {from} does not give {one}");
                }
            }
            for (one, _) in names(text) {
                assert!(all.insert(one), "{module}: {one} is there twice");
            }
            above.push((module, text));
        }
        let script = joined();
        assert!(!script.lines().any(|it| it.starts_with("import") || it.starts_with("export")));
    }

    #[test]
    fn the_page_is_one_small_file_that_asks_for_nothing_else() {
        let page = page();
        assert!(page.len() < 60_000, "{} bytes", page.len());
        assert!(!page.contains("{{"), "a place was left empty");
        for outside in ["http://", "https://", " src=", " href=", "@import", "url("] {
            let found =
                page.find(outside).map(|at| page[at..].chars().take(60).collect::<String>());
            assert_eq!(found, None);
        }
        // What came from elsewhere is never read as markup.
        for markup in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!page.contains(markup), "{markup}");
        }
    }
}
