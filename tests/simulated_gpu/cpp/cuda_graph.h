// Graphs: what threads that record one must not do.
#pragma once

#include <string>

namespace simulated {

// Where this thread is recording a graph, that is good for nothing from now on, and this throws: nobody knows what `what` would do.
void nothing_recorded_here(const std::string& what);

}  // namespace simulated
