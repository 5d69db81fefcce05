//! Dialogs that the system itself shows, which give power as its settings do.
use crate::gate::components::SystemPart;
use crate::gate::phrases;
use crate::gate::request::GateRequest;
use crate::gate::text::{List, holds, normalized};

/// The part of the system that a dialog of the system is about, by what it says.
pub(super) fn part_of_dialog(request: &GateRequest<'_>) -> Option<SystemPart> {
    #[rustfmt::skip]
    static SAID: [(SystemPart, List); 4] = [
        (SystemPart::Accessibility, List::new("talkback|accessibility shortcut|view and control screen|bedienungshilfen|talkback-kurzbefehl|无障碍快捷方式|無障礙快速鍵|ユーザー補助のショートカット|접근성 바로가기")),
        (SystemPart::DeveloperOptions, List::new("usb debugging|wireless debugging|usb-debugging|depuración por usb|débogage usb|depuração usb|debug usb|debugowanie usb|usb hata ayıklama|отладку по usb|отладка по usb|usb 调试|usb调试|usb 偵錯|usb デバッグ|usbデバッグ|usb 디버깅")),
        (SystemPart::DefaultApps, List::new("default phone app|default sms app|default dialer|default home app|default browser|standard-telefon-app|standard-sms-app|app de teléfono predeterminada|app de sms predeterminada|appli de téléphone par défaut|appli de sms par défaut|app telefono predefinita|app de telefone padrão|телефон по умолчанию|sms по умолчанию|默认电话应用|默认拨号应用|默认短信应用|デフォルトの電話アプリ|기본 전화 앱|기본 sms 앱")),
        (SystemPart::DeviceAdmin, List::new("work profile|arbeitsprofil|perfil de trabajo|profil professionnel|perfil de trabalho|profilo di lavoro|рабочий профиль|工作资料|仕事用プロファイル|직장 프로필")),
    ];
    let system = ["android", "com.android.server.telecom"];
    if !system.iter().any(|it| request.package.eq_ignore_ascii_case(it)) {
        return None;
    }
    request.screen.texts.iter().map(|it| normalized(it)).find_map(|text| {
        let titled = phrases::area_titled(&text).map(|it| it.of);
        titled.or_else(|| {
            let says = |list: &List| list.iter().any(|it| holds(&text, it));
            SAID.iter().find(|(_, list)| says(list)).map(|(part, _)| *part)
        })
    })
}
