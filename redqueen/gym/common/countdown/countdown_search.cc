#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "redqueen/gym/common/countdown/countdown.h"

namespace redqueen {
namespace {

constexpr std::size_t kMostAtoms = 6;
constexpr int kAttempts = 100;

// top/bottom in lowest terms, bottom ≥ 1. What six different numbers up to 100 make has parts below
// 2^45, and so has every product of parts of two values that share no number: 64 bits are enough.
struct Fraction {
  std::int64_t top = 0;
  std::int64_t bottom = 1;
  auto operator<=>(const Fraction&) const = default;
};

// bottom ≠ 0.
Fraction make_fraction(std::int64_t top, std::int64_t bottom) {
  if (bottom == 1) return {top, 1};
  const std::int64_t divisor = std::gcd(top, bottom) * (bottom < 0 ? -1 : 1);
  return {top / divisor, bottom / divisor};
}

// An operand, or several that were joined.
struct Atom {
  std::int64_t value;
  std::string text;
};

using Mask = unsigned;  // a set of atoms

// How a value came about: left and right are indices into the values of their masks.
struct Entry {
  Fraction value;
  char sign = ' ';  // + - * /, or a space: an atom
  Mask left_mask = 0;
  Mask right_mask = 0;
  std::int32_t left = 0;
  std::int32_t right = 0;
};

class Search {
 public:
  Search(const std::vector<Atom>& atoms, CountdownNumbers numbers)
      : atoms_(atoms),
        whole_(numbers == CountdownNumbers::kWhole),
        all_((Mask{1} << atoms.size()) - 1) {}

  std::optional<std::string> exact(std::int64_t target) { return exact(all_, {target, 1}); }

  CountdownClosest closest(std::int64_t target) {
    CountdownClosest best{
        .expression = {}, .value = 0.0, .runner_up = std::numeric_limits<double>::infinity()};
    constexpr double kSame = 1e-12;
    double distance = std::numeric_limits<double>::infinity();
    Entry found;
    visit(all_, [&](const Entry& entry) {
      const double value =
          static_cast<double>(entry.value.top) / static_cast<double>(entry.value.bottom);
      const double d = std::abs(value - static_cast<double>(target));
      if (d < distance - kSame) {
        best.runner_up = distance;
        distance = d;
        best.value = value;
        found = entry;
        if (entry.left < 0 || entry.right < 0) nearest_streamed_ = streamed_;
      } else if (d > distance + kSame) {
        best.runner_up = std::min(best.runner_up, d);
      }
    });
    best.expression = text(found, all_);
    return best;
  }

 private:
  // Values of larger sets are too many to keep.
  static constexpr int kKept = 4;

  std::optional<Fraction> combined(const Fraction& a, char sign, const Fraction& b) const {
    switch (sign) {
      case '+':
        return make_fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
      case '*':
        return make_fraction(a.top * b.top, a.bottom * b.bottom);
      case '-':
        if (whole_ && a.top < b.top) return std::nullopt;
        return make_fraction(a.top * b.bottom - b.top * a.bottom, a.bottom * b.bottom);
      default:
        if (b.top == 0 || (whole_ && a.top % b.top != 0)) return std::nullopt;
        return make_fraction(a.top * b.bottom, a.bottom * b.top);
    }
  }

  // Calls f(entry) for every value that the atoms of `mask` make, some more than once. (A function
  // object, not a template parameter: visit and visit_kept call each other with lambdas, without
  // end.)
  using Visit = std::function<void(const Entry&)>;
  using VisitKept = std::function<void(const Entry&, std::int32_t)>;
  void visit(Mask mask, const Visit& f) {
    if (std::popcount(mask) == 1) {
      f(Entry{.value = {atoms_[std::countr_zero(mask)].value, 1}});
      return;
    }
    for (Mask left = (mask - 1) & mask; left > 0; left = (left - 1) & mask) {
      const Mask right = mask ^ left;
      if (std::popcount(left) > std::popcount(right)) continue;
      const bool twins = std::popcount(left) == std::popcount(right);
      if (twins && left < right) continue;
      const std::vector<Entry>& lefts = values(left);
      visit_kept(right, [&](const Entry& b, std::int32_t b_index) {
        for (std::size_t i = 0; i < lefts.size(); ++i) {
          join(lefts[i], left, static_cast<std::int32_t>(i), b, right, b_index, f);
        }
      });
    }
  }

