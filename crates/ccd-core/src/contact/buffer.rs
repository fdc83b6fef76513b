//! A list that needs no heap while it is short: most faces have few corners, and a step looks at thousands of them.

use std::ops::Deref;

/// Up to `N` items in place, more on the heap.
#[derive(Clone, Debug)]
pub(super) struct Buffer<T: Copy, const N: usize> {
    inline: [T; N],
    len: usize,
    spill: Vec<T>,
}

impl<T: Copy, const N: usize> Buffer<T, N> {
    /// An empty list; `filler` fills the places that hold nothing yet.
    #[inline]
    pub(super) fn new(filler: T) -> Self {
        Self { inline: [filler; N], len: 0, spill: Vec::new() }
    }

    /// Appends an item.
    #[inline]
    pub(super) fn push(&mut self, item: T) {
        if self.len < N {
            self.inline[self.len] = item;
        } else {
            if self.len == N {
                self.spill.extend_from_slice(&self.inline);
            }
            self.spill.push(item);
        }
        self.len += 1;
    }

    /// Removes the last item, if there is one.
    #[inline]
    pub(super) fn pop(&mut self) {
        if self.len == N + 1 {
            self.inline.copy_from_slice(&self.spill[..N]);
            self.spill.clear();
        } else if self.len > N {
            self.spill.pop();
        }
        self.len = self.len.saturating_sub(1);
    }

    /// The items, to be changed in place.
    #[inline]
    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        if self.len <= N { &mut self.inline[..self.len] } else { &mut self.spill }
    }
}

impl<T: Copy + PartialEq, const N: usize> PartialEq for Buffer<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Copy, const N: usize> Deref for Buffer<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        if self.len <= N { &self.inline[..self.len] } else { &self.spill }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_keeps_its_items_in_order_when_it_outgrows_its_place() {
        let mut buffer = Buffer::<u32, 4>::new(0);
        for i in 0..10 {
            buffer.push(i);
            assert_eq!(&*buffer, (0..=i).collect::<Vec<_>>());
        }
        buffer.as_mut_slice()[7] = 70;
        assert_eq!(buffer[7], 70);
        for n in (0..10_usize).rev() {
            buffer.pop();
            assert_eq!(
                (buffer.len(), buffer.last().copied()),
                (n, [0, 1, 2, 3, 4, 5, 6, 70, 8].get(n.wrapping_sub(1)).copied())
            );
        }
        buffer.pop();
        assert!(buffer.is_empty());
        buffer.push(5);
        assert_eq!(&*buffer, [5]);
    }
}
