//! [`Hub`]: where the messages of a process's ranks meet; [`Exchange`]: messages as one rank sees them; [`Outbox`]: rows on
//! their way to the ranks that write their parts.

use super::error::{DispatchError, of_rank};
use super::job::Stop;
use super::processes::{Messages, Processes};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use graphpack_loader::Error;
use std::mem::take;
use std::time::Duration;

/// Takes the messages of the ranks of a process and hands out those received. It runs in the thread that talks to other
/// processes, as MPI wants it.
pub(super) struct Hub {
    first_rank: usize,
    ranks: usize,
    letters: Receiver<Letter>,
    replies: Vec<Sender<Vec<Vec<u8>>>>,
}

/// How long it takes until ranks hear of a failure in another process, while they write parts.
const LOOK: Duration = Duration::from_millis(50);

impl Hub {
    /// Connects the ranks of a process with a hub. Ranks are numbered process by process.
    pub(super) fn new(processes: &impl Processes, threads: usize) -> (Self, Vec<Exchange>) {
        // Each rank sends one letter and waits for the reply, or has ended.
        let (to, letters) = bounded(threads);
        let (first_rank, ranks) = (processes.process() * threads, processes.processes() * threads);
        let mut replies = Vec::new();
        let mut exchanges = Vec::new();
        for thread in 0..threads {
            let (reply, from) = bounded(1);
            replies.push(reply);
            exchanges.push(Exchange { rank: first_rank + thread, ranks, thread, to: to.clone(), from });
        }
        (Self { first_rank, ranks, letters, replies }, exchanges)
    }

    /// Exchanges messages until all ranks of this process have ended. The first error ends the ranks of all processes.
    pub(super) fn serve(self, processes: &mut impl Processes, stop: &Stop) -> Result<(), Error> {
        loop {
            let Some(messages) = self.collect(processes, stop)? else { return Ok(()) };
            let received = processes.all_to_all(messages).inspect_err(|_| stop.end())?;
            for (reply, messages) in self.replies.iter().zip(received) {
                // A rank that waits for it is there.
                let _ = reply.send(messages);
            }
        }
    }

    /// Returns the messages of all ranks, or nothing if all are done.
    fn collect(&self, processes: &mut impl Processes, stop: &Stop) -> Result<Option<Messages>, Error> {
        let threads = self.replies.len();
        let mut messages: Messages = (0..threads).map(|_| Vec::new()).collect();
        let (mut done, mut failed, mut announced) = (0, None, false);
        for _ in 0..threads {
            let Letter { thread, content } = self.receive(processes, stop)?;
            match content {
                Content::Messages(of_thread) => messages[thread] = of_thread,
                Content::End(Ok(())) => done += 1,
                Content::End(Err(error)) => {
                    // A rank that ends only because of another has nothing to announce.
                    if !announced && !matches!(error.cause(), Some(DispatchError::Ended)) {
                        processes.announce();
                        announced = true;
                    }
                    stop.end();
                    failed = Some(worse(failed, (self.first_rank + thread, error)));
                }
            }
        }
        match failed {
            Some((rank, error)) => Err(processes.fail(of_rank(error, rank, self.ranks))),
            None => Ok((done == 0).then_some(messages)),
        }
    }

