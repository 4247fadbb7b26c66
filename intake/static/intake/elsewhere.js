// The first thing that a page from another host does, written into the page, since it also runs where the page is opened
// as a file. What the address says of the visit leaves it: a query string at once, and #lang=<code> and #try, which are
// noted for the page. At another address than the design's, in a frame, or as a file, nothing can be answered, which is said
// at once: what stands around the page could lay something over it, and a host may have left out the header against it.
// A page inside a tool has no host: it may stand at any address, and reads what follows the # by itself.
(() => {
  const { dataset } = document.documentElement;
  let parts = location.hash.slice(1).split("&");
  if (dataset.host) {
    dataset.lang = parts.find((part) => part.startsWith("lang="))?.slice(5) ?? "";
    if (parts.includes("try")) dataset.try = "yes";
    parts = parts.filter((part) => part !== "try" && !part.startsWith("lang="));
  }
  const rest = parts.filter(Boolean).join("&");
  try {
    history.replaceState(history.state, "", location.pathname + (rest && `#${rest}`));
  } catch {
    // A file has no history of its own.
  }
  if (dataset.host ? location.origin === dataset.host && !(window.top !== window) : location.protocol !== "file:") return;
  addEventListener("DOMContentLoaded", () => {
    for (const part of document.querySelectorAll("[data-agree], [data-waiting]")) part.remove();
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-elsewhere]"))) part.hidden = false;
  });
})();
