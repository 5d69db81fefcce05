//! Reports that say of themselves that the task failed.
//!
//! Some formats have one word for the end of a task, and models that could not do it write so into the report. What
//! merely was not found is no failure: "no unread messages" may be the answer that was asked for. Nor is a message
//! that was sent, whatever it says. All words here are in lower case.

/// What a report says in all, or in front of its reason.
const BARE: [&str; 10] = [
    "aborted",
    "failed",
    "failure",
    "infeasible",
    "task not completed",
    "失败",
    "未完成",
    "未能完成",
    "无法完成",
    "无法继续",
];

/// How it is said in English that something could not be done.
const COULD_NOT: [&str; 10] = [
    "unable to ",
    "not able to ",
    "wasn't able to ",
    "not been able to ",
    "failed to ",
    "could not ",
    "couldn't ",
    "cannot ",
    "can not ",
    "can't ",
];
/// What could not be done, where that is the task: a verb and one of its names.
const DO: [&str; 5] = ["complete ", "do ", "finish ", "perform ", "carry out "];
const THE_TASK: [&str; 5] = ["the task", "this task", "your task", "the request", "your request"];

/// What an agent looks for: that it could not is no failure, since what is not there may be what was asked.
const LOOK_FOR: [&str; 10] = [
    "find ",
    "see ",
    "locate ",
    "detect ",
    "spot ",
    "identify ",
    "tell ",
    "determine ",
    "read any ",
    "list any ",
];
/// Behind what could not be done, what tells of another way; and in what is told then, that there was none.
const SO_I: [&str; 7] =
    [", so ", " so i ", ", but ", " but i ", ", then ", " instead", " eventually "];
const GAVE_UP: [&str; 20] = [
    "couldn't",
    "could not",
    "can't",
    "cannot",
    "unable",
    "not able",
    "didn't",
    "did not",
    "wasn't",
    "was not",
    "isn't",
    "is not",
    "stop",
    "gave up",
    "give up",
    "abort",
    "fail",
    "please",
    "you",
    "nothing",
];

/// How else such reports begin.
const BEGINS: [&str; 30] = [
    "impossible to complete",
    "未能登录",
    "未能发送",
    "未能打开",
    "无法登录",
    "无法发送",
    "无法输入",
    "无法点击",
    "无法操作",
    "无法进行",
    "task failed",
    "the task failed",
    "task has failed",
    "the task has failed",
    "任务失败",
    "任务未完成",
    "任务无法",
    "无法完成",
    "未能完成",
    "没能完成",
    "不能完成",
    "未完成任务",
    "未完成该任务",
    "无法继续",
    "无法理解",
    "无法执行",
    "未能执行",
    "无法找到元素",
    "无法找到该元素",
    "无法找到目标元素",
];

/// What a report says of the task, or of its own doing, anywhere in its first sentence.
const SAYS: [&str; 31] = [
    "task could not be",
    "task couldn't be",
    "task cannot be",
    "task can not be",
    "task can't be",
    "task was not completed",
    "task wasn't completed",
    "task is not completed",
    "task has not been completed",
    "task not completed",
    "task is infeasible",
    "task is not feasible",
    "task is impossible",
    "任务失败",
    "任务执行失败",
    "任务无法",
    "任务未能",
    "任务没能",
    "任务不能完成",
    "无法完成任务",
    "无法完成该任务",
    "无法完成此任务",
    "无法完成这个任务",
    "无法完成操作",
    "未能完成任务",
    "无法执行任务",
    "无法执行该",
    "无法继续执行",
    "无法继续操作",
    "操作失败",
    "执行失败",
];

