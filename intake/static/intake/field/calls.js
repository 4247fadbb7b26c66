/** Calls between a page and a dedicated worker of it: `{id, name, arguments}` one way, `{id, result}` or `{id, error}` back. */

/** The word for what a browser throws. */
const WORDS = new Map([["NoModificationAllowedError", "in use"], ["QuotaExceededError", "full"]]);

/**
 * In the worker: answers calls of these functions, one after the other.
 * @param {Record<string, (...given: any[]) => unknown>} functions
 */
export function serve(functions) {
  /** @type {Promise<unknown>} */
  let before = Promise.resolve();
  onmessage = ({ data: { id, name, arguments: given } }) => {
    before = before.then(async () => {
      try {
        postMessage({ id, result: await functions[name](...given) });
      } catch (caught) {
        const { name: kind, message } = /** @type {Error} */ (caught);
        postMessage({ id, error: WORDS.get(kind) ?? message });
      }
    });
  };
}

/**
 * In the page: the functions of a worker with these names.
 * @template {string} Name
 * @param {Pick<Worker, "postMessage" | "onmessage" | "onerror">} worker
 * @param {readonly Name[]} names
 * @returns {Record<Name, (...given: any[]) => Promise<any>>}
 */
export function functionsOf(worker, names) {
  /** @type {Map<number, {resolve: (result: unknown) => void, reject: (error: Error) => void}>} */
  const open = new Map();
  let calls = 0;
  worker.onmessage = ({ data: { id, result, error } }) => {
    const call = open.get(id);
    open.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error));
  };
  worker.onerror = () => {
    for (const { reject } of open.values()) reject(new Error("no worker"));
    open.clear();
  };
  /** @param {string} name */
  const caller = (name) => (/** @type {any[]} */ ...given) =>
    new Promise((resolve, reject) => {
      open.set((calls += 1), { resolve, reject });
      worker.postMessage({ id: calls, name, arguments: given });
    });
  return /** @type {any} */ (Object.fromEntries(names.map((name) => [name, caller(name)])));
}
