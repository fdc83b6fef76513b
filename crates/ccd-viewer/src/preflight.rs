//! What must be there before the engine starts: a display for a window, a Vulkan driver for any picture.
//!
//! The engine itself panics where one is missing; asking first turns that into a sentence that says what to install.

use bevy::tasks::block_on;

/// What is missing, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// Neither a display variable nor a display.
    #[error(
        "there is no display to open a window on (DISPLAY is not set). Start it from a desktop session; on a \
         machine without one install xvfb (Debian, Ubuntu: apt install xvfb) and run `xvfb-run -a ccd-viewer`, or \
         draw without a window: `ccd-viewer --headless --screenshot picture.png`"
    )]
    Display,
    /// The display does not answer.
    #[error(
        "the display {display} does not answer ({reason}). Check DISPLAY, or install xvfb (Debian, Ubuntu: apt \
         install xvfb) and run `xvfb-run -a ccd-viewer`, or draw without a window: `ccd-viewer --headless \
         --screenshot picture.png`"
    )]
    DisplayAnswer {
        /// The value of `DISPLAY`.
        display: String,
        /// What the connection said.
        reason: String,
    },
    /// No adapter.
    #[error(
        "no Vulkan driver was found, and nothing can be drawn without one. Install the driver of the graphics card, \
         or the software driver, which needs no card (Debian, Ubuntu: apt install libvulkan1 mesa-vulkan-drivers; \
         Fedora: dnf install vulkan-loader mesa-vulkan-drivers; Arch: pacman -S vulkan-icd-loader vulkan-swrast)"
    )]
    Vulkan,
}

/// Checks what drawing in a window (or, `headless`, into a picture) needs.
///
/// # Errors
/// [`Missing`], the first thing that is.
pub fn check(headless: bool) -> Result<(), Missing> {
    if !headless {
        check_display()?;
    }
    check_adapter()
}

#[cfg(target_os = "linux")]
fn check_display() -> Result<(), Missing> {
    // The window comes through X11 (on Wayland desktops through XWayland, which sets DISPLAY).
    let display = std::env::var("DISPLAY").ok().filter(|name| !name.is_empty()).ok_or(Missing::Display)?;
    match x11rb::connect(None) {
        Ok(_) => Ok(()),
        Err(error) => Err(Missing::DisplayAnswer { display, reason: error.to_string() }),
    }
}

#[cfg(not(target_os = "linux"))]
fn check_display() -> Result<(), Missing> {
    Ok(())
}

fn check_adapter() -> Result<(), Missing> {
    let backends = wgpu::Backends::from_env().unwrap_or(wgpu::Backends::PRIMARY);
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    let instance = wgpu::Instance::new(descriptor);
    if block_on(instance.enumerate_adapters(backends)).is_empty() { Err(Missing::Vulkan) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_missing_thing_is_one_line_that_says_what_to_install() {
        let answer = Missing::DisplayAnswer { display: ":7".into(), reason: "refused".into() };
        for missing in [Missing::Display, answer, Missing::Vulkan] {
            let sentence = missing.to_string();
            assert!(sentence.contains("nstall") && !sentence.contains('\n'), "{sentence}");
        }
    }
}
