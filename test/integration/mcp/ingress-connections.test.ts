import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { systemIds } from '../../../pkg/base/ids.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { Ingress } from '../../../pkg/mcp/ingress.ts';
import type { Database } from '../../../pkg/postgres/database.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

describe('connections of the public ingress', () => {
  it('beyond its bound they are closed at once, so that strangers can not hold all that the process may open', async () => {
    const services = {
      db: {} as Database,
      product: new FakeClock(),
      ids: systemIds,
      log: createLogger('test', 'silent'),
    };
    const ingress = new Ingress(services, 2);
    const { hostname, port } = new URL(await ingress.listen('127.0.0.1', 0));
    const open = async (): Promise<Socket> => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      return socket;
    };
    try {
      const held = [await open(), await open()];
      const third = await open();
      const ended = await Promise.race([once(third.resume(), 'close').then(() => true), answer(third)]);
      expect(ended, 'the third is not served').to.equal(true);
      for (const socket of held) expect(await answer(socket)).to.match(/^HTTP\/1.1 404/);
    } finally {
      await ingress.close();
    }
  });
});

/** What a connection answers to a request. */
async function answer(socket: Socket): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString();
}
