import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The sandbox's language model, until it stops answering: the one who asks then waits, with credits set aside. */
export class SlowWriter {
  /** What the program is started with. */
  readonly settings: Readonly<Record<string, string>>;
  /** Address of the sandbox and its key, once it runs. */
  behind: { url: string; key: string } | undefined;
  /** Nobody is answered any more. */
  silent = false;
  readonly #close: () => void;

  private constructor(port: number, close: () => void) {
    const url = `http://127.0.0.1:${port}/v1`;
    this.settings = { AI_PROVIDER: 'openai', AI_BASE_URL: url, AI_API_KEY: 'none', AI_MODEL: 'gpt-4.1' };
    this.#close = close;
  }

  static async open(): Promise<SlowWriter> {
    const server = createServer((request, response) => {
      writer.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const writer = new SlowWriter(port, () => {
      server.closeAllConnections();
      server.close();
    });
    return writer;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.silent || !this.behind) return;
    const { url, key } = this.behind;
    const answer = await fetch(`${url}/outside/openai${request.url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: await text(request),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }

  close(): void {
    this.#close();
  }
}
