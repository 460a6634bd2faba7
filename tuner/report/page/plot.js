/* A chart with two axes on a canvas. */

const MARGIN = {left: 58, right: 12, top: 8, bottom: 38};
let theme = {};

function readTheme() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ground", "panel", "ink", "soft", "line", "grid", "timed", "faded", "estimate", "bound", "failed", "best", "initial", "selected"])
        theme[name] = style.getPropertyValue("--" + name).trim();
}

const MANY = 3000; /* points, from which on they are drawn smaller */

/* How points of a kind look; those that come later are drawn over those before. What was pruned is hollow. */
const KINDS = {
    predicted: {color: "soft", size: 3}, bound: {color: "bound", size: 2}, cutBound: {color: "bound", size: 5, hollow: true},
    cutEstimate: {color: "estimate", size: 5, hollow: true}, left: {color: "soft", size: 5, hollow: true}, timed: {color: "timed", size: 4},
};

function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes))
        element.setAttribute(name, value);
    element.append(...children.filter(child => child !== null && child !== undefined));
    return element;
}

/* A panel of the page: heading, controls, body, words below. */
function panel(parent, title, caption, wide) {
    const id = "h" + document.querySelectorAll("h2").length;
    const element = make("section", {class: wide ? "panel wide" : "panel", "aria-labelledby": id}, make("h2", {id}, title));
    const controls = make("div", {class: "controls"});
    const body = make("div");
    const words = make("p", {class: "soft"}, caption || "");
    element.append(controls, body, words);
    parent.append(element);
    return {element, controls, body, words, title};
}

/* Scales
 * ---------------------------------------------------------------------------------------------------- */