  // As visit, with the place of each value in values(mask), or −1 where these are not kept.
  void visit_kept(Mask mask, const VisitKept& f) {
    if (std::popcount(mask) > kKept) {
      visit(mask, [&](const Entry& entry) {
        streamed_ = entry;
        f(entry, -1);
      });
      return;
    }
    const std::vector<Entry>& kept = values(mask);
    for (std::size_t i = 0; i < kept.size(); ++i) f(kept[i], static_cast<std::int32_t>(i));
  }

  void join(const Entry& a, Mask left, std::int32_t i, const Entry& b, Mask right, std::int32_t j,
            const Visit& f) {
    const auto try_out = [&](const Entry& x, Mask x_mask, std::int32_t x_index, char sign,
                             const Entry& y, Mask y_mask, std::int32_t y_index) {
      const auto value = combined(x.value, sign, y.value);
      if (value) f(Entry{*value, sign, x_mask, y_mask, x_index, y_index});
    };
    try_out(a, left, i, '+', b, right, j);
    try_out(a, left, i, '*', b, right, j);
    try_out(a, left, i, '-', b, right, j);
    try_out(b, right, j, '-', a, left, i);
    try_out(a, left, i, '/', b, right, j);
    try_out(b, right, j, '/', a, left, i);
  }

  // Every value once, in ascending order of (top, bottom).
  const std::vector<Entry>& values(Mask mask) {
    std::vector<Entry>& kept = values_[mask];
    if (!kept.empty()) return kept;
    visit(mask, [&](const Entry& entry) { kept.push_back(entry); });
    std::ranges::stable_sort(kept, {}, &Entry::value);
    const auto repeated = std::ranges::unique(kept, {}, &Entry::value);
    kept.erase(repeated.begin(), repeated.end());
    return kept;
  }

  std::optional<std::string> exact(Mask mask, const Fraction& target) {
    const int size = std::popcount(mask);
    if (size <= 3) {
      const std::vector<Entry>& kept = values(mask);
      const auto place = std::ranges::lower_bound(kept, target, {}, &Entry::value);
      if (place == kept.end() || place->value != target) return std::nullopt;
      return text(*place, mask);
    }
    for (int left_size = size / 2; left_size >= 1; --left_size) {
      for (Mask left = (mask - 1) & mask; left > 0; left = (left - 1) & mask) {
        if (std::popcount(left) != left_size) continue;
        if (2 * left_size == size && left < (mask ^ left)) continue;
        if (auto found = exact_with(left, mask ^ left, target)) return found;
      }
    }
    return std::nullopt;
  }

  // The target as a value of `left` joined to a value of `right`.
  std::optional<std::string> exact_with(Mask left, Mask right, const Fraction& target) {
    for (const Entry& a : values(left)) {
      if (target.top == 0 && a.value.top == 0) {
        return "(" + text(a, left) + " * " + sum_of(right) + ")";
      }
      for (const Need need : {kPlus, kMinus, kFrom, kTimes, kOver, kUnder}) {
        const auto b = needed(a.value, need, target);
        if (!b) continue;
        auto found = exact(right, *b);
        if (!found) continue;
        const std::string first = text(a, left);
        const bool swapped = need == kFrom || need == kUnder;
        return "(" + (swapped ? *found : first) + " " + "+--*//"[need] + " " +
               (swapped ? first : *found) + ")";
      }
    }
    return std::nullopt;
  }

  // a + b, a − b, b − a, a·b, a/b, b/a.
  enum Need { kPlus, kMinus, kFrom, kTimes, kOver, kUnder };

  // The b with which a makes the target; nullopt if there is none that these atoms could make.
  std::optional<Fraction> needed(const Fraction& a, Need need, const Fraction& target) const {
    switch (need) {
      case kPlus:
        return checked(target, '-', a);
      case kMinus:
        return checked(a, '-', target);
      case kFrom:
        return checked(target, '+', a);
      case kTimes:
        return checked(target, '/', a);
      case kOver:
        return a.top == 0 ? std::nullopt : checked(a, '/', target);
      default:
        return a.top == 0 ? std::nullopt : checked(target, '*', a);
    }
  }

