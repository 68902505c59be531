import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** First byte of what names no key: sealed by 0.2 and earlier, and while there is one key alone. */
const UNNAMED = 1;
/** First byte of what names the key that sealed it. */
const NAMED = 2;
const ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Keys that only open, at most: each is tried for a secret that names none. */
export const MAX_OLD_KEYS = 8;
/** Characters of a key at least. */
export const KEY_LENGTH = 32;

interface Key {
  /** Names the key and tells nothing of it. */
  id: Buffer;
  secret: Buffer;
  /** Of what is told apart and never opened. */
  marks: Buffer;
}

/** Under which key a secret lies: the one that seals, one that only opens, or none that is given. */
export type SealedBy = 'current' | 'old' | 'unknown';

/**
 * Encrypts secrets that have to be stored (credentials of integrations): AES-256-GCM under a key derived from the
 * installation's. `owner` says whose secret it is and is bound to it: a sealed text moved to another row does not open.
 *
 * While there is one key, what it seals names no key, so that executors of the version before open it too; with old keys beside it, what
 * is sealed names its key.
 */
export class Sealer {
  readonly #current: Key;
  readonly #old: readonly Key[];

  /**
   * @param installationKey seals, and opens; at least 32 characters; who has it and the database reads every credential
   * @param oldKeys only open
   */
  constructor(installationKey: string, oldKeys: readonly string[] = []) {
    if (oldKeys.length > MAX_OLD_KEYS) throw new Error(`OUTRIDER_SECRETS_OLD_KEYS has more than ${MAX_OLD_KEYS} keys`);
    this.#current = keyOf(installationKey, 'OUTRIDER_SECRETS_KEY');
    this.#old = oldKeys.map((key) => keyOf(key, 'each of OUTRIDER_SECRETS_OLD_KEYS'));
  }

  /** Id of the key that seals, 8 hexadecimal digits. */
  get keyId(): string {
    return this.#current.id.toString('hex');
  }

  /**
   * The same for the same text, and nobody without the key can try what the text may be.
   * @returns under the key that seals, then under those that only open
   */
  marks(text: string): [Buffer, ...Buffer[]] {
    const under = ({ marks }: Key): Buffer => createHmac('sha256', marks).update(text).digest();
    return [under(this.#current), ...this.#old.map(under)];
  }

  seal(text: string, owner: string): Buffer {
    const { id, secret } = this.#current;
    const head = this.#old.length === 0 ? Buffer.from([UNNAMED]) : Buffer.concat([Buffer.from([NAMED]), id]);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(bound(head, owner));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([head, nonce, cipher.getAuthTag(), body]);
  }

  /** @throws Error when it was sealed for another owner, under a key that is not given, or was changed */
  open(sealed: Buffer, owner: string): string {
    return this.#find(sealed, owner).text;
  }

  /** Which key opens it. @throws Error when it is no sealed secret */
  sealedBy(sealed: Buffer, owner: string): SealedBy {
    requireSealed(sealed);
    try {
      return this.#find(sealed, owner).key === this.#current ? 'current' : 'old';
    } catch {
      return 'unknown';
    }
  }

  #find(sealed: Buffer, owner: string): { key: Key; text: string } {
    const length = requireSealed(sealed);
    const keys = [this.#current, ...this.#old].filter(
      ({ id }) => sealed[0] === UNNAMED || id.equals(sealed.subarray(1, length)),
    );
    for (const key of keys) {
      const text = opened(key, sealed, length, owner);
      if (text !== undefined) return { key, text };
    }
    const named = sealed[0] === NAMED ? ` (key ${sealed.subarray(1, length).toString('hex')})` : '';
    throw new Error(
      `the stored secret of ${owner}${named} does not open with this OUTRIDER_SECRETS_KEY, nor with any of OUTRIDER_SECRETS_OLD_KEYS`,
    );
  }
}

function keyOf(text: string, setting: string): Key {
  if (text.length < KEY_LENGTH) throw new Error(`${setting} must have at least ${KEY_LENGTH} characters`);
  const derived = (purpose: string, bytes: number): Buffer => Buffer.from(hkdfSync('sha256', text, '', purpose, bytes));
  return {
    id: derived('outrider key id', ID_BYTES),
    secret: derived('outrider sealed secrets', 32),
    marks: derived('outrider marks', 32),
  };
}

/** @returns length of what stands before the nonce */
function requireSealed(sealed: Buffer): number {
  const length = sealed[0] === UNNAMED ? 1 : 1 + ID_BYTES;
  if (![UNNAMED, NAMED].includes(sealed[0] ?? 0) || sealed.length < length + NONCE_BYTES + TAG_BYTES)
    throw new Error('not a sealed secret');
  return length;
}

/** What is bound to a secret besides its text. */
function bound(head: Buffer, owner: string): Buffer {
  return head[0] === UNNAMED ? Buffer.from(owner) : Buffer.concat([head, Buffer.from(owner)]);
}

/** @returns undefined under another key, for another owner, or when it was changed */
function opened({ secret }: Key, sealed: Buffer, length: number, owner: string): string | undefined {
  const nonce = sealed.subarray(length, length + NONCE_BYTES);
  const tag = sealed.subarray(length + NONCE_BYTES, length + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', secret, nonce)
    .setAAD(bound(sealed.subarray(0, length), owner))
    .setAuthTag(tag);
  try {
    const body = sealed.subarray(length + NONCE_BYTES + TAG_BYTES);
    return decipher.update(body, undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
