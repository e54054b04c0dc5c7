#pragma once
// Which round a plot is about: the first of what stands in front of the rounds, such as the latest, until the user
// chooses, and again when the workload is another.

#include <QComboBox>

namespace loopscope {

struct Document;

class RoundChoice : public QComboBox {
    Q_OBJECT

  public:
    RoundChoice(const QStringList &inFront, const QString &toolTip);

    // Neither tells of a change: whoever calls them draws anew.
    void follow(const Document *document); // null: none
    void add(int round);                   // behind those there are

    [[nodiscard]] int rounds() const { return count() - m_inFront; }
    /// Place among the rounds, from 0; negative: none of them is chosen.
    [[nodiscard]] int chosen() const { return currentIndex() - m_inFront; }

  private:
    int m_inFront;
    int m_document = 0; // id
};

} // namespace loopscope
