/* What a reader does in a chart: the pointer, the keyboard, the brush. */

/* The pointer
 * ---------------------------------------------------------------------------------------------------- */

function nearest(chart, px, py, within) {
    if (!chart.tree)
        chart.tree = d3.quadtree(chart.points.filter(point => shown[point.v.i]), point => point.px, point => point.py);
    return chart.tree.find(px, py, within);
}

function placeOf(chart, event) {
    const box = chart.plot.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
}

function showTip(event, nodes) {
    const tip = document.getElementById("tip");
    tip.replaceChildren(...nodes);
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
    tip.style.top = (event.clientY + 18 + box.height > innerHeight ? Math.max(4, event.clientY - box.height - 12) : event.clientY + 18) + "px";
}

function hideTip() {
    document.getElementById("tip").replaceChildren();
}

function tipOf(v) {
    const lines = factsOf(v, problemNow()).map(([label, text]) => make("div", {}, make("span", {class: "soft"}, label + ": "), text));
    return [make("b", {}, configurationText(v)), ...lines];
}

function hover(chart, event) {
    const point = event.buttons ? null : nearest(chart, ...placeOf(chart, event), 18);
    if (point)
        showTip(event, tipOf(point.v));
    else
        hideTip();
}

function pick(chart, event) {
    const point = nearest(chart, ...placeOf(chart, event), 18);
    if (point)
        select(point.v);
    return Boolean(point);
}

/* The keyboard: steps through what is shown, from left to right. */
function pressKey(chart, event) {
    const steps = {ArrowRight: 1, ArrowLeft: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity};
    if (event.key === "Escape") {
        delete state.filters[chart.options.x.id];
        setFilter(chart.options.y.id, null);
    } else if (event.key in steps) {
        const sorted = chart.points.filter(point => shown[point.v.i]).sort((a, b) => a.px - b.px);
        const now = sorted.findIndex(point => point.v.i === state.selected);
        if (!sorted.length)
            return;
        select(sorted[Math.max(0, Math.min(sorted.length - 1, now + steps[event.key]))].v);
        event.preventDefault();
    }
}

/* The brush: a range of each axis that has an id. A click without a range selects the nearest point.
 * ---------------------------------------------------------------------------------------------------- */

function brushEvent(given) {
    return given && given.sourceEvent !== undefined ? given : d3.event; /* d3 from version 6 on hands it over */
}

function endBrush(chart, event) {
    const {x, y} = chart.options;
    const range = (scale, from, to) => [scale.invert(from), scale.invert(to)].sort((a, b) => a - b);
    if (!event || !event.sourceEvent)
        return;
    if (!event.selection) {
        if (!pick(chart, event.sourceEvent)) {
            delete state.filters[x.id];
            setFilter(y.id, null);
        }
        return;
    }
    const [[x0, y0], [x1, y1]] = x.id && y.id ? event.selection
        : x.id ? [[event.selection[0], 0], [event.selection[1], 0]] : [[0, event.selection[0]], [0, event.selection[1]]];
    if (x.id)
        state.filters[x.id] = range(chart.x, x0, x1);
    if (y.id)
        state.filters[y.id] = range(chart.y, y0, y1);
    changed();
}

/* Shows the range that filters, also where another chart of the same axis set it. */
function placeBrush(chart) {
    const {x, y} = chart.options;
    const key = [chart.placed, JSON.stringify([state.filters[x.id], state.filters[y.id]])].join();
    if ((!x.id && !y.id) || chart.brushed === key)
        return;
    chart.brushed = key;
    const area = [[MARGIN.left, MARGIN.top], [chart.width - MARGIN.right, chart.height - MARGIN.bottom]];
    const brush = (x.id && y.id ? d3.brush() : x.id ? d3.brushX() : d3.brushY()).extent(area)
        .on("end", given => endBrush(chart, brushEvent(given)));
    const group = d3.select(chart.overlay).selectAll("g").data([0]);
    const merged = group.enter().append("g").merge(group).call(brush);
    const ends = (axis, scale, whole) => (state.filters[axis.id] || scale.domain()).map(value => Math.max(whole[0], Math.min(whole[1], scale(value)))).sort((a, b) => a - b);
    const xs = x.id ? ends(x, chart.x, [area[0][0], area[1][0]]) : null;
    const ys = y.id ? ends(y, chart.y, [area[0][1], area[1][1]]) : null;
    const filtered = (x.id && state.filters[x.id]) || (y.id && state.filters[y.id]);
    merged.call(brush.move, !filtered ? null : xs && ys ? [[xs[0], ys[0]], [xs[1], ys[1]]] : xs || ys);
}
