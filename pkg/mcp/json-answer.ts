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

  constructor(before: string, result: string | PreparedJson, after: string) {
    this.#before = before;
    this.#result = result;
    this.#after = after;
  }

  get text(): string {
    return `${this.#before}${textOf(this.#result)}${this.#after}`;
  }

  /** What is written one after the other. */
  get parts(): Buffer[] {
    if (typeof this.#result === 'string') return [Buffer.from(this.text)];
    return [Buffer.from(this.#before), this.#result.bytes, Buffer.from(this.#after)];
  }
}

/** The text of a result. */
export function textOf(result: string | PreparedJson): string {
  return typeof result === 'string' ? result : result.text;
}
