/* device.d.ts */
type Secure = Pick<Crypto, "getRandomValues" | "subtle">;

/** SHA-256 of the design's text, as Candor wrote it: its name in each record. */
export declare function fingerprintOf(text: string, crypto?: Secure): Promise<string>;

/** The text to store of one person; `answers`: by question the true code, or null where it is not shown. */
export declare function disguisedText(text: string, answers: Device.Answers, options?: { trial?: boolean; crypto?: Secure }): Promise<string>;

export declare const OPEN: 0;
export declare const DISGUISED: 1;
export declare function secureWords(crypto: Pick<Crypto, "getRandomValues">): Device.Words;
export declare function below(n: number, words: Device.Words): number;
export declare function drawKey(words: Device.Words): string;
export declare function drawCoins(design: Device.Design, words: Device.Words): Device.Coins;
export declare function seen(design: Device.Design, coins: Device.Coins): Device.Seen;
export declare function redraw(design: Device.Design, before: Device.Seen, words: Device.Words): Device.Coins;
export declare function shown(design: Device.Design, coins: Device.Coins, answers: Device.Answers): boolean[];
export declare function orderOf(design: Device.Design, coins: Device.Coins): number[];
export declare function codesOf(design: Device.Design, coins: Device.Coins, place: number): number[];
export declare function disguise(design: Device.Design, fingerprint: string, coins: Device.Coins, group: number, answers: Device.Answers): Device.Sent;
export declare function impossible(design: Device.Design, fingerprint: string, record: Device.Sent): Device.Wrong | null;
export declare function encode(design: Device.Design, codes: number[]): string;
export declare function decode(design: Device.Design, text: string): number[] | null;
export declare function recordText(record: Device.Sent): string;
export declare function envelopeText(key: string, record: Device.Sent): string;
export declare function handedText(envelope: string, isTrial?: boolean): string;
