/**
 * What the modules of the device (privacy/static/privacy) hand to each other, for the type checker alone. It does not
 * stand in the modules, since every byte of those is sent to every respondent.
 */
declare namespace Device {
  interface Question {
    name: string;
    show_if: Record<string, string[]>;
    /** The group or the table in which it stands with its neighbours. */
    of?: string;
    /** So many choices, or options of its group, are shown in random order; the others stay behind them. */
    shuffled?: number;
  }
  interface Chosen extends Question {
    choices: { name: string }[];
  }
  interface Disguised extends Chosen {
    noise: string[];
  }

  /** A plain question that the device answers. */
  interface Drawn extends Chosen {
    shares: string[];
  }

  interface CrosswiseQuestion extends Chosen {
    /** The share of people of whom the secret is true. */
    share: string;
    /** The drawn question whose second choice turns the secret. */
    turned_by?: string;
  }

  type Crosswise = { kind: "crosswise"; questions: [CrosswiseQuestion] };
  type Subset = { kind: "subset"; keep: string; size: number; questions: [Chosen] };
  type Plain = { kind: "plain"; questions: Chosen[] };
  /** `lasting`: the keep probability of the permanent draw, where the disguise lasts. */
  type Grouped = { kind: "unrelated-question"; keep: string; lasting?: string; asked: number; questions: Disguised[] };
  type Section = { kind: string; questions: Question[]; order?: "random" };

  interface WindowQuestion extends Question {
    law: "window";
    low: number;
    step: number;
    /** V: the numbers are low, low + step, .. . */
    values: number;
    /** h: the window has 2h + 1 numbers. */
    window: number;
    /** How often any number goes out. */
    uniform: string;
  }
  interface ClassesQuestion extends Question {
    law: "classes";
    step: number;
    /** t_0 and t_(N+1); both or neither. */
    low?: number;
    high?: number;
    /** t_1 .. t_N. */
    limits: number[];
    /** m: how many limits are drawn. */
    cuts: number;
    /** R: so many of twenty records send the place inside the class. */
    rest: number;
  }
  type WindowSection = { kind: "number"; questions: [WindowQuestion] };
  type ClassesSection = { kind: "number"; keep: string; keep_rest?: string; questions: [ClassesQuestion] };
  type NumberSection = WindowSection | ClassesSection;

  interface PlaceQuestion extends Question {
    /** `at`: two integers, of at most 10^7 in size. */
    cells: { name: string; at: [number, number] }[];
    /** `cells` are names of cells, in the order of the question. */
    regions: { name: string; cells: string[]; near?: number; odds?: string }[];
    /** m: how many cells of a region are near. */
    near: number;
    /** W/V: how much likelier a near cell is. */
    odds: string;
  }
  type PlaceSection = { kind: "place"; questions: [PlaceQuestion] };

  /** A parsed canonical design. */
  type Design = { open_answers: boolean; direct?: string; sections: Section[] };

  /** Independent uniform integers, 0 <= word < 2^bits. */
  type Words = { bits: number; draw: () => number };
  /**
   * All coins of one respondent. A modulus other than 10,000 is for tests. `permanent`: by place the answers that a
   * person's code fixed for the true ones.
   */
  type Coins = { modulus: number; values: number[]; permanent?: Answers };
  /** What the coins decide that a respondent can see; `draws` are the coins behind those of the sections. */
  type Seen = { asked: boolean[]; draws: number[] };
  /** Per question of a design the true answer, null if there is none. */
  type Answers = readonly (number | null)[];
  /** A record. */
  type Sent = { design: string; group: number; answers: string };

  /** The place of the first probability whose cumulative sum is above coin/modulus; -1 if none is. */
  type Pick = (coin: number, law: string[]) => number;

  /** The code in the record of an earlier question, by its name. */
  type CodeOf = (name: string) => number;

  /** What a kind of section says; each takes sections of its own kind only. */
  interface Kind<S extends Section = any> {
    /** How many questions of the section a device asks. */
    asked(section: S): number;
    /** All probabilities of its law. */
    probabilities(section: S): string[];
    /** The number of sides of each coin that the section needs, in order. */
    sides(section: S, modulus: number): number[];
    /** For each question whether the section's coins draw it. */
    drawn(section: S, coins: number[]): boolean[];
    /** The first of the coins that draw the questions at these places of the section. */
    redrawn(section: S, places: number[]): number[];
    /** True answers to a question are 0 .. answers - 1. */
    answers(question: S["questions"][number]): number;
    /** What a record says of an answer is 0 .. codes - 1; *not asked* and *not applicable* follow. */
    codes(question: S["questions"][number], section: S): number;
    /** Whether no device of this group sends this answer's code. */
    foreign?(section: S, code: number, isOpen: boolean): boolean;
    /** Whether the coins keep a disguised answer, or replace it by chance alone. */
    kept(section: S, coins: number[], pick: Pick): boolean;
    /** The code that goes out for the question at place j, which is drawn and applies. */
    sent(section: S, j: number, truth: number, isOpen: boolean, coins: number[], pick: Pick, codeOf: CodeOf): number;
  }

  /** What the two laws of a number say differently. */
  type NumberLaw<S extends NumberSection = any> = Omit<Kind<S>, "asked" | "drawn" | "redrawn">;

  /** Of `crypto.subtle`. */
  type Subtle = { [Name in "digest" | "importKey" | "sign"]: SubtleCrypto[Name] };
  type Disguise = typeof import("./static/privacy/disguise.js");
  type Functions = { [Name in "disguisedCodes" | "drawn" | "notAsked" | "sides"]: Disguise[Name] };
  type Below = typeof import("./static/privacy/coins.js").below;
  type Draws = typeof import("./static/privacy/draws.js");
  type Kinds = Readonly<Record<string, Kind>>;
  type Wrong = { reason: "design" | "group" | "answers" | "asked" | "applicable"; question: string | null };
}