function extentOf(values, log) {
    let low = Infinity, high = -Infinity;
    for (const value of values)
        if (log ? value > 0 : Number.isFinite(value)) {
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
    if (low > high)
        return log ? [.1, 1] : [0, 1];
    if (log)
        return low === high ? [low / 1.1, high * 1.1] : [low / Math.pow(high / low, .04), high * Math.pow(high / low, .04)];
    const margin = (high - low || 1) * .04;
    return [low >= 0 && low - margin < 0 ? Math.min(low, 0) : low - margin, high + margin];
}

/* At least three and at most eight labels, also where a logarithmic axis spans less than a decade. */
function ticksOf(scale, log) {
    if (!log)
        return scale.ticks(6);
    const leading = wanted => scale.ticks().filter(tick => wanted.includes(Math.round(tick / Math.pow(10, Math.floor(Math.log10(tick) + 1e-9)))));
    for (const wanted of [[1], [1, 3], [1, 2, 5]])
        if (leading(wanted).length >= 4)
            return leading(wanted).slice(0, 9);
    const few = leading([1, 2, 5]);
    return few.length >= 3 ? few : d3.ticks(scale.domain()[0], scale.domain()[1], 5);
}

function scaleOf(axis, values, range) {
    const domain = typeof axis.domain === "function" ? axis.domain() : axis.domain || extentOf(values, axis.log);
    return (axis.log ? d3.scaleLog() : d3.scaleLinear()).domain(domain).range(range);
}

/* Painting
 * ---------------------------------------------------------------------------------------------------- */

function fitCanvas(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1, wide = Math.round(width * ratio), high = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    if (canvas.width !== wide || canvas.height !== high)
        Object.assign(canvas, {width: wide, height: high});
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    return context;
}

function paintAxes(context, chart) {
    const {x, y, width, height, options} = chart;
    context.strokeStyle = theme.grid;
    context.fillStyle = theme.soft;
    context.lineWidth = 1;
    context.textAlign = "center";
    context.textBaseline = "top";
    context.beginPath();
    for (const tick of ticksOf(x, options.x.log)) {
        context.moveTo(Math.round(x(tick)) + .5, MARGIN.top);
        context.lineTo(Math.round(x(tick)) + .5, height - MARGIN.bottom);
        context.fillText(short(tick), x(tick), height - MARGIN.bottom + 4);
    }
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const tick of ticksOf(y, options.y.log)) {
        context.moveTo(MARGIN.left, Math.round(y(tick)) + .5);
        context.lineTo(width - MARGIN.right, Math.round(y(tick)) + .5);
        context.fillText(short(tick), MARGIN.left - 6, y(tick));
    }
    context.stroke();
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    context.fillText(options.x.label, (MARGIN.left + width - MARGIN.right) / 2, height - 5);
    context.save();
    context.translate(11, (MARGIN.top + height - MARGIN.bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(options.y.label, 0, 0);
    context.restore();
}

/* Points are written as pixels, all of a chart into one image: ten thousand take a few milliseconds. */
function imageOf(chart) {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.round(chart.width * ratio), height = Math.round(chart.height * ratio);
    if (!chart.image || chart.image.width !== width || chart.image.height !== height) {
        const data = new ImageData(width, height);
        chart.image = {data, words: new Uint32Array(data.data.buffer), canvas: new OffscreenCanvas(width, height), width, height, ratio};
    }
    chart.image.words.fill(0);
    return chart.image;
}

function pixelWord(color) {
    const {r, g, b} = d3.rgb(color);
    return (255 << 24 | b << 16 | g << 8 | r) >>> 0; /* the order of bytes in memory, on every machine with a browser */
}

function putSquare(image, px, py, size, hollow, word) {
    const left = Math.max(0, Math.round((px - size / 2) * image.ratio)), right = Math.min(image.width, left + Math.round(size * image.ratio));
    const top = Math.max(0, Math.round((py - size / 2) * image.ratio)), bottom = Math.min(image.height, top + Math.round(size * image.ratio));
    for (let y = top; y < bottom; y++)
        for (let x = left; x < right; x++)
            if (!hollow || y === top || y === bottom - 1 || x === left || x === right - 1)
                image.words[y * image.width + x] = word;
}

function paintPoints(image, points, isWanted, {color, size, hollow}) {
    const word = pixelWord(theme[color]);
    for (const point of points)
        if (isWanted[point.v.i])
            putSquare(image, point.px, point.py, size, hollow, word);
}

function paintImage(context, chart, image) {
    image.canvas.getContext("2d").putImageData(image.data, 0, 0);
    context.drawImage(image.canvas, 0, 0, chart.width, chart.height);
}

function paintLine(context, color, width, places, dash) {
    context.strokeStyle = color;
    context.lineWidth = width;
    context.setLineDash(dash || []);
    context.beginPath();
    places.forEach(([x, y], i) => i ? context.lineTo(x, y) : context.moveTo(x, y));
    context.stroke();
    context.setLineDash([]);
}

/* Told apart by shape as well as by colour. */
function paintMark(context, kind, px, py) {
    context.lineWidth = 2;
    context.strokeStyle = theme.ground;
    context.fillStyle = theme[kind];
    context.beginPath();
    if (kind === "best")
        context.arc(px, py, 6, 0, 7);
    else if (kind === "initial")
        [[0, -7], [7, 0], [0, 7], [-7, 0]].forEach(([dx, dy]) => context.lineTo(px + dx, py + dy));
    else {
        context.strokeStyle = theme.selected;
        context.arc(px, py, 9, 0, 7);
        context.stroke();
        return;
    }
    context.closePath();
    context.fill();
    context.stroke();
}

function marksNow() {
    const problem = problemNow();
    return [["initial", problem.initial], ["best", problem.best], ["selected", selectedNow()]].filter(([, v]) => v);
}

/* Sizes are kept: asking for them between two drawings would lay out the page each time. */
const sizes = new ResizeObserver(entries => {
    for (const {target, contentRect} of entries)
        Object.assign(sized.get(target), {width: Math.round(contentRect.width), height: Math.round(contentRect.height)});
    changed();
});
const sized = new Map();

function watchSize(holder, element) {
    Object.assign(holder, {width: element.clientWidth, height: element.clientHeight});
    sized.set(element, holder);
    sizes.observe(element);
}

/* A chart
 * ---------------------------------------------------------------------------------------------------- */

/* options: title, caption, controls(element, chart), x and y: {label, log, domain, id}, points(): [{v, x, y, kind}],
 * under(context, chart), over(context, chart), summary(): text, key(): what points() depends on beside the problem. What has
 * an id can be brushed. */
function makeChart(parent, options) {
    const frame = panel(parent, options.title, options.caption, options.wide);
    const canvas = make("canvas", {"aria-hidden": "true"});
    const plot = make("div", {class: "plot", tabindex: "0", role: "application", "aria-label": options.title});
    const overlay = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    overlay.setAttribute("aria-hidden", "true");
    plot.append(canvas, overlay);
    plot.style.height = (options.height || 320) + "px";
    frame.body.append(plot);
    const chart = {...frame, options, canvas, plot, overlay, points: []};
    if (options.controls)
        options.controls(frame.controls, chart);
    plot.addEventListener("pointermove", event => hover(chart, event));
    plot.addEventListener("pointerleave", hideTip);
    plot.addEventListener("keydown", event => pressKey(chart, event));
    if (!(options.x.id || options.y.id))
        plot.addEventListener("click", event => pick(chart, event));
    watchSize(chart, plot);
    addView(frame.element, () => drawChart(chart));
    return chart;
}

/* Places change with the size, the problem and what options.key() tells apart; what is shown changes far more often. */
function placePoints(chart) {
    const {options, width, height} = chart;
    const key = [width, height, state.problem, options.key ? options.key() : ""].join();
    if (chart.placed === key)
        return;
    const points = options.points();
    chart.placed = key;
    chart.x = scaleOf(options.x, points.map(point => point.x), [MARGIN.left, width - MARGIN.right]);
    chart.y = scaleOf(options.y, points.map(point => point.y), [height - MARGIN.bottom, MARGIN.top]);
    chart.points = points.filter(point => {
        point.px = chart.x(point.x);
        point.py = chart.y(point.y);
        return Number.isFinite(point.px) && Number.isFinite(point.py);
    });
    chart.kinds = Object.keys(KINDS).map(kind => [KINDS[kind], chart.points.filter(point => point.kind === kind)]);
    chart.places = new Map(chart.points.filter(point => point.kind !== "bound" && point.kind !== "predicted").map(point => [point.v, point]));
}

function paintAllPoints(context, chart) {
    const image = imageOf(chart), hidden = shown.map(flag => 1 - flag);
    paintPoints(image, chart.points, hidden, {color: "faded", size: 2});
    const many = shownCount > MANY;
    for (const [look, points] of chart.kinds)
        paintPoints(image, points, shown, many ? {...look, size: Math.ceil(look.size / 2)} : look);
    paintImage(context, chart, image);
}

/* The chosen variant, the default and the selected one. */
function paintMarks(context, chart) {
    for (const [kind, v] of marksNow()) {
        const point = chart.places.get(v);
        if (point)
            paintMark(context, kind, point.px, point.py);
    }
}

function paintInside(context, chart) {
    if (chart.options.under)
        chart.options.under(context, chart);
    if (chart.points.length)
        paintAllPoints(context, chart);
    else if (chart.options.empty)
        paintEmpty(context, chart);
    if (chart.options.over)
        chart.options.over(context, chart);
    paintMarks(context, chart);
}

/* The words below a chart are its summary, and what a screen reader says of it. */
function describe(chart) {
    const summary = chart.options.summary ? chart.options.summary(chart) : "";
    chart.words.textContent = [chart.options.caption, summary].filter(text => text).join(" ");
    chart.plot.setAttribute("aria-label", `${chart.title}. ${chart.words.textContent} Arrow keys step through the points.`);
}

function drawChart(chart) {
    if (!chart.width)
        return;
    const context = fitCanvas(chart.canvas, chart.width, chart.height);
    placePoints(chart);
    chart.tree = null;
    paintAxes(context, chart);
    context.save();
    context.beginPath();
    context.rect(MARGIN.left, 0, chart.width - MARGIN.left, chart.height - MARGIN.bottom + 8);
    context.clip();
    paintInside(context, chart);
    context.restore();
    afterwards(() => describe(chart), chart);
    placeBrush(chart);
}

function paintEmpty(context, chart) {
    context.fillStyle = theme.soft;
    context.textAlign = "center";
    context.fillText(chart.options.empty, chart.width / 2, chart.height / 2);
}
