/**
 * The map of a place question: cells as an SVG, by pointer, keyboard and zoom. It mirrors the list beside it, which
 * does all that the map does; so screen readers pass over the drawing.
 *
 * Few elements are drawn, whatever the number of cells: one path for the cells of each region and one for those
 * outside. Which cell is meant by a point is computed. Coordinates of the drawing: the longer side is SIZE, y points down.
 */

import { button, el, told } from "./elements.js";

/** @typedef {Intake.PlaceQuestion} Question */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{whole: Box, radius: number, right: number, down: number, to: (x: number, y: number) => Point}} Frame */

const SIZE = 1000;
/** The least share of the longer side that the other one has. */
const SHAPELIEST = 0.5;
const MARGIN = 0.04;
const CLOSEST = 64;
const STEP = 1.5;
/** How far a pointer moves, in pixels, before a press is a drag. */
const STILL = 6;
/** The height of a name, as a part of the width of what is seen; the mean width of a letter, in ems. */
const NAME = 0.04;
const LETTER = 0.58;
const LONGEST = 22;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * From the question's coordinates to those of the drawing. On the outline of land a degree of longitude is drawn
 * shorter than one of latitude, as it is on the ground.
 * @param {Question} question
 * @returns {Frame}
 */
export function frameOf({ cells, outline }) {
  const [xs, ys] = [0, 1].map((axis) => {
    let [low, high] = [Infinity, -Infinity];
    for (const { at, shape } of cells) {
      for (const ring of [at, ...(shape ?? [])]) {
        for (let i = axis; i < ring.length; i += 2) {
          low = Math.min(low, ring[i]);
          high = Math.max(high, ring[i]);
        }
      }
    }
    return { low, middle: (low + high) / 2, length: high - low };
  });
  const narrower = outline === "land" ? Math.max(0.2, Math.cos((ys.middle * Math.PI) / 18000)) : 1;
  const [width, height] = [xs.length * narrower, ys.length];
  const radius = 0.4 * Math.max(Math.sqrt((width * height) / cells.length), Math.max(width, height) / cells.length);
  const beyond = cells.some(({ shape }) => !shape) ? 2 * radius : 0;
  const sides = [width, height].map((side) => side + beyond);
  const longer = Math.max(...sides);
  const [across, along] = sides.map((side) => Math.max(side, SHAPELIEST * longer) * (1 + 2 * MARGIN));
  const scale = SIZE / Math.max(across, along);
  const [right, down] = [narrower * scale, -scale];
  const [left, top] = [(across * scale) / 2 - xs.middle * right, (along * scale) / 2 - ys.middle * down];
  return {
    whole: { x: 0, y: 0, width: across * scale, height: along * scale },
    radius: Math.min(radius * scale, SIZE / 20), right, down,
    to: (x, y) => ({ x: left + x * right, y: top + y * down }),
  };
}

/** @param {number} number */
const short = (number) => Math.round(number * 100) / 100;

/** @param {string} name */
const cut = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1).trimEnd()}…` : name);

/**
 * @param {Frame} frame
 * @param {readonly Intake.Ring[]} rings
 */
export function ringPath({ to }, rings) {
  let path = "";
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i += 2) {
      const { x, y } = to(ring[i], ring[i + 1]);
      path += `${i ? "L" : "M"}${short(x)} ${short(y)}`;
    }
    path += "Z";
  }
  return path;
}

/**
 * @param {Frame} frame
 * @param {Intake.Cell[]} cells
 */
export function cellPath(frame, cells) {
  const r = short(frame.radius);
  let path = "";
  for (const cell of cells) {
    const { x, y } = frame.to(...cell.at);
    path += cell.shape ? ringPath(frame, cell.shape) : `M${short(x - r)} ${short(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }
  return path;
}

/**
 * Whether a point of the question's coordinates lies in the rings, by the even-odd rule.
 * @param {readonly Intake.Ring[]} rings
 * @param {number} x
 * @param {number} y
 */
function isWithin(rings, x, y) {
  let within = false;
  for (const ring of rings) {
    for (let i = 0, last = ring.length - 2; i < ring.length; last = i, i += 2) {
      const [x1, y1, x2, y2] = [ring[i], ring[i + 1], ring[last], ring[last + 1]];
      if (y1 > y !== y2 > y && x < x1 + ((x2 - x1) * (y - y1)) / (y2 - y1)) within = !within;
    }
  }
  return within;
}

