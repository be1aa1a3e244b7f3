#include "redqueen/cli/gym/gallery_page.h"

#include <fmt/format.h>

#include "redqueen/run/report/html.h"

namespace redqueen {
namespace {

using run::html_escape;

constexpr const char* kStyle =
    R"(:root{--page:#fff;--ink:#1a1d23;--muted:#5a6372;--line:#d7dce4;--code:#f4f6f9;--brand:#b3123f}
@media (prefers-color-scheme:dark){:root{--page:#0f1116;--ink:#e8eaef;--muted:#a2abba;--line:#2a2f3a;--code:#181b22;--brand:#ff6b8f}}
body{margin:0 auto;padding:1rem;max-width:70rem;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
a{color:var(--brand)}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding-bottom:1rem;border-bottom:1px solid var(--line)}
details{border-bottom:1px solid var(--line);padding:.4rem 0}
summary{cursor:pointer;overflow-wrap:anywhere}
summary span{color:var(--muted);font-weight:normal}
pre{background:var(--code);padding:.75rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
dt{color:var(--muted)}dd{margin:0 0 .5rem 0}
)";

std::string samples_of(const GalleryEntry& entry) {
  std::string html;
  for (const GallerySample& sample : entry.samples) {
    html += fmt::format(
        "<h4>Level {}, <code>{}</code></h4><pre>{}</pre><p>An answer that solves it:</p>"
        "<pre>{}</pre><p>{}</p>",
        sample.level, html_escape(sample.address), html_escape(sample.prompt),
        html_escape(sample.answer), html_escape(sample.guess));
  }
  return html;
}

std::string entry_of(const GalleryEntry& entry) {
  std::string facts;
  for (const auto& [what, fact] : entry.facts)
    facts += fmt::format("<dt>{}</dt><dd>{}</dd>", html_escape(what), html_escape(fact));
  return fmt::format(
      "<details id=\"{0}\"><summary><strong>{0}</strong> <span>{1}</span></summary><dl>{2}</dl>{3}"
      "</details>\n",
      html_escape(entry.name), html_escape(entry.task), facts, samples_of(entry));
}

}  // namespace

std::string gallery_page(const Gallery& gallery) {
  std::size_t count = 0;
  std::string links;
  std::string families;
  for (const auto& [family, entries] : gallery) {
    count += entries.size();
    const std::string name = html_escape(family);
    links += fmt::format("<a href=\"#family-{0}\">{0} ({1})</a>\n", name, entries.size());
    families += fmt::format("<section><h2 id=\"family-{0}\">{0}</h2>\n", name);
    for (const GalleryEntry& entry : entries) families += entry_of(entry);
    families += "</section>\n";
  }
  return run::html_page(
      "RedQueen: environments", kStyle,
      fmt::format(
          "<main><h1>{} environments</h1>\n<nav aria-label=\"Families\">{}</nav>\n{}</main>", count,
          links, families));
}

}  // namespace redqueen
