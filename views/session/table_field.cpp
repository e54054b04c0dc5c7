#include "views/session/table_field.h"

#include <algorithm>

namespace loopscope {

QString tableField(QString text, TableFormat format) {
    if (format == TableFormat::Tsv) return text.replace(u'\t', u' ').replace(u'\n', u' ').replace(u'\r', u' ');
    const auto quoted = [](QChar c) { return c == u',' || c == u'"' || c == u'\n' || c == u'\r'; };
    if (std::none_of(text.cbegin(), text.cend(), quoted)) return text;
    return u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"';
}

} // namespace loopscope
