//! `head`, `tail`, `wc` and `cut`, as toybox has them.
use std::ops::RangeInclusive;

use bytes::Bytes;

use super::{
    CommandOutput,
    args::flags,
    files::{Input, inputs, operands_or_stdin},
    put, put_error,
};
use crate::{
    device::VirtualPhone,
    shell::{io::Io, process::Stop},
};

/// How much of the beginning or the end of a file is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Amount {
    Lines(usize),
    Bytes(usize),
    /// From this one on, counted from 1.
    FromLine(usize),
    FromByte(usize),
}

/// The amount and the files; `None` for what is not understood.
fn parse<'a>(words: &[&'a str]) -> Option<(Amount, Vec<&'a str>)> {
    let (mut amount, mut operands) = (Amount::Lines(10), Vec::new());
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        let Some(flag) = word.strip_prefix('-').filter(|flag| !flag.is_empty()) else {
            operands.push(word);
            continue;
        };
        if flag == "-" {
            operands.extend(words);
            break;
        }
        let (bytes, rest) = match (flag.strip_prefix('c'), flag.strip_prefix('n')) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => (false, flag),
        };
        let number = if rest.is_empty() { words.next()? } else { rest };
        let (from, number) = match number.strip_prefix('+') {
            Some(number) => (true, number),
            None => (false, number),
        };
        let number: usize = number.parse().ok()?;
        amount = match (bytes, from) {
            (true, false) => Amount::Bytes(number),
            (true, true) => Amount::FromByte(number),
            (false, false) => Amount::Lines(number),
            (false, true) => Amount::FromLine(number),
        };
    }
    Some((amount, operands))
}

/// The title of a file among several, of which some may have been shown before.
fn title(operands: &[&str], operand: &str, is_first: bool) -> String {
    let gap = if is_first { "" } else { "\n" };
    let name = if operand == "-" { "standard input" } else { operand };
    if operands.len() > 1 { format!("{gap}==> {name} <==\n") } else { String::new() }
}

/// Reads no more than it shows.
pub(super) async fn head(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
    io: &Io,
) -> Result<CommandOutput, Stop> {
    let Some((amount @ (Amount::Lines(_) | Amount::Bytes(_)), operands)) = parse(words) else {
        return Ok(CommandOutput::unsupported(device, &format!("head {}", words.join(" "))));
    };
    let operands = operands_or_stdin(&operands);
    let (mut status, mut is_first) = (0, true);
    for operand in operands {
        let mut input = match Input::open(device, cwd, operand, io) {
            Ok(input) => input,
            Err(error) => {
                status = 1;
                put_error(io, format!("head: {operand}: {error}\n")).await?;
                continue;
            }
        };
        let title = title(operands, operand, is_first);
        is_first = false;
        if let Some(failed) = put(io, "head", title.into()).await? {
            return Ok(failed);
        }
        let mut left = amount;
        while !matches!(left, Amount::Lines(0) | Amount::Bytes(0)) {
            let Some(chunk) = input.chunk().await else { break };
            let end;
            (end, left) = match left {
                Amount::Bytes(most) => {
                    let end = chunk.len().min(most);
                    (end, Amount::Bytes(most - end))
                }
                Amount::Lines(most) | Amount::FromLine(most) | Amount::FromByte(most) => {
                    let mut ends = line_ends(&chunk).take(most);
                    let (lines, last) = ends.by_ref().fold((0, 0), |(n, _), end| (n + 1, end));
                    let end = if lines == most { last } else { chunk.len() };
                    (end, Amount::Lines(most - lines))
                }
            };
            if let Some(failed) = put(io, "head", chunk.slice(..end)).await? {
                return Ok(failed);
            }
        }
    }
    Ok(CommandOutput::status(status))
}

/// Where each line ends, behind its newline.
fn line_ends(text: &[u8]) -> impl DoubleEndedIterator<Item = usize> {
    text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1)
}

/// The end of each.
pub(super) async fn tail(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
    io: &Io,
) -> CommandOutput {
    let Some((amount, operands)) = parse(words) else {
        return CommandOutput::unsupported(device, &format!("tail {}", words.join(" ")));
    };
    let operands = operands_or_stdin(&operands);
    let (mut reply, mut is_first) = (CommandOutput::default(), true);
    for operand in operands {
        let (contents, failures) = inputs(device, cwd, "tail", &[operand], io).await;
        if !failures.is_empty() {
            reply.complain(failures);
        }
        for (_, all) in contents {
            reply.stdout.push(Bytes::from(title(operands, operand, is_first)));
            is_first = false;
            reply.stdout.push(all.slice(beginning(&all, amount)..));
        }
    }
    reply
}

/// Where what `tail` shows of this begins.
fn beginning(all: &[u8], amount: Amount) -> usize {
    match amount {
        Amount::Bytes(most) => all.len().saturating_sub(most),
        Amount::FromByte(first) => first.saturating_sub(1).min(all.len()),
        Amount::Lines(0) => all.len(),
        // The last newline ends a line and begins none.
        Amount::Lines(most) => {
            let mut before = line_ends(all).rev().filter(|end| *end < all.len());
            before.nth(most - 1).unwrap_or(0)
        }
        Amount::FromLine(0 | 1) => 0,
        Amount::FromLine(first) => line_ends(all).nth(first - 2).unwrap_or(all.len()),
    }
}

