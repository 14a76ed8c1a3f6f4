// libtorch_cuda's class of graphs, under its own names: work that a stream was given while it was recorded, and that
// any stream can be given again.

#include "cuda_graph.h"
#include "current.h"
#include "memory.h"
#include <atomic>
#include <c10/util/Exception.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <torch/headeronly/version.h>
#include <utility>

// CUDA's own names.
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed,
};

namespace simulated {

namespace {

// The stream that this thread records.
thread_local Stream* recorded_here = nullptr;
std::atomic<uint64_t> pools = 0;
// In the form of TORCH_ABI_VERSION.
std::atomic<uint64_t> version = TORCH_ABI_VERSION;
// Bytes up to the end of the last member, of libtorch 2.11 and of 2.13.
constexpr size_t MEMBERS = TORCH_VERSION_MINOR < 13 ? 98 : 344;
std::atomic<size_t> members = MEMBERS;

}  // namespace

// The contents of a CUDAGraph.
struct Graph {
  enum class State { Empty, Recording, Ready, Failed } state = State::Empty;
  uint64_t pool = 0;
  Stream* stream = nullptr;
  std::shared_ptr<const Recording> recording;
  std::set<Stream*> replayed_on;
};

void nothing_recorded_here(const std::string& what) {
  if (recorded_here != nullptr) {
    recorded_here->not_recorded(what);
  }
}

void be_libtorch(int major, int minor, int more) {
  const auto other = static_cast<uint64_t>(major) << 56 | static_cast<uint64_t>(minor) << 48;
  version = other != 0 ? other : TORCH_ABI_VERSION;
  members = MEMBERS + more;
}

}  // namespace simulated

// The libtorch that is loaded has a function of this name, and is not asked.
extern "C" uint64_t aoti_torch_abi_version() {
  return simulated::version;
}

namespace at::cuda {

// Callers look these functions up by name. As libtorch's, the constructor writes all members.
struct CUDAGraph {
  explicit CUDAGraph(bool keep_graph);
  ~CUDAGraph();
  CUDAGraph(const CUDAGraph&) = delete;
  CUDAGraph& operator=(const CUDAGraph&) = delete;
  void capture_begin(std::pair<unsigned long long, unsigned long long> pool, cudaStreamCaptureMode mode);
  void capture_end();
  void replay();
  std::pair<unsigned long long, unsigned long long> pool();

 private:
  simulated::Graph* graph_;
  unsigned char others_[1024];
};

using simulated::Memory;
using State = simulated::Graph::State;

CUDAGraph::CUDAGraph(bool) : graph_(new simulated::Graph()) {
  std::memset(others_, 0, simulated::members - sizeof(graph_));
}

CUDAGraph::~CUDAGraph() {
  if (graph_->state == State::Recording || graph_->state == State::Failed) {
    std::fputs("a graph is freed while libtorch's allocator still has a pointer to it\n", stderr);
    std::abort();
  }
  if (graph_->state == State::Ready) {
    Memory::device().leave_pool(graph_->pool, graph_->replayed_on);
  }
  delete graph_;
}

void CUDAGraph::capture_begin(std::pair<unsigned long long, unsigned long long> pool, cudaStreamCaptureMode mode) {
  TORCH_CHECK(mode == cudaStreamCaptureModeThreadLocal, "other modes than that of a thread are not simulated");
  TORCH_CHECK(graph_->state == State::Empty, "This CUDAGraph instance already owns a captured graph.");
  auto* stream = simulated::current_stream(simulated::current_device());
  TORCH_CHECK(stream->id != 0, "CUDA graphs must be captured on a non-default stream.");
  graph_->pool = pool.first != 0 ? pool.first : ++simulated::pools;
  stream->begin_recording(std::make_shared<simulated::Recording>(graph_->pool));
  Memory::device().keep_pool(graph_->pool);
  graph_->stream = stream;
  graph_->state = State::Recording;
  simulated::recorded_here = stream;
}

void CUDAGraph::capture_end() {
  TORCH_CHECK(graph_->state == State::Recording, "capture_end without capture_begin");
  auto* stream = simulated::current_stream(simulated::current_device());
  TORCH_CHECK(stream == graph_->stream, "Capture must end on the same stream it began on.");
  TORCH_CHECK(
      stream == simulated::recorded_here,
      "CUDA error: attempt to terminate a thread-local capture sequence from another thread");
  auto recording = stream->end_recording();
  simulated::recorded_here = nullptr;
  if (!recording->broken.empty()) {
    graph_->state = State::Failed;
    TORCH_CHECK(false, "CUDA error: operation failed due to a previous error during capture: ", recording->broken);
  }
  graph_->recording = std::move(recording);
  graph_->state = State::Ready;
}

void CUDAGraph::replay() {
  TORCH_CHECK(graph_->state == State::Ready, "Called CUDAGraph::replay without a preceding successful capture.");
  // The current stream of the device that was recorded.
  auto* stream = simulated::current_stream(graph_->stream->device);
  stream->replay(graph_->recording);
  graph_->replayed_on.insert(stream);
}

std::pair<unsigned long long, unsigned long long> CUDAGraph::pool() {
  TORCH_CHECK(graph_->pool != 0, "Called CUDAGraph::pool() without a preceding successful capture.");
  return {graph_->pool, 0};
}

}  // namespace at::cuda
