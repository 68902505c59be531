import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets that have to be stored (credentials of integrations): AES-256-GCM under a key derived from the
 * installation's. `owner` says whose secret it is and is bound to it: a sealed text moved to another row does not open.
 */
export class Sealer {
  readonly #key: Buffer;

  /** @param installationKey at least 32 characters; the one who has it and the database reads every credential */
  constructor(installationKey: string) {
    if (installationKey.length < 32) throw new Error('OUTRIDER_SECRETS_KEY must have at least 32 characters');
    this.#key = Buffer.from(hkdfSync('sha256', installationKey, '', 'outrider sealed secrets', 32));
  }

  seal(text: string, owner: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(owner));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), body]);
  }

  /** @throws Error when it was sealed for another owner, under another key, or was changed */
  open(sealed: Buffer, owner: string): string {
    if (sealed[0] !== VERSION || sealed.length < 1 + NONCE_BYTES + TAG_BYTES) throw new Error('not a sealed secret');
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
    const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(owner)).setAuthTag(tag);
    try {
      return decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new Error(`the stored secret of ${owner} does not open with this OUTRIDER_SECRETS_KEY`);
    }
  }
}
