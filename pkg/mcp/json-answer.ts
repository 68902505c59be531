/** JSON that many requests are answered with, as text and as the bytes that are sent. */
export class PreparedJson {
  readonly text: string;
  readonly bytes: Buffer;

  constructor(text: string) {
    this.text = text;
    this.bytes = Buffer.from(text);
  }
}

/** An answer around a result; prepared bytes are not copied into it. */
export class JsonAnswer {
  readonly #before: string;
  readonly #result: string | PreparedJson;
  readonly #after: string;
  /** Seconds after which what was refused may be tried again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(before: string, result: string | PreparedJson, after: string, retryAfterSeconds?: number) {
    this.retryAfterSeconds = retryAfterSeconds;
    this.#before = before;
    this.#result = result;
    this.#after = after;
  }

  get text(): string {
    return `${this.#before}${textOf(this.#result)}${this.#after}`;
  }

  /** What is written one after the other, with its length in bytes. */
  get parts(): { parts: (string | Buffer)[]; length: number } {
    if (typeof this.#result === 'string') {
      const { text } = this;
      return { parts: [text], length: Buffer.byteLength(text) };
    }
    const parts = [this.#before, this.#result.bytes, this.#after];
    return { parts, length: parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0) };
  }
}

/** The text of a result. */
export function textOf(result: string | PreparedJson): string {
  return typeof result === 'string' ? result : result.text;
}
