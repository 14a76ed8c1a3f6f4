// Memory of the devices, and page-locked memory of the host: kept for ever and given out again, as libtorch's caching allocators do. What is
// allocated on a stream that is recorded comes from a pool of that graph and those that share it.
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

// What is freed is given out again at once to the stream that it was for (on the host to anybody), unless streams were recorded that use it,
// too: then when they have done what they were given before it was freed. From then on it may be written by whoever gets it. Here it is, with
// a pattern, so that it shows who still reads it: on a device in the order of the stream, on the host right away.
class Memory final : public c10::Allocator {
 public:
  static Memory& device();
  static Memory& pinned();

  // For the current stream of the current device.
  c10::DataPtr allocate(size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override;
  void copy_data(void* to, const void* from, size_t bytes) const override;

  // Work of `stream` uses what begins at `data`, or was given out as `context`, if that is from here.
  void used(const void* data, const void* context, Stream* stream);
  // Whether it is from here, freed or not.
  bool contains(const void* data);

  // One more graph uses the memory of `pool`, which is not 0.
  void keep_pool(uint64_t pool);
  // One graph less; after the last one the memory is for anybody when `streams` have done what they were given.
  void leave_pool(uint64_t pool, const std::set<Stream*>& streams);
  // Bytes of all pools.
  size_t reserved();

 private:
  struct Block {
    Memory* memory;
    char* data;
    size_t bytes;
    // None on the host.
    Stream* stream;
    // 0: none.
    uint64_t pool;
    std::vector<Stream*> used_by;
    // What its users were given before it was freed.
    std::vector<Point> pending;
  };
  // Graphs, and streams that they were replayed on.
  struct Pool {
    int graphs = 0;
    std::set<Stream*> streams;
  };

  explicit Memory(bool on_host) : on_host_(on_host) {}
  static std::function<void()> spoil(const Block* block);
  static void free(void* context);
  // The following ask for the lock.
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
