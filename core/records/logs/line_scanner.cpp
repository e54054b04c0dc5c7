#include "records/logs/line_scanner.h"

#include "records/logs/step_hash.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace loopscope {

namespace {

bool isFigure(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// All functions return false at what they do not take. None goes beyond the control character behind the line, as none
/// takes one.
class Scanner {
  public:
    explicit Scanner(std::string_view text) : m_at(text.data()), m_end(text.data() + text.size()) {}

    [[nodiscard]] const char *at() const { return m_at; }
    [[nodiscard]] bool atEnd() const { return m_at == m_end; }

    void skipBlanks() {
        while (*m_at == ' ') ++m_at;
    }
    bool take(char c) {
        if (*m_at != c) {
            skipBlanks();
            if (*m_at != c) return false;
        }
        ++m_at;
        return true;
    }
    /// ", " as it is written.
    bool takeComma() {
        if (!take(',')) return false;
        if (*m_at == ' ') ++m_at;
        return true;
    }
    /// 'i', 'r' or 'v', or 'x' of a member that no version has; 0 where none begins.
    char takeMemberName() {
        if (!take('"')) return 0;
        char member = *m_at;
        if ((member == 'i' || member == 'r' || member == 'v') && m_at[1] == '"') {
            m_at += 2;
        } else {
            member = 'x';
            if (!passText(false)) return 0;
        }
        return take(':') ? member : '\0';
    }

    std::string_view takeCapitals() {
        const char *const begin = m_at;
        while (*m_at >= 'A' && *m_at <= 'Z' && m_at - begin < 5) ++m_at;
        return {begin, static_cast<size_t>(m_at - begin)};
    }
    /// Of at most 18 digits.
    bool takeWhole(int64_t &number) {
        if (!isFigure(*m_at)) {
            skipBlanks();
            if (!isFigure(*m_at)) return false;
        }
        const char *const begin = m_at;
        int64_t value = *m_at - '0';
        while (isFigure(*++m_at)) {
            if (m_at - begin == 18) return false;
            value = value * 10 + (*m_at - '0');
        }
        number = value;
        return *begin != '0' || m_at == begin + 1;
    }
    bool takeInt(int64_t &number) { return takeWhole(number) && number <= std::numeric_limits<int32_t>::max(); }

    bool takeReal(double &number) {
        skipBlanks();
        const char *const begin = m_at;
        const auto digits = [this] {
            const char *const first = m_at;
            while (isFigure(*m_at)) ++m_at;
            return m_at > first;
        };
        if (!digits() || (*begin == '0' && m_at > begin + 1)) return false;
        if (*m_at == '.') {
            ++m_at;
            if (!digits()) return false;
        }
        if (*m_at == 'e' || *m_at == 'E') {
            ++m_at;
            if (*m_at == '+' || *m_at == '-') ++m_at;
            if (!digits()) return false;
        }
        const auto read = std::from_chars(begin, m_at, number);
        return read.ec == std::errc() && read.ptr == m_at;
    }

    /// Of printable ASCII without escapes.
    bool takePlainString(std::string_view &text) {
        if (!take('"')) return false;
        const char *const begin = m_at;
        while (*m_at != '"') {
            const auto byte = static_cast<unsigned char>(*m_at);
            if (byte < 0x20 || byte >= 0x7F || byte == '\\') return false;
            ++m_at;
        }
        text = {begin, static_cast<size_t>(m_at - begin)};
        ++m_at;
        return true;
    }
    /// Up to the end of the array, whatever is in it; that it is one is known of its spelling.
    bool passArray() {
        if (!take('[')) return false;
        for (int depth = 1; depth > 0; ++m_at) {
            if (*m_at == '"') {
                for (++m_at; *m_at != '"'; ++m_at) {
                    if (*m_at == '\\') ++m_at;
                    if (isControl(*m_at)) return false;
                }
            } else if (*m_at == '[' || *m_at == '{') {
                ++depth;
            } else if (*m_at == ']' || *m_at == '}') {
                --depth;
            } else if (isControl(*m_at)) {
                return false;
            }
        }
        return true;
    }
    bool pass(std::string_view text) {
        if (std::string_view(m_at, static_cast<size_t>(m_end - m_at)).starts_with(text)) {
            m_at += text.size();
            return true;
        }
        return false;
    }

    /// A value that parseRecord reads without looking at it: valid, of no more levels than it allows.
    bool passValue(int levels) {
        skipBlanks();
        switch (*m_at) {
        case '"':
            ++m_at;
            return passText(true);
        case '[':
        case '{':
            return levels > 0 && passNested(levels - 1);
        case 't':
            return pass("true");
        case 'f':
            return pass("false");
        case 'n':
            return pass("null");
        default:
            return passNumber();
        }
    }

  private:
    static bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20; }

    bool passNested(int levels) {
        const bool object = *m_at++ == '{';
        const char end = object ? '}' : ']';
        if (take(end)) return true;
        do {
            if (object && (!take('"') || !passText(true) || !take(':'))) return false;
            if (!passValue(levels)) return false;
        } while (take(','));
        return take(end);
    }

    /// None that could be infinity.
    bool passNumber() {
        constexpr ptrdiff_t maxDigits = 40;
        constexpr ptrdiff_t maxExponent = 2;
        const char *const begin = m_at;
        const auto digits = [this] {
            const char *const first = m_at;
            while (isFigure(*m_at)) ++m_at;
            return m_at - first;
        };
        if (*m_at == '-') ++m_at;
        const bool zero = *m_at == '0';
        const ptrdiff_t whole = digits();
        if (whole == 0 || (zero && whole > 1)) return false;
        if (*m_at == '.') {
            ++m_at;
            if (digits() == 0) return false;
        }
        if (m_at - begin > maxDigits) return false;
        if (*m_at != 'e' && *m_at != 'E') return true;
        ++m_at;
        if (*m_at == '+' || *m_at == '-') ++m_at;
        const ptrdiff_t exponent = digits();
        return exponent > 0 && exponent <= maxExponent;
    }

    /// Up to and with the quote at its end: well-formed UTF-8, and escapes of one character where they are allowed.
    bool passText(bool escapes) {
        while (*m_at != '"') {
            const auto byte = static_cast<unsigned char>(*m_at);
            if (byte >= 0x80) {
                if (!passCharacter()) return false;
                continue;
            }
            if (byte < 0x20) return false;
            if (byte == '\\') {
                constexpr std::string_view known = "\"\\/bfnrt";
                if (!escapes || known.find(m_at[1]) == std::string_view::npos) return false;
                ++m_at;
            }
            ++m_at;
        }
        ++m_at;
        return true;
    }
    /// Of two to four bytes.
    bool passCharacter() {
        const auto byte = [this](ptrdiff_t i) { return static_cast<unsigned char>(m_at[i]); };
        const unsigned first = byte(0);
        if (first < 0xC2 || first > 0xF4) return false;
        const ptrdiff_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        // Neither longer than need be, nor half a pair, nor beyond the last character there is.
        const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (byte(1) < least || byte(1) > most) return false;
        for (ptrdiff_t i = 2; i < length; ++i)
            if (byte(i) < 0x80 || byte(i) > 0xBF) return false;
        m_at += length;
        return true;
    }

    const char *m_at;
    const char *m_end;
};

/// A list of steps, hashed as it is read, in the order of addStep.
class StepScanner {
  public:
    explicit StepScanner(Scanner &scanner) : m_in(scanner) {}

