#include "redqueen/recipes/recipes.h"

#include <array>

#include "redqueen/core/text.h"
#include "redqueen/recipes/rlve.h"
#include "redqueen/recipes/suite.h"

namespace redqueen {
namespace {

Expected<Recipe> rlve(const RecipeContext& context) {
  const auto suite = load_suite(context.settings.suite);
  if (!suite) return tl::make_unexpected(suite.error());
  if (!suite->missing.empty()) context.progress.note(missing_warning(*suite));
  return make_rlve(context.settings, *suite, context.policy);
}

constexpr std::array kRecipes{
    RecipeEntry{"rlve", "native environments whose difficulty follows the policy", rlve}};

}  // namespace

std::span<const RecipeEntry> recipes() { return kRecipes; }

Expected<Recipe> make_recipe(const RecipeContext& context) {
  std::vector<std::string_view> names;
  for (const RecipeEntry& entry : kRecipes) {
    if (entry.name == context.settings.run.recipe) return entry.make(context);
    names.push_back(entry.name);
  }
  return usage_error("there is no recipe \"{}\"{}", context.settings.run.recipe,
                     did_you_mean(context.settings.run.recipe, names));
}

}  // namespace redqueen
