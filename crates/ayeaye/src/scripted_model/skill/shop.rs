//! Finds products in the shop under a price and puts one into the cart. Never goes beyond the page
//! where one could pay.
use ayeaye_agent::Key;
use ayeaye_phone::{CartLine, NodeState};

use super::super::context::{Question, StepContext};
use super::super::phrases;
use super::super::step::{NextAction, NextStep};

const PACKAGE: &str = "com.example.shop";
const SEARCH_HINT: &str = "Search shoes, bags and more";
const SIZE: Question = ("Which size?", "要哪个尺码？");

#[derive(Debug, PartialEq)]
pub(super) struct ShopTask {
    /// What to search for, as the shop's own words.
    wanted: String,
    limit: Option<Limit>,
    size: Option<String>,
    /// Whether to put it into the cart.
    into_cart: bool,
    to_checkout: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Limit {
    cents: f64,
    /// Whether exactly this price is allowed.
    including: bool,
}

impl Limit {
    fn allows(self, cents: u32) -> bool {
        let cents = f64::from(cents);
        cents < self.cents || self.including && cents <= self.cents
    }
}

const GOODS: [(&str, &str); 10] = [
    ("跑鞋", "running shoes"),
    ("跑步鞋", "running shoes"),
    ("运动鞋", "sneakers"),
    ("凉鞋", "sandals"),
    ("靴", "boots"),
    ("鞋", "shoes"),
    ("sandals", "sandals"),
    ("sneakers", "sneakers"),
    ("boots", "boots"),
    ("shoes", "shoes"),
];

pub(super) fn parse(task: &str) -> Option<ShopTask> {
    let verbs = ["find", "search for", "look for", "buy", "get", "add", "put"];
    let lower = task.to_ascii_lowercase();
    let named = phrases::first(&lower, &verbs).map(|(_, end)| {
        let rest = lower[end..].trim_start();
        let ends = [
            " in size", " size", " in the", " in shop", " to the", " into", " under", " below",
            " for ", " cheaper", " less", " up to", " at most", " that", " which", " and ", ",",
            ".", " with", " from",
        ];
        let end = ends.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
        let mut name = rest[..end].trim();
        for lead in ["me ", "some ", "a pair of ", "a ", "the ", "cheap "] {
            name = name.strip_prefix(lead).unwrap_or(name);
        }
        name.to_owned()
    });
    let named = named.filter(|name| !name.is_empty() && !["it", "one", "them"].contains(&&**name));
    let known = || GOODS.iter().find(|(word, _)| lower.contains(word)).map(|(_, name)| *name);
    let wanted = named.or_else(|| known().map(str::to_owned))?;
    let strict = ["under", "below", "less than", "cheaper than", "低于", "不到", "少于"];
    let loose = ["up to", "at most", "no more than", "maximum", "不超过", "最多"];
    let limit = |marks: &[&str], including| {
        let (_, end) = phrases::first(&lower, marks)?;
        Some(Limit { cents: phrases::number(&lower[end..])? * 100.0, including })
    };
    // In Chinese the number comes first: 50欧元以下.
    let before = || {
        let end = lower.find("以下").or_else(|| lower.find("以内"))?;
        let head = &lower[..end];
        let digits = head.rfind(|c: char| c.is_ascii_digit())? + 1;
        let start = head[..digits].rfind(|c: char| !c.is_ascii_digit() && c != '.');
        let start = start.map_or(0, |at| at + head[at..].chars().next().map_or(1, char::len_utf8));
        Some(Limit { cents: phrases::number(&head[start..])? * 100.0, including: true })
    };
    let size = phrases::first(&lower, &["size", "尺码"])
        .and_then(|(_, end)| phrases::value(&lower[end..]));
    let size = size.map(str::to_ascii_uppercase);
    let size = size.or_else(|| {
        let at = lower.find('码').filter(|_| !lower.contains("尺码"))?;
        let digits = lower[..at].chars().rev().take_while(char::is_ascii_digit).count();
        Some(lower[at - digits..at].to_owned()).filter(|size| !size.is_empty())
    });
    let to_checkout = phrases::any(&lower, &["checkout", "check out", "结账", "结算"]);
    let into_cart = ["cart", "basket", "buy", "get", "order", "add", "put", "买", "购物车", "加入"];
    Some(ShopTask {
        wanted,
        limit: limit(&strict, false).or_else(|| limit(&loose, true)).or_else(before),
        size,
        into_cart: to_checkout || phrases::any(&lower, &into_cart),
        to_checkout,
    })
}

pub(super) fn next(s: &StepContext<'_>, task: &ShopTask) -> NextStep {
    let size = task.size.as_deref().or_else(|| s.answer_to(SIZE).map(phrases::trimmed));
    let allowed = |cents| task.limit.is_none_or(|limit| limit.allows(cents));
    let page = s.find("add_to_cart").and(s.find("product_name"));
    let line = s.phone.cart.iter().find(|line| {
        let ours = has_words(&line.name, &task.wanted)
            || page.is_some_and(|name| name.text == line.name)
            || s.progress.last_summary.contains(&line.name);
        ours && allowed(line.price_cents)
            && size.is_none_or(|size| line.size.is_empty() || line.size == size)
    });
    if let Some(line) = line.filter(|_| task.into_cart) {
        return in_cart(s, task, line);
    }
    if !s.is_in(PACKAGE) {
        return s.open(PACKAGE);
    }
    if let Some(button) = s.find("continue") {
        return s.tap(button, "This is about an older order.", "Go on shopping");
    }
    if let Some(add) = s.find("add_to_cart") {
        return product(s, task, size, add, allowed);
    }
    let Some(field) = s.find("search") else {
        return s.back("This screen has no search.");
    };
    let now = s.field_text(field, SEARCH_HINT);
    if now != task.wanted {
        return s.fill(field, now, &task.wanted, "words to search for");
    }
    if s.find("result_count").is_none() || field.focused && s.phone.keyboard_shown {
        return NextStep::new(
            NextAction::Press(Key::Enter),
            "What to search for is written.",
            "Start the search",
        );
    }
    results(s, task, allowed)
}

/// The list of results.
fn results(s: &StepContext<'_>, task: &ShopTask, allowed: impl Fn(u32) -> bool) -> NextStep {
    let wanted = &task.wanted;
    if task.limit.is_some()
        && let Some(chip) = s.find("sort_price_asc").filter(|chip| chip.checked == Some(false))
    {
        return s.tap(chip, "The cheapest tell whether there is anything.", "Sort by price");
    }
    // What is named so comes before what only its description mentions.
    let mut found = listed(s);
    if found.is_empty() {
        return s.abort(
            format!("The shop has nothing for “{wanted}”."),
            format!("商店里没有“{wanted}”。"),
        );
    }
    found.sort_by_key(|(name, _)| !has_words(&name.text, wanted));
    let fitting: Vec<_> = found.iter().filter(|(_, cents)| allowed(*cents)).collect();
    let Some((name, cents)) = fitting.first() else {
        let cheapest = found.iter().map(|(_, cents)| *cents).min().unwrap_or_default();
        let cheapest = euros(cheapest);
        return s.abort(
            format!("Nothing for “{wanted}” is that cheap: the least is {cheapest}."),
            format!("“{wanted}”没有这么便宜的，最低 {cheapest}。"),
        );
    };
    if !task.into_cart {
        let all: Vec<_> = fitting
            .iter()
            .map(|(name, cents)| format!("{} for {}", name.text, euros(*cents)))
            .collect();
        let all = all.join(", ");
        return s.complete(
            format!("Found for “{wanted}”: {all}."),
            format!("“{wanted}”的结果：{all}。"),
        );
    }
    let thought = format!("{} for {} is as wanted.", name.text, euros(*cents));
    s.tap(name, &thought, &format!("Open {}", name.text))
}

/// The products in the list, with prices.
fn listed<'a>(s: &StepContext<'a>) -> Vec<(&'a NodeState, u32)> {
    let mut found = Vec::new();
    let mut name = None;
    for node in &s.phone.nodes {
        if node.id.ends_with("/product_name") {
            name = Some(node);
        } else if node.id.ends_with("/price")
            && let (Some(name), Some(cents)) = (name.take(), cents(&node.text))
        {
            found.push((name, cents));
        }
    }
    found
}