    bool takeAll() {
        if (!m_in.take('[')) return false;
        if (m_in.take(']')) return true;
        do {
            if (!takeStep()) return false;
            ++m_count;
        } while (m_in.takeComma());
        return m_in.take(']');
    }
    [[nodiscard]] size_t count() const { return m_count; }
    [[nodiscard]] const StepHash &hash() const { return m_hash; }

  private:
    bool takeStep() {
        if (!m_in.take('[') || !m_in.take('"')) return false;
        const uint64_t number = stepTagNumber(m_in.takeCapitals());
        if (!m_in.pass("\"")) return false; // a blank before it is of the tag
        m_hash.add(number);
        if (!numberNext()) return false; // the stage
        return takeElements(number) && m_in.take(']');
    }

    bool takeElements(uint64_t tag) {
        switch (tag) {
        case stepTagNumber("AN"):
            return numberNext() && m_in.takeComma() && m_in.takeWhole(m_number) && m_number <= 11 && added();
        case stepTagNumber("FU"):
        case stepTagNumber("RE"):
            return list();
        case stepTagNumber("PR"):
            if (!numberNext() || !text()) return false;
            m_hash.addPragma(m_text);
            return true;
        case stepTagNumber("SP"):
            return numberNext() && m_in.takeComma() && m_in.takeWhole(m_number) && added() && lengths() && flag();
        case stepTagNumber("FSP"):
        case stepTagNumber("SA"):
            return numberNext() && numberNext() && numberNext();
        case stepTagNumber("FFSP"):
            return numberNext() && list() && numberNext() && flag();
        case stepTagNumber("CA"):
        case stepTagNumber("RF"):
            return numberNext() && numberNext();
        case stepTagNumber("CI"):
        case stepTagNumber("CR"):
            return true;
        case stepTagNumber("CHR"):
            if (!text()) return false;
            m_hash.add(m_text);
            return list();
        case stepTagNumber("CHW"):
            if (!text()) return false;
            m_hash.add(m_text);
            return true;
        default:
            return false;
        }
    }

