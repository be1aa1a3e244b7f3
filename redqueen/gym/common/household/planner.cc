#include "redqueen/gym/common/household/planner.h"

#include <algorithm>
#include <optional>

#include "redqueen/gym/common/household/catalogue.h"

namespace redqueen {
namespace {

// A place that is walked to, and what is done there.
struct Visit {
  int place = 0;
  HouseVerb verb = HouseVerb::kTake;
  int object = 0;  // a thing; of use: a lamp
};

using Visits = std::vector<Visit>;

class Planner {
 public:
  explicit Planner(const House& house) : house_(house), first_step_(house.rooms.size()) {
    const std::size_t rooms = house.rooms.size();
    distance_.assign(rooms, std::vector<int>(rooms, kFar));
    for (std::size_t room = 0; room < rooms; ++room) search_from(static_cast<int>(room));
  }

  std::vector<HouseCommand> plan() {
    const std::string& task = house_.goal.task;
    if (task == "two") {
      consider_two();
    } else if (task == "light") {
      consider_light();
    } else {
      consider_one();
    }
    return commands(best_);
  }

 private:
  static constexpr int kFar = 1 << 20;

  // Breadth-first, to learn the first step from every room towards `goal`.
  void search_from(int goal) {
    std::vector<int>& step = first_step_[goal];
    step.assign(house_.rooms.size(), -1);
    distance_[goal][goal] = 0;
    std::vector<int> queue{goal};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const auto& [a, b] : house_.doors) {
        for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
          if (from != queue[i] || distance_[goal][to] < kFar) continue;
          distance_[goal][to] = distance_[goal][from] + 1;
          step[to] = from;
          queue.push_back(to);
        }
      }
    }
  }

  std::vector<int> wanted_things() const {
    std::vector<int> things;
    for (int i = 0; i < std::ssize(house_.things); ++i) {
      if (house_.things[i].kind == house_.goal.object) things.push_back(i);
    }
    return things;
  }

  template <typename Wanted>
  std::vector<int> places_where(Wanted wanted) const {
    std::vector<int> places;
    for (int i = 0; i < std::ssize(house_.places); ++i) {
      if (wanted(house_.places[i])) places.push_back(i);
    }
    return places;
  }

  std::vector<int> targets() const {
    return places_where([&](const HousePlace& place) { return place.kind == house_.goal.place; });
  }

  Visit take(int thing) const { return {house_.things[thing].place, HouseVerb::kTake, thing}; }

  void consider_light() {
    for (const int thing : wanted_things()) {
      for (int lamp = 0; lamp < std::ssize(house_.lamps); ++lamp) {
        consider({take(thing), {house_.lamps[lamp], HouseVerb::kUse, lamp}});
      }
    }
  }

  void consider_one() {
    const std::string& task = house_.goal.task;
    const auto verb = find_house_verb(task);  // clean, heat, cool; none for "place"
    const int care = task == "clean" ? kClean : task == "heat" ? kHot : kCold;
    const auto devices = places_where(
        [&](const HousePlace& place) { return find_place_kind(place.kind)->device == care; });
    for (const int thing : wanted_things()) {
      for (const int target : targets()) {
        const Visit put{target, HouseVerb::kPut, thing};
        if (!verb) {
          consider({take(thing), put});
          continue;
        }
        for (const int device : devices) consider({take(thing), {device, *verb, thing}, put});
      }
    }
  }

  void consider_two() {
    for (const int target : targets()) {
      const auto bring = [&](int thing, Visits& visits) {
        if (house_.things[thing].place == target) return;
        visits.push_back(take(thing));
        visits.push_back({target, HouseVerb::kPut, thing});
      };
      for (const int first : wanted_things()) {
        for (const int second : wanted_things()) {
          if (first == second) continue;
          Visits visits;
          bring(first, visits);
          bring(second, visits);
          consider(visits);
        }
      }
    }
  }

  void consider(const Visits& visits) {
    const int length = length_of(visits);
    if (length >= best_length_) return;
    best_length_ = length;
    best_ = visits;
  }

  // Whether the visit with this index comes to a place that is still shut, and shall look or reach
  // into it.
  bool must_open(const Visits& visits, std::size_t index) const {
    const auto reaches = [](const Visit& visit) {
      return visit.verb == HouseVerb::kTake || visit.verb == HouseVerb::kPut;
    };
    const Visit& visit = visits[index];
    const HousePlace& place = house_.places[visit.place];
    if (!reaches(visit) || place.open || !find_place_kind(place.kind)->opens) return false;
    return std::none_of(
        visits.begin(), visits.begin() + static_cast<std::ptrdiff_t>(index),
        [&](const Visit& before) { return before.place == visit.place && reaches(before); });
  }

  int length_of(const Visits& visits) const {
    int length = 0;
    int room = house_.start;
    int at = -1;
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const int place = visits[i].place;
      const int next = house_.places[place].room;
      if (place != at) length += distance_[next][room] + 1;
      length += 1 + (must_open(visits, i) ? 1 : 0);
      room = next;
      at = place;
    }
    return length;
  }

  HouseCommand deed(const Visit& visit) const {
    if (visit.verb == HouseVerb::kUse) return {visit.verb, lamp_name(visit.object), ""};
    return {visit.verb, thing_name(house_, visit.object), place_name(house_, visit.place)};
  }

  std::vector<HouseCommand> commands(const Visits& visits) const {
    std::vector<HouseCommand> list;
    int room = house_.start;
    int at = -1;
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const int place = visits[i].place;
      const std::string name = place_name(house_, place);
      if (place != at) {
        const int goal = house_.places[place].room;
        while (room != goal) {
          room = first_step_[goal][room];
          list.push_back({HouseVerb::kGo, "", house_.rooms[room]});
        }
        list.push_back({HouseVerb::kGo, "", name});
      }
      if (must_open(visits, i)) list.push_back({HouseVerb::kOpen, "", name});
      list.push_back(deed(visits[i]));
      at = place;
    }
    return list;
  }

  const House& house_;
  std::vector<std::vector<int>> distance_;    // by goal and room: doors between them
  std::vector<std::vector<int>> first_step_;  // by goal and room: the next room on the way
  Visits best_;
  int best_length_ = kFar;
};

}  // namespace

std::vector<HouseCommand> shortest_plan(const House& house) { return Planner(house).plan(); }

}  // namespace redqueen
