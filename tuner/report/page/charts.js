/* The charts of a run: the search, predicted against measured, time against a resource, occupancy, bounds. */

function checkbox(parent, label, color, checked, change) {
    const hollow = /^(pruned|left)/.test(label) ? "; background: none; border: 2px solid var(--" + color + ")" : "";
    const box = make("input", {type: "checkbox"});
    box.checked = checked;
    box.addEventListener("change", () => change(box.checked));
    const swatch = color ? make("span", {class: "swatch", style: `background: var(--${color})${hollow}`}) : null;
    parent.append(make("label", {}, box, " ", swatch, label));
}

function choice(parent, label, values, chosen, change) {
    const list = make("select", {}, ...values.map(([value, text]) => make("option", {value}, text)));
    list.value = chosen;
    list.addEventListener("change", () => change(list.value));
    parent.append(make("label", {}, label + " ", list));
    return list;
}

function toggleSeries(name, on) {
    state.off = state.off.filter(other => other !== name);
    if (!on)
        state.off.push(name);
    changed();
}

function isOn(name) {
    return !state.off.includes(name);
}

/* The search over time
 * ---------------------------------------------------------------------------------------------------- */

const SERIES = [
    ["measured", "timed"], ["predicted", "soft"], ["lower bound", "bound"], ["best so far", "best"],
    ["pruned by bound", "bound"], ["pruned by estimate", "estimate"], ["left at the end", "soft"],
];

function byClock() {
    return problemNow().clock && state.x !== "order";
}

function searchPoints() {
    const points = [];
    const add = (on, v, x, y, kind) => { if (on && y > 0) points.push({v, x, y, kind}); };
    for (const v of problemNow().variants) {
        const compiled = byClock() ? v.compiled_at_s : v.order, timed = byClock() ? v.timed_at_s : v.order;
        add(isOn("measured") && v.fate === "timed", v, timed, v.time_ms, "timed");
        add(isOn("predicted") && v.fate === "timed", v, compiled, v.estimate_ms, "predicted");
        add(isOn("lower bound") && v.fate === "timed", v, compiled, v.bound_ms, "bound");
        add(isOn("pruned by bound") && v.fate === "bound", v, compiled, v.bound_ms, "cutBound");
        add(isOn("pruned by estimate") && v.fate === "estimate", v, compiled, v.estimate_ms, "cutEstimate");
        add(isOn("left at the end") && v.fate === "trials", v, compiled, v.estimate_ms, "left");
    }
    return points;
}

/* [when, best time from then on], kept with the problem for each axis. */
function bestSoFar(problem) {
    const name = byClock() ? "stepsByClock" : "stepsByOrder";
    const at = v => byClock() ? v.timed_at_s : v.order;
    if (!problem[name]) {
        let best = Infinity;
        problem[name] = problem.timed.slice().sort((a, b) => at(a) - at(b)).filter(v => {
            const better = v.time_ms < best;
            best = Math.min(best, v.time_ms);
            return better;
        }).map(v => [at(v), v.time_ms]);
    }
    return problem[name];
}

function paintBestSoFar(context, chart) {
    const steps = bestSoFar(problemNow());
    if (!isOn("best so far") || !steps.length)
        return;
    const places = steps.flatMap(([at, best], i) => [...(i ? [[chart.x(at), chart.y(steps[i - 1][1])]] : []), [chart.x(at), chart.y(best)]]);
    places.push([chart.x.range()[1], places[places.length - 1][1]]);
    paintLine(context, theme.best, 2, places);
}

function searchSummary() {
    const problem = problemNow();
    const count = fate => problem.variants.filter(v => v.fate === fate).length;
    const parts = [`${problem.timed.length} timed`];
    for (const [fate, text] of [["bound", "pruned by their bound"], ["estimate", "pruned by their estimate"], ["trials", "compiled and left when the run ended"], ["failed", "failed"], ["same", "with the code of another"]])
        if (count(fate))
            parts.push(`${count(fate)} ${text}`);
    if (problem.not_compiled)
        parts.push(`${problem.not_compiled} never compiled`);
    return parts.join(", ") + ".";
}

