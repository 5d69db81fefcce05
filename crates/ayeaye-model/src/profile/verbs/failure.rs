//! Reports that say of themselves that the task failed.
//!
//! Some formats have one word for the end of a task, and models that could not do it write so into the report. What
//! merely was not found is no failure: "no unread messages" may be the answer that was asked for.

/// How such reports begin, or what the part of them says that speaks of the task. In lower case.
const BEGINS: [&str; 22] = [
    "task failed",
    "the task failed",
    "task has failed",
    "the task has failed",
    "failed to complete",
    "unable to complete",
    "could not complete",
    "cannot complete",
    "can't complete",
    "i was unable to complete",
    "i am unable to complete",
    "i'm unable to complete",
    "i could not complete",
    "i couldn't complete",
    "i cannot complete",
    "i can't complete",
    "任务失败",
    "任务未完成",
    "任务无法",
    "无法完成",
    "未能完成",
    "不能完成",
];
const SAYS: [&str; 8] = [
    "task could not be completed",
    "task couldn't be completed",
    "task cannot be completed",
    "task can't be completed",
    "task is infeasible",
    "task is not feasible",
    "task is impossible",
    "cannot complete this task",
];

/// Words of regret, which stand in front.
const REGRETS: [&str; 6] = ["sorry", "i'm sorry", "unfortunately", "抱歉", "很抱歉", "对不起"];

/// Whether a report says that the task failed.
pub(super) fn says_so(report: &str) -> bool {
    let report = report.trim().to_lowercase().replace('’', "'");
    let mut rest = report.as_str();
    for regret in REGRETS {
        rest = rest.strip_prefix(regret).unwrap_or(rest);
    }
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ",，.。!！:：".contains(c));
    let rest = rest.strip_prefix("but ").unwrap_or(rest);
    let rest = rest.strip_prefix('我').unwrap_or(rest);
    // In its first sentence: what comes behind may speak of a try before the one that succeeded.
    let first = rest.split(['.', '。', '!', '！', ';', '；', '\n']).next().unwrap_or(rest);
    BEGINS.iter().any(|begin| first.starts_with(begin))
        || SAYS.iter().any(|words| first.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_failure_is_told_from_an_answer() {
        for report in [
            "无法完成任务，因为没有找到该联系人",
            "任务失败，找不到",
            "抱歉，我无法完成这个任务",
            "The task failed.",
            "Sorry, the task could not be completed: no such contact.",
            "I couldn’t complete the task",
            "Unable to complete: the app needs an account",
        ] {
            assert!(says_so(report), "{report}");
        }
        for report in [
            "",
            "done",
            "没有未读消息",
            "已完成。第一次无法完成，重试后成功",
            "No unread messages were found.",
            "The alarm is set. At first I could not complete the form.",
            "The order failed, as the shop says.",
            "Cannot find any photo of a cat",
            "已将“任务失败”的提醒删除",
        ] {
            assert!(!says_so(report), "{report}");
        }
    }
}
