/**
 * The files of a field device, in one cache that the entry `/current` of the survey's own cache names: the service worker
 * answers from that one alone. So the files are renewed all at once, or not at all.
 */

/** @typedef {{path: string, sha256: string}} File */

/** @param {string} slug */
const nameOf = (slug) => `candor-field ${slug}`;
const CURRENT = "/current";

/** @param {BufferSource} bytes */
async function digestOf(bytes) {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {string} slug
 * @param {File[]} files
 */
async function cacheOf(slug, files) {
  const list = files.map(({ path, sha256 }) => `${path} ${sha256}`).sort().join("\n");
  return `${nameOf(slug)} ${await digestOf(new TextEncoder().encode(list))}`;
}

/** @param {string} slug */
async function current(slug) {
  const found = await caches.match(CURRENT, { cacheName: nameOf(slug) });
  return found ? found.text() : "";
}

/**
 * Fetches all files into a new cache, checks each, and lets it take the place of the old one; throws where one is another.
 * @param {string} slug
 * @param {File[]} files
 */
export async function fill(slug, files) {
  const name = await cacheOf(slug, files);
  const cache = await caches.open(name);
  for (const { path, sha256 } of files) {
    const response = await fetch(path, { cache: "reload", credentials: "omit", referrerPolicy: "no-referrer", redirect: "error" });
    if (!response.ok || (await digestOf(await response.clone().arrayBuffer())) !== sha256) {
      throw new Error(`another file: ${path}`);
    }
    await cache.put(path, response);
  }
  await (await caches.open(nameOf(slug))).put(CURRENT, new Response(name));
  await drop(slug, name);
}

/**
 * Whether these files are the current ones, and each is whole.
 * @param {string} slug
 * @param {File[]} files
 */
export async function isWhole(slug, files) {
  const name = await cacheOf(slug, files);
  if ((await current(slug)) !== name) return false;
  const cache = await caches.open(name);
  for (const { path, sha256 } of files) {
    const response = await cache.match(path, { ignoreVary: true });
    if (!response || (await digestOf(await response.arrayBuffer())) !== sha256) return false;
  }
  return true;
}

/**
 * Removes all caches of the survey.
 * @param {string} slug
 */
export async function forget(slug) {
  await caches.delete(nameOf(slug));
  await drop(slug, "");
}

/**
 * @param {string} slug
 * @param {string} kept
 */
async function drop(slug, kept) {
  for (const name of await caches.keys()) {
    if (name.startsWith(`${nameOf(slug)} `) && name !== kept) await caches.delete(name);
  }
}
