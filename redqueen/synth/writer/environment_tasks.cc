#include "redqueen/synth/writer/environment_tasks.h"

#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "redqueen/base/error.h"

namespace redqueen::synth {
namespace {

// A part of a task: in a class name, in words, in code.
struct Part {
  std::string_view name;
  std::string_view words;
  std::string_view code;
};

template <std::size_t N>
const Part& pick(Rng& rng, const std::array<Part, N>& parts) {
  return parts[rng.below(N)];
}

// Another part than `not_this`.
template <std::size_t N>
const Part& pick_other(Rng& rng, const std::array<Part, N>& parts, const Part& not_this) {
  for (;;) {
    const Part& part = pick(rng, parts);
    if (part.code != not_this.code) return part;
  }
}

// Replaces every "$k" by `value`.
std::string with(std::string_view text, std::string_view value) {
  std::string filled;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "$k") {
      filled += value;
      ++i;
    } else {
      filled += text[i];
    }
  }
  return filled;
}

std::string constant(Rng& rng, int low, int high) { return std::to_string(rng.integer(low, high)); }

std::string assign(std::string_view code) { return fmt::format("self.ref_answer = {}", code); }

// Random integers: in a list, and how many.
std::string list_data(Rng& rng, std::string_view field) {
  constexpr std::array<std::string_view, 4> kValues{"0, 9", "1, 9", "1, 20", "-9, 9"};
  constexpr std::array<std::string_view, 3> kSizes{"3 + difficulty", "4 + difficulty",
                                                   "3 + 2 * difficulty"};
  const std::string_view values = rng.choice(kValues);
  const std::string_view size = rng.choice(kSizes);
  return fmt::format("self.{} = [r.randint({}) for _ in range({})]", field, values, size);
}

constexpr std::array kFilters{
    Part{"", "numbers", ""},
    Part{"Even", "even numbers", "x % 2 == 0"},
    Part{"Odd", "odd numbers", "x % 2 == 1"},
    Part{"Large", "numbers above $k", "x > $k"},
    Part{"Small", "numbers below $k", "x < $k"},
    Part{"Multiple", "multiples of $k", "x % $k == 0"},
    Part{"Other", "numbers other than $k", "x != $k"},
};
constexpr std::array kMaps{
    Part{"", "", "x"},
    Part{"Square", "the squares of ", "x * x"},
    Part{"Double", "the doubles of ", "2 * x"},
    Part{"Plus", "$k plus each of ", "x + $k"},
    Part{"Mod", "the remainders by $k of ", "x % $k"},
    Part{"Abs", "the absolute values of ", "abs(x)"},
};
constexpr std::array kReductions{
    Part{"Sum", "the sum of ", "sum($k)"},
    Part{"Max", "the largest of ", "max($k, default=0)"},
    Part{"Min", "the smallest of ", "min($k, default=0)"},
    Part{"Distinct", "how many different values there are among ", "len(set($k))"},
};

std::string comprehension(std::string_view value, std::string_view condition,
                          std::string_view brackets) {
  const std::string filter = condition.empty() ? "" : fmt::format(" if {}", condition);
  return fmt::format("{}{} for x in self.a{}{}", brackets.substr(0, 1), value, filter,
                     brackets.substr(1));
}

// The sum as a loop instead of an expression.
std::vector<std::string> sum_loop(std::string_view value, std::string_view condition) {
  std::vector<std::string> lines{"s = 0", "for x in self.a:"};
  if (condition.empty()) {
    lines.push_back(fmt::format("    s += {}", value));
  } else {
    lines.push_back(fmt::format("    if {}:", condition));
    lines.push_back(fmt::format("        s += {}", value));
  }
  lines.push_back(assign("s"));
  return lines;
}

DrawnTask reduce_list(Rng& rng) {
  const Part& filter = pick(rng, kFilters);
  const Part& map = pick(rng, kMaps);
  const Part& reduction = pick(rng, kReductions);
  const std::string filter_k = constant(rng, 2, 5);
  const std::string map_k = constant(rng, 2, 7);
  DrawnTask task{.family = "list"};
  task.name = fmt::format("{}{}{}", reduction.name, map.name, filter.name);
  task.words = fmt::format("{}{}the {} in {{a}}", reduction.words, with(map.words, map_k),
                           with(filter.words, filter_k));
  task.fields = {"a"};
  task.data = {list_data(rng, "a")};
  const std::string value = with(map.code, map_k);
  const std::string condition = with(filter.code, filter_k);
  const std::string all = comprehension(value, condition, "[]");
  if (reduction.name == "Sum" && rng.chance(0.5)) {
    task.reference = sum_loop(value, condition);
  } else {
    task.reference = {assign(with(reduction.code, all))};
  }
  const Part& other = pick_other(rng, kReductions, reduction);
  task.wrong = {assign(with(other.code, all))};
  return task;
}

