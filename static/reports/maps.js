// @ts-check
// Zooms the maps of a report by controls, keys, double click, wheel with Ctrl, and pinch. All panels of a map show the same part.

const MOST = 16;
const FACTOR = 1.5;
const STEP = 0.2;

/** @typedef {{ zoom: number, x: number, y: number }} View  The centre, as parts of the whole drawing. */
/** @typedef {{ x: number, y: number }} Point */

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
    return { svg, width, height, labels: [...svg.querySelectorAll("g")] };
  });
  /** @type {View} */
  let view = { zoom: 1, x: 0.5, y: 0.5 };

  /** @param {Partial<View>} change */
  function show(change) {
    view = inside({ ...view, ...change });
    const { zoom, x, y } = view;
    for (const { svg, width, height, labels } of drawings) {
      svg.setAttribute("viewBox", [(x - 0.5 / zoom) * width, (y - 0.5 / zoom) * height, width / zoom, height / zoom].join(" "));
      // A figure and its name keep their size on the screen.
      for (const label of labels) {
        const [left, top] = ["x", "y"].map((name) => Number(label.firstElementChild?.getAttribute(name)));
        label.setAttribute("transform", `translate(${left * (1 - 1 / zoom)} ${top * (1 - 1 / zoom)}) scale(${1 / zoom})`);
      }
    }
    panels.toggleAttribute("data-zoomed", zoom > 1);
  }

  /** @param {number} byX @param {number} byY */
  const move = (byX, byY) => show({ x: view.x + byX / view.zoom, y: view.y + byY / view.zoom });
  /**
   * The point around which it zooms stays where it is.
   *
   * @param {number} factor
   * @param {Point} [around]  as parts of what is shown
   */
  function zoom(factor, around = { x: 0.5, y: 0.5 }) {
    const to = within(view.zoom * factor, 1, MOST);
    const by = 1 / view.zoom - 1 / to;
    show({ zoom: to, x: view.x + (around.x - 0.5) * by, y: view.y + (around.y - 0.5) * by });
  }
  /** @type {Record<string, () => void>} */
  const acts = { in: () => zoom(FACTOR), out: () => zoom(1 / FACTOR) };
  /** @type {Record<string, () => void>} */
  const keys = { "+": acts.in, "=": acts.in, "-": acts.out, 0: () => show({ zoom: 1 }) };
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
  const controls = /** @type {HTMLElement} */ (figure.querySelector("[data-zooming]"));
  controls.hidden = false;
  controls.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("[data-zoom]");
    acts[button?.getAttribute("data-zoom") ?? ""]?.();
  });
  for (const { svg } of drawings) pointed(svg, move, zoom);
}

/**
 * Dragging moves the part that is shown. A double click, two fingers, and the wheel while Control is held, as a pinch on
 * a touchpad reports it, zoom around their place. A wheel alone, and one finger on a whole map, scroll the page.
 *
 * @param {SVGSVGElement} svg
 * @param {(byX: number, byY: number) => void} move
 * @param {(factor: number, around?: Point) => void} zoom
 */
function pointed(svg, move, zoom) {
  /** @type {Map<number, Point>} */
  const pressed = new Map();
  /** @param {Point} point  in pixels */
  function part({ x, y }) {
    const { left, top, width, height } = svg.getBoundingClientRect();
    return { x: (x - left) / width, y: (y - top) / height };
  }
  const apart = () => {
    const [one, other] = [...pressed.values()];
    return Math.hypot(one.x - other.x, one.y - other.y);
  };

  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? FACTOR : 1 / FACTOR, part(event));
  }, { passive: false });
  // Else the browser takes two fingers for scrolling.
  svg.addEventListener("touchmove", (event) => {
    if (event.touches.length > 1) event.preventDefault();
  }, { passive: false });
  svg.addEventListener("dblclick", (event) => zoom(FACTOR, part(event)));
  svg.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    pressed.set(event.pointerId, { x: event.x, y: event.y });
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    const before = pressed.get(event.pointerId);
    if (!before) return;
    const distance = pressed.size === 2 ? apart() : 0;
    pressed.set(event.pointerId, { x: event.x, y: event.y });
    if (distance) zoom(apart() / distance, part(event));
    if (pressed.size > 1) return;
    const [from, to] = [part(before), part(event)];
    move(from.x - to.x, from.y - to.y);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    svg.addEventListener(end, (event) => pressed.delete(/** @type {PointerEvent} */ (event).pointerId));
  }
}

/** @param {ParentNode} part */
function makeZoomable(part) {
  for (const figure of part.querySelectorAll("[data-map]")) zoomable(/** @type {HTMLElement} */ (figure));
}

makeZoomable(document);
// A part that is loaded when it is unfolded.
document.addEventListener("htmx:afterSwap", (event) => makeZoomable(/** @type {HTMLElement} */ (event.target)));
