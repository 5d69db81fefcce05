//! Kinds of apps, by their packages.
/// A kind of app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AppKind {
    /// Accounts at banks and brokers.
    Banking,
    /// Wallets and apps that pay.
    Wallet,
    /// Passwords and second factors.
    Secrets,
    /// Shops, tickets, food, rides.
    Shop,
    Mail,
    /// Messages to people.
    Messenger,
    /// Stores of apps.
    Store,
    /// Networks in which others see what one does.
    Social,
    /// The home screen.
    Launcher,
    /// Of web pages.
    Browser,
}

impl AppKind {
    /// Whether what is written in it reaches people.
    pub(super) fn reaches_people(self) -> bool {
        matches!(self, Messenger | Mail | Social)
    }

    /// Whether it holds money.
    pub(super) fn has_money(self) -> bool {
        matches!(self, Banking | Wallet)
    }
}

use AppKind::{Banking, Browser, Launcher, Mail, Messenger, Secrets, Shop, Social, Store, Wallet};

/// Whole packages.
#[rustfmt::skip]
const PACKAGES: &[(&str, AppKind)] = &[
    ("com.paypal.android.p2pmobile", Wallet), ("com.venmo", Wallet), ("com.squareup.cash", Wallet), ("com.google.android.apps.walletnfcrel", Wallet),
    ("com.google.android.apps.nbu.paisa.user", Wallet), ("net.one97.paytm", Wallet), ("com.phonepe.app", Wallet), ("com.eg.android.alipaygphone", Wallet),
    ("com.samsung.android.spay", Wallet), ("com.samsung.android.spaylite", Wallet), ("com.coinbase.android", Wallet), ("com.binance.dev", Wallet), ("io.metamask", Wallet),
    ("com.wallet.crypto.trustapp", Wallet), ("com.transferwise.android", Wallet), ("com.westernunion.android.mtapp", Wallet), ("com.mipay.wallet", Wallet), ("com.huawei.wallet", Wallet),
    ("viva.republica.toss", Wallet), ("com.kakaopay.app", Wallet), ("jp.ne.paypay.android.app", Wallet), ("com.mservice.momotransfer", Wallet), ("id.dana", Wallet), ("ovo.id", Wallet),
    ("com.revolut.revolut", Banking), ("de.number26.android", Banking), ("com.monzo.android", Banking), ("com.starlingbank.android", Banking), ("com.nu.production", Banking),
    ("com.chase.sig.android", Banking), ("com.infonow.bofa", Banking), ("com.wf.wellsfargomobile", Banking), ("com.citi.citimobile", Banking), ("com.db.pwcc.dbmobile", Banking),
    ("com.starfinanz.smob.android.sfinanzstatus", Banking), ("de.commerzbanking.mobil", Banking), ("com.ing.banking", Banking), ("com.bbva.bbvacontigo", Banking), ("es.lacaixa.mobile.android.newwapicon", Banking),
    ("fr.creditagricole.androidapp", Banking), ("mobi.societegenerale.mobile.lappli", Banking), ("ru.sberbankmobile", Banking), ("com.idamob.tinkoff.android", Banking), ("ru.tinkoff.investing", Banking), ("ua.privatbank.ap24", Banking), ("com.ftband.mono", Banking),
    ("pl.pkobp.iko", Banking), ("pl.mbank", Banking), ("com.icbc", Banking), ("cmb.pb", Banking), ("com.chinamworld.main", Banking), ("com.android.bankabc", Banking), ("com.kakaobank.channel", Banking),
    ("com.robinhood.android", Banking), ("com.etoro.openbook", Banking), ("de.traderepublic.app", Banking),
    ("com.x8bit.bitwarden", Secrets), ("com.onepassword.android", Secrets), ("com.agilebits.onepassword", Secrets), ("com.lastpass.lpandroid", Secrets), ("com.dashlane", Secrets), ("org.keepassxc.keepassxc", Secrets),
    ("keepass2android.keepass2android", Secrets), ("com.kunzisoft.keepass.libre", Secrets), ("proton.android.pass", Secrets), ("com.google.android.apps.authenticator2", Secrets), ("com.azure.authenticator", Secrets), ("com.authy.authy", Secrets), ("com.beemdevelopment.aegis", Secrets), ("com.android.credentialmanager", Secrets),
    ("com.amazon.mshop.android.shopping", Shop), ("com.ebay.mobile", Shop), ("com.alibaba.aliexpresshd", Shop), ("com.taobao.taobao", Shop), ("com.tmall.wireless", Shop), ("com.jingdong.app.mall", Shop), ("com.xunmeng.pinduoduo", Shop),
    ("com.einnovation.temu", Shop), ("com.zzkko", Shop), ("de.zalando.mobile", Shop), ("com.contextlogic.wish", Shop), ("com.etsy.android", Shop), ("com.walmart.android", Shop), ("com.flipkart.android", Shop), ("com.meesho.supply", Shop),
    ("com.shopee.id", Shop), ("com.tokopedia.tkpd", Shop), ("com.lazada.android", Shop), ("com.mercadolibre", Shop), ("com.allegro", Shop), ("pl.allegro", Shop), ("com.wildberries.ru", Shop), ("ru.ozon.app.android", Shop), ("com.coupang.mobile", Shop), ("jp.co.rakuten.android", Shop), ("jp.co.yahoo.android.yshopping", Shop), ("trendyol.com", Shop), ("com.pozitron.hepsiburada", Shop), ("ua.com.rozetka.shop", Shop), ("com.bol.shop", Shop),
    ("com.ubercab", Shop), ("com.ubercab.eats", Shop), ("com.grability.rappi", Shop), ("com.sankuai.meituan", Shop), ("me.ele", Shop), ("com.booking", Shop), ("com.airbnb.android", Shop), ("com.dd.doordash", Shop), ("com.deliveroo.orderapp", Shop), ("com.grabtaxi.passenger", Shop), ("com.gojek.app", Shop),
    ("com.google.android.gm", Mail), ("com.google.android.gm.lite", Mail), ("com.microsoft.office.outlook", Mail), ("com.yahoo.mobile.client.android.mail", Mail), ("ch.protonmail.android", Mail), ("com.fsck.k9", Mail), ("net.thunderbird.android", Mail), ("eu.faircode.email", Mail), ("com.samsung.android.email.provider", Mail), ("com.android.email", Mail), ("com.tencent.androidqqmail", Mail), ("com.netease.mail", Mail), ("ru.mail.mailapp", Mail), ("ru.yandex.mail", Mail), ("com.readdle.spark", Mail), ("com.my.mail", Mail), ("de.web.mobile.android.mail", Mail), ("de.gmx.mobile.android.mail", Mail),
    ("com.whatsapp", Messenger), ("com.whatsapp.w4b", Messenger), ("org.telegram.messenger", Messenger), ("org.telegram.messenger.web", Messenger), ("org.thunderdog.challegram", Messenger), ("org.thoughtcrime.securesms", Messenger), ("com.facebook.orca", Messenger), ("com.facebook.mlite", Messenger), ("com.tencent.mm", Messenger), ("com.tencent.mobileqq", Messenger), ("jp.naver.line.android", Messenger), ("com.kakao.talk", Messenger), ("com.viber.voip", Messenger), ("com.discord", Messenger), ("com.slack", Messenger), ("com.microsoft.teams", Messenger), ("com.skype.raider", Messenger), ("com.snapchat.android", Messenger), ("im.vector.app", Messenger), ("io.element.android.x", Messenger), ("ch.threema.app", Messenger), ("com.zing.zalo", Messenger), ("com.imo.android.imoim", Messenger), ("kik.android", Messenger), ("com.wire", Messenger), ("com.alibaba.android.rimet", Messenger), ("com.ss.android.lark", Messenger), ("com.google.android.apps.dynamite", Messenger), ("com.google.android.apps.messaging", Messenger), ("com.samsung.android.messaging", Messenger), ("com.android.mms", Messenger), ("com.android.messaging", Messenger), ("org.fossify.messages", Messenger), ("com.simplemobiletools.smsmessenger", Messenger),
    ("com.android.vending", Store), ("com.sec.android.app.samsungapps", Store), ("com.huawei.appmarket", Store), ("com.hihonor.appmarket", Store), ("com.xiaomi.mipicks", Store), ("com.xiaomi.market", Store), ("com.amazon.venezia", Store), ("org.fdroid.fdroid", Store), ("org.fdroid.basic", Store), ("com.aurora.store", Store), ("com.heytap.market", Store), ("com.oppo.market", Store), ("com.bbk.appstore", Store), ("com.vivo.appstore", Store), ("com.tencent.android.qqdownloader", Store), ("ru.vk.store", Store), ("com.apkpure.aegon", Store), ("com.uptodown", Store), ("cm.aptoide.pt", Store), ("com.skt.skaf.a000z00040", Store), ("com.qihoo.appstore", Store), ("com.baidu.appsearch", Store), ("com.meizu.mstore", Store), ("com.lenovo.leos.appstore", Store), ("com.wandoujia.phoenix2", Store), ("com.transsnet.store", Store), ("com.lge.appbox.client", Store), ("app.accrescent.client", Store), ("com.looker.droidify", Store), ("com.machiav3lli.fdroid", Store),
    ("com.instagram.android", Social), ("com.instagram.barcelona", Social), ("com.facebook.katana", Social), ("com.facebook.lite", Social), ("com.twitter.android", Social), ("com.zhiliaoapp.musically", Social), ("com.ss.android.ugc.trill", Social), ("com.ss.android.ugc.aweme", Social), ("com.reddit.frontpage", Social), ("com.linkedin.android", Social), ("com.pinterest", Social), ("com.tumblr", Social), ("com.vkontakte.android", Social), ("com.vk.vkvideo", Social), ("ru.ok.android", Social), ("com.sina.weibo", Social), ("com.xingin.xhs", Social), ("xyz.blueskyweb.app", Social), ("org.joinmastodon.android", Social), ("com.keylesspalace.tusky", Social), ("com.quora.android", Social), ("com.zhihu.android", Social), ("com.google.android.youtube", Social), ("app.revanced.android.youtube", Social), ("com.google.android.apps.youtube.creator", Social), ("com.smile.gifmaker", Social), ("com.kwai.video", Social), ("tv.danmaku.bili", Social), ("com.bereal.ft", Social), ("com.nextdoor", Social), ("com.nhn.android.navercafe", Social), ("com.nhn.android.band", Social), ("com.naver.band", Social), ("com.tinder", Social), ("com.bumble.app", Social), ("com.strava", Social), ("com.medium.reader", Social), ("com.douban.frodo", Social), ("com.truthsocial.android.app", Social), ("com.gettr.gettr", Social), ("com.xing.android", Social), ("com.yelp.android", Social), ("tv.twitch.android.app", Social), ("com.patreon.android", Social), ("com.sharechat.sharechat", Social), ("in.mohalla.video", Social), ("com.clubhouse.app", Social), ("co.hinge.app", Social), ("com.badoo.mobile", Social), ("com.meetup", Social), ("com.tencent.weishi", Social), ("com.baidu.tieba", Social), ("com.kakao.story", Social), ("jp.co.mixi.miteneapp", Social),
    ("com.android.launcher3", Launcher), ("com.google.android.apps.nexuslauncher", Launcher), ("com.sec.android.app.launcher", Launcher), ("com.miui.home", Launcher), ("com.mi.android.globallauncher", Launcher), ("com.huawei.android.launcher", Launcher), ("com.hihonor.android.launcher", Launcher), ("com.oppo.launcher", Launcher), ("com.bbk.launcher2", Launcher), ("net.oneplus.launcher", Launcher), ("com.motorola.launcher3", Launcher), ("com.teslacoilsw.launcher", Launcher),
    ("com.android.launcher", Launcher), ("com.android.launcher2", Launcher), ("com.google.android.launcher", Launcher), ("com.google.android.apps.tv.launcherx", Launcher), ("com.google.android.tvlauncher", Launcher), ("com.amazon.firelauncher", Launcher), ("com.sec.android.app.easylauncher", Launcher), ("com.sec.android.emergencylauncher", Launcher), ("com.cyanogenmod.trebuchet", Launcher), ("org.lineageos.trebuchet", Launcher), ("foundation.e.blisslauncher", Launcher), ("com.lge.launcher2", Launcher), ("com.lge.launcher3", Launcher), ("com.htc.launcher", Launcher), ("com.sonymobile.home", Launcher), ("com.sonymobile.launcher", Launcher), ("com.sonyericsson.home", Launcher), ("com.asus.launcher", Launcher), ("com.asus.launcher3", Launcher), ("com.lenovo.launcher", Launcher), ("com.zui.launcher", Launcher), ("com.zte.mifavor.launcher", Launcher), ("com.meizu.flyme.launcher", Launcher), ("com.vivo.launcher", Launcher), ("com.transsion.hilauncher", Launcher), ("com.transsion.xoslauncher", Launcher), ("com.transsion.itel.launcher", Launcher), ("com.tcl.android.launcher", Launcher), ("com.nothing.launcher", Launcher), ("com.poco.home", Launcher), ("com.nttdocomo.android.dhome", Launcher),
    ("com.microsoft.launcher", Launcher), ("com.actionlauncher.playstore", Launcher), ("app.lawnchair", Launcher), ("ch.deletescape.lawnchair", Launcher), ("bitpit.launcher", Launcher), ("ginlemon.flowerfree", Launcher), ("com.gau.go.launcherex", Launcher), ("com.anddoes.launcher", Launcher), ("de.mm20.launcher2.release", Launcher), ("org.fossify.home", Launcher), ("fr.neamar.kiss", Launcher), ("com.benny.openlauncher", Launcher), ("app.olauncher", Launcher),
    ("com.android.chrome", Browser), ("com.chrome.beta", Browser), ("org.mozilla.firefox", Browser), ("org.mozilla.fenix", Browser), ("org.mozilla.focus", Browser), ("com.sec.android.app.sbrowser", Browser), ("com.microsoft.emmx", Browser), ("com.opera.browser", Browser), ("com.opera.mini.native", Browser), ("com.brave.browser", Browser), ("com.duckduckgo.mobile.android", Browser), ("com.ucmobile", Browser), ("com.ucmobile.intl", Browser), ("com.tencent.mtt", Browser), ("com.baidu.browser.apps", Browser), ("com.mi.globalbrowser", Browser), ("com.android.browser", Browser), ("com.huawei.browser", Browser), ("com.heytap.browser", Browser), ("com.vivo.browser", Browser), ("com.vivaldi.browser", Browser), ("com.yandex.browser", Browser), ("com.kiwibrowser.browser", Browser), ("org.chromium.chrome", Browser), ("org.lineageos.jelly", Browser),
];

