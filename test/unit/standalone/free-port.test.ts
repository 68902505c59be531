import { createServer } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../../../pkg/standalone/free-port.ts';

describe('a free port', () => {
  it('is none that an outgoing connection could take, is free, and is given once', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(ports).size).to.equal(50);
    for (const port of ports) expect(port).to.be.within(1_024, 32_767);
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(ports[0], '127.0.0.1', resolve);
    });
    await new Promise((resolve) => server.close(resolve));
  });
});
