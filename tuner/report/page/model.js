"use strict";
/* What the page is about: the columns that occutune wrote, as one object a variant. */

const page = JSON.parse(document.getElementById("data").textContent);

const RULES = ["", "bound", "estimate", "trials"];

/* Python's way, in which keys are written: True and 1.5. */
function keyText(value) {
    return typeof value === "boolean" ? (value ? "True" : "False") : String(value);
}

function sameValue(text, value) {
    const other = keyText(value);
    return text === other || (text !== "" && other !== "" && Number(text) === Number(other));
}

function byValue(a, b) {
    const difference = Number(a) - Number(b);
    return Number.isNaN(difference) ? d3.ascending(a, b) : difference;
}

/* A key with another number of values than there are parameters (a comma in a text) says nothing of them. */
function splitKeys(keys, names) {
    return keys.map(key => {
        const parts = key.split(",");
        return parts.length === names.length ? parts : null;
    });
}

function readParameters(names, values) {
    return names.map((name, p) => {
        const texts = Array.from(new Set(values.filter(list => list).map(list => list[p]))).sort(byValue);
        return {name, texts, index: new Map(texts.map((text, i) => [text, i]))};
    });
}

/* A resumed journal's clock begins anew with each run: the runs are put one behind the other. */
function joinSessions(variants) {
    let offset = 0, last = 0;
    for (const v of variants) {
        if (!(v.timed_at_s >= 0))
            continue;
        if (v.timed_at_s + offset < last)
            offset = last;
        v.timed_at_s += offset;
        if (v.compiled_at_s >= 0)
            v.compiled_at_s += offset;
        last = v.timed_at_s;
    }
}

function fateOf(v) {
    if (v.rule > 0)
        return v.rule === 1 ? "bound" : v.rule === 2 ? "estimate" : "trials";
    if (v.outcome === page.outcomes.indexOf("ok"))
        return v.time_ms > 0 ? "timed" : "other";
    return v.outcome === page.outcomes.indexOf("same-code") ? "same" : "failed";
}

function findConfiguration(problem, configuration) {
    const wanted = problem.parameters.map(parameter => configuration && configuration[parameter.name]);
    if (!configuration || wanted.some(value => value === undefined))
        return null;
    return problem.variants.find(v => v.values && v.values.every((text, p) => sameValue(text, wanted[p]))) || null;
}

/* Ranks in the order in which results came, for an axis that no clock is needed for. */
function setOrder(problem) {
    const when = v => v.timed_at_s >= 0 ? v.timed_at_s : v.compiled_at_s;
    const sorted = problem.variants.filter(v => v.fate === "timed" || v.fate === "bound" || v.fate === "estimate" || v.fate === "trials");
    if (problem.clock)
        sorted.sort((a, b) => when(a) - when(b));
    sorted.forEach((v, i) => { v.order = i + 1; });
}

const FIELDS = ["time_ms", "compiled_at_s", "timed_at_s", "compile_ms", "occupancy", "clock_mhz", "error_max", "energy_j", "power_w", "estimate_ms", "bound_ms",
    "low_ms", "high_ms", "needed_warps", "had_warps", "confidence", "issued", "stalled_bandwidth", "stalled_latency", "registers",
    "shared_bytes", "spills", "blocks_per_sm", "outcome", "rule", "limiter", "busy", "message", "same_as"];

/* Every variant has every member in the same order, which makes ten thousand of them fast to read. */
function readVariants(raw) {
    const values = splitKeys(raw.keys, raw.parameters);
    const lists = FIELDS.map(name => raw.columns[name] || []);
    return raw.keys.map((key, i) => {
        const v = {i, key, values: values[i], at: null, fate: "", order: undefined, text: undefined, of: null};
        FIELDS.forEach((name, f) => {
            const value = lists[f][i];
            v[name] = value === null ? undefined : value;
        });
        return v;
    });
}

/* What drawing reads most, as plain arrays in the order of problem.timed: index, time, position of each value. */
function packTimed(problem) {
    const {timed, parameters} = problem;
    problem.timedIndex = Int32Array.from(timed, v => v.i);
    problem.timedMs = Float64Array.from(timed, v => v.time_ms);
    problem.timedAt = parameters.map((parameter, p) => Int16Array.from(timed, v => v.at ? v.at[p] : -1));
}