    bool added() {
        m_hash.add(static_cast<uint64_t>(m_number));
        return true;
    }
    bool numberNext() { return m_in.takeComma() && m_in.takeInt(m_number) && added(); }
    bool flag() { return m_in.takeComma() && m_in.takeWhole(m_number) && m_number <= 1 && added(); }
    bool text() { return m_in.takeComma() && m_in.takePlainString(m_text); }
    bool list() {
        if (!m_in.takeComma() || !m_in.take('[')) return false;
        if (!m_in.take(']')) {
            do {
                if (!m_in.takeInt(m_number)) return false;
                added();
            } while (m_in.takeComma());
            if (!m_in.take(']')) return false;
        }
        m_hash.end();
        return true;
    }
    bool lengths() {
        if (!m_in.takeComma() || !m_in.take('[')) return false;
        if (m_in.take(']')) return true;
        do {
            if (!m_in.takeWhole(m_number) || m_number < 1) return false;
            m_hash.addValue(static_cast<uint64_t>(m_number));
            m_hash.end();
        } while (m_in.takeComma());
        return m_in.take(']');
    }

    Scanner &m_in;
    StepHash m_hash;
    size_t m_count = 0;
    int64_t m_number = 0;
    std::string_view m_text;
};

constexpr double kNoTimeLogged = 1e10; // as in record/: nothing was timed

bool takeTimes(Scanner &in, TimesOfRecord &times, bool &positive) {
    if (!in.take('[')) return false;
    do {
        double seconds = 0;
        if (!in.takeReal(seconds)) return false;
        positive = positive && seconds > 0;
        if (seconds < kNoTimeLogged) times.add(seconds);
    } while (in.takeComma());
    return in.take(']');
}

constexpr int kLevels = 16; // of values inside a record, far fewer than parseRecord allows

/// A record whose members come in any order, each of the three that are known once.
class LineScanner {
  public:
    LineScanner(std::string_view line, std::string_view likely) : m_in(line), m_likely(likely), m_steps(m_in) {}

    std::optional<ScannedLine> scan() {
        if (!m_in.take('{')) return std::nullopt;
        do {
            if (!takeMember()) return std::nullopt;
        } while (m_in.take(','));
        if (!m_in.take('}') || !m_inputs || !m_results || !m_version) return std::nullopt;
        m_in.skipBlanks();
        if (!m_in.atEnd()) return std::nullopt;
        return ScannedLine{m_task, facts()};
    }

  private:
    bool takeMember() {
        switch (m_in.takeMemberName()) {
        case 'i':
            return !std::exchange(m_inputs, true) && takeInput();
        case 'r':
            return !std::exchange(m_results, true) && takeResult();
        case 'v': {
            std::string_view version;
            return !std::exchange(m_version, true) && m_in.takePlainString(version);
        }
        case 'x':
            return m_in.passValue(kLevels);
        default:
            return false;
        }
    }

    bool takeInput() {
        if (!m_in.take('[')) return false;
        m_in.skipBlanks();
        const char *const task = m_in.at();
        if ((m_likely.empty() || !m_in.pass(m_likely)) && !m_in.passArray()) return false;
        m_task = {task, static_cast<size_t>(m_in.at() - task)};
        return m_in.take(',') && m_in.take('[') && m_in.take('[') && m_in.take(']') && m_in.take(',') &&
               m_steps.takeAll() && m_in.take(']') && m_in.take(']');
    }

    bool takeResult() {
        double cost = 0;
        if (!m_in.take('[') || !takeTimes(m_in, m_times, m_positive) || !m_in.takeComma() || !m_in.takeWhole(m_error) ||
            m_error > static_cast<int>(TrialError::Unknown) || !m_in.takeComma() || !m_in.takeReal(cost) ||
            !m_in.takeComma() || !m_in.takeReal(m_timestamp) || !(m_timestamp < 1e18) || (m_error == 0 && !m_positive))
            return false;
        while (m_in.take(','))
            if (!m_in.passValue(kLevels)) return false;
        return m_in.take(']');
    }

    [[nodiscard]] LineFacts facts() const {
        const TimesOfRecord times = m_error != 0 ? TimesOfRecord() : m_times;
        LineFacts facts;
        facts.seconds = times.agreed();
        facts.spread = times.spread();
        facts.timestamp = static_cast<int64_t>(m_timestamp);
        facts.steps = m_steps.hash().steps();
        facts.structure = m_steps.hash().structure();
        facts.stepCount = static_cast<uint16_t>(std::min<size_t>(m_steps.count(), UINT16_MAX));
        facts.repeats = static_cast<uint16_t>(std::min<size_t>(times.count(), UINT16_MAX));
        facts.error = static_cast<TrialError>(m_error);
        return facts;
    }

    Scanner m_in;
    std::string_view m_likely;
    std::string_view m_task;
    StepScanner m_steps;
    TimesOfRecord m_times;
    bool m_positive = true;
    int64_t m_error = 0;
    double m_timestamp = 0;
    bool m_inputs = false;
    bool m_results = false;
    bool m_version = false;
};

} // namespace

std::optional<ScannedLine> scanLine(std::string_view line, std::string_view likely) {
    return LineScanner(line, likely).scan();
}

} // namespace loopscope
