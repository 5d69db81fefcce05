//! An agent's page, `<player>/<player>.md`: one section for each request.
use ayeaye_agent::journal::{LlmRequest, LlmResponse};
use jiff::Timestamp;

use super::player::{Request, seconds};
use super::prompt::Messages;
use crate::markdown::{code, literal};
use crate::text::{excerpt, harmless_lines, iso, json_line, limited, put};

/// Characters of a prompt.
const MAX_USER_TEXT: usize = 300;
/// Characters of a reply; it is whole in its own file.
const MAX_REPLY: usize = 2000;

/// The beginning of a text, on one line and literally: whoever wrote it.
fn shown(text: &str, most: usize) -> String {
    literal(&excerpt(text, most))
}

pub(super) fn path(player: &str) -> String {
    format!("{player}/{player}.md")
}

pub(super) fn header(player: &str, folder: &str, started: Timestamp, model: &str) -> String {
    let started = started.strftime("%Y-%m-%d %H:%M:%S");
    format!(
        "# AI Agent Log: {player}\n\n**Session:** {folder}  \n**Started:** {started} UTC  \n\
         **Model:** {}\n\n---\n",
        shown(model, MAX_USER_TEXT)
    )
}

pub(super) fn prompt_section(
    request: &LlmRequest,
    messages: &Messages,
    at: Timestamp,
    last_event: &str,
) -> String {
    let LlmRequest { request_number: number, iteration, .. } = *request;
    let time = at.strftime("%H:%M:%S");
    let purpose = shown(&request.purpose, MAX_USER_TEXT);
    if iteration > 1 {
        return format!(
            "\n### Asked again ({purpose}, iteration {iteration})\n\n**Time:** {time}\n\nSee: \
             [prompt_{number}_iter{iteration}.json](prompts/iterations/prompt_{number}_iter{iteration}.json)\n"
        );
    }
    let last_event = if last_event.is_empty() { "(nothing yet)" } else { last_event };
    format!(
        "\n## Request #{number} - {purpose}\n\n**Time:** {time} ({})\n\n### What Happened\n\n{}\n\n\
         ### Prompt Sent\n\n> {}\n\nSee: [prompt_{number}.json](prompts/prompt_{number}.json)\n",
        iso(at),
        shown(last_event, MAX_USER_TEXT),
        shown(messages.user_text.trim(), MAX_USER_TEXT),
    )
}

/// A reply that was not acted on.
pub(super) fn intermediate_section(reply: &LlmResponse) -> String {
    let mut text = format!("\n### Reply {}, not acted on\n\n", reply.iteration);
    for call in &reply.tool_calls {
        let parameters = shown(&json_line(&call.parameters), MAX_USER_TEXT);
        let name = code(&excerpt(&call.name, 100));
        put(&mut text, format_args!("- asks for {name} {parameters}\n"));
    }
    if let Some(error) = &reply.error {
        put(&mut text, format_args!("**Error:** {}\n", shown(error, MAX_REPLY)));
    }
    text + &fenced(reply.raw_content.as_deref())
}

/// The answer that counted.
pub(super) fn response_section(request: &Request, reply: &LlmResponse) -> String {
    let mut text = format!("\n### Response {}\n\n{}\n", mark(reply.success), figures(request));
    if let Some(parsed) = &reply.parsed {
        let response = &parsed.response;
        let texts = [
            ("Thinking", &response.thought),
            ("Comment", &response.comment),
            ("Note to Self", &response.summary),
        ];
        for (name, words) in texts {
            if !words.is_empty() {
                put(&mut text, format_args!("\n**{name}:** {}\n", shown(words, MAX_REPLY)));
            }
        }
        let arguments = shown(&json_line(&parsed.action.arguments), MAX_REPLY);
        let function = shown(&parsed.action.function, 100);
        put(&mut text, format_args!("\n**Action:** **{function}** - {arguments}\n"));
    } else {
        text.push_str(&fenced(reply.raw_content.as_deref()));
    }
    if let Some(error) = &reply.error {
        put(&mut text, format_args!("\n**Error:** {}\n", shown(error, MAX_REPLY)));
    }
    text + "\n---\n"
}

/// A request that came to nothing.
pub(super) fn unanswered(request: &Request, why: &str) -> String {
    format!(
        "\n### Response {}\n\n{}\n\n**Error:** {}\n\n---\n",
        mark(false),
        figures(request),
        shown(why, MAX_REPLY)
    )
}

fn mark(success: bool) -> &'static str {
    if success { "received ✅" } else { "failed ❌" }
}

fn figures(request: &Request) -> String {
    let (latency, all) = request.latency_ms;
    let tokens = request.tokens;
    let cost =
        if request.unpriced { "not known".to_owned() } else { format!("${:.6}", request.cost_usd) };
    format!(
        "**Latency:** {:.2}s (calls: {}, together {:.2}s) | **Tokens:** in:{} out:{} | **Cost:** {cost}",
        seconds(latency),
        request.calls,
        seconds(all),
        tokens.prompt,
        tokens.received(),
    )
}

/// A reply word for word but for control characters, in a fence that nothing in it can close.
fn fenced(reply: Option<&str>) -> String {
    let Some(reply) = reply.filter(|it| !it.is_empty()) else { return String::new() };
    let reply = harmless_lines(limited(reply, MAX_REPLY));
    let longest = reply.split(|it| it != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("\n{fence}\n{reply}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::{fenced, shown};

    #[test]
    fn a_reply_carries_nothing_out_in_a_terminal() {
        let reply = fenced(Some("tap\n\u{1b}[2J``` \u{7}"));
        assert_eq!(reply, "\n````\ntap\n\u{fffd}[2J``` \u{fffd}\n````\n");
    }

    #[test]
    fn what_a_model_says_neither_formats_nor_loads() {
        let evil = "a <img src=x onerror=alert(1)>\n![](https://evil.example/a.png) 1 < 2";
        assert_eq!(
            shown(evil, 200),
            r"a \<img src=x onerror=alert(1)\> \!\[\](https\://evil.example/a.png) 1 \< 2"
        );
    }
}
