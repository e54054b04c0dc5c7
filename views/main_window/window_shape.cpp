#include "views/main_window/window_shape.h"

#include "views/main_window/window_layouts.h"
#include "views/main_window/window_pages.h"

#include <QDataStream>

namespace loopscope {

QByteArray WindowShape::bytes() const {
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream << quint32(1) << layouts.current() << layouts.state() << pages.onStartPage();
    return bytes;
}

void WindowShape::restore(const QByteArray &shape) const {
    QDataStream stream(shape);
    quint32 version = 0;
    QString layout;
    QByteArray docks;
    bool start = false;
    stream >> version >> layout >> docks >> start;
    if (version != 1 || stream.status() != QDataStream::Ok) return;
    layouts.setState(layout, docks);
    if (start) pages.showStartPage();
}

} // namespace loopscope
