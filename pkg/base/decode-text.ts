/** How the bytes of a text file are to be read. */
export const TEXT_ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type TextEncodingName = (typeof TEXT_ENCODINGS)[number];

/** Without a byte order mark UTF-16 is known by the zeros of the first bytes. */
const HEAD = 4_096;

/**
 * Finds the encoding of a file while it arrives, holding none of it but its first bytes: UTF-8, UTF-16 of either order with and without a
 * byte order mark, else Windows-1252, in which every byte is a letter.
 */
export class EncodingFinder {
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  #head = new Uint8Array(0);
  #isUtf8 = true;

  /** Looks at the next bytes of the file. */
  add(bytes: Uint8Array): void {
    if (this.#head.length < HEAD) {
      const wanted = bytes.subarray(0, HEAD - this.#head.length);
      const head = new Uint8Array(this.#head.length + wanted.length);
      head.set(this.#head);
      head.set(wanted, this.#head.length);
      this.#head = head;
    }
    this.#decode(() => this.#utf8.decode(bytes, { stream: true }));
  }

  /** What the bytes so far say; a file whose end is missing may say something else at its end. */
  so(): TextEncodingName {
    return utf16Of(this.#head) ?? (this.#isUtf8 ? 'utf-8' : 'windows-1252');
  }

  /** What the whole file says. */
  end(): TextEncodingName {
    this.#decode(() => this.#utf8.decode());
    return this.so();
  }

  #decode(work: () => void): void {
    if (!this.#isUtf8) return;
    try {
      work();
    } catch {
      this.#isUtf8 = false;
    }
  }
}

/** UTF-16 by its mark, or by zeros in every second byte; null: it is another encoding. */
function utf16Of(head: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (Math.max(even, odd) <= head.length / 8 || Math.min(even, odd) * 8 >= Math.max(even, odd)) return null;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

/** Text of a file as programs save it, without its byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  const finder = new EncodingFinder();
  finder.add(bytes);
  return new TextDecoder(finder.end()).decode(bytes);
}
