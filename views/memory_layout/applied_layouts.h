#pragma once
// What became of the text of documents by layouts that were applied, to be taken back and applied again. Whoever edits
// the text meanwhile goes on from there: nothing of what he wrote is taken back with it.

#include <QString>

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace loopscope {

class AppliedLayouts {
  public:
    /// What was taken back before is forgotten.
    void add(int document, const QString &before, const QString &after);
    /// The text before the last layout that made it this one; nothing where none did.
    std::optional<QString> back(int document, const QString &text);
    /// The text that the layout taken back last had made of this one.
    std::optional<QString> forward(int document, const QString &text);

  private:
    struct Applied {
        QString before;
        QString after;
    };
    struct History {
        std::vector<Applied> steps;
        size_t done = 0; // of them; the others were taken back
    };
    std::map<int, History> m_histories; // by document
};

} // namespace loopscope
