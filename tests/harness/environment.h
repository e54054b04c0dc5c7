#pragma once
// An environment variable that is other for the length of a scope.

#include <QByteArray>

namespace loopscope {

class Environment {
  public:
    /// `value` null: unset.
    Environment(const char *name, const char *value)
        : m_name(name), m_wasSet(qEnvironmentVariableIsSet(name)), m_before(qgetenv(name)) {
        if (value != nullptr)
            qputenv(name, value);
        else
            qunsetenv(name);
    }
    ~Environment() {
        if (m_wasSet)
            qputenv(m_name, m_before);
        else
            qunsetenv(m_name);
    }
    Environment(const Environment &) = delete;
    Environment &operator=(const Environment &) = delete;

  private:
    const char *m_name;
    bool m_wasSet;
    QByteArray m_before;
};

} // namespace loopscope
