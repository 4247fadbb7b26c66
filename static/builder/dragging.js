/** Moves questions by dragging their grips, within a section and between sections. The keyboard has buttons. */

/** @param {(key: string, section: number, row: number) => void} move */
export function dragging(move) {
  let drag = null;

  document.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest("[data-grip]");
    const block = grip?.closest("[data-key]");
    if (!block || event.button !== 0) return;
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
    drag = { block, grip, mark: Object.assign(document.createElement("li"), { className: "landing" }) };
    block.classList.add("dragged");
    document.addEventListener("pointermove", follow);
    document.addEventListener("pointerup", land, { once: true });
    document.addEventListener("pointercancel", stop, { once: true });
    document.addEventListener("keydown", escape);
  });

  function follow(event) {
    const list = nearest([...document.querySelectorAll("[data-blocks]")], event.clientY);
    const others = [...list.querySelectorAll("[data-key]")].filter((block) => block !== drag.block);
    const next = others.find((block) => event.clientY < middle(block));
    list.insertBefore(drag.mark, next ?? null);
    const edge = 80;
    if (event.clientY < edge) scrollBy(0, -12);
    else if (event.clientY > innerHeight - edge) scrollBy(0, 12);
  }

  function land() {
    const { block, mark } = drag;
    const list = mark.parentElement;
    if (list) {
      const before = [...list.children].slice(0, [...list.children].indexOf(mark));
      const row = before.filter((each) => each.dataset.key && each !== block).length;
      move(block.dataset.key, Number(list.closest("[data-section]").dataset.section), row);
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

  function escape(event) {
    if (event.key === "Escape") stop();
  }
}

function middle(element) {
  const box = element.getBoundingClientRect();
  return box.top + box.height / 2;
}

function nearest(lists, y) {
  const distance = (list) => {
    const box = list.getBoundingClientRect();
    return y < box.top ? box.top - y : y > box.bottom ? y - box.bottom : 0;
  };
  return lists.reduce((best, list) => (distance(list) < distance(best) ? list : best));
}
