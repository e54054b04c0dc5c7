#pragma once
// Where a text contains what one looks for, in slices: a text of tens of megabytes is searched between two frames, not
// in one go.

#include <QRegularExpression>
#include <QString>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct FindQuery {
    QString text;
    bool matchCase = false;
    bool wholeWord = false;
    bool regex = false;
    bool operator==(const FindQuery &) const = default;
};

struct FindMatch {
    int64_t at = 0; // byte of the UTF-8 text
    int32_t length = 0;
};

class MatchFinder {
  public:
    static constexpr size_t kMost = 200'000; // enough to say "too many"

    MatchFinder() = default;
    explicit MatchFinder(const FindQuery &query);

    /// Why the query finds nothing: a regular expression that is none. Empty = fine.
    [[nodiscard]] const QString &problem() const { return m_problem; }
    [[nodiscard]] bool empty() const { return m_query.text.isEmpty() || !m_problem.isEmpty(); }

    /// Looks through about `bytes` more of the text (the same one every time); true when all of it was seen or the
    /// limit is reached.
    bool advance(std::string_view text, int64_t bytes);
    [[nodiscard]] const std::vector<FindMatch> &matches() const { return m_matches; }
    [[nodiscard]] bool tooMany() const { return m_matches.size() >= kMost; }
    [[nodiscard]] int64_t seen() const { return m_at; }

  private:
    void plain(std::string_view text, int64_t until);
    void expression(std::string_view line, int64_t at);

    FindQuery m_query;
    QString m_problem;
    std::string m_needle; // as compared: lower case unless the case matters
    std::array<uint8_t, 256> m_fold{};
    std::array<int64_t, 256> m_skip{};
    QRegularExpression m_expression;
    std::vector<FindMatch> m_matches;
    int64_t m_at = 0;
};

} // namespace loopscope
