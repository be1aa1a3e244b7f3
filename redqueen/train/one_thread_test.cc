// Bit-for-bit comparisons need one thread; models this small gain nothing from a second.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace redqueen {
namespace {

class OneThread : public testing::Environment {
 public:
  void SetUp() override { at::set_num_threads(1); }
};

const auto* const kOneThread = testing::AddGlobalTestEnvironment(new OneThread);

}  // namespace
}  // namespace redqueen
