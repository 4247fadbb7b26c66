/**
 * What the respondents' scripts hand to each other, for the type checker alone. It stands here and not in the
 * scripts, since every byte of those is sent to every respondent.
 */
declare namespace Intake {
  /** A text of the design by language. */
  type Texts = Partial<Record<string, string>>;

  interface Asked {
    name: string;
    text: Texts;
    help: Texts;
    show_if: Record<string, string[]>;
  }

  interface Question extends Asked {
    law?: undefined;
    form: string;
    choices: { name: string; label: Texts }[];
    noise?: string[];
    /** The common name of the options of one question of several answers, or of the rows of a table. */
    of?: string;
    /** On the first option: the answer that excludes all of them. */
    none?: Texts;
    shuffled?: number;
    /** Only of a plain question: people type a number, and the choices are its bands. */
    number?: Bands;
  }

  /** Numbers that can be typed; `limits` only where these are asked in bands. */
  interface TypedRange {
    low: number;
    high: number;
    step: number;
    unit?: Texts;
    limits?: number[];
  }

  type Bands = TypedRange & { limits: number[] };

  type NumberQuestion = Asked & { unit: Texts; form?: undefined; of?: undefined; none?: undefined; shuffled?: undefined } & (
      | Device.WindowQuestion
      | Device.ClassesQuestion
    );

  /** x, y, x, y, ... of the corners. */
  type Ring = number[];
  type Cell = { name: string; label: Texts; at: [number, number]; shape?: Ring[] };
  /** `near` and `odds` where they are not the question's. */
  type Region = { name: string; label: Texts; cells: string[]; near?: number; odds?: string };
  type PlaceQuestion = Asked & {
    form?: undefined;
    of?: undefined;
    none?: undefined;
    shuffled?: undefined;
    law?: undefined;
    cells: Cell[];
    regions: Region[];
    near: number;
    odds: string;
    outline?: "land" | Ring[];
  };

  /** `secret` is the other question, `turned` its opposite for whoever drew the second choice of `turned_by`. */
  interface CrosswiseQuestion extends Question {
    secret: Texts;
    turned?: Texts;
    turned_by?: string;
  }

  type Plain = { kind: "plain"; questions: Question[] };
  type Sensitive = { kind: "unrelated-question"; keep: string; lasting?: string; asked: number; questions: Question[] };
  type Numbers = { kind: "number"; keep?: string; questions: NumberQuestion[] };
  type Places = { kind: "place"; questions: PlaceQuestion[] };
  type Crosswise = { kind: "crosswise"; questions: [CrosswiseQuestion] };
  type Subset = { kind: "subset"; keep: string; size: number; questions: [Question] };
  /** `intro` is shown before its first question. */
  type Section = (Plain | Sensitive | Numbers | Places | Crosswise | Subset) & { intro?: Texts; order?: "random" };
  type Place = { section: Section; question: Question | NumberQuestion | PlaceQuestion };

  /** What the pages show and say of a kind of section; each takes questions of its own kind only. */
  interface Kind {
    /** The page with the question; without one it is that of questions with choices. */
    screen?(scene: Scene, page: number[], question: any, wrong: Wrong): (HTMLElement | null)[];
    /** A true answer in words; `isDisguised` is whether the respondent is. */
    answer(voice: Voice, question: any, answer: number, isDisguised: boolean): HTMLElement;
    /** What a record says by a code, which is one of an answer. */
    code(voice: Voice, question: any, code: number, section: any): HTMLElement;
    /** The same of a disguised record with the codes `codeOf` names; without it: the answer, perhaps drawn at random. */
    recorded?(voice: Voice, question: any, code: number, codeOf: (name: string) => number, section: any): HTMLElement;
    /** The key of what to say beside an answer that is looked over, if anything. */
    sends(journey: Journey, question: any, answer: number): string | null;
    /** Whether a disguised record with this code proves that the answer is true. */
    isBare(question: any, code: number): boolean;
    /** The key of what to add where the choice between disguised and open is made, if anything. */
    caution(question: any): string | null;
    /** The key of why a disguised record differs from what was said. */
    differs: string;
    /** The key of what a disguised record does not prove. */
    proves: string;
    /** The keys of what the illustration says of a throw, and of all throws so far; without it no coin is thrown. */
    thrown?(question: any, isKept: boolean, answer: any): [string, string];
  }

  /** A parsed canonical design. */
  interface Design {
    languages: string[];
    open_answers: boolean;
    /** The share of devices that are asked directly, where there are arms. */
    direct?: string;
    sections: Section[];
    title: Texts;
    thanks: Texts;
    rehearsal: boolean;
    /** What the start page says of the completion; without it there is none. */
    panel?: Texts;
    /** Whether its last question is the check of understanding. */
    understanding?: boolean;
    contact: string;
    /** By which invitations are exchanged for tokens, where they are. */
    invitation_key?: string;
    /** The plain answers, by question and choice, of which only so many people are wanted. */
    quotas?: { answers: Record<string, string>; limit: number }[];
    /** The page that opens for whoever leaves; without it a blank one. */
    leave_to?: string;
    /** The fixed sentences of the pages; of an older design, none. */
    phrases?: Record<string, Texts>;
  }

