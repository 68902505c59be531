/**
 * Messages of the extended query protocol, written one behind the other into one buffer (PostgreSQL, Message Formats).
 * Ours beside pg's, since pg writes a Sync behind each statement and Sync ends the implicit transaction: read-batch.ts has
 * the figure.
 */
export class WireWriter {
  #buffer = Buffer.allocUnsafe(1_024);
  #at = 0;

  parse(name: string, text: string): void {
    const start = this.#begin(80);
    this.#text(name);
    this.#text(text);
    this.#int16(0);
    this.#end(start);
  }

  /** Binds the unnamed portal; results come as text. */
  bind(statement: string, values: readonly unknown[]): void {
    const start = this.#begin(66);
    this.#text('');
    this.#text(statement);
    this.#formats(values);
    this.#int16(values.length);
    for (const value of values) this.#value(wireValue(value));
    this.#int16(0);
    this.#end(start);
  }

  /** Asks for the columns of the unnamed portal. */
  describe(): void {
    this.#short(68, 'P');
  }

  execute(): void {
    const start = this.#begin(69);
    this.#text('');
    this.#int32(0);
    this.#end(start);
  }

  /** Forgets a statement, known or not. */
  close(statement: string): void {
    this.#short(67, `S${statement}`);
  }

  sync(): void {
    this.#end(this.#begin(83));
  }

  /** What was written; the writer must not be used any more. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  #short(code: number, text: string): void {
    const start = this.#begin(code);
    this.#text(text);
    this.#end(start);
  }

  #formats(values: readonly unknown[]): void {
    if (!values.some((value) => value instanceof Uint8Array)) {
      this.#int16(0);
      return;
    }
    this.#int16(values.length);
    for (const value of values) this.#int16(value instanceof Uint8Array ? 1 : 0);
  }

  #value(value: string | Uint8Array | null): void {
    if (value === null) {
      this.#int32(-1);
      return;
    }
    const bytes = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
    this.#int32(bytes);
    this.#room(bytes);
    if (typeof value === 'string') this.#buffer.write(value, this.#at);
    else this.#buffer.set(value, this.#at);
    this.#at += bytes;
  }

  /** @returns where the length of the message goes */
  #begin(code: number): number {
    this.#room(5);
    this.#buffer[this.#at] = code;
    this.#at += 5;
    return this.#at - 4;
  }

  #end(start: number): void {
    this.#buffer.writeInt32BE(this.#at - start, start);
  }

  #text(text: string): void {
    this.#room(text.length * 3 + 1);
    if (text !== '') this.#at += this.#buffer.write(text, this.#at);
    this.#buffer[this.#at++] = 0;
  }

  #int16(value: number): void {
    this.#room(2);
    this.#at = this.#buffer.writeInt16BE(value, this.#at);
  }

  #int32(value: number): void {
    this.#room(4);
    this.#at = this.#buffer.writeInt32BE(value, this.#at);
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}

/** A parameter as Postgres reads it: text, bytes, or null. Objects are JSON, arrays are array literals. */
export function wireValue(value: unknown): string | Uint8Array | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return `{${value.map(element).join(',')}}`;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function element(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`;
  const text = wireValue(value) as string;
  if (Array.isArray(value) || typeof value === 'number') return text;
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
