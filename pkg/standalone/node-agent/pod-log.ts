import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sleepReal } from '../../base/clock.ts';

/** A log grows to this many bytes, then moves aside to `.1` (one generation is kept). */
const LIMIT = 10 * 1024 * 1024;

/** Log of one Pod in a file that outlives its process. */
export class PodLog {
  readonly file: string;
  #stream: WriteStream;
  #size = 0;

  private constructor(file: string, size: number) {
    this.file = file;
    this.#size = size;
    this.#stream = open(file);
  }

  static async open(file: string): Promise<PodLog> {
    await mkdir(dirname(file), { recursive: true });
    const size = await stat(file).then(
      (info) => info.size,
      () => 0,
    );
    return new PodLog(file, size);
  }

  write(chunk: Buffer): void {
    this.#stream.write(chunk);
    this.#size += chunk.length;
    if (this.#size < LIMIT) return;
    this.#stream.end();
    void rename(this.file, `${this.file}.1`).catch(() => undefined);
    this.#stream = open(this.file);
    this.#size = 0;
  }

  close(): void {
    this.#stream.end();
  }
}

function open(file: string): WriteStream {
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
  stream.on('error', () => undefined);
  return stream;
}

export interface LogRequest {
  follow: boolean;
  tailLines?: number | undefined;
  signal: AbortSignal;
}

/** What `kubectl logs` gets: the file so far (or its last lines), then what is appended while `follow` holds. */
export async function* readLog(file: string, request: LogRequest): AsyncIterable<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n');
  const whole = request.tailLines === undefined ? text : lines.slice(-(request.tailLines + 1)).join('\n');
  if (whole !== '') yield whole;
  let position = Buffer.byteLength(text);
  while (request.follow && !request.signal.aborted) {
    await sleepReal(250, request.signal).catch(() => undefined);
    const size = await stat(file).then(
      (info) => info.size,
      () => 0,
    );
    if (size < position) position = 0;
    if (size === position) continue;
    for await (const chunk of createReadStream(file, { start: position, end: size - 1, encoding: 'utf8' }))
      yield String(chunk);
    position = size;
  }
}
