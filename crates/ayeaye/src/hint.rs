//! What to do about an error: the one place that knows whether its reader calls tools, types commands or looks at the
//! page.
use std::borrow::Cow;
use std::io;

use ayeaye_adb::{ConnectError, ServerAddress, is_network_address};
use ayeaye_agent::coordinator::CoordinatorError;
use ayeaye_agent::{AgentError, DeviceError, DeviceId, JournalError, RefusedBy};

/// A hint as the line below its error; nothing where there is none.
pub fn below(hint: &str) -> String {
    if hint.is_empty() { String::new() } else { format!("\nhint: {hint}") }
}

/// Who reads an error, and so what there is to advise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// The model of an MCP client, which calls tools.
    Client,
    /// A person at a terminal, who types commands.
    Terminal,
    /// A person at the page in a browser, who may have no terminal.
    Page,
}

impl Reader {
    /// Of three ways of saying it the one for this reader.
    fn choose(
        self,
        tools: &'static str,
        commands: &'static str,
        page: &'static str,
    ) -> &'static str {
        match self {
            Self::Client => tools,
            Self::Terminal => commands,
            Self::Page => page,
        }
    }
}

/// What to do about a request that failed.
pub fn for_agent_error(err: &AgentError, reader: Reader) -> Cow<'static, str> {
    Cow::Borrowed(match err {
        AgentError::DeviceBusy { session, .. } => for_busy_phone(session.is_some(), reader),
        AgentError::DeviceInHand { .. } => reader.choose(
            "use another phone (see list_connected_devices), or wait: if you are offered tasks, \
             ask_agent_start_new_task with queue = true waits until they give it back",
            "wait until they give it back with `ayeaye run --queue`, or use another phone: `ayeaye devices` shows them",
            "let the task wait in the queue until they give it back, or choose another phone",
        ),
        AgentError::NotInHand { .. } => reader.choose(
            "act on it with tap, type_text and the like, or give it a task, whichever you are offered",
            "give it a task with `ayeaye run`",
            "take it over again",
        ),
        AgentError::ScreenWithheld { .. } => reader.choose(
            "look again, or use get_ui_tree, which shows such secrets by their names; in another app the screen is shown",
            "look again; `run.redact-pictures = \"never\"` shows such secrets",
            "look again, or look at the phone itself",
        ),
        AgentError::SessionBusy(_) => reader.choose(
            "wait until get_session(session_id) says that it has stopped; if you are offered tasks, follow \
             it with ask_agent_continue(session_id) and no task, advise it with reply_from_client, or end it \
             with stop_task before you give it another task",
            "wait until it has stopped: `ayeaye sessions show` shows how it stands",
            "wait until it has stopped, or stop it",
        ),
        AgentError::SessionEnding(_) => reader.choose(
            "say it again once get_session(session_id) says that it has stopped: then it is a new task for the session",
            "say it again once it has stopped: `ayeaye sessions show` shows how it stands",
            "say it again once it has stopped",
        ),
        AgentError::StoppedBefore(_) => reader.choose(
            "somebody has stopped it, with stop_task or on a page: ask your user before you go on with it",
            "somebody has stopped it meanwhile; `ayeaye continue` goes on with it",
            "somebody has stopped it meanwhile; go on with it if you like",
        ),
        AgentError::NoTask(_) | AgentError::GivenUp(_) => reader.choose(
            "say what the agent should do: ask_agent_continue with this session_id and a task",
            "say what the agent should do: `ayeaye continue ID TEXT`",
            "say what the agent should do",
        ),
        AgentError::NoSuchOption(_) => reader.choose(
            "send the words of one of the options as reply_from_client, or other words that are not just a number",
            "answer with an option's number or its words, or with other words",
            "choose one of the options, or answer in other words",
        ),
        AgentError::SessionFull(_) => reader.choose(
            "leave session_id out, or start a new task; run.session-max-steps and \
             journal.max-session-size in ayeaye.toml say how much one takes",
            "begin another with `ayeaye run`; run.session-max-steps and journal.max-session-size in \
             ayeaye.toml say how much one takes",
            "start a new task; run.session-max-steps and journal.max-session-size in ayeaye.toml say how much a \
             session takes",
        ),
        AgentError::UnknownSession(_) => for_unknown_session(reader),
        AgentError::WrongDevice { .. } => reader.choose(
            "give the device_id that the session has, or begin another session on this phone",
            "begin another session on the other device with `ayeaye run`",
            "start a new task on the other phone",
        ),
        AgentError::OtherPhone { .. } => for_another_phone(reader),
        AgentError::OtherPhoneThanSeen { .. } => reader.choose(
            "look at it (get_screenshot or get_ui_tree), then act on what it shows now",
            "look at its screen first",
            "look at its screen first",
        ),
        AgentError::Device(err) => return for_device_error(err, reader),
        AgentError::Coordinator(err) => for_coordinator_error(err, reader),
        AgentError::Journal(err) => for_journal_error(err, reader),
        AgentError::NotARecord(_) => {
            "start a new task; the damaged record can be removed with `ayeaye sessions rm`"
        }
        AgentError::Secret(_) => reader.choose(
            "your user can store one on the server's machine with `ayeaye secret set NAME --app PACKAGE`; `ayeaye \
             secret list` shows the names",
            "`ayeaye secret set NAME --app PACKAGE` stores one; `ayeaye secret list` shows the names",
            "store one on the server's machine with `ayeaye secret set NAME --app PACKAGE`",
        ),
        AgentError::ShuttingDown => {
            "try again once the server has been restarted; sessions are kept"
        }
    })
}