function makeSearchChart(parent) {
    const x = {label: ""};
    const setAxis = () => {
        x.label = byClock() ? "seconds since the run began" : "in the order in which results came";
        x.id = byClock() ? "timed_at_s" : "order";
    };
    setAxis();
    const chart = makeChart(parent, {
        title: "Search", wide: true, height: 360, x, y: {label: "time, ms", log: true, id: "time_ms"},
        points: () => { setAxis(); return searchPoints(); }, key: () => [byClock(), ...state.off].join(),
        over: paintBestSoFar, summary: searchSummary, empty: "nothing was timed",
        controls: element => SERIES.forEach(([name, color]) => checkbox(element, name, color, isOn(name), on => toggleSeries(name, on))),
    });
    choice(chart.controls, "axis", [["clock", "seconds"], ["order", "order"]], state.x || "clock", value => {
        state.x = value;
        delete state.filters.timed_at_s;
        delete state.filters.order;
        changed();
    });
}

/* Predicted against measured
 * ---------------------------------------------------------------------------------------------------- */

const INTERVALS_MOST = 600; /* more of them are a blot */

function ranks(values) {
    const order = values.map((value, i) => i).sort((a, b) => values[a] - values[b]);
    const rank = new Float64Array(values.length);
    for (let i = 0; i < order.length;) {
        let end = i;
        while (end < order.length && values[order[end]] === values[order[i]])
            end++;
        for (let k = i; k < end; k++)
            rank[order[k]] = (i + end - 1) / 2;
        i = end;
    }
    return Array.from(rank);
}

function correlation(a, b) {
    const meanA = d3.mean(a), meanB = d3.mean(b);
    const product = (u, v, mu, mv) => d3.sum(u, (value, i) => (value - mu) * (v[i] - mv));
    return product(a, b, meanA, meanB) / Math.sqrt(product(a, a, meanA, meanA) * product(b, b, meanB, meanB));
}

function both() {
    return problemNow().timed.filter(v => v.estimate_ms > 0);
}

function accuracySummary() {
    const known = both().filter(v => shown[v.i]);
    if (known.length < 3)
        return "";
    const inside = known.filter(v => v.high_ms > 0), within = inside.filter(v => v.time_ms >= v.low_ms && v.time_ms <= v.high_ms);
    const errors = known.map(v => Math.abs(v.estimate_ms / v.time_ms - 1)).sort(d3.ascending);
    const rank = correlation(ranks(known.map(v => v.estimate_ms)), ranks(known.map(v => v.time_ms)));
    const broken = known.filter(v => v.bound_ms > v.time_ms).length;
    return `${known.length} shown: median error ${percent(d3.median(errors))}, rank correlation ${rank.toFixed(3)}`
        + (inside.length ? `, ${percent(within.length / inside.length)} inside their interval (80 % expected)` : "")
        + `, ${broken} measured below their bound.`;
}

function paintDiagonal(context, chart) {
    const low = Math.max(chart.x.domain()[0], chart.y.domain()[0]), high = Math.min(chart.x.domain()[1], chart.y.domain()[1]);
    if (low < high)
        paintLine(context, theme.soft, 1, [[chart.x(low), chart.y(low)], [chart.x(high), chart.y(high)]], [5, 4]);
    if (!isOn("interval") || shownCount > INTERVALS_MOST)
        return;
    const known = chart.points.filter(point => point.kind === "timed" && shown[point.v.i] && point.v.high_ms > 0);
    context.globalAlpha = .35;
    for (const {v, px} of known)
        paintLine(context, theme.timed, 1, [[px, chart.y(v.low_ms)], [px, chart.y(v.high_ms)]]);
    context.globalAlpha = 1;
}

function makeAccuracyChart(parent) {
    makeChart(parent, {
        title: "Predicted and measured", caption: "On the dashed line a prediction is exact; no lower bound may lie above it.",
        x: {label: "measured, ms", log: true, id: "time_ms"}, y: {label: "predicted, ms", log: true, id: "estimate_ms"},
        points: () => both().flatMap(v => [{v, x: v.time_ms, y: v.estimate_ms, kind: "timed"},
            ...(isOn("bounds") && v.bound_ms > 0 ? [{v, x: v.time_ms, y: v.bound_ms, kind: "bound"}] : [])]),
        key: () => isOn("bounds"), under: paintDiagonal, summary: accuracySummary,
        empty: "no prediction is stored for what was timed",
        controls: element => {
            checkbox(element, "estimate with 80 % interval", "timed", isOn("interval"), on => toggleSeries("interval", on));
            checkbox(element, "lower bound", "bound", isOn("bounds"), on => toggleSeries("bounds", on));
        },
    });
}

