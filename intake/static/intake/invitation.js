// The first thing the page does, before a style or another script is fetched: an invitation in the address's
// fragment moves into this tab's storage and leaves the address bar and the history.
(() => {
  if (!location.hash) return;
  const invitation = location.hash.slice(1);
  history.replaceState(history.state, "", location.pathname);
  if (!/^[0-9a-f]{32}$/.test(invitation)) return;
  try {
    const entry = JSON.parse(sessionStorage.getItem(location.pathname) ?? "{}");
    const known = entry.body ? JSON.parse(entry.body).token : (entry.link ?? entry.token);
    // The same invitation opened again goes on where it was; another one is another person's. A record that is
    // still on its way stays: it is stored nowhere else.
    if (known === invitation || entry.state === "sending") return;
    sessionStorage.setItem(location.pathname, JSON.stringify({ state: "arrived", token: invitation }));
  } catch {
    // Without storage nobody can take part, and the page says so before the first question.
  }
})();
