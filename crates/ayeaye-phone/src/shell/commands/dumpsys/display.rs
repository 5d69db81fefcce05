//! `dumpsys display` and `dumpsys input`: sizes and rotation.
use super::{COVER_ID, DISPLAY_ID};
use crate::{device::VirtualPhone, faults::Fold, shell::commands::screencap::lit_panel};

pub(super) fn display(device: &VirtualPhone) -> String {
    let phone = device.phone();
    let options = phone.options();
    let (width, height) = phone.display_size();
    let rotation = phone.rotation();
    let density = phone.density_override().unwrap_or(options.density);
    let state = if phone.is_awake() { "ON" } else { "OFF" };
    let (natural_width, natural_height) = (options.width, options.height);
    let info = |width: u32, height: u32, rotation: u8, density: u32| {
        format!(
            "DisplayInfo{{\"Built-in Screen\", displayId 0, displayGroupId 0, FLAG_SECURE, FLAG_TRUSTED, \
             real {width} x {height}, largest app {long} x {long}, smallest app {short} x {short}, \
             appVsyncOff 1000000, presDeadline 16666666, mode 1, defaultMode 1, rotation {rotation}, \
             state {state}, type INTERNAL, uniqueId \"local:{DISPLAY_ID}\", app {width} x {height}, \
             density {density} ({density}.0 x {density}.0) dpi, layerStack 0}}",
            long = width.max(height),
            short = width.min(height),
        )
    };
    let ((wide, tall), [left, top, w, h]) = device.panel();
    let (right, bottom) = (left + w, top + h);
    let fold = device.faults().plan().fold;
    let lit = fold.map_or(DISPLAY_ID, lit_panel);
    let dark = match fold {
        None => String::new(),
        Some(Fold::Open) => dark_viewport(COVER_ID),
        Some(Fold::Closed) => dark_viewport(DISPLAY_ID),
    };
    format!(
        "DISPLAY MANAGER (dumpsys display)\n  mSafeMode=false\n  mPendingTraversal=false\n  \
         mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive=true, displayId=0, \
         uniqueId='local:{lit}', physicalPort=0, orientation={rotation}, \
         logicalFrame=Rect(0, 0 - {width}, {height}), physicalFrame=Rect({left}, {top} - {right}, {bottom}), \
         deviceWidth={wide}, deviceHeight={tall}}}{dark}]\n  \
         mDefaultDisplayDefaultColorMode=0\n  mScreenState={state}\n\n\
         Display Devices: size=1\n  DisplayDevice:\n    mAdapter=LocalDisplayAdapter\n    \
         mUniqueId=local:{lit}\n    mCurrentLayerStack=0\n    mCurrentOrientation={rotation}\n\n\
         Logical Displays: size=1\n  Display 0:\n    mDisplayId=0\n    mIsEnabled=true\n    \
         mBaseDisplayInfo={base}\n    mOverrideDisplayInfo={override_}\n\n\
         Display Power Controller:\n  mScreenState={state}\n",
        base = info(natural_width, natural_height, 0, options.density),
        override_ = info(width, height, rotation, density),
    )
}

/// How it is folded; nothing of a phone that does not fold.
pub(super) fn device_state(device: &VirtualPhone) -> String {
    let state = |fold| match fold {
        Fold::Open => "DeviceState{identifier=2, name='OPENED', app_accessible=true}",
        Fold::Closed => "DeviceState{identifier=0, name='CLOSED', app_accessible=true}",
    };
    let told = match device.faults().plan().fold {
        Some(fold) => format!("Optional[{}]", state(fold)),
        None => {
            "Optional[DeviceState{identifier=0, name='DEFAULT', app_accessible=true}]".to_owned()
        }
    };
    format!(
        "DEVICE STATE MANAGER (dumpsys device_state)\n  mCommittedState={told}\n  mPendingState=Optional.empty\n"
    )
}

/// The panel of a foldable that shows nothing.
fn dark_viewport(id: &str) -> String {
    format!(
        ", DisplayViewport{{type=INTERNAL, valid=true, isActive=false, displayId=3, \
         uniqueId='local:{id}', physicalPort=1, orientation=0, \
         logicalFrame=Rect(0, 0 - 1080, 2092), physicalFrame=Rect(0, 0 - 1080, 2092), \
         deviceWidth=1080, deviceHeight=2092}}"
    )
}

pub(super) fn input(device: &VirtualPhone) -> String {
    let phone = device.phone();
    let (width, height) = phone.display_size();
    let rotation = phone.rotation();
    let (device_width, device_height) = (phone.options().width, phone.options().height);
    format!(
        "INPUT MANAGER (dumpsys input)\n\nInput Manager State:\n  Interactive: {awake}\n  \
         System UI Lights Out: false\n  Pointer Speed: 0\n  Show Touches: false\n\n\
         Event Hub State:\n  BuiltInKeyboardId: -2\n  Devices:\n    \
         -1: Virtual\n      Classes: KEYBOARD | ALPHAKEY | DPAD | VIRTUAL\n    \
         1: virtual_touchscreen\n      Classes: TOUCH | TOUCH_MT\n      Path: /dev/input/event1\n      Enabled: true\n\n\
         Input Reader State (Nums of device: 1):\n  Device 2: virtual_touchscreen\n    \
         EventHub Devices: [ 1 ]\n    Sources: TOUCHSCREEN\n    \
         Touch Input Mapper (mode - DIRECT):\n      \
         Viewport INTERNAL: displayId=0, uniqueId=local:{DISPLAY_ID}, port=0, orientation={rotation}, \
         logicalFrame=[0, 0, {width}, {height}], physicalFrame=[0, 0, {width}, {height}], \
         deviceSize=[{device_width}, {device_height}], isActive=[1]\n      \
         SurfaceWidth: {width}px\n      SurfaceHeight: {height}px\n      SurfaceOrientation: {rotation}\n      \
         InputDeviceOrientation: {rotation}\n\n\
         Input Dispatcher State:\n  DispatchEnabled: {awake}\n  DispatchFrozen: false\n  \
         FocusedDisplayId: 0\n  FocusedWindows:\n    displayId=0, name='{token} {focused}'\n",
        awake = phone.is_awake(),
        token = super::focused_token(phone),
        focused = phone.focused_window(),
    )
}