/* Time against a resource
 * ---------------------------------------------------------------------------------------------------- */

const RESOURCES = [
    ["occupancy", "occupancy, share of the warps that fit"], ["registers", "registers per thread"],
    ["shared_bytes", "shared memory per block, B"], ["blocks_per_sm", "blocks per SM"], ["spills", "spill instructions"],
    ["bound_ms", "lower bound, ms"], ["confidence", "confidence of the prediction"], ["compile_ms", "time to compile, ms"],
    ["clock_mhz", "clock, MHz"], ["power_w", "power, W"],
];

function makeResourceChart(parent) {
    const x = {label: "", id: ""};
    const chart = makeChart(parent, {
        title: "Time and resources", caption: "Where points at the right are no lower than at the left, more of it does not help.",
        x, y: {label: "time, ms", log: true, id: "time_ms"}, empty: "not recorded", key: () => state.resource,
        points: () => {
            x.id = state.resource;
            x.label = RESOURCES.find(([id]) => id === state.resource)[1];
            return problemNow().timed.filter(v => v[x.id] >= 0).map(v => ({v, x: v[x.id], y: v.time_ms, kind: "timed"}));
        },
    });
    choice(chart.controls, "against", RESOURCES, state.resource, value => {
        delete state.filters[state.resource];
        state.resource = value;
        changed();
    });
}

/* Time against energy: those that no other beats in both are joined
 * ---------------------------------------------------------------------------------------------------- */

/* problem.timed is sorted by time alone. */
function frontOf(problem) {
    let least = Infinity;
    return problem.timed.slice().sort((a, b) => a.time_ms - b.time_ms || a.energy_j - b.energy_j).filter(v => {
        const better = v.energy_j < least;
        least = better ? v.energy_j : least;
        return better;
    });
}

function paintFront(context, chart) {
    const places = [];
    frontOf(problemNow()).forEach(v => {
        const px = chart.x(v.energy_j), py = chart.y(v.time_ms);
        if (places.length)
            places.push([px, places[places.length - 1][1]]);
        places.push([px, py]);
    });
    paintLine(context, theme.best, 2, places);
}

function frontSummary() {
    const front = frontOf(problemNow());
    if (!front.length)
        return "";
    const last = front[front.length - 1];
    return front.length === 1 ? `The fastest takes the least energy, ${energy(last.energy_j)}.` :
        `${front.length} variants on the front, from ${duration(front[0].time_ms)} with ${energy(front[0].energy_j)} to ${duration(last.time_ms)} with ${energy(last.energy_j)}.`;
}

function makeEnergyChart(parent) {
    if (!problems.some(problem => problem.timed.some(v => v.energy_j > 0)))
        return;
    makeChart(parent, {
        title: "Time and energy",
        caption: "Energy of one launch by the GPU's own counter, idle power included. The line joins those that no other beats in both.",
        x: {label: "energy, J", log: true, id: "energy_j"}, y: {label: "time, ms", log: true, id: "time_ms"}, empty: "not recorded",
        points: () => problemNow().timed.filter(v => v.energy_j > 0).map(v => ({v, x: v.energy_j, y: v.time_ms, kind: "timed"})),
        under: paintFront, summary: frontSummary,
    });
}

/* What occupancy is worth: curves of the GPU, and where the variants of interest stand
 * ---------------------------------------------------------------------------------------------------- */

function labelOf(kind) {
    return kind === "best" ? (problemNow().decision ? "chosen" : "fastest") : kind === "initial" ? "default" : "selected";
}

function warpsOf(v) {
    return v.had_warps > 0 ? v.had_warps : v.occupancy >= 0 ? v.occupancy * v.of.warps_most : NaN;
}

