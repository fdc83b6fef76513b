//! A folder of one's own, and the command run in it.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on says why")]
#![allow(dead_code, reason = "each test program uses some of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// A temporary folder that goes with its owner.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("ccd-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self { path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file into the folder.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path.join(name), text).expect("a file in the temporary folder");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Runs `ccd` in the folder.
    pub fn ccd(&self, arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_ccd"))
            .args(arguments)
            .current_dir(&self.path)
            .output()
            .expect("the command starts");
        Ran::new(output)
    }
}

/// For those who do not read to the end.
impl Folder {
    /// Runs `ccd` in the folder, with nobody to read its answers.
    pub fn ccd_unread(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ccd"));
        command.args(arguments).current_dir(&self.path).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        drop(child.stdout.take());
        Ran::new(child.wait_with_output().expect("the command ends"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// How a command ended.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    fn new(output: Output) -> Self {
        Self {
            code: output.status.code().expect("an exit code, not a signal"),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    #[track_caller]
    pub fn succeeds(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }

    /// Ends with exit code 2 and an error that has all of these in it, and no answer.
    #[track_caller]
    pub fn refuses(self, parts: &[&str]) -> Self {
        assert_eq!(self.code, 2, "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        assert_eq!(self.err.lines().count(), 1, "{self:?}");
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is not in: {}", self.err);
        }
        self
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.out))
    }

    pub fn json_lines(&self) -> Vec<Value> {
        self.out.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {l}"))).collect()
    }
}

/// The keys of an object, sorted.
pub fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[track_caller]
pub fn assert_near(value: &Value, expected: f64, tol: f64) {
    let x = value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"));
    assert!((x - expected).abs() <= tol, "{x} is not {expected} ± {tol}");
}
