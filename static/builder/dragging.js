/** Moves questions by dragging their grips, within a section and between sections. The keyboard has buttons. */

/** @param {(key: string, section: number, row: number) => void} move */
export function dragging(move) {
  /** @type {{block: HTMLElement, grip: Element, mark: HTMLElement} | null} */
  let drag = null;

  document.addEventListener("pointerdown", (event) => {
    const grip = /** @type {Element} */ (event.target).closest("[data-grip]");
    const block = /** @type {HTMLElement | null | undefined} */ (grip?.closest("[data-key]"));
    if (!grip || !block || event.button !== 0) return;
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
    drag = { block, grip, mark: Object.assign(document.createElement("li"), { className: "landing" }) };
    block.classList.add("dragged");
    document.addEventListener("pointermove", follow);
    document.addEventListener("pointerup", land, { once: true });
    document.addEventListener("pointercancel", stop, { once: true });
    document.addEventListener("keydown", escape);
  });

  /** @param {PointerEvent} event */
  function follow(event) {
    if (!drag) return;
    const { block: dragged, mark } = drag;
    const list = nearest([...document.querySelectorAll("[data-blocks]")], event.clientY);
    const others = [...list.querySelectorAll("[data-key]")].filter((block) => block !== dragged);
    const next = others.find((block) => event.clientY < middle(block));
    list.insertBefore(mark, next ?? null);
    const edge = 80;
    if (event.clientY < edge) scrollBy(0, -12);
    else if (event.clientY > innerHeight - edge) scrollBy(0, 12);
  }

  function land() {
    if (!drag) return;
    const { block, mark } = drag;
    const list = mark.parentElement;
    if (list) {
      const before = /** @type {HTMLElement[]} */ ([...list.children]).slice(0, [...list.children].indexOf(mark));
      const section = /** @type {HTMLElement} */ (list.closest("[data-section]"));
      const row = before.filter((each) => each.dataset.key && each !== block).length;
      move(/** @type {string} */ (block.dataset.key), Number(section.dataset.section), row);
    }
    stop();
  }

  function stop() {
    drag?.mark.remove();
    drag?.block.classList.remove("dragged");
    drag = null;
    document.removeEventListener("pointermove", follow);
    document.removeEventListener("pointerup", land);
    document.removeEventListener("keydown", escape);
  }

  /** @param {KeyboardEvent} event */
  function escape(event) {
    if (event.key === "Escape") stop();
  }
}

/** @param {Element} element */
function middle(element) {
  const box = element.getBoundingClientRect();
  return box.top + box.height / 2;
}

/**
 * @param {Element[]} lists
 * @param {number} y
 */
function nearest(lists, y) {
  /** @param {Element} list */
  const distance = (list) => {
    const box = list.getBoundingClientRect();
    return y < box.top ? box.top - y : y > box.bottom ? y - box.bottom : 0;
  };
  return lists.reduce((best, list) => (distance(list) < distance(best) ? list : best));
}