function warpsDomain() {
    return [0, problemNow().warps_most || 64];
}

function profileWords() {
    const {profile, gpu} = problemNow();
    return profile ? `Measured by the microbenchmarks on ${profile}.` : `There is no profile of ${gpu || "this GPU"}.`;
}

function paintRoofline(context, chart) {
    const colors = [theme.timed, theme.bound, theme.estimate];
    problemNow().curves.forEach((curve, c) => {
        const places = curve.x.map((x, i) => [chart.x(x), chart.y(100 * curve.y[i] / d3.max(curve.y))]);
        paintLine(context, colors[c % 3], 2, places);
        context.fillStyle = colors[c % 3];
        context.textAlign = "right";
        context.fillText(curve.name, chart.width - MARGIN.right - 4, chart.height - MARGIN.bottom - 10 - 16 * c);
    });
}

function paintPlaces(context, chart) {
    let row = 0;
    for (const [kind, v] of marksNow()) {
        const px = chart.x(warpsOf(v));
        if (!Number.isFinite(px))
            continue;
        paintLine(context, theme[kind], 2, [[px, MARGIN.top], [px, chart.height - MARGIN.bottom]], kind === "best" ? [] : [4, 3]);
        context.fillStyle = theme[kind];
        context.textAlign = px > chart.width / 2 ? "right" : "left";
        context.fillText(labelOf(kind), px + (px > chart.width / 2 ? -5 : 5), MARGIN.top + 12 + 15 * row++);
    }
}

function makeRooflineChart(parent) {
    if (!problems.some(problem => problem.curves.length))
        return;
    makeChart(parent, {
        title: "Occupancy roofline", caption: "How much of its peak each use reaches with so many warps.",
        x: {label: "resident warps per SM", domain: warpsDomain}, y: {label: "per cent of the peak", domain: [0, 105]},
        points: () => [], under: paintRoofline, over: paintPlaces, summary: profileWords,
    });
}

/* Latency bound and throughput bound of the variants of interest (Volkov): up to the warps it needs, a variant's speed
 * grows with its warps, from there on its limiter is full. */
function boundsOf(v) {
    const busy = busyOf(v).find(([resource]) => resource === v.limiter);
    if (!(v.needed_warps > 0 && v.had_warps > 0 && busy))
        return null;
    return {needed: v.needed_warps, had: v.had_warps, predicted: busy[1], measured: v.time_ms > 0 ? busy[1] * v.estimate_ms / v.time_ms : NaN};
}

function paintBounds(context, chart) {
    for (const [kind, v] of marksNow()) {
        const bounds = boundsOf(v);
        if (!bounds)
            continue;
        const most = chart.x.domain()[1], knee = Math.min(bounds.needed, most);
        paintLine(context, theme[kind], 2, [[chart.x(0), chart.y(0)], [chart.x(knee), chart.y(knee / bounds.needed)], [chart.x(most), chart.y(Math.min(1, most / bounds.needed))]],
            kind === "best" ? [] : [5, 4]);
        const px = chart.x(bounds.had);
        if (Number.isFinite(bounds.measured))
            paintMark(context, kind === "selected" ? "selected" : kind, px, chart.y(bounds.measured));
        paintLine(context, theme[kind], 2, [[px - 6, chart.y(bounds.predicted)], [px + 6, chart.y(bounds.predicted)]]);
    }
}

function boundsSummary() {
    return marksNow().map(([kind, v]) => [kind, boundsOf(v), v]).filter(([, bounds]) => bounds)
        .map(([kind, bounds, v]) => `${labelOf(kind)}: ${short(bounds.had)} warps, ${short(bounds.needed)} needed, limited by ${limiterText(v)}.`).join(" ");
}

function makeBoundsChart(parent) {
    makeChart(parent, {
        title: "Latency and throughput bounds",
        caption: "Left of the knee latency bounds a variant, right of it the capacity of its limiter. A dash is the prediction, a mark the measurement.",
        x: {label: "resident warps per SM", domain: warpsDomain}, y: {label: "share of the limiter's capacity", domain: [0, 1.15]},
        points: () => [], under: paintBounds, summary: boundsSummary,
    });
}