/// The same in the other languages that users are mostly answered in.
const SAYS_ELSEWHERE: [&str; 50] = [
    "aufgabe konnte nicht",
    "konnte die aufgabe nicht",
    "aufgabe ist fehlgeschlagen",
    "aufgabe nicht abgeschlossen",
    "no pude completar",
    "no he podido completar",
    "no se pudo completar",
    "no se ha podido completar",
    "la tarea ha fallado",
    "la tarea falló",
    "n'ai pas pu terminer",
    "n'ai pas pu accomplir",
    "n'ai pas réussi à",
    "tâche n'a pas pu",
    "la tâche a échoué",
    "impossible de terminer la tâche",
    "não consegui concluir",
    "não consegui completar",
    "não foi possível concluir",
    "não foi possível completar",
    "a tarefa falhou",
    "non sono riuscito a completare",
    "non sono riuscita a completare",
    "non è stato possibile completare",
    "l'attività non è stata completata",
    "не удалось выполнить зада",
    "не удалось завершить зада",
    "не смог выполнить",
    "не смогла выполнить",
    "задача не выполнена",
    "задание не выполнено",
    "タスクを完了できま",
    "タスクを実行できま",
    "タスクは完了できま",
    "タスクに失敗",
    "タスクは失敗",
    "작업을 완료할 수 없",
    "작업을 완료하지 못",
    "작업에 실패",
    "görev tamamlanamadı",
    "görevi tamamlayamadım",
    "taak kon niet",
    "kon de taak niet",
    "nie udało się wykonać zadania",
    "nie udało się ukończyć zadania",
    "không thể hoàn thành nhiệm vụ",
    "tidak dapat menyelesaikan tugas",
    "لم أتمكن من إكمال",
    "تعذر إكمال",
    "कार्य पूरा नहीं",
];

/// Words of regret, which stand in front.
const REGRETS: [&str; 9] = [
    "sorry",
    "i'm sorry",
    "i am sorry",
    "unfortunately",
    "抱歉",
    "很抱歉",
    "非常抱歉",
    "对不起",
    "不好意思",
];
/// The one of them that excuses nobody: what follows may be news that the user asked for.
const NEWS: &str = "unfortunately";

/// What an agent that excuses itself could not do, besides [`COULD_NOT`]. That there is none of something may be an
/// answer even so.
const EXCUSES: [&str; 17] = [
    "did not find",
    "didn't find",
    "无法",
    "未能",
    "不能",
    "没能",
    "没法",
    "未找到",
    "找不到",
    "没找到",
    "没有找到",
    "没有办法",
    "没有成功",
    "没有完成",
    "没有安装",
    "没有权限",
    "未安装",
];

/// Who speaks, in front of what was or was not done.
const SUBJECTS: [&str; 8] = ["i was ", "i am ", "i'm ", "i have ", "i've ", "i ", "我们", "我"];

/// How reports of what was done begin, which go on with the words that were sent or kept.
const DONE: [&str; 25] = [
    "done",
    "completed",
    "sent",
    "typed",
    "wrote",
    "replied",
    "answered",
    "posted",
    "told",
    "texted",
    "noted",
    "saved",
    "added",
    "created",
    "set ",
    "deleted",
    "the message",
    "已",
    "成功",
    "完成",
    "发送",
    "回复",
    "输入",
    "任务已",
    "任务完成",
];
/// What begins alike and tells of a try.
const TRIED: [&str; 8] =
    ["已尝试", "已经尝试", "已多次", "已经多次", "已停止", "已终止", "已退出", "任务已失败"];
/// In a sentence that speaks of a failure, what says that it was not the last word.
const AT_LAST: [&str; 5] = ["后成功", "后完成", "最终成功", "最终完成", "终于"];

/// No report says later than this how it went.
const LONGEST: usize = 400;

