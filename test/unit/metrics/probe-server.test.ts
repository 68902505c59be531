import { expect } from 'chai';
import { Counter, Registry } from 'prom-client';
import { type ProbeServer, serveProbes } from '../../../pkg/metrics/probe-server.ts';

describe('what a process shows of itself', () => {
  const registry = new Registry();
  const scrapes = new Counter({ name: 'scrapes_total', help: 'Scrapes.', registers: [registry] });
  let probes: ProbeServer;
  let ready = false;
  before(async () => {
    const beforeScrape = (): void => scrapes.inc();
    probes = await serveProbes({ host: '127.0.0.1', port: 0, registry, beforeScrape, isReady: () => ready });
  });
  after(() => probes.close());
  const ask = async (path: string, url = probes.url): Promise<[number, string]> => {
    const answer = await fetch(`${url}${path}`);
    return [answer.status, await answer.text()];
  };

  it('its metrics, with the type that Prometheus asks for and figures of the moment', async () => {
    const answer = await fetch(`${probes.url}/metrics?match=x`);
    expect(answer.headers.get('content-type')).to.equal(registry.contentType);
    expect(await answer.text()).to.match(/^scrapes_total 1$/m);
  });

  it('that it lives, also while it is not ready', async () => {
    expect(await ask('/livez')).to.deep.equal([200, 'ok\n']);
    expect(await ask('/readyz')).to.deep.equal([503, 'not ready\n']);
    ready = true;
    expect(await ask('/readyz')).to.deep.equal([200, 'ok\n']);
  });

  it('nothing else', async () => {
    for (const path of ['/', '/metrics/', '/health', '//x/livez']) expect((await ask(path))[0], path).to.equal(404);
  });

  it('figures that can not be read are an error and no empty answer', async () => {
    const broken = new Registry();
    broken.metrics = () => Promise.reject(new Error('secret'));
    const server = await serveProbes({ host: '127.0.0.1', port: 0, registry: broken });
    expect(await ask('/metrics', server.url)).to.deep.equal([500, 'Internal Server Error']);
    expect((await ask('/readyz', server.url))[0], 'ready as long as it lives').to.equal(200);
    await server.close();
  });

  it('a taken port is an error', async () => {
    const port = Number(new URL(probes.url).port);
    const taken = await serveProbes({ host: '127.0.0.1', port, registry }).catch((error: unknown) => error);
    expect(taken).to.have.property('code', 'EADDRINUSE');
  });
});
