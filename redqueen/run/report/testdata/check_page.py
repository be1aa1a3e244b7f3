"""Fails unless a page is whole: UTF-8, balanced tags, nothing that runs, nothing that is fetched.

  check_page.py PAGE EXPECTED_TEXT…     every EXPECTED_TEXT must be visible on the page
"""

import sys
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "input", "link"}
ALLOWED = set(
    "html head meta title style body main header h1 h2 h3 small p div span b i table thead tbody tr th td"
    " details summary code pre svg polyline polygon circle text".split()
)


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open_tags = []
        self.text = []

    def handle_starttag(self, tag, attributes):
        assert tag in ALLOWED, f"unexpected <{tag}>"
        for name, value in attributes:
            assert not name.startswith("on") and name not in {"src", "href", "xlink:href"}, f"{name}={value}"
            assert name != "style", "inline style"
        if tag not in VOID and not self.get_starttag_text().endswith("/>"):
            self.open_tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open_tags and self.open_tags[-1] == tag, f"</{tag}> closes {self.open_tags[-1:]}"
        self.open_tags.pop()

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_data(self, data):
        self.text.append(data)


with open(sys.argv[1], "rb") as file:
    content = file.read().decode("utf-8", errors="strict")
page = Page()
page.feed(content)
page.close()
assert not page.open_tags, page.open_tags
assert "default-src 'none'" in content
assert "url(" not in content and "@import" not in content
text = "".join(page.text)
for expected in sys.argv[2:]:
    assert expected in text, f"{expected!r} is not on the page"
