// What is current on this thread: a device, and a stream of each device.
#pragma once

#include "stream.h"

namespace simulated {

int current_device();
// The device before.
int exchange_device(int device);
Stream* current_stream(int device);
// The stream of that device before.
Stream* exchange_stream(Stream* stream);

}  // namespace simulated
