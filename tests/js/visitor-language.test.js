import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { visitorLanguage } from "../../intake/static/intake/visitor_language.js";

test("the page of another host begins in the language that this site would choose", () => {
  const vectors = JSON.parse(readFileSync(new URL("../vectors/languages.json", import.meta.url), "utf-8"));
  for (const { wishes, offered, language } of vectors) assert.equal(visitorLanguage(wishes, offered), language, `${wishes}`);
  assert.ok(vectors.length > 5);
});
