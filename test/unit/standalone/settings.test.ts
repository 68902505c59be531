import { createServer } from 'node:net';
import { expect } from 'chai';
import { parseDuration } from '../../../pkg/standalone/duration.ts';
import { readSettings, requireFreePort } from '../../../pkg/standalone/settings.ts';

describe('settings of make run', () => {
  it('empty variables are the defaults, since make exports what is not set', () => {
    const settings = readSettings({ OUTRIDER_HOME: '', PORT: '', DEMO: '', OUTRIDER_KUBECONFIG: '' });
    expect(settings).to.deep.equal({ home: '.outrider', port: 7420, demo: true, kubeconfig: undefined });
  });

  for (const PORT of ['0', '70000', 'abc', '1.5']) {
    it(`PORT=${PORT} is refused naming PORT`, () => {
      expect(() => readSettings({ PORT })).to.throw(/PORT/);
    });
  }

  it('a KUBECONFIG of the environment is never used', () => {
    expect(readSettings({ KUBECONFIG: '/etc/production' }).kubeconfig).to.equal(undefined);
  });

  it('a used port is refused with another one to try', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(address && typeof address === 'object' ? address.port : 0);
      });
    });
    const message = await requireFreePort(port).then(
      () => '',
      (error: Error) => error.message,
    );
    server.close();
    expect(message).to.contain(`Port ${port} is used by another program`);
    expect(message).to.contain('make run PORT=');
  });
});

describe('durations of the command line', () => {
  const rows: [string, number][] = [
    ['14d', 14 * 86_400_000],
    ['90m', 90 * 60_000],
    ['6h', 6 * 3_600_000],
    ['1d12h', 36 * 3_600_000],
  ];
  for (const [text, ms] of rows) {
    it(`${text} is ${ms} ms`, () => {
      expect(parseDuration(text)).to.equal(ms);
    });
  }
  for (const text of ['', '5', 'd', '-1d', '1x', '1 d']) {
    it(`"${text}" is refused with an example`, () => {
      expect(() => parseDuration(text)).to.throw('14d');
    });
  }
});
