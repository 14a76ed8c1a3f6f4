// The two caching allocators.

#include "memory.h"
#include "current.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>

namespace simulated {

namespace {

// libtorch rounds up to the same.
constexpr size_t ROUND = 512;
constexpr int PATTERN = 0xDB;

}  // namespace

Memory& Memory::device() {
  static auto* memory = new Memory(false);
  return *memory;
}

Memory& Memory::pinned() {
  static auto* memory = new Memory(true);
  return *memory;
}

c10::DataPtr Memory::allocate(size_t bytes) {
  const auto cuda = c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(current_device()));
  const auto where = on_host_ ? c10::Device(c10::kCPU) : cuda;
  if (bytes == 0) {
    return {nullptr, nullptr, &free, where};
  }
  bytes = (bytes + ROUND - 1) / ROUND * ROUND;
  auto* stream = on_host_ ? nullptr : current_stream(current_device());
  const auto pool = on_host_ ? 0 : stream->recorded();
  const std::lock_guard locked(lock_);
  collect();
  Block* block = nullptr;
  if (const auto found = idle_.find({pool, stream, bytes}); found != idle_.end()) {
    block = found->second;
    idle_.erase(found);
  } else {
    auto* data = static_cast<char*>(std::aligned_alloc(ROUND, bytes));
    if (data == nullptr) {
      throw std::bad_alloc();
    }
    std::memset(data, PATTERN, bytes);
    block = new Block{this, data, bytes, stream, pool, {}, {}};
    blocks_[data] = block;
  }
  return {block->data, block, &free, where};
}

c10::DeleterFnPtr Memory::raw_deleter() const {
  return nullptr;
}

void Memory::copy_data(void* to, const void* from, size_t bytes) const {
  default_copy_data(to, from, bytes);
}

void Memory::used(const void* data, const void* context, Stream* stream) {
  const std::lock_guard locked(lock_);
  for (const auto& [start, block] : blocks_) {
    // Work of a stream on its own memory is in order anyway.
    if ((start == data || block == context) && block->stream != stream) {
      block->used_by.push_back(stream);
    }
  }
}

bool Memory::contains(const void* data) {
  const std::lock_guard locked(lock_);
  const auto* address = static_cast<const char*>(data);
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) {
    return false;
  }
  const auto* block = std::prev(after)->second;
  return address < block->data + block->bytes;
}

std::function<void()> Memory::spoil(const Block* block) {
  return [data = block->data, bytes = block->bytes] { std::memset(data, PATTERN, bytes); };
}

void Memory::free(void* context) {
  auto* block = static_cast<Block*>(context);
  if (block == nullptr) {
    return;
  }
  auto& memory = *block->memory;
  const std::lock_guard locked(memory.lock_);
  if (block->pool == 0) {
    memory.release(block);
    memory.collect();
    return;
  }
  // A replay spoils it at this point, so that the rest of the graph does not find what was there. After the recording
  // it is left alone, because replays write to it.
  block->stream->record(block->pool, spoil(block));
  memory.idle_.emplace(std::tuple(block->pool, block->stream, block->bytes), block);
}

void Memory::release(Block* block) {
  for (auto* stream : block->used_by) {
    block->pending.push_back(stream->last());
  }
  block->used_by.clear();
  freed_.push_back(block);
}

void Memory::keep_pool(uint64_t pool) {
  const std::lock_guard locked(lock_);
  pools_[pool].graphs++;
}

void Memory::leave_pool(uint64_t id, const std::set<Stream*>& streams) {
  const std::lock_guard locked(lock_);
  auto& pool = pools_.at(id);
  pool.streams.insert(streams.begin(), streams.end());
  if (--pool.graphs > 0) {
    return;
  }
  for (const auto& [start, block] : blocks_) {
    if (block->pool == id) {
      block->pool = 0;
      block->used_by.assign(pool.streams.begin(), pool.streams.end());
    }
  }
  for (auto idle = idle_.begin(); idle != idle_.end();) {
    if (std::get<0>(idle->first) == id) {
      release(idle->second);
      idle = idle_.erase(idle);
    } else {
      ++idle;
    }
  }
  pools_.erase(id);
  collect();
}

size_t Memory::reserved() {
  const std::lock_guard locked(lock_);
  size_t bytes = 0;
  for (const auto& [start, block] : blocks_) {
    bytes += block->pool == 0 ? 0 : block->bytes;
  }
  return bytes;
}

void Memory::collect() {
  const auto in_use = [](const Block* block) {
    return std::any_of(block->pending.begin(), block->pending.end(), [](Point point) { return !point.done(); });
  };
  const auto idle = std::stable_partition(freed_.begin(), freed_.end(), in_use);
  std::for_each(idle, freed_.end(), [&](Block* block) { reuse(block); });
  freed_.erase(idle, freed_.end());
}

void Memory::reuse(Block* block) {
  block->pending.clear();
  if (on_host_) {
    spoil(block)();
  } else {
    block->stream->also(spoil(block));
  }
  idle_.emplace(std::tuple(block->pool, block->stream, block->bytes), block);
}

}  // namespace simulated
