#pragma once
// What is wrong with a file that was changed anywhere: what tests of all readers begin with.

#include "base/json_text.h"
#include "base/random.h"

#include <QString>

#include <string>

namespace loopscope {

using MutatedJson = nlohmann::ordered_json;

/// In a line; bytes that are no UTF-8 are replaced.
std::string dumped(const MutatedJson &json);
/// One value anywhere in the document is another, is gone, or is there twice.
void changeValue(MutatedJson &json, Random &random);
/// Of text in any language: pieces of it are gone, there twice, or something else.
std::string changedText(std::string text, Random &random);
/// A document changed where its values are, or its text changed anywhere.
std::string changedJson(const std::string &text, Random &random);

/// What is wrong with the sentence a reader ends with: that there is none, or that it is of a library; empty when it is
/// right.
QString wrongSentence(const std::string &sentence);

} // namespace loopscope
