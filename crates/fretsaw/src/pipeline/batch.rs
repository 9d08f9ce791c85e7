//! Many texts at once, on threads: results in order, whatever the number of threads.

use super::fused::Hands;
use super::{Pipeline, Request};
use crate::encoding::Encoding;
use crate::error::{DecodeError, EncodeError};
use crate::pool;
use crate::settings::{MatchPolicy, Settings, SpecialSet};

/// Less work than this is done on the calling thread: waking others would take longer.
const SERIAL_BYTES: usize = 32 << 10;

/// Where the caller leaves the number of threads open, they must be worth waking: about a
/// millisecond of work.
const SERIAL_BYTES_BY_DEFAULT: usize = 256 << 10;

/// How many parts the work is cut into for each thread, so that uneven parts even out.
const PARTS_PER_THREAD: usize = 4;

impl Pipeline {
    /// Encodes many texts on `threads` threads (0: the CPUs that this process may use), in order.
    ///
    /// Of several errors the first text's is returned, with its index.
    pub fn encode_batch<S: AsRef<str> + Sync>(
        &self,
        texts: &[S],
        special: &SpecialSet,
        add_special_tokens: bool,
        settings: &Settings,
        threads: usize,
    ) -> Result<Vec<Encoding>, (usize, EncodeError)> {
        let size = |text: &S| text.as_ref().len();
        let each = threads_of_each(texts.len(), threads);
        let parts = in_parts(texts, size, threads, |first, texts| {
            let mut hands = Hands::new(each);
            let encode = |(at, text): (usize, &S)| {
                let policy = (special, add_special_tokens);
                self.encode_nth(first + at, text.as_ref(), policy, settings, &mut hands)
            };
            texts.iter().enumerate().map(encode).collect::<Result<Vec<_>, _>>()
        });
        self.padded(texts.len(), parts, settings)
    }

    /// Encodes the text at this place of a batch; not filled up.
    pub(super) fn encode_nth<'m>(
        &'m self,
        index: usize,
        text: &str,
        (special, add_special_tokens): (&SpecialSet, bool),
        settings: &Settings,
        hands: &mut Hands<'m>,
    ) -> Result<Encoding, (usize, EncodeError)> {
        let mut encoding = Encoding::default();
        let (policy, settings) = (MatchPolicy::new(special), settings.at(index));
        self.extend(&mut encoding, text, policy, add_special_tokens, &settings, hands)
            .map_err(|error| (index, error))?;
        Ok(encoding)
    }

    /// Encodes many requests in the same way.
    pub fn encode_requests(
        &self,
        requests: &[Request<'_>],
        special: &SpecialSet,
        add_special_tokens: bool,
        settings: &Settings,
        threads: usize,
    ) -> Result<Vec<Encoding>, (usize, EncodeError)> {
        let parts = in_parts(requests, Request::size_bytes, threads, |first, requests| {
            let encode = |(at, request): (usize, &Request<'_>)| {
                let (policy, settings) = (MatchPolicy::new(special), settings.at(first + at));
                self.encode_request(request, policy, add_special_tokens, &settings)
                    .map_err(|error| (first + at, error))
            };
            requests.iter().enumerate().map(encode).collect::<Result<Vec<_>, _>>()
        });
        self.padded(requests.len(), parts, settings)
    }

    /// The encodings of all parts of a batch, filled up.
    fn padded(
        &self,
        count: usize,
        parts: Vec<Result<Vec<Encoding>, (usize, EncodeError)>>,
        settings: &Settings,
    ) -> Result<Vec<Encoding>, (usize, EncodeError)> {
        let mut encodings = Vec::with_capacity(count);
        for part in parts {
            encodings.extend(part?);
        }
        if let Some(padding) = &settings.padding {
            let longest = encodings.iter().map(|encoding| encoding.ids.len()).max().unwrap_or(0);
            encodings.iter_mut().for_each(|encoding| self.pad(encoding, padding, longest));
        }
        Ok(encodings)
    }

    /// Encodes many texts into one array of ids, and where each text starts in it: one more than
    /// there are texts.
    pub fn encode_batch_flat<S: AsRef<str> + Sync>(
        &self,
        texts: &[S],
        special: &SpecialSet,
        add_special_tokens: bool,
        settings: &Settings,
        threads: usize,
    ) -> Result<(Vec<u32>, Vec<i64>), (usize, EncodeError)> {
        if settings.padding.is_some() {
            let encodings =
                self.encode_batch(texts, special, add_special_tokens, settings, threads)?;
            return Ok(flat(&encodings));
        }
        let size = |text: &S| text.as_ref().len();
        let each = threads_of_each(texts.len(), threads);
        let parts = in_parts(texts, size, threads, |first, texts| {
            let (mut all, mut ends) = (Encoding::default(), Vec::new());
            let mut hands = Hands::new(each);
            for (at, text) in texts.iter().enumerate() {
                let (text, policy) = (text.as_ref(), MatchPolicy::new(special));
                let settings = settings.at(first + at);
                let done =
                    self.extend(&mut all, text, policy, add_special_tokens, &settings, &mut hands);
                done.map_err(|error| (first + at, error))?;
                all.added.clear();
                all.named.clear();
                ends.push(all.ids.len());
            }
            Ok((all.ids, ends))
        });
        let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut row_offsets = Vec::with_capacity(texts.len() + 1);
        row_offsets.push(0i64);
        let mut base = 0;
        for (ids, ends) in &parts {
            row_offsets.extend(ends.iter().map(|&end| (base + end) as i64));
            base += ids.len();
        }
        let mut parts = parts.into_iter().map(|(ids, _)| ids);
        let mut all = parts.next().unwrap_or_default();
        all.reserve_exact(base - all.len());
        parts.for_each(|ids| all.extend_from_slice(&ids));
        Ok((all, row_offsets))
    }

    /// The texts of many lists of ids, in order; of several errors the first list's is returned.
    pub fn decode_batch<I: AsRef<[u32]> + Sync>(
        &self,
        batch: &[I],
        skip_special_tokens: bool,
        threads: usize,
    ) -> Result<Vec<String>, DecodeError> {
        let ids: usize = batch.iter().map(|ids| ids.as_ref().len()).sum();
        let decode = |ids: &I| self.decode_ids(ids.as_ref(), skip_special_tokens);
        if ids < SERIAL_BYTES {
            return batch.iter().map(decode).collect();
        }
        let parts = pool::threads_meant(threads) * PARTS_PER_THREAD;
        let lists: Vec<&[I]> = batch.chunks(batch.len().div_ceil(parts)).collect();
        let results = pool::map(threads, lists.len(), |at| {
            lists[at].iter().map(decode).collect::<Result<Vec<_>, _>>()
        });
        let mut decoded = Vec::with_capacity(batch.len());
        for part in results {
            decoded.extend(part?);
        }
        Ok(decoded)
    }
}

