/** The page of a plan. The answers that are posted are those in the fields, even where their forecast is still on its way. */

const answers = /** @type {HTMLFormElement} */ (document.getElementById("answers"));
const begin = /** @type {HTMLFormElement} */ (document.getElementById("begin"));

begin.addEventListener("formdata", ({ formData }) => {
  for (const [name, value] of new FormData(answers)) formData.set(name, value);
});