  // combined(), where the two may be too large for it.
  std::optional<Fraction> checked(const Fraction& a, char sign, const Fraction& b) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 46;
    std::int64_t product = 0;
    for (const std::int64_t x : {a.top, a.bottom}) {
      for (const std::int64_t y : {b.top, b.bottom}) {
        if (__builtin_mul_overflow(x, y, &product) || std::abs(product) > kMost)
          return std::nullopt;
      }
    }
    return combined(a, sign, b);
  }

  std::string text(const Entry& entry, Mask mask) {
    if (entry.sign == ' ') return atoms_[std::countr_zero(mask)].text;
    return "(" + operand_text(entry.left_mask, entry.left) + ' ' + entry.sign + ' ' +
           operand_text(entry.right_mask, entry.right) + ")";
  }

  std::string operand_text(Mask mask, std::int32_t index) {
    return text(index < 0 ? nearest_streamed_ : values(mask)[index], mask);
  }

  std::string sum_of(Mask mask) const {
    std::string sum;
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      if (mask >> i & 1) sum += (sum.empty() ? "(" : " + ") + atoms_[i].text;
    }
    return sum + ")";
  }

  const std::vector<Atom>& atoms_;
  bool whole_;
  Mask all_;
  std::array<std::vector<Entry>, std::size_t{1} << kMostAtoms> values_;
  Entry streamed_;          // what visit_kept last passed without a place
  Entry nearest_streamed_;  // the part of the nearest value that has no place
};

std::vector<Atom> atoms_of(std::span<const std::int64_t> operands) {
  std::vector<Atom> atoms;
  for (const std::int64_t operand : operands) {
    atoms.push_back({operand, fmt::format_int(operand).str()});
  }
  return atoms;
}

// Joins two atoms so that the value stays within 1 … 100.
void join_two(std::vector<Atom>& atoms, Rng& rng) {
  constexpr std::int64_t kMost = 100;
  rng.shuffle(atoms);
  Atom b = std::move(atoms.back());
  atoms.pop_back();
  Atom& a = atoms.back();
  if (a.value < b.value) std::swap(a, b);
  std::string signs;
  if (a.value + b.value <= kMost) signs += '+';
  if (a.value > b.value) signs += '-';
  if (a.value * b.value <= kMost) signs += '*';
  if (a.value % b.value == 0) signs += '/';
  const char sign = rng.choice(signs);
  a.value = sign == '+'   ? a.value + b.value
            : sign == '-' ? a.value - b.value
            : sign == '*' ? a.value * b.value
                          : a.value / b.value;
  a.text = "(" + a.text + " " + sign + " " + b.text + ")";
}

// The text of a compound without the parentheses around all of it.
std::string bare(std::string text) {
  return text.starts_with('(') ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

std::optional<std::string> countdown_exact(std::span<const std::int64_t> operands,
                                           std::int64_t target, CountdownNumbers numbers) {
  std::uint64_t seed = hash_name("countdown") + static_cast<std::uint64_t>(target);
  for (const std::int64_t operand : operands) {
    seed = seed * 1'000'003 + static_cast<std::uint64_t>(operand);
  }
  Rng rng({.seed = seed, .purpose = hash_name("countdown"), .step = 0, .index = 0, .salt = 0});
  const int attempts = operands.size() > kMostAtoms ? kAttempts : 1;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    std::vector<Atom> atoms = atoms_of(operands);
    while (atoms.size() > kMostAtoms) join_two(atoms, rng);
    if (auto found = Search(atoms, numbers).exact(target)) return bare(std::move(*found));
  }
  return std::nullopt;
}

CountdownClosest countdown_closest(std::span<const std::int64_t> operands, std::int64_t target) {
  const std::vector<Atom> atoms = atoms_of(operands);
  CountdownClosest closest = Search(atoms, CountdownNumbers::kFractions).closest(target);
  closest.expression = bare(std::move(closest.expression));
  return closest;
}

}  // namespace redqueen
