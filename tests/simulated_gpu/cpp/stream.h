// Streams: queues of work, each done in order by a thread of its own, which know nothing of each other but by points to wait for.
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
// As many as libtorch has in each of its two pools.
constexpr int64_t POOL = 32;

// Which streams of a device. DeviceLoader copies on urgent ones.
enum class Which { Default, Pool, Urgent };

class Stream;

// Work of a stream that is kept instead of done, for a graph.
struct Recording {
  explicit Recording(uint64_t pool) : pool(pool) {}

  // Whose memory is allocated meanwhile.
  const uint64_t pool;
  std::vector<std::function<void()>> work;
  // What was asked for that cannot be recorded: then nothing becomes of it.
  std::string broken;
};

// A point in the work of a stream: done when so many of its items are.
struct Point {
  Stream* stream = nullptr;
  uint64_t items = 0;
  // Where it is a point in work that is not done, but recorded.
  std::shared_ptr<const Recording> recording = nullptr;

  bool done() const;
  // Blocks this thread.
  void wait() const;
};

class Stream {
 public:
  // Streams live for ever. `id`: 0 is the default one, then come the two pools.
  static Stream* get(int device, int64_t id);
  static Stream* from_pool(int device, bool urgent);
  static std::vector<Stream*> all(int device, Which which);

  const int device;
  const int64_t id;

  // Work for later, or for the recording. It holds no memory: whoever frees it too early shall see that.
  void give(std::function<void()> work);
  // The allocator's own work for later, recorded or not.
  void spoil(std::function<void()> work);
  // What is given from now on begins after `point`.
  void after(Point point);
  // The point behind everything that was given.
  Point last() const;
  // The same for those who ask on a GPU, or a point of the recording.
  Point mark() const;

  void begin_recording(std::shared_ptr<Recording> recording);
  std::shared_ptr<Recording> end_recording();
  // The pool of the recording; 0 where there is none.
  uint64_t recorded() const;
  // The allocator's own work, only if there is a recording that uses `pool`.
  bool record(uint64_t pool, std::function<void()> work);
  // Where there is a recording, it is good for nothing from now on, and this throws: `what` would have to be done at once.
  void not_recorded(const std::string& what) const;
  // All that was recorded, as one item.
  void replay(std::shared_ptr<const Recording> recording);

  // What it was given by those who use the device.
  struct Work {
    // Done one by one.
    uint64_t operations = 0;
    // Kept for graphs.
    uint64_t recorded = 0;
    // Of graphs.
    uint64_t replays = 0;
  };
  Work work() const;

  // A held stream begins nothing.
  void hold(bool held);
  // Every item takes at least so long.
  void slow(std::chrono::microseconds pause);
  // Waits until no stream of any device can do anything: all are idle, held, or wait for one that is. False if that takes longer than `limit`.
  static bool settle(std::chrono::milliseconds limit);

 private:
  friend struct Point;
  friend struct Streams;

  struct Item {
    std::function<void()> work;
    Point after;
  };

  Stream(int device, int64_t id) : device(device), id(id) {}
  // The following ask for the lock.
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
