#pragma once
// Numbers as people read them, the same in every view, and strings across the border between core and Qt.

#include <QString>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

class ComputeDag;

inline QString qt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }
inline std::string std8(const QString &text) { return text.toStdString(); }

QString timeText(double seconds); // "1.234 ms"; "–" when not finite
/// "1.234 ms (1.21 ms to 1.25 ms)"; the time alone where the interval is too narrow to be told from it.
QString timeWithinText(double seconds, double low, double high);
QString gflopsText(double gflops);                    // "143.7 GFLOP/s"
QString bytesText(int64_t bytes);                     // "48.0 KiB"
QString countText(double count);                      // "231.2 M", for FLOPs
QString percentText(double share);                    // "61.3 %"
QString deltaText(double change);                     // "-12.3 %", with a real minus sign, of a change of -0.123
QString shapeText(const std::vector<int64_t> &shape); // "1 x 512 x 7 x 7" with real multiplication signs
QString durationText(double seconds);                 // "1 min 12 s"
QString trialCountText(size_t trials);                // "1 trial", "64 trials"
/// "1 stage", "7 stages"; `plural` where an s does not make it.
QString countedText(size_t count, const char *one, const char *plural = nullptr);
/// What core says after a colon, where it stands alone: beginning with a capital.
QString asSentence(QString text);
/// The computed ops of a ComputeDAG, as every view counts them; placeholders are inputs.
size_t stageCount(const ComputeDag &dag);

} // namespace loopscope
