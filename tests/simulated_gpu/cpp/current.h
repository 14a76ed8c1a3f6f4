// This thread's current device, and its current stream of each device.
#pragma once

#include "stream.h"

namespace simulated {

int current_device();
// Returns the device that was current before.
int exchange_device(int device);
Stream* current_stream(int device);
// Returns the stream that was current on that device before.
Stream* exchange_stream(Stream* stream);

}  // namespace simulated
