// The first thing the page does, before a style or another script is fetched: an invitation and a panel's own parameter
// in the address's fragment, #<invitation>, #panel=<value> or #<invitation>&panel=<value>, move into this tab's storage
// and leave the address bar and the history.
(() => {
  if (!location.hash) return;
  const [, invitation, , panel = ""] = /^#([0-9a-f]{32})?(&?panel=(.*))?$/.exec(location.hash) ?? [];
  history.replaceState(history.state, "", location.pathname);
  const name = document.documentElement.dataset.memory ?? location.pathname;
  try {
    const entry = JSON.parse(sessionStorage.getItem(name) ?? "{}");
    const known = entry.body ? JSON.parse(entry.body).token : (entry.link ?? entry.token);
    // A record that is still on its way stays, with its panel's parameter: it is stored nowhere else.
    if (entry.state === "sending") return;
    // The same invitation opened again goes on where it was; another one is another person's.
    if (invitation && known !== invitation) {
      sessionStorage.setItem(name, JSON.stringify({ state: "arrived", token: invitation }));
    }
    sessionStorage.removeItem(`${name} panel`);
    const value = decodeURIComponent(panel);
    if (/^[ -~]{1,200}$/.test(value)) sessionStorage.setItem(`${name} panel`, value);
  } catch {
    // Without storage nobody can take part, and the page says so before the first question.
  }
})();
