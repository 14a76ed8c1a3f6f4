// Calls that a thread must not make while it records a graph.
#pragma once

#include <string>

namespace simulated {

// If this thread records a graph, breaks the recording and throws: `what` cannot be recorded.
void nothing_recorded_here(const std::string& what);

}  // namespace simulated