/// What to do about a phone that is in use. `by_session`: the error names the session that uses it.
fn for_busy_phone(by_session: bool, reader: Reader) -> &'static str {
    if by_session {
        reader.choose(
            "use another phone, or wait until get_session(session_id) says that it has stopped; if you are \
             offered tasks, ask_agent_start_new_task with queue = true waits its turn, \
             ask_agent_continue(session_id) follows that session, and stop_task ends it",
            "wait your turn with `--queue` (`ayeaye run`, `ayeaye task run`); `ayeaye sessions show` shows that session",
            "let the task wait in the queue; or open the session that is using the phone, and stop it",
        )
    } else {
        reader.choose(
            "use another phone (see list_connected_devices), or wait: if you are offered tasks, \
             ask_agent_start_new_task with queue = true waits its turn; what somebody else started cannot be \
             followed or stopped from here",
            "wait your turn with `--queue` (`ayeaye run`, `ayeaye task run`), or use another phone: `ayeaye devices` shows them",
            "let the task wait in the queue, or choose another phone",
        )
    }
}

/// What to do where runs stand in each other's way, over all processes.
fn for_coordinator_error(err: &CoordinatorError, reader: Reader) -> &'static str {
    match err {
        CoordinatorError::TooManyRuns | CoordinatorError::TooManyWaiting => reader.choose(
            "list_sessions shows them; if you are offered tasks, stop_task ends one",
            "`ayeaye sessions list` shows them",
            "stop a waiting one that is no longer needed",
        ),
        CoordinatorError::RunEnded => reader.choose(
            "get_session(session_id) says how it ended; if you are offered tasks, ask_agent_continue resumes it",
            "`ayeaye sessions show` says how it ended; `ayeaye continue` resumes it",
            "give it another task to continue",
        ),
        CoordinatorError::InboxFull(_) => reader.choose(
            "if get_session(session_id) says that it is running, wait until it has read them; otherwise continue it",
            "if `ayeaye sessions show` says that it is running, wait until it has read them; otherwise `ayeaye continue`",
            "if it is running, wait until it has read them; otherwise continue it",
        ),
        CoordinatorError::TooLong => "say it in fewer words",
        CoordinatorError::Storage { source, .. } => for_storage(source),
        CoordinatorError::UnknownSession(_) => for_unknown_session(reader),
    }
}

fn for_unknown_session(reader: Reader) -> &'static str {
    reader.choose(
        "list_sessions shows all sessions",
        "`ayeaye sessions list` shows all sessions",
        "History shows all sessions",
    )
}

/// What to do about an adb server on another machine.
pub(crate) const ADB_ELSEWHERE: &str = "\
the adb server on that machine has to accept others (`adb -a nodaemon server`) and be reachable from here; in a \
container on Linux, host.docker.internal needs `--add-host host.docker.internal:host-gateway`";

const ADB_HANGS: &str = "`adb kill-server` ends an adb server that hangs, and the next call starts a new one; if something else \
    listens there, set adb.server to another address";

