import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { envelopeText } from "../../privacy/static/privacy/envelope.js";
import { handedText } from "../../privacy/static/privacy/handed.js";

const vectors = JSON.parse(readFileSync(new URL("../vectors/handed.json", import.meta.url), "utf8"));

for (const { key, record, trial, text } of vectors) {
  test(`the text of ${record.answers.length} digits${trial ? ", a trial," : ""} is that of the vector`, () => {
    assert.equal(handedText(envelopeText(key, record), trial), text);
  });
}

test("a text of anything but key and record is refused", () => {
  const [{ key, record }] = vectors;
  for (const envelope of [envelopeText(key, record, "f".repeat(32)), envelopeText(key, record, null, 7), "", "{}", `${envelopeText(key, record)}\n`]) {
    assert.throws(() => handedText(envelope), TypeError);
  }
});
