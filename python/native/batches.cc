// Making and scoring many problems at once, on all cores, while other Python threads go on.

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "python/native/arguments.h"
#include "python/native/bind.h"
#include "python/native/errors.h"
#include "python/native/house.h"
#include "python/native/json_object.h"
#include "python/native/pieces.h"
#include "python/native/problem.h"
#include "python/native/text.h"
#include "redqueen/base/parallel.h"
#include "redqueen/core/answer.h"
#include "redqueen/core/batch.h"
#include "redqueen/suites/rows.h"

namespace redqueen::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

// A list of problems; where one cannot be made, None or an error.
nb::list make_all(std::vector<Located> wanted, bool allow_missing, int threads) {
  std::vector<ProblemRequest> requests;
  requests.reserve(wanted.size());
  for (const Located& each : wanted) {
    if (!allow_missing) check_level(each);
    requests.push_back({each.env.environment, each.place.level, each.place.seed, each.place.salt});
  }
  std::vector<Generated> made;
  made.reserve(wanted.size());
  in_pieces(requests.size(), [&](std::size_t first, std::size_t last) {
    std::ranges::move(
        generate_all(std::span(requests).subspan(first, last - first), {.threads = threads}),
        std::back_inserter(made));
  });
  nb::list problems;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made[i]) {
      problems.append(
          nb::cast(HeldProblem{std::move(wanted[i].env), std::move(*made[i]), wanted[i].place}));
    } else if (allow_missing) {
      problems.append(nb::none());
    } else {
      const auto& [level, seed, salt] = wanted[i].place;
      throw Raised(
          generation_error(wanted[i].env.environment->address(level, seed, salt), made[i].error()));
    }
  }
  return problems;
}

nb::list generate_many(nb::handle suite, const std::vector<int>& levels,
                       const std::vector<std::uint64_t>& seeds, nb::handle split, TextHandle prompt,
                       BoolHandle tolerant, BoolHandle allow_missing, int threads) {
  const std::uint64_t salt = salt_of(split);
  const bool may_miss = truth_of(allow_missing, "allow_missing");
  std::vector<Env> envs;
  if (nb::isinstance<Env>(suite)) {
    envs = {nb::cast<const Env&>(suite)};  // asked in its own format
  } else {
    envs = envs_of(suite_of(suite), format_of(prompt, tolerant));
  }
  std::vector<Located> wanted;
  wanted.reserve(envs.size() * levels.size() * seeds.size());
  for (const Env& env : envs) {
    for (const int level : levels) {
      for (const std::uint64_t seed : seeds) wanted.push_back({env, {level, seed, salt}});
    }
  }
  return make_all(std::move(wanted), may_miss, threads);
}

nb::list restore_many(const nb::list& addresses, TextHandle prompt, BoolHandle tolerant,
                      int threads) {
  const auto format = format_of(prompt, tolerant);
  std::vector<Located> wanted;
  wanted.reserve(addresses.size());
  for (const nb::handle address : addresses)
    wanted.push_back(locate(Text(address, "addresses").view(), format));
  return make_all(std::move(wanted), false, threads);
}

// The problems of a list that holds problems and addresses. An address that stands there many
// times, as trainers' groups of responses have it, is made once; `kept` keeps what was made alive.
std::vector<const HeldProblem*> problems_of(const nb::list& list,
                                            std::shared_ptr<const PromptFormat> format, int threads,
                                            nb::list& kept) {
  std::vector<const HeldProblem*> problems(list.size());
  std::vector<Text> texts;  // to which the keys of `known` point
  std::unordered_map<std::string_view, std::size_t> known;
  std::vector<Located> wanted;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // in the list, in `wanted`
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const nb::handle item = list[i];
    if (nb::try_cast(item, problems[i]) && problems[i] != nullptr) continue;
    if (!nb::isinstance<nb::str>(item)) refuse_as_problem(item, "score_many", i);
    const std::string_view address = texts.emplace_back(item).view();
    const auto [found, is_new] = known.try_emplace(address, wanted.size());
    if (is_new) wanted.push_back(locate(address, format));
    places.emplace_back(i, found->second);
  }
  kept = make_all(std::move(wanted), false, threads);
  for (const auto& [place, made] : places)
    problems[place] = nb::cast<const HeldProblem*>(nb::handle(kept[made]));
  return problems;
}