/// What else there is to do about a phone on a cable that is not listed, behind a sentence: nothing but on Windows.
pub(crate) const fn usb_driver(windows: bool) -> &'static str {
    if windows {
        ". On Windows many phones are listed only once the USB driver of their maker is installed (Pixel: Google USB Driver)"
    } else {
        ""
    }
}

/// Whether an adb server at such an address is on another machine.
pub(crate) fn is_elsewhere(address: &str) -> bool {
    ServerAddress::parse(address).is_ok_and(|address| !address.is_local())
}

/// What to do about a phone; empty where the error says it itself.
pub fn for_device_error(err: &DeviceError, reader: Reader) -> Cow<'static, str> {
    Cow::Borrowed(match err {
        DeviceError::NoServer { address, .. } if is_elsewhere(address) => ADB_ELSEWHERE,
        DeviceError::NoServer { hangs: true, .. } => reader.choose(
            ADB_HANGS,
            ADB_HANGS,
            "`adb kill-server` on the server's machine ends an adb server that hangs; the next look starts a new one",
        ),
        DeviceError::NoServer { .. } => reader.choose(
            "install adb (Android platform-tools) or, where it is there, see what `adb start-server` says; `ayeaye \
             serve --virtual` tries it without a phone; `ayeaye doctor` checks everything at once",
            "install adb (Android platform-tools) or, where it is there, see what `adb start-server` says; `ayeaye demo`, \
             or `ayeaye run … --virtual`, tries it without a phone; `ayeaye doctor` checks everything at once",
            "install adb (Android platform-tools) on the server's machine or, where it is there, see what `adb \
             start-server` says; `ayeaye doctor` there checks everything at once",
        ),
        DeviceError::NotFound(id) if is_network_address(id.as_str()) => {
            return Cow::Owned(for_lost_address(id, reader));
        }
        DeviceError::NotFound(_) => reader.choose(
            "list_connected_devices shows all phones; plug the phone in and enable USB debugging, or connect it: \
             `ayeaye connect HOST:PORT`",
            "`ayeaye devices` shows all phones; plug the phone in and enable USB debugging, or connect it: \
             `ayeaye connect HOST:PORT`",
            "Phones shows all phones; plug the phone in and enable USB debugging",
        ),
        DeviceError::Unauthorized(_) => {
            "unlock the phone and accept the dialog \"Allow USB debugging?\"; if there is none, unplug the phone and plug \
             it in again"
        }
        DeviceError::NotReady(_, state) => ayeaye_adb::hint_for_state(state).unwrap_or(
            "unplug the phone and plug it in again; over Wi-Fi, `ayeaye disconnect` and `ayeaye connect` it again",
        ),
        DeviceError::LinkLost(..) => {
            "check the cable or the Wi-Fi; a session that had begun can be continued"
        }
        DeviceError::BrokenOff { .. } => {
            "it was not done: check the cable or the Wi-Fi, then try again"
        }
        DeviceError::TimedOut { .. } => {
            "the phone or adb hangs: look at the phone, reconnect it, then try again"
        }
        DeviceError::NoKeyboard { .. } => reader.choose(
            "ask your user to install the keyboard on the phone as described, and try again; plain ASCII can be \
             typed now",
            "install the keyboard on the phone as described, and try again; plain ASCII can be typed now",
            "install the keyboard on the phone as described, and try again; plain ASCII can be typed now",
        ),
        DeviceError::Refused { by: RefusedBy::AdbServer, .. } => {
            "the adb server answered this and did not ask the phone: run `adb kill-server` and try again, with the \
             newest platform-tools; `ayeaye doctor` checks everything at once"
        }
        // It says itself what to switch on.
        DeviceError::Refused { reason, .. } if ayeaye_adb::names_the_mend(reason) => "",
        DeviceError::Refused { .. } => reader.choose(
            "try another way: where the elements cannot be read, get_screenshot shows the screen, and x and y say where to \
             act; if there is none, have your user do it by hand on the phone, then go on",
            "if there is no other way, do it by hand on the phone, then go on",
            "if there is no other way, do it by hand on the phone, then go on",
        ),
        DeviceError::NotSent { .. } => "fix what the message names, and try again",
        DeviceError::OtherPhone { .. } => for_another_phone(reader),
        DeviceError::ClaimedElsewhere { notes_are_gone: true, .. } => {
            "see that the phone you mean is there, by its screen or its serial number; if it is, going on takes it anew"
        }
        DeviceError::ClaimedElsewhere { .. } => {
            "one phone has one driver: end the other server's task, or leave the phone to it; starting again takes the \
             phone over"
        }
        DeviceError::CannotCapture { .. } => {
            "try again; if it keeps happening, restart the phone; `ayeaye doctor` checks it"
        }
        DeviceError::Garbled { .. } => {
            "try again; if it keeps happening, reconnect the phone and run `ayeaye doctor`"
        }
    })
}