    fn receive(&self, processes: &mut impl Processes, stop: &Stop) -> Result<Letter, Error> {
        loop {
            match self.letters.recv_timeout(LOOK) {
                Ok(letter) => return Ok(letter),
                Err(RecvTimeoutError::Timeout) if processes.announced() => stop.end(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(DispatchError::Ended.into()),
            }
        }
    }
}

/// The error that says more: its own before being stopped, and that before the end of another rank; of equal ones the
/// first.
fn worse(first: Option<(usize, Error)>, second: (usize, Error)) -> (usize, Error) {
    let weight = |(_, error): &(usize, Error)| match error.cause() {
        Some(DispatchError::Ended) => 0,
        Some(DispatchError::Stopped { .. }) => 1,
        _ => 2,
    };
    match first {
        Some(first) if weight(&first) >= weight(&second) => first,
        _ => second,
    }
}

/// Messages from each rank to each rank. All ranks call the same methods in the same order. The messages of the ranks
/// of a process meet in its [`Hub`](super::hub::Hub).
pub(super) struct Exchange {
    pub(super) rank: usize,
    pub(super) ranks: usize,
    /// The number of the rank in its process.
    thread: usize,
    to: Sender<Letter>,
    from: Receiver<Vec<Vec<u8>>>,
}

/// What a rank sends to the hub of its process.
pub(super) struct Letter {
    pub(super) thread: usize,
    pub(super) content: Content,
}

pub(super) enum Content {
    /// A message for each rank.
    Messages(Vec<Vec<u8>>),
    /// The last letter: the rank is done or has failed.
    End(Result<(), Error>),
}

impl Exchange {
    /// Sends a message to each rank and returns those received, by rank. If a rank has failed, all get
    /// [`DispatchError::Ended`].
    pub(super) fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Error> {
        let letter = Letter { thread: self.thread, content: Content::Messages(messages) };
        self.to.send(letter).map_err(|_| DispatchError::Ended)?;
        self.from.recv().map_err(|_| DispatchError::Ended.into())
    }

    /// Says that the rank is done or has failed, after which it sends nothing.
    pub(super) fn end(&self, end: Result<(), Error>) {
        // The hub is gone if another rank has failed.
        let _ = self.to.send(Letter { thread: self.thread, content: Content::End(end) });
    }

    /// Waits for all ranks.
    pub(super) fn barrier(&self) -> Result<(), Error> {
        self.all_to_all(vec![Vec::new(); self.ranks]).map(drop)
    }
}

/// Rows for each part, collected until they are sent as a message to each rank.
pub(super) struct Outbox {
    ranks: usize,
    parts: Vec<Vec<u8>>,
    /// Parts for which nothing is sent.
    left_out: Vec<bool>,
}

/// Rows of one part in a message.
pub(super) struct Block<'a> {
    pub(super) part: usize,
    /// Original position of the range that they are from.
    pub(super) start: u64,
    pub(super) rows: &'a [u8],
}

/// Bytes of part, start and length.
const HEAD: usize = 24;

impl Outbox {
    pub(super) fn new(ranks: usize, parts: usize) -> Self {
        Self { ranks, parts: vec![Vec::new(); parts], left_out: vec![false; parts] }
    }

    /// Leaves out parts that are whole already.
    pub(super) fn leave_out(&mut self, parts: &[bool]) {
        self.left_out.copy_from_slice(parts);
    }

    /// The rows to be sent for a part, unless it is left out.
    pub(super) fn of(&mut self, part: u16) -> Option<&mut Vec<u8>> {
        let part = usize::from(part);
        (!self.left_out[part]).then_some(&mut self.parts[part])
    }

    /// Returns a message for each rank and frees the memory of all rows: if a file is sorted by part, each part in turn
    /// gets a whole range.
    pub(super) fn messages(&mut self, start: usize) -> Vec<Vec<u8>> {
        let mut messages = vec![Vec::new(); self.ranks];
        for (rank, message) in messages.iter_mut().enumerate() {
            let own = (rank..self.parts.len()).step_by(self.ranks).filter(|&part| !self.parts[part].is_empty());
            let own: Vec<usize> = own.collect();
            message.reserve_exact(own.iter().map(|&part| HEAD + self.parts[part].len()).sum());
            for part in own {
                let rows = take(&mut self.parts[part]);
                [part as u64, start as u64, rows.len() as u64]
                    .iter()
                    .for_each(|number| message.extend_from_slice(&number.to_le_bytes()));
                message.extend_from_slice(&rows);
            }
        }
        messages
    }
}

/// Iterates over the blocks in a message of a rank.
pub(super) fn blocks(rank: usize, mut message: &[u8]) -> impl Iterator<Item = Result<Block<'_>, Error>> {
    std::iter::from_fn(move || {
        if message.is_empty() {
            return None;
        }
        let bytes = message.len();
        let block = block(&mut message);
        if block.is_none() {
            message = &[];
        }
        Some(block.ok_or_else(|| DispatchError::Message { rank, bytes }.into()))
    })
}

