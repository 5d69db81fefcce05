//! The hosts that a user's words name: by themselves, or by the names of their owners.
use super::fillers::EMPTY_WORDS;
use super::phrases;
use super::text::{normalized, words};
use crate::host::host_of;

/// How much of a text is looked through for addresses.
const MOST: usize = 8 * 1024;
/// Of how many hosts it is read whether they are forbidden.
const MOST_HOSTS: usize = 100;

/// The endings of hosts under which well-known names are their owners': the old common ones, and those of
/// countries that are used for what belongs there.
#[rustfmt::skip]
const KNOWN_ENDINGS: &[&str] = &[
    "com", "org", "net", "edu", "gov", "int", "eu", "app", "dev", "io",
    "ae", "ar", "at", "au", "bd", "be", "bg", "br", "by", "ca", "ch", "cl", "cn", "cz", "de", "dk", "ee", "eg", "es", "fi", "fr", "gr", "hk", "hr", "hu", "id", "ie", "il", "in", "is", "it",
    "jp", "ke", "kr", "kz", "lk", "lt", "lu", "lv", "ma", "mx", "my", "ng", "nl", "no", "nz", "pe", "ph", "pk", "pl", "pt", "ro", "rs", "ru", "sa", "se", "sg", "si", "sk", "th", "tr", "tw", "ua", "uk", "us", "uy", "vn", "za",
];

/// Words of tasks that are in nearly all of them, and so no owner's name.
#[rustfmt::skip]
const TASK_WORDS: &[&str] = &[
    "password", "passwort", "login", "log", "sign", "signin", "user", "username", "account", "konto", "name", "email", "mail", "chrome", "firefox", "edge", "opera", "browser", "page", "web", "site", "website",
    "app", "forum", "shop", "store", "search", "home", "news", "blog", "online", "portal", "bank", "phone", "new", "sign-in",
];

/// Domains under which anybody can have a host.
#[rustfmt::skip]
const SHARED: &[&str] = &[
    "github.io", "githubusercontent.com", "github.dev", "gitlab.io", "bitbucket.io", "codeberg.page", "readthedocs.io", "gitbook.io", "sourceforge.io", "sourceforge.net", "hf.space",
    "wordpress.com", "tumblr.com", "livejournal.com", "substack.com", "medium.com", "typepad.com", "ghost.io", "hatenablog.com", "hatenablog.jp", "hatenadiary.com", "fc2.com", "tistory.com", "over-blog.com", "canalblog.com", "altervista.org", "beehiiv.com", "bearblog.dev", "micro.blog", "dreamwidth.org", "seesaa.net", "livedoor.blog", "narod.ru", "ucoz.ru", "ucoz.com",
    "vercel.app", "now.sh", "netlify.app", "pages.dev", "workers.dev", "trycloudflare.com", "r2.dev", "herokuapp.com", "onrender.com", "railway.app", "fly.dev", "surge.sh", "deno.dev", "glitch.me", "repl.co", "replit.app", "replit.dev", "codesandbox.io", "csb.app", "stackblitz.io", "webcontainer.io", "gitpod.io", "ngrok.io", "ngrok.app", "ngrok.dev", "ngrok-free.app", "ngrok-free.dev", "loca.lt", "serveo.net", "pythonanywhere.com", "streamlit.app", "supabase.co", "lovable.app", "bolt.host", "v0.app",
    "web.app", "firebaseapp.com", "appspot.com", "run.app", "cloudfunctions.net", "googleapis.com", "googleusercontent.com", "translate.goog", "usercontent.goog", "amazonaws.com", "cloudfront.net", "awsapprunner.com", "amplifyapp.com", "elasticbeanstalk.com", "on.aws", "azurewebsites.net", "azurestaticapps.net", "azureedge.net", "azurefd.net", "core.windows.net", "cloudapp.net", "cloudapp.azure.com", "digitaloceanspaces.com", "ondigitalocean.app", "backblazeb2.com", "linodeobjects.com", "fastly.net", "akamaized.net", "b-cdn.net", "oraclecloud.com", "aliyuncs.com", "myqcloud.com", "vultrobjects.com", "wasabisys.com",
    "wixsite.com", "wixstudio.com", "editorx.io", "weebly.com", "webflow.io", "squarespace.com", "myshopify.com", "godaddysites.com", "strikingly.com", "carrd.co", "notion.site", "framer.app", "framer.website", "jimdosite.com", "jimdofree.com", "webnode.com", "webnode.page", "site123.me", "ueniweb.com", "000webhostapp.com", "infinityfreeapp.com", "neocities.org", "nekoweb.org", "bravesites.com", "tilda.ws", "mystrikingly.com", "bigcartel.com", "bandcamp.com", "itch.io", "fandom.com", "wikidot.com", "proboards.com", "forumotion.com", "discourse.group", "freshdesk.com", "zendesk.com", "atlassian.net", "sharepoint.com", "hubspotpagebuilder.com", "hs-sites.com", "mailchimpsites.com", "clickfunnels.com", "typeform.com", "jotform.com", "zohosites.com", "webs.com", "angelfire.com", "tripod.com", "blogs.com", "blog.com", "home.blog", "softr.app", "bubbleapps.io", "glide.page", "retool.com", "airtableapps.com", "wpengine.com", "wpcomstaging.com", "kinsta.cloud", "pantheonsite.io", "myspreadshop.com", "duckdns.org", "no-ip.org", "ddns.net", "hopto.org", "dyndns.org", "sslip.io", "nip.io",
];