/// Whether a report says that the task failed.
pub(super) fn says_so(report: &str) -> bool {
    let begin: String = report.trim().chars().take(LONGEST).collect();
    let report = without_quotes(&begin).to_lowercase().replace('’', "'");
    let mut rest = report.as_str();
    let mut excused = false;
    while let Some((regret, behind)) =
        REGRETS.iter().find_map(|it| rest.strip_prefix(it).map(|behind| (*it, behind)))
    {
        excused |= regret != NEWS;
        rest = behind.trim_start_matches(is_mark);
    }
    let rest = rest.trim_start_matches(is_mark);
    let rest = rest.strip_prefix("but ").unwrap_or(rest);
    let own = SUBJECTS.iter().find_map(|it| rest.strip_prefix(it));
    let rest = own.unwrap_or(rest);
    // What comes behind may speak of a try before the one that succeeded.
    let first = first_sentence(rest);
    if AT_LAST.iter().any(|words| first.contains(words)) {
        return false;
    }
    if is_done(first) {
        // Part of it was, or these are the words that were sent.
        let but = first.split_once('但').filter(|(done, _)| !done.contains([':', '：']));
        return but.is_some_and(|(_, but)| says(but));
    }
    let excuses = || COULD_NOT.iter().chain(&EXCUSES).any(|words| first.contains(words));
    begins(first) || says(first) || own.is_some_and(did_not) || excused && excuses()
}

fn is_mark(c: char) -> bool {
    c.is_whitespace() || ",，.。!！:：".contains(c)
}

/// A text without what stands in quotes: names, and words of others.
fn without_quotes(text: &str) -> String {
    const QUOTES: [(char, char); 7] =
        [('"', '"'), ('“', '”'), ('‘', '’'), ('「', '」'), ('『', '』'), ('《', '》'), ('«', '»')];
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let close = QUOTES.iter().find(|(open, _)| *open == c).map(|(_, close)| *close);
        match close.and_then(|close| rest.split_once(close)) {
            Some((_, behind)) => rest = behind,
            None => kept.push(c),
        }
    }
    kept
}