/// The page of one product.
fn product(
    s: &StepContext<'_>,
    task: &ShopTask,
    size: Option<&str>,
    add: &NodeState,
    allowed: impl Fn(u32) -> bool,
) -> NextStep {
    let name = s.find("product_name").map_or("", |node| &node.text);
    let price = s.find("price").and_then(|node| cents(&node.text));
    if !task.into_cart || !price.is_some_and(&allowed) || !s.came_for(name, &task.wanted) {
        return s.back("This is not what is wanted.");
    }
    // Told in each step here, so that it is known as the one we went for.
    let looking = format!("Looking at {name}");
    let chips: Vec<_> = s.all("size").collect();
    if let (Some(first), Some(last)) = (chips.first(), chips.last()) {
        let Some(size) = size else {
            let shown: Vec<_> = chips.iter().map(|chip| chip.text.clone()).collect();
            let sizes = shown.join(", ");
            let asked = s.ask_with(
                format!("{name} comes in sizes, such as {sizes}. {}", SIZE.0),
                format!("{name} 有尺码 {sizes} 等。{}", SIZE.1),
            );
            return asked.with_options(&shown);
        };
        match chips.iter().find(|chip| chip.text == size) {
            Some(chip) if chip.checked == Some(false) => {
                let explain = format!("Choose size {size}");
                let choose = s.tap(chip, "The size has to be chosen first.", &explain);
                return choose.with_summary(looking);
            }
            Some(_) => {}
            None => {
                let number = |text: &str| text.parse::<u32>().ok();
                let (low, high) = (number(&first.text), number(&last.text));
                let thought = "The size is not among those to be seen.";
                return match (number(size), low, high) {
                    // The row ends at 45 and begins at 38.
                    (Some(n @ 38..=45), _, Some(high)) if high < n => {
                        s.drag_list(last, first, thought).with_summary(looking)
                    }
                    (Some(n @ 38..=45), Some(low), _) if n < low => {
                        s.drag_list(first, last, thought).with_summary(looking)
                    }
                    _ => s.abort(
                        format!("{name} does not come in size {size}."),
                        format!("{name} 没有 {size} 码。"),
                    ),
                };
            }
        }
    }
    let explain = format!("Put {name} into the cart");
    s.tap(add, "Product, price and size are as wanted.", &explain)
}

