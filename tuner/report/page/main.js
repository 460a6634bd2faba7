/* Builds the page, and loads it anew while its run goes on. */

const RELOAD_MS = 3000;

/* A page that is read is not pulled away: it waits for a hidden pointer button, a field that is typed in, a hidden tab. */
function follow() {
    let pressed = false;
    addEventListener("pointerdown", () => { pressed = true; }, true);
    addEventListener("pointerup", () => { pressed = false; }, true);
    setInterval(() => {
        const typing = document.activeElement && document.activeElement.id === "query";
        if (document.hidden || pressed || typing)
            return;
        sessionStorage.setItem("scroll", String(scrollY));
        location.reload();
    }, RELOAD_MS);
}

function makePage() {
    const main = document.getElementById("page");
    const grid = make("div", {class: "grid"});
    readTheme();
    restoreState();
    makeHeader();
    makeBar(main);
    main.append(grid);
    makeSearchChart(grid);
    makeAccuracyChart(grid);
    makeDetails(grid);
    makeWords(grid);
    makeLimiters(grid);
    makeBoundsChart(grid);
    makeRooflineChart(grid);
    makeResourceChart(grid);
    makeEnergyChart(grid);
    makeParallel(grid);
    makeEffects(grid);
    makeTable(grid);
    makeSizes(grid);
    makeOutcomes(grid);
    makeProvenance(grid);
    drawAll();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readTheme(); changed(); });
    new ResizeObserver(changed).observe(main);
    addEventListener("hashchange", () => { restoreState(); changed(); });
    if (page.live) {
        scrollTo(0, Number(sessionStorage.getItem("scroll")) || 0);
        follow();
    }
}

makePage();
