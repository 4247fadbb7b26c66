/** What the scripts use of htmx, and the events of the builder's page; for the type checker alone. */

interface Window {
  htmx?: { process(element: Element): void };
}

interface DocumentEventMap {
  "htmx:confirm": CustomEvent<{
    elt: HTMLElement;
    path: string;
    verb: string;
    triggeringEvent?: Event;
    issueRequest(skipConfirmation: boolean): void;
  }>;
  "htmx:beforeOnLoad": CustomEvent<{ elt: HTMLElement }>;
  "htmx:beforeSwap": CustomEvent<{ xhr: XMLHttpRequest; shouldSwap: boolean; isError: boolean }>;
  "htmx:afterSettle": CustomEvent<{ requestConfig?: { elt?: HTMLElement } }>;
}
