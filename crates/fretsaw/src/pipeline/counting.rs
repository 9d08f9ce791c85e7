//! How many ids texts have, without keeping any.
//!
//! The same work as encoding, but for what is written: a piece that the cache knows adds its number of ids.
//!
//! Cost: as encoding.

use super::batch::in_parts;
use super::fused::Hands;
use super::parts_of_text::{Part, Spans};
use super::Pipeline;
use crate::error::EncodeError;
use crate::settings::{MatchPolicy, Settings, SpecialSet};

impl Pipeline {
    /// How many ids a text has. Truncation and padding don't count; random choices follow from `seed`.
    ///
    /// # Errors
    ///
    /// As encoding the text.
    pub fn count(
        &self,
        text: &str,
        policy: MatchPolicy<'_>,
        add_special_tokens: bool,
        seed: Option<u64>,
    ) -> Result<usize, EncodeError> {
        self.start_random(&Settings { seed, ..Settings::NONE });
        let (texts, added) = self.frame(add_special_tokens)?;
        Ok(texts * self.count_bare(text, policy)? + added)
    }

    /// How many ids each of many texts has, on `threads` threads (0: the CPUs that this process may use).
    ///
    /// # Errors
    ///
    /// As encoding the texts: the index of the first that fails, and why.
    pub fn count_batch<S: AsRef<str> + Sync>(
        &self,
        texts: &[S],
        special: &SpecialSet,
        add_special_tokens: bool,
        seed: Option<u64>,
        threads: usize,
    ) -> Result<Vec<usize>, (usize, EncodeError)> {
        let settings = Settings { seed, ..Settings::NONE };
        let size = |text: &S| text.as_ref().len();
        let parts = in_parts(texts, size, threads, |first, texts| {
            let one = |(at, text): (usize, &S)| {
                let seed = settings.at(first + at).seed;
                self.count(text.as_ref(), MatchPolicy::new(special), add_special_tokens, seed)
                    .map_err(|error| (first + at, error))
            };
            texts.iter().enumerate().map(one).collect::<Result<Vec<_>, _>>()
        });
        Ok(parts.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// How many ids a text has without the post-processor's.
    pub(super) fn count_bare(
        &self,
        text: &str,
        policy: MatchPolicy<'_>,
    ) -> Result<usize, EncodeError> {
        let model = self.model(policy);
        let (mut count, mut hands, mut none) = (0, Hands::new(1), Vec::new());
        self.each_part(text, policy, Spans::WhereNeeded, &mut |part| {
            let Part::Text(stretch) = part else {
                count += 1;
                return Ok(());
            };
            let way = self.way(model, policy, &stretch);
            let work = hands.work(way.model, self.spelling(&way));
            count += work.count(|work| self.encode_stretch(&way, work, stretch, &mut none))?;
            Ok(())
        })?;
        Ok(count)
    }
}