/// Parts of packages between dots. None makes an app the home screen: more may be done there, and an app's author
/// chooses its name.
#[rustfmt::skip]
const PARTS: &[(&[&str], AppKind)] = &[
    (&["bank", "banking", "mobilebanking", "banca", "banco", "banque", "bancamovil", "banka", "broker", "sparkasse", "netbank", "ibank"], Banking),
    (&["wallet", "pay", "payments", "epay", "crypto"], Wallet),
    (&["authenticator", "keepass", "passwords", "passwordmanager", "vault"], Secrets),
    (&["shop", "shopping", "mall", "marketplace"], Shop),
    (&["appstore", "appmarket", "gamestore"], Store),
    (&["mail", "email", "mailapp"], Mail),
    (&["messenger", "messaging", "mms", "smsmessenger"], Messenger),
    (&["browser", "webbrowser"], Browser),
];

/// The kind of an app.
pub(super) fn kind_of(package: &str) -> Option<AppKind> {
    let package = package.to_ascii_lowercase();
    if let Some((_, kind)) = PACKAGES.iter().find(|(name, _)| *name == package) {
        return Some(*kind);
    }
    let mut parts = package.split(['.', '_']).filter(|part| !part.is_empty());
    parts.find_map(|part| {
        let exact = PARTS.iter().find(|(names, _)| names.contains(&part));
        // "dkbbank", "bankofexample": a bank is where a name begins or ends so.
        let bank = 7 <= part.len() && (part.ends_with("bank") || part.starts_with("bank"));
        exact.map(|(_, kind)| *kind).or(bank.then_some(Banking))
    })
}

