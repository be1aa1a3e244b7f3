#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct TwoSet_AllCoprime_Counting : StoredCount<1> {
  static constexpr Card card{
      .name = "TwoSet_AllCoprime_Counting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the ordered pairs of disjoint subsets of a given set such that every element of "
          "one is coprime to every element of the other.",
      .levels =
          "The bound on the elements starts at 8 and grows by a tenth and one a level. Beyond "
          "level 27 the reference solution would take too long.",
      .rewards =
          "-1 malformed or not positive, else (smaller / larger of answer and count)^10, which is "
          "1 only if right.",
      .differences =
          "The set holds at least half of the numbers, or four of them; it could have two elements "
          "at any level. Of small sets, counts are drawn evenly among those that come up. Only the "
          "exact count is solved.",
      .source = "Dinner of sushi (寿司晚宴), NOI 2015",
      .max_level = 27,
  };

  static constexpr int kSmall = 20;         // up to here, the same counts come up often
  static constexpr int kLargest = 288;      // there are six primes of at most its square root
  static constexpr int kWordElements = 80;  // 3^80 < 2^127

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> set;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, set, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(8, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_spread(config.N <= kSmall ? 6 : 1, rng, [&] {
      Problem problem{.N = config.N};
      const std::int64_t size = rng.integer(std::max(4, config.N / 2), config.N - 1);
      problem.set = rng.sample(2, config.N, static_cast<std::size_t>(size));
      problem.reference_answer = count(problem);
      BigInt answer = problem.reference_answer;
      return std::optional(std::pair(std::move(answer), std::move(problem)));
    });
  }

  // The set's size is uniform, from 2 to all numbers.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N};
    const auto size = static_cast<std::size_t>(rng.integer(2, config.N - 1));
    problem.set = rng.sample(2, config.N, size);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kLargest));
    RETURN_IF_ERROR(check_numbers("set", problem.set, std::ssize(problem.set), 2, problem.N));
    std::vector<std::int64_t> sorted = problem.set;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) {
      return failure("\"set\": an element occurs twice");
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a set of {} integers:\n"
        "{}\n"
        "Count the ordered pairs (S, T) of subsets of it that have no element in common and "
        "satisfy gcd(s, t) = 1 for every s in S and every t in T. S, T or both may be empty, and "
        "not every element needs to be in one of them. Ordered means that (S, T) and (T, S) are "
        "different pairs if S and T are different.\n"
        "Answer with one integer, the exact number.",
        problem.set.size(), format_answer(problem.set));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::size_t size = problem.set.size();
    BigInt all = 1;
    for (std::size_t i = 0; i < size; ++i) all *= 3;
    const BigInt one_empty = (BigInt(1) << (size + 1)) - 1;
    const std::int64_t even =
        std::ranges::count_if(problem.set, [](std::int64_t x) { return x % 2 == 0; });
    BigInt odd_free = (BigInt(1) << (even + 1)) - 1;
    for (auto i = static_cast<std::size_t>(even); i < size; ++i) odd_free *= 3;
    return {{"3^size", format_answer(all)},
            {"pairs with an empty set", format_answer(one_empty)},
            {"as if only even numbers shared factors", format_answer(odd_free)}};
  }

 private:
  __extension__ using UInt128 = unsigned __int128;

  // An element by its primes: the small ones as a set, and the one whose square is too large, or 1.
  struct Element {
    std::int64_t large;
    std::uint32_t small;
  };

  static BigInt count(const Problem& problem) {
    if (problem.set.empty()) return 1;
    const std::int64_t largest = *std::ranges::max_element(problem.set);
    std::vector<int> primes;
    for (const int prime : {2, 3, 5, 7, 11, 13}) {
      if (prime * prime <= largest) primes.push_back(prime);
    }
    std::vector<Element> elements;
    for (std::int64_t x : problem.set) {
      Element element{.large = 1, .small = 0};
      for (std::size_t i = 0; i < primes.size(); ++i) {
        for (; x % primes[i] == 0; x /= primes[i]) element.small |= std::uint32_t{1} << i;
      }
      element.large = x;
      elements.push_back(element);
    }
    std::ranges::sort(elements, {}, &Element::large);
    if (elements.size() <= kWordElements) {
      return BigInt(pairs<UInt128>(elements, primes.size()));
    }
    return pairs<BigInt>(elements, primes.size());
  }

  // A state tells for every small prime whether S has multiples of it, T has, or neither: digits 1,
  // 2 and 0 in base 3. Elements with the same large prime are in one set only, if in any.
  template <typename Number>
  static Number pairs(const std::vector<Element>& elements, std::size_t primes) {
    std::vector<std::uint32_t> code(std::size_t{1} << primes);  // of a set of primes, in base 3
    std::uint32_t states = 1;
    for (std::size_t i = 0; i < primes; ++i, states *= 3) {
      for (std::size_t set = 0; set < std::size_t{1} << i; ++set) {
        code[set | std::size_t{1} << i] = code[set] + states;
      }
    }
    std::vector<std::array<std::uint32_t, 2>> held(states);  // by S and T
    for (std::uint32_t state = 0; state < states; ++state) {
      std::uint32_t rest = state;
      for (std::size_t i = 0; i < primes; ++i, rest /= 3) {
        if (rest % 3 != 0) held[state][rest % 3 - 1] |= std::uint32_t{1} << i;
      }
    }
    // Adds the pairs that have the element in S (side 0) or T (side 1) besides. States only grow,
    // so going down none is used twice.
    const auto join = [&](std::vector<Number>& ways, std::uint32_t small, std::size_t side) {
      for (std::uint32_t state = states; state-- > 0;) {
        if ((held[state][1 - side] & small) != 0) continue;
        const std::uint32_t added = code[small & ~held[state][side]];
        ways[state + (side == 0 ? added : 2 * added)] += Number(ways[state]);
      }
    };
    std::vector<Number> ways(states);
    ways[0] = 1;
    for (std::size_t begin = 0; begin < elements.size();) {
      std::size_t end = begin + 1;
      while (elements[begin].large > 1 && end < elements.size() &&
             elements[end].large == elements[begin].large) {
        ++end;
      }
      std::vector<Number> with_t = ways;
      std::vector<Number> with_s = ways;
      for (; begin < end; ++begin) {
        join(with_s, elements[begin].small, 0);
        join(with_t, elements[begin].small, 1);
      }
      for (std::uint32_t state = 0; state < states; ++state) {
        ways[state] = with_s[state] + with_t[state] - ways[state];
      }
    }
    Number sum = 0;
    for (const Number& way : ways) sum += way;
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(TwoSet_AllCoprime_Counting);

}  // namespace
}  // namespace redqueen
