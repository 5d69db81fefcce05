//! Each error has a way out, and it is one that its reader can go.
use ayeaye_agent::{DeviceId, RefusedBy, SessionId};

use super::*;

#[test]
fn adb_on_another_machine_is_not_missing_on_this_one() {
    for here in ["127.0.0.1:5037", "tcp:localhost:5037", "[::1]:5037", "localfilesystem:/run/adb"] {
        assert!(!is_elsewhere(here), "{here}");
    }
    for there in ["host.docker.internal:5037", "tcp:192.168.1.2:5037", "[fe80::1]:5037"] {
        assert!(is_elsewhere(there), "{there}");
    }
    let (address, cause) = ("desk:5037".to_owned(), "refused".to_owned());
    let there = DeviceError::NoServer { address, cause, hangs: false };
    let hint = for_device_error(&there, Reader::Terminal);
    assert!(!hint.contains("install adb") && hint.contains("adb -a"), "{hint}");
    let (address, cause) = ("127.0.0.1:5037".to_owned(), "it did not answer".to_owned());
    let silent = DeviceError::NoServer { address, cause, hangs: true };
    let hint = for_device_error(&silent, Reader::Terminal);
    assert!(!hint.contains("install adb") && hint.contains("adb kill-server"), "{hint}");
}

fn all() -> Vec<AgentError> {
    let (id, device) = (SessionId::new(), DeviceId::new("x"));
    vec![
        AgentError::DeviceBusy { device: device.clone(), session: None },
        AgentError::DeviceBusy { device: device.clone(), session: Some(id) },
        AgentError::SessionBusy(id),
        AgentError::SessionEnding(id),
        AgentError::StoppedBefore(id),
        AgentError::UnknownSession(id),
        AgentError::NoTask(id),
        AgentError::GivenUp(id),
        AgentError::SessionFull(id),
        AgentError::WrongDevice { session: id, its: "y".to_owned(), given: device.clone() },
        AgentError::OtherPhone {
            session: id,
            device: device.clone(),
            before: "Pixel 7".to_owned(),
            now: "another one".to_owned(),
        },
        AgentError::ShuttingDown,
        AgentError::Secret(ayeaye_agent::NamedSecretError::Unknown("bank".to_owned())),
        AgentError::Device(DeviceError::NotFound(device.clone())),
        AgentError::Device(DeviceError::Unauthorized(device)),
        AgentError::Journal(JournalError::Unknown(id)),
        AgentError::Journal(JournalError::Busy(id)),
        AgentError::Coordinator(CoordinatorError::TooManyRuns),
        AgentError::Coordinator(CoordinatorError::TooManyWaiting),
        AgentError::Coordinator(CoordinatorError::RunEnded),
        AgentError::Coordinator(CoordinatorError::InboxFull(id)),
    ]
}

#[test]
fn a_file_that_is_open_elsewhere_is_held_on_windows_alone() {
    let err = |code| std::io::Error::from_raw_os_error(code);
    assert!(is_held(&err(32), true) && is_held(&err(33), true));
    assert!(!is_held(&err(32), false) && !is_held(&err(5), true));
}

