//! `ayeaye completions` and `ayeaye man`: what shells and `man` know of the command line, made from itself.
use std::path::Path;

use anyhow::Context as _;
use clap_complete::Shell;

use crate::cli::command_line;
use crate::command::Exit;
use crate::terminal::Terminal;

/// Prints the script that makes a shell complete commands and flags.
pub fn completions(shell: Shell, terminal: Terminal) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command_line(None), "ayeaye", &mut script);
    terminal.raw(&script);
    Exit::Done
}

/// Prints the manual page, or writes a page for each command into a folder.
pub fn man(out: Option<&Path>, terminal: Terminal) -> anyhow::Result<Exit> {
    let Some(folder) = out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command_line(None)).render(&mut page)?;
        terminal.raw(&page);
        return Ok(Exit::Done);
    };
    let failed = || format!("manual pages cannot be written into {}", folder.display());
    std::fs::create_dir_all(folder).with_context(failed)?;
    clap_mangen::generate_to(command_line(None), folder).with_context(failed)?;
    let pages = std::fs::read_dir(folder).with_context(failed)?.flatten();
    let pages = pages.filter(|page| page.path().extension().is_some_and(|end| end == "1")).count();
    let first = folder.join("ayeaye.1");
    terminal.item("written", &format!("{} and others: {pages} pages", first.display()));
    Ok(Exit::Done)
}
