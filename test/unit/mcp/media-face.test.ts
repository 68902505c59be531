import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { HttpError } from '../../../pkg/base/http/http-error.ts';
import { MediaFace, type MediaServices } from '../../../pkg/mcp/media-face.ts';

const IN = (workspace: number): string => `/media/00000000-0000-4000-8000-00000000000${workspace}`;

/** Media whose bytes never come: the bucket holds each of them for good, as a reader who takes nothing does. */
function face(firstMs?: number): MediaFace {
  const row = (_sql: string, [id]: [string]): Promise<object> =>
    Promise.resolve({ id, workspaceId: id, mime: 'image/png', bytes: 10, sha256: 'x', stored: 'bucket' });
  const caller = {
    keyType: 'workspace',
    scopes: new Set(['content:read']),
    workspaces: [{ workspaceId: 'w' }],
    user: null,
  };
  const services = {
    db: { read: (_scope: object, work: (tx: object) => unknown) => work({ row }) },
    gate: { admit: () => Promise.resolve({ authenticated: { caller, workspaceLimits: new Map() } }) },
    bucket: {
      get: (_key: string, signal: AbortSignal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    },
  };
  return new MediaFace(services as unknown as MediaServices, firstMs);
}

describe('media of posts over HTTP', () => {
  const ends: (() => void)[] = [];
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  /** @returns a GET: the answer once its head came */
  async function served(media: MediaFace): Promise<(path: string) => Promise<IncomingMessage>> {
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      try {
        await media.serve({ request, response, requestId: '', authenticated: {} as never });
      } catch (error) {
        response.writeHead(error instanceof HttpError ? error.status : 500).end();
      }
    };
    const server = createServer((request, response) => {
      void answer(request, response);
      if (!response.headersSent) setImmediate(() => response.headersSent && response.flushHeaders());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return async (path) => {
      const asked = httpRequest({ port, host: '127.0.0.1', path, agent: false }).end();
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      response.on('error', () => undefined);
      return response;
    };
  }

  it('a workspace has four answers at once at most, and another has its own', async () => {
    const get = await served(face());
    const statuses = (await Promise.all([1, 1, 1, 1, 1, 2].map((workspace) => get(IN(workspace))))).map(
      ({ statusCode }) => statusCode,
    );
    expect(statuses.sort()).to.deep.equal([200, 200, 200, 200, 200, 503]);
    expect((await get(IN(1))).statusCode).to.equal(503);
    expect((await get(IN(2))).statusCode).to.equal(200);
  });

  it('an answer that takes longer than its bytes need is broken off, and its place is free', async () => {
    const get = await served(face(50));
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all([1, 1, 1, 1].map((workspace) => get(IN(workspace))));
      for (const answer of answers) {
        expect(answer.statusCode).to.equal(200);
        answer.resume();
        if (!answer.closed) await new Promise<void>((resolve) => answer.once('close', () => resolve()));
        expect(answer.complete).to.equal(false);
      }
    }
  });
});
