"""Tests of batches.py: what may share a batch, and how a test stands in it."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("batches.py")
HEADER = "namespace redqueen {\n\nint size(long a);\n\n}  // namespace redqueen\n"


def source(body, public="", includes=""):
    return f"{includes}\nnamespace redqueen {{\nnamespace {{\n\n{body}\n}}  // namespace\n\n{public}\n}}  // namespace redqueen\n"


class Batches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "redqueen").mkdir()
        self.write("size.h", HEADER)

    def write(self, name, text):
        (self.root / "redqueen" / name).write_text(text, encoding="utf-8")

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, "-B", SCRIPT, *arguments], capture_output=True, text=True)

    def share(self, one, other):
        self.write("a.cc", one)
        self.write("b.cc", other)
        chosen = self.run_script("choose", "1", self.root, "redqueen/a.cc", "redqueen/b.cc")
        self.assertEqual(chosen.returncode, 0, chosen.stderr)
        return "alone" not in chosen.stdout

    def test_overloads_are_kept_apart(self):
        template = source("template <typename T>\nvoid write(T number) {\n  number.go();\n}\n", "int f() { return 1; }\n")
        self.assertFalse(self.share(template, source("std::vector<int> write(std::size_t number) {\n}\n", "int g();\n")))
        self.assertFalse(self.share(template, "namespace redqueen {\nint g() { return write(3); }\n}\n"))
        self.assertFalse(self.share(template, "static void write(int a) {}\n"))

    def test_types_and_constants_are_kept_apart(self):
        for name in ("struct Row {\n  int a = 0;\n};\n", "enum class Row : char { kOne };\n", "constexpr int Row = 3;\n",
                     "const std::regex Row{\"a\"};\n", "using Row = int;\n"):
            self.assertFalse(self.share(source(name, "int f();\n"), "namespace redqueen {\nRow g();\n}\n"), name)

    def test_members_texts_and_comments_are_no_use(self):
        other = 'namespace redqueen {\n// write()\nint g(File file) { return file.write("write"); }\n}\n'
        self.assertTrue(self.share(source("void write(int a) {}\n", "int f();\n"), other))

    def test_a_header_of_the_other_one_may_not_overload(self):
        own = source("int size(int a) { return a; }\n", "int f() { return size(1); }\n")
        including = '#include "redqueen/size.h"\nnamespace redqueen {\nint g() { return 1; }\n}\n'
        self.assertFalse(self.share(own, including))
        self.assertTrue(self.share('#include "redqueen/size.h"\n' + own.replace("size", "length"), including))

    def test_tests_of_equal_names_share_a_batch(self):
        text = "#include <vector>\n\nnamespace redqueen {\nnamespace {\n\nint size() { return 1; }\n\n}  // namespace\n}  // namespace redqueen\n"
        self.assertTrue(self.share(text, text))
        written = self.run_script("write", self.root / "batch.cc", self.root, "redqueen/a.cc", "redqueen/b.cc")
        self.assertEqual(written.returncode, 0, written.stderr)
        batch = (self.root / "batch.cc").read_text(encoding="utf-8")
        for name in "ab":
            self.assertIn(f'#line 1 "redqueen/{name}.cc"\n#include <vector>\n\nnamespace redqueen {{ namespace file_redqueen_{name} {{\n', batch)
        self.assertEqual(batch.count("{"), batch.count("}"))

    def test_what_no_longer_fits_is_refused(self):
        self.assertFalse(self.share(source("int size() { return 1; }\n", "int f();\n"), source("int size(int) { return 1; }\n", "int g();\n")))
        written = self.run_script("write", self.root / "batch.cc", self.root, "redqueen/a.cc", "redqueen/b.cc")
        self.assertIn("(size); configure again", written.stderr)
        self.assertEqual(written.returncode, 1)


if __name__ == "__main__":
    unittest.main()
