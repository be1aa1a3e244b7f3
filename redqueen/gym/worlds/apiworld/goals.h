// The requests of users of the world apiworld: in words, and as the calls that do it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/worlds/dates.h"
#include "redqueen/gym/worlds/apiworld/services.h"

namespace redqueen::apiworld {

// A task. Each kind uses some of the members; the rest are empty.
struct Goal {
  std::string kind;
  std::string what;   // title, product, text, or name or ending of a file
  std::string who;    // a person
  std::string where;  // account, category or folder
  std::string to;     // account or folder
  std::string date;
  std::string to_date;
  int start = 0;  // minutes since midnight
  int end = 0;
  int number = 0;           // pieces, or minutes
  std::int64_t amount = 0;  // cents
  REDQUEEN_FIELDS(kind, what, who, where, to, date, to_date, start, end, number, amount)
};

struct GoalKind {
  std::string_view name;
  int level;                                   // from which it is drawn
  std::span<const std::string_view> services;  // that it needs
  // A goal that makes sense in `world`; nullopt: this draw does not.
  std::optional<Goal> (*draw)(const World& world, worlds::Day today, Rng& rng);
  // One or two sentences that say all that plan() goes by, but for what `world` holds.
  std::string (*words)(const Goal& goal);
  // The calls that do it in `world`, which all succeed in this order. Fails where it cannot be done
  // or where the words leave a choice.
  Expected<std::vector<ToolCall>> (*plan)(const World& world, const Goal& goal);
};

std::span<const GoalKind> goal_kinds();
// nullptr: there is none of this name.
const GoalKind* find_goal_kind(std::string_view name);

// Does what the goal asks for in `world`, and returns the calls. Fails if a call would.
Expected<std::vector<ToolCall>> carry_out(World& world, const Goal& goal);

// Carries out a goal that is new: fails also if nothing changes by it.
Expected<std::vector<ToolCall>> carry_out_new(World& world, const Goal& goal);

// A world with about `size` entries of each kind.
World draw_world(int size, worlds::Day today, Rng& rng);

// Fails unless a world from outside keeps to the rules of the services, and names things so that
// requests can be told apart.
Status check_world(const World& world);

// True if requests can quote a text: 1 to 80 printable bytes, no quotation marks.
bool is_quotable(std::string_view text);

}  // namespace redqueen::apiworld