/// The hosts that a text names in order to forbid them, and the others.
fn told_hosts(text: &str) -> (Vec<String>, Vec<String>) {
    let text = tail(text);
    let plain = normalized(text);
    hosts_in(text).take(MOST_HOSTS).partition(|it| is_forbidden(&plain, it))
}

/// Whether a text (normalized) names a host: it or a domain around it, or the name of its owner: "wikipedia" for
/// `en.wikipedia.org`, and not for `wikipedia.example.com`. Under an ending where names are given away or are rarely
/// its owner's ("weather" for `weather.tk`), and under a hoster's domain ("github" for `somebody.github.io`), only the
/// address itself names it; `hosts` are those of the addresses in it.
pub(super) fn names_host(text: &str, hosts: &[String], host: &str) -> bool {
    let around =
        |it: &str| host == it || host.strip_suffix(it).is_some_and(|rest| rest.ends_with('.'));
    if hosts.iter().any(|it| around(it) && (it == host || !is_shared(it))) {
        return true;
    }
    if anybody_can_have(host) {
        return false;
    }
    // Letters that only look like those of the owner's name.
    if host.split('.').any(|label| label.starts_with("xn--")) {
        return false;
    }
    if !host.rsplit('.').next().is_some_and(|it| KNOWN_ENDINGS.contains(&it)) {
        return false;
    }
    let name: String = owner_of(host).chars().filter(|c| *c != '-').collect();
    if name.chars().count() < 3 || EMPTY_WORDS.contains(&name) || TASK_WORDS.contains(&&*name) {
        return false;
    }
    let all: Vec<&str> = words(text).collect();
    (1..=3).any(|count| all.windows(count).any(|it| it.concat() == name))
}

/// Whether a domain is one under which anybody can have a host.
fn is_shared(domain: &str) -> bool {
    // One for each country.
    SHARED.contains(&domain) || domain.starts_with("blogspot.")
}

/// Whether anybody can have this host. What is called `www` is the hoster's own.
fn anybody_can_have(host: &str) -> bool {
    let mut around = host.match_indices('.').map(|(at, _)| &host[at + 1..]);
    around.any(is_shared) && !host.strip_prefix("www.").is_some_and(is_shared)
}

/// Whether a host may be a page of the app with this label: its owner is called so.
pub(crate) fn is_page_of(label: &str, host: &str) -> bool {
    names_host(&normalized(label), &[], host)
}

