// libtorch's interface of libtorch_cuda: whether it is there, how many devices it has, which memory is page-locked.

#include "current.h"
#include "install.h"
#include "memory.h"
#include <ATen/detail/CUDAHooksInterface.h>
#include <memory>

namespace simulated {

namespace {

struct Hooks final : at::CUDAHooksInterface {
  void init() const override {}
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasCUDA() const override { return true; }
  bool hasPrimaryContext(at::DeviceIndex) const override { return true; }
  int getNumGPUs() const override { return DEVICES; }
  at::DeviceIndex deviceCount() const override { return DEVICES; }
  at::DeviceIndex current_device() const override { return getCurrentDevice(); }
  at::DeviceIndex getCurrentDevice() const override {
    return static_cast<at::DeviceIndex>(simulated::current_device());
  }
  void setCurrentDevice(at::DeviceIndex device) const override { exchange_device(device); }
  at::DeviceIndex exchangeDevice(at::DeviceIndex device) const override {
    return static_cast<at::DeviceIndex>(exchange_device(device));
  }
  at::DeviceIndex maybeExchangeDevice(at::DeviceIndex device) const override { return exchangeDevice(device); }
  at::Allocator* getPinnedMemoryAllocator() const override { return &Memory::pinned(); }
  at::Allocator* getCUDADeviceAllocator() const override { return &Memory::device(); }
  bool isPinnedPtr(const void* data) const override { return Memory::pinned().contains(data); }
};

}  // namespace

void install_hooks() {
  const auto make = [](at::CUDAHooksArgs) -> std::unique_ptr<at::CUDAHooksInterface> {
    return std::make_unique<Hooks>();
  };
  // libtorch looks for this name.
  at::CUDAHooksRegistry()->Register("CUDAHooks", make);
}

}  // namespace simulated