/// Words by which users mean an app of this kind without naming it. No everyday words, such as "account", are among
/// them.
#[rustfmt::skip]
pub(super) fn words_for(kind: AppKind) -> &'static [&'static str] {
    match kind {
        Banking => &[
            "bank", "banking", "account balance", "kontostand", "girokonto", "wertpapierdepot", "aktiendepot", "depotauszug", "banco", "cuenta bancaria", "saldo de mi cuenta", "saldo de la cuenta", "banque", "compte bancaire", "compte courant", "solde de mon compte", "banca", "conta bancária", "conta corrente", "saldo da conta", "saldo da minha conta",
            "saldo rekening", "hesap bakiye", "банк", "остаток на счёте", "баланс счёта", "银行", "銀行", "账户余额", "帳戶餘額", "口座", "残高", "은행", "계좌", "بنك", "البنك", "البنكي", "बैंक", "ngân hàng", "ธนาคาร", "ยอดเงินในบัญชี", "stocks", "buy shares", "sell shares", "broker",
        ],
        Wallet => &[
            "wallet", "pay", "payment", "paypal", "boarding pass", "brieftasche", "geldbörse", "bezahl", "cartera", "portefeuille", "carteira", "portafoglio", "portemonnee", "portfel", "cüzdan", "кошелёк", "гаманець", "钱包", "支付宝", "支付", "ウォレット", "財布", "지갑", "카카오페이", "삼성페이", "네이버페이", "카카오 페이", "삼성 페이", "네이버 페이", "محفظة", "वॉलेट", "dompet", "ví điện tử", "ví momo", "ví zalopay", "กระเป๋าเงิน",
        ],
        Secrets => &[
            "password", "passwords", "authenticator", "passkey", "2fa", "passwort", "contraseña", "mot de passe", "senha", "wachtwoord", "hasło", "parolele", "parola mea", "parolam", "şifre", "пароль", "密码", "パスワード", "비밀번호", "كلمة المرور", "पासवर्ड", "kata sandi", "mật khẩu", "รหัสผ่าน",
        ],
        Shop | Store | Social | Mail | Messenger | Launcher | Browser => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apps_are_of_a_kind_by_their_packages() {
        for (package, kind) in [
            ("com.android.chrome", Some(Browser)),
            ("com.example.shop", Some(Shop)),
            ("de.dkbbank.app", Some(Banking)),
            ("com.somebank.mobile", Some(Banking)),
            ("com.android.launcher3", Some(Launcher)),
            ("com.sonymobile.launcher", Some(Launcher)),
            ("com.transsion.itel.launcher", Some(Launcher)),
            ("foundation.e.blisslauncher", Some(Launcher)),
            ("com.zui.launcher", Some(Launcher)),
            ("org.example.launcher", None),
            ("com.eg.android.AlipayGphone", Some(Wallet)),
            ("com.whatsapp", Some(Messenger)),
            ("org.example.messenger", Some(Messenger)),
            ("com.android.vending", Some(Store)),
            ("com.maker.appstore", Some(Store)),
            ("com.instagram.android", Some(Social)),
            ("com.example.notes", None),
            ("com.example.messages", None),
            ("", None),
        ] {
            assert_eq!(kind_of(package), kind, "{package}");
        }
    }
}
