/* What each parameter does to the time: for each value the fastest, and the middle half, of the variants shown. */

/* Per value: fastest, quartiles and median, or null. Times come in ascending order, so a quantile is a place. */
function summariesOf(problem, p) {
    const at = problem.timedAt[p], {timedIndex, timedMs} = problem, count = problem.parameters[p].texts.length;
    const total = new Int32Array(count), passed = new Int32Array(count), found = d3.range(count).map(() => []);
    for (let t = 0; t < at.length; t++)
        if (at[t] >= 0 && shown[timedIndex[t]])
            total[at[t]]++;
    const places = Array.from(total, n => [0, .25, .5, .75].map(share => Math.floor(share * n)));
    for (let t = 0; t < at.length; t++) {
        const value = at[t];
        if (value < 0 || !shown[timedIndex[t]])
            continue;
        while (found[value].length < 4 && places[value][found[value].length] === passed[value])
            found[value].push(timedMs[t]);
        passed[value]++;
    }
    return found.map(times => times.length ? {fastest: times[0], low: times[1], median: times[2], high: times[3]} : null);
}

function paintEffect(context, summaries, texts, width, height, y) {
    const step = (width - 44) / summaries.length, half = Math.min(14, step / 3);
    context.textAlign = "center";
    context.textBaseline = "top";
    summaries.forEach((summary, i) => {
        const x = 40 + (i + .5) * step;
        context.fillStyle = theme.soft;
        context.fillText(texts[i], x, height - 15, step);
        if (!summary)
            return;
        context.fillStyle = theme.faded;
        context.fillRect(x - half, y(summary.high), 2 * half, Math.max(1, y(summary.low) - y(summary.high)));
        paintLine(context, theme.ink, 1.5, [[x - half, y(summary.median)], [x + half, y(summary.median)]]);
        context.fillStyle = theme.best;
        context.beginPath();
        context.arc(x, y(summary.fastest), 3.5, 0, 7);
        context.fill();
    });
}

function paintEffectAxis(context, y, width, best) {
    context.strokeStyle = theme.grid;
    context.fillStyle = theme.soft;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.lineWidth = 1;
    for (const times of [1, 1.1, 1.5, 2, 4, 8, 16, 64]) {
        const py = Math.round(y(best * times)) + .5;
        if (!(py >= 4 && py <= 96))
            continue;
        paintLine(context, theme.grid, 1, [[38, py], [width, py]]);
        context.fillText(times + "×", 34, py);
    }
}

function effectWords(name, texts, summaries, best) {
    const fastest = summaries.map(summary => summary ? (summary.fastest / best).toFixed(3) : "none");
    return `${name}: fastest time at each value, in times the best: ` + texts.map((text, i) => `${text}: ${fastest[i]}`).join(", ");
}

function drawEffect(cell, p) {
    const problem = problemNow(), {texts, name} = problem.parameters[p];
    const {width, height} = cell;
    if (!width || !problem.timed.length)
        return;
    const context = fitCanvas(cell.canvas, width, height);
    const summaries = summariesOf(problem, p), best = problem.timedMs[0];
    const high = d3.max(summaries, summary => summary ? summary.high : 0) || best * 2;
    const y = d3.scaleLog().domain([best / 1.02, Math.max(high, best * 1.05) * 1.05]).range([96, 6]);
    paintEffectAxis(context, y, width, best);
    paintEffect(context, summaries, texts, width, height, y);
    afterwards(() => cell.canvas.setAttribute("aria-label", effectWords(name, texts, summaries, best)), cell);
}

function makeEffectCell(parent, p) {
    const {name, texts} = problemNow().parameters[p];
    const canvas = make("canvas", {role: "img", style: "width: 100%; height: 116px"});
    const cell = make("div", {}, make("h3", {}, name), canvas);
    const list = choice(cell, "keep", [["", "all values"], ...texts.map((text, i) => [String(i), text])], "", value =>
        setFilter("p:" + p, value === "" ? null : [Number(value) - .4, Number(value) + .4]));
    list.setAttribute("aria-label", "keep the value of " + name);
    const view = {canvas, list, p};
    parent.append(cell);
    watchSize(view, canvas);
    return view;
}

function keptValue(p) {
    const range = state.filters["p:" + p];
    const value = range ? Math.round((range[0] + range[1]) / 2) : "";
    return range && range[1] - range[0] < 1 ? String(value) : "";
}

function makeEffects(parent) {
    const frame = panel(parent, "Each parameter", "Over the variants shown: a dot is the fastest at that value, a box the middle half, a line the median; times the best of all.", true);
    const grid = make("div", {class: "effects"});
    let cells = [], of = null;
    frame.body.append(grid);
    addView(frame.element, () => {
        if (of !== problemNow()) {
            of = problemNow();
            grid.replaceChildren();
            cells = of.varying.map(p => makeEffectCell(grid, p));
        }
        for (const cell of cells) {
            drawEffect(cell, cell.p);
            cell.list.value = keptValue(cell.p);
        }
    });
}
