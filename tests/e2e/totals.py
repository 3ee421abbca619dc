# SPDX-License-Identifier: Apache-2.0
"""What the times in traces add up to, from the lines of the stream alone: what every export is held against."""

import collections


def label(trace):
    metadata = trace["metadata"]
    if metadata["source"] == "cli":
        return metadata["cli"]["command"]
    return f"{metadata['http']['method']} {metadata['http']['uri']}"


def duration(trace):
    return trace["metadata"]["endTime"] - trace["metadata"]["startTime"]


def spans(traces):
    """{name: (how many, their time)} of the requests and all calls."""
    found = collections.defaultdict(lambda: (0, 0))
    for trace in traces:
        for name, elapsed in [(label(trace), duration(trace))] + [(c["name"], c["elapsed"]) for c in trace["functionCalls"]]:
            found[name] = (found[name][0] + 1, found[name][1] + elapsed)
    return dict(found)


def holds(caller, call):
    return caller["depth"] < call["depth"] and call["startTime"] <= caller["startTime"] + caller["elapsed"]


def own_times(calls):
    """(index of the caller or None, own time) of every call."""
    parents, own, path = [], [], []
    for index, call in enumerate(calls):
        while path and not holds(calls[path[-1]], call):
            path.pop()
        parents.append(path[-1] if path else None)
        own.append(call["elapsed"])
        if path:
            own[path[-1]] -= min(own[path[-1]], call["elapsed"])
        path.append(index)
    return list(zip(parents, own))


class Flame:
    """Calls merged by stack: nodes of [name, parent, own time], parents first; and what each adds up to."""

    def __init__(self, traces):
        self.nodes, self.index = [], {}
        for trace in traces:
            self.add(trace)
        self.totals = [own for _, _, own in self.nodes]
        for number in range(len(self.nodes) - 1, -1, -1):
            if self.nodes[number][1] is not None:
                self.totals[self.nodes[number][1]] += self.totals[number]

    def node(self, parent, name, own):
        number = self.index.setdefault((parent, name), len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append([name, parent, 0])
        self.nodes[number][2] += own
        return number

    def add(self, trace):
        times = own_times(trace["functionCalls"])
        root = self.node(None, label(trace), max(duration(trace) - sum(own for _, own in times), 0))
        found = []
        for call, (parent, own) in zip(trace["functionCalls"], times):
            found.append(self.node(root if parent is None else found[parent], call["name"], own))

    def whole(self):
        return sum(own for _, _, own in self.nodes)

    def frames(self):
        """How often (name, total) stands in a flame graph; what took no time is not in it."""
        return collections.Counter((name, total) for (name, _, _), total in zip(self.nodes, self.totals) if total)


def own_by_function(traces):
    """{name: own time} as the application counted it, under the threshold too; the rest is the request's."""
    found = collections.Counter()
    for trace in traces:
        rest = duration(trace)
        for function in trace["functions"]:
            found[function["name"]] += function["self"]
            rest -= min(rest, function["self"])
        found[label(trace)] += rest
    return {name: own for name, own in found.items() if own}
