// Counts the memory of tensors on the CPU, and can end it where the memory of a GPU would end.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>

namespace redqueen {

// Stands before libtorch's own allocator from the first use of counting_allocator() until the
// process ends. Counts what is asked for; what libraries take for themselves does not pass here.
class CountingAllocator final : public c10::Allocator {
 public:
  CountingAllocator() : real_(*c10::GetAllocator(c10::kCPU)) {}

  // Bytes.
  std::int64_t live() const {
    const std::scoped_lock lock(mutex_);
    return live_;
  }
  // The most that was live at once since the last watch().
  std::int64_t peak() const {
    const std::scoped_lock lock(mutex_);
    return peak_;
  }
  std::int64_t watch() {
    const std::scoped_lock lock(mutex_);
    return peak_ = live_;
  }
  // From now on no more than `bytes` can be live: c10::OutOfMemoryError, as of a GPU.
  void limit(std::int64_t bytes) {
    const std::scoped_lock lock(mutex_);
    limit_ = bytes;
  }
  void lift_limit() { limit(std::numeric_limits<std::int64_t>::max()); }
  // What is left below the limit.
  std::int64_t free_bytes() const {
    const std::scoped_lock lock(mutex_);
    return limit_ - live_;
  }

  c10::DataPtr allocate(std::size_t size) override {
    const auto bytes = static_cast<std::int64_t>(size);
    {
      const std::scoped_lock lock(mutex_);
      TORCH_CHECK_WITH(OutOfMemoryError, bytes <= limit_ - live_,
                       "the counted memory is full: ", bytes, " bytes were asked for, ",
                       limit_ - live_, " are left");
      live_ += bytes;
      peak_ = std::max(peak_, live_);
    }
    c10::DataPtr data = real_.allocate(size);
    void* const begin = data.get();
    const std::scoped_lock lock(mutex_);
    if (begin != nullptr) sizes_[begin] = bytes;
    TORCH_CHECK(data.compare_exchange_deleter(real_.raw_deleter(), &forget));
    return data;
  }
  c10::DeleterFnPtr raw_deleter() const override { return &forget; }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    default_copy_data(to, from, count);
  }

 private:
  static void forget(void* begin);

  c10::Allocator& real_;
  mutable std::mutex mutex_;
  std::map<void*, std::int64_t> sizes_;
  std::int64_t live_ = 0, peak_ = 0, limit_ = std::numeric_limits<std::int64_t>::max();
};

// Lives on: tensors give back their memory when the process ends.
inline CountingAllocator& counting_allocator() {
  static CountingAllocator* const allocator = [] {
    auto* made = new CountingAllocator;
    c10::SetAllocator(c10::kCPU, made, /*priority=*/1);
    return made;
  }();
  return *allocator;
}

inline void CountingAllocator::forget(void* begin) {
  CountingAllocator& self = counting_allocator();
  {
    const std::scoped_lock lock(self.mutex_);
    const auto found = self.sizes_.find(begin);
    if (found != self.sizes_.end()) {
      self.live_ -= found->second;
      self.sizes_.erase(found);
    }
  }
  self.real_.raw_deleter()(begin);
}

}  // namespace redqueen
