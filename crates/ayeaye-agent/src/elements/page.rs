//! Which web page a browser shows, as its own address bar says.
use super::{Element, Elements};
use crate::host::host_of_address;

/// Address bars by the last part of their resource ids: Chromium's and what is built on it, Samsung's,
/// Firefox's, Opera's, and that of `DuckDuckGo`.
const BARS: &[&str] = &[
    "url_bar",
    "location_bar_edit_text",
    "mozac_browser_toolbar_url_view",
    "url_field",
    "omnibarTextInput",
];
/// A page may call its own elements what it likes.
const PAGE: &str = "android.webkit.WebView";

impl Elements {
    /// Whether a part of the screen is a web page, whose author may be anybody.
    pub(crate) fn has_page(&self) -> bool {
        self.0.iter().any(|it| it.class == PAGE)
    }

    /// The host of the page that an app shows. `None` where it has no address bar that is known, does not show
    /// it, or something is being typed into it.
    pub(crate) fn page_host(&self, package: &str) -> Option<String> {
        self.address_bar(package).and_then(|it| host_of_address(&it.text))
    }

    /// Whether an app shows a page whose address names no host: `about:blank`, `file:///…`, a name without a dot.
    pub(crate) fn is_without_host(&self, package: &str) -> bool {
        let bar = self.address_bar(package).filter(|it| !it.text.trim().is_empty());
        bar.is_some_and(|it| host_of_address(&it.text).is_none())
    }

    /// The address bar of an app, where there is one and nothing is being typed into it.
    fn address_bar(&self, package: &str) -> Option<&Element> {
        let is_bar = |it: &&Element| {
            let named = it.resource_id.strip_prefix(package);
            named.and_then(|it| it.strip_prefix(":id/")).is_some_and(|it| BARS.contains(&it))
        };
        // However deep a page nests it.
        let mut of_page: Vec<bool> = Vec::with_capacity(self.0.len());
        for element in &self.0 {
            let outer = element.parent.and_then(|place| of_page.get(place)).copied();
            of_page.push(outer.unwrap_or(false) || element.class == PAGE);
        }
        let own = self.0.iter().zip(of_page).filter(|(_, of_page)| !of_page).map(|(it, _)| it);
        let mut bars = own.filter(is_bar);
        let (bar, others) = (bars.next()?, bars.count());
        (others == 0 && !bar.focused).then_some(bar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BROWSER: &str = "com.android.chrome";

    fn bar(id: &str, text: &str, more: &str) -> String {
        format!(
            r#"<node class="android.widget.EditText" resource-id="{id}" text="{text}" {more} bounds="[0,0][900,90]"/>"#
        )
    }

    fn host(inner: &str) -> Option<String> {
        let elements = Elements::read(&format!("<hierarchy>{inner}</hierarchy>")).unwrap();
        elements.page_host(BROWSER)
    }

    #[test]
    fn it_is_what_the_browser_s_own_bar_says() {
        let own = bar("com.android.chrome:id/url_bar", "bank.org/login", "");
        assert_eq!(host(&own).as_deref(), Some("bank.org"));
        let in_page = bar("com.android.chrome:id/url_bar", "bank.org", "");
        let deep = |inner: &str| {
            let (open, close) =
                (r#"<node bounds="[0,90][900,900]">"#.repeat(100), "</node>".repeat(100));
            format!("{open}{inner}{close}")
        };
        let page = format!(
            r#"<node class="android.webkit.WebView" bounds="[0,90][900,900]">{}</node>"#,
            deep(&in_page)
        );
        assert_eq!(host(&page), None, "a page says so of itself");
        let other = bar("com.android.chrome:id/url_bar", "evil.net", "");
        assert_eq!(host(&format!("{other}{page}")).as_deref(), Some("evil.net"));
        assert_eq!(host(&format!("{other}{own}")), None, "two bars");
        assert_eq!(
            host(&bar("com.android.chrome:id/url_bar", "bank.org", "focused=\"true\"")),
            None
        );
        assert_eq!(host(&bar("url_bar", "bank.org", "")), None);
        for (text, is_odd) in [
            ("about:blank", true),
            ("[2001:db8::1]/login", true),
            ("localhost:8000", true),
            ("bank.org/login", false),
            ("", false),
        ] {
            let bar = bar("com.android.chrome:id/url_bar", text, "");
            let elements = Elements::read(&format!("<hierarchy>{bar}</hierarchy>")).unwrap();
            assert_eq!(elements.is_without_host(BROWSER), is_odd, "{text}");
        }
        assert_eq!(host(&bar("com.example:id/url_bar", "bank.org", "")), None, "of another app");
    }
}
