//! One long text on several threads: cut at safe cuts, encoded part by part, joined.
//!
//! A safe cut (see [`safe_cuts`](super::safe_cuts)) stays one whatever stands before and behind, so that
//! the ids of the parts one after the other are the whole's, and so are the added tokens, moved. Where a
//! part has none near its end it goes on to the next one's. An error is found again by encoding the whole,
//! since it may name a place. Where helpers are at work for another call, one thread does it all: it would be
//! done before they are.
//!
//! Cost: that of the text, divided by the threads; the ids are copied once.

use super::fused::Hands;
use super::Pipeline;
use crate::encoding::Encoding;
use crate::error::EncodeError;
use crate::pool;
use crate::settings::MatchPolicy;

/// Texts from this size on are worth waking others for: about half a millisecond of work.
const LONG_BYTES: usize = 256 << 10;

/// No part is smaller.
const PART_BYTES: usize = 64 << 10;

/// How many parts there are for each thread, so that uneven parts even out.
const PARTS_PER_THREAD: usize = 4;

/// How far a cut is looked for.
const NEAR_BYTES: usize = 4 << 10;

impl Pipeline {
    /// Does what [`Pipeline::encode_into`] does with a long text, on `threads` threads (0: the CPUs that this
    /// process may use); does nothing and says so where one thread has to do it.
    pub(super) fn encode_long(
        &self,
        text: &str,
        policy: MatchPolicy<'_>,
        threads: usize,
        encoding: &mut Encoding,
    ) -> bool {
        if text.len() < LONG_BYTES || threads == 1 || policy.trusted.is_some() {
            return false;
        }
        let threads = pool::threads_meant(threads);
        if threads == 1 || pool::is_busy() || !self.has_safe_cuts() {
            return false;
        }
        let cuts = self.long_cuts(text, threads * PARTS_PER_THREAD);
        let encoded = pool::map(threads, cuts.len() - 1, |at| {
            let (start, mut part) = (cuts[at], Encoding::default());
            self.encode_into(&text[start..cuts[at + 1]], policy, &mut part, &mut Hands::new(1))?;
            for span in &mut part.added {
                (span.start, span.end) = (start + span.start, start + span.end);
            }
            Ok::<_, EncodeError>(part)
        });
        if encoded.iter().any(Result::is_err) {
            return false;
        }
        encoding.ids.reserve_exact(encoded.iter().flatten().map(|part| part.ids.len()).sum());
        encoded.iter().flatten().for_each(|part| encoding.append(part));
        true
    }

    /// Safe cuts that part a text into so many parts of about the same size, or fewer; both ends too.
    fn long_cuts(&self, text: &str, parts: usize) -> Vec<usize> {
        let parts = parts.min(text.len() / PART_BYTES);
        let mut cuts = vec![0];
        for part in 1..parts {
            let at = text.len() / parts * part;
            let near = (at + NEAR_BYTES..text.len()).find(|&near| text.is_char_boundary(near));
            let Some(near) = near else { break };
            cuts.extend(self.safe_cut_from(&text[..near], at));
        }
        cuts.push(text.len());
        cuts
    }
}
