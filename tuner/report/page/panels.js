/* What is no chart: the figures at the top, why the winner wins, outcomes, sizes, where the numbers come from. */

function figure(value, label) {
    return make("li", {}, make("b", {}, value), label);
}

function drawFigures(list) {
    const problem = problemNow(), {best, initial, timed} = problem;
    const decision = problem.decision || {}, spent = decision.spent || {};
    const figures = [];
    if (best)
        figures.push(figure(duration(best.time_ms), problem.decision ? "chosen" : "the fastest"));
    if (best && initial && initial.time_ms > 0)
        figures.push(figure((initial.time_ms / best.time_ms).toPrecision(3) + " times", `as fast as the default (${duration(initial.time_ms)})`));
    figures.push(figure(String(timed.length), "variants timed"));
    if (decision.counts)
        figures.push(figure(String(decision.counts.valid), "configurations are valid"));
    if (spent.elapsed_s > 0)
        figures.push(figure(short(spent.elapsed_s) + " s", page.level === "recorded" ? "of a simulated machine" : "spent"));
    list.replaceChildren(...figures);
}

/* The decision's own words; a journal alone has none. */
function makeWords(parent) {
    if (!problems.some(problem => problem.decision))
        return;
    const frame = panel(parent, "Why", "");
    addForProblem(frame.element, () => {
        const {words = [], remarks = []} = problemNow().decision || {};
        frame.body.replaceChildren(...words.concat(remarks).map(text => make("p", {}, text)));
    });
}

function makeHeader() {
    const header = make("header", {class: "page"});
    const figures = make("ul", {class: "figures"}), origin = make("span", {class: "soft"});
    header.append(make("h1", {}, page.kernel), make("p", {class: page.live ? "live" : ""}, page.live ? "This run is going on; the page follows it. " : page.title + " ", origin), figures);
    document.body.prepend(header);
    addForProblem(header, () => {
        drawFigures(figures);
        origin.textContent = `From ${problemNow().journal}${severalKinds ? ", on " + kindText(problemNow()) : ""}`;
    });
}

function whatVaries() {
    return !severalKinds ? "size" : severalSizes ? "GPU and size" : "GPU";
}

function makeBar(parent) {
    const count = make("span", {role: "status", id: "count"});
    const query = make("input", {type: "search", id: "query", placeholder: "filter: TILE=64 shared …", "aria-label": "keep variants whose configuration, outcome or limiter holds these words"});
    const clear = make("button", {type: "button", id: "clear"}, "Show all");
    query.value = state.query;
    query.addEventListener("input", () => { state.query = query.value; changed(); });
    clear.addEventListener("click", clearFilters);
    const bar = make("div", {class: "bar", role: "toolbar", "aria-label": "what is shown"});
    if (problems.length > 1)
        choice(bar, whatVaries(), problems.map((problem, i) => [String(i), problem.name]), String(state.problem), value => {
            Object.assign(state, {problem: Number(value), filters: {}, selected: -1});
            changed();
        });
    bar.append(query, count, clear);
    parent.before(bar);
    addView(bar, () => {
        const total = problemNow().variants.length;
        count.textContent = shownCount === total ? `${total} variants` : `${shownCount} of ${total} variants`;
        clear.disabled = !Object.keys(state.filters).length && !state.query;
    }, true);
}

/* Outcomes and sizes
 * ---------------------------------------------------------------------------------------------------- */

function countTable(title, counts) {
    const rows = Array.from(counts).sort((a, b) => b[1] - a[1]).map(([text, n]) => make("tr", {}, make("td", {class: "words"}, text), make("td", {}, String(n))));
    return make("table", {}, make("thead", {}, make("tr", {}, make("th", {scope: "col"}, title), make("th", {scope: "col"}, "variants"))), make("tbody", {}, ...rows));
}

function tally(variants, textOf) {
    const counts = new Map();
    for (const v of variants)
        if (textOf(v))
            counts.set(textOf(v), (counts.get(textOf(v)) || 0) + 1);
    return counts;
}

function makeOutcomes(parent) {
    const frame = panel(parent, "Outcomes", "");
    addForProblem(frame.element, () => {
        const problem = problemNow(), outcomes = tally(problem.variants, fateText);
        if (problem.not_compiled)
            outcomes.set("never compiled", problem.not_compiled);
        const limiters = tally(problem.predicted, limiterText);
        frame.body.replaceChildren(countTable("outcome", outcomes), ...(limiters.size ? [countTable("predicted to be limited by", limiters)] : []));
        const message = problem.variants.find(v => v.fate === "failed" && v.message >= 0);
        frame.words.textContent = message ? `First message: ${page.messages[message.message]}` : "";
    });
}

function makeSizes(parent) {
    if (problems.length < 2)
        return;
    const frame = panel(parent, severalKinds ? "Kinds of GPU" : "Sizes", "The winner of each; the list at the top of the page changes to another.", true);
    const head = make("tr", {}, ...[whatVaries(), "time", "over the default", "configuration"].map(text => make("th", {scope: "col"}, text)));
    const rows = problems.map(({name, best, initial}) => make("tr", {}, make("td", {}, name), make("td", {}, best ? duration(best.time_ms) : "–"),
        make("td", {}, best && initial && initial.time_ms > 0 ? (initial.time_ms / best.time_ms).toPrecision(3) + "×" : "–"),
        make("td", {class: "words"}, best ? configurationText(best) : "–")));
    frame.body.append(make("div", {class: "scroll"}, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))));
}

/* Machine and provenance: what the journal and the decision say, member by member
 * ---------------------------------------------------------------------------------------------------- */

function flatten(value, name, out) {
    if (Array.isArray(value))
        out.push([name, value.map(item => typeof item === "object" ? JSON.stringify(item) : String(item)).join(", ")]);
    else if (value && typeof value === "object")
        for (const [key, inner] of Object.entries(value))
            flatten(inner, name ? name + " " + key : key, out);
    else if (value !== null && value !== "")
        out.push([name, typeof value === "number" ? short(value) : String(value)]);
    return out;
}

function provenance(problem) {
    const decision = problem.decision || {};
    return [
        ["Machine", flatten(problem.device || {}, "", [])],
        ["Signature", flatten(page.signature || {}, "", [])],
        ["Measuring", flatten(problem.origin || {}, "", [])],
        ["Search", flatten({strategy: decision.strategy, ended: decision.ended, ...(decision.search || {})}, "", [])],
        ["Counts", flatten(decision.counts || {}, "", [])],
        ["Spent", flatten(decision.spent ? {...decision.spent, steps: undefined} : {}, "", [])],
    ].map(([title, facts]) => [title, facts.filter(([, text]) => text !== "undefined")]).filter(([, facts]) => facts.length);
}

function makeProvenance(parent) {
    const frame = panel(parent, "Machine and provenance", "", true);
    addForProblem(frame.element, () => {
        const tables = provenance(problemNow()).map(([title, facts]) => make("div", {}, make("h3", {}, title), make("div", {class: "scroll"}, factTable(facts))));
        frame.body.replaceChildren(make("div", {class: "grid"}, ...tables));
    });
    frame.words.textContent = `Made by occutune ${page.version}. Charts are drawn with D3 (https://d3js.org), licence: BSD 3-Clause, copyright Mike Bostock; its text stands in the source of this page.`;
}