#[test]
fn only_who_cannot_use_the_data_folder_is_sent_to_it() {
    let source = std::io::Error::other("disk full");
    let storage = CoordinatorError::Storage { what: "table.json".to_owned(), source };
    for (err, is_about_it) in [
        (CoordinatorError::TooManyRuns, false),
        (CoordinatorError::TooManyWaiting, false),
        (CoordinatorError::RunEnded, false),
        (CoordinatorError::InboxFull(SessionId::new()), false),
        (CoordinatorError::TooLong, false),
        (CoordinatorError::UnknownSession(SessionId::new()), false),
        (storage, true),
    ] {
        let err = AgentError::Coordinator(err);
        for reader in [Reader::Client, Reader::Terminal, Reader::Page] {
            let said = for_agent_error(&err, reader);
            assert_eq!(said.contains("data folder"), is_about_it, "{reader:?}: {said}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_process_without_files_or_locks_is_not_sent_to_a_full_disk() {
    let said = |source: std::io::Error| {
        let err = CoordinatorError::Storage { what: "table.json".to_owned(), source };
        for_agent_error(&AgentError::Coordinator(err), Reader::Terminal)
    };
    for errno in [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE] {
        let said = said(std::io::Error::from_raw_os_error(errno.raw_os_error()));
        assert!(said.contains("ulimit -n") && !said.contains("disk"), "{said}");
    }
    for errno in [rustix::io::Errno::NOLCK, rustix::io::Errno::OPNOTSUPP] {
        let said = said(std::io::Error::from_raw_os_error(errno.raw_os_error()));
        assert!(said.contains("no locks") && !said.contains("disk space"), "{said}");
    }
    let damaged = said(std::io::ErrorKind::InvalidData.into());
    assert!(damaged.contains("damaged") && !damaged.contains("disk"), "{damaged}");
}

#[test]
fn a_client_that_is_offered_no_tasks_is_not_sent_to_a_tool_it_lacks() {
    let (id, device) = (SessionId::new(), DeviceId::new("x"));
    for err in [
        AgentError::DeviceBusy { device: device.clone(), session: None },
        AgentError::DeviceBusy { device: device.clone(), session: Some(id) },
        AgentError::DeviceInHand { device },
        AgentError::SessionBusy(id),
        AgentError::SessionEnding(id),
        AgentError::UnknownSession(id),
        AgentError::Coordinator(CoordinatorError::TooManyRuns),
        AgentError::Coordinator(CoordinatorError::TooManyWaiting),
        AgentError::Coordinator(CoordinatorError::RunEnded),
        AgentError::Coordinator(CoordinatorError::InboxFull(id)),
    ] {
        let said = for_agent_error(&err, Reader::Client);
        let for_all = said.split("if you are offered tasks").next().unwrap();
        assert!(!for_all.is_empty(), "{err}: {said}");
        for tool in ["ask_agent", "stop_task"] {
            assert!(!for_all.contains(tool), "{err}: {said}");
        }
    }
}

#[test]
fn what_adb_refuses_is_not_looked_for_on_the_phone() {
    let refused_by = |by: RefusedBy, reason: &str| DeviceError::Refused {
        id: DeviceId::new("x"),
        what: "its features".to_owned(),
        reason: reason.to_owned(),
        by,
    };
    let refused = |reason: &str| refused_by(RefusedBy::Device, reason);
    let by_adb = refused_by(RefusedBy::AdbServer, "unknown host service");
    let said = for_device_error(&by_adb, Reader::Terminal);
    assert!(said.contains("adb kill-server") && !said.contains("by hand"), "{said}");
    let said = for_device_error(&refused("exit code 1: Error"), Reader::Terminal);
    assert!(said.contains("by hand"), "{said}");
    let xiaomi = "its system lets adb look but not touch (INJECT_EVENTS). In Settings, Developer options, \
                  switch on \"USB debugging (Security settings)\" (on some phones \"Disable permission \
                  monitoring\"), then try again";
    assert_eq!(for_device_error(&refused(xiaomi), Reader::Client), "", "it names the switch");
}

#[test]
fn each_state_of_a_phone_has_a_way_out_of_its_own() {
    for (state, way_out) in [
        ("no permissions", "udev rules"),
        ("recovery", "start it up into Android"),
        ("bootloader", "start it up into Android"),
        ("authorizing", "wait a moment"),
        ("offline", "ayeaye disconnect"),
        ("out of reach: it is gone", "plug it in again"),
    ] {
        let err = DeviceError::NotReady(DeviceId::new("x"), state.to_owned());
        let said = for_device_error(&err, Reader::Terminal);
        assert!(said.contains(way_out), "{state}: {said}");
    }
}

#[test]
fn a_phone_on_the_network_is_connected_and_not_plugged_in() {
    let lost = |id: &str| DeviceError::NotFound(DeviceId::new(id));
    for reader in [Reader::Client, Reader::Terminal, Reader::Page] {
        let said = for_device_error(&lost("127.0.0.1:45181"), reader);
        assert!(said.contains("`ayeaye connect 127.0.0.1:45181`"), "{said}");
        assert!(!said.contains("plug"), "{said}");
        let said = for_device_error(&lost("R58M1"), reader);
        assert!(said.contains("plug the phone in"), "{said}");
    }
}

#[test]
fn a_terminal_is_told_of_commands_a_client_of_tools_and_the_page_of_neither() {
    let tools = ["ask_agent", "list_", "get_", "stop_task", "session_id", "reply_from_client"];
    for err in all() {
        let said = for_agent_error(&err, Reader::Terminal);
        assert!(!tools.iter().any(|tool| said.contains(tool)), "{err}: {said}");
        assert!(!said.is_empty(), "{err}");
        let said = for_agent_error(&err, Reader::Client);
        let commands = ["ayeaye sessions list", "ayeaye sessions show", "ayeaye continue"];
        assert!(!commands.iter().any(|command| said.contains(command)), "{err}: {said}");
        let said = for_agent_error(&err, Reader::Page);
        let none = |words: &[&str]| !words.iter().any(|word| said.contains(word));
        assert!(none(&tools) && none(&commands) && !said.contains("ayeaye run"), "{err}: {said}");
        assert!(!said.is_empty(), "{err}");
    }
}
