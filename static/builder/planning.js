/** The page of a plan. What is posted are the answers in the fields, even where their forecast is still on its way. */

document.getElementById("begin")?.addEventListener("formdata", ({ formData }) => {
  const fields = /** @type {HTMLFormElement} */ (document.getElementById("answers"));
  for (const [name, value] of new FormData(fields)) formData.set(name, value);
});
