/** For node: one JSON request per line in, one JSON answer per line out. A request names the file that composes the device. */

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import * as operations from "./operations.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { module, operation, ...request } = JSON.parse(line);
  let answer;
  try {
    const ask = /** @type {(m: unknown, request: unknown) => unknown} */ (/** @type {unknown} */ (Reflect.get(operations, operation)));
    answer = { answer: await ask(await import(pathToFileURL(module).href), request) };
  } catch (caught) {
    const error = /** @type {Error} */ (caught);
    answer = { error: `${error.name}: ${error.message}` };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
