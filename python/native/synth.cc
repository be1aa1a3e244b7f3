// Environments that a policy wrote: validation, and how new one is against others. What embeds
// their texts is Python's affair: the engine's own encoder is not in this module.

#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python/native/bind.h"
#include "python/native/errors.h"
#include "python/native/house.h"
#include "python/native/json_object.h"
#include "python/native/text.h"
#include "redqueen/synth/novelty/novelty.h"
#include "redqueen/synth/validation/extraction.h"
#include "redqueen/synth/validation/validation.h"

namespace redqueen::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

// The report of each source, as `redqueen synth lint --json` prints it.
AnyDicts validate_sources(const std::vector<std::string>& sources, std::uint64_t salt,
                          double layer_seconds, bool strict_words) {
  synth::ValidationOptions options;
  options.salt = salt;
  options.layer_seconds = layer_seconds;
  options.strict_words = strict_words;
  const auto service = House::get().engine().sandbox();
  std::vector<synth::ValidationReport> reports;
  {
    const nb::gil_scoped_release others;
    reports = validate(*value_or_raise(service->get()), sources, options);
  }
  Json list = Json::array();
  for (const synth::ValidationReport& report : reports) list.push_back(to_json(report));
  return to_python(list);
}

// [2 texts a source, dimension], each row of length 1: prompt, code, prompt, code, …
using SynthRows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The archive of a novelty search, told of embeddings. Names are what it was given.
class HeldArchive {
 public:
  HeldArchive() = default;
  explicit HeldArchive(synth::NoveltyArchive archive) : archive_(std::move(archive)) {}

  void add(const std::vector<std::string>& names, const SynthRows& rows) {
    auto views = views_of(rows);
    if (views.size() != names.size())
      raise_usage("there are {} names for {} environments", names.size(), views.size());
    for (std::size_t i = 0; i < names.size(); ++i) archive_.add(names[i], std::move(views[i]));
  }

  // similarity, novelty, and which earlier one of the batch it repeats
  using Found = std::tuple<double, double, std::optional<std::size_t>>;
  std::vector<Found> assess(const SynthRows& rows, double prompt_share, double duplicate) const {
    synth::NoveltySettings settings;
    settings.prompt_share = prompt_share;
    settings.duplicate = duplicate;
    std::vector<Found> found;
    for (const auto& each : assess_novelty(archive_, views_of(rows), settings))
      found.emplace_back(each.similarity, each.novelty, each.duplicate_of);
    return found;
  }

  const std::vector<std::string>& names() const { return archive_.names(); }
  void save(const std::filesystem::path& file) const { value_or_raise(archive_.save(file)); }

 private:
  std::vector<synth::Views> views_of(const SynthRows& rows) const {
    if (rows.shape(0) == 0) return {};
    const std::size_t dimension = rows.shape(1);
    if (archive_.size() > 0 && archive_.views()[0].prompt.size() != dimension) {
      raise_usage(
          "these embeddings have {} numbers, and those of the archive have {}: an archive is for "
          "one encoder",
          dimension, archive_.views()[0].prompt.size());
    }
    const auto row = [&](std::size_t i) {
      const float* begin = rows.data() + i * dimension;
      return Embedding(begin, begin + dimension);
    };
    std::vector<synth::Views> views;
    for (std::size_t i = 0; i + 1 < rows.shape(0); i += 2) views.push_back({row(i), row(i + 1)});
    return views;
  }

  synth::NoveltyArchive archive_;
};

}  // namespace

void bind_synth(nb::module_& module) {
  module.def("validate", &validate_sources, "sources"_a, "salt"_a, "layer_seconds"_a,
             "strict_words"_a);
  module.def(
      "python_block",
      [](TextHandle response) { return synth::longest_python_block(Text(response).view()); },
      "response"_a);
  module.def(
      "novelty_text",
      [](TextHandle source) {
        const auto text = synth::novelty_text(Text(source).view());
        return std::pair(text.prompt, text.code);
      },
      "source"_a);
  nb::class_<HeldArchive>(module, "NoveltyArchive")
      .def(nb::init<>())
      .def("add", &HeldArchive::add, "names"_a, "rows"_a)
      .def("assess", &HeldArchive::assess, "rows"_a, "prompt_share"_a, "duplicate"_a)
      .def("save", &HeldArchive::save, "file"_a)
      .def_static(
          "load",
          [](const std::filesystem::path& file) {
            return HeldArchive(value_or_raise(synth::NoveltyArchive::load(file)));
          },
          "file"_a)
      .def_prop_ro("names", &HeldArchive::names);
}

}  // namespace redqueen::python
