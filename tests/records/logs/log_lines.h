#pragma once
// Logs for tests, made line by line.

#include <QTemporaryDir>

#include <fstream>
#include <string>
#include <string_view>

namespace loopscope {

/// A record of some schedule of some task; each number gives another time and other tile lengths.
struct LineOptions {
    int task = 0;
    int number = 1;
    int elements = 6; // of the task array
    int error = 0;
    int structure = 0;
    std::string times = {}; // empty: one, of `number` microseconds
};

std::string logLine(const LineOptions &options);

/// A file that goes with the test.
class TestLog {
  public:
    explicit TestLog(std::string_view text, const char *name = "log.json")
        : m_path(m_folder.filePath(QString::fromLatin1(name)).toStdString()) {
        write(text, std::ios::trunc);
    }
    void append(std::string_view text) { write(text, std::ios::app); }
    void replace(std::string_view text) { write(text, std::ios::trunc); }
    [[nodiscard]] const std::string &path() const { return m_path; }

  private:
    void write(std::string_view text, std::ios::openmode mode) const {
        std::ofstream(m_path, std::ios::binary | mode).write(text.data(), static_cast<std::streamsize>(text.size()));
    }
    QTemporaryDir m_folder;
    std::string m_path;
};

} // namespace loopscope
