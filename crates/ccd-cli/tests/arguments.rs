//! The command line itself.

mod common;

use common::Folder;

#[test]
fn help_and_version_succeed_and_nonsense_is_refused() {
    let folder = Folder::new();
    let help = folder.ccd(&["--help"]).succeeds().out;
    for command in ["run", "toc", "features", "closest", "inspect", "classify", "make"] {
        assert!(help.contains(command), "{command}");
        assert!(!folder.ccd(&[command, "--help"]).succeeds().out.is_empty());
    }
    assert!(folder.ccd(&["--version"]).succeeds().out.starts_with("ccd "));
    for nonsense in [&["sing"][..], &[], &["features"], &["inspect"], &["inspect", "a.obj", "--loud"]] {
        let ran = folder.ccd(nonsense);
        assert_eq!(ran.code, 2, "{nonsense:?}: {ran:?}");
        assert!(!ran.err.is_empty());
    }
}
