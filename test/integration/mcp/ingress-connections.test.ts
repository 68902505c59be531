import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { systemIds } from '../../../pkg/base/ids.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { Ingress } from '../../../pkg/mcp/ingress.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { FakeClock } from '../../tools/fake-clock.ts';
import { eventually } from '../../tools/kube.ts';

const TOTAL = 200;
const PER_ADDRESS = 100;
/** An address of an unsubscribe link that nobody has: it is looked for in the database. */
const ASK = `GET /u/${createHash('sha256').update('nobody').digest('hex')} HTTP/1.1\r\nhost: x\r\n`;

describe('connections of the public ingress', function () {
  this.timeout(60_000);
  let mcp: Harness;
  let ingress: Ingress;
  let at: URL;
  let now = 0;
  const opened: Socket[] = [];

  before(async () => {
    mcp = await startMcp();
    const services = { db: mcp.db, product: new FakeClock(), ids: systemIds, log: createLogger('test', 'silent') };
    const bounds = { maxConnections: TOTAL, perAddress: PER_ADDRESS };
    ingress = new Ingress(services, bounds, () => now);
    at = new URL(await ingress.listen('127.0.0.1', 0));
  });
  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.destroy();
    // What the next test opens finds the places of these free.
    await eventually('all are closed', async () => (await answers(await open('127.0.0.1', ''), ASK)).includes('404'));
  });
  after(async () => {
    await ingress.close();
    await mcp.stop();
  });

  /** A connection from an address of this machine, which sends this and nothing more. */
  const open = async (localAddress: string, text: string): Promise<Socket> => {
    const socket = connect({ host: at.hostname, port: Number(at.port), localAddress });
    socket.on('error', () => undefined);
    opened.push(socket);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };
  const flood = async (addresses: number, each: number, text: string): Promise<Socket[]> => {
    const all: Socket[] = [];
    for (let address = 0; address < addresses; address++)
      for (let count = 0; count < each; count++) all.push(await open(`127.0.1.${address + 1}`, text));
    now += 1_000;
    return all;
  };
  /** Another's webhooks and links: each over a connection of its own, as senders of webhooks do. */
  const others = async (count: number): Promise<void> => {
    for (let call = 0; call < count; call++) {
      const answer = await answers(await open('127.0.0.2', ''), `${ASK}connection: close\r\n`);
      expect(answer, `call ${call}`).to.match(/^HTTP\/1.1 404/);
    }
  };

  for (const [what, text] of [
    ['say nothing', ''],
    ['begin a head and stop', `${ASK}x-slow: `],
  ] as const) {
    it(`of one address that ${what} keep nobody out: 200 calls from another are answered, and the address's own`, async () => {
      const silent = await flood(1, TOTAL + 50, text);
      await others(200);
      expect(await answers(await open('127.0.1.1', ''), `${ASK}connection: close\r\n`)).to.match(/^HTTP\/1.1 404/);
      const held = silent.filter((socket) => !socket.destroyed && socket.readyState === 'open');
      expect(held.length).to.be.at.most(PER_ADDRESS);
    });

    it(`of forty addresses that ${what} keep nobody out: 200 calls from another are answered`, async () => {
      const silent = await flood(40, 10, text);
      await others(200);
      const held = silent.filter((socket) => !socket.destroyed && socket.readyState === 'open');
      expect(held.length).to.be.at.most(TOTAL);
    });
  }

  it('that asked and idle give way to new ones', async () => {
    const idle: Socket[] = [];
    for (let address = 0; address < 40; address++)
      for (let count = 0; count < 5; count++) {
        const socket = await open(`127.0.1.${address + 1}`, '');
        expect(await answers(socket, ASK)).to.match(/^HTTP\/1.1 404/);
        idle.push(socket);
      }
    now += 1_000;
    await others(200);
  });
});

/** What a connection answers to a request; '' when it ends before. */
async function answers(socket: Socket, head: string): Promise<string> {
  if (socket.destroyed) return '';
  socket.write(`${head}\r\n`);
  return new Promise((resolve) => {
    socket.once('data', (bytes) => resolve(bytes.toString()));
    socket.once('close', () => resolve(''));
  });
}
