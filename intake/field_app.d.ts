/** What the scripts of a field device's app hand to each other, for the type checker alone. */
declare namespace Field {
  type Offered = { code: string; interface: string; dir: string; numbers: string; name: string; begin: string };

  /** What the server embeds in the app's page; `words` are the keeper's. */
  interface Page extends Omit<Intake.Words, "languages"> {
    slug: string;
    fingerprint: string;
    width: number;
    token_key: string;
    sealing_key: string;
    title: Intake.Texts;
    /** The languages of the survey. */
    offered: Offered[];
    /** Those of the keeper. */
    languages: { code: string; interface: string; dir: string; numbers: string; name: string }[];
    workers: { service: string; store: string; blind: string };
    interview: string;
    files: { path: string; sha256: string }[];
  }

  type Switch = { get(): boolean; set(is: boolean): void };

  interface App {
    page: Page;
    /** The path of the app's page. */
    address: string;
    /** Lets the address of a worker of ours through where Trusted Types are asked for. */
    trusted(url: string): string;
    store: import("./static/intake/field/store.js").Remote;
    word(key: string, values?: Record<string, unknown>): string;
    number(number: number): string;
    /** Shows a screen; `again` draws it in another of the keeper's languages. */
    show(nodes: (HTMLElement | null)[], again?: () => void): void;
    /** A listener that cannot be started twice. */
    busy(work: () => unknown): (event: Event) => Promise<void>;
    post(what: "device", body: object): Promise<any>;
    world(report?: (progress: Intake.Progress) => void, stopped?: () => boolean): Parameters<Intake.Send>[2];
    /** Sends what waits; `now`: however few. Returns how many, by outcome. */
    upload(now: boolean, report?: (progress: Intake.Progress) => void): Promise<Record<string, number>>;
    handOver(language?: string): Promise<void>;
    switches: { practice: Switch; large: Switch };
  }
}
