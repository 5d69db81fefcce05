//! What phones of one maker are like to a computer: identity, and what they refuse before their owner has
//! switched something on. Gathered from reports (docs/phones.md); Android itself refuses none of it.
use crate::{
    faults::{FaultPlan, InstallRefusal},
    options::PhoneOptions,
};

/// A maker's Android.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maker {
    /// Android as it is published.
    Stock,
    /// OPPO, realme, `OnePlus`.
    ColorOs,
    /// Xiaomi, Redmi, POCO.
    Miui,
    /// Huawei, Honor.
    Emui,
    /// Samsung.
    OneUi,
}

impl Maker {
    pub const ALL: [Self; 5] = [Self::Stock, Self::ColorOs, Self::Miui, Self::Emui, Self::OneUi];

    /// As it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::ColorOs => "coloros",
            Self::Miui => "miui",
            Self::Emui => "emui",
            Self::OneUi => "oneui",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|maker| maker.name() == name)
    }

    /// Whose it is, and what is particular to it.
    pub fn about(self) -> &'static str {
        match self {
            Self::Stock => "Android as it is published, without ADBKeyboard",
            Self::ColorOs => "OPPO, realme, OnePlus: refuses `ime` and writing settings",
            Self::Miui => "Xiaomi, Redmi, POCO: refuses `input`, writing settings and installing",
            Self::Emui => "Huawei, Honor",
            Self::OneUi => "Samsung",
        }
    }

    /// The identity of such a phone.
    pub fn options(self) -> PhoneOptions {
        let usual = PhoneOptions::default();
        let (manufacturer, model, android, sdk) = match self {
            Self::Stock => return usual,
            Self::ColorOs => ("OPPO", "PHZ110", "14", 34),
            Self::Miui => ("Xiaomi", "2201123C", "13", 33),
            Self::Emui => ("HUAWEI", "NOH-AN00", "12", 31),
            Self::OneUi => ("samsung", "SM-S921B", "14", 34),
        };
        PhoneOptions {
            manufacturer: manufacturer.to_owned(),
            model: model.to_owned(),
            android: android.to_owned(),
            sdk,
            ..usual
        }
    }

    /// What is wrong with it until its owner switches something on.
    pub fn faults(self) -> FaultPlan {
        // None comes with a keyboard for other programs.
        let new = FaultPlan { no_keyboard: true, ..FaultPlan::default() };
        match self {
            Self::Stock | Self::Emui | Self::OneUi => new,
            Self::ColorOs => FaultPlan { ime_refused: true, settings_refused: true, ..new },
            Self::Miui => FaultPlan {
                input_refused: true,
                settings_refused: true,
                install_refused: Some(InstallRefusal::UserRestricted),
                ..new
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makers_are_found_by_their_names() {
        for maker in Maker::ALL {
            assert_eq!(Maker::from_name(maker.name()), Some(maker));
        }
        assert_eq!(Maker::from_name("nokia"), None);
    }
}
