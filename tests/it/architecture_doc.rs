//! `docs/architecture.md` is true: every path, module, type and step that it names is there.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of a crate: its path below `crates/`, and its code without comments.
struct Source {
    path: String,
    code: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    fs::read_to_string(root().join("docs/architecture.md")).unwrap()
}

fn collect(folder: &Path, into: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let code = fs::read_to_string(&path).unwrap();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            let code = code.collect::<Vec<_>>().join("\n");
            let path = path.strip_prefix(root().join("crates")).unwrap();
            into.push(Source { path: path.to_string_lossy().replace('\\', "/"), code });
        }
    }
}

fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        collect(&entry.unwrap().path().join("src"), &mut sources);
    }
    sources
}

/// What stands in backticks outside fenced blocks, with the number of its line.
fn quoted(page: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (at, line) in page.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        if !fenced {
            let pieces = line.split('`').skip(1).step_by(2);
            found.extend(pieces.map(|piece| (at + 1, piece.to_owned())));
        }
    }
    found
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_type(text: &str) -> bool {
    let camel = text.starts_with(|c: char| c.is_ascii_uppercase());
    camel && is_word(text) && text.chars().any(|c| c.is_ascii_lowercase())
}

/// Whether this code defines a type of that name.
fn defines(code: &str, name: &str) -> bool {
    let kinds = ["struct ", "enum ", "trait ", "type "];
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    kinds.iter().any(|kind| {
        let definition = format!("{kind}{name}");
        code.match_indices(&definition).any(|(at, found)| is_end(&code[at + found.len()..]))
    })
}

/// Whether this code has a function, a constant or a variant of that name.
fn has_item(code: &str, name: &str) -> bool {
    let ends = ["(", "<", " {", ",", "\n"];
    ends.iter().any(|end| {
        code.contains(&format!("fn {name}{end}")) || code.contains(&format!("    {name}{end}"))
    }) || code.contains(&format!("const {name}:"))
}

#[test]
fn every_path_it_names_is_there() {
    assert_eq!(missing_paths(&page()), [], "docs/architecture.md names what is not there");
}

#[test]
fn the_threat_model_names_files_and_tests_that_are_there() {
    let page = fs::read_to_string(root().join("docs/threats.md")).unwrap();
    assert_eq!(missing_paths(&page), [], "docs/threats.md names what is not there");
    tests_are_there("docs/threats.md", &page);
}

#[test]
fn everything_known_of_real_phones_has_a_test() {
    let page = fs::read_to_string(root().join("docs/contributing.md")).unwrap();
    let (_, table) = page.split_once("| what phones do | tests |").expect("the table of phones");
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).collect();
    assert!(15 <= rows.len(), "{rows:?}");
    for row in rows {
        let tests = row.trim_end_matches('|').rsplit('|').next().unwrap();
        assert!(tests.contains('_'), "no test: {row}");
    }
    tests_are_there("docs/contributing.md", table);
}

/// Fails if a part of this page names tests that do not exist.
fn tests_are_there(title: &str, page: &str) {
    let mut sources = sources();
    let tests = root().join("tests/it");
    sources.push(Source { path: "tests".to_owned(), code: all_code(&tests) });
    let named = quoted(page).into_iter().map(|(_, text)| text);
    let named: Vec<_> =
        named.filter(|text| is_word(text) && 2 < text.matches('_').count()).collect();
    assert!(3 < named.len(), "tests are named: {named:?}");
    let is_there =
        |name: &String| sources.iter().any(|source| source.code.contains(&format!("fn {name}(")));
    let missing: Vec<_> = named.iter().filter(|name| !is_there(name)).collect();
    assert!(missing.is_empty(), "{title} names tests that are not there: {missing:?}");
}

/// The code of every file below a folder.
fn all_code(folder: &Path) -> String {
    let mut code = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            code.push_str(&all_code(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            code.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
    code
}

/// The paths that a page names and that are not there, with the numbers of their lines.
fn missing_paths(page: &str) -> Vec<(usize, String)> {
    quoted(page)
        .into_iter()
        .filter(|(_, text)| {
            let is_path =
                text.contains('/') || Path::new(text).extension().is_some_and(|it| it == "rs");
            is_path && !text.contains([' ', '<', '{', '*', ':'])
        })
        .filter(|(_, text)| {
            let places = [root(), root().join("crates"), root().join("docs")];
            !places.iter().any(|place| place.join(text).exists())
        })
        .collect()
}

#[test]
fn every_type_it_names_is_defined() {
    let sources = sources();
    let missing: Vec<_> = quoted(&page())
        .into_iter()
        .filter(|(_, text)| {
            let (name, item) = text.split_once("::").unwrap_or((text, "it"));
            let ours = is_type(name) && is_word(item);
            ours && !sources.iter().any(|source| {
                defines(&source.code, name) && (item == "it" || has_item(&source.code, item))
                    || source.code.contains(&format!("impl {name} "))
                        && has_item(&source.code, item)
            })
        })
        .collect();
    assert!(missing.is_empty(), "docs/architecture.md names types that are not there: {missing:?}");
}

/// A step of a walk is `N. `path` `function`, `function`: ...`.
#[test]
fn every_step_of_a_walk_is_where_it_says() {
    let (page, sources) = (page(), sources());
    let mut steps = 0;
    for (at, line) in page.lines().enumerate() {
        let Some((number, step)) = line.split_once(". ") else { continue };
        if number.parse::<u32>().is_err() || !step.starts_with('`') {
            continue;
        }
        let head = step.split_once(':').map_or(step, |(head, _)| head);
        let mut names = head.split('`').skip(1).step_by(2);
        let path = names.next().unwrap();
        let source = sources.iter().find(|source| source.path == path);
        let source = source.unwrap_or_else(|| panic!("line {}: there is no {path}", at + 1));
        let functions: Vec<_> = names.collect();
        assert!(!functions.is_empty(), "line {}: {path} names no function", at + 1);
        for function in functions {
            let name = function.rsplit("::").next().unwrap();
            assert!(has_item(&source.code, name), "line {}: no {function} in {path}", at + 1);
        }
        steps += 1;
    }
    assert!(10 <= steps, "only {steps} steps of a walk were found");
}

/// Under each crate's heading stand all its top modules, and no others in the first column.
#[test]
fn every_module_of_every_crate_has_its_line() {
    let page = page();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let heading = format!("### `{name}`");
        let section = page.split_once(&heading).unwrap_or_else(|| panic!("no heading {heading}")).1;
        let section = section.split("\n##").next().unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        let named: BTreeSet<_> = rows
            .flat_map(|row| row.split(" |").next().unwrap().split('`').step_by(2))
            .filter(|word| is_word(word))
            .map(str::to_owned)
            .collect();
        let lib = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        let test_only = |line: &str| lib.contains(&format!("#[cfg(test)]\n{line}"));
        let modules: BTreeSet<_> = lib
            .lines()
            .filter(|line| !test_only(line))
            .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "))
            .filter_map(|line| line.strip_suffix(';'))
            .map(str::to_owned)
            .collect();
        assert_eq!(named, modules, "the modules of {name} in docs/architecture.md");
    }
}
