//! Strings that are looked for in a text that comes in chunks: stop strings and markers.
//!
//! One automaton after Aho and Corasick 1975 over the bytes of all strings. Its state stands for the
//! longest end of the text that some string starts with: that much is held back, since a match may
//! still come of it, and nothing more. It equals a start of a string, so that the state is all that is
//! kept of it. The match that ends first wins, and of those the one that starts first; behind it the
//! search begins anew.
//!
//! Cost: linear in the text; 25 bytes for each byte of the strings, shared by all streams.

/// The state before any text.
const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;
/// How long all strings may be together.
const MAX_BYTES: usize = 16 << 20;

/// What the automaton looks for.
#[derive(Debug)]
pub struct Stops {
    strings: Vec<String>,
    /// So many of them are stop strings, the others markers.
    stop_count: usize,
    nodes: Vec<Node>,
    /// The byte that leads to each node. The children of a node stand side by side, in this order.
    labels: Vec<u8>,
}

/// A start of a string.
#[derive(Debug, Clone, Copy)]
struct Node {
    first_child: u32,
    child_count: u32,
    /// The longest shorter start that this one ends with.
    shorter: u32,
    /// How many bytes it has, and a string that has them.
    len: u32,
    string: u32,
    /// The longest string that it ends with.
    found: u32,
}

/// How far the search has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Search {
    node: u32,
}

/// What a search found in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// A stop string, by its place in the list.
    Stop(usize),
    /// A marker, by its place in the list.
    Marker(usize),
}

impl Stops {
    /// An automaton; `None` where a string is empty, or all together are beyond 16 MiB. Of equal ones
    /// the first counts, stop strings before markers.
    pub fn new(stop: &[String], markers: &[String]) -> Option<Self> {
        let strings: Vec<String> = stop.iter().chain(markers).cloned().collect();
        let bytes: usize = strings.iter().map(String::len).sum();
        if strings.iter().any(String::is_empty) || bytes > MAX_BYTES {
            return None;
        }
        let mut order: Vec<u32> = (0..strings.len() as u32).collect();
        // A stable sort keeps the first of equal ones first.
        order.sort_by_key(|&at| strings[at as usize].as_bytes());
        order.dedup_by_key(|at| strings[*at as usize].as_bytes());
        let mut stops =
            Self { strings, stop_count: stop.len(), nodes: Vec::new(), labels: Vec::new() };
        stops.grow(&order);
        stops.link();
        Some(stops)
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.strings.is_empty()
    }

    /// Whether these are the stops of such strings.
    pub fn are(&self, stop: &[String], markers: &[String]) -> bool {
        self.stop_count == stop.len() && self.strings.iter().eq(stop.iter().chain(markers))
    }

    /// The stop string at a place of the list.
    pub fn stop(&self, at: usize) -> &str {
        &self.strings[at]
    }

    /// The marker at a place of its list.
    pub fn marker(&self, at: usize) -> &str {
        &self.strings[self.stop_count + at]
    }

    /// A search before any text.
    pub fn search(&self) -> Search {
        Search { node: ROOT }
    }

    /// The end of the text that is held back: what some string starts with.
    pub fn held(&self, search: Search) -> &str {
        let Node { string, len, .. } = self.nodes[search.node as usize];
        self.strings.get(string as usize).map_or("", |string| &string[..len as usize])
    }

    /// Reads on to the end of `text` or of a match: appends what is settled, and returns the match
    /// with the number of bytes read. What matched is in neither.
    pub fn read(
        &self,
        search: &mut Search,
        text: &str,
        out: &mut String,
    ) -> Option<(Found, usize)> {
        let before = self.held(*search);
        let mut node = search.node;
        for (at, &byte) in text.as_bytes().iter().enumerate() {
            node = self.next(node, byte);
            let found = self.nodes[node as usize].found;
            if found != NONE {
                let matched = self.strings[found as usize].len();
                settle(before, &text[..=at], matched, out);
                search.node = ROOT;
                return Some((self.kind(found as usize), at + 1));
            }
        }
        search.node = node;
        settle(before, text, self.nodes[node as usize].len as usize, out);
        None
    }

    fn kind(&self, at: usize) -> Found {
        match at.checked_sub(self.stop_count) {
            Some(at) => Found::Marker(at),
            None => Found::Stop(at),
        }
    }

    /// Makes the nodes, level by level; strings with a start in common are a range of `order`.
    fn grow(&mut self, order: &[u32]) {
        let mut ranges = vec![(0, order.len())];
        self.nodes.push(Node {
            first_child: 0,
            child_count: 0,
            shorter: ROOT,
            len: 0,
            string: NONE,
            found: NONE,
        });
        self.labels.push(0);
        let mut at = 0;
        while at < self.nodes.len() {
            let (mut from, to) = ranges[at];
            let len = self.nodes[at].len as usize;
            self.nodes[at].first_child = self.nodes.len() as u32;
            if len > 0 && self.strings[order[from] as usize].len() == len {
                self.nodes[at].found = order[from];
                from += 1;
            }
            while from < to {
                let byte = |place: usize| self.strings[order[place] as usize].as_bytes()[len];
                let label = byte(from);
                let end = (from..to).find(|&place| byte(place) != label).unwrap_or(to);
                ranges.push((from, end));
                self.labels.push(label);
                self.nodes.push(Node {
                    first_child: 0,
                    child_count: 0,
                    shorter: ROOT,
                    len: len as u32 + 1,
                    string: order[from],
                    found: NONE,
                });
                self.nodes[at].child_count += 1;
                from = end;
            }
            at += 1;
        }
    }

