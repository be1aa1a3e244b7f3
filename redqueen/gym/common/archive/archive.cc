#include "redqueen/gym/common/archive/archive.h"

#include <algorithm>
#include <array>
#include <set>

#include "redqueen/base/enum_names.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/worlds/names.h"
#include "redqueen/gym/common/worlds/words.h"

namespace redqueen {
namespace {

constexpr auto kKinds = enum_names<ArchiveKind>({{"person", ArchiveKind::kPerson},
                                                 {"city", ArchiveKind::kCity},
                                                 {"region", ArchiveKind::kRegion},
                                                 {"school", ArchiveKind::kSchool},
                                                 {"novel", ArchiveKind::kNovel}});

// A relation that is the member `Field` of the entries in the list `List`.
template <auto List, auto Field>
constexpr ArchiveRelation relation(std::string_view name, ArchiveKind from, ArchiveKind to,
                                   std::string_view phrase, std::string_view sentence) {
  return {name,
          from,
          to,
          phrase,
          sentence,
          [](const Archive& archive, int index) { return (archive.*List)[index].*Field; },
          [](Archive& archive, int index) { (archive.*List)[index].*Field = -1; }};
}

constexpr auto kPeople = &Archive::people;
constexpr auto kCities = &Archive::cities;
constexpr auto kRegions = &Archive::regions;
constexpr auto kSchools = &Archive::schools;
constexpr auto kNovels = &Archive::novels;

constexpr std::array kRelations{
    relation<kPeople, &ArchivePerson::birthplace>("birthplace", ArchiveKind::kPerson,
                                                  ArchiveKind::kCity, "the birthplace of",
                                                  "{0} was born in {1}."),
    relation<kPeople, &ArchivePerson::teacher>("teacher", ArchiveKind::kPerson,
                                               ArchiveKind::kPerson, "the teacher of",
                                               "The teacher of {0} was {1}."),
    relation<kPeople, &ArchivePerson::school>("school", ArchiveKind::kPerson, ArchiveKind::kSchool,
                                              "the school attended by", "{0} attended {1}."),
    relation<kCities, &ArchiveCity::region>("region", ArchiveKind::kCity, ArchiveKind::kRegion,
                                            "the region of", "{0} is a city in the region {1}."),
    relation<kCities, &ArchiveCity::mayor>("mayor", ArchiveKind::kCity, ArchiveKind::kPerson,
                                           "the first mayor of", "The first mayor of {0} was {1}."),
    relation<kRegions, &ArchiveRegion::capital>("capital", ArchiveKind::kRegion, ArchiveKind::kCity,
                                                "the capital of", "The capital of {0} is {1}."),
    relation<kSchools, &ArchiveSchool::founder>("founder", ArchiveKind::kSchool,
                                                ArchiveKind::kPerson, "the founder of",
                                                "{0} was founded by {1}."),
    relation<kSchools, &ArchiveSchool::seat>("seat", ArchiveKind::kSchool, ArchiveKind::kCity,
                                             "the seat of", "The seat of {0} is {1}."),
    relation<kNovels, &ArchiveNovel::author>("author", ArchiveKind::kNovel, ArchiveKind::kPerson,
                                             "the author of", "{0} is a novel by {1}."),
    relation<kNovels, &ArchiveNovel::setting>("setting", ArchiveKind::kNovel, ArchiveKind::kCity,
                                              "the setting of", "The setting of {0} is {1}."),
};

// ------------------------------------------------------------------------------------------------
// Names

constexpr std::array<std::string_view, 20> kSchoolNames{
    "Amber",  "Birch", "Cedar",   "Crown",   "Eagle",  "Falcon", "Garnet",
    "Heron",  "Ivory", "Juniper", "Lantern", "Linden", "Maple",  "Meadow",
    "Osprey", "Raven", "River",   "Silver",  "Summit", "Willow"};
constexpr std::array<std::string_view, 4> kSchoolEnds{"Academy", "College", "Institute", "Lyceum"};
constexpr std::array<std::string_view, 20> kNovelWords{
    "Silent",    "Broken",  "Hidden", "Golden",    "Distant",  "Burning", "Frozen",
    "Wandering", "Crooked", "Last",   "Pale",      "Borrowed", "Hollow",  "Patient",
    "Scarlet",   "Sunken",  "Tender", "Unwritten", "Winter",   "Second"};
constexpr std::array<std::string_view, 24> kNovelThings{
    "Harbour", "Mill",  "Orchard", "Clock",  "Letter", "Garden", "Bridge",   "Lighthouse",
    "Mirror",  "Tower", "Forest",  "Violin", "Island", "Ledger", "Compass",  "Window",
    "Stair",   "Well",  "Meadow",  "Map",    "Key",    "Ferry",  "Carousel", "Field"};

int any_of(std::size_t count, Rng& rng) { return static_cast<int>(rng.below(count)); }

// A school that was there when somebody was eighteen, or -1.
int school_in_youth(const Archive& archive, int born, Rng& rng) {
  std::vector<int> open;
  for (int i = 0; i < std::ssize(archive.schools); ++i) {
    if (archive.schools[i].founded <= born + 18) open.push_back(i);
  }
  return open.empty() ? -1 : rng.choice(open);
}

// Somebody born at least so many years before, or -1.
int somebody_older(const Archive& archive, int year, int years, Rng& rng) {
  std::vector<int> older;
  for (int i = 0; i < std::ssize(archive.people); ++i) {
    if (archive.people[i].born + years <= year) older.push_back(i);
  }
  return older.empty() ? -1 : rng.choice(older);
}

constexpr int kFirstBirth = 1780;
constexpr int kLastBirth = 1939;

void draw_people(Archive& archive, const ArchiveSize& size, Rng& rng) {
  for (const std::string& name : draw_person_names(size.people, rng)) {
    archive.people.push_back({.name = name,
                              .birthplace = any_of(archive.cities.size(), rng),
                              .born = static_cast<int>(rng.integer(kFirstBirth, kLastBirth))});
  }
}

void draw_schools(Archive& archive, const ArchiveSize& size, Rng& rng) {
  for (const std::string& name : draw_names(size.schools, kSchoolNames, " ", kSchoolEnds, rng)) {
    const int founder = any_of(archive.people.size(), rng);
    archive.schools.push_back(
        {.name = name,
         .founder = founder,
         .seat = any_of(archive.cities.size(), rng),
         .founded = archive.people[founder].born + static_cast<int>(rng.integer(25, 60))});
  }
}

void draw_novels(Archive& archive, const ArchiveSize& size, Rng& rng) {
  for (const std::string& name : draw_names(size.novels, kNovelWords, " ", kNovelThings, rng)) {
    const int author = any_of(archive.people.size(), rng);
    archive.novels.push_back(
        {.name = "The " + name,
         .author = author,
         .setting = any_of(archive.cities.size(), rng),
         .published = archive.people[author].born + static_cast<int>(rng.integer(22, 65))});
  }
}

template <typename Items>
Status check_names(std::string_view key, const Items& items, std::set<std::string>& known) {
  constexpr std::size_t kMostBytes = 80;
  RETURN_IF_ERROR(within(key, std::ssize(items), 1, kMostArchiveEntries));
  for (const auto& item : items) {
    const std::string plain = normalised(item.name);
    if (plain.empty() || item.name.size() > kMostBytes || quotable(item.name) != item.name) {
      return failure("\"{}\": a name is one line of 1 to {} bytes", key, kMostBytes);
    }
    if (!known.insert(plain).second) {
      return failure("\"{}\": the name \"{}\" is there twice", key, item.name);
    }
  }
  return {};
}

// The key of a kind's list in the parameter.
std::string_view list_key(ArchiveKind kind) {
  constexpr std::array<std::string_view, kArchiveKinds> kKeys{"people", "cities", "regions",
                                                              "schools", "novels"};
  return kKeys[static_cast<std::size_t>(kind)];
}

}  // namespace

std::span<const ArchiveRelation> archive_relations() { return kRelations; }

const ArchiveRelation* find_archive_relation(std::string_view name) {
  const auto found = std::ranges::find(kRelations, name, &ArchiveRelation::name);
  return found == kRelations.end() ? nullptr : &*found;
}

int count_of(const Archive& archive, ArchiveKind kind) {
  switch (kind) {
    case ArchiveKind::kPerson:
      return static_cast<int>(archive.people.size());
    case ArchiveKind::kCity:
      return static_cast<int>(archive.cities.size());
    case ArchiveKind::kRegion:
      return static_cast<int>(archive.regions.size());
    case ArchiveKind::kSchool:
      return static_cast<int>(archive.schools.size());
    case ArchiveKind::kNovel:
      break;
  }
  return static_cast<int>(archive.novels.size());
}

const std::string& name_of(const Archive& archive, ArchiveEntry entry) {
  switch (entry.kind) {
    case ArchiveKind::kPerson:
      return archive.people[entry.index].name;
    case ArchiveKind::kCity:
      return archive.cities[entry.index].name;
    case ArchiveKind::kRegion:
      return archive.regions[entry.index].name;
    case ArchiveKind::kSchool:
      return archive.schools[entry.index].name;
    case ArchiveKind::kNovel:
      break;
  }
  return archive.novels[entry.index].name;
}

std::string_view kind_name(ArchiveKind kind) { return kKinds.name(kind); }

std::optional<ArchiveKind> find_archive_kind(std::string_view name) { return kKinds.find(name); }

int year_of(const Archive& archive, ArchiveEntry entry) {
  switch (entry.kind) {
    case ArchiveKind::kPerson:
      return archive.people[entry.index].born;
    case ArchiveKind::kCity:
      return archive.cities[entry.index].founded;
    case ArchiveKind::kRegion:
      return 0;
    case ArchiveKind::kSchool:
      return archive.schools[entry.index].founded;
    case ArchiveKind::kNovel:
      break;
  }
  return archive.novels[entry.index].published;
}

void forget_year(Archive& archive, ArchiveEntry entry) {
  if (entry.kind == ArchiveKind::kPerson) archive.people[entry.index].born = 0;
  if (entry.kind == ArchiveKind::kCity) archive.cities[entry.index].founded = 0;
  if (entry.kind == ArchiveKind::kSchool) archive.schools[entry.index].founded = 0;
  if (entry.kind == ArchiveKind::kNovel) archive.novels[entry.index].published = 0;
}

std::string_view year_word(ArchiveKind kind) {
  constexpr std::array<std::string_view, kArchiveKinds> kWords{"born", "founded", "", "founded",
                                                               "published"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::vector<ArchiveEntry> archive_entries(const Archive& archive) {
  std::vector<ArchiveEntry> entries;
  for (int kind = 0; kind < kArchiveKinds; ++kind) {
    const auto of = static_cast<ArchiveKind>(kind);
    for (int index = 0; index < count_of(archive, of); ++index) entries.push_back({of, index});
  }
  return entries;
}

std::vector<std::string> document_of(const Archive& archive, ArchiveEntry entry) {
  const std::string& name = name_of(archive, entry);
  std::vector<std::string> sentences;
  for (const ArchiveRelation& relation : kRelations) {
    if (relation.from != entry.kind) continue;
    const int target = relation.follow(archive, entry.index);
    if (target < 0) continue;
    sentences.push_back(fmt::format(fmt::runtime(relation.sentence), name,
                                    name_of(archive, {relation.to, target})));
  }
  if (const int year = year_of(archive, entry); year > 0) {
    sentences.push_back(fmt::format("{} was {} in {}.", name, year_word(entry.kind), year));
  }
  if (sentences.empty()) {
    sentences.push_back(
        fmt::format("Nothing more is known of the {} {}.", kind_name(entry.kind), name));
  }
  return sentences;
}

Status check_archive(const Archive& archive) {
  std::set<std::string> known;
  RETURN_IF_ERROR(check_names("people", archive.people, known));
  RETURN_IF_ERROR(check_names("cities", archive.cities, known));
  RETURN_IF_ERROR(check_names("regions", archive.regions, known));
  RETURN_IF_ERROR(check_names("schools", archive.schools, known));
  RETURN_IF_ERROR(check_names("novels", archive.novels, known));
  for (const ArchiveEntry entry : archive_entries(archive)) {
    constexpr int kLastYear = 2100;
    const std::string_view key = list_key(entry.kind);
    RETURN_IF_ERROR(within(key, year_of(archive, entry), 0, kLastYear));
    for (const ArchiveRelation& relation : kRelations) {
      if (relation.from != entry.kind) continue;
      RETURN_IF_ERROR(within(key, relation.follow(archive, entry.index), -1,
                             count_of(archive, relation.to) - 1));
    }
  }
  return {};
}

Archive draw_archive(const ArchiveSize& size, Rng& rng) {
  Archive archive;
  for (const std::string& name : draw_region_names(size.regions, rng)) {
    archive.regions.push_back({.name = name});
  }
  for (const std::string& name : draw_city_names(size.cities, rng)) {
    // No region is without a city.
    const bool first = archive.cities.size() < archive.regions.size();
    archive.cities.push_back({.name = name,
                              .region = first ? static_cast<int>(archive.cities.size())
                                              : any_of(archive.regions.size(), rng),
                              .founded = static_cast<int>(rng.integer(900, 1700))});
  }
  draw_people(archive, size, rng);
  draw_schools(archive, size, rng);
  draw_novels(archive, size, rng);
  for (int region = 0; region < size.regions; ++region) {
    std::vector<int> cities;
    for (int city = 0; city < size.cities; ++city) {
      if (archive.cities[city].region == region) cities.push_back(city);
    }
    archive.regions[region].capital = rng.choice(cities);
  }
  for (ArchiveCity& city : archive.cities) city.mayor = any_of(archive.people.size(), rng);
  for (ArchivePerson& person : archive.people) {
    person.teacher = somebody_older(archive, person.born, 15, rng);
    person.school = school_in_youth(archive, person.born, rng);
  }
  return archive;
}

}  // namespace redqueen