/// Lines, words, bytes and characters of each, and of all together.
pub(super) async fn wc(device: &VirtualPhone, cwd: &str, words: &[&str], io: &Io) -> CommandOutput {
    let flags = match flags(device, "wc", words, "lwcm") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let mut shown: Vec<usize> =
        "lwcm".char_indices().filter(|(_, flag)| flags.has(*flag)).map(|(at, _)| at).collect();
    if shown.is_empty() {
        shown = vec![0, 1, 2];
    }
    // In columns: several files, and several numbers of standard input.
    let in_columns = match flags.operands.len() {
        0 => shown.len() > 1,
        files => files > 1,
    };
    let wide = if in_columns { 7 } else { 0 };
    let told = |counts: &[u64; 4], name: &str| {
        let numbers: Vec<String> =
            shown.iter().map(|at| format!("{:>wide$}", counts[*at])).collect();
        let name = if name.is_empty() { String::new() } else { format!(" {name}") };
        format!("{}{name}\n", numbers.join(" "))
    };
    let (mut reply, mut sum) = (CommandOutput::default(), [0; 4]);
    for operand in operands_or_stdin(&flags.operands) {
        let mut input = match Input::open(device, cwd, operand, io) {
            Ok(input) => input,
            Err(error) => {
                reply.complain(format!("wc: {operand}: {error}\n"));
                continue;
            }
        };
        let (mut counts, mut in_word) = ([0_u64; 4], false);
        while let Some(chunk) = input.chunk().await {
            for byte in &chunk {
                counts[0] += u64::from(*byte == b'\n');
                let space = byte.is_ascii_whitespace();
                counts[1] += u64::from(!space && !in_word);
                in_word = !space;
                // What continues a character of UTF-8 is none.
                counts[3] += u64::from(byte & 0xc0 != 0x80);
            }
            counts[2] += chunk.len() as u64;
        }
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        let name = if flags.operands.is_empty() { "" } else { operand };
        reply.stdout.push(told(&counts, name).into());
    }
    if flags.operands.len() > 1 {
        reply.stdout.push(told(&sum, "total").into());
    }
    reply
}

/// `cut -f LIST [-d DELIMITER] [-s] [FILE]…`, or `-c LIST` or `-b LIST`.
pub(super) async fn cut(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
    io: &Io,
) -> CommandOutput {
    let refused = || {
        CommandOutput::malformed(device, 1, format!("cut: bad arguments: {}\n", words.join(" ")))
    };
    let (mut list, mut delimiter, mut only, mut operands) = (None, "\t", false, Vec::new());
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        let Some(flag) = word.strip_prefix('-').filter(|flag| !flag.is_empty()) else {
            operands.push(word);
            continue;
        };
        let (letter, value) = flag.split_at(flag.chars().next().map_or(0, char::len_utf8));
        let mut value = || if value.is_empty() { rest.next() } else { Some(value) };
        match letter {
            "s" => only = true,
            "d" => match value() {
                Some(value) if !value.is_empty() => delimiter = value,
                _ => return refused(),
            },
            "f" | "c" | "b" => match value().and_then(ranges) {
                Some(_) if list.as_ref().is_some_and(|(kind, _)| *kind != letter) => {
                    return refused();
                }
                Some(ranges) => list = Some((letter, ranges)),
                None => return refused(),
            },
            _ => return refused(),
        }
    }
    let Some((kind, ranges)) = list else { return refused() };
    let wanted = |number: usize| ranges.iter().any(|range| range.contains(&number));
    let (contents, failures) = inputs(device, cwd, "cut", &operands, io).await;
    let mut out: Vec<u8> = Vec::new();
    for (_, content) in &contents {
        let text = String::from_utf8_lossy(content);
        for line in text.lines() {
            if kind == "f" {
                if !line.contains(delimiter) && only {
                    continue;
                }
                if line.contains(delimiter) {
                    let fields = line.split(delimiter).zip(1..).filter(|(_, at)| wanted(*at));
                    let fields: Vec<&str> = fields.map(|(field, _)| field).collect();
                    out.extend_from_slice(fields.join(delimiter).as_bytes());
                } else {
                    out.extend_from_slice(line.as_bytes());
                }
            } else if kind == "c" {
                let kept = line.chars().zip(1..).filter(|(_, at)| wanted(*at));
                out.extend(kept.map(|(c, _)| c).collect::<String>().into_bytes());
            } else {
                let kept = line.bytes().zip(1..).filter(|(_, at)| wanted(*at));
                out.extend(kept.map(|(byte, _)| byte));
            }
            out.push(b'\n');
        }
    }
    CommandOutput {
        stdout: vec![out.into()],
        ..CommandOutput::error(u8::from(!failures.is_empty()), failures)
    }
}

/// `1,3-5,7-`: numbers from 1.
fn ranges(list: &str) -> Option<Vec<RangeInclusive<usize>>> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0);
    let range = |part: &str| match part.split_once('-') {
        None => number(part).map(|at| at..=at),
        Some(("", "")) => None,
        Some((from, "")) => Some(number(from)?..=usize::MAX),
        Some(("", to)) => Some(1..=number(to)?),
        Some((from, to)) => Some(number(from)?..=number(to)?).filter(|range| !range.is_empty()),
    };
    list.split(',').map(range).collect()
}
