//! Titles that the makers of phones give to the settings that give power over the phone.
use super::Table;
use crate::gate::components::SystemPart::{
    self, Accessibility, DeviceAdmin, FactoryReset, SpecialAccess, UnknownSources,
};

#[rustfmt::skip]
pub(super) const AREAS: Table<SystemPart> = &[
    (Accessibility, "", "downloaded services|installed accessibility services|heruntergeladene dienste|installierte dienste|servicios descargados|services téléchargés|已下载的服务|已安装的服务|已安裝的服務|无障碍快捷方式|ダウンロードしたサービス|インストール済みサービス|설치된 서비스"),
    (UnknownSources, "", "外部来源应用|外部来源应用下载|安装外部来源应用|外部来源应用安装|允许安装未知应用|安装未知来源应用|安裝未知應用程式|install apps from external sources|apps from external sources"),
    (SpecialAccess, "", "所有文件访问权限|管理所有文件|所有檔案存取權|显示在其他应用上层|显示在其他应用的上层|在其他应用上层显示|在其他应用程序上层显示|应用上层显示|悬浮窗管理|显示悬浮窗|通知访问权限|通知存取權|读取、回复和控制通知|查看使用情况|使用记录访问权限|可修改系统设置|更改系统设置|可更改系统设置|\
        usage data access|change system settings|can change system settings|draw over other apps|display over apps|floating window|passwords & autofill|zugriff auf benachrichtigungen|zugriff auf alle dateien|systemeinstellungen ändern|acceso a todos los archivos|modificar ajustes del sistema|dessiner par-dessus|accès à tous les fichiers|modifier les paramètres système|acesso a todos os arquivos|accesso a tutti i file|toegang tot alle bestanden|dostęp do wszystkich plików|\
        доступ ко всем файлам|изменение системных настроек|すべてのファイルへのアクセス|システム設定の変更|알림 접근 허용|모든 파일에 대한 접근|모든 파일 접근|시스템 설정 변경"),
    (DeviceAdmin, "", "phone administrators|aplicaciones de administración de dispositivos|aplicaciones de administración del dispositivo|administradores del dispositivo|geräteadministrator-apps|geräteadministratoren|applications d'administration de l'appareil|apps de administração do dispositivo|设备管理应用程序|设备管理员应用|设备管理员|激活设备管理器|デバイス管理者|휴대전화 관리자|디바이스 관리자"),
    (FactoryReset, "", "清除全部数据|清除手机数据|格式化手机|重置手机|抹掉所有内容和设置|抹掉所有数据|清空手机|ファクトリーリセット|工場出荷状態に戻す|공장초기화|fabrika ayarlarına sıfırla|cài đặt gốc|إعادة ضبط المصنع|restablecer de fábrica|restablecer valores de fábrica|réinitialisation d'usine|formatação original|zurücksetzen auf werkseinstellungen|сброс к заводским"),
];
