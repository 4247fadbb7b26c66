import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./answering.js";

const { fragmentOf } = await load("intake/static/intake/handing.js");

test("the fragment names a trial and a language, in either order, and nothing else", () => {
  assert.deepEqual(fragmentOf(""), { isTrial: false, language: "" });
  assert.deepEqual(fragmentOf("#try"), { isTrial: true, language: "" });
  assert.deepEqual(fragmentOf("#lang=de&try"), { isTrial: true, language: "de" });
  assert.deepEqual(fragmentOf("#try&lang=zh-hans"), { isTrial: true, language: "zh-hans" });
  assert.deepEqual(fragmentOf("#trying&language=de"), { isTrial: false, language: "" });
});