/// What to do about a phone that is reached over the network, and that adb does not have in its list.
fn for_lost_address(id: &DeviceId, reader: Reader) -> String {
    let check = "see that the phone is on and in the same network, with wireless debugging on (its port changes when that \
                 is switched on anew)";
    // An address has neither spaces nor anything else that a shell would read.
    let command = format!("`ayeaye connect {}`", id.as_str());
    match reader {
        Reader::Client => format!(
            "have your user {check}, and connect it again: {command}; list_connected_devices shows all phones"
        ),
        Reader::Terminal => {
            format!("{check}, and connect it again: {command}; `ayeaye devices` shows all phones")
        }
        Reader::Page => format!(
            "{check}; {command} on the server's machine connects it again, and Phones shows all phones"
        ),
    }
}

/// What to do where an app is not there, for a client.
pub(crate) fn for_missing_app(text: &str) -> Option<&'static str> {
    text.contains(ayeaye_adb::NO_SUCH_APP).then_some(
        "take one of the names that the message gives, or have your user install the app; the session is kept",
    )
}

/// What to do about a session whose phone has left its address to another one.
fn for_another_phone(reader: Reader) -> &'static str {
    reader.choose(
        "look which phone is there now (list_connected_devices): a new task, or an act without session_id, \
         begins a new session on it; or connect the one the session began on again",
        "begin another session with `ayeaye run`, or connect the phone it began on again",
        "start a new task on the phone that is there now, or connect the first one again",
    )
}

/// What to do about a phone on the network that could not be connected, paired or found. Only commands
/// try that.
pub fn for_connect_error(err: &ConnectError) -> &'static str {
    match err {
        ConnectError::NoServer(_) => {
            "install adb (Android platform-tools) or, where it is there, see what `adb start-server` says; `ayeaye \
             doctor` checks everything at once"
        }
        ConnectError::TooOld(_) => {
            "install the newest platform-tools from developer.android.com (some Linux distributions ship 29 \
             or older), end the old server with `adb kill-server`, and try again; or plug the phone in once, run \
             `adb tcpip 5555`, and `ayeaye connect` its address"
        }
        ConnectError::NoDiscovery(_) => {
            "use the address that the phone shows: `ayeaye pair HOST:PORT` with a pairing code, `ayeaye connect \
             HOST:PORT` once it is paired"
        }
        ConnectError::InvalidAddress(_) | ConnectError::MissingPort(_) => {
            "the phone shows its address, such as 192.168.1.20:41235, under Developer options > Wireless debugging"
        }
        ConnectError::InvalidCode => {
            "on the phone: Developer options > Wireless debugging > Pair device with pairing code"
        }
        ConnectError::UnknownHost(_) => {
            "use the numeric address that the phone shows under Developer options > Wireless debugging"
        }
        ConnectError::PortClosed(_) => {
            "wireless debugging is off, or its port has changed, as it does whenever it is switched on: take the \
             address from the Wireless debugging page itself, not from the pairing dialog"
        }
        ConnectError::HostSilent { .. } | ConnectError::TimedOut(_) => {
            "check the address; phone and computer must be on the same network, without a guest Wi-Fi or a VPN \
             between them, and the phone's screen should be on"
        }
        ConnectError::NotAPhone(_) => {
            "take the address from the phone's Wireless debugging page, and if this computer was never paired, pair \
             it first: `ayeaye pair`; if it was, switch wireless debugging off and on"
        }
        ConnectError::NotAuthorized(_) => {
            "unlock the phone and accept \"Allow USB debugging?\", then try again; with wireless debugging pair \
             this computer first: `ayeaye pair`"
        }
        ConnectError::NotReady(..) => {
            "`ayeaye devices` shows its state; run `ayeaye disconnect` and try again"
        }
        ConnectError::WrongCode => {
            "a code is valid for one try, while the phone shows it: open Pair device with pairing code again, and \
             use the new code and port"
        }
        ConnectError::NotPairing(_) => {
            "open Pair device with pairing code on the phone and leave it open; its port differs from the one on \
             the Wireless debugging page"
        }
        ConnectError::NotConnected(_) => "`ayeaye devices` shows all phones",
        ConnectError::Refused(_) => {
            "run `adb kill-server` and try again, in case adb is confused; `ayeaye doctor` checks everything"
        }
        ConnectError::ServerHangs => {
            "end it with `adb kill-server`, and try again; `ayeaye doctor` checks everything at once"
        }
        ConnectError::Busy => "adb hangs: end it with `adb kill-server`, and try again",
    }
}

