#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/counting/count_row.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MonochromeBlockCounting : StoredCount<1> {
  static constexpr Card card{
      .name = "MonochromeBlockCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Layer i of a tower has i blocks of one colour, black or white, and there are only so "
          "many of each. Count the colourings of the highest tower possible.",
      .levels =
          "The bound on the numbers of blocks starts at 5 and grows by a half and one a level. "
          "Beyond level 20 the reference solution would take too long.",
      .rewards =
          "-1 malformed or not positive, else (smaller / larger of answer and count)^10, which is "
          "1 only if right.",
      .differences =
          "Both numbers of blocks lie in the upper half of their range, the count is not 1, and "
          "small counts are drawn evenly. Only the exact count is solved.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "At level 0 and 1 the tower has at most five layers, and the count is 2 to 5 mostly.",
      .guess_until_level = 1,
      .source = "Red-Green Towers, Codeforces 478D",
      .max_level = 20,
  };

  static constexpr std::int64_t kMaxBlocks = 25'000;
  static constexpr std::int64_t kFewBlocks = 100;    // up to here, counts are drawn evenly
  static constexpr std::int64_t kLayersInWord = 63;  // their sets fit a machine word
  static constexpr int kDraws = 6;

  struct Config {
    std::int64_t MAX_A_B = 0;
    REDQUEEN_FIELDS(MAX_A_B)
  };
  struct Problem {
    std::int64_t MAX_A_B = 0;
    std::int64_t A = 0;
    std::int64_t B = 0;
    BigInt reference_answer;
    REDQUEEN_FIELDS(MAX_A_B, A, B, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_A_B = grow_by_half_and_one(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int draws = config.MAX_A_B <= kFewBlocks ? kDraws : 1;
    return draw_spread(draws, rng, [&]() -> std::optional<std::pair<BigInt, Problem>> {
      Problem problem{.MAX_A_B = config.MAX_A_B};
      problem.A = draw_upper_half(1, config.MAX_A_B, rng);
      problem.B = draw_upper_half(1, config.MAX_A_B, rng);
      problem.reference_answer = count(problem);
      if (problem.reference_answer == 1) return std::nullopt;
      BigInt answer = problem.reference_answer;
      return std::pair(std::move(answer), std::move(problem));
    });
  }

  // Both numbers of blocks are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_A_B = config.MAX_A_B};
    problem.A = rng.integer(1, config.MAX_A_B);
    problem.B = rng.integer(1, config.MAX_A_B);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("A", problem.A, 1, kMaxBlocks));
    RETURN_IF_ERROR(within("B", problem.B, 1, kMaxBlocks));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tower of n layers has 1 block in its top layer, 2 blocks in the next one, and so on: i "
        "blocks in layer i, for i = 1 to n. All blocks of a layer have the same colour, black or "
        "white. There are {} black and {} white blocks; not all of them need to be used. Build a "
        "tower with as many layers as these blocks allow. In how many ways can the layers of a "
        "tower of that height be coloured with these blocks? Two colourings differ if some layer "
        "has different colours.\n"
        "Answer with one integer, the exact number.",
        problem.A, problem.B);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t layers = highest(problem);
    const std::int64_t spare = problem.A + problem.B - blocks_of(layers);
    return {{"as many as layers", format_answer(layers)},
            {"as many as the numbers of black blocks", format_answer(spare + 1)},
            {"2^layers over the blocks",
             format_answer(BigInt((BigInt(1) << layers) / (blocks_of(layers) + 1)))}};
  }

 private:
  static std::int64_t blocks_of(std::int64_t layers) { return layers * (layers + 1) / 2; }

  // Every number of blocks up to all is a sum of different layers, so the total decides.
  static std::int64_t highest(const Problem& problem) {
    std::int64_t layers = 0;
    while (blocks_of(layers + 1) <= problem.A + problem.B) ++layers;
    return layers;
  }

  // Black layers are a set of 1 … layers whose sum is at most A and leaves at most B. Colours may
  // be exchanged, which makes the sums small. The sets of the largest layers are counted in machine
  // words, those of the others in rows of long integers; a sum of both is then one of each.
  static BigInt count(const Problem& problem) {
    const std::int64_t layers = highest(problem);
    const std::int64_t all = blocks_of(layers);
    const auto [fewer, more] = std::minmax(problem.A, problem.B);
    const std::int64_t low = std::max<std::int64_t>(0, all - more);
    const std::int64_t high = std::min<std::int64_t>(fewer, all);
    const std::int64_t others = std::max<std::int64_t>(0, layers - kLayersInWord);
    // From the largest, because a sum is of use only as long as the layers left can bring it to
    // `low`. What is too small for that stays too small with all others, and counts nothing below.
    std::vector<std::uint64_t> of_largest(static_cast<std::size_t>(high) + 1);
    of_largest[0] = 1;
    for (std::int64_t layer = layers; layer > others; --layer) {
      const std::int64_t least = std::max(layer, low - blocks_of(layer - 1));
      const std::int64_t most = std::min(high, all - blocks_of(layer - 1));
      for (std::int64_t sum = most; sum >= least; --sum) of_largest[sum] += of_largest[sum - layer];
    }
    CountRow up_to(high + 1, static_cast<int>(others) + 1);  // sets of the others, by their sum
    up_to.set_one(0);
    for (std::int64_t layer = 1; layer <= others; ++layer) {
      const std::int64_t most = std::min(high, blocks_of(layer));
      up_to.add_shifted_once(layer, layer, most, static_cast<int>(layer) + 1);
    }
    up_to.add_shifted_repeatedly(1, 1, high, static_cast<int>(others) + 1);  // and below it
    const BigInt count = up_to.convolved_at(high, of_largest);
    return low == 0 ? count : BigInt(count - up_to.convolved_at(low - 1, of_largest));
  }
};
REDQUEEN_ENVIRONMENT(MonochromeBlockCounting);

}  // namespace
}  // namespace redqueen
