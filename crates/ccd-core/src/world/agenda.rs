//! What a step has still to meet: meetings in time order, of all bodies and of each cluster that hangs together.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::stepping::Pair;
use crate::detection::toc::FirstContact;
use crate::math::{DisjointSets, Real};

/// The end of a pair's certificate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// Seconds from the start of the step.
    pub time: Real,
    pub pair: Pair,
    /// The versions of the two courses that the certificate is about.
    pub versions: (u32, u32),
    /// Where they meet; `None` where the search ran out of budget, or the bodies are too close to be told apart.
    pub contact: Option<FirstContact>,
}

impl PartialEq for Meeting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Meeting {}

impl PartialOrd for Meeting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Meeting {
    /// The heap's greatest is the earliest; ties go to the smaller pair, so that the order never depends on threads.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then(other.pair.cmp(&self.pair)).then(other.versions.cmp(&self.versions))
    }
}

/// The ends of certificates, those that no longer count among them.
pub(super) struct Agenda {
    all: BinaryHeap<Meeting>,
    /// The same for each cluster, at its root.
    of_cluster: Vec<BinaryHeap<Meeting>>,
    /// Bodies that hang together.
    clusters: DisjointSets,
    /// Whether a body passes on what happens to it.
    is_link: Vec<bool>,
}

impl Agenda {
    /// Of bodies of which none hangs together with any other yet; only those that pass something on ever do.
    pub fn new(is_link: Vec<bool>) -> Self {
        let count = is_link.len();
        Self {
            all: BinaryHeap::new(),
            of_cluster: vec![BinaryHeap::new(); count],
            clusters: DisjointSets::new(count),
            is_link,
        }
    }

    /// The two hang together from now on.
    pub fn unite(&mut self, a: u32, b: u32) {
        if !(self.is_link[a as usize] && self.is_link[b as usize]) {
            return;
        }
        if let Some([root, former]) = self.clusters.join(a, b) {
            let mut meetings = std::mem::take(&mut self.of_cluster[former as usize]);
            self.of_cluster[root as usize].append(&mut meetings);
        }
    }

    /// Adds the end of a certificate.
    pub fn push(&mut self, meeting: Meeting) {
        self.unite(meeting.pair.0, meeting.pair.1);
        self.all.push(meeting);
        let cluster = self.cluster_of(&meeting);
        self.of_cluster[cluster].push(meeting);
    }

    /// Adds the end of a certificate that nobody responds to: nobody hangs together by it.
    pub fn push_notice(&mut self, meeting: Meeting) {
        self.all.push(meeting);
    }

    /// Takes the earliest.
    pub fn pop(&mut self) -> Option<Meeting> {
        self.all.pop()
    }

    /// The meetings of the cluster of a meeting's bodies.
    pub fn of_cluster(&mut self, meeting: &Meeting) -> &mut BinaryHeap<Meeting> {
        let cluster = self.cluster_of(meeting);
        &mut self.of_cluster[cluster]
    }

    fn cluster_of(&mut self, meeting: &Meeting) -> usize {
        let (a, b) = meeting.pair;
        self.clusters.find(if self.is_link[a as usize] { a } else { b }) as usize
    }
}
