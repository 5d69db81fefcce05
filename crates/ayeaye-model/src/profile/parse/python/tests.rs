use proptest::prelude::*;

use super::*;

const KNOWN: &[&str] =
    &["content", "point", "start_point", "end_point", "direction", "text", "action", "message"];

fn shown(text: &str) -> String {
    match calls(text, KNOWN).and_then(only) {
        Ok(call) => {
            let named =
                call.args.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap()));
            let all = call.positional.iter().map(|value| ("", value.as_str())).chain(named);
            let args = all.map(|(name, value)| format!(" {name}={value}"));
            format!("{}{}", call.name, args.collect::<String>())
        }
        Err(why) => format!("not: {why}"),
    }
}

#[test]
fn calls_are_read_as_they_are_meant() {
    for (text, is) in [
        ("press_back()", "press_back"),
        ("click(point='<point>5 6</point>')", "click point=<point>5 6</point>"),
        ("click( point = [5, 6] )", "click point=[5, 6]"),
        ("click(5, 6)", "click =5 =6"),
        ("type(content='it\\'s\\n')", "type content=it's\n"),
        ("type(content='it's')", "type content=it's"),
        (
            r"type(content='\ud83d\ude00 \U0001f600 \x41 \ud83d \Users')",
            "type content=😀 😀 A \\ud83d \\Users",
        ),
        ("type（content=“好”）", "type content=好"),
        ("do(action=\"Type\", text=\"print(\"hi\")\")", "do action=Type text=print(\"hi\")"),
        ("do(action=\"Type\", text=\"a \"b\", c\")", "do action=Type text=a \"b\", c"),
        ("type(content='a,b', point='1 2',)", "type content=a,b point=1 2"),
        ("type(content='it's', point='1 2')", "type content=it's point=1 2"),
        ("do(action=\"Type\", text=\"two\nlines\")", "do action=Type text=two\nlines"),
        ("press_back()\n\npress_back();", "press_back"),
        ("press_back()。", "press_back"),
        ("f(content=1) open 2) tap)", "f content=1) open 2) tap"),
        ("type(content='好')。", "type content=好"),
        ("click(point=(5, 6)).", "click point=(5, 6)"),
        ("type(content='C:\\dir')", "type content=C:\\dir"),
        ("click(reason='a, b', point='5 6', of=[1, (2)], speed=0.5)", "click point=5 6"),
        ("click(x=5, y=6)", "click =x=5 =y=6"),
        ("type(a==b)", "type =a==b"),
    ] {
        assert_eq!(shown(text), is, "{text}");
    }
}

#[test]
fn what_could_be_two_things_is_refused() {
    for (text, part) in [
        ("", "names no action"),
        ("the button", "names no action"),
        ("click(point='1 2'", "no end"),
        ("type(content='abc)", "no closing quote"),
        ("f(content='ok') no, click(point='5 5')", "two places"),
        ("f(content='ok')\n\nclick(point='5 5')", "more than one"),
        ("f(content='it's')\nclick(point='5 5')", "two places"),
        ("f(content='ok') and so on", "no end"),
        ("f(point='1 2', point='3 4')", "twice"),
        ("f(content='it's', other='x')", "two places"),
        ("f()\nAction: g()", "more than one"),
        ("f()\nThought: done (really)", "more than one"),
        ("f() or g()", "more than one"),
        ("f(), g()", "more than one"),
        ("f()(5, 6)", "more than one"),
    ] {
        let shown = shown(text);
        assert!(shown.starts_with("not:") && shown.contains(part), "{text}: {shown}");
    }
}

#[test]
fn a_call_with_open_points_that_was_cut_is_none() {
    for text in [
        "click(point='<point>450 565</point>\"",
        "click(point='<point>450 565</point>)",
        "click(point='<point>450 565</point>\")",
        "scroll(point='<point>4 5</point>, direction='down')",
        "drag(start_point='<point>1 2</point>' end_point='<point>3 4</point>')",
        "drag(start_point='<point>1 2</point>, end_point='<point>3 4</point>')",
        "type(content='a', point='<point>1 2</point>)",
    ] {
        let whole = calls(text, KNOWN).unwrap();
        for at in 0..text.len() {
            let cut = calls(&text[..at], KNOWN);
            assert!(cut.is_err() || cut == Ok(whole.clone()), "{}: {cut:?}", &text[..at]);
        }
    }
}

#[test]
fn fences_do_not_matter() {
    for text in ["```\nf()\n```", "```python\nf()```", "`f()`", "f()", "```f()```"] {
        assert_eq!(unfenced(text), "f()", "{text}");
    }
}

proptest! {
    #[test]
    fn what_is_quoted_is_read_back(text in any::<String>(), single in any::<bool>()) {
        let written = quoted(&text, if single { '\'' } else { '"' });
        let call = calls(&format!("f(content={written})"), KNOWN).and_then(only).unwrap();
        prop_assert_eq!(&call.args["content"], &Value::from(text));
        prop_assert!(!written.contains("<|") && !written.contains("</"));
    }
}
