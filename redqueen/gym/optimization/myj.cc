#include <algorithm>
#include <limits>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/witness.h"

namespace redqueen {
namespace {

struct MYJ {
  static constexpr Card card{
      .name = "MYJ",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Set the prices of shops in a row; each customer pays the lowest price within his range "
          "of shops, if it is not above his limit. Earn as much as possible.",
      .levels =
          "From 3 shops, one more a level, with one to two customers a shop and limits that grow "
          "with the square.",
      .rewards =
          "-1 malformed, -0.5 another number of prices or a negative one, else (earned / greatest "
          "amount)^5.",
      .differences =
          "A negative price is invalid; it used to cost points without bound. There are at most "
          "two customers a shop. From 5 shops on, a problem is drawn again that is solved by one "
          "price for all shops, or by giving each shop the greatest limit of the customers who "
          "come past, the least, or the price at which these pay most.",
      .source = "POI XXII (2014/15): Car washes (MYJ)",
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewShops = 5;
  static constexpr int kDraws = 300;
  static constexpr std::int64_t kMaxN = 150;
  static constexpr std::int64_t kMaxM = 20'000;
  static constexpr std::int64_t kMaxCells = 6'000'000;  // of the table
  static constexpr std::int64_t kMaxLimit = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<std::tuple<int, int, std::int64_t>> customers;  // first and last shop, limit
    std::int64_t gold_answer = 0;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, M, customers, gold_answer, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng.integer(config.N, 2 * config.N), rng); },
        [&](const Problem& problem) {
          return config.N < kFewShops || !some_rule_solves<MYJ>(problem);
        });
  }

  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    const std::int64_t customers = rng.integer(1, n * (n + 1) / 2);
    if ((n + 2) * (n + 2) * (customers + 1) > kMaxCells) throw Retry();
    return drawn(config, customers, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxM));
    RETURN_IF_ERROR(within("customers", std::ssize(problem.customers), problem.M, problem.M));
    for (const auto& [first, last, limit] : problem.customers) {
      RETURN_IF_ERROR(within("customers", first, 1, problem.N));
      RETURN_IF_ERROR(within("customers", last, first, problem.N));
      RETURN_IF_ERROR(within("customers", limit, 1, kMaxLimit));
    }
    const std::int64_t prices = std::ssize(limits_of(problem)) + 1;
    if ((problem.N + 2) * (problem.N + 2) * prices > kMaxCells) {
      return failure("\"customers\": {} different limits are too many for {} shops", prices - 1,
                     problem.N);
    }
    RETURN_IF_ERROR(
        reference_is("gold_answer", problem.gold_answer, earned(problem, solve(problem))));
    return check_witness<MYJ>("reference_answer", problem.reference_answer, problem);
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (const auto& [first, last, limit] : problem.customers) {
      append_format(list, "{} {} {}\n", first, last, limit);
    }
    return fmt::format(
        "{0} shops stand in a row, numbered 1 to {0}. Shop i is to have the price P[i], an integer "
        "that is not negative. There are {1} customers; each of these lines gives the numbers a, b "
        "and c of one:\n"
        "{2}"
        "The customer looks at the lowest of the prices P[a], P[a+1], …, P[b]. If it is at most c, "
        "he pays this price once, and otherwise nothing. Choose the prices such that all customers "
        "together pay as much as possible.\n"
        "Answer with P[1] to P[{0}] in this order on one line, separated by spaces.",
        problem.N, problem.M, list);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    if (std::ranges::any_of(answer, [](std::int64_t price) { return price < 0; })) {
      return kInvalidReward;
    }
    return maximise_reward(earned(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return Table(problem).prices(); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const auto limits = limits_of(problem);
    Answer prices;
    for (int shop = 1; shop <= problem.N; ++shop) prices.push_back(rng.choice(limits));
    return prices;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto n = static_cast<std::size_t>(problem.N);
    const auto limits = limits_of(problem);
    Answer common;
    std::int64_t most = -1;
    for (const std::int64_t limit : limits) {
      const std::int64_t amount = earned(problem, Answer(n, limit));
      if (amount <= most) continue;
      most = amount;
      common.assign(n, limit);
    }
    Answer greatest(n, limits.front());
    Answer least(n, limits.back());
    Answer alone(n, limits.back());
    for (int shop = 1; shop <= problem.N; ++shop) {
      std::vector<std::int64_t> past;
      for (const auto& [first, last, limit] : problem.customers) {
        if (first <= shop && shop <= last) past.push_back(limit);
      }
      if (past.empty()) continue;
      std::ranges::sort(past);
      least[shop - 1] = past.front();
      greatest[shop - 1] = past.back();
      std::int64_t best = 0;
      for (std::size_t i = 0; i < past.size(); ++i) {
        const std::int64_t amount = past[i] * std::ssize(past) - past[i] * static_cast<int>(i);
        if (amount <= best) continue;
        best = amount;
        alone[shop - 1] = past[i];
      }
    }
    return {{"the best common price", common},
            {"the greatest limit of those who come past", greatest},
            {"the least limit of those who come past", least},
            {"the price at which those who come past pay most", alone}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem drawn(const Config& config, std::int64_t customers, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .M = static_cast<int>(customers),
                    .customers = {},
                    .gold_answer = 0,
                    .reference_answer = {}};
    for (int i = 0; i < problem.M; ++i) {
      const auto [first, last] = std::minmax({rng.integer(1, n), rng.integer(1, n)});
      problem.customers.emplace_back(static_cast<int>(first), static_cast<int>(last),
                                     rng.integer(1, std::int64_t{n} * (n + 1) / 2));
    }
    const Answer best = solve(problem);
    problem.gold_answer = earned(problem, best);
    problem.reference_answer = format_answer(best);
    return problem;
  }

  // Different ones, ascending.
  static std::vector<std::int64_t> limits_of(const Problem& problem) {
    std::vector<std::int64_t> limits;
    for (const auto& customer : problem.customers) limits.push_back(std::get<2>(customer));
    std::ranges::sort(limits);
    limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
    return limits;
  }

  static std::int64_t earned(const Problem& problem, const Answer& prices) {
    std::int64_t sum = 0;
    for (const auto& [first, last, limit] : problem.customers) {
      const std::int64_t lowest =
          *std::min_element(prices.begin() + first - 1, prices.begin() + last);
      if (lowest <= limit) sum += lowest;
    }
    return sum;
  }

  // For each range of shops and each limit: the most that customers within the range pay, if no
  // price there is below that limit. Some best prices are limits. The shop with the lowest price
  // decides for all customers who come past it, and divides the others.
  class Table {
   public:
    explicit Table(const Problem& problem)
        : n_(problem.N), limits_(limits_of(problem)), prices_(std::ssize(limits_)) {
      const auto cells = static_cast<std::size_t>((n_ + 2) * (n_ + 2) * (prices_ + 1));
      best_.resize(cells);
      shop_.resize(cells);
      std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> from(
          static_cast<std::size_t>(n_) + 1);  // by first shop: last shop, rank of the limit
      for (const auto& [first, last, limit] : problem.customers) {
        from[first].emplace_back(last, std::ranges::lower_bound(limits_, limit) - limits_.begin());
      }
      for (std::int64_t length = 1; length <= n_; ++length) {
        for (std::int64_t l = 1; l + length - 1 <= n_; ++l) fill(l, l + length - 1, from);
      }
    }

    Answer prices() const {
      Answer prices(static_cast<std::size_t>(n_), limits_.back());
      place(1, n_, 0, prices);
      return prices;
    }

   private:
    std::size_t index(std::int64_t l, std::int64_t r, std::int64_t price) const {
      return static_cast<std::size_t>((l * (n_ + 2) + r) * (prices_ + 1) + price);
    }

    template <typename Customers>
    void fill(std::int64_t l, std::int64_t r, const Customers& from) {
      const std::int64_t length = r - l + 1;
      // Customers within the range who come past shop l + s and whose limit has this rank or more.
      count_.assign(static_cast<std::size_t>(length * (prices_ + 1)), 0);
      for (std::int64_t first = l; first <= r; ++first) {
        for (const auto& [last, rank] : from[first]) {
          if (last > r) continue;
          for (std::int64_t s = first - l; s <= last - l; ++s) {
            ++count_[s * (prices_ + 1) + rank];
          }
        }
      }
      for (std::int64_t s = 0; s < length; ++s) {
        std::int64_t* const count = &count_[s * (prices_ + 1)];
        for (std::int64_t price = prices_ - 1; price >= 0; --price) {
          count[price] += count[price + 1];
          const std::int64_t amount = limits_[price] * count[price] +
                                      best_[index(l, l + s - 1, price)] +
                                      best_[index(l + s + 1, r, price)];
          const std::size_t cell = index(l, r, price);
          if (amount > best_[cell]) {
            best_[cell] = amount;
            shop_[cell] = static_cast<int>(l + s);
          }
        }
      }
      for (std::int64_t price = prices_ - 1; price >= 0; --price) {
        const std::size_t cell = index(l, r, price);
        const std::size_t dearer = index(l, r, price + 1);
        if (best_[dearer] >= best_[cell]) {
          best_[cell] = best_[dearer];
          shop_[cell] = 0;
        }
      }
    }

    void place(std::int64_t l, std::int64_t r, std::int64_t price, Answer& prices) const {
      if (l > r) return;
      while (price < prices_ && shop_[index(l, r, price)] == 0) ++price;
      if (price == prices_) return;
      const std::int64_t shop = shop_[index(l, r, price)];
      prices[shop - 1] = limits_[price];
      place(l, shop - 1, price, prices);
      place(shop + 1, r, price, prices);
    }

    std::int64_t n_;
    std::vector<std::int64_t> limits_;
    std::int64_t prices_;
    std::vector<std::int64_t> best_;
    std::vector<int> shop_;  // with the lowest price, which is this limit; 0: a greater one
    std::vector<std::int64_t> count_;
  };
};
REDQUEEN_ENVIRONMENT(MYJ);

}  // namespace
}  // namespace redqueen
