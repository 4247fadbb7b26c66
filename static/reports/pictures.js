// Draws the pictures of a report: fetches each specification for the width there is, compiles it to Vega and lets
// Vega's interpreter draw it, which evaluates no code from text. The table under each picture says the same.

import { compile, expressionInterpreter, parse, View } from "../vendor/vega.min.js";

const PATIENCE = 200;
const FEW_PIXELS = 16;
const SHARPNESS = 2;

/** @param {HTMLElement} figure */
async function draws(figure) {
  const place = /** @type {HTMLElement} */ (figure.querySelector("[data-drawing]"));
  // Vega gives the element that it draws into a role of its own; for a voice the whole is one picture, which
  // the wrapper names, and what stands in it is read from the table.
  const canvas = document.createElement("div");
  canvas.setAttribute("aria-hidden", "true");
  place.append(canvas);
  let drawn = 0;
  /** @type {View | undefined} */
  let view;

  async function draw() {
    const width = Math.floor(place.clientWidth);
    if (!width || Math.abs(width - drawn) < FEW_PIXELS) return;
    drawn = width;
    const answer = await fetch(`${figure.dataset.picture}?width=${width}`);
    if (!answer.ok) throw new Error(`${answer.status} ${figure.dataset.picture}`);
    const wanted = await answer.json();
    wanted.config = { ...wanted.config, font: getComputedStyle(place).fontFamily };
    const next = new View(parse(compile(wanted).spec, null, { ast: true }), {
      expr: expressionInterpreter,
      renderer: "svg",
      hover: true,
    });
    if (drawn !== width) return;
    view?.finalize();
    view = next;
    await view.initialize(canvas).runAsync();
  }

  async function tries() {
    try {
      await draw();
      figure.dataset.drawn = String(drawn);
      for (const button of figure.querySelectorAll("[data-download]")) /** @type {HTMLElement} */ (button).hidden = false;
    } catch (problem) {
      /** @type {HTMLElement} */ (figure.querySelector("[data-failed]")).hidden = false;
      console.error(problem);
    }
  }

  /** @type {number | undefined} */
  let soon;
  new ResizeObserver(() => {
    clearTimeout(soon);
    soon = setTimeout(tries, drawn ? PATIENCE : 0);
  }).observe(place);
  figure.addEventListener("click", (event) => {
    /** @type {HTMLElement | null} */
    const button = /** @type {Element} */ (event.target).closest("[data-download]");
    if (button) saves(figure, /** @type {string} */ (button.dataset.download));
  });
}

// --- files ----------------------------------------------------------------------------------------------

/**
 * @param {HTMLElement} figure
 * @param {string} kind
 */
async function saves(figure, kind) {
  const svg = asFile(figure);
  const name = `${figure.dataset.name}.${kind}`;
  if (kind === "svg") return hands(new Blob([svg], { type: "image/svg+xml" }), name);
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * SHARPNESS;
  canvas.height = picture.height * SHARPNESS;
  /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).drawImage(picture, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => hands(/** @type {Blob} */ (blob), name), "image/png");
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function hands(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/**
 * A drawing that stands by itself: light, since it goes into somebody's document, with its colours and patterns.
 * @param {HTMLElement} figure
 */
function asFile(figure) {
  const colour = lightColours();
  const drawing = /** @type {Element} */ (figure.querySelector("[data-drawing] svg"));
  const svg = /** @type {Element} */ (drawing.cloneNode(true));
  const about = document.createElementNS(svg.namespaceURI, "title");
  about.textContent = /** @type {Element} */ (figure.querySelector("h2, h3")).textContent.trim();
  const defs = document.createElementNS(svg.namespaceURI, "defs");
  for (const pattern of document.querySelectorAll(".patterns pattern")) {
    const copy = defs.appendChild(/** @type {Element} */ (pattern.cloneNode(true)));
    for (const shape of copy.children) shape.setAttribute(shape.localName === "path" ? "stroke" : "fill", "var(--ink)");
  }
  const ground = document.createElementNS(svg.namespaceURI, "rect");
  for (const [key, value] of [["width", "100%"], ["height", "100%"], ["fill", "var(--paper)"]]) ground.setAttribute(key, value);
  svg.prepend(about, defs, ground);
  const text = new XMLSerializer().serializeToString(svg);
  return text.replace(/var\((--[a-z-]+)\)/g, (_, name) => /** @type {string} */ (colour.get(name)));
}

function lightColours() {
  const root = document.documentElement;
  const before = root.dataset.theme;
  root.dataset.theme = "light";
  const style = getComputedStyle(root);
  const names = ["--ink", "--soft", "--rule", "--paper", "--on-ink"];
  const found = new Map(names.map((name) => [name, style.getPropertyValue(name).trim()]));
  // What is the colour of the page here is the colour of the paper there.
  found.set("--ground", found.get("--paper") ?? "");
  root.dataset.theme = before;
  return found;
}

/** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("figure[data-picture]")).forEach(draws);
