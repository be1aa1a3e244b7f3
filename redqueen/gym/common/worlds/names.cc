#include "redqueen/gym/common/worlds/names.h"

#include <fmt/format.h>

#include <array>

namespace redqueen {
namespace {

constexpr std::array<std::string_view, 36> kFirstNames{
    "Alva",  "Bero",   "Cilia",  "Dagny",  "Edric", "Fenna", "Goran",  "Hedda",  "Ilmar",
    "Jorin", "Kasia",  "Leoric", "Mirel",  "Nadim", "Oleta", "Pavo",   "Quilla", "Runa",
    "Sefa",  "Tomas",  "Ulla",   "Varek",  "Wenda", "Xavin", "Yorick", "Zelda",  "Anselm",
    "Brida", "Corvin", "Delia",  "Emeric", "Flora", "Gisel", "Hanno",  "Irena",  "Jasper"};
constexpr std::array<std::string_view, 40> kLastNames{
    "Abelard", "Brandt",  "Calder",  "Dorn",   "Elsner",  "Falk",   "Garrow",  "Hallam",
    "Ister",   "Jarvik",  "Kestner", "Lorne",  "Marwick", "Nordal", "Ostrand", "Pellam",
    "Quist",   "Rademar", "Sorrel",  "Thane",  "Ulmer",   "Vantor", "Wexley",  "Yarrow",
    "Zander",  "Ashby",   "Birk",    "Corran", "Delmar",  "Ebner",  "Fairfax", "Grell",
    "Harrow",  "Inmar",   "Keld",    "Lindow", "Mortlak", "Nesbit", "Orlow",   "Pryce"};
constexpr std::array<std::string_view, 24> kCityStems{
    "Ald", "Brem",  "Carn", "Dun", "Esk",  "Fair",  "Gren", "Hal",  "Iver", "Kel", "Lund", "Mar",
    "Nor", "Oster", "Pol",  "Rav", "Stal", "Thorn", "Ulv",  "Vens", "Wist", "Yar", "Zel",  "Brack"};
constexpr std::array<std::string_view, 10> kCityEnds{"burg", "haven",  "ford",  "mouth", "stad",
                                                     "wick", "bridge", "field", "holm",  "gate"};
constexpr std::array<std::string_view, 12> kRegionStems{"Ard", "Bel",  "Cor", "Drav", "Est", "Fal",
                                                        "Gal", "Hest", "Ist", "Lev",  "Mor", "Sil"};
constexpr std::array<std::string_view, 4> kRegionEnds{"mark", "avia", "land", "onia"};

}  // namespace

std::vector<std::string> draw_names(int count, std::span<const std::string_view> first,
                                    std::string_view between,
                                    std::span<const std::string_view> last, Rng& rng) {
  std::vector<std::string> names;
  const auto all = static_cast<std::int64_t>(first.size() * last.size());
  for (const std::int64_t drawn : rng.sample(0, all - 1, static_cast<std::size_t>(count))) {
    const auto i = static_cast<std::size_t>(drawn);
    names.push_back(fmt::format("{}{}{}", first[i / last.size()], between, last[i % last.size()]));
  }
  return names;
}

std::vector<std::string> draw_person_names(int count, Rng& rng) {
  return draw_names(count, kFirstNames, " ", kLastNames, rng);
}

std::vector<std::string> draw_city_names(int count, Rng& rng) {
  return draw_names(count, kCityStems, "", kCityEnds, rng);
}

std::vector<std::string> draw_region_names(int count, Rng& rng) {
  return draw_names(count, kRegionStems, "", kRegionEnds, rng);
}

}  // namespace redqueen
