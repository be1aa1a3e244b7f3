#include <algorithm>
#include <deque>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Array = std::vector<std::int64_t>;

// Least numbers of operations from all zeros to every array of n elements within a box, breadth
// first.
class Distances {
 public:
  Distances(std::int64_t a, std::int64_t b, int n, std::int64_t box)
      : n_(n), box_(box), distance_(power(2 * box + 1, n), -1) {
    std::deque<std::size_t> open{place(Array(n))};
    distance_[open.front()] = 0;
    while (!open.empty()) {
      const std::size_t here = open.front();
      open.pop_front();
      for (int left = 0; left < n; ++left) {
        for (int right = left; right < n; ++right) {
          for (const std::int64_t change : {a, -a, b, -b}) {
            Array next = array(here);
            for (int i = left; i <= right; ++i) next[i] += change;
            if (!within(next, box) || distance_[place(next)] >= 0) continue;
            distance_[place(next)] = distance_[here] + 1;
            open.push_back(place(next));
          }
        }
      }
    }
  }

  // Every array that can be reached with all elements within `limit`. Smaller than the box, it
  // leaves room for detours.
  template <typename Visit>
  void for_each(std::int64_t limit, Visit visit) const {
    for (std::size_t i = 0; i < distance_.size(); ++i) {
      if (distance_[i] >= 0 && within(array(i), limit)) visit(array(i), distance_[i]);
    }
  }

 private:
  static std::size_t power(std::int64_t base, int exponent) {
    std::size_t product = 1;
    for (int i = 0; i < exponent; ++i) product *= static_cast<std::size_t>(base);
    return product;
  }

  static bool within(const Array& array, std::int64_t limit) {
    return std::ranges::all_of(array, [limit](std::int64_t h) { return std::abs(h) <= limit; });
  }

  std::size_t place(const Array& array) const {
    std::size_t place = 0;
    for (const std::int64_t height : array) {
      place =
          place * static_cast<std::size_t>(2 * box_ + 1) + static_cast<std::size_t>(height + box_);
    }
    return place;
  }

  Array array(std::size_t place) const {
    const auto side = static_cast<std::size_t>(2 * box_ + 1);
    Array array(n_);
    for (int i = n_ - 1; i >= 0; --i, place /= side) {
      array[i] = static_cast<std::int64_t>(place % side) - box_;
    }
    return array;
  }

  int n_;
  std::int64_t box_;
  std::vector<int> distance_;
};

void compare(std::int64_t a, std::int64_t b, int n, std::int64_t box) {
  int compared = 0;
  Distances(a, b, n, box).for_each(box / 3, [&](const Array& heights, int least) {
    const Json parameter{{"N", n}, {"A", a}, {"B", b}, {"H", heights}};
    EXPECT_EQ(restore_problem("WYRLevelingGround", parameter.dump())->reference(),
              std::to_string(least))
        << parameter.dump();
    ++compared;
  });
  EXPECT_GT(compared, 20);
}

TEST(WYRLevelingGround, AgreesWithSearchOfOperations) {
  compare(2, 3, 2, 30);
  compare(5, 3, 2, 36);
  compare(1, 4, 2, 30);
  compare(4, 6, 2, 48);
  compare(3, 2, 3, 18);
  compare(2, 5, 3, 18);
}

TEST(WYRLevelingGround, RefusesWhatCannotBeLevelled) {
  const Environment& environment = *Registry::native().find("WYRLevelingGround");
  EXPECT_TRUE(environment.restore(*parse_json(R"({"N": 2, "A": 2, "B": 4, "H": [6, 2]})")));
  EXPECT_FALSE(environment.restore(*parse_json(R"({"N": 2, "A": 2, "B": 4, "H": [6, 3]})")));
  EXPECT_FALSE(environment.restore(*parse_json(R"({"N": 2, "A": 2, "B": 2, "H": [6, 2]})")));
}

}  // namespace
}  // namespace redqueen