DrawnTask count_list(Rng& rng) {
  const auto& filter = kFilters[1 + static_cast<std::size_t>(rng.below(kFilters.size() - 1))];
  const std::string k = constant(rng, 2, 5);
  DrawnTask task{.family = "list"};
  task.name = fmt::format("Count{}", filter.name);
  task.words = fmt::format("how many {} there are in {{a}}", with(filter.words, k));
  task.fields = {"a"};
  task.data = {list_data(rng, "a")};
  const std::string all = comprehension("x", with(filter.code, k), "[]");
  task.reference = {assign(fmt::format("len({})", all))};
  task.wrong = {assign(fmt::format("sum({})", all))};
  return task;
}

constexpr std::array kRearrangements{
    Part{"Sort", "{a} in ascending order", "sorted(self.a)"},
    Part{"SortDown", "{a} in descending order", "sorted(self.a, reverse=True)"},
    Part{"Reverse", "{a} in reverse order", "self.a[::-1]"},
    Part{"Prefix", "the running totals of {a}",
         "[sum(self.a[:i + 1]) for i in range(len(self.a))]"},
    Part{"Steps", "each number of {a} minus the one before it",
         "[y - x for x, y in zip(self.a, self.a[1:])]"},
    Part{"Pairs", "the sums of neighbours in {a}", "[x + y for x, y in zip(self.a, self.a[1:])]"},
    Part{"Squares", "the squares of {a}", "[x * x for x in self.a]"},
    Part{"Doubles", "the doubles of {a}", "[2 * x for x in self.a]"},
    Part{"Rotate", "{a} with the first number moved to the end", "self.a[1:] + self.a[:1]"},
    Part{"Peaks", "the running maximum of {a}",
         "[max(self.a[:i + 1]) for i in range(len(self.a))]"},
    Part{"Shift", "{a} with $k added to each number", "[x + $k for x in self.a]"},
    Part{"Remainders", "the remainders of {a} by $k", "[x % $k for x in self.a]"},
};

DrawnTask rearrange_list(Rng& rng) {
  const Part& part = pick(rng, kRearrangements);
  const Part& other = pick_other(rng, kRearrangements, part);
  const std::string k = constant(rng, 2, 7);
  DrawnTask task{.family = "list", .form = AnswerForm::kIntegerList};
  task.name = std::string(part.name);
  task.words = with(part.words, k);
  task.fields = {"a"};
  task.data = {list_data(rng, "a")};
  task.reference = {assign(with(part.code, k))};
  task.wrong = {assign(with(other.code, k))};
  return task;
}

constexpr std::array kTextCounts{
    Part{"CountLetter", "how often the letter $k occurs in {s}", "self.s.count(\"$k\")"},
    Part{"Letters", "how many different letters {s} has", "len(set(self.s))"},
    Part{"Vowels", "how many vowels {s} has", "sum(c in \"aeiou\" for c in self.s)"},
    Part{"Equal", "how many neighbours in {s} are equal",
         "sum(x == y for x, y in zip(self.s, self.s[1:]))"},
    Part{"Rises", "how often a letter of {s} is followed by a later one of the alphabet",
         "sum(x < y for x, y in zip(self.s, self.s[1:]))"},
};
constexpr std::array kTextChanges{
    Part{"Backwards", "{s} written backwards", "self.s[::-1]"},
    Part{"SortLetters", "the letters of {s} in alphabetical order", "\"\".join(sorted(self.s))"},
    Part{"EverySecond", "every second letter of {s}, from the first", "self.s[::2]"},
    Part{"Drop", "{s} without the letter $k", "self.s.replace(\"$k\", \"\")"},
    Part{"Twice", "{s} with every letter doubled", "\"\".join(c + c for c in self.s)"},
    Part{"Upper", "{s} in capital letters", "self.s.upper()"},
    Part{"Turn", "{s} with the first letter moved to the end", "self.s[1:] + self.s[:1]"},
};

