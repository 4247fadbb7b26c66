/** What the scripts use of htmx, and the events of the builder's page; for the type checker alone. */

interface Window {
  htmx?: { process(element: Element): void };
}

interface DocumentEventMap {
  "htmx:confirm": CustomEvent<{ elt: HTMLElement; issueRequest(skipConfirmation: boolean): void }>;
  "htmx:beforeOnLoad": CustomEvent<{ elt: HTMLElement }>;
  "htmx:beforeSwap": CustomEvent<{ xhr: XMLHttpRequest; shouldSwap: boolean; isError: boolean }>;
  "htmx:afterSettle": CustomEvent<{ requestConfig?: { elt?: HTMLElement } }>;
  "htmx:beforeRequest": CustomEvent<{ elt: HTMLElement }>;
  "htmx:afterRequest": CustomEvent<{ elt: HTMLElement; successful: boolean }>;
  "builder:done": CustomEvent<{ said: string; focus: string }>;
}
