/* What is known of one variant, and what limits it. */

/* [resource, share of its capacity in use], the busiest first. */
function busyOf(v) {
    const pairs = [];
    const list = v.busy || [];
    for (let i = 0; i + 1 < list.length; i += 2)
        pairs.push([list[i], list[i + 1] / 1000]);
    return pairs.sort((a, b) => b[1] - a[1]);
}

function meterRow(label, share, other) {
    const bar = make("i", {style: `width: ${Math.min(100, 100 * share)}%`});
    const second = other >= 0 ? make("i", {class: "other", style: `width: ${Math.min(100, 100 * other)}%`}) : null;
    return [make("span", {}, label), make("span", {}, bar, second), make("span", {}, percent(share))];
}

function busyMeter(v, compared) {
    const meter = make("div", {class: "meter"});
    const others = new Map(compared ? busyOf(compared) : []);
    for (const [resource, share] of busyOf(v))
        meter.append(...meterRow(page.resources[resource] + (resource === v.limiter ? " (limiter)" : ""), share, others.get(resource)));
    return meter;
}

function stallMeter(v) {
    const meter = make("div", {class: "meter"});
    for (const [label, share] of [["an instruction issues", v.issued], ["waits for capacity", v.stalled_bandwidth], ["waits for latency", v.stalled_latency]])
        if (share >= 0)
            meter.append(...meterRow(label, share));
    return meter;
}

function factTable(facts) {
    const body = make("tbody");
    for (const [label, text] of facts)
        body.append(make("tr", {}, make("td", {}, label), make("td", {class: "words"}, text)));
    return make("table", {}, body);
}

function parameterTable(v) {
    const {parameters, best, initial} = problemNow();
    if (!v.values)
        return make("p", {}, v.key);
    const columns = [["this", v], [problemNow().decision ? "chosen" : "fastest", best], ["default", initial]].filter(([, other], i) => other && other.values && (i === 0 || other !== v));
    const head = make("tr", {}, make("th", {scope: "col"}, "parameter"), ...columns.map(([name]) => make("th", {scope: "col"}, name)));
    const rows = parameters.map((parameter, p) => make("tr", {}, make("th", {scope: "row"}, parameter.name),
        ...columns.map(([, other]) => other.values[p] === v.values[p] ? make("td", {}, other.values[p]) : make("td", {}, make("b", {}, other.values[p])))));
    return make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
}

function drawDetails(frame) {
    const problem = problemNow(), v = selectedNow() || problem.best || problem.variants[0];
    if (!v) {
        frame.body.replaceChildren("There is no variant.");
        return;
    }
    const name = v === problem.best ? (problem.decision ? "the chosen one" : "the fastest") : v === problem.initial ? "the default" : "selected";
    const parts = [make("h3", {}, `${duration(v.time_ms > 0 ? v.time_ms : v.estimate_ms)}, ${name}`), make("div", {class: "scroll"}, parameterTable(v)), factTable(factsOf(v, problem))];
    frame.body.replaceChildren(...parts);
}

function makeDetails(parent) {
    const frame = panel(parent, "The variant", "Select another in a chart (click, or arrow keys) or in the table. Without a choice it is the chosen one.");
    frame.body.setAttribute("aria-live", "polite");
    frame.body.id = "details";
    addForChoice(frame.element, () => drawDetails(frame));
}

function drawLimiters(frame) {
    const problem = problemNow(), v = selectedNow() || problem.best;
    if (!v || !busyOf(v).length) {
        frame.body.replaceChildren("Nothing was predicted of this variant, so what limits it is not known.");
        return;
    }
    const compared = v === problem.best ? problem.initial : problem.best;
    frame.body.replaceChildren(busyMeter(v, compared), make("h3", {}, "A scheduler's cycles"), stallMeter(v));
    frame.words.textContent = "Share of each capacity in use while an SM is full, as predicted."
        + (compared && busyOf(compared).length ? ` The thin bar is ${compared === problem.best ? "the chosen variant" : "the default"}.` : "");
}

function makeLimiters(parent) {
    const frame = panel(parent, "What limits it", "");
    addForChoice(frame.element, () => drawLimiters(frame));
}
