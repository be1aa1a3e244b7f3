// Runs CUDA kernels on the CPU, one thread of the kernel at a time, for tests of their arithmetic
// and of their barriers. Include before the kernels. Blocks run one after another; what is
// __shared__ is shared by the threads of a block. A barrier that not all threads reach stops the
// program.
#pragma once

#include <ucontext.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#define __global__
#define __device__
#define __shared__ static

namespace redqueen::cuda_on_cpu {

struct Dim {
  unsigned x = 1, y = 1, z = 1;
};

// The threads of one block, as contexts that hand over to each other at barriers.
class Block {
 public:
  // backwards: the other order of threads between barriers; results that differ were raced for.
  Block(unsigned threads, bool backwards) : fibers_(threads), backwards_(backwards) {}

  void run(const std::function<void()>& kernel);
  void wait(int barrier);  // kBlock or the number of a warp
  float exchange(float value, int mask);
  unsigned current() const { return current_; }

  static constexpr int kRunning = -2, kBlock = -1;

 private:
  struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    int waits = kRunning;
    bool done = false;
    int parity = 0;
    float sent[2] = {};
  };

  static void enter();
  std::vector<unsigned> ready() const;
  bool resume(unsigned thread);

  std::vector<Fiber> fibers_;
  bool backwards_;
  unsigned current_ = 0;
  ucontext_t scheduler_;
  const std::function<void()>* kernel_ = nullptr;
};

inline Dim thread_index, block_index, block_size;
inline Block* block = nullptr;

inline void Block::enter() {
  (*block->kernel_)();
  block->fibers_[block->current_].done = true;
}

inline void Block::wait(int barrier) {
  Fiber& own = fibers_[current_];
  own.waits = barrier;
  swapcontext(&own.context, &scheduler_);
}

// Two slots a thread: one that is ahead by a whole exchange cannot overwrite what others still have
// to read.
inline float Block::exchange(float value, int mask) {
  const unsigned own = current_;
  const int slot = fibers_[own].parity;
  fibers_[own].parity = 1 - slot;
  fibers_[own].sent[slot] = value;
  wait(static_cast<int>(own / 32));
  return fibers_[own ^ static_cast<unsigned>(mask)].sent[slot];
}

inline bool Block::resume(unsigned thread) {
  Fiber& fiber = fibers_[thread];
  fiber.waits = kRunning;
  current_ = thread;
  thread_index.x = thread;
  swapcontext(&scheduler_, &fiber.context);
  return fiber.done;
}

inline void Block::run(const std::function<void()>& kernel) {
  constexpr std::size_t kStack = 64 * 1024;
  block = this;
  kernel_ = &kernel;
  block_size.x = static_cast<unsigned>(fibers_.size());
  for (Fiber& fiber : fibers_) {
    fiber.stack.resize(kStack);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = kStack;
    fiber.context.uc_link = &scheduler_;
    makecontext(&fiber.context, &Block::enter, 0);
  }
  const auto count = static_cast<unsigned>(fibers_.size());
  unsigned left = count;
  while (left > 0) {
    const std::vector<unsigned> going = ready();  // settled before anyone goes on
    if (going.empty()) {
      std::fputs("a barrier was not reached by all threads\n", stderr);
      std::abort();
    }
    for (const unsigned thread : going) left -= resume(thread);
  }
}

// Threads whose barrier all others that have to reach it have reached, too.
inline std::vector<unsigned> Block::ready() const {
  std::vector<unsigned> at_warp(fibers_.size() / 32);
  std::size_t at_block = 0;
  for (std::size_t i = 0; i < fibers_.size(); ++i) {
    if (fibers_[i].done) continue;
    at_block += fibers_[i].waits == kBlock;
    at_warp[i / 32] += fibers_[i].waits == static_cast<int>(i / 32);
  }
  std::vector<unsigned> result;
  const auto count = static_cast<unsigned>(fibers_.size());
  for (unsigned i = 0; i < count; ++i) {
    const unsigned thread = backwards_ ? count - 1 - i : i;
    if (fibers_[thread].done) continue;
    const bool begins = fibers_[thread].waits == kRunning;
    if (begins || at_block == count || at_warp[thread / 32] == 32) result.push_back(thread);
  }
  return result;
}

// kernel<<<grid, threads>>>(…) as launch(grid, threads, backwards, [&] { kernel(…); }).
inline void launch(Dim grid, unsigned threads, bool backwards,
                   const std::function<void()>& kernel) {
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        block_index = {x, y, z};
        Block(threads, backwards).run(kernel);
      }
    }
  }
}

}  // namespace redqueen::cuda_on_cpu

#define threadIdx redqueen::cuda_on_cpu::thread_index
#define blockIdx redqueen::cuda_on_cpu::block_index
#define blockDim redqueen::cuda_on_cpu::block_size
#define __syncthreads() redqueen::cuda_on_cpu::block->wait(redqueen::cuda_on_cpu::Block::kBlock)
#define __shfl_xor_sync(lanes, value, mask) redqueen::cuda_on_cpu::block->exchange(value, mask)

inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
