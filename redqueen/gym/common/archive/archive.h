// A small made-up world of people, cities, regions, schools and novels, told in one document for
// each. The multihop world asks about it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/field_list.h"
#include "redqueen/base/rng.h"

namespace redqueen {

// An index of -1 and a year of 0: no document tells.
struct ArchivePerson {
  std::string name;
  int birthplace = -1;  // a city
  int teacher = -1;     // a person
  int school = -1;
  int born = 0;
  REDQUEEN_FIELDS(name, birthplace, teacher, school, born)
};

struct ArchiveCity {
  std::string name;
  int region = -1;
  int mayor = -1;  // a person
  int founded = 0;
  REDQUEEN_FIELDS(name, region, mayor, founded)
};

struct ArchiveRegion {
  std::string name;
  int capital = -1;  // a city
  REDQUEEN_FIELDS(name, capital)
};

struct ArchiveSchool {
  std::string name;
  int founder = -1;  // a person
  int seat = -1;     // a city
  int founded = 0;
  REDQUEEN_FIELDS(name, founder, seat, founded)
};

struct ArchiveNovel {
  std::string name;
  int author = -1;   // a person
  int setting = -1;  // a city
  int published = 0;
  REDQUEEN_FIELDS(name, author, setting, published)
};

struct Archive {
  std::vector<ArchivePerson> people;
  std::vector<ArchiveCity> cities;
  std::vector<ArchiveRegion> regions;
  std::vector<ArchiveSchool> schools;
  std::vector<ArchiveNovel> novels;
  REDQUEEN_FIELDS(people, cities, regions, schools, novels)
};

enum class ArchiveKind { kPerson, kCity, kRegion, kSchool, kNovel };
inline constexpr int kArchiveKinds = 5;

// An entry: the subject of one document, whose title is its name.
struct ArchiveEntry {
  ArchiveKind kind = ArchiveKind::kPerson;
  int index = 0;
  bool operator==(const ArchiveEntry&) const = default;
};

// A relation leads from every entry of one kind to at most one of another.
struct ArchiveRelation {
  std::string_view name;
  ArchiveKind from;
  ArchiveKind to;
  std::string_view phrase;    // "the birthplace of"
  std::string_view sentence;  // "{0} was born in {1}."
  int (*follow)(const Archive&, int);
  void (*forget)(Archive&, int);  // makes it -1
};
std::span<const ArchiveRelation> archive_relations();
const ArchiveRelation* find_archive_relation(std::string_view name);

int count_of(const Archive& archive, ArchiveKind kind);
const std::string& name_of(const Archive& archive, ArchiveEntry entry);
std::string_view kind_name(ArchiveKind kind);  // "person"
std::optional<ArchiveKind> find_archive_kind(std::string_view name);

// The year of an entry: of birth, of founding, of publication. 0: untold, or the entry is a region.
int year_of(const Archive& archive, ArchiveEntry entry);
void forget_year(Archive& archive, ArchiveEntry entry);
// "born", "founded", "published"; "" of regions.
std::string_view year_word(ArchiveKind kind);

// All entries in a fixed order: the order of the documents.
std::vector<ArchiveEntry> archive_entries(const Archive& archive);

// The sentences of an entry's document.
std::vector<std::string> document_of(const Archive& archive, ArchiveEntry entry);

// An error that names the key unless every list has 1 to kMostArchiveEntries entries, names are
// told apart when they are normalised (common/worlds/words.h) and not empty, indices point to
// entries, and years lie in 0..2100.
inline constexpr int kMostArchiveEntries = 200;
Status check_archive(const Archive& archive);

// Sizes of an archive that is drawn.
struct ArchiveSize {
  int people = 0;
  int cities = 0;
  int regions = 0;
  int schools = 0;
  int novels = 0;
};

// Every fact is told but those that cannot be: teachers are older than their pupils, schools are
// attended when they are there, a capital lies in its region. cities ≥ regions; at most 48 regions,
// 80 schools, 200 of the rest.
Archive draw_archive(const ArchiveSize& size, Rng& rng);

}  // namespace redqueen