/// The wanted product is in the cart: on to the checkout, or done.
fn in_cart(s: &StepContext<'_>, task: &ShopTask, line: &CartLine) -> NextStep {
    let size = if line.size.is_empty() { String::new() } else { format!(", size {}", line.size) };
    let what = format!("{}{size}, {}", line.name, euros(line.price_cents));
    if task.to_checkout && s.find("place_order").is_none() {
        if !s.is_in(PACKAGE) {
            return s.open(PACKAGE);
        }
        let summary = format!("Put {} into the cart; going to the checkout", line.name);
        let way = s.find("checkout").or_else(|| s.find("cart"));
        let step = match way {
            Some(button) => s.tap(button, "It is in the cart.", "Go on towards the checkout"),
            None => s.back("The cart cannot be opened from here."),
        };
        return step.with_summary(summary);
    }
    s.complete(
        format!("In the cart: {what}. I stopped before paying; ordering is up to you."),
        format!("已放入购物车：{what}。付款前我停下了，下单请您自己来。"),
    )
}

impl StepContext<'_> {
    /// Whether this product is one we went for: its name says so, or we just opened it.
    fn came_for(&self, name: &str, wanted: &str) -> bool {
        has_words(name, wanted) || self.progress.last_summary.contains(name)
    }
}

/// Whether a name has each of these words, plural or not.
fn has_words(name: &str, wanted: &str) -> bool {
    let name = name.to_lowercase();
    wanted.split_whitespace().all(|word| {
        let word = word.to_lowercase();
        name.contains(word.strip_suffix('s').filter(|word| 2 < word.len()).unwrap_or(&word))
    })
}

/// The cents of a price as the shop writes it.
fn cents(price: &str) -> Option<u32> {
    let (euros, cents) = price.trim_start_matches('€').split_once('.')?;
    euros.parse::<u32>().ok()?.checked_mul(100)?.checked_add(cents.parse().ok()?)
}

fn euros(cents: u32) -> String {
    format!("€{}.{:02}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_for_how_much() {
        let under = |euros: f64, including| Some(Limit { cents: euros * 100.0, including });
        let size = |size: &str| Some(size.to_owned()).filter(|size| !size.is_empty());
        for (task, wanted, limit, its_size, into_cart, to_checkout) in [
            (
                "Find running shoes in size 42 for less than 50 euros in the Shop app, put them in \
                 the cart and go on to the checkout, but stop before paying.",
                "running shoes",
                under(50.0, false),
                "42",
                true,
                true,
            ),
            ("Buy sandals under €20.50", "sandals", under(20.5, false), "", true, false),
            (
                "In the shop find boots up to 130 euros.",
                "boots",
                under(130.0, true),
                "",
                false,
                false,
            ),
            (
                "在商店里买一双50欧元以下的42码跑鞋",
                "running shoes",
                under(50.0, true),
                "42",
                true,
                false,
            ),
        ] {
            let parsed = parse(task).unwrap_or_else(|| panic!("{task}"));
            assert_eq!(parsed.wanted, wanted, "{task}");
            assert_eq!(parsed.limit, limit, "{task}");
            assert_eq!(parsed.size, size(its_size), "{task}");
            assert_eq!((parsed.into_cart, parsed.to_checkout), (into_cart, to_checkout), "{task}");
        }
        assert_eq!(cents("€1204.50"), Some(120_450));
        assert_eq!(parse("Open the shop"), None);
    }
}