/// Up to the first mark that ends one; a dot within a number or a name is none.
fn first_sentence(text: &str) -> &str {
    let end = text.char_indices().find(|(at, c)| match c {
        '.' => !text[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric()),
        c => "。!！;；\n".contains(*c),
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// Whether a sentence begins as one of what was done does.
fn is_done(sentence: &str) -> bool {
    let begins = |words: &[&str]| words.iter().any(|words| sentence.starts_with(words));
    begins(&DONE) && !begins(&TRIED)
}

fn begins(sentence: &str) -> bool {
    let clause = sentence.split([',', '，', ':', '：', '(', '（']).next().unwrap_or_default();
    // The unfinished tasks of a list are spoken of in the same words.
    let names =
        |words: &str| sentence.strip_prefix(words).is_some_and(|behind| !behind.starts_with('的'));
    let could_not = |words: &&str| sentence.strip_prefix(*words);
    BARE.contains(&clause.trim())
        || BEGINS.iter().any(|words| names(words))
        || COULD_NOT
            .iter()
            .find_map(could_not)
            .is_some_and(|what| what.starts_with("complete") || is_the_task(what))
}

/// Whether what somebody tells of themselves begins with what they could not do.
fn did_not(told: &str) -> bool {
    let what = COULD_NOT.iter().find_map(|words| told.strip_prefix(words));
    let is_last_word = |what: &str| {
        let behind = |words: &&str| what.find(*words).map(|at| &what[at + words.len()..]);
        let turn = SO_I.iter().filter_map(behind).max_by_key(|it| it.len());
        turn.is_none_or(|it| GAVE_UP.iter().any(|words| it.contains(words)))
    };
    what.is_some_and(|what| {
        !LOOK_FOR.iter().any(|verb| what.starts_with(verb)) && is_last_word(first_sentence(what))
    })
}

/// Whether what could not be done is the task.
fn is_the_task(what: &str) -> bool {
    let named = DO.iter().find_map(|verb| what.strip_prefix(verb));
    named.is_some_and(|named| THE_TASK.iter().any(|task| named.starts_with(task)))
}

fn says(sentence: &str) -> bool {
    let behind = |words: &str| {
        let found = sentence.match_indices(words).find(|(at, _)| !is_counted(&sentence[..*at]));
        found.map(|(at, _)| &sentence[at + words.len()..])
    };
    SAYS.iter().any(|words| behind(words).is_some_and(|behind| !behind.starts_with('的')))
        || SAYS_ELSEWHERE.iter().any(|words| sentence.contains(words))
        || COULD_NOT.iter().any(|words| behind(words).is_some_and(is_the_task))
}

/// Whether a text ends with a count, so that what follows are things that an app lists.
fn is_counted(before: &str) -> bool {
    let before = before.strip_suffix("任务").unwrap_or(before);
    let Some(number) = before.strip_suffix(['个', '项', '条', '次']) else { return false };
    number.ends_with(|c: char| c.is_ascii_digit() || "一二两三四五六七八九十几多".contains(c))
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
            "I was not able to complete the task because there is no network.",
            "Not able to do the task",
            "I have not been able to finish the task.",
            "The task was not completed.",
            "Task not completed: the app is missing",
            "As the app is missing, I could not complete the task.",
            "Infeasible",
            "failed",
            "Failed: no such contact.",
            "Sorry, I cannot find an app of this name.",
            "I'm sorry, but I was unable to open version 2.5 of it.",
            "I am sorry. The contact was found, and I couldn't send it.",
            "无法继续",
            "无法理解用户的指令",
            "由于该应用未安装，任务无法完成。",
            "由于该应用未安装，无法完成任务。",
            "任务执行失败",
            "执行失败：没有网络",
            "操作失败",
            "网络异常导致操作失败",
            "未完成",
            "未能完成，需要登录",
            "无法执行该操作",
            "页面没有变化，无法执行该操作",
            "无法找到元素",
            "已尝试多次，任务无法完成",
            "已打开应用，但任务无法完成",
            "很抱歉，没有找到该联系人",
            "对不起，找不到设置",
            "抱歉，手机上没有安装微信",
            "抱歉，我无法找到\"什么值得买\"这个应用。\n\n不过，我可以为您打开一些类似的应用。您想打开哪个应用来浏览？",
            "抱歉，我无法找到“A。B”",
            "I failed to do it",
            "I couldn't send the message because there is no network.",
            "I was not able to log in.",
            "I couldn't log in, so I stopped.",
            "I couldn't send it, so please check the network.",
            "无法发送消息，网络不可用",
            "未能登录，需要验证码",
            "Impossible to complete: the app is not installed",
            "Aborted.",
            "Не удалось выполнить задачу",
            "Die Aufgabe konnte nicht erledigt werden",
            "Leider konnte die Aufgabe nicht abgeschlossen werden.",
            "No pude completar la tarea",
            "Je n’ai pas pu terminer la tâche.",
            "タスクを完了できませんでした",
            "작업을 완료하지 못했습니다",
        ] {
            assert!(says_so(report), "{report}");
        }
        for report in [
            "",
            "done",
            "没有未读消息",
            "已完成。第一次无法完成，重试后成功",
            "No unread messages were found.",
            "I couldn't send it over Wi-Fi, so I switched to mobile data and the message was sent.",
            "I could not open the app by its icon, but I opened it by a search and set the alarm.",
            "I couldn't read any unread messages because there are none.",
            "The alarm is set. At first I could not complete the form.",
            "The order failed, as the shop says.",
            "Cannot find any photo of a cat",
            "已将“任务失败”的提醒删除",
            "Sent: sorry, I cannot come",
            "I have sent: sorry, I cannot complete the task",
            "Unfortunately, the shop cannot deliver today.",
            "Sorry for the wait: the alarm is set.",
            "\"Sorry, I cannot come\"",
            "抱歉，没有未读消息",
            "已发送：抱歉，任务无法完成，但我明天再试",
            "我已回复张三：任务无法完成",
            "最后一条消息是「任务无法完成」",
            "今天有3个任务执行失败",
            "任务失败的原因是磁盘已满",
            "未完成的任务有三个",
            "第一次操作失败，重试后成功",
            "已加入购物车，但无法完成支付，请您自行支付",
            "无法打开",
            "I couldn't find any unread messages.",
            "I was not able to see a price for it.",
            "Login failed",
            "Die Aufgabe ist erledigt.",
            "El mensaje dice «no pude completar la tarea»",
        ] {
            assert!(!says_so(report), "{report}");
        }
    }
}
