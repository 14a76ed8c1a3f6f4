// Streams: queues of work, each done in order by a thread of its own. Nothing orders two streams but points that one
// waits for.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace simulated {

constexpr int DEVICES = 2;
// Streams in each of libtorch's two pools.
constexpr int64_t POOL = 32;

// Groups of streams of a device. DeviceLoader copies on urgent ones.
enum class Which { Default, Pool, Urgent };

class Stream;

// Work of a stream that is kept for a graph instead of done.
struct Recording {
  explicit Recording(uint64_t pool) : pool(pool) {}

  // Memory that is allocated meanwhile comes from this pool.
  const uint64_t pool;
  std::vector<std::function<void()>> work;
  // What was asked for that cannot be recorded. If not empty, the recording is broken.
  std::string broken;
};

// A point in the work of a stream: done when the first `items` of its items are.
struct Point {
  Stream* stream = nullptr;
  uint64_t items = 0;
  // The recording, if it is a point in recorded work.
  std::shared_ptr<const Recording> recording = nullptr;

  bool done() const;
  // Blocks this thread.
  void wait() const;
};

class Stream {
 public:
  // Streams are never destroyed. `id` 0 is the default one, then come the two pools.
  static Stream* get(int device, int64_t id);
  static Stream* from_pool(int device, bool urgent);
  static std::vector<Stream*> all(int device, Which which);

  const int device;
  const int64_t id;

  // Takes work for later, or for the recording. The work keeps no memory: a program that frees it too early shall see
  // that.
  void give(std::function<void()> work);
  // Takes work that is not the program's for later, also while the stream is recorded: the allocator's, and the times
  // of events.
  void also(std::function<void()> work);
  // Work that is given from now on begins after `point`.
  void after(Point point);
  // The point after all work that was given.
  Point last() const;
  // The same for events: while the stream is recorded, a point of the recording.
  Point mark() const;

  void begin_recording(std::shared_ptr<Recording> recording);
  std::shared_ptr<Recording> end_recording();
  // The pool of the recording; 0 if there is none.
  uint64_t recorded() const;
  // Records work of the allocator; false if there is no recording that uses `pool`.
  bool record(uint64_t pool, std::function<void()> work);
  // If there is a recording, breaks it and throws: `what` would have to be done at once.
  void not_recorded(const std::string& what) const;
  // Takes all work of a recording, as one item.
  void replay(std::shared_ptr<const Recording> recording);

  // What programs have given it; other work does not count.
  struct Work {
    // Operations done one by one.
    uint64_t operations = 0;
    // Operations recorded.
    uint64_t recorded = 0;
    // Replays of graphs.
    uint64_t replays = 0;
  };
  Work work() const;

  // A held stream begins nothing.
  void hold(bool held);
  // Every item takes at least `pause`.
  void slow(std::chrono::microseconds pause);
  // Waits until no stream of any device can do anything: each is idle or held, or waits for one that is held. False if
  // that takes longer than `limit`.
  static bool settle(std::chrono::milliseconds limit);

 private:
  friend struct Point;
  friend struct Streams;

  struct Item {
    std::function<void()> work;
    Point after;
  };

  Stream(int device, int64_t id) : device(device), id(id) {}
  // Callers of the following hold the lock.
  bool done(uint64_t items) const { return items <= done_; }
  bool ready() const;
  void push(Item item);
  void run();

  std::deque<Item> queue_;
  uint64_t given_ = 0;
  uint64_t done_ = 0;
  bool held_ = false;
  bool busy_ = false;
  bool has_thread_ = false;
  std::chrono::microseconds pause_{0};
  std::shared_ptr<Recording> recording_;
  Work work_;
};

}  // namespace simulated