fn block<'a>(message: &mut &'a [u8]) -> Option<Block<'a>> {
    let (head, rest) = message.split_at_checked(HEAD)?;
    let number = |at: usize| Some(u64::from_le_bytes(head[8 * at..][..8].try_into().ok()?));
    let (rows, rest) = rest.split_at_checked(usize::try_from(number(2)?).ok()?)?;
    *message = rest;
    Some(Block { part: usize::try_from(number(0)?).ok()?, start: number(1)?, rows })
}

#[cfg(test)]
mod tests {
    use super::{HEAD, Hub, Outbox, blocks};
    use crate::dispatch::DispatchError;
    use crate::dispatch::job::Stop;
    use crate::dispatch::processes::{Messages, Processes};
    use graphpack_loader::Error;

    /// The first of two processes, of which the other waits for announcements.
    struct First {
        announced: usize,
    }

    impl Processes for First {
        fn process(&self) -> usize {
            0
        }

        fn processes(&self) -> usize {
            2
        }

        fn all_to_all(&mut self, messages: Messages) -> Result<Messages, Error> {
            Ok(messages)
        }

        fn barrier(&mut self) -> Result<(), Error> {
            Ok(())
        }

        fn announce(&mut self) {
            self.announced += 1;
        }

        fn announced(&mut self) -> bool {
            false
        }

        fn fail(&mut self, error: Error) -> Error {
            error
        }
    }

    #[test]
    fn a_failure_is_announced_once_whatever_ended_before_it() {
        let failed = || Err(DispatchError::Panic { message: "such as it is".into() }.into());
        let ended = || Err(DispatchError::Ended.into());
        for (letters, announced, expected) in [
            ([ended(), failed(), ended()], 1, "rank 1: a panic: such as it is"),
            ([failed(), ended(), failed()], 1, "rank 0: a panic: such as it is"),
            ([ended(), ended(), ended()], 0, "another rank failed"),
        ] {
            let mut processes = First { announced: 0 };
            let (hub, exchanges) = Hub::new(&processes, letters.len());
            exchanges.iter().zip(letters).for_each(|(exchange, letter)| exchange.end(letter));
            let error = hub.serve(&mut processes, &Stop::new(None)).expect_err("a rank failed");
            assert_eq!((processes.announced, error.to_string().as_str()), (announced, expected));
        }
    }

    #[test]
    fn rows_come_out_of_messages_as_they_went_in() {
        let mut outbox = Outbox::new(2, 5);
        for (part, rows) in [(3, &[1, 2, 3][..]), (1, &[4]), (4, &[5])] {
            outbox.of(part).expect("not left out").extend_from_slice(rows);
        }
        let messages = outbox.messages(7);
        let read = |message| -> Vec<_> {
            let blocks = blocks(0, message).map(|block| block.expect("whole"));
            blocks.map(|block| (block.part, block.start, block.rows.to_vec())).collect()
        };
        assert_eq!(read(&messages[0]), [(4, 7, vec![5])]);
        assert_eq!(read(&messages[1]), [(1, 7, vec![4]), (3, 7, vec![1, 2, 3])]);
        assert!(outbox.messages(8).iter().all(Vec::is_empty));
        let cut = &messages[1][..messages[1].len() - 1];
        let all: Vec<bool> = blocks(0, cut).map(|block| block.is_ok()).collect();
        assert_eq!(all, [true, false]);
    }

    /// As files that are sorted by part come: a round has rows of one part alone.
    #[test]
    fn parts_that_were_sent_take_no_memory() {
        const RANGE: usize = 10_000;
        let mut outbox = Outbox::new(4, 64);
        for part in 0..64 {
            outbox.of(part).expect("not left out").extend([1; RANGE]);
            let held: usize = outbox.parts.iter().map(Vec::capacity).sum();
            assert!(held <= 2 * RANGE, "{held} bytes in round {part}");
            let sent: usize = outbox.messages(0).iter().map(Vec::capacity).sum();
            assert_eq!(sent, RANGE + HEAD);
        }
        assert!(outbox.parts.iter().all(|part| part.capacity() == 0));
    }
}
