#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "redqueen/train/embedded_trainer.h"
#include "redqueen/train/testing/groups.h"
#include "redqueen/train/testing/policies.h"

namespace redqueen {
namespace {

// Parameters after a few steps on short groups, whose attention works on buffers of odd sizes, a
// thread each.
std::vector<float> trained_on(int threads) {
  const int before = at::get_num_threads();
  at::set_num_threads(threads);
  ModelConfig config = tiny_config(16);
  config.hidden_size = 64;
  config.intermediate_size = 200;
  config.num_attention_heads = 4;
  const Transformer model = Transformer::initialise(config, 5);
  TrainerOptions options;
  options.micro_batch_tokens = 2000;
  auto trainer = EmbeddedTrainer::create(model, options).value();
  for (std::uint64_t step = 0; step < 4; ++step) {
    Rng rng({.seed = 8, .purpose = hash_name("threads_test"), .step = step});
    EXPECT_TRUE(
        trainer->step(random_groups(rng, {.groups = 24, .max_prompt = 30, .max_response = 25},
                                    AdvantageRule::kGroupNormalised)));
  }
  at::set_num_threads(before);
  return weights_of(model);
}

TEST(Threads, ChangeNothing) {
  const std::vector<float> one = trained_on(1);
#if defined(__x86_64__)
  if (!__builtin_cpu_is("intel")) GTEST_SKIP() << "promised for Intel's processors only";
#else
  GTEST_SKIP() << "promised for Intel's processors only";
#endif
  EXPECT_EQ(trained_on(2), one);
  EXPECT_EQ(trained_on(3), one);
  EXPECT_EQ(trained_on(1), one);
}

}  // namespace
}  // namespace redqueen