/// How many threads each text of a batch gets: all, if it is the only one.
fn threads_of_each(texts: usize, threads: usize) -> usize {
    match texts {
        1 => threads,
        _ => 1,
    }
}

/// The ids of encodings in one array, and where each starts in it.
fn flat(encodings: &[Encoding]) -> (Vec<u32>, Vec<i64>) {
    let mut ids = Vec::new();
    let mut row_offsets = vec![0];
    for encoding in encodings {
        ids.extend_from_slice(&encoding.ids);
        row_offsets.push(ids.len() as i64);
    }
    (ids, row_offsets)
}

/// Cuts `texts` into runs of about the same number of bytes and does each, in order. `work` gets
/// the index of its first text.
pub(super) fn in_parts<T: Sync, R: Send>(
    texts: &[T],
    size_bytes: impl Fn(&T) -> usize,
    threads: usize,
    work: impl Fn(usize, &[T]) -> R + Sync,
) -> Vec<R> {
    let bytes: usize = texts.iter().map(&size_bytes).sum();
    let serial_bytes = if threads == 0 { SERIAL_BYTES_BY_DEFAULT } else { SERIAL_BYTES };
    let threads = pool::threads_meant(threads);
    if bytes < serial_bytes || threads == 1 {
        return vec![work(0, texts)];
    }
    let target = bytes / (threads * PARTS_PER_THREAD) + 1;
    let mut cuts = vec![0];
    let mut filled = 0;
    for (at, text) in texts.iter().enumerate() {
        filled += size_bytes(text);
        if filled >= target {
            cuts.push(at + 1);
            filled = 0;
        }
    }
    if cuts.last() != Some(&texts.len()) {
        cuts.push(texts.len());
    }
    let parts: Vec<(usize, &[T])> =
        cuts.windows(2).map(|pair| (pair[0], &texts[pair[0]..pair[1]])).collect();
    pool::map(threads, parts.len(), |at| work(parts[at].0, parts[at].1))
}
