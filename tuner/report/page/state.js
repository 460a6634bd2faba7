/* What the reader chose: kept in the address, so that a page that is loaded anew goes on where it was. */

const state = {problem: 0, filters: {}, selected: -1, query: "", sort: ["time_ms", 1], x: "", resource: "occupancy", off: []};
const views = []; /* {element, draw()}: drawn when something changes, while they can be seen */
let shown = new Uint8Array(0); /* by variant: passes all filters */
let shownCount = 0;
let pending = false;

function restoreState() {
    try {
        Object.assign(state, JSON.parse(decodeURIComponent(location.hash.slice(1))));
    } catch (error) {
        /* no state, or one of another page */
    }
    if (!(state.problem in problems))
        state.problem = 0;
}

function saveState() {
    history.replaceState(null, "", "#" + encodeURIComponent(JSON.stringify(state)));
}

function problemNow() {
    return problems[state.problem];
}

function selectedNow() {
    return problemNow().variants[state.selected] || null;
}

/* "p:3" is the position of the value of parameter 3, anything else a column. */
function reader(id) {
    if (!id.startsWith("p:"))
        return v => v[id];
    const p = Number(id.slice(2));
    return v => v.at ? v.at[p] : undefined;
}

function searchText(v) {
    if (v.text === undefined)
        v.text = [configurationText(v), fateText(v), limiterText(v)].join(" ").toLowerCase();
    return v.text;
}

function applyFilters() {
    const {variants} = problemNow();
    const ranges = Object.entries(state.filters).map(([id, [low, high]]) => ({read: reader(id), low, high}));
    const words = state.query.toLowerCase().split(/\s+/).filter(word => word);
    shown = new Uint8Array(variants.length);
    shownCount = 0;
    for (const v of variants) {
        const passes = ranges.every(({read, low, high}) => read(v) >= low && read(v) <= high) && words.every(word => searchText(v).includes(word));
        shown[v.i] = passes ? 1 : 0;
        shownCount += shown[v.i];
    }
}

function drawAll() {
    const began = performance.now();
    pending = false;
    applyFilters();
    for (const view of views) {
        if (view.visible === undefined)
            view.visible = startsInSight(view.element);
        if (view.visible)
            view.draw();
    }
    document.body.dataset.drawn = (performance.now() - began).toFixed(1);
    afterwards(saveState);
}

/* Work that may wait until the reader pauses: summaries in words, the address. The last of each kind counts. */
const waiting = new Map();
let waitingTimer = 0;

function afterwards(work, key = work) {
    waiting.set(key, work);
    clearTimeout(waitingTimer);
    waitingTimer = setTimeout(() => {
        const all = Array.from(waiting.values());
        waiting.clear();
        all.forEach(each => each());
    }, 150);
}

/* Many changes before the next frame are one drawing. */
function changed() {
    if (pending)
        return;
    pending = true;
    requestAnimationFrame(drawAll);
}

const watcher = new IntersectionObserver(entries => {
    for (const entry of entries) {
        const view = views.find(candidate => candidate.element === entry.target);
        const appears = entry.isIntersecting && view.visible === false;
        view.visible = entry.isIntersecting;
        if (appears)
            view.draw();
    }
}, {rootMargin: "200px"});

/* Until the watcher has spoken, which it does after the first drawing: what lies below the window waits. */
function startsInSight(element) {
    return element.getBoundingClientRect().top < innerHeight + 200;
}

function addView(element, draw, always) {
    views.push({element, draw, visible: always || undefined});
    if (!always)
        watcher.observe(element);
}

/* Views that only another choice changes: of the problem, or of the variant too. */
function addForKey(element, draw, keyNow) {
    let key = null;
    addView(element, () => {
        if (key !== keyNow()) {
            key = keyNow();
            draw();
        }
    }, true);
}

function addForProblem(element, draw) {
    addForKey(element, draw, () => String(state.problem));
}

function addForChoice(element, draw) {
    addForKey(element, draw, () => state.problem + " " + state.selected);
}

function setFilter(id, range) {
    if (range)
        state.filters[id] = range;
    else
        delete state.filters[id];
    changed();
}

function select(v) {
    state.selected = v ? v.i : -1;
    changed();
}

function clearFilters() {
    state.filters = {};
    state.query = "";
    document.querySelector("#query").value = "";
    changed();
}