std::string text_data(Rng& rng) {
  constexpr std::array<std::string_view, 3> kLetters{"abc", "abcde", "aeiost"};
  const std::string_view letters = rng.choice(kLetters);
  const std::string size = constant(rng, 4, 6);
  return fmt::format("self.s = \"\".join(r.choice(\"{}\") for _ in range({} + difficulty))",
                     letters, size);
}

DrawnTask count_text(Rng& rng) {
  const Part& part = pick(rng, kTextCounts);
  const Part& other = pick_other(rng, kTextCounts, part);
  const std::string letter(1, rng.chance(0.5) ? 'a' : 'e');
  DrawnTask task{.family = "text"};
  task.name = std::string(part.name);
  task.words = with(part.words, letter);
  task.fields = {"s"};
  task.data = {text_data(rng)};
  task.reference = {assign(with(part.code, letter))};
  task.wrong = {assign(with(other.code, letter))};
  return task;
}

DrawnTask change_text(Rng& rng) {
  const Part& part = pick(rng, kTextChanges);
  const Part& other = pick_other(rng, kTextChanges, part);
  const std::string letter(1, rng.chance(0.5) ? 'a' : 'e');
  DrawnTask task{.family = "text", .form = AnswerForm::kText};
  task.name = std::string(part.name);
  task.words = with(part.words, letter);
  task.fields = {"s"};
  task.data = {text_data(rng)};
  task.reference = {assign(with(part.code, letter))};
  task.wrong = {assign(with(other.code, letter))};
  return task;
}

constexpr std::array kNumberTasks{
    Part{"DigitSum", "the sum of the digits of {n}", "sum(int(c) for c in str(self.n))"},
    Part{"Divisors", "how many divisors {n} has",
         "sum(self.n % d == 0 for d in range(1, self.n + 1))"},
    Part{"Ones", "how many ones {n} has in binary", "bin(self.n).count(\"1\")"},
    Part{"Multiples", "how many multiples of $k there are from 1 to {n}", "self.n // $k"},
    Part{"SumTo", "the sum of the numbers from 1 to {n}", "self.n * (self.n + 1) // 2"},
    Part{"Primes", "how many primes there are up to {n}",
         "sum(all(p % d for d in range(2, p)) for p in range(2, self.n + 1))"},
    Part{"SquareMod", "the remainder of {n} times {n} by 1$k", "self.n * self.n % 1$k"},
    Part{"LargestDigit", "the largest digit of {n}", "max(int(c) for c in str(self.n))"},
};

DrawnTask number_task(Rng& rng) {
  const Part& part = pick(rng, kNumberTasks);
  const Part& other = pick_other(rng, kNumberTasks, part);
  const std::string k = constant(rng, 2, 7);
  DrawnTask task{.family = "number"};
  task.name = std::string(part.name);
  task.words = with(part.words, k);
  task.fields = {"n"};
  task.data = {"self.n = r.randint(10, 60 + 30 * difficulty)"};
  task.reference = {assign(with(part.code, k))};
  task.wrong = {assign(with(other.code, k))};
  return task;
}

constexpr std::array kPairTasks{
    Part{"Gcd", "the greatest common divisor of {a} and {b}", "gcd(self.a, self.b)"},
    Part{"Lcm", "the least common multiple of {a} and {b}",
         "self.a * self.b // gcd(self.a, self.b)"},
    Part{"Product", "the product of {a} and {b}", "self.a * self.b"},
    Part{"Difference", "the distance between {a} and {b}", "abs(self.a - self.b)"},
    Part{"PowerMod", "the remainder of {a} to the power {b} by 1$k", "pow(self.a, self.b, 1$k)"},
    Part{"Xor", "the bitwise exclusive or of {a} and {b}", "self.a ^ self.b"},
    Part{"Common", "how many numbers divide both {a} and {b}",
         "sum(self.a % d == 0 and self.b % d == 0 for d in range(1, self.a + 1))"},
};

DrawnTask pair_task(Rng& rng) {
  const Part& part = pick(rng, kPairTasks);
  const Part& other = pick_other(rng, kPairTasks, part);
  const std::string k = constant(rng, 1, 7);
  DrawnTask task{.family = "pair"};
  task.name = std::string(part.name);
  task.words = with(part.words, k);
  task.fields = {"a", "b"};
  task.data = {"self.a = r.randint(2, 20 + 10 * difficulty)",
               "self.b = r.randint(2, 20 + 10 * difficulty)"};
  task.reference = {assign(with(part.code, k))};
  task.wrong = {assign(with(other.code, k))};
  return task;
}

