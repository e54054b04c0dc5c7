#include "logs/line_scanner.h"

#include "logs/step_hash.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

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
    bool takeName(char letter) {
        if (!take('"') || *m_at != letter || m_at[1] != '"') return false;
        m_at += 2;
        return take(':');
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
    /// Of whatever stands between quotes.
    bool passString() {
        if (!take('"')) return false;
        for (; *m_at != '"'; ++m_at) {
            if (*m_at == '\\') ++m_at;
            if (static_cast<unsigned char>(*m_at) < 0x20) return false;
        }
        ++m_at;
        return true;
    }
    /// Of numbers and strings, up to its end.
    bool passFlatList() {
        if (!take('[')) return false;
        for (; *m_at != ']'; ++m_at) {
            if (static_cast<unsigned char>(*m_at) < 0x20 || *m_at == '[' || *m_at == '{') return false;
            if (*m_at != '"') continue;
            if (!passString()) return false;
            --m_at;
        }
        ++m_at;
        return true;
    }

  private:
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
        if (!m_in.take('"')) return false;
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

bool takeTimes(Scanner &in, TimesOfRecord &times, bool &positive) {
    if (!in.take('[')) return false;
    do {
        double seconds = 0;
        if (!in.takeReal(seconds)) return false;
        positive = positive && seconds > 0;
        times.add(seconds);
    } while (in.takeComma());
    return in.take(']');
}

} // namespace

std::string_view taskSpelling(std::string_view line) {
    Scanner in(line);
    if (!in.take('{') || !in.takeName('i') || !in.take('[')) return {};
    if (!in.take('[') || !in.passString() || !in.take(',') || !in.passString()) return {};
    int64_t layout = 0;
    int elements = 2;
    while (in.take(',')) {
        ++elements;
        if (elements == 3 || elements == 6 ? !in.passFlatList()
            : elements == 4                ? !in.passString()
                                           : !in.takeWhole(layout))
            return {};
    }
    if (!in.take(']') || elements > 6) return {};
    return line.substr(0, static_cast<size_t>(in.at() - line.data()));
}

std::optional<LineFacts> scanBehindTask(std::string_view rest) {
    Scanner in(rest);
    if (!in.take(',') || !in.take('[') || !in.take('[') || !in.take(']') || !in.take(',')) return std::nullopt;
    StepScanner steps(in);
    if (!steps.takeAll() || !in.take(']') || !in.take(']') || !in.take(',')) return std::nullopt;

    TimesOfRecord times;
    bool positive = true;
    int64_t error = 0;
    double cost = 0;
    double timestamp = 0;
    if (!in.takeName('r') || !in.take('[') || !takeTimes(in, times, positive) || !in.takeComma() ||
        !in.takeWhole(error) || error > static_cast<int>(TrialError::Unknown) || !in.takeComma() ||
        !in.takeReal(cost) || !in.takeComma() || !in.takeReal(timestamp) || !(timestamp < 1e18) || !in.take(']') ||
        (error == 0 && !positive))
        return std::nullopt;

    std::string_view version;
    if (!in.take(',') || !in.takeName('v') || !in.takePlainString(version) || !in.take('}')) return std::nullopt;
    in.skipBlanks();
    if (!in.atEnd()) return std::nullopt;

    if (error != 0) times = TimesOfRecord();
    LineFacts facts;
    facts.seconds = times.agreed();
    facts.spread = times.spread();
    facts.timestamp = static_cast<int64_t>(timestamp);
    facts.steps = steps.hash().steps();
    facts.structure = steps.hash().structure();
    facts.stepCount = static_cast<uint16_t>(std::min<size_t>(steps.count(), UINT16_MAX));
    facts.repeats = static_cast<uint16_t>(std::min<size_t>(times.count(), UINT16_MAX));
    facts.error = static_cast<TrialError>(error);
    return facts;
}

} // namespace loopscope