function readProblem(raw) {
    const variants = readVariants(raw);
    const parameters = readParameters(raw.parameters, variants.map(v => v.values));
    const problem = {...raw, variants, parameters};
    for (const v of variants) {
        v.at = v.values ? v.values.map((text, p) => parameters[p].index.get(text)) : null;
        v.fate = fateOf(v);
        v.of = problem;
    }
    problem.timed = variants.filter(v => v.fate === "timed").sort((a, b) => a.time_ms - b.time_ms);
    problem.clock = problem.timed.length > 0 && problem.timed.every(v => v.timed_at_s >= 0);
    if (problem.clock && !raw.replay)
        joinSessions(variants);
    setOrder(problem);
    packTimed(problem);
    const decision = raw.decision || {};
    problem.best = findConfiguration(problem, (decision.best || {}).configuration) || problem.timed[0] || null;
    problem.initial = findConfiguration(problem, (decision.initial || {}).configuration);
    problem.predicted = variants.filter(v => v.estimate_ms > 0);
    problem.varying = parameters.map((parameter, p) => p).filter(p => parameters[p].texts.length > 1);
    return problem;
}

const problems = page.problems.map(readProblem);

/* Kinds of GPU, which a job may tune for at the same time: two of one name are of different architectures. */
function kindText(problem) {
    const alike = problems.some(other => other.gpu === problem.gpu && other.origin.target !== problem.origin.target);
    return alike && problem.origin.target ? `${problem.gpu} (${problem.origin.target})` : problem.gpu;
}

const severalKinds = new Set(problems.map(kindText)).size > 1;
const severalSizes = new Set(problems.map(problem => problem.label)).size > 1;
if (severalKinds)
    problems.forEach(problem => { problem.name = [kindText(problem), severalSizes ? problem.label : ""].filter(text => text).join(", "); });
else
    problems.forEach(problem => { problem.name = problem.label; });

/* Texts
 * ---------------------------------------------------------------------------------------------------- */

function duration(ms) {
    if (!(ms > 0))
        return "–";
    if (ms < 1)
        return (ms * 1e3).toPrecision(4) + " µs";
    return ms < 1e4 ? ms.toPrecision(4) + " ms" : (ms / 1e3).toPrecision(4) + " s";
}

function energy(joules) {
    if (!(joules > 0))
        return "–";
    return joules < 1e-3 ? (joules * 1e6).toPrecision(4) + " µJ" : joules < 1 ? (joules * 1e3).toPrecision(4) + " mJ" : joules.toPrecision(4) + " J";
}

function short(value) {
    if (!Number.isFinite(value))
        return "–";
    return Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(2) : String(+value.toPrecision(4));
}

/* In a column of times, all have as many digits. */
function digits(value) {
    return value >= 1e-3 && value < 1e5 ? value.toPrecision(4) : value.toExponential(3);
}

function percent(share) {
    return share >= 0 ? (100 * share).toFixed(share < .1 ? 1 : 0) + " %" : "–";
}

function configurationText(v) {
    return v.values ? v.values.map((text, p) => v.of.parameters[p].name + "=" + text).join("  ") : v.key;
}

function limiterText(v) {
    return v.limiter >= 0 ? page.resources[v.limiter] : "";
}

function fateText(v) {
    if (v.fate === "bound")
        return "pruned: its bound is not below the best time";
    if (v.fate === "estimate")
        return "pruned: expected to be slower";
    if (v.fate === "trials")
        return "not timed: the run ended before";
    return page.outcomes[v.outcome] || "";
}

/* [label, text] of what is known of a variant, for the pointer and for the panel. */
function factsOf(v, problem) {
    const facts = [["outcome", fateText(v)]];
    const add = (label, known, text) => { if (known) facts.push([label, text]); };
    add("measured", v.time_ms > 0, duration(v.time_ms));
    add("against the best", v.time_ms > 0 && problem.best && problem.best.time_ms > 0,
        problem.best ? (v.time_ms / problem.best.time_ms).toPrecision(4) + " times" : "");
    add("predicted", v.estimate_ms > 0, duration(v.estimate_ms) + (v.high_ms > 0 ? ` (${duration(v.low_ms)} to ${duration(v.high_ms)})` : ""));
    add("lower bound", v.bound_ms > 0, duration(v.bound_ms));
    add("limited by", v.limiter >= 0, limiterText(v));
    add("warps per SM", v.had_warps > 0, `${short(v.had_warps)}, needed ${short(v.needed_warps || 0)}`);
    add("energy of a launch", v.energy_j > 0, `${energy(v.energy_j)}, ${short(v.power_w || 0)} W`);
    add("registers", v.registers >= 0, String(v.registers));
    add("shared memory", v.shared_bytes >= 0, v.shared_bytes + " B");
    add("spill instructions", v.spills > 0, String(v.spills));
    add("blocks per SM", v.blocks_per_sm >= 0, String(v.blocks_per_sm));
    add("occupancy", v.occupancy >= 0, percent(v.occupancy));
    add("clock", v.clock_mhz > 0, v.clock_mhz + " MHz");
    add("same code as", v.same_as, v.same_as);
    add("message", v.message >= 0, page.messages[v.message]);
    return facts;
}
