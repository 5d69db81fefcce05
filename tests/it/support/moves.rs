//! Replies in GELab-Zero's format, aimed at what the virtual phone shows.
use ayeaye_phone::Phone;
use serde_json::Value;

/// One reply line: tab-separated, as the model writes it.
pub fn gelab(action: &str, fields: &str, summary: &str) -> String {
    let tab = if fields.is_empty() { "" } else { "\t" };
    format!(
        "<THINK>next</THINK>\nexplain:{summary}\taction:{action}{tab}{fields}\tsummary:{summary}"
    )
}

pub fn click(x: u32, y: u32) -> String {
    gelab("CLICK", &format!("point:{x},{y}"), "tapped")
}

pub fn info(question: &str) -> String {
    gelab("INFO", &format!("value:{question}"), "asked")
}

pub fn complete(message: &str) -> String {
    gelab("COMPLETE", &format!("return:{message}"), "done")
}

pub fn type_text(text: &str) -> String {
    gelab("TYPE", &format!("value:{text}\tpoint:500,500"), "typed")
}

/// The first element on the screen that fits, as JSON of the phone's state.
pub fn node(phone: &Phone, fits: impl Fn(&Value) -> bool) -> Option<Value> {
    let state = serde_json::to_value(phone.state()).unwrap();
    state["nodes"].as_array().unwrap().iter().find(|node| fits(node)).cloned()
}

/// A click in the middle of an element, in thousandths.
pub fn tap(phone: &Phone, fits: impl Fn(&Value) -> bool) -> String {
    let (width, height) = phone.display_size();
    let node = node(phone, fits).unwrap_or_else(|| {
        let nodes = phone.state().nodes;
        let told = nodes.iter().map(|node| format!("{} {:?}", node.id, node.text));
        panic!("the element is not on the screen: {:?}", told.collect::<Vec<_>>())
    });
    let edge = |index: usize| node["bounds"][index].as_u64().unwrap();
    let x = (edge(0) + edge(2)) * 500 / u64::from(width);
    let y = (edge(1) + edge(3)) * 500 / u64::from(height);
    click(u32::try_from(x).unwrap(), u32::try_from(y).unwrap())
}

/// The same place as a click, with a text to type there.
pub fn aimed(click: &str, text: &str) -> String {
    let point = click.split("point:").nth(1).unwrap().split('\t').next().unwrap();
    type_text(text).replace("point:500,500", &format!("point:{point}"))
}

pub fn abort(reason: &str) -> String {
    gelab("ABORT", &format!("value:{reason}"), "given up")
}