/// Whether the page of a host is one for which a secret was given: a page of the site whose address stands in the same
/// sentence, or where none does, of one that any of the user's `words` name.
pub(crate) fn is_given_for<'a>(
    sentence: &str,
    words: impl IntoIterator<Item = &'a str>,
    host: &str,
) -> Result<(), Option<String>> {
    // An address of mail names somebody.
    let said: Vec<&str> = sentence.split_whitespace().filter(|it| !it.contains('@')).collect();
    let (forbidden, sites) = told_hosts(&said.join(" "));
    let is_there = if forbidden.iter().any(|it| is_of_site(it, host)) {
        false
    } else if sites.is_empty() {
        words.into_iter().any(|it| {
            let (_, hosts) = told_hosts(it);
            names_host(&without_hosts(it), &hosts, host)
        })
    } else {
        sites.iter().any(|it| is_of_site(it, host))
    };
    if is_there { Ok(()) } else { Err(sites.into_iter().next()) }
}

/// Whether a text (normalized) names a host in order to forbid it: "Sign in to GitHub, not to evil.net".
fn is_forbidden(text: &str, host: &str) -> bool {
    /// Most words of what is not to be done there: "do not *sign in to* evil.net".
    const MOST_BEFORE: usize = 3;
    let Some(at) = text.find(host) else { return false };
    let blanks = text[..at].rmatch_indices(' ').map(|(blank, _)| blank + 1);
    let mut places = blanks.chain([0]).take(1 + MOST_BEFORE).chain([at]);
    places.any(|from| phrases::is_negated(text, from, at + host.len(), None))
}

/// A text (normalized) without the addresses in it: the parts of one are nobody's names.
fn without_hosts(text: &str) -> String {
    let rest = text.split_whitespace().filter(|it| hosts_in(it).next().is_none());
    normalized(&rest.collect::<Vec<_>>().join(" "))
}

/// Whether a host belongs to the owner of another one.
fn is_of_site(site: &str, host: &str) -> bool {
    let named = site.strip_prefix("www.").unwrap_or(site);
    let within =
        host.strip_suffix(named).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    if anybody_can_have(site) || anybody_can_have(host) || is_shared(site) {
        within && (site == host || !is_shared(site))
    } else {
        // Beside each other only where the ending is one that nobody gives parts of away.
        let is_short = |it: &str| {
            it.split_once('.').is_some_and(|(name, country)| name.len() <= 3 && country.len() == 2)
        };
        within || domain_of(site) == domain_of(host) && !is_short(domain_of(host))
    }
}

/// The part of a host that its owner has chosen.
fn owner_of(host: &str) -> &str {
    let domain = domain_of(host);
    domain.split_once('.').map_or(domain, |(name, _)| name)
}

/// The domain of a host that has one owner.
fn domain_of(host: &str) -> &str {
    #[rustfmt::skip]
    const SECOND: &[&str] = &[
        "co", "com", "org", "net", "gov", "ac", "edu", "go", "ne", "or", "gob", "gouv", "me", "ltd", "plc", "web", "info", "name", "biz", "id", "gen", "idv", "adv", "blog", "msk", "spb", "pe", "re", "nom", "in",
    ];
    let labels: Vec<&str> = host.split('.').collect();
    let kept = match labels.as_slice() {
        [.., second, country] if country.len() == 2 && SECOND.contains(second) => 3,
        _ => 2,
    };
    let dots = host.rmatch_indices('.');
    dots.map(|(at, _)| at).nth(kept - 1).map_or(host, |at| &host[at + 1..])
}

/// Of a long text the end, as of the user's words.
fn tail(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(MOST))..]
}