/// What to do about files of the data folder that cannot be read or written.
fn for_storage(err: &io::Error) -> &'static str {
    use io::ErrorKind::{
        InvalidData, NotADirectory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem,
        StorageFull,
    };
    match err.kind() {
        _ if is_without_locks(err) => NO_LOCKS,
        _ if is_held(err, cfg!(windows)) => {
            "another program has the file open, such as a viewer of the report: close it there, and do it again"
        }
        _ if is_out_of_files(err) => {
            "ayeaye has reached its limit of open files and connections: raise it (`ulimit -n`, `LimitNOFILE=` for a service)"
        }
        InvalidData => {
            "use the version of ayeaye that wrote the file; a damaged file can be removed when ayeaye is not running"
        }
        StorageFull | QuotaExceeded => {
            "free some disk space and try again: `ayeaye sessions du` shows what sessions take, and `ayeaye sessions rm` \
             removes them"
        }
        PermissionDenied | ReadOnlyFilesystem => {
            "let the user who runs ayeaye read and write the data folder, or name another folder with --data-dir or \
             AYEAYE_DATA_DIR"
        }
        NotADirectory => {
            "name a folder with data-dir (--data-dir or AYEAYE_DATA_DIR): what is there is none; `ayeaye doctor` checks it"
        }
        _ => {
            "free some disk space, check the permissions of the data folder, or name another folder with --data-dir or \
             AYEAYE_DATA_DIR; `ayeaye doctor` checks it"
        }
    }
}

/// No more files can be opened in this process, or on this machine.
fn is_out_of_files(err: &io::Error) -> bool {
    #[cfg(unix)]
    return [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE]
        .iter()
        .any(|it| err.raw_os_error() == Some(it.raw_os_error()));
    #[cfg(not(unix))]
    return err.raw_os_error() == Some(4); // ERROR_TOO_MANY_OPEN_FILES
}

/// Another program has the file open, and on Windows nobody else may then remove or change it.
fn is_held(err: &io::Error, windows: bool) -> bool {
    // ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION
    windows && matches!(err.raw_os_error(), Some(32 | 33))
}

/// What to do where the data folder has no locks.
pub const NO_LOCKS: &str = "this file system has no locks, as NFS or FUSE may have none: name a folder on a local disk with \
    --data-dir or AYEAYE_DATA_DIR";

/// The file system knows no locks, or its server takes none. What is only locked by somebody else is another error.
pub fn is_without_locks(err: &io::Error) -> bool {
    #[cfg(unix)]
    if err.raw_os_error() == Some(rustix::io::Errno::NOLCK.raw_os_error()) {
        return true;
    }
    err.kind() == io::ErrorKind::Unsupported
}

fn for_journal_error(err: &JournalError, reader: Reader) -> &'static str {
    match err {
        JournalError::Unknown(_) => for_unknown_session(reader),
        JournalError::Busy(_) => {
            "another ayeaye process is running this session: use that process, or end it"
        }
        JournalError::Damaged { .. } => {
            "the record was changed by something else; start a new task, and keep the folder if you want to know why"
        }
        JournalError::TooNew { .. } => "use the version of ayeaye that wrote it, or a later one",
        JournalError::Storage { source, .. } => for_storage(source),
        JournalError::Blob(_) => "the file was removed by something else",
        JournalError::NoRoom { .. } => {
            "`ayeaye sessions rm` removes old sessions; journal.max-age, max-sessions and max-size do it automatically; \
             journal.min-free says how much must be free"
        }
        JournalError::MissingSessionStart(_) => {
            "its process died before the session had begun; `ayeaye sessions rm` removes it"
        }
    }
}

#[cfg(test)]
mod tests;
