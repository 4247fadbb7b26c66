/**
 * Drawing the regions of a place on its map.
 *
 * The fields of the regions hold what is drawn: ticks, or lines of names where there are many cells. The map follows
 * them, so whoever ticks by keyboard sees the same. Where cells are lines, a rectangle of two names is written out
 * by the server; until then the map shows single names only.
 */

/** @typedef {{form: HTMLFormElement, region: string, adds: boolean, touched: Set<Element>}} Stroke */
/** @typedef {HTMLInputElement | HTMLTextAreaElement} Field */

/** @type {Stroke | null} */
let stroke = null;

export function regions() {
  // A finger that touches the map may be scrolling: only a tap draws.
  document.addEventListener("pointerdown", (event) => event.pointerType === "touch" || begin(event));
  document.addEventListener("click", (event) => {
    if (/** @type {PointerEvent} */ (event).pointerType !== "touch") return;
    begin(event);
    end();
  });
  document.addEventListener("pointermove", (event) => {
    if (stroke) draw(document.elementFromPoint(event.clientX, event.clientY));
  });
  for (const over of ["pointerup", "pointercancel"]) document.addEventListener(over, end);
  document.addEventListener("input", (event) => follow(/** @type {Element} */ (event.target)));
}

/** @param {MouseEvent} event */
function begin(event) {
  const cell = cellAt(/** @type {Element} */ (event.target));
  const form = /** @type {HTMLFormElement | null | undefined} */ (cell?.closest("form"));
  /** @type {HTMLInputElement | null | undefined} */
  const chosen = form?.querySelector("[name=draws]:checked");
  if (!cell || !form || !chosen || event.button) return;
  event.preventDefault();
  stroke = { form, region: chosen.value, adds: cell.dataset.region !== chosen.value, touched: new Set() };
  draw(cell);
}

/** @param {Element | null} place */
function draw(place) {
  const cell = cellAt(place);
  if (!stroke || !cell || !stroke.form.contains(cell)) return;
  const { form, region, adds, touched } = stroke;
  const was = cell.dataset.region ?? "";
  if (adds === (was === region)) return;
  if (was) touched.add(put(form, was, cell, false));
  if (adds) touched.add(put(form, region, cell, true));
}

/** Autosave and the errors that are shown wait for the end of a stroke. */
function end() {
  const touched = stroke?.touched ?? [];
  stroke = null;
  for (const field of touched) field.dispatchEvent(new Event("input", { bubbles: true }));
}

/**
 * The cell joins or leaves the region; returns the field that has changed.
 * @param {HTMLFormElement} form
 * @param {string} region
 * @param {SVGElement} cell
 * @param {boolean} joins
 */
function put(form, region, cell, joins) {
  const name = cell.dataset.cell ?? "";
  const fields = fieldsOf(form, region);
  const field = fields.find((each) => each.value === name) ?? fields[0];
  if (field instanceof HTMLInputElement) field.checked = joins;
  else {
    const others = namesIn(fields).filter((each) => each !== name);
    field.value = (joins ? [...others, name] : others).join("\n");
  }
  mark(cell, joins ? region : "");
  return field;
}

/**
 * After somebody has ticked, typed or drawn: a cell leaves the region that had it, and map and numbers follow.
 * @param {Element} field
 */
function follow(field) {
  const form = field.closest("form");
  if (!form || !field.getAttribute("name")?.startsWith("in-")) return;
  if (field instanceof HTMLInputElement && field.checked) {
    for (const ticked of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[name^=in-]:checked"))) {
      if (ticked !== field && ticked.value === field.value) ticked.checked = false;
    }
  }
  /** @type {Map<string, string>} */
  const held = new Map();
  for (const row of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-region-row]"))) {
    const region = row.dataset.regionRow ?? "";
    const names = namesIn(fieldsOf(form, region));
    for (const name of names) held.set(name, region);
    /** @type {HTMLElement} */ (row.querySelector("[data-count]")).textContent = String(names.length);
  }
  for (const cell of /** @type {NodeListOf<SVGElement>} */ (form.querySelectorAll("[data-cell]"))) {
    mark(cell, held.get(cell.dataset.cell ?? "") ?? "");
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {string} region
 * @returns {Field[]}
 */
const fieldsOf = (form, region) => [...form.querySelectorAll(`[name="in-${region}"]`)].map((each) => /** @type {Field} */ (each));

/** @param {Field[]} fields */
function namesIn(fields) {
  if (fields[0] instanceof HTMLTextAreaElement) {
    return fields[0].value.split("\n").map((line) => line.trim()).filter(Boolean);
  }
  return fields.filter((each) => each instanceof HTMLInputElement && each.checked).map((each) => each.value);
}

/**
 * @param {SVGElement} cell
 * @param {string} region
 */
function mark(cell, region) {
  if (cell.dataset.region === region) return;
  cell.dataset.region = region;
  const number = cell.querySelector("text");
  if (number) number.textContent = region && String(Number(region) + 1);
}

/**
 * @param {Element | null} place
 * @returns {SVGElement | null}
 */
const cellAt = (place) => place?.closest("[data-cell]") ?? null;
