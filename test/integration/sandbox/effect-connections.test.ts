import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { UnipileAdapter } from '../../../pkg/providers/network/unipile-adapter.ts';

describe('network adapter: connections of effects', () => {
  let server: Server;
  let adapter: UnipileAdapter;
  /** What the server does with a request, by its number. */
  let answer: (request: number, socket: Socket) => boolean;
  let requests: number;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    requests = 0;
    answer = () => true;
    sockets.length = 0;
    server = createServer((request, response) => {
      requests++;
      if (answer(requests, request.socket)) response.end('{"object": "UserProfile", "provider_id": "ACo1"}');
    });
    server.keepAliveTimeout = 60_000;
    server.on('connection', (socket) => sockets.push(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    adapter = new UnipileAdapter({ url: `http://127.0.0.1:${port}`, apiKey: 'k', timeoutMs: 2_000, settleAfterMs: 0 });
  });
  afterEach(async () => {
    await adapter.close();
    server.closeAllConnections();
    server.close();
  });

  const view = (): Promise<unknown> =>
    adapter.perform({ externalId: 'acc-1' }, { kind: 'profile_view', providerId: 'ACo1', publicId: 'x' });
  const failure = (): Promise<unknown> =>
    view().then(
      () => undefined,
      (error: unknown) => error,
    );

  it('effects that follow one another share connections', async () => {
    for (let effect = 0; effect < 20; effect++) await view();
    expect(requests).to.equal(20);
    // The second is opened by who comes in the very turn in which the first becomes free.
    expect(sockets.length).to.be.within(1, 2);
  });

  it('a connection that has rested for a second is not used again, though the server would keep it for a minute', async () => {
    await view();
    const [first] = sockets;
    if (!first?.destroyed) await once(first as Socket, 'close');
    await view();
    expect(sockets).to.have.length(2);
  });

  it('a connection that the server closed is not used again, and the effect goes through', async () => {
    await view();
    sockets[0]?.end();
    await once(sockets[0] as Socket, 'close');
    await view();
    expect(requests).to.equal(2);
    expect(sockets).to.have.length(2);
  });

  it('a shared connection that breaks under a request leaves an unknown outcome, and the request is never repeated', async () => {
    for (let effect = 0; effect < 3; effect++) await view();
    const opened = sockets.length;
    answer = (_request, socket) => {
      socket.destroy();
      return false;
    };
    const error = await failure();
    expect(error).to.be.instanceOf(ProviderError);
    expect((error as ProviderError).kind).to.equal('unknown_outcome');
    expect(requests).to.equal(4);
    expect(sockets).to.have.length(opened);
  });
});
