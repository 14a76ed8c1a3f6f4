// Calls that a thread must not make while it records a graph, and what libtorch the graphs are of.
#pragma once

#include <cstddef>
#include <string>

namespace simulated {

// If this thread records a graph, breaks the recording and throws: `what` cannot be recorded.
void nothing_recorded_here(const std::string& what);

// From now on graphs are those of a version of libtorch whose members have `bytes` bytes.
void be_libtorch(int major, int minor, size_t bytes);

}  // namespace simulated
