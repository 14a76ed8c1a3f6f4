// Calls that a thread must not make while it records a graph, and what libtorch the graphs are of.
#pragma once

#include <string>

namespace simulated {

// If this thread records a graph, breaks the recording and throws: `what` cannot be recorded.
void nothing_recorded_here(const std::string& what);

// From now on graphs are those of a version of libtorch, or with 0.0 of the one that is loaded, whose members have this
// many more bytes than its own.
void be_libtorch(int major, int minor, int more);

}  // namespace simulated