  /** What the server embeds in every page with these scripts. */
  interface Words {
    languages: { code: string; interface: string; dir: string; numbers: string }[];
    words: Record<string, Record<string, string | null>>;
    language: string;
  }

  /** How often an answer goes out: about m times in n, the share itself; no m where no such words fit. */
  type Odds = [m: number | null, n: number | null, share: number];

  /** What the server embeds in the page that asks. */
  interface Page extends Words {
    mode: "answer" | "preview" | "closed" | "paused";
    invited: boolean;
    fingerprint: string;
    record: string;
    /** The origins of the tools inside which the page stands; of these one gets the record. */
    inside?: string[];
    /** The month in which the page was made, where no invitation is asked for: the same for everybody. */
    epoch?: number;
    /** Per question and choice: from those whose answer it is, and from the others; of a number: kept, and not. */
    chances: Record<string, [Odds, Odds][]>;
    /** Of a study whose disguise lasts: its first design, whether that is an earlier one, and the bound for two codes. */
    lasting?: { study: string; again: boolean; second: number };
    /** Of a survey whose invitations are exchanged: where, its public key, and how long records wait. */
    exchange?: { url: string; key: string; waits: Waits };
    /** Of a survey with quotas: which are full, the same for everybody. */
    full?: number[];
    /** Where understanding is checked: how often true answers are kept, at most. */
    outsider?: string;
    /** Per place question, by region: the point of the map where its name stands, far from its border. */
    middles?: Record<string, [number, number][]>;
    /** Whether the completion link takes the panel's own parameter. */
    passes_panel?: boolean;
    /** The outline of land as the path of an SVG, where the survey has a map of it. */
    land?: string;
  }

  type Voice = ReturnType<typeof import("./static/intake/voice.js").voiceOf>;
  type Said = { text: string; language: string };

  type Coins = Device.Coins;
  type Sent = Device.Sent;
  type Random = Device.Words;

  interface Journey {
    readonly coins: Coins;
    readonly answers: readonly (number | null)[];
    /** By place what was typed, an answer or not. */
    readonly typed: Readonly<Record<number, string>>;
    readonly group: number | null;
    readonly reviewed: boolean;
    /** The quotas that were full when the page was loaded. */
    readonly full: readonly number[];
    /** The code of the person, once it was typed. */
    readonly code?: Uint8Array;
    /** What is on the page of the code: the one made here, as bytes and as written, and what was typed. */
    readonly coding?: { made?: Uint8Array; shown?: string; typed: string };
    /** What is selected on the page that checks understanding, and how many tries were wrong. */
    readonly checking?: { given: readonly (number | null)[]; tries: number };
  }

  /** What makes the elements of a screen: the module of codes is another file than the script of the page. */
  type Elements = typeof import("./static/intake/elements.js");
  type Questions = typeof import("./static/intake/questions.js");
  type Toy = typeof import("./static/intake/toy.js");
  type Tools = Pick<Elements, "button" | "el"> & Pick<Questions, "complaint" | "described" | "frame" | "heading">;

  /** What a survey whose disguise lasts adds to the pages. */
  interface Lasting {
    screen(scene: Scene, wrong: Wrong, tools: Tools): (HTMLElement | null)[];
    /** The journey with the code that was typed, and the coins that it decides; null where that is none. */
    coded(design: Design, journey: Journey, study: string): Promise<Journey | null>;
    /** The coins with the permanent answers for the true ones. */
    settled(design: Design, journey: Journey, study: string): Promise<Coins>;
  }

  /** What its blinding needs to be undone, as base64url. */
  type Hidden = { message: string; blinded: string; inverse: string };
  /** `token`: the invitation, or what it was exchanged for; then `link` is the invitation. */
  type Arrived = { token: string; hidden?: Hidden; link?: string };
  /** Seconds: on average and at most where the device keeps the record; where it cannot, between two bounds. */
  type Waits = { mean: number; longest: number; short: [number, number] };
  type Send = typeof import("./static/intake/sending.js").send;

  /** What a survey whose invitations are exchanged adds to the pages. */
  interface Exchange {
    /** What became of it, as of a record; "signed" once the token is stored. Throws where the browser stores nothing. */
    exchanged(
      page: Page,
      storage: ReturnType<typeof import("./static/intake/tab_storage.js").tabStorage>,
      send: Send,
      world: Parameters<Send>[2],
    ): Promise<string>;
    /** Seconds that a record waits after the last answer; `fill` draws. */
    wait(waits: Waits, isKept: boolean, fill: (words: Uint32Array<ArrayBuffer>) => Uint32Array): number;
    /** `contact`: whom to ask. */
    screen(
      voice: Voice,
      progress: Progress,
      tryNow: () => void,
      contact: string,
      tools: Pick<Elements, "button" | "el">,
    ): (HTMLElement | null)[];
    /** Updates the screen in place, so that the focus stays. */
    report(voice: Voice, progress: Progress): void;
  }

