//! [`Hub`]: where the messages of a process's ranks meet.

use super::DispatchError;
use super::exchange::{Content, Exchange, Letter};
use super::processes::{Messages, Processes};
use super::stop::Stop;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
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
            exchanges.push(Exchange::new([first_rank + thread, ranks, thread], to.clone(), from));
        }
        (Self { first_rank, ranks, letters, replies }, exchanges)
    }

    /// Exchanges messages until all ranks of this process have ended. The first error ends the ranks of all processes.
    pub(super) fn serve(self, processes: &mut impl Processes, stop: &Stop) -> Result<(), DispatchError> {
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
    fn collect(&self, processes: &mut impl Processes, stop: &Stop) -> Result<Option<Messages>, DispatchError> {
        let threads = self.replies.len();
        let mut messages: Messages = (0..threads).map(|_| Vec::new()).collect();
        let (mut done, mut failed, mut announced) = (0, None, false);
        for _ in 0..threads {
            let Letter { thread, content } = self.receive(processes, stop)?;
            match content {
                Content::Messages(of_thread) => messages[thread] = of_thread,
                Content::End(Ok(())) => done += 1,
                Content::End(Err(error)) => {
                    if !announced && !matches!(error, DispatchError::Ended) {
                        processes.announce();
                        announced = true;
                    }
                    stop.end();
                    failed = Some(worse(failed, (self.first_rank + thread, error)));
                }
            }
        }
        match failed {
            Some((rank, error)) => Err(processes.fail(error.of_rank(rank, self.ranks))),
            None => Ok((done == 0).then_some(messages)),
        }
    }

    fn receive(&self, processes: &mut impl Processes, stop: &Stop) -> Result<Letter, DispatchError> {
        loop {
            match self.letters.recv_timeout(LOOK) {
                Ok(letter) => return Ok(letter),
                Err(RecvTimeoutError::Timeout) if processes.announced() => stop.end(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(DispatchError::Ended),
            }
        }
    }
}

/// The error that says more: its own before being stopped, and that before the end of another rank; of equal ones the
/// first.
fn worse(first: Option<(usize, DispatchError)>, second: (usize, DispatchError)) -> (usize, DispatchError) {
    let weight = |(_, error): &(usize, DispatchError)| match error {
        DispatchError::Ended => 0,
        DispatchError::Stopped { .. } => 1,
        _ => 2,
    };
    match first {
        Some(first) if weight(&first) >= weight(&second) => first,
        _ => second,
    }
}

#[cfg(test)]
mod tests {
    use super::Hub;
    use crate::dispatch::DispatchError;
    use crate::dispatch::processes::{Messages, Processes};
    use crate::dispatch::stop::Stop;

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

        fn all_to_all(&mut self, messages: Messages) -> Result<Messages, DispatchError> {
            Ok(messages)
        }

        fn barrier(&mut self) -> Result<(), DispatchError> {
            Ok(())
        }

        fn announce(&mut self) {
            self.announced += 1;
        }

        fn announced(&mut self) -> bool {
            false
        }

        fn fail(&mut self, error: DispatchError) -> DispatchError {
            error
        }
    }

    #[test]
    fn a_failure_is_announced_once_whatever_ended_before_it() {
        let failed = || Err(DispatchError::Panic { message: "such as it is".into() });
        let ended = || Err(DispatchError::Ended);
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
}
