#pragma once
// The numbers by which CodeEditor's markers, margins, indicators and annotation styles go inside Scintilla.

namespace loopscope {

inline constexpr int kCaretMarker = 0; // the line the caret is on
inline constexpr int kFirstMarker = 1; // those of LineMark, in its order
enum class Margin : int { Numbers, Bars, Folds };
enum class Indicator : int { Problem = 8, Warning, Match, CurrentMatch };
enum class AnnotationStyle : int { Problem = 24, Warning };

constexpr long number(Margin margin) { return static_cast<long>(margin); }
constexpr long number(Indicator indicator) { return static_cast<long>(indicator); }
constexpr long number(AnnotationStyle style) { return static_cast<long>(style); }

} // namespace loopscope
