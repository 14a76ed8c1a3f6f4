// Every function of the shim is wrapped in `guarded`: no exception leaves it; it returns 0, or 1 with a message.
#pragma once

#include <c10/util/Exception.h>
#include <cstddef>
#include <cstring>
#include <exception>

// Runs `call`. `message` has room for `capacity` bytes.
template <typename Call>
int guarded(char* message, size_t capacity, Call call) {
  const auto say = [&](const char* what) {
    std::strncpy(message, what, capacity - 1);
    message[capacity - 1] = '\0';
    return 1;
  };
  try {
    call();
    return 0;
  } catch (const c10::Error& error) {
    return say(error.what_without_backtrace());
  } catch (const std::exception& error) {
    return say(error.what());
  } catch (...) {
    return say("unknown C++ exception");
  }
}
