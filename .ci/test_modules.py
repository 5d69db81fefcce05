"""What .ci/modules.py must see, on crates of a few lines: python3 .ci/test_modules.py"""
import importlib.util
import tempfile
import unittest
from pathlib import Path

spec = importlib.util.spec_from_file_location("modules", Path(__file__).with_name("modules.py"))
modules = importlib.util.module_from_spec(spec)
spec.loader.exec_module(modules)


def broken(order, row=None, **files):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "crate" / "src"
        for name, code in files.items():
            file = source / f"{name.replace('__', '/')}.rs"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(code)
        return modules.check(modules.Crate(source.parent), order.split(), row or {}, verbose=False)


LIB = "mod low;\nmod high;\npub use low::Low;\n"


class Directions(unittest.TestCase):
    def test_what_points_down_is_fine(self):
        self.assertEqual(broken("low high", lib=LIB, low="pub struct Low;", high="use crate::Low;"), [])

    def test_a_row_of_the_page_above_what_it_uses_is_named(self):
        code = {"lib": LIB, "low": "pub struct Low;", "high": "use crate::Low;"}
        self.assertEqual(broken("low high", {"low": 1, "high": 2}, **code), [])
        (line,) = broken("low high", {"low": 2, "high": 1}, **code)
        self.assertIn("high stands above low", line)

    def test_a_use_to_the_right_is_named(self):
        (line,) = broken("high low", lib=LIB, low="", high="fn f() { crate::low::g() }")
        self.assertIn("high.rs uses crate::low::g", line)

    def test_a_circle_is_named_through_reexports_and_nested_braces(self):
        lines = broken("low high", lib=LIB + "pub use high::High;\n", low="use crate::{other, High};", high="use crate::{Low};")
        self.assertTrue(any("a circle in crate: high low" in line for line in lines), lines)

    def test_siblings_below_the_top_are_looked_at(self):
        (line,) = broken(
            "a", lib="mod a;", a="mod b;\nmod c;\nuse self::b::B;", a__b="use super::c::C;", a__c="use super::B;"
        )
        self.assertIn("a circle in crate::a: b c", line)

    def test_parents_comments_texts_and_tests_do_not_count(self):
        high = """
            // crate::top::x()
            const TEXT: &str = "crate::top::x()";
            #[cfg(test)]
            mod tests { use crate::top::X; fn f() { let _ = '{'; } }
            fn g() { super::own() }
        """
        self.assertEqual(broken("high top", lib="mod high;\nmod top;\nfn own() {}", high=high, top="use crate::high;"), [])

    def test_a_module_that_is_not_listed_or_gone_is_named(self):
        lines = broken("low gone", lib=LIB, low="", high="")
        self.assertEqual(len(lines), 2, lines)


if __name__ == "__main__":
    unittest.main()
