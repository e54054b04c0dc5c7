#include "views/compare/pass_choice.h"

#include <algorithm>

namespace loopscope {

PassChoice::PassChoice(QWidget *parent) : QComboBox(parent) {
    setToolTip(tr("After which pass of the lowering, on both sides"));
    setAccessibleName(tr("Pass"));
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(5); // its list has the whole names
    setMaximumWidth(fontMetrics().averageCharWidth() * 26);
    connect(this, &QComboBox::activated, this, [this] {
        m_wanted = currentText();
        Q_EMIT passChosen();
    });
}

void PassChoice::offer(const ComparedSide &left, const ComparedSide &right) {
    // A sketch has no program, but loops all the same: both sides then show the state.
    const bool programs = left.hasProgram() && right.hasProgram();
    QStringList passes{kStatePass};
    if (programs) {
        const auto &theirs = right.forms->passes;
        for (const PassForm &pass : left.forms->passes)
            if (std::any_of(theirs.begin(), theirs.end(), [&](const PassForm &p) { return p.name == pass.name; }))
                passes << pass.name;
        m_endsAlike = left.forms->passes.back().name == theirs.back().name;
    }
    const QSignalBlocker quiet(this);
    QStringList shown;
    for (int i = 0; i < count(); ++i) shown << itemText(i);
    if (passes != shown) {
        clear();
        addItems(passes);
    }
    setCurrentIndex(static_cast<int>(passes.contains(m_wanted) ? passes.indexOf(m_wanted) : passes.size() - 1));
    setEnabled(programs);
}

} // namespace loopscope
