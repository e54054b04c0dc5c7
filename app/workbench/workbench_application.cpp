#include "workbench_application.h"

#include <QEvent>

#include <cstdio>
#include <exception>

namespace loopscope {

bool WorkbenchApplication::notify(QObject *receiver, QEvent *event) {
    QString cause;
    try {
        return QApplication::notify(receiver, event);
    } catch (const std::exception &error) {
        cause = QString::fromUtf8(error.what());
    } catch (...) {
        cause = QStringLiteral("an exception of unknown type");
    }
    const QString where = QStringLiteral("in %1, event %2")
                              .arg(QLatin1String(receiver->metaObject()->className()))
                              .arg(static_cast<int>(event->type()));
    fprintf(stderr, "loopscope: %s (%s)\n", qUtf8Printable(cause), qUtf8Printable(where));
    if (m_witness) m_witness(cause + u'\n' + where);
    return false;
}

} // namespace loopscope
