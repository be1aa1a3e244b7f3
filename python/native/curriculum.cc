// Curricula: problems at the levels that teach most, which move with what is learnt.

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/native/arguments.h"
#include "python/native/bind.h"
#include "python/native/errors.h"
#include "python/native/house.h"
#include "python/native/json_object.h"
#include "python/native/problem.h"
#include "python/native/text.h"
#include "redqueen/core/batch.h"
#include "redqueen/suites/curriculum.h"
#include "redqueen/suites/curriculum_settings.h"
#include "redqueen/suites/rows.h"

namespace redqueen::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

// Draws that may fail in a row before a batch is given up.
constexpr int kMostRounds = 20;

class HeldCurriculum {
 public:
  HeldCurriculum(Suite suite, CurriculumSettings settings,
                 std::shared_ptr<const PromptFormat> format)
      : suite_(std::move(suite)),
        settings_(std::move(settings)),
        envs_(envs_of(suite_, std::move(format))),
        curriculum_(
            value_or_raise(make_curriculum(settings_, suite_.environments, suite_.weights))) {}

  HeldCurriculum(const HeldCurriculum&) = delete;
  HeldCurriculum& operator=(const HeldCurriculum&) = delete;

  // `count` problems. A draw that no problem can be made of is skipped, on every machine alike.
  std::vector<HeldProblem> next_batch(int count) {
    if (count < 1) raise_usage("a batch has at least one problem, not {}", count);
    std::vector<HeldProblem> batch;
    std::string fault;
    for (int round = 0; round < kMostRounds; ++round) {
      fault = draw(static_cast<std::size_t>(count), batch);
      if (batch.size() == static_cast<std::size_t>(count)) return batch;
    }
    throw Raised({ErrorKind::kFailure, fault});
  }

  // Counts the verdicts on problems or addresses, then lets the levels move. Problems of other
  // environments, versions and splits and restored ones count for nothing, as with a server.
  std::size_t update(const nb::list& problems, const std::vector<bool>& solved,
                     BoolHandle end_step) {
    const bool is_end = truth_of(end_step, "end_step");
    if (problems.size() != solved.size()) {
      raise_usage("update needs a verdict for each problem: there are {} problems and {} verdicts",
                  problems.size(), solved.size());
    }
    std::vector<std::optional<ProblemAddress>> addresses;  // all are read before one counts
    for (std::size_t i = 0; i < problems.size(); ++i) addresses.push_back(address_of(problems, i));
    std::size_t counted = 0;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const auto& address = addresses[i];
      if (!address || address->salt != settings_.problem_salt()) continue;
      const auto found = std::ranges::find_if(suite_.environments, [&](const Environment* known) {
        return known->name() == address->environment && known->card().version == address->version;
      });
      if (found == suite_.environments.end()) continue;
      curriculum_.record(
          {static_cast<std::size_t>(found - suite_.environments.begin()), address->level},
          solved[i]);
      ++counted;
    }
    if (is_end) curriculum_.end_step();
    return counted;
  }

  nb::typed<nb::dict, nb::str, nb::typed<nb::tuple, int, int>> levels() const {
    nb::dict levels;
    for (const run::CurriculumState& row : curriculum_.rows())
      levels[row.environment.c_str()] = nb::make_tuple(row.lower_level, row.upper_level);
    return levels;
  }

  AnyDict state() const {
    return to_python(Json{
        {"drawn", drawn_}, {"settings", to_json(settings_)}, {"curriculum", curriculum_.state()}});
  }

  void load(nb::typed<nb::handle, AnyDict> state) {
    const Json json = value_or_raise(from_python(state));
    const auto kept = json.is_object() ? json.find("settings") : json.end();
    if (!json.is_object() || kept == json.end() || !json.contains("curriculum") ||
        !json.contains("drawn") || !json["drawn"].is_number_unsigned())
      raise_usage("this is no state of a curriculum: that is what state() gives");
    if (dump_json(*kept) != dump_json(to_json(settings_))) {
      raise_usage("this is the state of a curriculum with the settings {}, and this one has {}",
                  dump_json(*kept), dump_json(to_json(settings_)));
    }
    value_or_raise(curriculum_.restore(json["curriculum"]));
    drawn_ = json["drawn"].get<std::uint64_t>();
  }

  const Suite& suite() const { return suite_; }
  std::uint64_t drawn() const { return drawn_; }

 private:
  static std::optional<ProblemAddress> address_of(const nb::list& problems, std::size_t place) {
    const nb::handle item = problems[place];
    const HeldProblem* problem = nullptr;
    if (nb::try_cast(item, problem) && problem != nullptr) return problem->address();
    if (!nb::isinstance<nb::str>(item)) refuse_as_problem(item, "update", place);
    auto address = ProblemAddress::parse(Text(item).view());
    if (!address) throw Raised({ErrorKind::kUsage, address.error().message});
    return *std::move(address);
  }

  // Fills the batch up to `count`; where that fails, says why.
  std::string draw(std::size_t count, std::vector<HeldProblem>& batch) {
    std::vector<Located> drawn;
    std::vector<ProblemRequest> requests;
    while (batch.size() + drawn.size() < count) {
      const DrawnProblem next = draw_problem(curriculum_, settings_, drawn_++);
      drawn.push_back({envs_[next.environment], {next.level, next.seed, next.salt}});
      requests.push_back({drawn.back().env.environment, next.level, next.seed, next.salt});
    }
    std::vector<Generated> made;
    {
      const nb::gil_scoped_release others;
      made = generate_all(requests);
    }
    std::string fault;
    for (std::size_t i = 0; i < made.size(); ++i) {
      auto& [env, place] = drawn[i];
      if (made[i]) {
        batch.push_back({std::move(env), std::move(*made[i]), place});
      } else {
        fault = generation_error(env.environment->address(place.level, place.seed, place.salt),
                                 made[i].error())
                    .message;
      }
    }
    return fault;
  }

  Suite suite_;
  CurriculumSettings settings_;
  std::vector<Env> envs_;  // as suite_.environments
  Curriculum curriculum_;
  std::uint64_t drawn_ = 0;
};

HeldCurriculum* make_held_curriculum(nb::handle suite, const nb::dict& settings, TextHandle prompt,
                                     BoolHandle tolerant) {
  const Json json = value_or_raise(from_python(settings));
  auto read = from_json<CurriculumSettings>(json);
  if (!read) throw Raised({ErrorKind::kUsage, read.error().message});
  return new HeldCurriculum(suite_of(suite), *std::move(read), format_of(prompt, tolerant));
}

}  // namespace

void bind_curriculum(nb::module_& module) {
  nb::class_<HeldCurriculum>(module, "Curriculum")
      .def(nb::new_(&make_held_curriculum), "suite"_a.none(), "settings"_a, "prompt"_a.none(),
           "tolerant"_a.none())
      .def("next_batch", &HeldCurriculum::next_batch, "count"_a)
      .def("update", &HeldCurriculum::update, "problems"_a, "solved"_a, "end_step"_a.none())
      .def("levels", &HeldCurriculum::levels)
      .def("state", &HeldCurriculum::state)
      .def("load", &HeldCurriculum::load, "state"_a.none())
      .def_prop_ro("suite", &HeldCurriculum::suite)
      .def_prop_ro("drawn", &HeldCurriculum::drawn);
}

}  // namespace redqueen::python
