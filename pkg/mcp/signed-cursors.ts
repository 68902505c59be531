import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../base/json.ts';
import type { Cursors } from '../tools/cursors.ts';
import { invalidInput } from '../tools/errors.ts';

/** Cursors of one key: the position in clear, a MAC over tool, filters, key and position. */
export class SignedCursors implements Cursors {
  readonly #secret: string;
  readonly #keyId: string;

  constructor(secret: string, keyId: string) {
    this.#secret = secret;
    this.#keyId = keyId;
  }

  encode(tool: string, filters: object, position: readonly (string | number | null)[]): string {
    const body = Buffer.from(JSON.stringify(position)).toString('base64url');
    return `${body}.${this.#mac(tool, filters, body)}`;
  }

  decode(tool: string, filters: object, cursor: string | undefined): readonly (string | number | null)[] | null {
    if (cursor === undefined) return null;
    const [body = '', mac = '', extra] = cursor.split('.');
    const wanted = Buffer.from(this.#mac(tool, filters, body));
    const given = Buffer.from(mac);
    if (extra !== undefined || wanted.length !== given.length || !timingSafeEqual(wanted, given)) {
      throw invalidInput('cursor', 'is not of this tool, these filters and this key; start again without it');
    }
    return JSON.parse(Buffer.from(body, 'base64url').toString()) as (string | number | null)[];
  }

  #mac(tool: string, filters: object, body: string): string {
    const bound = createHash('sha256')
      .update(canonicalJson([tool, filters, this.#keyId]))
      .digest('base64url');
    return createHmac('sha256', this.#secret).update(`${bound}.${body}`).digest('base64url').slice(0, 22);
  }
}
