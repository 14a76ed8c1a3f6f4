// Calls that fail because a test wants them to, and calls that are counted.
#pragma once

#include <cstdint>

namespace simulated {

enum class Call { RecordEvent, QueryEvent, WaitForEvent, ExchangeStream };

// Makes all calls of a kind fail, or succeed again.
void fail(Call call, bool fails);
// How often this thread has asked whether an event is done.
uint64_t queries();

}  // namespace simulated