/// The hosts of the addresses in a text.
pub(super) fn hosts_in(text: &str) -> impl Iterator<Item = String> {
    let end = |c: char| c.is_whitespace() || "\"'()<>,;，。、“”„«»「」".contains(c);
    let parts = tail(text).split(end).map(|it| it.trim_matches(['.', ':', '!', '?']));
    let addresses = parts.filter(|it| it.contains('.') && it.len() <= 2048);
    addresses.filter_map(host_of).filter(|it| it.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::UserWords;

    #[test]
    fn a_host_that_anybody_can_have_is_not_named_by_its_hoster() {
        for (task, host) in [
            ("Look at the README on GitHub", "evil.github.io"),
            ("Look at the README on github.io", "evil.github.io"),
            ("Read my blog on Wordpress", "evil.wordpress.com"),
            ("Read my blog on Blogspot", "evil.blogspot.com"),
            ("Read my blog on Blogspot", "evil.blogspot.de"),
            ("Read my Tumblr", "evil.tumblr.com"),
            ("Look at Vercel", "a.evil.vercel.app"),
            ("Look at Amazonaws", "evil.s3.eu-west-1.amazonaws.com"),
            ("Look at the shop on Shopify", "evil.myshopify.com"),
        ] {
            assert!(!UserWords::new([task]).name_host(host), "{task}: {host}");
        }
        for (task, host) in [
            ("Look at the README on GitHub", "github.com"),
            ("Look at the README on GitHub", "gist.github.com"),
            ("Look at anna.github.io", "anna.github.io"),
            ("Look at anna.github.io", "www.anna.github.io"),
            ("Open Tumblr", "www.tumblr.com"),
            ("Open Wordpress", "wordpress.com"),
            ("Look it up on Wikipedia", "en.wikipedia.org"),
        ] {
            assert!(UserWords::new([task]).name_host(host), "{task}: {host}");
        }
    }

    #[test]
    fn a_secret_is_given_for_the_site_in_its_sentence() {
        let is_for = |words: &[&str], host: &str| {
            is_given_for(words[words.len() - 1], words.iter().copied(), host).is_ok()
        };
        let address = "Sign in to github.com in Chrome with the password Hunter2";
        let owner = "Sign in to GitHub in Chrome with the password Hunter2";
        for words in [address, owner] {
            for host in ["github.com", "www.github.com", "gist.github.com"] {
                assert!(is_for(&[words], host), "{words}: {host}");
            }
            for host in ["evil.net", "github.evil.net", "github-login.evil.net", "evil.github.io"] {
                assert!(!is_for(&[words], host), "{words}: {host}");
            }
        }
        assert!(!is_for(&[address], "github.net"));
        assert!(is_for(
            &["Log in at https://login.example.co.uk/x with Hunter2"],
            "www.example.co.uk"
        ));
        assert!(!is_for(&["Log in at login.example.co.uk with Hunter2"], "evil.co.uk"));
        let site = "Open shop.example";
        assert!(is_for(&[site, "Sign in as anna@gmail.com with Hunter2"], "shop.example"));
        assert!(!is_for(&[site, "Sign in as anna@gmail.com with Hunter2"], "evil.net"));
        assert!(!is_for(&["Open evil.net", address], "evil.net"));
        assert!(is_for(&["Sign in at anna.github.io with Hunter2"], "anna.github.io"));
        assert!(!is_for(&["Sign in at anna.github.io with Hunter2"], "evil.github.io"));
        let apart = "Sign in to GitHub in Chrome, not to evil.net, with the password Hunter2";
        let forbidden =
            "Sign in to GitHub (github.com). Do not sign in to evil.net. Password: Hunter2";
        for words in [apart, forbidden] {
            assert!(is_for(&[words], "github.com"), "{words}");
            assert!(!is_for(&[words], "evil.net"), "{words}");
            assert!(!is_for(&[words], "www.evil.net"), "{words}");
        }
        for (site, host) in [
            ("anna.me.uk", "evil.me.uk"),
            ("anna.web.id", "evil.web.id"),
            ("anna.waw.pl", "evil.waw.pl"),
        ] {
            assert!(!is_for(&[&format!("Sign in at {site} with Hunter2")], host), "{host}");
            assert!(is_for(&[&format!("Sign in at {site} with Hunter2")], &format!("my.{site}")));
        }
        assert!(is_for(&["Sign in at www.n26.de with Hunter2"], "app.n26.de"));
        for host in ["password.rs", "sign.rs", "chrome.rs", ""] {
            assert!(!is_for(&["In Chrome sign in to GitHub with the password Hunter2"], host));
        }
        assert!(is_page_of("GitHub", "github.com") && is_page_of("N26", "app.n26.com"));
        assert!(!is_page_of("Settings", "settings.evil.net"));
    }

    #[test]
    fn addresses_in_long_texts_of_any_script_are_found() {
        for begin in ["", "a", "ab"] {
            let text = format!("{begin}{} look at https://shop.example.com/x", "好".repeat(MOST));
            assert_eq!(hosts_in(&text).collect::<Vec<_>>(), ["shop.example.com"], "{begin}");
        }
    }
}
