// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/report/visible.hpp>

#include <string>

#include "catch.hpp"
#include "samples.hpp"

using pasta::display_width;
using pasta::is_utf8;
using pasta::visible;

TEST_CASE("valid and invalid UTF-8 are told apart") {
  for (char const* text :
       {"", "abc", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8d\x9d", "\xef\xbf\xbd", "\xf4\x8f\xbf\xbf"})
    CHECK(is_utf8(text));
  for (char const* text : {"\x80", "\xff", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xc3", "a\xe2\x28\xa1"}) {
    CHECK_FALSE(is_utf8(text));
  }
}

TEST_CASE("no control character, direction mark or wrong byte stays") {
  CHECK(visible("a\n\t\x1b[31mb\x7f") == "a\\n\\t\\x1b[31mb\\x7f");
  CHECK(visible("\xff\xc3") == "\\xff\\xc3");
  CHECK(visible("\xc2\x9b") == "\\u{9b}");            // the one-character form of ESC [
  CHECK(visible("x\xe2\x80\xaey") == "x\\u{202e}y");  // right to left from here on
  CHECK(visible("caf\xc3\xa9 \xe2\x82\xac") == "caf\xc3\xa9 \xe2\x82\xac");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (char const c : visible(all)) CHECK((c >= 0x20 && c < 0x7F));
}

TEST_CASE("the width is that of a terminal") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("\xc3\xa9") == 1);
  CHECK(display_width("e\xcc\x81") == 1);
  CHECK(display_width("\xe6\xbc\xa2") == 2);
}

TEST_CASE("a text is shortened to its width, characters whole") {
  CHECK(pasta::shorten_end("abcdef", 6) == "abcdef");
  CHECK(pasta::shorten_end("abcdefg", 6) == "abcd..");
  CHECK(pasta::shorten_end("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 5) == "\xe6\xbc\xa2..");
  CHECK(pasta::shorten_middle("transpose<float, 32, 8>", 14) == "transpos.., 8>");
  for (std::size_t width = 0; width < 30; ++width)
    CHECK(display_width(pasta::shorten_middle("transpose<float, 32, 8>", width)) <= width);
}
