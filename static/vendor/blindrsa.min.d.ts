/** What the type checker has to know of the bundle: RSA blind signatures as the device makes them (RFC 9474). */

interface Suite {
  /** 32 random bytes before the message. */
  prepare(message: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
  blind(key: CryptoKey, message: Uint8Array<ArrayBuffer>): Promise<{ blindedMsg: Uint8Array<ArrayBuffer>; inv: Uint8Array<ArrayBuffer> }>;
  /** Throws where the signer has not signed. */
  finalize(
    key: CryptoKey,
    message: Uint8Array<ArrayBuffer>,
    blindSignature: Uint8Array<ArrayBuffer>,
    inverse: Uint8Array<ArrayBuffer>,
  ): Promise<Uint8Array<ArrayBuffer>>;
}

type Variants = { Randomized(): Suite; Deterministic(): Suite };

export const RSABSSA: { SHA384: { PSS: Variants; PSSZero: Variants } };
