#include "redqueen/recipes/recipes.h"

#include <array>

#include "redqueen/core/text.h"
#include "redqueen/recipes/azr/azr.h"
#include "redqueen/recipes/evoenv/evoenv.h"
#include "redqueen/recipes/rlve.h"
#include "redqueen/recipes/suite.h"

namespace redqueen {
namespace {

Status check_rlve(const TrainSettings& settings) {
  if (const auto suite = load_suite(settings.suite); !suite)
    return tl::make_unexpected(suite.error());
  return {};
}

Expected<Recipe> rlve(const RecipeContext& context) {
  const auto suite = load_suite(context.settings.suite, context.sandbox);
  if (!suite) return tl::make_unexpected(suite.error());
  if (!suite->missing.empty()) context.progress.note(missing_warning(*suite));
  return make_rlve(context.settings, *suite, context.policy);
}

constexpr std::array kRecipes{
    RecipeEntry{"azr", "one policy proposes tasks about programs and solves them", check_azr,
                make_azr},
    RecipeEntry{"evoenv", "the policy writes the environments that it trains on", check_evoenv,
                make_evoenv},
    RecipeEntry{"rlve", "native environments whose difficulty follows the policy", check_rlve,
                rlve}};

Expected<const RecipeEntry*> find_recipe(std::string_view name) {
  std::vector<std::string_view> names;
  for (const RecipeEntry& entry : kRecipes) {
    if (entry.name == name) return &entry;
    names.push_back(entry.name);
  }
  return usage_error("there is no recipe \"{}\"{}", name, did_you_mean(name, names));
}

}  // namespace

std::span<const RecipeEntry> recipes() { return kRecipes; }

Status check_recipe(const TrainSettings& settings) {
  const auto entry = find_recipe(settings.run.recipe);
  if (!entry) return tl::make_unexpected(entry.error());
  return (*entry)->check(settings);
}

Expected<Recipe> make_recipe(const RecipeContext& context) {
  const auto entry = find_recipe(context.settings.run.recipe);
  if (!entry) return tl::make_unexpected(entry.error());
  return (*entry)->make(context);
}

}  // namespace redqueen
