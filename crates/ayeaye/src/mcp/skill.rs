//! The skill that teaches a client's model to use the agent well: one file, served as the Skills
//! extension (SEP-2640) wants it.
use rmcp::model::{
    CacheScope, ErrorCode, GetSkillResult, ListSkillsResult, Resource, ResourceContents, Skill,
    SkillFrontmatter, SkillResource, SkillResources,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use super::address::unknown;
use super::client_support::{IMMUTABLE_TTL_MS, is_modern};

/// The URI of the file; the part before the last is the skill's name.
pub const URI: &str = "skill://phone-agent/SKILL.md";

/// The file.
const TEXT: &str = include_str!("skill/SKILL.md");

const MARKDOWN: &str = "text/markdown";

/// Answers `skills/list`.
pub fn list(ctx: &RequestContext<RoleServer>) -> ListSkillsResult {
    let mut all = ListSkillsResult::with_all_items(vec![skill()]);
    if is_modern(ctx) {
        (all.ttl_ms, all.cache_scope) = (Some(IMMUTABLE_TTL_MS), Some(CacheScope::Public));
    }
    all
}

/// Answers `skills/get`.
pub fn get(uri: &str, ctx: &RequestContext<RoleServer>) -> Result<GetSkillResult, ErrorData> {
    if uri != URI {
        // The same code in all protocol versions, unlike for other resources.
        return Err(ErrorData { code: ErrorCode::INVALID_PARAMS, ..unknown(uri) });
    }
    let mut one = GetSkillResult::new(skill());
    if is_modern(ctx) {
        (one.ttl_ms, one.cache_scope) = (Some(IMMUTABLE_TTL_MS), Some(CacheScope::Public));
    }
    Ok(one)
}

/// The file, for `resources/read`.
pub fn read(uri: &str) -> Option<ResourceContents> {
    (uri == URI).then(|| ResourceContents::text(TEXT, URI).with_mime_type(MARKDOWN))
}

/// The file, for `resources/list`.
pub fn resource() -> Resource {
    let Front { name, description } = front();
    Resource::new(URI, name)
        .with_title("How to use the phone agent")
        .with_description(description)
        .with_mime_type(MARKDOWN)
        .with_size(TEXT.len() as u64)
}

fn skill() -> Skill {
    let Front { name, description } = front();
    let files = vec![SkillResource::from_bytes(URI, TEXT.as_bytes())];
    Skill::new(URI, SkillFrontmatter::new(name, description), SkillResources::Files(files))
}

struct Front {
    name: &'static str,
    description: &'static str,
}

/// The name and description in the front matter. They are two plain lines, which a test checks, so
/// no YAML parser is needed.
fn front() -> Front {
    let head = TEXT.split("---\n").nth(1).unwrap_or_default();
    let field = |name: &str| {
        let mut lines = head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).unwrap_or_default()
    };
    Front { name: field("name"), description: field("description") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_a_skill_that_clients_can_check() {
        let skill = skill();
        skill.validate().unwrap();
        assert_eq!(skill.name(), "phone-agent");
        let SkillResources::Files(files) = &skill.resources else { panic!("one file") };
        files[0].verify(TEXT.as_bytes()).unwrap();
    }

    #[test]
    fn its_head_has_two_plain_lines_and_its_body_is_short() {
        let parts: Vec<&str> = TEXT.splitn(3, "---\n").collect();
        assert_eq!(parts[0], "");
        let fields: Vec<&str> =
            parts[1].lines().filter_map(|line| Some(line.split_once(": ")?.0)).collect();
        assert_eq!(fields, ["name", "description"]);
        let Front { description, .. } = front();
        // Plain YAML: no quotes, no colon in the text, and SEP-2640's 1,024 characters at most.
        assert!(!description.contains([':', '"', '\'', '#']), "{description}");
        assert!((40..1024).contains(&description.len()));
        assert!(parts[2].lines().count() <= 200);
    }

    #[test]
    fn it_names_tools_that_there_are_and_stop_reasons_that_there_are() {
        let tools = crate::mcp::tools::Toolbox::new();
        for tool in TEXT.split('`').filter(|word| {
            ["ask_", "get_", "list_", "stop_", "launch_", "type_", "press_"]
                .iter()
                .any(|begin| word.starts_with(begin))
                && *word != "stop_reason"
        }) {
            assert!(tools.get(tool).is_some(), "{tool}");
        }
        let reason = |word: &&str| {
            4 < word.len() && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        };
        let mut found = 0;
        for word in TEXT.split('`').filter(reason) {
            assert!(ayeaye_agent::StopReason::from_name(word).is_some(), "{word}");
            found += 1;
        }
        assert!(10 < found);
    }
}