    /// Finds what each node ends with; those of fewer bytes come first.
    fn link(&mut self) {
        for at in 0..self.nodes.len() {
            let Node { first_child, child_count, shorter, .. } = self.nodes[at];
            for child in first_child..first_child + child_count {
                let label = self.labels[child as usize];
                let link = if at == 0 { ROOT } else { self.next(shorter, label) };
                let found = self.nodes[link as usize].found;
                let node = &mut self.nodes[child as usize];
                node.shorter = link;
                if node.found == NONE {
                    node.found = found;
                }
            }
        }
    }

    #[inline]
    fn next(&self, mut node: u32, byte: u8) -> u32 {
        loop {
            let Node { first_child, child_count, shorter, .. } = self.nodes[node as usize];
            let children = first_child as usize..(first_child + child_count) as usize;
            let labels = &self.labels[children];
            let child = match labels {
                [only] => (*only == byte).then_some(0),
                _ => labels.binary_search(&byte).ok(),
            };
            match child {
                Some(child) => return first_child + child as u32,
                None if node == ROOT => return ROOT,
                None => node = shorter,
            }
        }
    }
}

/// Appends `before` and `text` but for so many bytes at their end.
fn settle(before: &str, text: &str, held: usize, out: &mut String) {
    let settled = before.len() + text.len() - held;
    if settled <= before.len() {
        out.push_str(&before[..settled]);
    } else {
        out.push_str(before);
        out.push_str(&text[..settled - before.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(all: &[&str]) -> Vec<String> {
        all.iter().map(|&string| string.to_owned()).collect()
    }

    /// The text before the first match, found by looking at every place, and which it is.
    fn model<'a>(text: &'a str, stop: &[&str]) -> (&'a str, Option<usize>) {
        for end in 0..=text.len() {
            let matches = stop.iter().enumerate();
            let matches =
                matches.filter(|(_, stop)| text.as_bytes()[..end].ends_with(stop.as_bytes()));
            let longest = matches.max_by_key(|(at, stop)| (stop.len(), usize::MAX - at));
            if let Some((at, stop)) = longest {
                return (&text[..end - stop.len()], Some(at));
            }
        }
        (text, None)
    }

    /// All texts of some characters up to a length.
    fn texts(alphabet: &[char], len: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..len {
            let until = all.len();
            for at in from..until {
                all.extend(alphabet.iter().map(|c| format!("{}{c}", all[at])).collect::<Vec<_>>());
            }
            from = until;
        }
        all
    }

    #[test]
    fn equals_looking_at_every_place() {
        let lists: [&[&str]; 8] = [
            &["aab"],
            &["aa", "ab"],
            &["abab", "ba"],
            &["aéa", "éaé", "é"],
            &["ababb", "bab", "bb"],
            &["aaaa", "aaab", "b"],
            &["abé", "bé", "é"],
            &["a", "a", "ab"],
        ];
        for stop in lists {
            let stops = Stops::new(&strings(stop), &[]).unwrap();
            let longest = stop.iter().map(|stop| stop.len()).max().unwrap_or(0);
            for text in texts(&['a', 'b', 'é'], 7) {
                let (mut search, mut out, mut found) = (stops.search(), String::new(), None);
                for (at, c) in text.char_indices() {
                    let chunk = &text[at..at + c.len_utf8()];
                    found = stops.read(&mut search, chunk, &mut out).map(|(found, _)| found);
                    if found.is_some() {
                        break;
                    }
                    let held = stops.held(search);
                    assert!(held.len() < longest);
                    assert_eq!(format!("{out}{held}"), text[..at + c.len_utf8()]);
                    let read = &text[..at + c.len_utf8()];
                    let mut ends = read.char_indices().map(|(from, _)| &read[from..]);
                    let longest = ends.find(|end| stop.iter().any(|stop| stop.starts_with(end)));
                    assert_eq!(held, longest.unwrap_or_default());
                }
                out.push_str(stops.held(search));
                let (before, which) = model(&text, stop);
                assert_eq!(
                    (out.as_str(), found),
                    (before, which.map(Found::Stop)),
                    "{stop:?} {text}"
                );
            }
        }
    }

    #[test]
    fn a_marker_is_left_out_and_the_search_goes_on() {
        let stops = Stops::new(&strings(&["END"]), &strings(&["<t>", "END"])).unwrap();
        let (mut search, mut out) = (stops.search(), String::new());
        assert_eq!(stops.read(&mut search, "a<t>b<t", &mut out), Some((Found::Marker(0), 4)));
        assert_eq!(stops.read(&mut search, "b<t", &mut out), None);
        assert_eq!((out.as_str(), stops.held(search)), ("ab", "<t"));
        assert_eq!(stops.read(&mut search, "xENDy", &mut out), Some((Found::Stop(0), 4)));
        assert_eq!((out.as_str(), stops.marker(0), stops.stop(0)), ("ab<tx", "<t>", "END"));
    }
}
