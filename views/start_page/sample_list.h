#pragma once
// The workloads and networks that come with Loopscope, as the start page shows them: what each is, by kind, with its
// picture. Read from the files themselves, so that a new sample appears without being registered.

#include "views/session/jobs.h"
#include "views/start_page/dag_stamp.h"

#include <QString>

#include <memory>
#include <vector>

namespace loopscope {

struct Sample {
    QString path;
    QString name;                            // of the file, without suffix
    QString comment;                         // its first line
    QString kind;                            // "Convolution"
    std::shared_ptr<const DagStamp> picture; // null until drawn
    QString facts;                           // how much it is: "2 stages \u00b7 231.2 MFLOP"; with the picture
    QString problem;                         // why there is none
};

/// By kind, in the order people look for them, then by name. Reads the first line of every .te file of the folder and
/// of the one of image pipelines in it, and of every network in the one of networks.
std::vector<Sample> readSamples(const QString &folder);
/// Group of a sample by the words of its file name ("conv2d_winograd_nhwc": "Winograd").
QString sampleKind(const QString &name);
/// Parses and draws those that lack a picture; stops early when cancelled.
std::vector<Sample> drawSamples(std::vector<Sample> samples, JobControl &control);

} // namespace loopscope
