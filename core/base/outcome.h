#pragma once
// Two of the three failure mechanisms (the third, for our own bugs, is check.h).
//
// `Outcome<T>`: a refused step or an illegal candidate. Happens thousands of times a second in a search, so it is an
// ordinary return value; the refusal is one sentence: what, where, which rule, and what would be legal.
// `Error`: a bad file or a missing library. Thrown, and shown to the user with path, line, column and cause.

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace loopscope {

struct Refusal {
    std::string sentence;
};

template <typename T> class [[nodiscard]] Outcome {
  public:
    Outcome(T value) : m_value(std::move(value)) {}
    Outcome(Refusal refusal) : m_value(std::move(refusal)) {}

    [[nodiscard]] bool ok() const { return m_value.index() == 0; }
    explicit operator bool() const { return ok(); }

    const T &value() const & { return std::get<0>(m_value); }
    T &value() & { return std::get<0>(m_value); }
    T &&value() && { return std::get<0>(std::move(m_value)); }
    const T &operator*() const & { return value(); }
    T &operator*() & { return value(); }
    const T *operator->() const { return &value(); }
    T *operator->() { return &value(); }

    [[nodiscard]] const std::string &why() const { return std::get<1>(m_value).sentence; }
    [[nodiscard]] const Refusal &refusal() const { return std::get<1>(m_value); }

  private:
    std::variant<T, Refusal> m_value;
};

/// What the user's input or machine lacks. `what()` is one clear sentence, already carrying the place in the form
/// `path:line:column: sentence` where there is one (line and column count from 1; 0 = none).
class Error : public std::runtime_error {
  public:
    explicit Error(std::string sentence) : std::runtime_error(sentence), m_sentence(std::move(sentence)) {}
    Error(std::string path, int line, int column, std::string sentence, std::string excerpt = {})
        : std::runtime_error(place(path, line, column) + sentence), m_path(std::move(path)), m_line(line),
          m_column(column), m_sentence(std::move(sentence)), m_excerpt(std::move(excerpt)) {}

    [[nodiscard]] const std::string &path() const { return m_path; }
    [[nodiscard]] int line() const { return m_line; }
    [[nodiscard]] int column() const { return m_column; }
    [[nodiscard]] const std::string &sentence() const { return m_sentence; }
    /// The offending source line with a caret line below it, or empty.
    [[nodiscard]] const std::string &excerpt() const { return m_excerpt; }

  private:
    static std::string place(const std::string &path, int line, int column) {
        std::string text = path;
        if (line > 0) text.append(text.empty() ? "" : ":").append(std::to_string(line));
        if (line > 0 && column > 0) text.append(":").append(std::to_string(column));
        return text.empty() ? text : text + ": ";
    }
    std::string m_path;
    int m_line = 0;
    int m_column = 0;
    std::string m_sentence;
    std::string m_excerpt;
};

} // namespace loopscope