/**
 * The cell that a point of the drawing means, or -1: of shapes the last one around it, of discs the nearest.
 * @param {Frame} frame
 * @param {Intake.Cell[]} cells
 * @param {Point} point
 */
export function cellAt(frame, cells, point) {
  const origin = frame.to(0, 0);
  const [x, y] = [(point.x - origin.x) / frame.right, (point.y - origin.y) / frame.down];
  let found = -1;
  let nearest = frame.radius;
  cells.forEach((cell, code) => {
    if (cell.shape) {
      if (isWithin(cell.shape, x, y)) found = code;
      return;
    }
    const to = frame.to(...cell.at);
    const distance = Math.hypot(to.x - point.x, to.y - point.y);
    if (distance <= nearest) [found, nearest] = [code, distance];
  });
  return found;
}

/**
 * What is seen after zooming in by a factor around a point, within the whole.
 * @param {Box} whole
 * @param {Box} view
 * @param {number} factor
 * @param {Point} around
 */
export function zoomed(whole, view, factor, around = middleOf(view)) {
  const width = Math.min(whole.width, Math.max(whole.width / CLOSEST, view.width / factor));
  const share = width / view.width;
  const height = view.height * share;
  return within(whole, { x: around.x - (around.x - view.x) * share, y: around.y - (around.y - view.y) * share, width, height });
}

/**
 * @param {Box} whole
 * @param {Box} view
 * @param {number} right
 * @param {number} down
 */
export const panned = (whole, view, right, down) => within(whole, { ...view, x: view.x + right, y: view.y + down });

/** @param {Box} view */
const middleOf = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });

/**
 * @param {Box} whole
 * @param {Box} view
 */
const within = (whole, { x, y, width, height }) => ({
  x: Math.min(Math.max(x, whole.x), whole.x + whole.width - width),
  y: Math.min(Math.max(y, whole.y), whole.y + whole.height - height),
  width, height,
});

/**
 * @param {string} name
 * @param {Record<string, unknown>} attributes
 * @param {...Element} children
 */
