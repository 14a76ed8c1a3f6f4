// Streams and their threads.

#include "stream.h"
#include <array>
#include <c10/util/Exception.h>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace simulated {

// All streams share one lock, so that who waits for several of them sees all at one moment.
struct Streams {
  std::mutex lock;
  std::condition_variable changed;
  std::array<std::vector<std::unique_ptr<Stream>>, DEVICES> of;
  std::array<std::array<int64_t, 2>, DEVICES> next{};

  Streams() {
    for (int device = 0; device < DEVICES; device++) {
      for (int64_t id = 0; id <= 2 * POOL; id++) {
        of[device].emplace_back(new Stream(device, id));
      }
    }
  }

  static Streams& get() {
    // Never destroyed: threads still wait on it when the process ends.
    static auto* streams = new Streams();
    return *streams;
  }
};

bool Point::done() const {
  auto& streams = Streams::get();
  const std::lock_guard locked(streams.lock);
  return stream == nullptr || stream->done(items);
}

void Point::wait() const {
  auto& streams = Streams::get();
  std::unique_lock locked(streams.lock);
  streams.changed.wait(locked, [&] { return stream == nullptr || stream->done(items); });
}

Stream* Stream::get(int device, int64_t id) {
  return Streams::get().of.at(device).at(id).get();
}

Stream* Stream::from_pool(int device, bool urgent) {
  auto& streams = Streams::get();
  const std::lock_guard locked(streams.lock);
  const auto turn = streams.next.at(device)[urgent]++ % POOL;
  return streams.of[device][1 + turn + (urgent ? POOL : 0)].get();
}

std::vector<Stream*> Stream::all(int device, Which which) {
  std::vector<Stream*> found;
  for (const auto& stream : Streams::get().of.at(device)) {
    const auto of = stream->id == 0 ? Which::Default : stream->id <= POOL ? Which::Pool : Which::Urgent;
    if (of == which) {
      found.push_back(stream.get());
    }
  }
  return found;
}

void Stream::give(std::function<void()> work) {
  const std::lock_guard locked(Streams::get().lock);
  if (recording_ != nullptr) {
    work_.recorded++;
    recording_->work.push_back(std::move(work));
    return;
  }
  work_.operations++;
  push({std::move(work), {}});
}

void Stream::also(std::function<void()> work) {
  const std::lock_guard locked(Streams::get().lock);
  push({std::move(work), {}});
}

void Stream::after(Point point) {
  const std::lock_guard locked(Streams::get().lock);
  if (recording_ == nullptr && point.recording == nullptr) {
    push({[] {}, std::move(point)});
  } else if (recording_ != point.recording) {
    // On a GPU, a stream that waits for a recorded one is recorded, too.
    for (auto* stream : {this, point.stream}) {
      if (stream != nullptr && stream->recording_ != nullptr) {
        stream->recording_->broken = "a stream waited for another";
      }
    }
    TORCH_CHECK(false, "CUDA error: one of two streams is captured and not the other, which is not simulated");
  }
}

void Stream::push(Item item) {
  if (!has_thread_) {
    std::thread([this] { run(); }).detach();
    has_thread_ = true;
  }
  queue_.push_back(std::move(item));
  given_++;
  Streams::get().changed.notify_all();
}

Point Stream::last() const {
  const std::lock_guard locked(Streams::get().lock);
  return {const_cast<Stream*>(this), given_};
}

Point Stream::mark() const {
  const std::lock_guard locked(Streams::get().lock);
  return {const_cast<Stream*>(this), given_, recording_};
}

void Stream::begin_recording(std::shared_ptr<Recording> recording) {
  const std::lock_guard locked(Streams::get().lock);
  TORCH_CHECK(recording_ == nullptr, "CUDA error: the stream is captured already");
  recording_ = std::move(recording);
}

std::shared_ptr<Recording> Stream::end_recording() {
  const std::lock_guard locked(Streams::get().lock);
  return std::exchange(recording_, nullptr);
}

uint64_t Stream::recorded() const {
  const std::lock_guard locked(Streams::get().lock);
  return recording_ == nullptr ? 0 : recording_->pool;
}

bool Stream::record(uint64_t pool, std::function<void()> work) {
  const std::lock_guard locked(Streams::get().lock);
  if (recording_ == nullptr || recording_->pool != pool) {
    return false;
  }
  recording_->work.push_back(std::move(work));
  return true;
}

void Stream::not_recorded(const std::string& what) const {
  const std::lock_guard locked(Streams::get().lock);
  if (recording_ != nullptr) {
    recording_->broken = what;
    TORCH_CHECK(false, "CUDA error: operation not permitted when stream is capturing: ", what);
  }
}

void Stream::replay(std::shared_ptr<const Recording> recording) {
  not_recorded("a graph in a graph, which is not simulated");
  const std::lock_guard locked(Streams::get().lock);
  work_.replays++;
  const auto all = [recording = std::move(recording)] {
    for (const auto& work : recording->work) {
      work();
    }
  };
  push({all, {}});
}

Stream::Work Stream::work() const {
  const std::lock_guard locked(Streams::get().lock);
  return work_;
}

void Stream::hold(bool held) {
  auto& streams = Streams::get();
  const std::lock_guard locked(streams.lock);
  held_ = held;
  streams.changed.notify_all();
}

void Stream::slow(std::chrono::microseconds pause) {
  const std::lock_guard locked(Streams::get().lock);
  pause_ = pause;
}

bool Stream::settle(std::chrono::milliseconds limit) {
  auto& streams = Streams::get();
  std::unique_lock locked(streams.lock);
  return streams.changed.wait_for(locked, limit, [&] {
    for (const auto& device : streams.of) {
      for (const auto& stream : device) {
        if (stream->busy_ || stream->ready()) {
          return false;
        }
      }
    }
    return true;
  });
}

bool Stream::ready() const {
  if (held_ || queue_.empty()) {
    return false;
  }
  const auto& point = queue_.front().after;
  return point.stream == nullptr || point.stream->done(point.items);
}

void Stream::run() {
  auto& streams = Streams::get();
  std::unique_lock locked(streams.lock);
  for (;;) {
    streams.changed.wait(locked, [&] { return ready(); });
    const auto item = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    const auto pause = pause_;
    locked.unlock();
    if (pause.count() > 0) {
      std::this_thread::sleep_for(pause);
    }
    item.work();
    locked.lock();
    busy_ = false;
    done_++;
    streams.changed.notify_all();
  }
}

}  // namespace simulated