  /** What a survey that checks understanding adds to the pages. */
  interface Understanding {
    screen(scene: Scene, wrong: Wrong, tools: Tools & Pick<Elements, "answerLabel">): (HTMLElement | null)[];
    /** The journey after Continue, with what is stored once `isDone`; `wrong` are the items without an answer. */
    taken(design: Design, journey: Journey): { journey: Journey; wrong: Wrong; isDone: boolean };
    /** Ten records as somebody else sees them; `keep` is how often true answers are kept. */
    outsider(voice: Voice, keep: string, tools: Pick<Elements, "button" | "el" | "mark"> & Pick<Toy, "flip">): HTMLElement[];
  }

  /** What a page in the frame of another site adds. */
  interface Framed {
    /** In the place of the browser's; `move` is called with what a step back reaches. */
    history(move: (state: { at?: number } | null) => void): {
      readonly state: { at?: number } | null;
      pushState(state: { at: number }, unused?: string): void;
      go(delta?: number): void;
    };
    /** Shows what is said in a frame, and the way out of it with what came in the address; `isStopped`: nobody can answer here. */
    arrange(invitation: string | null, panel: string, isStopped: boolean): void;
    /** Opens the survey on its own page, where a browser stores nothing in a frame. */
    link(voice: Voice): HTMLElement | null;
    /** Guards the buttons that are on the page now. */
    watch(voice: Voice): void;
  }

  /** What the page inside a tool adds, which gets the record. */
  interface Handing extends Framed {
    /** How far handing over is; null before Send. */
    state(): "trying" | "late" | "taken" | "left" | null;
    /** The language that the frame's address names, if it is one of these. */
    language(known: string[]): string | null;
    /** Listens to the tools with these origins; `draw` shows a changed state. */
    listen(origins: string[], draw: () => void): void;
    hand(sealed: Sealed): void;
    /** Tells the tool that this person does not answer. */
    leave(): void;
    screen(voice: Voice, design: Design, canonical: string): (HTMLElement | null)[];
  }

  /** What the page in the frame of a field device adds: it stands in a frame of our own, and stores nothing itself. */
  interface Field extends Framed {
    /** The one that was chosen before the interview. */
    language: string;
    /** Whether the record is stored; `bodyOf` makes its envelope with a token. */
    finish(bodyOf: (token: string | null) => string, fingerprint: string): Promise<boolean>;
    /** The app removes the frame. */
    leave(): void;
    handBack(voice: Voice): HTMLElement;
    receipt(voice: Voice, thanks: Said): HTMLElement[];
  }

  type Screen =
    | Readonly<{ name: "start" | "understanding" | "arm" | "choice" | "code" | "over" | "check"; place?: undefined }>
    | Readonly<{ name: "question"; place: number }>;

  /** What still wants an answer: places, the choice of the group, or the code. */
  type Wrong = (number | "group" | "code")[];

  /** What to say where an answer is missing; `id` is the element to go to. */
  type Complaint = { place?: number; id: string; words: string };

  /** The answers of a page, as one group or each on its own; `heading` where it is not the question's words. */
  type Layout = (scene: Scene, page: number[], wrong: Wrong) => {
    body: HTMLElement;
    complaints: Complaint[];
    asOne: boolean;
    heading?: string | HTMLElement;
  };

  /** What a screen may know and do. */
  interface Scene {
    design: Design;
    page: Page;
    voice: Voice;
    journey: Journey;
    /** The journey at the moment; `journey` is the one that was drawn. */
    now(): Journey;
    become(journey: Journey): Journey;
    answer(place: number, code: number): void;
    type(place: number, text: string, answer: number | null): void;
    choose(group: number): void;
    change(screen: Screen): void;
    redraw(): void;
    back(): void;
    goOn(): void;
    leave(): void;
    send(): void;
  }

  type Progress = { state: string; seconds?: number };
  type Sealed = { record: Sent; body: string };
  /** `own`: of this tab, not kept since an earlier visit; `again`: asked to wait before; `kept`: null where it failed. */
  type Parcel = Sealed & {
    own: boolean;
    resumed: boolean;
    again: boolean;
    kept: boolean | null;
    locked: boolean;
    progress: Progress;
    outcome: string | null;
    completion: string;
    /** What the panel calls this person, where that came and the completion takes it. */
    panel: string;
    /** When it may be sent at the earliest, where an invitation was exchanged. */
    due?: number;
  };

  type Child = Node | string | null | undefined;
  type Attributes = { [name: string]: unknown };
}
