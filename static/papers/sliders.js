// A slider moves along the lines of its table, which the build made; bars and numbers follow. Nothing is asked of anybody.

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} text */
function numberOf(text) {
  return Number(text.replaceAll(",", "").replace("−", "-"));
}

/** @param {HTMLElement} place */
function build(place) {
  const rows = [...place.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
  const [head, ...lines] = rows;
  const names = head.slice(1);
  // Only columns in one unit have bars, so that a bar can be compared with every other.
  const separate = Number(place.dataset.separate ?? "0");
  const most = Math.max(...lines.flatMap((line) => line.slice(separate + 1).map(numberOf)));
  const moving = document.createElement("div");
  moving.className = "moving";
  const label = document.createElement("label");
  const value = document.createElement("b");
  const input = document.createElement("input");
  input.type = "range";
  input.max = String(lines.length - 1);
  input.value = place.dataset.start ?? "0";
  label.append(`${place.querySelector("caption")?.textContent ?? ""}: ${head[0]} = `, value, input);
  const bars = document.createElement("div");
  bars.className = "bars";
  const shown = names.map((name, at) => {
    const words = document.createElement("span");
    words.textContent = name;
    const picture = document.createElementNS(SVG, "svg");
    const bar = document.createElementNS(SVG, "rect");
    bar.setAttribute("height", "100%");
    picture.setAttribute("aria-hidden", "true");
    if (at >= separate) picture.append(bar);
    const output = document.createElement("output");
    bars.append(words, picture, output);
    return { bar, output };
  });
  const show = () => {
    const line = lines[Number(input.value)];
    value.textContent = line[0];
    input.setAttribute("aria-valuetext", `${head[0]} = ${line[0]}`);
    shown.forEach(({ bar, output }, at) => {
      output.textContent = line[at + 1];
      bar.setAttribute("width", `${(100 * Math.max(0, numberOf(line[at + 1]))) / (most || 1)}%`);
    });
  };
  input.addEventListener("input", show);
  moving.append(label, bars);
  place.prepend(moving);
  show();
}

for (const place of document.querySelectorAll(".slider")) {
  if (place instanceof HTMLElement) {
    build(place);
  }
}
