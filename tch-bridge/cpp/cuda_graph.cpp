// at::cuda::CUDAGraph, whose functions are looked up when libtorch_cuda is there: its header needs CUDA's own, and linking to it would keep
// programs from starting without CUDA.

#include "guarded.h"
#include <c10/core/CachingDeviceAllocator.h>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <stdexcept>
#include <string>

#if __has_include(<ATen/cuda/CUDAGraph.h>) && __has_include(<cuda_runtime_api.h>) && __has_include(<crt/host_config.h>)
#include <ATen/cuda/CUDAGraph.h>
#define GRAPHPACK_HAS_HEADER
#endif

namespace {

// A CUDAGraph of libtorch 2.11 has 104 bytes; checked where its header can be read.
constexpr size_t ROOM = 512;
#ifdef GRAPHPACK_HAS_HEADER
static_assert(sizeof(at::cuda::CUDAGraph) <= ROOM && alignof(at::cuda::CUDAGraph) <= alignof(std::max_align_t));
#endif

// Only this thread's own calls are watched while it captures: others go on pinning memory and copying batches.
constexpr int CAPTURE_MODE_THREAD_LOCAL = 1;

using Pool = c10::MempoolId_t;

template <typename Function>
Function* find(const char* symbol) {
  // Loaded before by graphpack_load_cuda, globally.
  void* found = dlsym(RTLD_DEFAULT, symbol);
  if (found == nullptr) {
    throw std::runtime_error(std::string("this libtorch has no CUDA graphs: no ") + symbol);
  }
  return reinterpret_cast<Function*>(found);
}

// A CUDAGraph by its mangled names. Member functions take the object first, in the ABI that libtorch is built with.
class Graph {
 public:
  Graph() {
    find<void(void*, bool)>("_ZN2at4cuda9CUDAGraphC1Eb")(room_, false);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    destroy_(room_);
  }
  void begin(Pool pool) {
    find<void(void*, Pool, int)>("_ZN2at4cuda9CUDAGraph13capture_beginESt4pairIyyE21cudaStreamCaptureMode")(room_, pool, CAPTURE_MODE_THREAD_LOCAL);
  }
  void end() {
    find<void(void*)>("_ZN2at4cuda9CUDAGraph11capture_endEv")(room_);
  }
  void replay() {
    replay_(room_);
  }
  Pool pool() {
    return find<Pool(void*)>("_ZN2at4cuda9CUDAGraph4poolEv")(room_);
  }

 private:
  alignas(std::max_align_t) unsigned char room_[ROOM] = {};
  void (*destroy_)(void*) = find<void(void*)>("_ZN2at4cuda9CUDAGraphD1Ev");
  void (*replay_)(void*) = find<void(void*)>("_ZN2at4cuda9CUDAGraph6replayEv");
};

}  // namespace

extern "C" {

// A graph without content.
int graphpack_cuda_graph_new(void** out, char* message, size_t capacity) {
  return guarded(message, capacity, [&] { *out = new Graph(); });
}

// From now on work of this thread's current stream is recorded instead of done. Memory is shared with `other`, if that is given: the two are
// never replayed at the same time.
int graphpack_cuda_graph_begin(void* graph, void* other, char* message, size_t capacity) {
  return guarded(message, capacity, [&] {
    static_cast<Graph*>(graph)->begin(other == nullptr ? Pool{0, 0} : static_cast<Graph*>(other)->pool());
  });
}

// Ends the recording.
int graphpack_cuda_graph_end(void* graph, char* message, size_t capacity) {
  return guarded(message, capacity, [&] { static_cast<Graph*>(graph)->end(); });
}

// Gives what was recorded to the current stream.
int graphpack_cuda_graph_replay(void* graph, char* message, size_t capacity) {
  return guarded(message, capacity, [&] { static_cast<Graph*>(graph)->replay(); });
}

void graphpack_cuda_graph_free(void* graph) {
  // A destructor that throws would end the program anyway.
  delete static_cast<Graph*>(graph);
}

}
