/* Parallel coordinates: a line a variant through the values of its parameters to its time; each axis can be brushed. */

const AXIS_TOP = 26, AXIS_BOTTOM = 14, SHADES = 12;

function parallelAxes(problem, width, height) {
    const axes = problem.varying.map(p => {
        const {name, texts} = problem.parameters[p];
        return {id: "p:" + p, name, texts, scale: d3.scaleLinear().domain([-.5, texts.length - .5]).range([height - AXIS_BOTTOM, AXIS_TOP])};
    });
    const times = extentOf(problem.timed.map(v => v.time_ms), true);
    axes.push({id: "time_ms", name: "time, ms", scale: d3.scaleLog().domain(times).range([height - AXIS_BOTTOM, AXIS_TOP])});
    const step = axes.length > 1 ? (width - 90) / (axes.length - 1) : 0;
    axes.forEach((axis, i) => { axis.x = 40 + i * step; });
    return axes;
}

/* Where each timed variant meets each axis, in the order of problem.timed; -1 where it does not. */
function heightsOf(problem, axes) {
    return axes.map((axis, a) => a < problem.varying.length
        ? Int16Array.from(problem.timedAt[problem.varying[a]], at => at < 0 ? -1 : axis.scale(at))
        : Int16Array.from(problem.timedMs, ms => axis.scale(ms)));
}

/* A segment that a faster variant drew already is not drawn again: thousands of lines are a few hundred segments. */
function segmentsOf(problem, heights, most, wanted) {
    const seen = new Uint8Array(heights.length * most * most), segments = [];
    let rank = 0;
    problem.timedIndex.forEach((i, t) => {
        if (wanted && !wanted[i] || heights[0][t] < 0)
            return;
        for (let a = 0; a + 1 < heights.length; a++) {
            const from = heights[a][t], to = heights[a + 1][t], place = (a * most + from) * most + to;
            if (!seen[place]) {
                seen[place] = 1;
                segments.push({a, from, to, rank});
            }
        }
        rank++;
    });
    return segments;
}

function paintSegments(context, axes, segments, colorOf) {
    const groups = new Map();
    for (const segment of segments) {
        const color = colorOf(segment);
        if (!groups.has(color))
            groups.set(color, []);
        groups.get(color).push(segment);
    }
    for (const [color, list] of Array.from(groups).reverse()) {
        context.strokeStyle = color;
        context.beginPath();
        for (const {a, from, to} of list) {
            context.moveTo(axes[a].x, from);
            context.lineTo(axes[a + 1].x, to);
        }
        context.stroke();
    }
}

function paintAxis(context, axis, height, width) {
    context.strokeStyle = theme.soft;
    context.fillStyle = theme.ink;
    context.beginPath();
    context.moveTo(axis.x, AXIS_TOP);
    context.lineTo(axis.x, height - AXIS_BOTTOM);
    context.stroke();
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    context.fillText(axis.name, axis.x, 14, Math.max(28, width - 8));
    context.textAlign = "left";
    context.textBaseline = "middle";
    const labels = axis.texts ? axis.texts.map((text, i) => [i, text]) : ticksOf(axis.scale, true).map(tick => [tick, short(tick)]);
    const every = Math.ceil(labels.length / Math.max(2, (height - AXIS_TOP - AXIS_BOTTOM) / 14));
    labels.forEach(([at, text], i) => {
        if (i % every)
            return;
        const y = axis.scale(at);
        context.lineWidth = 3;
        context.strokeStyle = theme.panel;
        context.strokeText(text, axis.x + 5, y, Math.max(20, width - 12));
        context.fillText(text, axis.x + 5, y, Math.max(20, width - 12));
        context.lineWidth = 1;
    });
}

function placeAxisBrushes(overlay, axes, height) {
    const groups = d3.select(overlay).selectAll("g").data(axes, axis => axis.id);
    groups.exit().remove();
    const merged = groups.enter().append("g").merge(groups);
    merged.attr("transform", axis => `translate(${axis.x},0)`).each(function (axis) {
        const brush = d3.brushY().extent([[-12, AXIS_TOP - 4], [12, height - AXIS_BOTTOM + 4]]).on("end", given => {
            const event = brushEvent(given);
            if (event && event.sourceEvent)
                setFilter(axis.id, event.selection ? event.selection.map(y => axis.scale.invert(y)).sort((a, b) => a - b) : null);
        });
        const range = state.filters[axis.id];
        const ends = range ? range.map(value => axis.scale(value)).sort((a, b) => a - b) : null;
        d3.select(this).call(brush).call(brush.move, ends && ends[1] > ends[0] ? ends : null);
    });
}

function layOut(frame, problem, width, height) {
    const key = [state.problem, width, height].join();
    if (frame.placed === key)
        return;
    frame.placed = key;
    frame.axes = parallelAxes(problem, width, height);
    frame.heights = heightsOf(problem, frame.axes);
    frame.all = segmentsOf(problem, frame.heights, height, null);
}

/* From the colour of the best to the faded one of the rest, by rank. */
function shadesOf(count) {
    const colors = d3.range(SHADES).map(i => d3.interpolateRgb(theme.best, theme.faded)(i / SHADES));
    const root = Math.sqrt(Math.max(1, count));
    return segment => colors[Math.min(SHADES - 1, Math.floor(SHADES * Math.sqrt(segment.rank) / root))];
}

function paintWhole(context, axes, kind, v) {
    const places = axes.map(axis => [axis.x, axis.scale(reader(axis.id)(v))]).filter(([, y]) => Number.isFinite(y));
    paintLine(context, theme[kind], 2.5, places, kind === "initial" ? [5, 4] : []);
}

function drawParallel(frame) {
    const problem = problemNow(), {canvas, overlay} = frame;
    const {width, height} = frame;
    if (!width || !problem.timed.length)
        return;
    const context = fitCanvas(canvas, width, height);
    layOut(frame, problem, width, height);
    const {axes} = frame;
    context.globalAlpha = .5;
    paintSegments(context, axes, frame.all, () => theme.grid);
    context.globalAlpha = .8;
    paintSegments(context, axes, segmentsOf(problem, frame.heights, height, shown), shadesOf(shownCount));
    context.globalAlpha = 1;
    for (const [kind, v] of marksNow())
        if (v.at)
            paintWhole(context, axes, kind, v);
    axes.forEach(axis => paintAxis(context, axis, height, axes.length > 1 ? axes[1].x - axes[0].x : 80));
    placeAxisBrushes(overlay, axes, height);
}

function makeParallel(parent) {
    const frame = panel(parent, "Parameters together", "A line is a variant, green the fastest of those shown. Drag along an axis to keep a range of it; click the axis to let go. The same can be done by the keyboard with the lists under \"Each parameter\".", true);
    const canvas = make("canvas", {"aria-hidden": "true"}), overlay = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const plot = make("div", {class: "plot", role: "img", "aria-label": "Parallel coordinates of the parameters and the time; the table below holds the same."}, canvas, overlay);
    plot.style.height = "340px";
    const inner = make("div", {class: "scroll"}, plot);
    frame.body.append(inner);
    const view = {...frame, plot, canvas, overlay};
    watchSize(view, plot);
    addView(frame.element, () => {
        plot.style.minWidth = problemNow().varying.length * 52 + 120 + "px";
        drawParallel(view);
    });
}
