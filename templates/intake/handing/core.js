/**
 * Shows the part in a frame, unless the tool holds this person's record already, and gives the record to the tool.
 * What people read beside the frame stands in quotation marks: translate it into their language.
 * read(): what the field holds; store(text): keeps it, before the page is told that it was taken; free(): may go on.
 * @param {HTMLElement} place
 * @param {object} field
 * @param {() => string} field.read
 * @param {(text: string) => unknown} field.store
 * @param {() => void} field.free
 */
function candorPart(place, { read, store, free }) {
  const address = "{{ address }}";
  // Of the tool's own address nothing else is handed on.
  const marks = /^#(?:try|lang=[\w-]{2,35}|&)+$/.test(location.hash) ? location.hash : "";
  const say = (/** @type {string} */ name, /** @type {string} */ words) => Object.assign(document.createElement(name), { textContent: words });
  if (/^candor1t?\./.test(read())) {
    place.append(say("p", "You have answered this part."));
    return free();
  }
  const frame = document.createElement("iframe");
  Object.assign(frame, { src: address + marks, title: "Survey", referrerPolicy: "no-referrer" });
  frame.style.cssText = "width: 100%; height: 800px; border: 0";
  const onward = say("button", "Go on without answering this part");
  Object.assign(onward, { type: "button", onclick: free });
  place.append(frame, onward);
  addEventListener("message", async ({ origin, source, data }) => {
    const page = frame.contentWindow;
    if (origin !== new URL(address).origin || source !== page || data?.candor !== 1) return;
    if (data.left === true) return free();
    if (data.fingerprint !== "{{ fingerprint }}" || !/^candor1t?\.[\w-]{1,1990}$/.test(data.record)) return;
    onward.textContent = "Go on without waiting";
    await store(data.record);
    page?.postMessage({ candor: 1, taken: true }, origin);
    onward.hidden = true;
    free();
  });
}
