// at::cuda::CUDAGraph. Its functions are looked up at run time in libtorch_cuda: its header needs CUDA's headers, and a
// program that links to it does not start without CUDA. So both its functions and its size are those of one version,
// and what counts is the libtorch that is loaded, not the one that was compiled against: it must say that it is of that
// version, and its constructor must write as many bytes as there.

#include "guarded.h"
#include <algorithm>
#include <c10/core/CachingDeviceAllocator.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <stdexcept>
#include <string>

namespace {

// The constructor writes all members, and the last one ends here.
constexpr size_t WRITTEN = GRAPHPACK_GRAPH_BYTES;
// Room for a larger one, so that it does no harm to find that out.
constexpr size_t ROOM = 4096;
constexpr unsigned char UNTOUCHED = 0xA5;

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

// Throws unless the libtorch that is loaded is of the version that CudaGraph is for.
void check_version() {
  std::string found = "one that does not say its version";
  if (auto* version = reinterpret_cast<uint64_t (*)()>(dlsym(RTLD_DEFAULT, "aoti_torch_abi_version"))) {
    const auto part = [number = version()](int byte) { return std::to_string((number >> (8 * byte)) & 0xFF); };
    found = part(7) + "." + part(6) + "." + part(5);
  }
  if (found != GRAPHPACK_LIBTORCH) {
    throw std::runtime_error("expected libtorch " GRAPHPACK_LIBTORCH ", whose graphs are known, found " + found);
  }
}

// A CUDAGraph, by the mangled names of its functions. In libtorch's ABI a member function takes the object as its first
// argument.
class CudaGraph {
 public:
  CudaGraph() {
    std::memset(room_, UNTOUCHED, ROOM);
    find<void(void*, bool)>("_ZN2at4cuda9CUDAGraphC1Eb")(room_, false);
    const auto untouched = [](unsigned char byte) { return byte == UNTOUCHED; };
    const auto* last = std::find_if_not(std::rbegin(room_), std::rend(room_), untouched).base();
    const auto written = static_cast<size_t>(last - room_);
    if (written != WRITTEN) {
      destroy_(room_);
      const auto numbers = std::to_string(WRITTEN) + " bytes, found " + std::to_string(written);
      throw std::runtime_error("expected that libtorch's constructor of CUDAGraph writes " + numbers);
    }
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
  alignas(std::max_align_t) unsigned char room_[ROOM];
  void (*destroy_)(void*) = find<void(void*)>("_ZN2at4cuda9CUDAGraphD1Ev");
  void (*replay_)(void*) = find<void(void*)>("_ZN2at4cuda9CUDAGraph6replayEv");
};

}  // namespace

extern "C" {

// An empty graph, if this libtorch has the known ones.
const char* graphpack_cuda_graph_new(void** out) {
  return guarded([&] {
    check_version();
    *out = new CudaGraph();
  });
}

// From now on work of this thread's current stream is recorded instead of done. If `other` is given, the two graphs
// share memory, and must never be replayed at the same time.
const char* graphpack_cuda_graph_begin(void* graph, void* other) {
  return guarded([&] {
    static_cast<CudaGraph*>(graph)->begin(other == nullptr ? Pool{0, 0} : static_cast<CudaGraph*>(other)->pool());
  });
}

// Ends the recording.
const char* graphpack_cuda_graph_end(void* graph) {
  return guarded([&] { static_cast<CudaGraph*>(graph)->end(); });
}

// Gives the recorded work to the current stream.
const char* graphpack_cuda_graph_replay(void* graph) {
  return guarded([&] { static_cast<CudaGraph*>(graph)->replay(); });
}

void graphpack_cuda_graph_free(void* graph) {
  // Not guarded: a destructor that throws ends the program anyway.
  delete static_cast<CudaGraph*>(graph);
}

}
