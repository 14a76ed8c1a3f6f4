// libtorch's interface of a kind of devices: the current device, streams and events.

#include "current.h"
#include "cuda_graph.h"
#include "failures.h"
#include "install.h"
#include "memory.h"
#include <array>
#include <atomic>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <chrono>
#include <memory>
#include <utility>

namespace simulated {

namespace {

using Time = std::chrono::steady_clock::time_point;

// What libtorch knows as an event.
struct Event {
  Point point;
  // When the stream got there; null unless the event is timed.
  std::shared_ptr<Time> time;
};

std::array<std::atomic<bool>, 4> failing{};
thread_local uint64_t queries_here = 0;

void check(Call call) {
  TORCH_CHECK(!failing.at(static_cast<size_t>(call)), "CUDA error: a call fails because the test wants it to");
}

thread_local int device_now = 0;
// Null stands for the default stream.
thread_local std::array<Stream*, DEVICES> stream_now{};

c10::Device device(int index) {
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

Stream* stream(const c10::Stream& of) {
  return Stream::get(of.device_index(), of.id());
}

c10::Stream name(const Stream* of) {
  return c10::Stream(c10::Stream::UNSAFE, device(of->device), of->id);
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::kCUDA; }
  c10::Device exchangeDevice(c10::Device to) const override { return device(exchange_device(to.index())); }
  c10::Device getDevice() const override { return device(device_now); }
  void setDevice(c10::Device to) const override { exchange_device(to.index()); }
  void uncheckedSetDevice(c10::Device to) const noexcept override { device_now = to.index(); }
  c10::DeviceIndex deviceCount() const noexcept override { return DEVICES; }

  c10::Stream getStream(c10::Device of) const override { return name(current_stream(index(of))); }
  c10::Stream getDefaultStream(c10::Device of) const override { return name(Stream::get(index(of), 0)); }
  c10::Stream getStreamFromGlobalPool(c10::Device of, bool urgent) const override {
    return name(Stream::from_pool(index(of), urgent));
  }
  c10::Stream exchangeStream(c10::Stream to) const override {
    check(Call::ExchangeStream);
    return name(exchange_stream(stream(to)));
  }
  bool queryStream(const c10::Stream& of) const override {
    stream(of)->not_recorded("whether its work is done");
    return stream(of)->last().done();
  }
  void synchronizeStream(const c10::Stream& of) const override {
    stream(of)->not_recorded("waiting for its work");
    stream(of)->last().wait();
  }
  void synchronizeDevice(c10::DeviceIndex of) const override {
    std::vector<Stream*> all;
    for (auto which : {Which::Default, Which::Pool, Which::Urgent}) {
      const auto streams = Stream::all(of, which);
      all.insert(all.end(), streams.begin(), streams.end());
    }
    for (const auto* each : all) {
      each->not_recorded("waiting for the device");
    }
    for (const auto* each : all) {
      each->last().wait();
    }
  }

  void record(void** event, const c10::Stream& of, c10::DeviceIndex index, c10::EventFlag flag) const override {
    const auto device = of.device_index();
    TORCH_CHECK(
        index == -1 || index == device, "an event of device ", index, " recorded on a stream of device ", device);
    // As libtorch's own: if a call fails, the device stays switched.
    const auto before = exchange_device(device);
    check(Call::RecordEvent);
    exchange_device(before);
    if (*event == nullptr) {
      *event = new Event();
    }
    auto& recorded = get(*event);
    if (flag == c10::EventFlag::BACKEND_DEFAULT) {
      recorded.time = std::make_shared<Time>();
      stream(of)->also([time = recorded.time] { *time = std::chrono::steady_clock::now(); });
    }
    recorded.point = stream(of)->mark();
  }
  void block(void* event, const c10::Stream& of) const override { stream(of)->after(get(event).point); }
  bool queryEvent(void* event) const override {
    check(Call::QueryEvent);
    queries_here++;
    return done_work(event).done();
  }
  void synchronizeEvent(void* event) const override {
    check(Call::WaitForEvent);
    done_work(event).wait();
  }
  double elapsedTime(void* from, void* to, c10::DeviceIndex) const override {
    return std::chrono::duration<double, std::milli>(*get(to).time - *get(from).time).count();
  }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
  void recordDataPtrOnStream(const c10::DataPtr& data, const c10::Stream& of) const override {
    Memory::device().used(data.get(), data.get_context(), stream(of));
  }

 private:
  static Event& get(void* event) { return *static_cast<Event*>(event); }
  // A thread that records must not ask for any event, and no thread for an event of a recording.
  static const Point& done_work(void* event) {
    const auto& asked = get(event).point;
    nothing_recorded_here("an event was asked");
    if (asked.recording != nullptr) {
      asked.stream->not_recorded("an event was asked");
      TORCH_CHECK(false, "CUDA error: operation not permitted on an event last recorded in a capturing stream");
    }
    return asked;
  }
  static int index(c10::Device of) { return of.has_index() ? of.index() : device_now; }
};

}  // namespace

int current_device() {
  return device_now;
}

int exchange_device(int to) {
  TORCH_CHECK(to >= 0 && to < DEVICES, "there is no device ", to);
  return std::exchange(device_now, to);
}

Stream* current_stream(int device) {
  auto* now = stream_now.at(device);
  return now == nullptr ? Stream::get(device, 0) : now;
}

Stream* exchange_stream(Stream* to) {
  auto* before = current_stream(to->device);
  stream_now.at(to->device) = to;
  return before;
}

void fail(Call call, bool fails) {
  failing.at(static_cast<size_t>(call)) = fails;
}

uint64_t queries() {
  return queries_here;
}

void install_guard() {
  static const Guard guard;
  static const c10::impl::DeviceGuardImplRegistrar registrar(c10::kCUDA, &guard);
}

}  // namespace simulated
