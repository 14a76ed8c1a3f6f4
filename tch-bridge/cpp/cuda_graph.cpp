// at::cuda::CUDAGraph. Its functions are looked up at run time in libtorch_cuda: its header needs CUDA's headers, and a
// program that links to it does not start without CUDA.

#include "guarded.h"
#include <c10/core/CachingDeviceAllocator.h>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <stdexcept>
#include <string>

#if __has_include(<ATen/cuda/CUDAGraph.h>) && __has_include(<cuda_runtime_api.h>) && \
    __has_include(<crt/host_config.h>)
#include <ATen/cuda/CUDAGraph.h>
#define GRAPHPACK_HAS_HEADER
#endif

namespace {

// A CUDAGraph of libtorch 2.11 has 104 bytes; checked below if its header can be read.
constexpr size_t ROOM = 512;
#ifdef GRAPHPACK_HAS_HEADER
static_assert(sizeof(at::cuda::CUDAGraph) <= ROOM && alignof(at::cuda::CUDAGraph) <= alignof(std::max_align_t));
#endif

// While a thread captures, only its own calls are restricted: other threads go on pinning memory and copying batches.
constexpr int CAPTURE_MODE_THREAD_LOCAL = 1;

using Pool = c10::MempoolId_t;

template <typename Function>
Function* find(const char* symbol) {
  // graphpack_load_cuda has loaded libtorch_cuda globally.
  void* found = dlsym(RTLD_DEFAULT, symbol);
  if (found == nullptr) {
    throw std::runtime_error(std::string("this libtorch has no CUDA graphs: no ") + symbol);
  }
  return reinterpret_cast<Function*>(found);
}

// A CUDAGraph, by the mangled names of its functions. In libtorch's ABI a member function takes the object as its first
// argument.
class CudaGraph {
 public:
  CudaGraph() {
    find<void(void*, bool)>("_ZN2at4cuda9CUDAGraphC1Eb")(room_, false);
  }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  ~CudaGraph() {
    destroy_(room_);
  }
  void begin(Pool pool) {
    constexpr auto* SYMBOL = "_ZN2at4cuda9CUDAGraph13capture_beginESt4pairIyyE21cudaStreamCaptureMode";
    find<void(void*, Pool, int)>(SYMBOL)(room_, pool, CAPTURE_MODE_THREAD_LOCAL);
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

// An empty graph.
int graphpack_cuda_graph_new(void** out, char* message, size_t capacity) {
  return guarded(message, capacity, [&] { *out = new CudaGraph(); });
}

// From now on work of this thread's current stream is recorded instead of done. If `other` is given, the two graphs
// share memory, and must never be replayed at the same time.
int graphpack_cuda_graph_begin(void* graph, void* other, char* message, size_t capacity) {
  return guarded(message, capacity, [&] {
    static_cast<CudaGraph*>(graph)->begin(other == nullptr ? Pool{0, 0} : static_cast<CudaGraph*>(other)->pool());
  });
}

// Ends the recording.
int graphpack_cuda_graph_end(void* graph, char* message, size_t capacity) {
  return guarded(message, capacity, [&] { static_cast<CudaGraph*>(graph)->end(); });
}

// Gives the recorded work to the current stream.
int graphpack_cuda_graph_replay(void* graph, char* message, size_t capacity) {
  return guarded(message, capacity, [&] { static_cast<CudaGraph*>(graph)->replay(); });
}

void graphpack_cuda_graph_free(void* graph) {
  // Not guarded: a destructor that throws ends the program anyway.
  delete static_cast<CudaGraph*>(graph);
}

}
