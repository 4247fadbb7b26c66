// @ts-check
// Enlarges the maps of a report, by buttons, keys, wheel and pointer. All panels of a map show the same part.

const MOST = 16;
const FACTOR = 1.5;
const STEP = 0.2;

/** @typedef {{ zoom: number, x: number, y: number }} View  The centre, as parts of the whole drawing. */

/** @param {number} value @param {number} low @param {number} high */
const within = (value, low, high) => Math.min(Math.max(value, low), high);

/** @param {View} view @returns {View} the view, with nothing beyond the drawing's edges */
function inside({ zoom, x, y }) {
  const kept = within(zoom, 1, MOST);
  const half = 0.5 / kept;
  return { zoom: kept, x: within(x, half, 1 - half), y: within(y, half, 1 - half) };
}

/** @param {HTMLElement} figure */
function zoomable(figure) {
  const panels = /** @type {HTMLElement} */ (figure.querySelector("[data-panels]"));
  const drawings = [...panels.querySelectorAll("svg")].map((svg) => {
    const { width, height } = svg.viewBox.baseVal;
    return { svg, width, height, labels: [...svg.querySelectorAll("text")] };
  });
  /** @type {View} */
  let view = { zoom: 1, x: 0.5, y: 0.5 };

  /** @param {Partial<View>} change */
  function show(change) {
    view = inside({ ...view, ...change });
    const { zoom, x, y } = view;
    for (const { svg, width, height, labels } of drawings) {
      svg.setAttribute("viewBox", [(x - 0.5 / zoom) * width, (y - 0.5 / zoom) * height, width / zoom, height / zoom].join(" "));
      // Numbers keep their size on the screen.
      for (const label of labels) {
        const at = `${label.getAttribute("x")} ${label.getAttribute("y")}`;
        label.setAttribute("transform", `translate(${at}) scale(${1 / zoom}) translate(${at.split(" ").map((one) => -Number(one)).join(" ")})`);
      }
    }
    panels.toggleAttribute("data-zoomed", zoom > 1);
  }

  /** @param {number} byX @param {number} byY */
  const move = (byX, byY) => show({ x: view.x + byX / view.zoom, y: view.y + byY / view.zoom });
  /** @type {Record<string, () => void>} */
  const acts = {
    in: () => show({ zoom: view.zoom * FACTOR }),
    out: () => show({ zoom: view.zoom / FACTOR }),
    all: () => show({ zoom: 1, x: 0.5, y: 0.5 }),
  };
  /** @type {Record<string, () => void>} */
  const keys = { "+": acts.in, "=": acts.in, "-": acts.out, 0: acts.all };
  /** @type {Record<string, () => void>} */
  const arrows = {
    ArrowLeft: () => move(-STEP, 0),
    ArrowRight: () => move(STEP, 0),
    ArrowUp: () => move(0, -STEP),
    ArrowDown: () => move(0, STEP),
  };

  panels.tabIndex = 0;
  panels.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // At its whole size a map leaves the arrows to the page.
    const act = keys[event.key] ?? (view.zoom === 1 ? undefined : arrows[event.key]);
    if (!act) return;
    event.preventDefault();
    act();
  });
  const buttons = /** @type {HTMLElement} */ (figure.querySelector("[data-zooming]"));
  buttons.hidden = false;
  buttons.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("[data-zoom]");
    acts[button?.getAttribute("data-zoom") ?? ""]?.();
  });
  for (const { svg } of drawings) pointed(svg, move, acts);
}

/**
 * Dragging moves the part that is shown; the wheel enlarges while Control is held, as a pinch on a touchpad reports it.
 *
 * @param {SVGSVGElement} svg
 * @param {(byX: number, byY: number) => void} move
 * @param {Record<string, () => void>} acts
 */
function pointed(svg, move, acts) {
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    acts[event.deltaY < 0 ? "in" : "out"]();
  }, { passive: false });
  svg.addEventListener("dblclick", () => acts.in());
  svg.addEventListener("pointerdown", (event) => {
    if (event.isPrimary) svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!svg.hasPointerCapture(event.pointerId)) return;
    const { width, height } = svg.getBoundingClientRect();
    move(-event.movementX / width, -event.movementY / height);
  });
}

for (const figure of document.querySelectorAll("[data-map]")) zoomable(/** @type {HTMLElement} */ (figure));