function svg(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/**
 * Hatching for regions; two regions that follow each other are hatched in different directions.
 * @param {number} of
 */
const hatching = (of) =>
  svg("pattern", { id: `place-hatch-${of}`, width: 8, height: 8, patternUnits: "userSpaceOnUse" },
    svg("path", { d: of ? "M0 8L8 0M-1 1L1-1M7 9L9 7" : "M0 0L8 8M-1 7L1 9M7-1L9 1" }));

/**
 * @param {Question} question
 * @param {Frame} frame
 * @param {string} [land] a path in the question's coordinates
 */
function outlineOf({ outline }, frame, land) {
  if (outline !== "land") return outline ? [svg("path", { class: "land", d: ringPath(frame, outline), "fill-rule": "evenodd" })] : [];
  const { x, y } = frame.to(0, 0);
  const transform = `matrix(${frame.right} 0 0 ${frame.down} ${x} ${y})`;
  return land ? [svg("path", { class: "land", d: land, transform, "fill-rule": "evenodd" })] : [];
}

/**
 * @param {Question} question
 * @param {Frame} frame
 * @param {{region: Intake.Region | null, codes: number[]}[]} groups
 */
const groupPaths = ({ cells }, frame, groups) =>
  groups.flatMap(({ region, codes }, i) => {
    const own = codes.map((code) => cells[code]);
    const parts = [own.filter(({ shape }) => shape), own.filter(({ shape }) => !shape)];
    return parts.filter((part) => part.length).flatMap((part) => [
      svg("path", { class: region ? "cells inside" : "cells", d: cellPath(frame, part), "fill-rule": part[0].shape ? "evenodd" : "nonzero" }),
      ...(region ? [svg("path", { d: cellPath(frame, part), fill: `url(#place-hatch-${i % 2})`, "fill-rule": part[0].shape ? "evenodd" : "nonzero" })] : []),
    ]);
  });

/**
 * @param {Question} question
 * @param {{region: Intake.Region | null, codes: number[]}[]} groups
 * @param {{x: number, y: number, said: Intake.Said}[]} regions  their names, and where these stand in the question's coordinates
 * @param {string} [land]
 */
export function drawing(question, groups, regions, land) {
  const frame = frameOf(question);
  const names = regions.map(({ x, y, said }) => ({ ...frame.to(x, y), text: cut(said.text) }));
  const texts = names.map(({ y, text }, i) => {
    const element = svg("text", { y: short(y), lang: regions[i].said.language });
    element.textContent = text;
    return element;
  });
  const patterns = [0, 1].map(hatching);
  const [hovered, chosen, sign] = ["hovered", "chosen", "chosen-sign"].map((name) => svg("path", { class: name, d: "" }));
  const element = svg("svg", { "aria-hidden": "true", focusable: "false" },
    svg("defs", {}, ...patterns), ...outlineOf(question, frame, land), ...groupPaths(question, frame, groups), hovered, chosen, sign, ...texts);
  let view = frame.whole;
  return {
    frame,
    element: /** @type {SVGSVGElement} */ (element),
    view: () => view,
    /** @param {Box} box */
    see(box) {
      view = box;
      element.setAttribute("viewBox", [box.x, box.y, box.width, box.height].map((side) => +side.toPrecision(7)).join(" "));
      element.classList.toggle("near", box.width < frame.whole.width);
      const size = NAME * box.width;
      fitting(names, box, size).forEach((x, i) => {
        texts[i].toggleAttribute("hidden", x === null);
        texts[i].setAttribute("x", String(short(x ?? 0)));
        texts[i].setAttribute("font-size", String(short(size)));
      });
      for (const pattern of patterns) pattern.setAttribute("patternTransform", `scale(${box.width / 400})`);
    },
    /** @param {number} code */
    hover: (code) => hovered.setAttribute("d", code < 0 ? "" : cellPath(frame, [question.cells[code]])),
    /** @param {number | null} code */
    mark(code) {
      const cell = code === null ? null : question.cells[code];
      const at = cell ? frame.to(...cell.at) : null;
      chosen.setAttribute("d", cell ? cellPath(frame, [cell]) : "");
      sign.setAttribute("d", at ? `M${short(at.x)} ${short(at.y)}h0` : "");
    },
  };
}

/**
 * Where the middle of each name stands on what is seen, moved inside at its sides; null where it would cover another one.
 * @param {{x: number, y: number, text: string}[]} names
 * @param {Box} view
 * @param {number} size  of the letters, in units of the drawing
 */
export function fitting(names, view, size) {
  /** @type {{middle: number, y: number, width: number}[]} */
  const taken = [];
  const height = 1.2 * size;
  /** @type {(number | null)[]} */
  const middles = names.map(() => null);
  const wide = names.map(({ text }) => size * [...text].reduce((ems, letter) => ems + (letter > "\u2e7f" ? 1 : LETTER), 0));
  // The shortest first, so that most find room.
  for (const i of [...wide.keys()].sort((a, b) => wide[a] - wide[b])) {
    const [{ x, y }, width] = [names[i], wide[i]];
    const middle = Math.min(Math.max(x, view.x + width / 2), view.x + view.width - width / 2);
    const isSeen = x >= view.x && x <= view.x + view.width && y >= view.y + height / 2 && y <= view.y + view.height - height / 2;
    const isFree = taken.every((other) => Math.abs(other.middle - middle) >= (other.width + width) / 2 || Math.abs(other.y - y) >= height);
    if (!isSeen || !isFree) continue;
    taken.push({ middle, y, width });
    middles[i] = middle;
  }
  return middles;
}

/** @typedef {ReturnType<typeof drawing>} Drawing */

/**
 * A press that does not move chooses; one that moves drags; two zoom; a wheel zooms with Ctrl held.
 * @param {Drawing} map
 * @param {{choose: (point: Point) => void, hover: (point: Point | null) => void}} does
 */
function listen({ element, frame: { whole }, view, see }, { choose, hover }) {
  /** @type {Map<number, Point>} */
  const pressed = new Map();
  let start = { x: 0, y: 0 };
  let moved = false;
  /** @param {{x: number, y: number}} pixel */
  const pointAt = ({ x, y }) => new DOMPoint(x, y).matrixTransform(/** @type {DOMMatrix} */ (element.getScreenCTM()).inverse());
  const apart = () => {
    const [one, other] = [...pressed.values()];
    return Math.hypot(one.x - other.x, one.y - other.y);
  };
  /** @param {Point} from @param {Point} to */
  function drag(from, to) {
    const [before, now] = [pointAt(from), pointAt(to)];
    see(panned(whole, view(), before.x - now.x, before.y - now.y));
  }
  /** @param {PointerEvent} event */
  function move(event) {
    const before = pressed.get(event.pointerId);
    if (!before) return event.pointerType === "mouse" && hover(pointAt(event));
    moved ||= Math.hypot(event.x - start.x, event.y - start.y) > STILL;
    if (!moved) return;
    element.setPointerCapture(event.pointerId);
    const distance = pressed.size === 2 ? apart() : 0;
    pressed.set(event.pointerId, { x: event.x, y: event.y });
    if (distance) see(zoomed(whole, view(), apart() / distance, pointAt(event)));
    else if (pressed.size === 1) drag(before, event);
  }
  /** @type {Record<string, (event: any) => void>} */
  const listeners = {
    pointerdown(event) {
      if (event.button) return;
      if (!pressed.size) [start, moved] = [{ x: event.x, y: event.y }, false];
      pressed.set(event.pointerId, { x: event.x, y: event.y });
      moved ||= pressed.size > 1;
    },
    pointermove: move,
    pointerup: (event) => pressed.delete(event.pointerId) && !moved && choose(pointAt(event)),
    pointercancel: (event) => void pressed.delete(event.pointerId),
    pointerleave(event) {
      pressed.delete(event.pointerId);
      hover(null);
    },
    wheel(event) {
      if (!event.ctrlKey) return;
      event.preventDefault();
      see(zoomed(whole, view(), Math.exp(-event.deltaY / 300), pointAt(event)));
    },
  };
  for (const [name, listener] of Object.entries(listeners)) element.addEventListener(name, listener);
}

/**
 * The map with its buttons; `mark` shows what was chosen elsewhere.
 * @param {Intake.Scene} scene
 * @param {Question} question
 * @param {{region: Intake.Region | null, codes: number[]}[]} groups
 * @param {(code: number) => void} choose
 * @param {(of: Intake.Cell | Intake.Region) => Intake.Said} nameOf
 */
export function placeMap({ voice, page }, question, groups, choose, nameOf) {
  const middles = page.middles?.[question.name] ?? [];
  const map = drawing(question, groups, middles.map(([x, y], i) => ({ x, y, said: nameOf(question.regions[i]) })), page.land);
  const { frame } = map;
  const name = el("p", { class: "map-name", "aria-hidden": "true" });
  /** @type {number | null} */
  let marked = null;
  /** @param {number | null} code */
  function tell(code) {
    name.replaceChildren(code === null ? voice.word("map_none") : code === marked ? `${voice.word("map_chosen")} ` : "",
      ...(code === null ? [] : [told(voice, nameOf(question.cells[code]))]));
  }
  listen(map, {
    choose(point) {
      const code = cellAt(frame, question.cells, point);
      if (code >= 0) choose(code);
    },
    hover(point) {
      const code = point ? cellAt(frame, question.cells, point) : -1;
      map.hover(code);
      tell(code < 0 ? marked : code);
    },
  });
  /** @param {number} factor */
  const zoom = (factor) => () => map.see(zoomed(frame.whole, map.view(), factor));
  /** @param {KeyboardEvent} event */
  function keydown(event) {
    const [right, down] = ARROWS[event.key] ?? [0, 0];
    const { width, height } = map.view();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") zoom(STEP)();
    else if (event.key === "-") zoom(1 / STEP)();
    else if (right || down) map.see(panned(frame.whole, map.view(), (right * width) / 6, (down * height) / 6));
    else return;
    event.preventDefault();
  }
  map.see(frame.whole);
  tell(null);
  const help = el("p", { class: "hint", id: "map-help" }, voice.word("map_help"));
  const element = el("div", { class: "place-map" },
    el("div", { class: "map-frame", role: "group", tabindex: "0", "aria-label": voice.word("map"), "aria-describedby": "map-help", on: { keydown } }, map.element),
    el("div", { class: "map-tools" }, name,
      button("+", zoom(STEP), { "aria-label": voice.word("zoom_in") }),
      button("−", zoom(1 / STEP), { "aria-label": voice.word("zoom_out") })),
    help);
  const isDrawn = question.outline !== undefined || question.cells.some(({ shape }) => shape);
  return {
    element: isDrawn ? element : el("details", {}, el("summary", {}, voice.word("map")), element),
    /** @param {number | null} code */
    mark(code) {
      marked = code;
      map.mark(code);
      tell(code);
    },
  };
}
