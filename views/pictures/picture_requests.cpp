#include "views/pictures/picture_requests.h"

#include "views/session/text.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace loopscope {

void PictureRequests::read(const Document &document) {
    const QString path = document.origin.isEmpty() ? document.path : document.origin;
    m_folder = path.isEmpty() ? QString() : QFileInfo(path).absolutePath();
    m_source = document.source;
    const std::string text = std8(m_source.text);
    m_sample = shippedRun(text, "Picture");
    m_small = shippedRun(text, "Small");
    m_names.clear();
    m_pictures.clear();
    for (const Tensor *arg : document.task->dag->args()) {
        if (!arg->op->isPlaceholder()) continue;
        m_names.push_back(arg->name);
        if (arg->shape.size() > 1) m_pictures.push_back(arg->name);
    }
    // Files that are not there come with nothing.
    if (m_sample && std::ranges::any_of(m_sample->inputs, [&](const auto &input) {
            return !QFileInfo::exists(shippedFile(input.first));
        }))
        m_sample.reset();
    m_changed.clear();
    if (document.workload)
        for (const WorkloadParam &param : document.workload->params)
            if (param.value != param.fallback) m_changed.emplace_back(param.name, param.value);
    const bool gone = (m_size == PictureSize::Sample && !m_sample) || (m_size == PictureSize::Small && !m_small);
    m_shrunk = false;
    if (m_chosen && !gone) return;
    const bool longer = pictureCost(*document.task->dag).isLong();
    m_size = m_sample ? PictureSize::Sample : longer && m_small ? PictureSize::Small : PictureSize::Document;
    m_shrunk = m_size == PictureSize::Small;
}

QString PictureRequests::shippedFile(const std::string &input) const {
    if (!m_sample || m_folder.isEmpty()) return {};
    const auto found = std::ranges::find(m_sample->inputs, input, &std::pair<std::string, std::string>::first);
    return found == m_sample->inputs.end() ? QString() : QDir(m_folder).filePath(qt(found->second));
}

ParamOverrides PictureRequests::params() const {
    switch (m_size) {
    case PictureSize::Sample:
        return m_sample->params;
    case PictureSize::Small:
        return m_small->params;
    case PictureSize::Picture:
        return m_pictureParams;
    case PictureSize::Document:
        break;
    }
    return m_source.params;
}

PictureQuestion PictureRequests::question() const {
    PictureQuestion question;
    question.text = std8(m_source.text);
    question.params = params();
    if (m_size != PictureSize::Document) question.requests = m_changed;
    question.seed = m_seed;
    question.evenIfLong = m_evenIfLong;
    if (m_size == PictureSize::Picture) question.sizeFrom = m_sizeFrom;
    for (const InputBar::Input &input : inputs())
        if (!input.choice.path.isEmpty()) question.inputs[std8(input.name)] = input.choice;
    return question;
}

std::vector<InputBar::Size> PictureRequests::sizes() const {
    std::vector<InputBar::Size> sizes;
    const auto add = [&](PictureSize size, const QString &name, const ParamOverrides &params) {
        sizes.push_back(
            {params.empty() ? name : QStringLiteral("%1: %2").arg(name, paramsText(params)), static_cast<int>(size)});
    };
    if (m_sample) add(PictureSize::Sample, QObject::tr("Picture of the sample"), m_sample->params);
    add(PictureSize::Document, QObject::tr("As in Computation"), m_changed);
    if (m_small) add(PictureSize::Small, QObject::tr("Small"), m_small->params);
    if (m_size == PictureSize::Picture) add(PictureSize::Picture, QObject::tr("Opened picture"), m_pictureParams);
    return sizes;
}

std::vector<InputBar::Input> PictureRequests::inputs() const {
    std::vector<InputBar::Input> inputs;
    for (const std::string &name : m_names) {
        InputBar::Input input{qt(name), {}, shippedFile(name)};
        const auto chosen = m_inputs.find(name);
        if (chosen != m_inputs.end()) {
            input.choice = chosen->second;
        } else if (!input.shipped.isEmpty()) {
            const bool picture = input.shipped.endsWith(QLatin1String(".png"), Qt::CaseInsensitive);
            input.choice.path = input.shipped;
            if (picture && m_size != PictureSize::Sample) input.choice.fit = PictureFit::Crop;
        }
        inputs.push_back(std::move(input));
    }
    return inputs;
}

void PictureRequests::setSize(PictureSize size) {
    m_size = size;
    m_chosen = true;
    m_shrunk = false;
    m_evenIfLong = false;
}

void PictureRequests::setInput(const QString &input, const InputChoice &choice) {
    const std::string name = std8(input);
    const bool picture = choice.path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive);
    const bool shipped = !choice.path.isEmpty() && choice.path == shippedFile(name);
    if (shipped) {
        m_inputs.erase(name);
        return;
    }
    if (picture && !choice.fit) {
        m_pictureParams = params();
        m_size = PictureSize::Picture;
        m_chosen = true;
        m_shrunk = false;
        m_evenIfLong = false;
        m_sizeFrom = name;
    }
    m_inputs[name] = choice;
}

void PictureRequests::setFit(const QString &input, PictureFit fit) {
    InputChoice &choice = m_inputs[std8(input)];
    if (choice.path.isEmpty()) choice.path = shippedFile(std8(input));
    choice.fit = fit;
}

std::vector<std::pair<QString, QString>> PictureRequests::inputsFor(const QStringList &files) const {
    std::vector<std::pair<QString, QString>> given;
    std::vector<std::string> left = m_pictures.empty() ? m_names : m_pictures;
    QStringList others;
    for (const QString &file : files) {
        const std::string base = std8(QFileInfo(file).completeBaseName());
        if (std::ranges::find(m_names, base) == m_names.end()) {
            others << file;
            continue;
        }
        given.emplace_back(qt(base), file);
        std::erase(left, base);
    }
    for (const QString &file : others) {
        if (left.empty()) break;
        given.emplace_back(qt(left.front()), file);
        left.erase(left.begin());
    }
    return given;
}

void PictureRequests::made(const ParamOverrides &params) {
    if (m_size != PictureSize::Picture) return;
    m_pictureParams = params;
    m_sizeFrom.clear();
}

} // namespace loopscope