DrawnTask recurrence_task(Rng& rng) {
  const int p = static_cast<int>(rng.integer(1, 3));
  const int q = static_cast<int>(rng.integer(1, 3));
  const int modulus = static_cast<int>(rng.integer(7, 20));
  DrawnTask task{.family = "recurrence"};
  task.name = fmt::format("Recurrence{}{}", p, q);
  task.words = fmt::format(
      "f({{n}}) modulo {} where f(0) = 1, f(1) = {{b}} and f(i) = {} f(i-1) + {} f(i-2)", modulus,
      p, q);
  task.fields = {"n", "b"};
  task.data = {"self.n = r.randint(2, 4 + 2 * difficulty)", "self.b = r.randint(1, 9)"};
  const auto loop = [&](int first, int second) {
    return std::vector<std::string>{"x, y = 1, self.b", "for _ in range(self.n - 1):",
                                    fmt::format("    x, y = y, {} * y + {} * x", first, second),
                                    assign(fmt::format("y % {}", modulus))};
  };
  task.reference = loop(p, q);
  task.wrong = loop(p + 1, q);
  return task;
}

constexpr std::array kGraphTasks{
    Part{"Degree", "how many of the edges {edges} touch node 0", "sum(0 in e for e in self.edges)"},
    Part{"Loops", "how many of the edges {edges} lead from a node to a larger one",
         "sum(x < y for x, y in self.edges)"},
    Part{"Nodes", "how many different nodes the edges {edges} touch",
         "len({x for e in self.edges for x in e})"},
    Part{"Furthest", "the largest difference between the ends of an edge in {edges}",
         "max(abs(x - y) for x, y in self.edges)"},
};

DrawnTask graph_task(Rng& rng) {
  const Part& part = pick(rng, kGraphTasks);
  const Part& other = pick_other(rng, kGraphTasks, part);
  DrawnTask task{.family = "graph"};
  task.name = fmt::format("Graph{}", part.name);
  task.words = std::string(part.words);
  task.fields = {"edges"};
  task.data = {"n = 4 + difficulty",
               "self.edges = [[r.randint(0, n), r.randint(0, n)] for _ in range(n)]"};
  task.reference = {assign(part.code)};
  task.wrong = {assign(other.code)};
  return task;
}

constexpr std::array kMatrixTasks{
    Part{"Trace", "the sum of the main diagonal of {m}",
         "sum(self.m[i][i] for i in range(len(self.m)))"},
    Part{"Total", "the sum of all numbers in {m}", "sum(sum(row) for row in self.m)"},
    Part{"BestRow", "the largest sum of a row of {m}", "max(sum(row) for row in self.m)"},
    Part{"Corner", "the largest number in the last row of {m}", "max(self.m[-1])"},
    Part{"Column", "the sum of the first column of {m}", "sum(row[0] for row in self.m)"},
};

DrawnTask matrix_task(Rng& rng) {
  const Part& part = pick(rng, kMatrixTasks);
  const Part& other = pick_other(rng, kMatrixTasks, part);
  DrawnTask task{.family = "matrix"};
  task.name = fmt::format("Matrix{}", part.name);
  task.words = std::string(part.words);
  task.fields = {"m"};
  task.data = {"n = 2 + difficulty",
               "self.m = [[r.randint(0, 9) for _ in range(n)] for _ in range(n)]"};
  task.reference = {assign(part.code)};
  task.wrong = {assign(other.code)};
  return task;
}

using TaskFamily = DrawnTask (*)(Rng& rng);
// Lists, whose parts combine to hundreds of tasks, come most often.
constexpr std::array<TaskFamily, 11> kFamilies{
    reduce_list, reduce_list, reduce_list, count_list, rearrange_list, rearrange_list,
    count_text,  change_text, number_task, pair_task,  recurrence_task};
constexpr std::array<TaskFamily, 2> kStructures{graph_task, matrix_task};

}  // namespace

DrawnTask draw_task(Rng& rng) {
  if (rng.chance(0.15)) return rng.choice(kStructures)(rng);
  return rng.choice(kFamilies)(rng);
}

}  // namespace redqueen::synth
