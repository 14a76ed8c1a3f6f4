// Memory of the devices, and page-locked memory of the host. Like libtorch's caching allocators, they keep freed memory
// and give it out again. Memory that is allocated on a stream while it is recorded comes from a pool that belongs to
// the graph and to those that share it.
#pragma once

#include "stream.h"
#include <c10/core/Allocator.h>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

namespace simulated {

// Freed memory is given out again at once, to the stream that it was allocated on, or on the host to anybody. If other
// streams were recorded as using it, they first do the work that they had been given when it was freed. Whoever gets
// the memory may write to it, so it is filled with a pattern, which shows who still reads it: on a device in the order
// of the stream, on the host right away.
class Memory final : public c10::Allocator {
 public:
  static Memory& device();
  static Memory& pinned();

  // Memory for the current stream of the current device.
  c10::DataPtr allocate(size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override;
  void copy_data(void* to, const void* from, size_t bytes) const override;

  // Records that `stream` uses the memory that begins at `data`, or was given out as `context`, if that is from here.
  void used(const void* data, const void* context, Stream* stream);
  // Whether `data` lies in memory from here, freed or not.
  bool contains(const void* data);

  // One more graph uses `pool`, which is not 0.
  void keep_pool(uint64_t pool);
  // One graph less uses `pool`. After the last one, its memory is free once `streams` have done what they were given.
  void leave_pool(uint64_t pool, const std::set<Stream*>& streams);
  // Bytes of all pools.
  size_t reserved();

 private:
  struct Block {
    Memory* memory;
    char* data;
    size_t bytes;
    // Null on the host.
    Stream* stream;
    // 0 outside of pools.
    uint64_t pool;
    std::vector<Stream*> used_by;
    // Its users must reach these points before it is used again.
    std::vector<Point> pending;
  };
  // The number of graphs, and the streams that they were replayed on.
  struct Pool {
    int graphs = 0;
    std::set<Stream*> streams;
  };

  explicit Memory(bool on_host) : on_host_(on_host) {}
  static std::function<void()> spoil(const Block* block);
  static void free(void* context);
  // Callers of the following hold the lock.
  void release(Block* block);
  void reuse(Block* block);
  void collect();

  const bool on_host_;
  std::mutex lock_;
  std::map<const char*, Block*> blocks_;
  std::map<uint64_t, Pool> pools_;
  std::multimap<std::tuple<uint64_t, Stream*, size_t>, Block*> idle_;
  std::vector<Block*> freed_;
};

}  // namespace simulated