// A problem and what a policy wrote to it.
struct Answered {
  const HeldProblem* held = nullptr;
  std::string_view text;
};

// The verdicts on those of `all` that stand at `places`, which are all asked in one format.
std::vector<Verdict> score_group(const std::vector<Answered>& all,
                                 std::span<const std::size_t> places, bool raw, int threads) {
  const PromptFormat& format = *all[places.front()].held->from.format;
  std::vector<Verdict> verdicts(places.size());
  if (!raw) {
    std::vector<CompletionRequest> requests;
    requests.reserve(places.size());
    for (const std::size_t place : places)
      requests.push_back({all[place].held->problem.get(), all[place].text});
    return score_completions(requests, format, kDefaultMaxResponseBytes, {.threads = threads});
  }
  std::vector<AnswerRequest> requests;
  std::vector<std::size_t> readable;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Answered& each = all[places[k]];
    if (each.text.size() > kDefaultMaxResponseBytes) continue;
    requests.push_back({each.held->problem.get(), trim(each.text)});
    readable.push_back(k);
  }
  const auto scored = score_all(requests, {.threads = threads, .reading = format.reading});
  for (std::size_t k = 0; k < readable.size(); ++k) verdicts[readable[k]] = scored[k];
  return verdicts;
}

// Under the GIL, which it lets go of while the engine works.
std::vector<Verdict> score_groups(const std::vector<Answered>& all, bool raw, int threads) {
  std::vector<Verdict> verdicts(all.size());
  std::vector<std::size_t> open(all.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  while (!open.empty()) {
    const auto& format = all[open.front()].held->from.format;
    const auto rest = std::ranges::stable_partition(open, [&](std::size_t i) {
      const auto& other = all[i].held->from.format;
      return other == format || *other == *format;
    });
    const std::vector<std::size_t> group(open.begin(), rest.begin());
    in_pieces(group.size(), [&](std::size_t first, std::size_t last) {
      const auto scored =
          score_group(all, std::span(group).subspan(first, last - first), raw, threads);
      for (std::size_t k = 0; k < scored.size(); ++k) verdicts[group[first + k]] = scored[k];
    });
    open.erase(open.begin(), rest.begin());
  }
  return verdicts;
}

// The lists are the caller's own: nobody changes them while this points into what they hold.
Verdicts score_many(const nb::list& problems, const nb::list& responses, TextHandle prompt,
                    BoolHandle tolerant, BoolHandle raw, int threads) {
  if (problems.size() != responses.size()) {
    raise_usage("score_many needs a response for each problem: there are {} problems and {} texts",
                problems.size(), responses.size());
  }
  nb::list kept;
  const bool is_raw = truth_of(raw, "raw");
  const auto held = problems_of(problems, format_of(prompt, tolerant), threads, kept);
  std::vector<Text> texts;
  texts.reserve(held.size());
  std::vector<Answered> all;
  all.reserve(held.size());
  for (const nb::handle response : responses) {
    texts.emplace_back(response, "texts");
    all.push_back({held[all.size()], texts.back().view()});
  }
  return {score_groups(all, is_raw, threads)};
}

// One member of every verdict, as an array of its own.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> column(const Verdicts& verdicts, T Verdict::*member) {
  const std::size_t size = verdicts.list.size();
  auto values = std::make_unique<T[]>(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = verdicts.list[i].*member;
  T* const data = values.release();
  const nb::capsule owner(data, [](void* array) noexcept { delete[] static_cast<T*>(array); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner);
}

// Of a pickle.
Verdicts verdicts_of(const std::vector<double>& rewards, const std::vector<bool>& solved,
                     const std::vector<bool>& well_formed) {
  if (solved.size() != rewards.size() || well_formed.size() != rewards.size())
    raise_usage("verdicts have as many rewards as truth values");
  Verdicts verdicts;
  for (std::size_t i = 0; i < rewards.size(); ++i)
    verdicts.list.push_back({rewards[i], solved[i], well_formed[i]});
  return verdicts;
}

Verdict verdict_at(const Verdicts& verdicts, IntHandle place) {
  const auto size = static_cast<Py_ssize_t>(verdicts.list.size());
  Py_ssize_t index = PyNumber_AsSsize_t(place.ptr(), PyExc_IndexError);
  if (index == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  if (index < 0) index += size;
  if (index < 0 || index >= size) throw nb::index_error("there is no verdict at this place");
  return verdicts.list[static_cast<std::size_t>(index)];
}

Verdicts verdicts_in(const Verdicts& verdicts, const nb::slice& slice) {
  const auto [start, stop, step, length] = slice.compute(verdicts.list.size());
  Verdicts chosen;
  chosen.list.reserve(length);
  for (std::size_t i = 0; i < length; ++i) {
    chosen.list.push_back(
        verdicts.list[static_cast<std::size_t>(start + static_cast<Py_ssize_t>(i) * step)]);
  }
  return chosen;
}

}  // namespace

void bind_batches(nb::module_& module) {
  nb::class_<Verdicts>(module, "Verdicts",
                       "A sequence of Verdict, in the order of the responses.\n\n"
                       ">>> verdicts = rq.score_many([\"Sorting@1/0/5\"] * 2, [\"no idea\", "
                       "\"<answer>1</answer>\"])\n"
                       ">>> verdicts.rewards, verdicts.well_formed, len(verdicts)\n"
                       "(array([-1. , -0.5]), array([False,  True]), 2)")
      .def("__len__", [](const Verdicts& verdicts) { return verdicts.list.size(); })
      .def("__getitem__", &verdicts_in, "places"_a,
           nb::sig("def __getitem__(self, places: slice) -> Verdicts"))
      .def("__getitem__", &verdict_at, "index"_a.none(),
           nb::sig("def __getitem__(self, index: int) -> Verdict"))
      .def("__repr__",
           [](const Verdicts& verdicts) {
             return fmt::format("<Verdicts on {} responses, {} solved>", verdicts.list.size(),
                                std::ranges::count(verdicts.list, true, &Verdict::solved));
           })
      .def(
          "__iter__", [](nb::handle self) { return nb::steal(PySeqIter_New(self.ptr())); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[Verdict]"))
      .def_prop_ro(
          "rewards", [](const Verdicts& verdicts) { return column(verdicts, &Verdict::reward); },
          nb::rv_policy::automatic, "float64 array of shape (n,), each in [-1, 1].")
      .def_prop_ro(
          "solved", [](const Verdicts& verdicts) { return column(verdicts, &Verdict::solved); },
          nb::rv_policy::automatic, "bool array of shape (n,).")
      .def_prop_ro(
          "well_formed",
          [](const Verdicts& verdicts) { return column(verdicts, &Verdict::well_formed); },
          nb::rv_policy::automatic, "bool array of shape (n,).");
  module.def("verdicts_of", &verdicts_of, "rewards"_a, "solved"_a, "well_formed"_a);
  module.def("generate_many", &generate_many, "suite"_a.none(), "levels"_a, "seeds"_a,
             "split"_a.none(), "prompt"_a.none(), "tolerant"_a.none(), "allow_missing"_a.none(),
             "threads"_a);
  module.def("restore_many", &restore_many, "addresses"_a, "prompt"_a.none(), "tolerant"_a.none(),
             "threads"_a);
  module.def("score_many", &score_many, "problems"_a, "texts"_a, "prompt"_a.none(),
             "tolerant"_a.none(), "raw"_a.none(), "threads"_a);
}

}  // namespace redqueen::python
