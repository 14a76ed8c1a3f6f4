// Every function of the shim is wrapped in `guarded`: no exception leaves it.
#pragma once

#include <c10/util/Exception.h>
#include <cstddef>
#include <cstring>
#include <exception>

// Why this thread's last call failed. The last byte stays 0.
inline thread_local char graphpack_failure[1024];

// Runs `call`. Returns null, or why it failed, which stays there until another call of this thread fails.
template <typename Call>
const char* guarded(Call call) {
  const auto say = [](const char* what) {
    std::strncpy(graphpack_failure, what, sizeof(graphpack_failure) - 1);
    return graphpack_failure;
  };
  try {
    call();
    return nullptr;
  } catch (const c10::Error& error) {
    return say(error.what_without_backtrace());
  } catch (const std::exception& error) {
    return say(error.what());
  } catch (...) {
    return say("unknown C++ exception");
  }
}
