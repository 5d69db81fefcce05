//! Installed packages and their activities.
use serde::Serialize;

/// An activity: `package/class`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Component {
    pub package: String,
    /// Fully qualified.
    pub class: String,
}

impl Component {
    /// Reads `package/.Class` or `package/full.Class`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (package, class) = text.split_once('/')?;
        if package.is_empty() || class.is_empty() {
            return None;
        }
        let class =
            if class.starts_with('.') { format!("{package}{class}") } else { class.to_owned() };
        Some(Self { package: package.to_owned(), class })
    }

    /// `package/.Class` where the class is in the package, as Android prints components.
    pub(crate) fn short(&self) -> String {
        match self.class.strip_prefix(self.package.as_str()) {
            Some(rest) if rest.starts_with('.') => format!("{}/{rest}", self.package),
            _ => self.full(),
        }
    }

    /// `package/full.Class`, as windows are titled.
    pub(crate) fn full(&self) -> String {
        format!("{}/{}", self.package, self.class)
    }
}

/// An installed app.
#[derive(Debug, Clone, Serialize)]
pub struct Package {
    pub name: String,
    pub label: String,
    /// `None` for apps without an icon (keyboards, system parts).
    pub launcher: Option<Component>,
    pub system: bool,
    pub version_name: String,
}

impl Package {
    /// Where its file is.
    pub(crate) fn path(&self) -> String {
        let name = &self.name;
        if self.system {
            format!("/system/app/{name}/{name}.apk")
        } else {
            format!("/data/app/~~q1w2e3r4t5y6u7i8o9p0aa==/{name}-a1s2d3f4g5h6j7k8l9z0bb==/base.apk")
        }
    }
}

/// How an activity was started, in the words of `am start -W`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchState {
    Cold,
    /// It was running and came to the front; `am` prints a warning and still exits with 0.
    Hot,
}

/// Why an activity could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    #[error("Activity class {{{0}}} does not exist.")]
    NoSuchActivity(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_shortened_where_they_can_be() {
        let component = Component::parse("a.b/.C").unwrap();
        assert_eq!(component.class, "a.b.C");
        assert_eq!(component.short(), "a.b/.C");
        assert_eq!(component.full(), "a.b/a.b.C");
        assert_eq!(Component::parse("a.b/x.C").unwrap().short(), "a.b/x.C");
        assert_eq!(Component::parse("a.b/"), None);
    }
}
