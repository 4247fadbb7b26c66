/** Passkeys: the browser makes or shows one, and the form with the field `credential` sends its answer. */

const field = /** @type {HTMLInputElement | null} */ (document.querySelector("input[data-passkey]"));
if (field?.form) offer(field, field.form);

/**
 * A form that can be sent without a passkey gets a button more (`data-label`); the others make one when they are sent.
 * @param {HTMLInputElement} answer
 * @param {HTMLFormElement} form
 */
function offer(answer, form) {
  const options = JSON.parse(answer.dataset.passkey ?? "");
  const problem = document.createElement("p");
  problem.setAttribute("role", "alert");
  form.append(problem);

  /** @param {() => Promise<Credential | null>} ask */
  async function send(ask) {
    problem.textContent = "";
    try {
      const credential = /** @type {PublicKeyCredential | null} */ (await ask());
      answer.value = JSON.stringify(credential?.toJSON() ?? null);
      form.submit();
    } catch {
      problem.textContent = answer.dataset.failed ?? "";
    }
  }

  if (answer.dataset.label) {
    const show = () => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button";
    button.textContent = answer.dataset.label;
    button.addEventListener("click", () => send(show));
    form.querySelector(".buttons")?.prepend(button);
    return;
  }
  const make = () => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (form.reportValidity()) send(make);
  });
}
