/* All variants as a table. Only the rows in sight exist, so that ten thousand scroll like ten. */

const ROW = 26, BEYOND = 12;

function tableColumns(problem) {
    const number = (id, title, text) => ({id, title, value: v => v[id], text: v => v[id] === undefined ? "–" : (text || short)(v[id])});
    const columns = [
        {id: "fate", title: "outcome", value: v => fateText(v), text: fateText},
        number("time_ms", "time, ms", digits),
        {id: "ratio", title: "× best", value: v => v.time_ms, text: v => v.time_ms > 0 && problem.best ? (v.time_ms / problem.best.time_ms).toFixed(3) : "–"},
        number("estimate_ms", "predicted, ms", digits), number("low_ms", "interval, low", digits), number("high_ms", "interval, high", digits),
        number("bound_ms", "bound, ms", digits),
        {id: "limiter", title: "limited by", value: limiterText, text: v => limiterText(v) || "–"},
        ...problem.parameters.map((parameter, p) => ({id: "p:" + p, title: parameter.name, value: reader("p:" + p), text: v => v.values ? v.values[p] : "–"})),
        number("registers", "registers"), number("shared_bytes", "shared, B"), number("spills", "spills"), number("blocks_per_sm", "blocks/SM"),
        number("occupancy", "occupancy", percent), number("confidence", "confidence"), number("timed_at_s", "timed at, s"),
    ];
    return columns.filter(column => problem.variants.some(v => column.text(v) !== "–" && column.text(v) !== ""));
}

/* What has no value comes last, whichever way the rest is sorted. */
function compareBy(column, direction) {
    const isKnown = value => value !== undefined && value !== "";
    return (a, b) => {
        const x = column.value(a), y = column.value(b);
        if (!isKnown(x) || !isKnown(y))
            return isKnown(y) - isKnown(x) || a.i - b.i;
        return direction * d3.ascending(x, y) || a.i - b.i;
    };
}

/* Sorted once for each heading, filtered with every change. */
function sortRows(view) {
    const column = view.columns.find(candidate => candidate.id === state.sort[0]) || view.columns[0];
    const key = [state.problem, column.id, state.sort[1]].join();
    if (view.sortedBy !== key) {
        view.sortedBy = key;
        view.sorted = problemNow().variants.slice().sort(compareBy(column, state.sort[1]));
    }
    return view.sorted.filter(v => shown[v.i]);
}

function sortBy(id) {
    state.sort = [id, state.sort[0] === id ? -state.sort[1] : 1];
    changed();
}

function makeHead(view) {
    const cells = view.columns.map(column => {
        const button = make("button", {type: "button"}, column.title);
        button.addEventListener("click", () => sortBy(column.id));
        return make("th", {scope: "col", "data-id": column.id}, button);
    });
    view.head.replaceChildren(make("tr", {"aria-rowindex": "1"}, ...cells));
}

function drawHead(view) {
    for (const cell of view.head.querySelectorAll("th")) {
        const sorted = cell.dataset.id === state.sort[0];
        cell.setAttribute("aria-sort", sorted ? (state.sort[1] > 0 ? "ascending" : "descending") : "none");
        const title = view.columns.find(column => column.id === cell.dataset.id).title;
        cell.firstChild.textContent = title + (sorted ? (state.sort[1] > 0 ? " ▲" : " ▼") : "");
    }
}

function spacer(view, rows) {
    return make("tr", {"aria-hidden": "true", style: `height: ${rows * ROW}px`}, make("td", {colspan: String(view.columns.length), style: "padding: 0; border: 0"}));
}

function rowOf(view, v, index) {
    const row = make("tr", {"aria-rowindex": String(index + 2), "aria-selected": String(v.i === state.selected), "data-i": String(v.i)});
    view.columns.forEach((column, c) => row.append(make(c ? "td" : "th", c ? {} : {scope: "row", style: "font-weight: 400"}, column.text(v))));
    return row;
}

function drawRows(view) {
    const first = Math.max(0, Math.floor(view.box.scrollTop / ROW) - BEYOND);
    const last = Math.min(view.rows.length, first + Math.ceil((view.box.clientHeight || 480) / ROW) + 2 * BEYOND);
    const rows = view.rows.slice(first, last).map((v, k) => rowOf(view, v, first + k));
    view.body.replaceChildren(...(first ? [spacer(view, first)] : []), ...rows, ...(last < view.rows.length ? [spacer(view, view.rows.length - last)] : []));
}

function drawTable(view) {
    if (view.problem !== problemNow()) {
        view.problem = problemNow();
        view.columns = tableColumns(view.problem);
        makeHead(view);
    }
    view.rows = sortRows(view);
    view.table.setAttribute("aria-rowcount", String(view.rows.length + 1));
    drawHead(view);
    drawRows(view);
}

function showRow(view, index) {
    const top = index * ROW, head = view.head.offsetHeight;
    if (top < view.box.scrollTop)
        view.box.scrollTop = top;
    else if (top + ROW + head > view.box.scrollTop + view.box.clientHeight)
        view.box.scrollTop = top + ROW + head - view.box.clientHeight;
}

function pressTableKey(view, event) {
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity};
    if (!(event.key in steps) || !view.rows.length || event.target.tagName === "BUTTON")
        return;
    const now = view.rows.findIndex(v => v.i === state.selected);
    const next = Math.max(0, Math.min(view.rows.length - 1, now + steps[event.key]));
    select(view.rows[next]);
    showRow(view, next);
    event.preventDefault();
}

/* A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function csvCell(text) {
    const safe = /^[=+@\t]|^-(?![\d.])/.test(text) ? "'" + text : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

function csvText(view) {
    const plain = (column, v) => {
        const text = column.text(v), value = column.value(v);
        return text === "–" ? "" : typeof value === "number" && !column.id.startsWith("p:") && column.id !== "ratio" ? String(value) : text;
    };
    const lines = [view.columns.map(column => csvCell(column.title)).join(",")];
    for (const v of view.rows)
        lines.push(view.columns.map(column => csvCell(plain(column, v))).join(","));
    return lines.join("\n") + "\n";
}

function exportTable(view) {
    const link = make("a", {download: page.kernel + ".csv", href: URL.createObjectURL(new Blob([csvText(view)], {type: "text/csv"}))});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function makeTable(parent) {
    const frame = panel(parent, "All variants", "A heading sorts. Arrow keys move the selection. What the charts filter is filtered here too, and exported.", true);
    const head = make("thead"), body = make("tbody");
    const table = make("table", {"aria-label": "all variants"}, head, body);
    const box = make("div", {class: "scroll rows", tabindex: "0", role: "region", "aria-label": "table of all variants"}, table);
    const view = {head, body, table, box, rows: [], columns: [], problem: null};
    const button = make("button", {type: "button", id: "export"}, "Export as CSV");
    button.addEventListener("click", () => exportTable(view));
    frame.controls.append(button);
    frame.body.append(box);
    box.addEventListener("scroll", () => requestAnimationFrame(() => drawRows(view)));
    box.addEventListener("keydown", event => pressTableKey(view, event));
    body.addEventListener("click", event => {
        const row = event.target.closest("tr[data-i]");
        if (row)
            select(problemNow().variants[Number(row.dataset.i)]);
    });
    addView(frame.element, () => drawTable(view));
}
